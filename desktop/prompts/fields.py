"""The values that an entry of a prompt list can set: their names in lists, and from text to value.

Owned here: which of A1111's option names mean what in Danqing, which have no meaning, and what is
allowed. Separate from the readers, since options of a line, columns of a table and keys of JSON
have the same names, and from `engine.resolve`, whose limits are the same but which judges requests,
not text (tests/desktop/prompts/test_fields.py holds them together).
"""

from __future__ import annotations

import csv
import difflib
import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

from engine.port import MAX_SEED, ModelInfo, PictureSize, Sampler, SigmaSchedule

MAX_STEPS = 200
MAX_GUIDANCE_SCALE = 30.0
MAX_IMAGES = 1000
MAX_AXIS = 1000
"""Values of one range: more is a slip of the finger."""

RANDOM_SEED = -1

Value = TypeVar("Value", int, float)


class Field(StrEnum):
    """One value of an entry. Width and height alone are parts of `SIZE`."""

    PROMPT = "prompt"
    NEGATIVE_PROMPT = "negative_prompt"
    SIZE = "size"
    WIDTH = "width"
    HEIGHT = "height"
    STEPS = "steps"
    GUIDANCE = "guidance"
    SAMPLER = "sampler"
    SCHEDULE = "schedule"
    SEED = "seed"
    COUNT = "count"
    BATCH_SIZE = "batch_size"
    MATRIX = "matrix"


NAMES: Mapping[str, Field] = {
    **{field.value: field for field in Field},
    "negative": Field.NEGATIVE_PROMPT,
    "cfg_scale": Field.GUIDANCE,
    "cfg": Field.GUIDANCE,
    "guidance_scale": Field.GUIDANCE,
    "sampler_name": Field.SAMPLER,
    "sigma_schedule": Field.SCHEDULE,
    "scheduler": Field.SCHEDULE,
    "n_iter": Field.COUNT,
    "image_count": Field.COUNT,
    "提示词": Field.PROMPT,
    "正向提示词": Field.PROMPT,
    "反向提示词": Field.NEGATIVE_PROMPT,
    "负面提示词": Field.NEGATIVE_PROMPT,
    "尺寸": Field.SIZE,
    "宽度": Field.WIDTH,
    "高度": Field.HEIGHT,
    "步数": Field.STEPS,
    "引导": Field.GUIDANCE,
    "采样器": Field.SAMPLER,
    "种子": Field.SEED,
    "数量": Field.COUNT,
}
"""Names in lists, hyphens as underscores and without regard to case."""

FOREIGN = frozenset(
    {
        "sd_model", "outpath_samples", "outpath_grids", "prompt_for_display", "styles",
        "sampler_index", "subseed_strength", "subseed", "seed_resize_from_h", "seed_resize_from_w",
        "restore_faces", "tiling", "do_not_save_samples", "do_not_save_grid",
    }
)  # fmt: skip
"""A1111's names for what Danqing does not have: read, reported and left aside. Where pictures go is
never a list's to say."""

FLAGS = frozenset({"restore_faces", "tiling", "do_not_save_samples", "do_not_save_grid"})
"""Of those, the ones whose value may be left out."""

_RANGE = re.compile(
    r"\s*([+-]?[0-9.]+)\s*-\s*([+-]?[0-9.]+)\s*"
    r"(?:\(\s*([+-]?[0-9.]+)\s*\)|\[\s*([0-9]+)\s*\])?\s*"
)
_WHOLE = re.compile(r"\+?([0-9]{1,20})(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})")
_SIZE = re.compile(r"([0-9]{1,6})\s*[xX×*]\s*([0-9]{1,6})")


class NotAllowed(ValueError):
    """A text that is no allowed value."""


@lru_cache(maxsize=1024)
def field_named(name: str) -> Field | None:
    """The field that a list calls `name`; None if there is none."""
    return NAMES.get(canonical(name))


@lru_cache(maxsize=1024)
def canonical(name: str) -> str:
    """`name` as the tables here spell it."""
    return plain(name).lower().replace("-", "_").replace(" ", "_")


def near(name: str) -> str | None:
    """The known name that `name` may have been meant for."""
    found = difflib.get_close_matches(canonical(name)[:40], [*NAMES, *FOREIGN], n=1)
    return found[0] if found else None


def plain(text: str) -> str:
    """A value without the space around it, with ASCII digits and signs for full-width ones."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).strip()


# --- single values --------------------------------------------------------------------------------


def whole(text: str, least: int, most: int) -> int:
    """A whole number; a spreadsheet's `20.0` is one too. Raises `NotAllowed`."""
    match = _WHOLE.fullmatch(plain(text))
    if match is None or not least <= int(match[1]) <= most:
        raise NotAllowed
    return int(match[1])


