"""How a pretended job goes: its pictures, its pace, its failure. Shared by the fakes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from engine.port import (
    DeviceInfo,
    EngineError,
    EngineEvent,
    EngineFault,
    GenerationDefaults,
    GenerationRequest,
    ImageCompleted,
    JobId,
    JobStarted,
    ModelFamily,
    ModelId,
    ModelInfo,
    Phase,
    PhaseStarted,
    PictureSize,
    Provenance,
    ResolvedRequest,
    RgbImage,
    Sampler,
    SigmaSchedule,
    StepCompleted,
    TileDecoded,
)

FAKE_DEVICE = DeviceInfo(name="cpu", description="pretended", dtypes={"transformer": "float32"})

FAKE_MODEL = ModelInfo(
    model_id=ModelId("starter"),
    name="Danqing Starter",
    family=ModelFamily.ERNIE_IMAGE,
    is_demo=True,
    defaults=GenerationDefaults(
        size=PictureSize(width=256, height=256),
        steps=12,
        guidance_scale=3.5,
        sampler=Sampler.DPMPP_2M,
        sigma_schedule=SigmaSchedule.SHIFTED,
    ),
    sizes=(
        PictureSize(width=256, height=256),
        PictureSize(width=320, height=192),
        PictureSize(width=192, height=320),
    ),
    recommended_sizes=(PictureSize(width=256, height=256),),
    example_prompts={"en": ("a cat on the grass",), "zh": ("雪地里的一只企鹅",)},
)


@dataclass(frozen=True, kw_only=True)
class Script:
    """`error` (an expected problem) or `bug` is raised after `fail_after_steps` steps of a picture.

    `step_s` is slept at each step. Where `gate` is given, each step waits until it is set: a test
    that holds the gate closed knows where the job is.
    """

    step_s: float = 0.0
    gate: threading.Event | None = None
    error: EngineError | None = None
    bug: Exception | None = None
    fail_after_steps: int = 0
    has_previews: bool = True


def resolve(request: GenerationRequest, model: ModelInfo = FAKE_MODEL) -> ResolvedRequest:
    """The request with the model's defaults filled in."""
    defaults = model.defaults
    return ResolvedRequest(
        prompt=request.prompt,
        negative_prompt=request.negative_prompt,
        width=request.width or defaults.size.width,
        height=request.height or defaults.size.height,
        steps=request.steps or defaults.steps,
        guidance_scale=(
            defaults.guidance_scale if request.guidance_scale is None else request.guidance_scale
        ),
        seed=request.seed,
        image_count=request.image_count,
        sampler=request.sampler or defaults.sampler,
        sigma_schedule=request.sigma_schedule or defaults.sigma_schedule,
        shift=2.0,
        model_id=model.model_id,
        decode_tile=request.decode_tile,
        preview=request.preview,
    )


def play(
    script: Script,
    job_id: JobId,
    request: GenerationRequest,
    emit: Callable[[EngineEvent], None],
    checkpoint: Callable[[], None],
) -> None:
    """Emit what a real job emits, at the script's pace; raise what the script says."""
    resolved = resolve(request)
    emit(JobStarted(job_id=job_id, resolved=resolved))
    emit(PhaseStarted(job_id=job_id, phase=Phase.LOAD))
    emit(PhaseStarted(job_id=job_id, phase=Phase.ENCODE))
    for index in range(resolved.image_count):
        emit(PhaseStarted(job_id=job_id, phase=Phase.DENOISE, image_index=index))
        for step in range(1, resolved.steps + 1):
            _pace(script, checkpoint)
            _fail(script, step - 1)
            show = script.has_previews and resolved.preview
            emit(
                StepCompleted(
                    job_id=job_id,
                    image_index=index,
                    step=step,
                    steps=resolved.steps,
                    sigma=1 - step / resolved.steps,
                    preview=picture(16, 16, resolved.image_seed(index) + step) if show else None,
                )
            )
        _fail(script, resolved.steps)
        emit(PhaseStarted(job_id=job_id, phase=Phase.DECODE, image_index=index))
        for tile in (1, 2):
            checkpoint()
            emit(TileDecoded(job_id=job_id, image_index=index, tile=tile, tiles=2))
        seed = resolved.image_seed(index)
        emit(
            ImageCompleted(
                job_id=job_id,
                index=index,
                image=picture(resolved.width, resolved.height, seed),
                provenance=Provenance(
                    resolved=resolved,
                    seed=seed,
                    model_name=FAKE_MODEL.name,
                    model_sha256="0" * 64,
                    library="pretended 1.0",
                    device=FAKE_DEVICE,
                    noise="philox4x64-normal-v1",
                    tile="off",
                    danqing_version="0.0.0",
                ),
            )
        )


def picture(width: int, height: int, seed: int) -> RgbImage:
    """A colour gradient that differs from seed to seed."""
    blue = seed * 37 % 256
    rows = []
    for y in range(height):
        green = y * 255 // max(1, height - 1)
        rows.append(
            b"".join(bytes((x * 255 // max(1, width - 1), green, blue)) for x in range(width))
        )
    return RgbImage(width=width, height=height, data=b"".join(rows))


def _pace(script: Script, checkpoint: Callable[[], None]) -> None:
    checkpoint()
    if script.gate is not None:
        while not script.gate.wait(0.005):
            checkpoint()
    elif script.step_s:
        threading.Event().wait(script.step_s)
    checkpoint()


def _fail(script: Script, steps_done: int) -> None:
    if steps_done != script.fail_after_steps:
        return
    if script.error is not None:
        raise EngineFault(script.error)
    if script.bug is not None:
        raise script.bug
