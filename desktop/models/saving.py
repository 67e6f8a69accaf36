"""Putting pictures into files: by itself when they are finished, and as a copy where asked for.

Functions for worker threads, separate from the gallery that starts them. A finished picture is
never lost for want of a folder: if the pictures folder refuses, it goes to the rescue folder.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QIODevice, QSaveFile

from desktop.models.job_queue import FinishedImage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Saved:
    """Where a picture is; `problem` says why it is not in the pictures folder."""

    path: Path
    problem: OSError | None = None


def save_picture(made: FinishedImage, folder: Path, rescue_folder: Path) -> Saved:
    """Write a picture with its metadata. Raises `OSError` if neither folder takes it."""
    data = encode(made)
    try:
        return Saved(_save(data, made, folder))
    except OSError as error:
        log.warning("%s takes no picture: %s", folder, error)
        return Saved(_save(data, made, rescue_folder), problem=error)


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


def _save(data: bytes, made: FinishedImage, folder: Path) -> Path:
    from desktop.store import images

    return images.save(data, images.Destination(folder), prompt=made.request.prompt)
