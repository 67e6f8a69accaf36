"""Putting pictures into files: by itself when they are finished, and as a copy where asked for.

Functions for worker threads, separate from the gallery that starts them. A finished picture is
never lost for want of a folder: if the pictures folder refuses, it goes to the rescue folder.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QIODevice, QSaveFile

from desktop import messages
from desktop.messages import Message, Translate
from desktop.models.job_queue import FinishedImage

if TYPE_CHECKING:
    from desktop.store.job_pictures import Saved
    from desktop.store.jobs import JobStore
    from desktop.store.name_pattern import Pattern, PatternError

log = logging.getLogger(__name__)


def save_picture(store: JobStore, made: FinishedImage, rescue_folder: Path) -> Saved:
    """Write a picture of the queue with its metadata, named as its job says.

    Raises `OSError` if neither its folder nor the rescue folder takes it, or if its name cannot be
    kept in the queue first.
    """
    from desktop.store import images, job_pictures
    from desktop.store.database import DatabaseTrouble

    place = images.Destination(made.folder, pattern=usable_pattern(made.name_pattern)[0])
    event = made.event
    facts = images.facts_of(event, made.job_started_at)
    try:
        return job_pictures.save(
            store, event.job_id, event.index, encode(made), facts, place, rescue_folder
        )
    except DatabaseTrouble as trouble:
        raise OSError(trouble.system_error, trouble.detail, str(trouble.path)) from trouble


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


def encode_as(made: FinishedImage, target: Path) -> bytes:
    """The picture as the kind of file that the name of `target` asks for."""
    from desktop.store import images

    return images.encode(made.event.image, target.suffix, made.event.provenance, made.request)


def convert(png: bytes, target: Path) -> bytes:
    """A saved picture as the kind of file that the name of `target` asks for. Raises `OSError`."""
    from desktop.store import images

    return images.convert(png, target.suffix)


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
