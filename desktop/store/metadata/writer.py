"""Writes how a picture was made into it: a text that other programs read, and our own JSON.

Separate from saving, because the texts are pure functions of the frozen job and are also wanted on
the clipboard and in other picture formats. The JSON (`danqing`) is the truth and exact; the A1111
text (`parameters`) is what most tools understand and cannot express every prompt (its format marks
the negative prompt and the values by how a line begins). Neither ever holds a path, a user's or a
machine's name. The format is documented in `resources/metadata.md`.
"""

from __future__ import annotations

import json
import re

from PIL.PngImagePlugin import PngInfo

from engine.port import CheckRecord, GenerationRequest, Provenance, Sampler, SigmaSchedule

PARAMETERS_KEYWORD = "parameters"
JSON_KEYWORD = "danqing"
FORMAT_NAME = "danqing-image"
FORMAT_VERSION = 1

_SAMPLER_NAMES = {Sampler.EULER: "Euler", Sampler.DPMPP_2M: "DPM++ 2M"}
# "Simple" is what tools for flow models call the checkpoint's own grid, evenly spaced and shifted.
_SCHEDULE_NAMES = {SigmaSchedule.SHIFTED: "Simple", SigmaSchedule.UNIFORM: "Uniform sigma"}

_HASH_DIGITS = 10
"""Digits of the model's sha256 in the A1111 text: what its readers expect."""


def png_chunks(provenance: Provenance | None, request: GenerationRequest | None = None) -> PngInfo:
    """The chunks that go before a PNG's pixels: the colour space and, if given, both texts."""
    chunks = PngInfo()
    chunks.add(b"sRGB", b"\x00")
    if provenance is not None:
        text = parameters_text(provenance)
        if _is_safe_latin1(text):
            chunks.add_text(PARAMETERS_KEYWORD, text)
        else:
            chunks.add_itxt(PARAMETERS_KEYWORD, text)
        chunks.add_itxt(JSON_KEYWORD, danqing_json(provenance, request))
    return chunks


def parameters_text(provenance: Provenance) -> str:
    """The A1111 text: prompt, negative prompt if there is one, one line of `key: value` pairs."""
    resolved = provenance.resolved
    pairs: list[tuple[str, str]] = [
        ("Steps", str(resolved.steps)),
        ("Sampler", _SAMPLER_NAMES[resolved.sampler]),
        ("Schedule type", _SCHEDULE_NAMES[resolved.sigma_schedule]),
        ("CFG scale", _number(resolved.guidance_scale)),
        ("Seed", str(provenance.seed)),
        ("Size", f"{resolved.width}x{resolved.height}"),
        ("Model hash", provenance.model_sha256[:_HASH_DIGITS]),
        ("Model", _model_name(provenance)),
        ("Shift", _number(resolved.shift)),
        ("Noise", provenance.noise),
        ("Version", f"Danqing {provenance.danqing_version}"),
    ]
    values = ", ".join(f"{key}: {_quoted(value)}" for key, value in pairs if value)
    negative = resolved.negative_prompt
    lines = [resolved.prompt, *([f"Negative prompt: {negative}"] if negative else []), values]
    # PNG text must not hold NUL; a lone surrogate is no character and has no bytes in UTF-8.
    text = "\n".join(lines).replace("\x00", "\ufffd")
    return text.encode("utf-8", errors="replace").decode("utf-8")


def danqing_json(provenance: Provenance, request: GenerationRequest | None = None) -> str:
    """Our own record, one line of JSON; `request` is what was asked for, before the defaults."""
    record = {
        "format": FORMAT_NAME,
        "version": FORMAT_VERSION,
        "request": _request_record(request) if request is not None else None,
        "resolved": _resolved_record(provenance),
        "model": {
            "name": _model_name(provenance),
            "sha256": provenance.model_sha256,
            "quantization": None,
        },
        "loras": [],
        "engine": {
            "danqing": provenance.danqing_version,
            **_library(provenance.library),
            "device": provenance.device.name,
            "device_description": provenance.device.description,
            "dtype": dict(provenance.device.dtypes),
            "noise": provenance.noise,
            "tile": provenance.tile,
        },
        "check": _check_record(provenance.check),
    }
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # Lone surrogates exist as JSON escapes only.
        return json.dumps(record, ensure_ascii=True, allow_nan=False)
    return text


def _request_record(request: GenerationRequest) -> dict[str, object]:
    has_size = request.width is not None or request.height is not None
    return {
        "prompt": request.prompt,
        "negative_prompt": request.negative_prompt,
        "seed": str(request.seed),
        "size": {"width": request.width, "height": request.height} if has_size else None,
        "steps": request.steps,
        "sampler": request.sampler,
        "schedule": request.sigma_schedule,
        "guidance": request.guidance_scale,
        "image_count": request.image_count,
    }


def _resolved_record(provenance: Provenance) -> dict[str, object]:
    resolved = provenance.resolved
    return {
        "prompt": resolved.prompt,
        "negative_prompt": resolved.negative_prompt,
        "seed": str(provenance.seed),
        "size": {"width": resolved.width, "height": resolved.height},
        "steps": resolved.steps,
        "sampler": resolved.sampler,
        "schedule": resolved.sigma_schedule,
        "shift": resolved.shift,
        "guidance": resolved.guidance_scale,
    }


def _check_record(check: CheckRecord | None) -> dict[str, object]:
    return {
        "gate": check.gate if check is not None else None,
        "acknowledged": list(check.acknowledged) if check is not None else [],
        "override": check is not None and check.is_overridden,
    }


def _library(named: str) -> dict[str, str]:
    """`paddle 3.3.1` as `{"paddle": "3.3.1"}`: the library under its own name."""
    name, _, version = named.partition(" ")
    return {name: version}


def _model_name(provenance: Provenance) -> str:
    """The model's name without any folder: where it lies on this machine is nobody's business."""
    return re.split(r"[/\\]", provenance.model_name.rstrip("/\\"))[-1]


def _number(value: float) -> str:
    """The shortest text that reads back as `value`, with a dot in every locale: `7`, `3.5`."""
    return repr(float(value)).removesuffix(".0")


def _quoted(value: str) -> str:
    """A value as A1111 writes it: as a JSON string wherever the bare text would be misread."""
    if re.search(r'[,:\r\n]|^"', value) or value != value.strip():
        return json.dumps(value, ensure_ascii=False)
    return value


def _is_safe_latin1(text: str) -> bool:
    """Whether `text` can go into a tEXt chunk, which is Latin-1, and be read back by everybody.

    Many readers try UTF-8 first, since some programs write it there; so Latin-1 text that happens
    to be valid UTF-8 would be misread and is not safe.
    """
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    if text.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False
