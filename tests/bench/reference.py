"""The reference's side of the benchmarks: diffusers on torch, in `.venv-reference`."""

from __future__ import annotations

import os
from typing import Any

from tests.bench.worker import peak_bytes, reset_peak, resident_bytes, serve, timed

_built: dict[str, Any] = {}


def _torch() -> Any:
    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.set_grad_enabled(False)
    return torch


def picture(model: str, steps: int, guidance_scale: float, prompt: str) -> dict[str, Any]:
    """One picture from a prompt, the pipeline loaded beforehand."""
    torch = _torch()
    if "pipeline" not in _built:
        from diffusers import ErnieImagePipeline

        _built["pipeline"] = ErnieImagePipeline.from_pretrained(model, dtype=torch.float32)
        _built["pipeline"].set_progress_bar_config(disable=True)
    pipeline = _built["pipeline"]
    return timed(
        lambda: pipeline(
            prompt,
            height=256,
            width=256,
            num_inference_steps=steps,
            guidance_scale=guidance_scale,
            generator=torch.Generator().manual_seed(1),
            use_pe=False,
        )
    )


def picture_memory(model: str, steps: int, guidance_scale: float, prompt: str) -> dict[str, Any]:
    """Loading and one picture in a fresh process: its peak, and the growth since the imports."""
    _torch()
    import diffusers
    import transformers  # noqa: F401

    _ = diffusers.ErnieImagePipeline
    imported = resident_bytes()
    reset_peak()
    picture(model, steps, guidance_scale, prompt)
    return {"process_bytes": peak_bytes(), "growth_bytes": peak_bytes() - imported}


def transformer(config: dict[str, Any], height: int, width: int, text: int) -> dict[str, Any]:
    """One forward pass with random weights, without guidance."""
    torch = _torch()
    if "transformer" not in _built:
        from diffusers import ErnieImageTransformer2DModel

        torch.manual_seed(0)
        _built["transformer"] = ErnieImageTransformer2DModel(**config).eval()
    network = _built["transformer"]
    latent = torch.randn(1, config["in_channels"], height, width)
    states = torch.randn(1, text, config["text_in_dim"])
    lengths = torch.tensor([text])
    return timed(lambda: network(latent, torch.tensor([500.0]), states, lengths, return_dict=False))


def vae(config: dict[str, Any], height: int, width: int) -> dict[str, Any]:
    """One decode with random weights; height and width are those of the unpacked latent."""
    torch = _torch()
    if "vae" not in _built:
        from diffusers import AutoencoderKLFlux2

        torch.manual_seed(0)
        _built["vae"] = AutoencoderKLFlux2(**config).eval()
    network = _built["vae"]
    latent = torch.randn(1, config["latent_channels"], height, width)
    return timed(lambda: network.decode(latent, return_dict=False))


if __name__ == "__main__":
    serve(
        {
            "picture": picture,
            "picture_memory": picture_memory,
            "transformer": transformer,
            "vae": vae,
        }
    )
