"""Programs that write JSON of their own: one table of key names for each.

Every scheme is the same few values under other names, so that a new program is a line in a table.
What needs more than that (lists of weighted prompts, captions per character) is a function.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from desktop.store.metadata import bounded
from desktop.store.metadata.record import ImageMetadata, say


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Under which keys a program has each value; the first that is there counts."""

    prompt: tuple[str, ...] = ("prompt",)
    negative: tuple[str, ...] = ("negative_prompt",)
    seed: tuple[str, ...] = ("seed",)
    steps: tuple[str, ...] = ("steps",)
    cfg: tuple[str, ...] = ("cfg", "cfg_scale", "guidance_scale")
    sampler: tuple[str, ...] = ("sampler", "sampler_name")
    scheduler: tuple[str, ...] = ("scheduler",)
    clip_skip: tuple[str, ...] = ("clip_skip",)
    size: tuple[str, ...] = ("resolution", "size")
    width: tuple[str, ...] = ("width",)
    height: tuple[str, ...] = ("height",)
    model: tuple[str, ...] = ("model", "base_model")
    model_hash: tuple[str, ...] = ("model_hash",)


INVOKEAI = Names(
    prompt=("positive_prompt",),
    cfg=("cfg_scale", "guidance"),
    sampler=("scheduler",),
    scheduler=(),
)
FOOOCUS = Names(
    prompt=("prompt", "Prompt"),
    negative=("negative_prompt", "Negative Prompt"),
    seed=("seed", "Seed"),
    steps=("steps", "Steps"),
    cfg=("guidance_scale", "Guidance Scale"),
    sampler=("sampler", "Sampler"),
    scheduler=("scheduler", "Scheduler"),
    clip_skip=("clip_skip", "CLIP Skip"),
    size=("resolution", "Resolution"),
    model=("base_model", "Base Model"),
    model_hash=("base_model_hash", "Base Model Hash"),
)
RUINED_FOOOCUS = Names(
    prompt=("Prompt",),
    negative=("Negative",),
    model=("base_model_name",),
    model_hash=("base_model_hash",),
)
SWARMUI = Names(negative=("negativeprompt",), cfg=("cfgscale",), clip_skip=("clipstopatlayer",))
TENSORART = Names(
    negative=("negativePrompt",),
    cfg=("cfgScale",),
    sampler=("ksamplerName", "sampler"),
    scheduler=("schedule",),
    clip_skip=("clipSkip",),
)
CIVITAI = Names(negative=("negativePrompt",), cfg=("cfgScale",), clip_skip=("clipSkip",))
STABILITY_MATRIX = Names(
    prompt=("PositivePrompt",),
    negative=("NegativePrompt",),
    seed=("Seed",),
    steps=("Steps",),
    cfg=("CfgScale",),
    sampler=("Sampler",),
    width=("Width",),
    height=("Height",),
    model=("ModelName",),
    model_hash=("ModelHash",),
)
HF_SPACE = Names(
    steps=("num_inference_steps", "steps"),
    model=("Model", "model"),
    model_hash=("Model hash",),
)
NOVELAI = Names(negative=("uc",), cfg=("scale",), scheduler=("noise_schedule",), size=())
DRAW_THINGS = Names(prompt=("c",), negative=("uc",), cfg=("scale",))
OTHER = Names(
    prompt=("prompt", "positive_prompt", "positivePrompt", "Prompt"),
    negative=("negative_prompt", "negativePrompt", "negativeprompt", "Negative Prompt"),
    seed=("seed", "Seed"),
    steps=("steps", "num_inference_steps", "Steps"),
    cfg=("cfg", "cfg_scale", "cfgScale", "cfgscale", "guidance_scale", "guidance"),
    sampler=("sampler", "sampler_name", "samplerName"),
    model=("model", "model_name", "base_model"),
)
"""Programs that nobody has told us of."""
EASY_DIFFUSION = Names(
    prompt=("prompt", "Prompt"),
    negative=("negative_prompt", "Negative Prompt"),
    seed=("seed", "Seed"),
    steps=("num_inference_steps", "Steps"),
    cfg=("guidance_scale", "Guidance Scale"),
    sampler=("sampler_name", "Sampler"),
    scheduler=("scheduler_name", "Scheduler"),
    clip_skip=(),
    width=("width", "Width"),
    height=("height", "Height"),
    model=("use_stable_diffusion_model", "Stable Diffusion model"),
)


def read_scheme(software: str, names: Names, record: Mapping[str, Any]) -> ImageMetadata:
    """What `record` says, whose keys are `names`."""

    def get(keys: tuple[str, ...]) -> Any:
        return bounded.first(record, *keys)

    width, height = bounded.size(get(names.size))
    model = get(names.model)
    if isinstance(model, dict):
        model_hash = model.get("hash")
        model = bounded.first(model, "name", "model_name", "modelFileName")
    else:
        model_hash = get(names.model_hash)
    skip = bounded.integer(get(names.clip_skip))
    return ImageMetadata(
        software=software,
        prompt=bounded.string(get(names.prompt)),
        negative_prompt=bounded.string(get(names.negative)),
        width=bounded.side(get(names.width)) or width,
        height=bounded.side(get(names.height)) or height,
        seed=bounded.integer(get(names.seed)),
        steps=bounded.count(get(names.steps)),
        cfg=bounded.decimal(get(names.cfg)),
        clip_skip=bounded.count(abs(skip)) if skip else None,
        sampler=bounded.string(get(names.sampler)) or None,
        scheduler=bounded.string(get(names.scheduler)) or None,
        model=bounded.name(model),
        model_hash=bounded.string(model_hash),
    )