def seed(text: str) -> int:
    """0 .. 2**64 - 1, or `RANDOM_SEED`. Raises `NotAllowed`."""
    if plain(text) == str(RANDOM_SEED):
        return RANDOM_SEED
    return whole(text, 0, MAX_SEED)


def steps(text: str) -> int:
    return whole(text, 1, MAX_STEPS)


def guidance(text: str) -> float:
    text = plain(text)
    if not _NUMBER.fullmatch(text) or not 0.0 <= float(text) <= MAX_GUIDANCE_SCALE:
        raise NotAllowed
    return float(text)


def size(text: str, model: ModelInfo) -> PictureSize:
    """A size that the model can draw, from `320x192` and the like. Raises `NotAllowed`."""
    match = _SIZE.fullmatch(plain(text))
    if match is None:
        raise NotAllowed
    found = PictureSize(width=int(match[1]), height=int(match[2]))
    if model.sizes:
        fits = found in model.sizes
    else:
        fits = all(
            model.min_side <= side <= model.max_side and side % model.size_multiple == 0
            for side in (found.width, found.height)
        )
    if not fits:
        raise NotAllowed
    return found


def allowed_sizes(model: ModelInfo) -> str:
    """The sizes that `size` takes, as a formula that needs no language."""
    if model.sizes:
        return ", ".join(str(known) for known in model.sizes)
    least, most, step = model.min_side, model.max_side, model.size_multiple
    return f"{least}x{least} … {most}x{most} (+{step})"


def sampler(text: str) -> tuple[Sampler, str]:
    """The sampler of this name or of A1111's, and the schedule that A1111's name ends in.

    `DPM++ 2M Karras` is (`DPMPP_2M`, "karras"). Raises `NotAllowed`.
    """
    name = plain(text).lower().replace("dpm++", "dpmpp").replace(" ", "_")
    for known in Sampler:
        if name == known:
            return known, ""
    for known in Sampler:
        if name in (f"{known}_{ending}" for ending in _SCHEDULE_ENDINGS):
            return known, name.removeprefix(f"{known}_")
    raise NotAllowed


_SCHEDULE_ENDINGS = ("karras", "exponential", "sgm_uniform", "simple", "normal", "beta")


def schedule(text: str) -> SigmaSchedule:
    try:
        return SigmaSchedule(plain(text).lower())
    except ValueError:
        raise NotAllowed from None


def flag(text: str) -> bool:
    words = {
        "": True,
        "true": True,
        "1": True,
        "yes": True,
        "false": False,
        "0": False,
        "no": False,
    }
    try:
        return words[plain(text).lower()]
    except KeyError:
        raise NotAllowed from None


# --- several values: a grid's axis ----------------------------------------------------------------


def axis(text: str, one: Callable[[str], Value]) -> tuple[Value, ...]:
    """The values of `text`, each of them judged by `one`.

    A1111's XYZ grammar: `7`, `1,3,5`, `1-5`, `1-5 (+2)` with the step, `1-10 [5]` with the count;
    a list's parts can be in CSV's quotes. Raises `NotAllowed`, for too many values too.
    """
    text = plain(text)
    try:
        return (one(text),)
    except NotAllowed:
        pass
    try:
        parts = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        raise NotAllowed from None
    values: list[Value] = []
    for part in parts:
        match = _RANGE.fullmatch(part)
        texts = [part] if match is None else _range(match)
        if len(values) + len(texts) > MAX_AXIS:
            raise NotAllowed
        values.extend(one(value) for value in texts)
    if not values:
        raise NotAllowed
    return tuple(values)


def _range(match: re.Match[str]) -> Sequence[str]:
    first, last = _fraction(match[1]), _fraction(match[2])
    is_whole = first.denominator == 1 and last.denominator == 1
    if match[4] is not None:
        count = whole(match[4], 1, MAX_AXIS)
        gap = (last - first) / max(1, count - 1)
        numbers = [first + gap * index for index in range(count)]
        return [_text(Fraction(math.floor(n)) if is_whole else n) for n in numbers]
    step = _fraction(match[3]) if match[3] is not None else Fraction(1 if first <= last else -1)
    if step == 0 or (last - first) / step < 0 or (last - first) / step >= MAX_AXIS:
        raise NotAllowed
    return [_text(first + step * index) for index in range(int((last - first) / step) + 1)]


def _fraction(text: str) -> Fraction:
    return Fraction(_number(text))


def _number(text: str) -> Fraction:
    """An exact number, so that 0.1-0.5 (+0.1) has five values. Raises `NotAllowed`."""
    text = plain(text)
    if not _NUMBER.fullmatch(text):
        raise NotAllowed
    return Fraction(text if not text.endswith(".") else text[:-1])


def _text(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(round(number, 6)):f}"
