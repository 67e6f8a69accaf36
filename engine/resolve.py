"""From what the user asked to what is computed: defaults filled in, every value checked.

Pure, and separate from the session so that it can be tested without a model. A value that cannot be
honoured is refused with what is allowed; it is never replaced by another.
"""

from __future__ import annotations

from engine.port import (
    MAX_SEED,
    EngineError,
    EngineFault,
    ErrorCode,
    GenerationRequest,
    ModelInfo,
    PictureSize,
    ResolvedRequest,
)

MAX_STEPS = 200
MAX_GUIDANCE_SCALE = 30.0
MAX_IMAGE_COUNT = 1000


def resolve(request: GenerationRequest, info: ModelInfo, shift: float) -> ResolvedRequest:
    """The request with the model's defaults filled in.

    Raises `EngineFault` SIZE_NOT_ALLOWED or VALUE_NOT_ALLOWED.
    """
    defaults = info.defaults
    size = PictureSize(
        width=defaults.size.width if request.width is None else request.width,
        height=defaults.size.height if request.height is None else request.height,
    )
    steps = defaults.steps if request.steps is None else request.steps
    guidance_scale = (
        defaults.guidance_scale if request.guidance_scale is None else request.guidance_scale
    )
    _require("prompt", request.prompt, bool(request.prompt.strip()), "any text")
    _require("steps", steps, 1 <= steps <= MAX_STEPS, f"1 to {MAX_STEPS}")
    _require(
        "guidance",
        guidance_scale,
        0.0 <= guidance_scale <= MAX_GUIDANCE_SCALE,
        f"0 to {MAX_GUIDANCE_SCALE:g}",
    )
    _require(
        "count",
        request.image_count,
        1 <= request.image_count <= MAX_IMAGE_COUNT,
        f"1 to {MAX_IMAGE_COUNT}",
    )
    _require("seed", str(request.seed), 0 <= request.seed <= MAX_SEED, f"0 to {MAX_SEED}")
    tile = request.decode_tile
    _require("tile", tile or 0, tile is None or tile >= 0, "auto, off, or a number of pixels")
    _require_size(size, info)
    return ResolvedRequest(
        prompt=request.prompt,
        negative_prompt=request.negative_prompt,
        width=size.width,
        height=size.height,
        steps=steps,
        guidance_scale=guidance_scale,
        seed=request.seed,
        image_count=request.image_count,
        sampler=request.sampler or defaults.sampler,
        sigma_schedule=request.sigma_schedule or defaults.sigma_schedule,
        shift=shift,
        model_id=info.model_id,
        decode_tile=tile,
        preview=request.preview,
    )


def _require(name: str, value: str | float, is_allowed: bool, allowed: str) -> None:
    if not is_allowed:
        facts = {"name": name, "value": value, "allowed": allowed}
        raise EngineFault(EngineError(code=ErrorCode.VALUE_NOT_ALLOWED, facts=facts))


def _require_size(size: PictureSize, info: ModelInfo) -> None:
    sides = (size.width, size.height)
    if info.sizes:
        is_allowed = size in info.sizes
        allowed = ", ".join(str(allowed) for allowed in info.sizes)
    else:
        is_allowed = all(
            info.min_side <= side <= info.max_side and side % info.size_multiple == 0
            for side in sides
        )
        allowed = f"multiples of {info.size_multiple} from {info.min_side} to {info.max_side}"
    if not is_allowed:
        facts = {"width": size.width, "height": size.height, "allowed": allowed}
        raise EngineFault(EngineError(code=ErrorCode.SIZE_NOT_ALLOWED, facts=facts))
