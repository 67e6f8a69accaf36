"""Where `-o` points, and by what pattern: understood before hours may be spent on a picture.

Separate from `desktop.store.images`, which saves and meets what can still go wrong then.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from desktop.arguments import UsageError
from desktop.messages import (
    Message,
    describe_no_room,
    describe_pattern_problem,
    describe_save_failure,
)
from desktop.settings import Settings
from desktop.store import free_space, name_pattern
from desktop.store.images import ENDINGS, LONGEST_NAME, Destination
from engine.port import PictureSize

_OTHER_PICTURES = frozenset({".gif", ".bmp", ".tif", ".tiff", ".avif", ".jxl"})


class Unwritable(Exception):
    """The folder cannot take a picture; known before anything was drawn."""

    def __init__(self, message: Message) -> None:
        super().__init__(message.summary)
        self.message = message


class BadPattern(Exception):
    """Pictures cannot be named as the settings say."""

    def __init__(self, message: Message) -> None:
        super().__init__(message.summary)
        self.message = message


def pattern_of(settings: Settings) -> name_pattern.Pattern:
    """How the settings want new pictures to be named. Raises `BadPattern`."""
    try:
        return name_pattern.parse(settings.file_name_pattern)
    except name_pattern.PatternError as error:
        message = describe_pattern_problem(error, name_pattern.known_tokens())
        summary = f"file_name_pattern in the settings: {message.summary}"
        raise BadPattern(Message(summary=summary, remedy=message.remedy)) from error


def parse(output: Path | None, default: Path) -> Destination:
    """A name with the ending of a picture is a file, everything else a folder; None is `default`.

    Raises `UsageError`. Touches the disk only to look.
    """
    if output is None:
        return Destination(default)
    if any(len(os.fsencode(part)) > LONGEST_NAME for part in output.parts):
        raise UsageError(f"--output: a name in it is too long; at most {LONGEST_NAME} bytes")
    if output.is_dir():
        return Destination(output)
    if output.name.lower() in ENDINGS:
        raise UsageError(f"--output: {output}: there is no name before {output.name.lower()}")
    ending = output.suffix.lower()
    if ending in _OTHER_PICTURES:
        raise UsageError(f"--output: {output}: pictures are saved as {', '.join(ENDINGS)}")
    place = (
        Destination(output.parent, output.stem, output.suffix)
        if ending in ENDINGS
        else Destination(output)
    )
    nearest = free_space.nearest_existing(place.folder)
    if not nearest.is_dir():
        raise UsageError(f"--output: {nearest} is a file, not a folder")
    return place


def check(place: Destination) -> None:
    """Raise `Unwritable` if the folder, or the one it will be made in, is known to refuse files."""
    nearest = free_space.nearest_existing(place.folder)
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


def check_room(
    place: Destination,
    pictures: Mapping[PictureSize, int],
    typical_bytes: free_space.TypicalBytes = lambda size: None,
) -> None:
    """Raise `Unwritable` if so many pictures of each size will not fit on the folder's disk."""
    try:
        room = free_space.check(place.folder, pictures, typical_bytes)
    except OSError as error:
        raise Unwritable(describe_save_failure(error, str(place.folder))) from error
    if not room.is_enough:
        raise Unwritable(describe_no_room(room))
