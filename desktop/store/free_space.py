"""Whether the disk has room for all pictures of a batch, asked before the first one is drawn.

An estimate beforehand, not a promise: another program may fill the disk meanwhile, and a user's
quota is not seen here. Separate from saving, which meets what is left of that, and from the words:
`desktop.messages.describe_no_room` writes them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.port import PictureSize

RESERVE_BYTES = 16 * 2**20
"""Left to everybody else on that disk, the queue's own journal among them."""

_RAW_BYTES_PER_PIXEL = 3
_METADATA_BYTES = 20_000
"""What a PNG adds to its pixels at most: chunks, and two texts with a prompt of a page or two."""

_MEASURED_MARGIN = 1.1
"""Pictures of one size differ; over a batch their mean differs less."""

TypicalBytes = Callable[[PictureSize], float | None]
"""What earlier pictures of a size took on average; None if there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a batch needs and what there is, in bytes; `folder` is as it was asked for.

    `free_files` is how many more files the file system takes, None if it sets no limit.
    """

    folder: Path
    pictures: int
    needed_bytes: int
    free_bytes: int
    free_files: int | None

    @property
    def is_enough(self) -> bool:
        return self.has_bytes and self.has_files

    @property
    def has_bytes(self) -> bool:
        return self.needed_bytes + RESERVE_BYTES <= self.free_bytes

    @property
    def has_files(self) -> bool:
        return self.free_files is None or self.pictures <= self.free_files

    @property
    def fits(self) -> int:
        """How many pictures of this batch there is room for."""
        if not self.pictures:
            return 0
        each = self.needed_bytes / self.pictures
        room = int(max(0, self.free_bytes - RESERVE_BYTES) / each) if each else self.pictures
        files = self.pictures if self.free_files is None else self.free_files
        return min(self.pictures, room, files)


def check(
    folder: Path,
    pictures: Mapping[PictureSize, int],
    typical_bytes: TypicalBytes = lambda size: None,
) -> Room:
    """The room in `folder`, made later if missing, for so many pictures of each size.

    Raises `OSError` if the file system does not say.
    """
    needed = sum(estimate_bytes(size, typical_bytes(size)) * n for size, n in pictures.items())
    disk = os.statvfs(nearest_existing(folder))
    return Room(
        folder=folder,
        pictures=sum(pictures.values()),
        needed_bytes=needed,
        free_bytes=disk.f_bavail * disk.f_frsize,
        free_files=disk.f_favail if disk.f_files else None,
    )


def estimate_bytes(size: PictureSize, typical_bytes: float | None = None) -> int:
    """What a picture will take on the disk: as others of its size did, else as if uncompressed."""
    if typical_bytes is not None:
        return int(typical_bytes * _MEASURED_MARGIN)
    return size.width * size.height * _RAW_BYTES_PER_PIXEL + _METADATA_BYTES


def nearest_existing(folder: Path) -> Path:
    """The folder itself, or the first of its parents that is there."""
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())
