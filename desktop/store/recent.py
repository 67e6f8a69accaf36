"""The newest pictures of a folder, by what the file system knows: no file is opened.

Separate from `desktop.store.images`, which writes. Until there is an index of the whole library
this is how the window finds earlier pictures.
"""

from __future__ import annotations

import heapq
import os
from pathlib import Path

from desktop.store.images import ENDING


def newest_pictures(folder: Path, limit: int) -> list[Path]:
    """At most `limit` PNG files of `folder`, newest first; none if the folder does not exist.

    Raises `OSError` for a folder that cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            found = [_dated(entry) for entry in entries if _is_picture(entry)]
    except FileNotFoundError:
        return []
    return [Path(path) for _, path in heapq.nlargest(limit, found)]


def _is_picture(entry: os.DirEntry[str]) -> bool:
    return (
        entry.name.lower().endswith(ENDING) and not entry.name.startswith(".") and entry.is_file()
    )


def _dated(entry: os.DirEntry[str]) -> tuple[int, str]:
    return entry.stat().st_mtime_ns, entry.path
