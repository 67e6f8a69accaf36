"""The text of the AUTOMATIC1111 web UI, which most programs write: prompt, negative, `Key: value`.

A scan that is aware of quotes and brackets, and not that program's regular expression, which breaks
values of JSON apart, takes the last of two equal keys and swallows prompts that look like settings.
The settings begin at the last line that starts with `Steps:`; without one, the last line must start
with a known key and hold two. Every step is linear in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from desktop.store.metadata import bounded
from desktop.store.metadata.record import ImageMetadata, say
from engine.port import Sentence

NEGATIVE = "Negative prompt:"

_KEYS = frozenset(
    {
        "Steps", "Sampler", "Schedule type", "CFG scale", "CFG Scale", "Seed", "Size", "Model",
        "Model hash", "Clip skip", "Denoising strength", "Guidance Scale", "Version", "VAE", "RNG",
    }
)  # fmt: skip
_NEGATIVE_LINE = re.compile(rf"^[ \t]*{NEGATIVE}", re.MULTILINE)
_KEY = re.compile(r"[^\W_][\w .()/#&'+-]{0,79}:")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_END = re.compile(r"[,\n]")
_SPACE = re.compile(r"[\s,]*")

_MOST_SETTINGS = 64 * 1024
_MOST_PAIRS = 2000
_MOST_TRIES = 20
_ENOUGH = 1000
"""Characters that tell settings from a prompt."""

_FORGES = (
    (re.compile(r"f\d+\.\d+(\.\d+)?-v"), "easy-reforge"),
    (re.compile(r"f\d+\.\d+(\.\d+)?v\d+-v"), "reforge"),
    (re.compile(r"f\d"), "forge"),
    (re.compile(r"classic"), "forge-classic"),
    (re.compile(r"neo"), "forge-neo"),
    (re.compile(r"Fooocus"), "fooocus"),
    (re.compile(r"ComfyUI"), "comfyui"),
    (re.compile(r"Danqing"), "danqing"),
    (re.compile(r"stable-diffusion\.cpp"), "stable-diffusion.cpp"),
)


def read_text(text: str, *, has_dash_negative: bool = False) -> ImageMetadata | None:
    """What an A1111 text says; None if it is none.

    `has_dash_negative`: a line that begins with `-` is the negative prompt, as Draw Things has it.
    """
    text = text.replace("\r\n", "\n").strip("\x00\ufeff")
    start = _settings_start(text)
    negative = _NEGATIVE_LINE.search(text, 0, len(text) if start is None else start)
    if start is None and negative is None:
        return None
    head, settings = (text, "") if start is None else (text[:start], text[start:])
    prompt, negative_prompt = _split(head, negative, has_dash_negative)
    pairs, notes = _first_of_each(_pairs(settings[:_MOST_SETTINGS]))
    return _metadata(prompt, negative_prompt, pairs, notes)


def _split(
    head: str, negative: re.Match[str] | None, has_dash_negative: bool
) -> tuple[str, str | None]:
    if negative is not None:
        return head[: negative.start()].strip(), head[negative.end() :].strip()
    inline = head.find(f", {NEGATIVE}")
    if inline >= 0:
        rest = head[inline + len(NEGATIVE) + 2 :]
        return head[:inline].strip(), rest.strip().removesuffix(",").strip()
    before, line_end, last = head.rstrip().rpartition("\n")
    if has_dash_negative and line_end and last.startswith("-"):
        return before.strip(), last[1:].strip()
    return head.strip(), None


def _settings_start(text: str) -> int | None:
    """Where the settings begin; None if the text is all prompt."""
    for start in _last_lines(text, "Steps:"):
        keys = _known_keys(text[start : start + _ENOUGH])
        if len(keys) >= 2 or bounded.count(_first_value(text, start)) is not None:
            return start
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    line = text[start : min(end, start + _ENOUGH)]
    key = _KEY.match(line.lstrip())
    if key is not None and key[0][:-1] in _KEYS and len(_known_keys(line)) >= 2:
        return start
    inline = text.rfind("Steps: ", start)
    if inline > 0 and text[inline - 1] in " ," and len(_known_keys(text[inline:][:_ENOUGH])) >= 3:
        return inline
    return None


def _last_lines(text: str, opening: str) -> Iterator[int]:
    """Where the last lines begin that start with `opening`, spaces before it aside."""
    at = len(text)
    for _ in range(_MOST_TRIES):
        at = text.rfind(opening, 0, at)
        if at < 0:
            return
        start = text.rfind("\n", 0, at) + 1
        if not text[start:at][:_ENOUGH].strip():
            yield start


def _first_value(text: str, start: int) -> str:
    return next((value for _, value in _pairs(text[start : start + 200])), "")


def _known_keys(settings: str) -> set[str]:
    return {key for key, _ in _pairs(settings)} & _KEYS


def _pairs(settings: str) -> Iterator[tuple[str, str]]:
    """Keys and values in order. A value is a JSON string, a JSON value, or ends at a comma."""
    at, failures = 0, 0
    may_hold_json = bounded.is_moderate(settings)
    for _ in range(_MOST_PAIRS):
        at = _skip_space(settings, at)
        if at >= len(settings):
            return
        key = _KEY.match(settings, at)
        if key is None:
            at = _end_of_bare(settings, at)
            continue
        at = key.end()
        while settings[at : at + 1] == " ":
            at += 1
        opening, end = settings[at : at + 1], None
        if opening == '"' and failures < 3:
            quoted = _QUOTED.match(settings, at)
            end = quoted.end() if quoted else None
            failures += end is None
        elif opening and opening in "{[" and may_hold_json and failures < 3:
            end = bounded.json_end(settings, at)
            failures += end is None
        if end is None:
            end = _end_of_bare(settings, at)
        yield key[0][:-1].strip(), _unquoted(settings[at:end].strip())
        at = end


def _skip_space(settings: str, at: int) -> int:
    match = _SPACE.match(settings, at)
    return match.end() if match else at


def _end_of_bare(settings: str, at: int) -> int:
    end = _END.search(settings, at)
    return end.start() if end else len(settings)


def _unquoted(value: str) -> str:
    if len(value) < 2 or not value.startswith('"') or not value.endswith('"'):
        return value
    try:
        text = json.loads(value, strict=False)
    except ValueError:
        return value
    return text if isinstance(text, str) else value


def _first_of_each(pairs: Iterator[tuple[str, str]]) -> tuple[dict[str, str], list[Sentence]]:
    found: dict[str, str] = {}
    notes: list[Sentence] = []
    for key, value in pairs:
        if key in _KEYS and found.get(key, value) != value:
            notes.append(say("{key} is there twice; the first one was taken.", key=key))
        found.setdefault(key, value)
    return found, notes


def _metadata(
    prompt: str, negative_prompt: str | None, pairs: dict[str, str], notes: list[Sentence]
) -> ImageMetadata:
    width, height = bounded.size(pairs.get("Size"))
    numbers = {
        "Steps": bounded.count(pairs.get("Steps")),
        "Seed": bounded.integer(pairs.get("Seed")),
        "CFG scale": bounded.decimal(
            bounded.first(pairs, "CFG scale", "CFG Scale", "Guidance Scale", "Guidance scale")
        ),
        "Size": width,
    }
    for key, number in numbers.items():
        if pairs.get(key) and number is None:
            notes.append(say("{key} is not a number.", key=key))
    return ImageMetadata(
        software=_software(pairs),
        prompt=prompt,
        negative_prompt=negative_prompt,
        width=width,
        height=height,
        seed=bounded.integer(pairs.get("Seed")),
        steps=bounded.count(pairs.get("Steps")),
        cfg=numbers["CFG scale"],
        clip_skip=bounded.count(bounded.first(pairs, "Clip skip", "Clip Skip", "CLIP skip")),
        sampler=pairs.get("Sampler") or None,
        scheduler=bounded.first(pairs, "Schedule type", "Scheduler") or None,
        model=bounded.name(pairs.get("Model")),
        model_hash=pairs.get("Model hash") or None,
        warnings=tuple(notes),
    )


def _software(pairs: dict[str, str]) -> str:
    version = pairs.get("Version", "")
    if pairs.get("App") == "SD.Next":
        return "sd-next"
    for pattern, software in _FORGES:
        if pattern.match(version):
            return software
    if "swarm_version" in pairs:
        return "swarmui"
    if "Civitai resources" in pairs or "Civitai metadata" in pairs:
        return "civitai"
    return "sd-webui"
