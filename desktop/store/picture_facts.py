"""What the index keeps of a picture file: its size, prompt, seed and model, read from its header.

Separate from the index, so that a file of any origin is dealt with in one place. No pixel is
decoded, and a file that says nothing, or nothing that can be understood, is a picture without a
prompt: reading never fails.
"""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from desktop.store.metadata.writer import FORMAT_NAME, JSON_KEYWORD, PARAMETERS_KEYWORD

_LONGEST_PROMPT = 100_000
"""Characters; more is no prompt."""

_A1111_VALUES = re.compile(r"(?:^|\n)Steps: \d+, .*$", re.DOTALL)
_A1111_SEED = re.compile(r"\bSeed: (\d{1,20})\b")
_A1111_MODEL = re.compile(r"\bModel: ([^,\n]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureFacts:
    """`width` and `height` are the file's own pixels; None and empty stand for "not said"."""

    width: int | None = None
    height: int | None = None
    prompt: str = ""
    seed: str | None = None
    model: str | None = None


def read(path: Path) -> PictureFacts:
    """The facts of a file; none of them if it is no picture."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sizes that are never decoded here
            with Image.open(path) as picture:
                width, height = picture.size
                texts = {k: v for k, v in picture.info.items() if isinstance(v, str)}
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return PictureFacts()
    said = _from_json(texts.get(JSON_KEYWORD)) or _from_a1111(texts.get(PARAMETERS_KEYWORD, ""))
    return PictureFacts(width=width, height=height, **said)


def _from_json(text: str | None) -> dict[str, Any]:
    try:
        record = json.loads(text or "null")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(record, dict) or record.get("format") != FORMAT_NAME:
        return {}
    resolved, model = record.get("resolved"), record.get("model")
    resolved = resolved if isinstance(resolved, dict) else {}
    model = model if isinstance(model, dict) else {}
    return {
        "prompt": (_text(resolved.get("prompt")) or "")[:_LONGEST_PROMPT],
        "seed": _text(resolved.get("seed")),
        "model": _text(model.get("name")),
    }


def _from_a1111(text: str) -> dict[str, Any]:
    """The prompt is what stands before the negative prompt and the values."""
    values = _A1111_VALUES.search(text)
    if values is None:
        return {"prompt": text[:_LONGEST_PROMPT]}
    seed, model = _A1111_SEED.search(values[0]), _A1111_MODEL.search(values[0])
    prompt = text[: values.start()].partition("\nNegative prompt: ")[0]
    return {
        "prompt": prompt[:_LONGEST_PROMPT],
        "seed": seed[1] if seed else None,
        "model": model[1] if model else None,
    }


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
