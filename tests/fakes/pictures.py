"""What is known of a finished picture, for tests that save, name or index one."""

from __future__ import annotations

from datetime import UTC, datetime

from desktop.store.name_pattern import Facts
from engine.port import DeviceInfo, ModelId, Provenance, ResolvedRequest, Sampler, SigmaSchedule

WHEN = datetime(2026, 11, 30, 23, 59, 58, tzinfo=UTC)


def provenance(
    prompt: str = "a cat",
    negative_prompt: str = "",
    *,
    seed: int = 7,
    index: int = 0,
    image_count: int = 1,
    width: int = 320,
    height: int = 192,
) -> Provenance:
    """How picture `index` of a job was made."""
    resolved = ResolvedRequest(
        prompt=prompt,
        negative_prompt=negative_prompt,
        width=width,
        height=height,
        steps=8,
        guidance_scale=3.5,
        seed=seed,
        image_count=image_count,
        sampler=Sampler.DPMPP_2M,
        sigma_schedule=SigmaSchedule.SHIFTED,
        shift=3.0,
        model_id=ModelId("model"),
        decode_tile=None,
        preview=False,
    )
    return Provenance(
        resolved=resolved,
        seed=resolved.image_seed(index),
        model_name="/home/ann/models/ERNIE 图",
        model_sha256="0123456789abcdef" * 4,
        library="paddle 3.3.1",
        device=DeviceInfo(name="cpu", description="a processor", dtypes={}),
        noise="philox4x64-normal-v1",
        tile="off",
        danqing_version="0.1",
    )


def facts(
    prompt: str = "a cat",
    negative_prompt: str = "",
    *,
    seed: int = 7,
    index: int = 0,
    count: int = 1,
) -> Facts:
    """What a picture's name can be made of, on 30 November 2026."""
    return Facts(
        provenance=provenance(prompt, negative_prompt, seed=seed, index=index, image_count=count),
        index=index,
        pixels=b"rgb",
        made_at=WHEN,
        job_started_at=WHEN.replace(minute=50, second=0),
    )
