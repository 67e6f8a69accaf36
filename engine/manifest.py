"""What is known of a model besides its weights: name, defaults, sizes, prompts it does well.

Such a description stands in `danqing.json` beside a checkpoint's own files, or, for models that
bring none, in `resources/models.json`. Both are read here, strictly, because a wrong default would
quietly make bad pictures.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import resources
from engine.port import GenerationDefaults, PictureSize, Sampler, SigmaSchedule
from engine.resolve import MAX_GUIDANCE_SCALE, MAX_STEPS
from engine.weights.faults import Reason, corrupt
from engine.weights.files import read_json

NAME = "danqing.json"
_FORMAT, _VERSION = "danqing-model", 1
_KNOWN_FORMAT, _KNOWN_VERSION = "danqing-models", 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The fields of `engine.port.ModelInfo` that a description gives, under the same names.

    `preview` holds the numbers for `engine.preview`, or None.
    """

    id: str
    name: str
    is_demo: bool
    defaults: GenerationDefaults
    sizes: tuple[PictureSize, ...]
    recommended_sizes: tuple[PictureSize, ...]
    example_prompts: Mapping[str, tuple[str, ...]]
    preview: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownModel:
    """An entry of `models.json`; without signs it describes every model of its family.

    The signs, any one of which is enough: a key in `transformer/config.json`, or a part of the
    folder's name in lower case.
    """

    description: Description
    transformer_keys: frozenset[str]
    folder_name: str


def read_manifest(path: Path) -> Description:
    """The manifest of one model.

    Raises `EngineFault` MODEL_MISSING, MODEL_UNREADABLE or MODEL_CORRUPT (MANIFEST_INVALID).
    """
    content = read_json(path, Reason.MANIFEST_INVALID)
    try:
        _require_format(content, _FORMAT, _VERSION)
        return _description(content)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        detail = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise corrupt(path, Reason.MANIFEST_INVALID, detail=detail) from error


def known_model(transformer: Mapping[str, Any], folder_name: str) -> Description:
    """The entry of `resources/models.json` for an ERNIE-Image checkpoint without a manifest.

    `transformer` is its configuration, `folder_name` the last resort where that says nothing.
    """
    models = _known_models()
    for known in models:
        if known.transformer_keys & transformer.keys():
            return known.description
    for known in models:
        if known.folder_name and known.folder_name in folder_name.lower():
            return known.description
    return models[-1].description


@functools.cache
def _known_models() -> tuple[KnownModel, ...]:
    """All entries; the last one has no signs. A broken file is a bug and raises as such."""
    content = read_json(resources.path("models.json"), Reason.MANIFEST_INVALID)
    _require_format(content, _KNOWN_FORMAT, _KNOWN_VERSION)
    return tuple(
        KnownModel(
            description=_description(entry),
            transformer_keys=frozenset(entry["signs"].get("transformer_keys", ())),
            folder_name=_text(entry["signs"].get("folder_name", ""), may_be_empty=True),
        )
        for entry in content["models"]
    )


def _require_format(content: Mapping[str, Any], name: str, version: int) -> None:
    if content.get("format") != name or content.get("version") != version:
        raise ValueError(f"not {name} version {version}")


def _description(entry: Mapping[str, Any]) -> Description:
    """Raises one of the errors that `read_manifest` catches when the entry is not well formed."""
    defaults = _section(entry["defaults"], "defaults")
    preview = entry.get("preview")
    if preview is not None:
        preview = _section(preview, "preview")
    description = Description(
        id=_identifier(entry["id"]),
        name=_text(entry["name"]),
        is_demo=bool(entry.get("demo", False)),
        defaults=GenerationDefaults(
            size=_size([defaults["width"], defaults["height"]]),
            steps=_integer(defaults["steps"], most=MAX_STEPS),
            guidance_scale=_scale(defaults["guidance_scale"]),
            sampler=Sampler(defaults["sampler"]),
            sigma_schedule=SigmaSchedule(defaults["sigma_schedule"]),
        ),
        sizes=_sizes(entry.get("sizes", [])),
        recommended_sizes=_sizes(entry.get("recommended_sizes", [])),
        example_prompts={
            _text(language): tuple(_text(prompt) for prompt in prompts)
            for language, prompts in _section(entry.get("examples", {}), "examples").items()
        },
        preview=preview,
    )
    if description.sizes and description.defaults.size not in description.sizes:
        raise ValueError("the default size is not among the sizes")
    return description


def _section(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{name} is no object")
    return value


def _text(value: Any, *, may_be_empty: bool = False) -> str:
    if not isinstance(value, str) or not (value.strip() or may_be_empty):
        raise TypeError(f"no text: {json.dumps(value)}")
    return value


def _identifier(value: Any) -> str:
    """Ids are typed on command lines and stand alone in lines of text."""
    text = _text(value)
    if not text.isprintable():
        raise ValueError(f"an id with characters that cannot be printed: {text!r}")
    return text


def _integer(value: Any, most: int | None = None) -> int:
    if type(value) is not int or value < 1:
        raise ValueError(f"no positive whole number: {json.dumps(value)}")
    if most is not None and value > most:
        raise ValueError(f"{value} is more than {most}")
    return value


def _scale(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= MAX_GUIDANCE_SCALE:
        raise ValueError(f"no guidance scale of 0 to {MAX_GUIDANCE_SCALE:g}: {json.dumps(value)}")
    return float(value)


def _sizes(values: Any) -> tuple[PictureSize, ...]:
    if not isinstance(values, list):
        raise TypeError(f"no list of sizes: {values!r}")
    return tuple(_size(value) for value in values)


def _size(value: Any) -> PictureSize:
    width, height = value
    return PictureSize(width=_integer(width), height=_integer(height))
