"""Pictures' histories for tests of what is written into files."""

from __future__ import annotations

from dataclasses import replace

from engine.port import GenerationRequest, ModelId, Provenance
from tests.fakes.script import FAKE_DEVICE, FAKE_MODEL, resolve


def history(prompt: str = "a cat", *, negative: str = "", seed: int = 7, **others) -> Provenance:
    """How a picture was made; `others` replace fields of the `Provenance`."""
    request = GenerationRequest(
        prompt=prompt, negative_prompt=negative, seed=seed, model_id=ModelId("starter")
    )
    provenance = Provenance(
        resolved=resolve(request),
        seed=seed,
        model_name=FAKE_MODEL.name,
        model_sha256="0123456789abcdef" * 4,
        library="paddle 3.3.1",
        device=FAKE_DEVICE,
        noise="philox4x64-normal-v1",
        tile="off",
        danqing_version="0.1.0",
    )
    return replace(provenance, **others)
