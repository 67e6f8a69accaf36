"""Where `-o` points: understood and checked before hours may be spent on a picture.

Separate from `desktop.store.images`, which saves and meets what can still go wrong then.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from desktop.arguments import UsageError
from desktop.messages import Message, describe_save_failure
from desktop.store.images import ENDING, Destination

_OTHER_PICTURES = frozenset(
    {".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif", ".jxl"}
)

_LONGEST_NAME = 255
"""Bytes: the limit of Linux's file systems."""


class Unwritable(Exception):
    """The folder cannot take a picture; known before anything was drawn."""

    def __init__(self, message: Message) -> None:
        super().__init__(message.summary)
        self.message = message


def parse(output: Path | None, default: Path) -> Destination:
    """A name ending in `.png` is a file, everything else a folder; None is `default`.

    Raises `UsageError`. Touches the disk only to look.
    """
    if output is None:
        return Destination(default)
    if any(len(os.fsencode(part)) > _LONGEST_NAME for part in output.parts):
        raise UsageError(f"--output: a name in it is too long; at most {_LONGEST_NAME} bytes")
    if output.is_dir():
        return Destination(output)
    if output.name.lower() == ENDING:
        raise UsageError(f"--output: {output}: there is no name before {ENDING}")
    ending = output.suffix.lower()
    if ending in _OTHER_PICTURES:
        raise UsageError(f"--output: {output}: pictures are saved as {ENDING}")
    place = (
        Destination(output.parent, output.stem, output.suffix)
        if ending == ENDING
        else Destination(output)
    )
    nearest = _nearest_existing(place.folder)
    if not nearest.is_dir():
        raise UsageError(f"--output: {nearest} is a file, not a folder")
    return place


def check(place: Destination) -> None:
    """Raise `Unwritable` if the folder, or the one it will be made in, is known to refuse files."""
    nearest = _nearest_existing(place.folder)
    if not os.access(nearest, os.W_OK | os.X_OK):
        is_read_only = bool(os.statvfs(nearest).f_flag & os.ST_RDONLY)
        error = OSError(errno.EROFS if is_read_only else errno.EACCES, "")
        raise Unwritable(describe_save_failure(error, str(nearest)))
    try:
        # Some folders (/proc, shares) only tell when a file is made; this one has no name.
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as error:
        raise Unwritable(describe_save_failure(error, str(nearest))) from error


def _nearest_existing(folder: Path) -> Path:
    """The folder itself, or the first of its parents that is there."""
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())