def read_ruined_fooocus(record: Mapping[str, Any]) -> ImageMetadata:
    """RuinedFooocus, which puts a space behind what was typed."""
    found = read_scheme("ruined-fooocus", RUINED_FOOOCUS, record)
    return replace(
        found,
        prompt=found.prompt and found.prompt.strip(),
        negative_prompt=found.negative_prompt and found.negative_prompt.strip(),
    )


def read_swarmui(record: Mapping[str, Any]) -> ImageMetadata | None:
    """SwarmUI: `{"sui_image_params": {...}, "sui_models": [...]}`."""
    values = record.get("sui_image_params")
    return read_scheme("swarmui", SWARMUI, values) if isinstance(values, dict) else None


def read_novelai(record: Mapping[str, Any], description: str | None) -> ImageMetadata:
    """NovelAI's Comment; the first versions had the prompt in Description alone."""
    found = read_scheme("novelai", NOVELAI, record)
    prompt = found.prompt
    negative = found.negative_prompt
    if prompt is None:
        prompt = _novelai_caption(record.get("v4_prompt")) or description
    if negative is None:
        negative = _novelai_caption(record.get("v4_negative_prompt"))
    return replace(found, prompt=prompt, negative_prompt=negative)


def _novelai_caption(value: Any) -> str | None:
    caption = value.get("caption") if isinstance(value, dict) else None
    return bounded.string(caption.get("base_caption")) if isinstance(caption, dict) else None


def read_old_invokeai(record: Mapping[str, Any]) -> ImageMetadata | None:
    """InvokeAI before 3: `sd-metadata`, whose prompts are text or a list of weighted ones."""
    image = record.get("image")
    if not isinstance(image, dict):
        return None
    prompts = image.get("prompt")
    if isinstance(prompts, list):
        parts = [part.get("prompt") for part in prompts if isinstance(part, dict)]
        prompts = ", ".join(part for part in parts if isinstance(part, str))
    prompt, negative = split_brackets(prompts if isinstance(prompts, str) else "")
    names = Names(prompt=(), cfg=("cfg_scale",), scheduler=())
    found = read_scheme("invokeai", names, image)
    return replace(
        found,
        prompt=prompt,
        negative_prompt=negative,
        model=bounded.name(record.get("model_weights")) or found.model,
        model_hash=bounded.string(record.get("model_hash")),
    )


def split_brackets(text: str) -> tuple[str, str | None]:
    """InvokeAI's older way: what stands in `[...]` is the negative prompt."""
    parts = re.findall(r"\[([^\[\]]*)\]", text)
    if not parts:
        return text, None
    return re.sub(r"\s*\[[^\[\]]*\]", "", text).strip(), ", ".join(parts)


_LONGEST_LINE = 32 * 1024
_DREAM_OPTION = re.compile(r"\s-([sSWHCA])\s?(\S{1,40})")


def read_dream(text: str) -> ImageMetadata | None:
    """InvokeAI's command line: `"prompt [negative]" -s 50 -S 7 -W 512 -H 768 -C 5 -A k_lms`."""
    text = text[:_LONGEST_LINE]
    end = text.rfind('"')
    if not text.startswith('"') or end < 1:
        return None
    options = dict(_DREAM_OPTION.findall(text, end))
    prompt, negative = split_brackets(text[1:end])
    return ImageMetadata(
        software="invokeai",
        prompt=prompt,
        negative_prompt=negative,
        width=bounded.side(options.get("W")),
        height=bounded.side(options.get("H")),
        seed=bounded.integer(options.get("S")),
        steps=bounded.count(options.get("s")),
        cfg=bounded.decimal(options.get("C")),
        sampler=options.get("A"),
    )


_MOCHI_KEYS = {
    "Include in Image": "prompt", "Exclude from Image": "negative_prompt", "Model": "model",
    "Steps": "steps", "Guidance Scale": "cfg", "Seed": "seed", "Size": "size",
    "Scheduler": "sampler", "Upscaler": "", "Generator": "", "ML Compute Unit": "",
}  # fmt: skip
_MOCHI_KEY = re.compile(r"(?:^|; )(" + "|".join(_MOCHI_KEYS) + r"): ")


def read_mochi(text: str) -> ImageMetadata | None:
    """Mochi Diffusion's caption: `Include in Image: a; Exclude from Image: b; Steps: 20; ...`."""
    if not text.startswith("Include in Image: "):
        return None
    text = text[:_LONGEST_LINE]
    marks = list(_MOCHI_KEY.finditer(text))[:100]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    record: dict[str, str] = {}
    for mark, end in zip(marks, ends, strict=True):
        record.setdefault(_MOCHI_KEYS[mark[1]], text[mark.end() : end])
    return read_scheme("mochi-diffusion", Names(), record)


def read_danqing(record: Mapping[str, Any], newest: int) -> ImageMetadata | None:
    """Our own record (`resources/metadata.md`); None if a newer program wrote it."""
    resolved, model, version = record.get("resolved"), record.get("model"), record.get("version")
    if not isinstance(resolved, dict) or not isinstance(version, int):
        return None
    if version > newest:
        return ImageMetadata(
            software="danqing",
            warnings=(say("A newer Danqing made this picture; its exact record is not read."),),
        )
    size = resolved.get("size")
    size = size if isinstance(size, dict) else {}
    model = model if isinstance(model, dict) else {}
    values = {**resolved, "width": size.get("width"), "height": size.get("height"), "size": None}
    values |= {"model": model.get("name"), "model_hash": model.get("sha256")}
    return read_scheme("danqing", Names(cfg=("guidance",), scheduler=("schedule",)), values)
