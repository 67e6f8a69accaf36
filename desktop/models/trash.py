"""Deleting a picture: into the system's trash, and back out of it; never for good.

Qt's `QFile.moveToTrash` follows the freedesktop trash specification, on other disks too, and leaves
a file alone where it finds no trash that it may use. It is here, with the models, because the store
has no Qt. Putting back is the specification's other half, which Qt does not have. Functions for
worker threads.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QFile, QStandardPaths

_DATA = QStandardPaths.StandardLocation.GenericDataLocation


@dataclass(frozen=True, slots=True)
class Trashed:
    """A file in the trash: where it was, and where it lies now."""

    path: Path
    place: Path


class NotTrashed(OSError):
    """The trash does not take this file, which is still where it was."""


class NotRestored(OSError):
    """A file stays in the trash, because it cannot be put back."""


def move(path: Path) -> Trashed:
    """Move a file to the trash. Raises `FileNotFoundError`, or `NotTrashed` with the reason."""
    if not os.path.lexists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    # Qt makes the trash, but not the folder that it is in.
    Path(QStandardPaths.writableLocation(_DATA)).mkdir(mode=0o700, parents=True, exist_ok=True)
    file = QFile(str(path))
    if not file.moveToTrash():
        raise NotTrashed(0, file.errorString(), str(path))
    return Trashed(path, Path(file.fileName()))


def restore(trashed: Trashed) -> Path:
    """Put a file back where it was, under another name if its own is taken; returns its path.

    Raises `NotRestored`, with ENOENT if the trash was emptied; else it is still in there.
    """
    from desktop.store import images

    was = trashed.path
    if not os.path.lexists(trashed.place):
        raise NotRestored(errno.ENOENT, os.strerror(errno.ENOENT), str(was))
    try:
        was.parent.mkdir(parents=True, exist_ok=True)
        path = images.move_to_free_name(trashed.place, was)
    except OSError as error:
        raise NotRestored(error.errno, error.strerror, str(was)) from error
    note = trashed.place.parent.parent / "info" / f"{trashed.place.name}.trashinfo"
    note.unlink(missing_ok=True)
    return path
