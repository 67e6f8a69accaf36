"""The recipe: from a prompt to pixels, in the order in which it happens.

Read this file to know what Danqing computes. It knows networks, noise and samplers by what they do;
it does not know where weights come from, which device computes, or who is listening. Reports go to
`emit`, because the VAE's progress comes from inside the network, where a generator cannot yield;
`checkpoint` may raise to end the job, and nothing here catches it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from engine import ops, preview
from engine.port import (
    EngineError,
    EngineFault,
    ErrorCode,
    ImageCompleted,
    JobId,
    JobProgress,
    Phase,
    PhaseStarted,
    Provenance,
    ResolvedRequest,
    RgbImage,
    Sampler,
    StepCompleted,
    TileDecoded,
)
from engine.sampling import dpm_solver, euler, guidance, noise, schedule
from engine.sampling.step import Array, Velocities

Emit = Callable[[JobProgress], None]
Checkpoint = Callable[[], None]

SAMPLERS = {Sampler.EULER: euler.euler, Sampler.DPMPP_2M: dpm_solver.dpmpp_2m}


class Networks(Protocol):
    """The loaded model, as the recipe uses it; `engine.session` provides it."""

    latent_channels: int
    pixels_per_latent: int
    """Picture pixels along one side of a latent element: 16 for ERNIE-Image."""
    preview_factors: preview.Factors | None

    def encode(self, prompt: str, checkpoint: Checkpoint) -> ops.Tensor:
        """Text states (T, D) of a prompt."""
        ...

    def velocities(
        self, texts: Sequence[ops.Tensor], height: int, width: int, checkpoint: Checkpoint
    ) -> Velocities:
        """The transformer under these texts: (noisy latent (1, C, h, w), sigma) -> velocities."""
        ...

    def decode(
        self,
        latent: Array,
        tile: int | None,
        checkpoint: Checkpoint,
        on_piece: Callable[[int, int], None],
    ) -> Array:
        """The picture (1, 3, 16h, 16w), about -1 .. 1, of a clean latent (1, C, h, w)."""
        ...

    def require_finite_weights(self, checkpoint: Checkpoint) -> None:
        """Raises `EngineFault` MODEL_CORRUPT if weights are no numbers; takes a while."""
        ...

    def provenance(self, request: ResolvedRequest, seed: int) -> Provenance: ...


def text_to_image(
    job_id: JobId,
    request: ResolvedRequest,
    networks: Networks,
    emit: Emit,
    checkpoint: Checkpoint,
) -> None:
    """Make the request's pictures, one after the other; each is emitted as soon as it is done.

    Classifier-free guidance needs a prediction with the prompt and one with the negative prompt,
    each with its own text length: equal to the masked batch of two that the reference computes,
    without padding. At `guidance_scale` 1 or less the second one is not needed.

    Raises `EngineFault` when a step or the decode yields NaN or infinity: MODEL_CORRUPT if weights
    are no numbers, else NON_FINITE_LATENT.
    """
    # 1. Text
    emit(PhaseStarted(job_id=job_id, phase=Phase.ENCODE))
    is_guided = request.guidance_scale > 1.0
    prompts = [request.prompt, request.negative_prompt] if is_guided else [request.prompt]
    texts = [networks.encode(prompt, checkpoint) for prompt in prompts]

    # 2. Sizes and noise levels
    height = request.height // networks.pixels_per_latent
    width = request.width // networks.pixels_per_latent
    shape = (1, networks.latent_channels, height, width)
    sigmas = schedule.sigmas(request.sigma_schedule, request.steps, request.shift)
    velocities = networks.velocities(texts, height, width, checkpoint)
    velocity = guidance.guided_velocity(velocities, request.guidance_scale)

    for index in range(request.image_count):
        # 3. Noise, from the seed alone
        seed = request.image_seed(index)
        latent = noise.standard_normal(seed, shape)

        # 4. Denoise
        emit(PhaseStarted(job_id=job_id, phase=Phase.DENOISE, image_index=index))
        with np.errstate(over="ignore", invalid="ignore"):  # every step is checked
            for step in SAMPLERS[request.sampler](velocity, latent, sigmas):
                latent = step.x
                if not np.isfinite(latent).all():
                    raise _out_of_range(networks, Phase.DENOISE, step.step, checkpoint)
                emit(
                    StepCompleted(
                        job_id=job_id,
                        image_index=index,
                        step=step.step,
                        steps=request.steps,
                        sigma=step.sigma,
                        preview=_preview(networks, step.denoised) if request.preview else None,
                    )
                )

        # 5. Decode
        emit(PhaseStarted(job_id=job_id, phase=Phase.DECODE, image_index=index))

        def on_piece(piece: int, pieces: int, index: int = index) -> None:
            emit(TileDecoded(job_id=job_id, image_index=index, tile=piece, tiles=pieces))

        pixels = networks.decode(latent, request.decode_tile, checkpoint, on_piece)
        if not np.isfinite(pixels).all():
            raise _out_of_range(networks, Phase.DECODE, request.steps, checkpoint)
        emit(
            ImageCompleted(
                job_id=job_id,
                index=index,
                image=to_rgb(pixels),
                provenance=networks.provenance(request, seed),
            )
        )


def to_rgb(pixels: Array) -> RgbImage:
    """Picture (1, 3, H, W) with -1 .. 1 -> 8 bits, rounded to nearest."""
    scaled = np.rint(np.clip(pixels[0] * 0.5 + 0.5, 0.0, 1.0) * 255.0)
    rows = np.ascontiguousarray(scaled.transpose(1, 2, 0).astype(np.uint8))
    return RgbImage(width=rows.shape[1], height=rows.shape[0], data=rows.tobytes())


def _preview(networks: Networks, denoised: Array) -> RgbImage | None:
    if networks.preview_factors is None:
        return None
    return preview.preview(denoised, networks.preview_factors)


def _out_of_range(
    networks: Networks, phase: Phase, step: int, checkpoint: Checkpoint
) -> EngineFault:
    """The failure of a computation; raises another one if its weights were no numbers already."""
    networks.require_finite_weights(checkpoint)
    facts = {"phase": str(phase), "step": step}
    return EngineFault(EngineError(code=ErrorCode.NON_FINITE_LATENT, facts=facts))
