"""Values from strangers' texts, within bounds: JSON, numbers, sizes.

Separate from the readers of formats, so that every one of them is held to the same limits: a text
of a megabyte takes milliseconds, whatever is in it, and nothing here raises for its content.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

MOST_BRACKETS = 40_000
"""Arrays and objects in one text of JSON; the largest node graphs seen have some thousands."""

MOST_SEPARATORS = 60_000
"""Commas in it."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,20}(?:\.0{1,6})?")
_FLOAT = re.compile(r"[+-]?[0-9]{1,20}(?:[.,][0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
_SIZE = re.compile(r"\(?\s*([0-9]{1,6})\s*[x×,*]\s*([0-9]{1,6})(?![0-9])")
_LARGEST_SIDE = 1_000_000
_DECODER = json.JSONDecoder()


def parse_json(text: str) -> Any:
    """The value that `text` is; None if it is no JSON, or too much of it."""
    text = text.strip("\ufeff\x00 \t\r\n")
    if not text or text[0] not in '{["' or not is_moderate(text):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def parse_object(text: str | None) -> dict[str, Any] | None:
    """The JSON object that `text` is, else None."""
    if text is None:
        return None
    value = parse_json(text)
    return value if isinstance(value, dict) else None


def json_end(text: str, start: int) -> int | None:
    """Where the JSON value that begins at `start` ends; None if there is none."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None


def is_moderate(text: str) -> bool:
    """Whether parsing `text` as JSON takes milliseconds."""
    brackets = text.count("[") + text.count("{")
    return brackets <= MOST_BRACKETS and text.count(",") <= MOST_SEPARATORS


def integer(value: object) -> int | None:
    """A whole number of at most 20 digits, given as a number or as text; None for all else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if abs(value) < 10**20 else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else None
    if isinstance(value, str):
        match = _INTEGER.fullmatch(value.strip()[:40])
        return int(match[0].partition(".")[0]) if match else None
    return None


def count(value: object) -> int | None:
    """A whole number above zero that a number of steps or a clip skip can be, else None."""
    number = integer(value)
    return number if number is not None and 0 < number <= 100_000 else None


def side(value: object) -> int | None:
    """A width or height in pixels, else None."""
    number = integer(value)
    return number if number is not None and 0 < number <= _LARGEST_SIDE else None


def decimal(value: object) -> float | None:
    """A finite number, given as a number or as text; None for all else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        match = _FLOAT.fullmatch(value.strip()[:64])
        value = float(match[0].replace(",", ".")) if match else None
    if not isinstance(value, int | float) or abs(value) > 1e9:
        return None
    return float(value) if math.isfinite(value) else None


def string(value: object) -> str | None:
    """Text, else None."""
    return value if isinstance(value, str) else None


def name(value: object) -> str | None:
    """A name without the folders before it, else None."""
    if not isinstance(value, str) or not value.strip():
        return None
    return re.split(r"[/\\]", value.strip()[:1000])[-1] or None


def size(value: object) -> tuple[int | None, int | None]:
    """Width and height in a text such as `512x768`, `512 x 768` or `(512, 768)`."""
    match = _SIZE.match(value.strip()[:64]) if isinstance(value, str) else None
    return (side(match[1]), side(match[2])) if match else (None, None)


def first(record: Mapping[str, Any], *keys: str) -> Any:
    """The value of the first of `keys` that is there and not null."""
    return next((record[key] for key in keys if record.get(key) is not None), None)
