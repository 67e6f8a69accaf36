"""The newest pictures of a folder, by what the file system knows: no file is opened.

Separate from the index (`desktop.store.library`), because the strip shall be there at once: also on
the first start, when the index is still being made, and whatever has happened to it.
"""

from __future__ import annotations

import heapq
import logging
import os
from collections.abc import Iterator
from pathlib import Path

from desktop.store.images import ENDING

log = logging.getLogger(__name__)


def newest_pictures(folder: Path, limit: int) -> list[Path]:
    """At most `limit` PNG files of `folder` and below, newest first; none if it is not there.

    Hidden folders and links to folders are not entered. Raises `OSError` if `folder` itself cannot
    be read.
    """
    try:
        found = list(_pictures_below(folder))
    except FileNotFoundError:
        return []
    return [Path(path) for _, path in heapq.nlargest(limit, found)]


def _pictures_below(folder: Path) -> Iterator[tuple[int, str]]:
    """When a picture was changed, and its path."""
    waiting = [str(folder)]
    while waiting:
        path = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif entry.name.lower().endswith(ENDING) and entry.is_file():
                        yield entry.stat().st_mtime_ns, entry.path
        except OSError as error:
            if path == str(folder):
                raise
            log.info("%s cannot be read: %s", path, error)
