"""What the user chose and typed, kept over restarts: one versioned JSON file.

Owned here: the frozen `Settings`, their file format and its migrations. Separate from the form and
the menus that change them, so that a damaged or newer file is dealt with in one place: it is moved
aside, never overwritten, and the defaults apply. Window geometry is disposable and lives elsewhere.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from desktop.store.aside import dated_name
from engine.port import Sampler

log = logging.getLogger(__name__)

FILE_NAME = "settings.json"
_ERRORS = "surrogatepass"
"""Names of folders need not be text, and what is typed may hold half a character."""

VERSION = 2

Json = dict[str, Any]
T = TypeVar("T")
D = TypeVar("D")


def name_pictures_by_pattern(data: Json) -> Json:
    """Version 2 has `file_name_pattern`; pictures go on being named as before."""
    return {**data, "version": 2, "file_name_pattern": None}


MIGRATIONS: Mapping[int, Callable[[Json], Json]] = {1: name_pictures_by_pattern}
"""From a version to the next: a named function with a docstring and a test each."""


class Theme(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormValues:
    """The prompt form as it was left. Size and seed are kept as typed, right or wrong.

    Numbers of `None` are the model's defaults; `size_text` is empty for the default size.
    """

    prompt: str = ""
    negative_prompt: str = ""
    model_id: str | None = None
    size_text: str = ""
    steps: int | None = None
    guidance_scale: float | None = None
    sampler: Sampler | None = None
    image_count: int = 1
    is_seed_random: bool = True
    seed_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that is kept.

    `language` is `system` or one of `desktop.i18n.LANGUAGES`; a `pictures_folder` of `None` is
    `desktop.paths.pictures_folder()`, and a `file_name_pattern` of `None` is
    `desktop.store.name_pattern.DEFAULT`. A pattern is kept as typed, right or wrong.
    """

    language: str = "system"
    theme: Theme = Theme.SYSTEM
    pictures_folder: str | None = None
    file_name_pattern: str | None = None
    has_seen_check: bool = False
    """The system check has shown itself once; from then on it waits to be asked for."""
    form: FormValues = field(default_factory=FormValues)


def load(folder: Path, tell_set_aside: Callable[[Path], None] = lambda path: None) -> Settings:
    """The settings in `folder`, or the defaults if there are none.

    A file that is no JSON object, or that a newer Danqing wrote, is moved aside, under a dated name
    that `tell_set_aside` is called with; a single value of the wrong kind is replaced by its
    default. Both with a warning in the log.
    """
    path = folder / FILE_NAME
    try:
        data = json.loads(path.read_text(encoding="utf-8", errors=_ERRORS))
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError, RecursionError) as error:
        log.warning("the settings cannot be read: %s", error)
        _move_aside(path, tell_set_aside)
        return Settings()
    if not isinstance(data, dict) or not _is_known(data.get("version")):
        log.warning("the settings are not of a version that this Danqing knows")
        _move_aside(path, tell_set_aside)
        return Settings()
    return _decode(_migrated(data))


def save(settings: Settings, folder: Path) -> None:
    """Write the settings whole or not at all. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    temporary = folder / f".{FILE_NAME}.part"
    data = {"version": VERSION, **dataclasses.asdict(settings)}
    with temporary.open("w", encoding="utf-8", errors=_ERRORS) as file:
        json.dump(data, file, ensure_ascii=False, indent=2)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(folder / FILE_NAME)


def _is_known(version: object) -> bool:
    return isinstance(version, int) and 1 <= version <= VERSION


def _migrated(data: Json) -> Json:
    for version in range(data["version"], VERSION):
        log.info("settings: version %d to %d", version, version + 1)
        data = MIGRATIONS[version](data)
    return data


def _move_aside(path: Path, tell: Callable[[Path], None]) -> None:
    aside = dated_name(path)
    try:
        path.replace(aside)
    except OSError as error:
        log.warning("%s cannot be moved to %s: %s", path, aside, error)
    else:
        tell(aside)


def _decode(data: Json) -> Settings:
    form = data.get("form", {})
    return Settings(
        language=_value(data, "language", str, "system"),
        theme=_value(data, "theme", Theme, Theme.SYSTEM),
        pictures_folder=_optional(data, "pictures_folder", str),
        file_name_pattern=_optional(data, "file_name_pattern", str),
        has_seen_check=_value(data, "has_seen_check", bool, False),
        form=_decode_form(form if isinstance(form, dict) else {}),
    )


def _decode_form(data: Json) -> FormValues:
    return FormValues(
        prompt=_value(data, "prompt", str, ""),
        negative_prompt=_value(data, "negative_prompt", str, ""),
        model_id=_optional(data, "model_id", str),
        size_text=_value(data, "size_text", str, ""),
        steps=_optional(data, "steps", int),
        guidance_scale=_optional(data, "guidance_scale", float),
        sampler=_optional(data, "sampler", Sampler),
        image_count=_value(data, "image_count", int, 1),
        is_seed_random=_value(data, "is_seed_random", bool, True),
        seed_text=_value(data, "seed_text", str, ""),
    )


def _optional(data: Json, name: str, kind: type[T]) -> T | None:
    return None if data.get(name) is None else _value(data, name, kind, None)


def _value(data: Json, name: str, kind: type[T], default: D) -> T | D:
    """`data[name]` as a `kind`: JSON has one kind of number, and enumerations are strings in it."""
    value = data.get(name, default)
    if issubclass(kind, StrEnum):
        try:
            return kind(value)
        except ValueError:
            pass
    elif kind is float and type(value) is int:
        return kind(value)
    elif type(value) is kind:
        return value
    log.warning("settings: %s is not of the kind expected", name)
    return default
