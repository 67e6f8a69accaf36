"""Putting pictures into files: by itself when they are finished, and as a copy where asked for.

Functions for worker threads, separate from the gallery that starts them. A finished picture is
never lost for want of a folder: if the pictures folder refuses, it goes to the rescue folder.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QIODevice, QSaveFile

from desktop import messages
from desktop.messages import Message, Translate
from desktop.models.job_queue import FinishedImage

if TYPE_CHECKING:
    from desktop.store.images import Destination
    from desktop.store.name_pattern import Pattern, PatternError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Saved:
    """Where a picture is; `problem` says why it is not in the pictures folder."""

    path: Path
    problem: OSError | None = None


def save_picture(
    made: FinishedImage, folder: Path, rescue_folder: Path, pattern: str | None = None
) -> Saved:
    """Write a picture with its metadata, named by `pattern`, or as usual if that cannot be used.

    Raises `OSError` if neither folder takes it.
    """
    from desktop.store import images

    data = encode(made)
    try:
        return Saved(
            _save(data, made, images.Destination(folder, pattern=usable_pattern(pattern)[0]))
        )
    except OSError as error:
        log.warning("%s takes no picture: %s", folder, error)
        return Saved(_save(data, made, images.Destination(rescue_folder)), problem=error)


def usable_pattern(text: str | None) -> tuple[Pattern, PatternError | None]:
    """The pattern that `text` is; or the usual one, and why `text` cannot be used."""
    from desktop.store import name_pattern

    try:
        return name_pattern.parse(text), None
    except name_pattern.PatternError as error:
        return name_pattern.DEFAULT, error


def describe_pattern_problem(error: PatternError, translate: Translate) -> Message:
    """Put into words why a pattern for file names cannot be used."""
    from desktop.store import name_pattern

    return messages.describe_pattern_problem(error, name_pattern.known_tokens(), translate)


def encode(made: FinishedImage) -> bytes:
    """The picture as a PNG file."""
    from desktop.store import images  # brings Pillow, which the first window need not wait for

    return images.encode_png(made.event.image, made.event.provenance, made.request)


def write_copy(data: bytes, target: Path) -> None:
    """Write a file that the user named, replacing what is there, whole or not at all.

    Raises `OSError`.
    """
    file = QSaveFile(str(target))
    if (
        not file.open(QIODevice.OpenModeFlag.WriteOnly)
        or file.write(data) != len(data)
        or not file.commit()
    ):
        raise OSError(0, file.errorString(), str(target))


def _save(data: bytes, made: FinishedImage, place: Destination) -> Path:
    from desktop.store import images

    return images.save(data, place, images.facts_of(made.event))
