"""The library: an index of the pictures in the user's folders, for searching and counting.

Files are the truth, and what a file says of itself is all that is in here: the index can be thrown
away and made again from the folders (`library_scan`), so nothing that cannot be read back from a
file may ever be added. It has a database of its own, apart from the queue's, which cannot be made
again: a fault in the one never costs the other, and a long scan never keeps the queue waiting.

A folder is known by its path and the file system that was there: two disks that were mounted at the
same place are two folders, and neither loses its pictures while the other one is in.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop.store import library_file, search_text
from desktop.store.free_space import nearest_existing
from desktop.store.metadata import ImageMetadata, read
from engine.port import PictureSize

log = logging.getLogger(__name__)

ENDINGS = (".png", ".jpg", ".jpeg", ".webp")

_NEWEST = """
    SELECT f.path, p.name, p.prompt, p.seed, p.width, p.height, p.model, f.is_away
    FROM library_pictures p JOIN library_folders f ON f.id = p.folder_id
    ORDER BY p.mtime_ns DESC, p.id DESC LIMIT ?
"""
_FOUND = _NEWEST.replace(
    "ORDER BY",
    "WHERE p.id IN (SELECT rowid FROM library_texts WHERE library_texts MATCH ?) ORDER BY",
)

_TYPICAL_OF = 50
"""How many of the newest pictures of a size say what the next one will take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture of the library; what its file does not say is None or, of the prompt, empty."""

    path: Path
    prompt: str
    seed: str | None
    width: int | None
    height: int | None
    model: str | None
    is_away: bool


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells that a file is the one that was read; `inode` is cut to 63 bits."""

    mtime_ns: int
    size_bytes: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_mtime_ns, status.st_size, status.st_ino & (2**63 - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class RootStatus:
    """A folder of the library, all folders in it included."""

    path: Path
    pictures: int
    away: int


@contextmanager
def opened(state_folder: Path) -> Iterator[Library]:
    """The index in `state_folder`, made if there is none; see `library_file.connect`.

    Raises `sqlite3.Error` or `OSError`.
    """
    connection = library_file.connect(state_folder)
    try:
        yield Library(connection)
    finally:
        connection.close()


def remember(state_folder: Path, path: Path, roots: Iterable[Path]) -> None:
    """Index a picture that was just saved, if it is in one of the library's folders.

    The picture is safe in any case: what goes wrong is logged, and the next scan finds it.
    """
    try:
        with opened(state_folder) as library:
            for root in roots:
                library.add_root(root)
            library.add(path)
    except (sqlite3.Error, OSError) as error:
        log.warning("%s is saved, but not in the index of the library: %s", path, error)


def typical_bytes(state_folder: Path, size: PictureSize) -> float | None:
    """What pictures of a size took so far, on average; None if the index does not know."""
    try:
        with opened(state_folder) as library:
            return library.typical_bytes(size)
    except (sqlite3.Error, OSError) as error:
        log.warning("the index of the library cannot be asked: %s", error)
        return None


def forget(state_folder: Path, path: Path) -> None:
    """Take a picture that was moved away out of the index; logs what goes wrong, as `remember`."""
    try:
        with opened(state_folder) as library:
            library.remove(path)
    except (sqlite3.Error, OSError) as error:
        log.warning("%s is gone, but still in the index of the library: %s", path, error)


class Library:
    """The index in an open database; one connection, one thread at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction, kept or undone as a whole."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:  # a full disk has ended it already
                self.connection.execute("ROLLBACK")
            raise

    # --- folders ----------------------------------------------------------------------------------

    def add_root(self, folder: Path) -> None:
        """Have a folder and all below it in the library."""
        known = self.connection.execute(
            "SELECT 1 FROM library_roots WHERE path = ?", (_as_bytes(folder),)
        ).fetchone()
        if known is None:
            with self.writing():
                self.connection.execute(
                    "INSERT OR IGNORE INTO library_roots VALUES (?)", (_as_bytes(folder),)
                )

    def roots(self) -> list[Path]:
        rows = self.connection.execute("SELECT path FROM library_roots ORDER BY path")
        return [_as_path(path) for (path,) in rows]

    def forget_root(self, folder: Path) -> None:
        """Take a folder and its pictures out of the library; the files stay."""
        with self.writing():
            self.connection.execute(
                "DELETE FROM library_roots WHERE path = ?", (_as_bytes(folder),)
            )
            for folder_id, path, _ in self.folders():
                if _is_below(path, folder) and not any(_is_below(path, r) for r in self.roots()):
                    self.drop_folder(folder_id)

    def folders(self) -> list[tuple[int, Path, str]]:
        """Id, path and file system of every folder that has or had pictures."""
        rows = self.connection.execute("SELECT id, path, file_system FROM library_folders")
        return [(folder_id, _as_path(path), system) for folder_id, path, system in rows]

    def folder_id(self, folder: Path, file_system: str) -> int:
        """The id of a folder that is there now; made if it is new. Call inside `writing`."""
        key = (_as_bytes(folder), file_system)
        self.connection.execute(
            "INSERT INTO library_folders (path, file_system) VALUES (?, ?)"
            " ON CONFLICT DO UPDATE SET is_away = 0",
            key,
        )
        (found,) = self.connection.execute(
            "SELECT id FROM library_folders WHERE path = ? AND file_system = ?", key
        ).fetchone()
        return found

    def folders_at(self, path: Path) -> dict[str, int]:
        """The ids of the folders that are or were at a path, by file system."""
        rows = self.connection.execute(
            "SELECT file_system, id FROM library_folders WHERE path = ?", (_as_bytes(path),)
        )
        return dict(rows.fetchall())

    def move_folder(self, folder_id: int, file_system: str) -> None:
        """A folder's file system goes by another name now. Call inside `writing`."""
        self.connection.execute(
            "UPDATE library_folders SET file_system = ?, is_away = 0 WHERE id = ?",
            (file_system, folder_id),
        )

    def drop_folder(self, folder_id: int) -> None:
        """Forget a folder that is no more, and its pictures. Call inside `writing`."""
        self.connection.execute("DELETE FROM library_pictures WHERE folder_id = ?", (folder_id,))
        self.connection.execute("DELETE FROM library_folders WHERE id = ?", (folder_id,))

    def mark_away(self, folder_ids: Iterable[int]) -> None:
        """Keep what cannot be looked at now. Call inside `writing`."""
        self.connection.executemany(
            "UPDATE library_folders SET is_away = 1 WHERE id = ?", [(i,) for i in folder_ids]
        )

    def status(self) -> list[RootStatus]:
        """The folders of the library, and how many pictures each has, here and away."""
        counts = self.connection.execute(
            "SELECT f.path, sum(NOT f.is_away), sum(f.is_away) FROM library_pictures"
            " JOIN library_folders f ON f.id = folder_id GROUP BY f.id"
        ).fetchall()
        below = [(_as_path(path), here, away) for path, here, away in counts]
        return [
            RootStatus(
                path=root,
                pictures=sum(here for path, here, _ in below if _is_below(path, root)),
                away=sum(away for path, _, away in below if _is_below(path, root)),
            )
            for root in self.roots()
        ]

    # --- pictures ---------------------------------------------------------------------------------

    def add(self, path: Path) -> bool:
        """Index one picture that was just saved; False if it is in no folder of the library.

        Raises `OSError` if the file is gone again.
        """
        path = path.absolute()
        if not any(_is_below(path.parent, root) for root in self.roots()):
            return False
        stamp = Stamp.of(path.stat())
        facts = read(path)
        with self.writing():
            folder_id = self.folder_id(path.parent, file_system_of(path.parent))
            self.put(folder_id, path.name, stamp, facts)
        return True

    def put(self, folder_id: int, name: str, stamp: Stamp, facts: ImageMetadata) -> None:
        """Write what a file says, in place of what is known of it. Call inside `writing`."""
        prompt = _text(facts.prompt) or ""
        self.connection.execute(
            "DELETE FROM library_pictures WHERE folder_id = ? AND name = ?",
            (folder_id, os.fsencode(name)),
        )
        added = self.connection.execute(
            "INSERT INTO library_pictures (folder_id, name, mtime_ns, size_bytes, inode, width,"
            " height, seed, model, prompt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                folder_id,
                os.fsencode(name),
                stamp.mtime_ns,
                stamp.size_bytes,
                stamp.inode,
                facts.file_width,
                facts.file_height,
                None if facts.seed is None else str(facts.seed),
                _text(facts.model),
                prompt,
            ),
        )
        self.connection.execute(
            "INSERT INTO library_texts (rowid, prompt, name) VALUES (?, ?, ?)",
            (added.lastrowid, search_text.indexed(prompt), search_text.indexed(Path(name).stem)),
        )

    def stamps(self, folder_id: int) -> dict[str, Stamp]:
        """The pictures known in a folder, by name."""
        rows = self.connection.execute(
            "SELECT name, mtime_ns, size_bytes, inode FROM library_pictures WHERE folder_id = ?",
            (folder_id,),
        )
        return {os.fsdecode(name): Stamp(*stamp) for name, *stamp in rows}

    def remove(self, path: Path) -> None:
        """Forget a picture whose file was deleted."""
        with self.writing():
            self.connection.execute(
                "DELETE FROM library_pictures WHERE name = ? AND folder_id IN"
                " (SELECT id FROM library_folders WHERE path = ? AND NOT is_away)",
                (os.fsencode(path.name), _as_bytes(path.parent)),
            )

    def drop(self, folder_id: int, names: Iterable[str]) -> None:
        """Forget pictures of a folder. Call inside `writing`."""
        self.connection.executemany(
            "DELETE FROM library_pictures WHERE folder_id = ? AND name = ?",
            [(folder_id, os.fsencode(name)) for name in names],
        )

    def search(self, text: str, limit: int = -1) -> list[Picture]:
        """Pictures whose prompt or name has all words of `text`, newest first; -1 is no limit."""
        wanted = search_text.query(text)
        return [] if wanted is None else self._pictures(_FOUND, (wanted, limit))

    def newest(self, limit: int) -> list[Picture]:
        return self._pictures(_NEWEST, (limit,))

    def _pictures(self, query: str, values: Sequence[object]) -> list[Picture]:
        rows = self.connection.execute(query, values)
        return [
            Picture(
                path=_as_path(folder) / os.fsdecode(name),
                prompt=prompt,
                seed=seed,
                width=width,
                height=height,
                model=model,
                is_away=bool(is_away),
            )
            for folder, name, prompt, seed, width, height, model, is_away in rows
        ]

    def typical_bytes(self, size: PictureSize) -> float | None:
        """What the newest pictures of this size take on average; None if there are none."""
        (mean,) = self.connection.execute(
            "SELECT avg(size_bytes) FROM (SELECT size_bytes FROM library_pictures"
            " WHERE width = ? AND height = ? ORDER BY mtime_ns DESC LIMIT ?)",
            (size.width, size.height, _TYPICAL_OF),
        ).fetchone()
        return mean


def file_system_of(folder: Path) -> str:
    """What tells one file system from another, also after it was mounted anew.

    The id that it gives itself, which most file systems keep; else the device's number. Raises
    `OSError`.
    """
    own = os.statvfs(folder).f_fsid
    return f"id {own:x}" if own else f"device {folder.stat().st_dev:x}"


def is_gone(folder: Path, file_system: str) -> bool:
    """Whether a folder that was on `file_system` is no more; False if it may only be away.

    It is no more if its place is on that very file system. If another one is at its place or above
    it, its own is not mounted, or another one lies over it.
    """
    try:
        return file_system_of(nearest_existing(folder)) == file_system
    except OSError:
        return False


def _is_below(path: Path, root: Path) -> bool:
    return path.is_relative_to(root)


def _as_bytes(path: Path) -> bytes:
    return os.fsencode(path.absolute())


def _as_path(stored: bytes) -> Path:
    return Path(os.fsdecode(stored))


def _text(text: str | None) -> str | None:
    """`text` without the lone surrogates that SQLite refuses."""
    return None if text is None else text.encode("utf-8", errors="replace").decode("utf-8")
