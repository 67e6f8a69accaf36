"""Reading the library's folders into its index: everything, or what has changed since.

Separate from `library`, which asks the index and never looks into folders. A scan writes in short
transactions, so that the queue, which shares the database, is never kept waiting for long; one that
is broken off has lost nothing, and the next one goes on where it was.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from desktop.store.library import ENDINGS, Library, Stamp, file_system_of, is_gone
from desktop.store.metadata import read

log = logging.getLogger(__name__)

_AT_ONCE = 500
"""Pictures read, then written in one transaction."""


@dataclass(frozen=True, slots=True)
class _Folder:
    path: Path
    file_system: str
    pictures: dict[str, Stamp]
    folders: list[Path]


@dataclass(slots=True, kw_only=True)
class ScanResult:
    """What a scan met, in pictures; `away` are folders that are not there but may come back."""

    seen: int = 0
    read: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    away: list[Path] = field(default_factory=list)
    unreadable: list[Path] = field(default_factory=list)


Progress = Callable[[ScanResult], bool]
"""Is told now and then how far a scan is; answers whether it shall go on."""


class _Ended(Exception):
    """The scan shall not go on."""


def _go_on(result: ScanResult) -> bool:
    return True


def scan(
    library: Library,
    *,
    reads_all: bool = False,
    progress: Progress = _go_on,
) -> ScanResult:
    """Bring the index up to date with the library's folders.

    With `reads_all` every file is read, also one that looks unchanged. Raises `sqlite3.Error`.
    """
    return _Scan(library, reads_all, progress).run()


class _Scan:
    def __init__(self, library: Library, reads_all: bool, progress: Progress) -> None:
        self._library = library
        self._reads_all = reads_all
        self._progress = progress
        self._result = ScanResult()
        self._visited: set[int] = set()

    def run(self) -> ScanResult:
        roots = self._library.roots()
        walked: set[Path] = set()
        try:
            for root in roots:
                for folder in self._folders(root):
                    if folder.path not in walked:  # else one root is below another
                        walked.add(folder.path)
                        self._settle(folder)
        except _Ended:
            return self._result
        self._settle_unvisited(roots)
        return self._result

    # --- folders that are there -------------------------------------------------------------------

    def _folders(self, root: Path) -> Iterator[_Folder]:
        """`root` and each folder below; hidden ones and links to folders are not entered."""
        waiting = [root]
        while waiting:
            path = waiting.pop()
            try:
                folder = _look_into(path)
            except (FileNotFoundError, NotADirectoryError):
                continue  # away, or gone: that is settled last
            except OSError as error:
                log.info("%s cannot be read: %s", path, error)
                self._result.unreadable.append(path)
                continue
            waiting.extend(folder.folders)
            yield folder

    def _settle(self, folder: _Folder) -> None:
        folder_id = self._folder_id(folder)
        if folder_id is None:
            return
        self._visited.add(folder_id)
        self._result.seen += len(folder.pictures)
        known = self._library.stamps(folder_id)
        gone = known.keys() - folder.pictures.keys()
        if gone:
            with self._library.writing():
                self._library.drop(folder_id, gone)
        unread = [
            name
            for name, stamp in folder.pictures.items()
            if self._reads_all or known.get(name) != stamp
        ]
        self._result.removed += len(gone)
        self._result.added += sum(name not in known for name in unread)
        self._result.changed += sum(
            name in known and known[name] != folder.pictures[name] for name in unread
        )
        for first in range(0, len(unread), _AT_ONCE):
            self._read(folder_id, folder, unread[first : first + _AT_ONCE])

    def _folder_id(self, folder: _Folder) -> int | None:
        """The folder's id on its file system; None if there never was a picture in it."""
        known = self._library.folders_at(folder.path)
        if folder.file_system not in known:
            for folder_id in known.values():
                if self._library.stamps(folder_id).items() & folder.pictures.items():
                    # The same files: only the file system goes by another name now.
                    with self._library.writing():
                        self._library.move_folder(folder_id, folder.file_system)
                    return folder_id
            if not folder.pictures:
                return None
        with self._library.writing():
            return self._library.folder_id(folder.path, folder.file_system)

    def _read(self, folder_id: int, folder: _Folder, names: list[str]) -> None:
        facts = [(name, read(folder.path / name)) for name in names]
        with self._library.writing():
            for name, metadata in facts:
                self._library.put(folder_id, name, folder.pictures[name], metadata)
        self._result.read += len(names)
        if not self._progress(self._result):
            raise _Ended

    # --- folders that are not ---------------------------------------------------------------------

    def _settle_unvisited(self, roots: list[Path]) -> None:
        gone: list[int] = []
        away: list[int] = []
        for folder_id, path, file_system in self._library.folders():
            if folder_id in self._visited or not any(path.is_relative_to(r) for r in roots):
                continue
            is_hidden = any(path.is_relative_to(p) for p in self._result.unreadable)
            if not is_hidden and is_gone(path, file_system):
                gone.append(folder_id)
                self._result.removed += len(self._library.stamps(folder_id))
            else:
                away.append(folder_id)
                self._result.away.append(path)
        if gone or away:
            with self._library.writing():
                self._library.mark_away(away)
                for folder_id in gone:
                    self._library.drop_folder(folder_id)


def _look_into(path: Path) -> _Folder:
    """What is in a folder now. Raises `OSError`."""
    pictures: dict[str, Stamp] = {}
    folders: list[Path] = []
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path / entry.name)
                elif entry.name.lower().endswith(ENDINGS) and entry.is_file():
                    pictures[entry.name] = Stamp.of(entry.stat())
            except FileNotFoundError:
                continue  # it went while we looked
    return _Folder(path, file_system_of(path), pictures, folders)
