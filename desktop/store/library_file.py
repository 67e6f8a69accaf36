"""The file of the library's index: its tables, how it is opened, and what becomes of a damaged one.

Separate from `library`, which asks and writes it. All of it can be made again from the pictures, so
a damaged file, or one of another version, is not mended but set aside under a dated name; only what
it knew of disks that are not mounted now is lost with it.
"""

from __future__ import annotations

import logging
import sqlite3
from datetime import datetime
from pathlib import Path

from desktop.store import search_text

log = logging.getLogger(__name__)

FILE_NAME = "pictures.db"
VERSION = 1

_TABLES = (
    "CREATE TABLE library_roots (path BLOB PRIMARY KEY) WITHOUT ROWID",
    """CREATE TABLE library_folders (
        id INTEGER PRIMARY KEY,
        path BLOB NOT NULL,
        file_system TEXT NOT NULL,
        is_away INTEGER NOT NULL DEFAULT 0,
        UNIQUE (path, file_system)
    )""",
    """CREATE TABLE library_pictures (
        id INTEGER PRIMARY KEY,
        folder_id INTEGER NOT NULL REFERENCES library_folders (id),
        name BLOB NOT NULL,
        mtime_ns INTEGER NOT NULL,
        size_bytes INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        width INTEGER,
        height INTEGER,
        seed TEXT,
        model TEXT,
        prompt TEXT NOT NULL,
        UNIQUE (folder_id, name)
    )""",
    "CREATE INDEX library_newest ON library_pictures (mtime_ns)",
    "CREATE INDEX library_sizes ON library_pictures (width, height, mtime_ns)",
    f"""CREATE VIRTUAL TABLE library_texts USING fts5 (
        prompt, name, tokenize = "{search_text.TOKENIZER}"
    )""",
    """CREATE TRIGGER library_picture_gone AFTER DELETE ON library_pictures BEGIN
        DELETE FROM library_texts WHERE rowid = old.id;
    END""",
)
"""The names of folders and files are bytes: not all of them are text."""

_BUSY_MS = 10_000
"""How long to wait for another Danqing that writes; its transactions take a fraction of that."""


def connect(state_folder: Path) -> sqlite3.Connection:
    """Open the index in `state_folder`, made if there is none.

    One that is plainly damaged, or of a version that this Danqing does not know, is set aside and
    begun anew; the next scan fills it. Raises `sqlite3.Error` or `OSError`.
    """
    state_folder.mkdir(parents=True, exist_ok=True)
    file = state_folder / FILE_NAME
    try:
        return _connect(file)
    except sqlite3.OperationalError:
        raise  # busy, no room, not permitted: nothing is wrong with the file
    except sqlite3.DatabaseError as error:
        _set_aside(file, str(error))
        return _connect(file)


def set_aside_if_damaged(state_folder: Path) -> Path | None:
    """Look through the whole index; returns where a damaged one was put, None if it is sound."""
    file = state_folder / FILE_NAME
    if not file.exists():
        return None
    try:
        connection = _connect(file)
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            connection.execute(
                "INSERT INTO library_texts (library_texts) VALUES ('integrity-check')"
            )
        finally:
            connection.close()
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as error:
        found = str(error)
    return None if found == "ok" else _set_aside(file, found)


def _connect(file: Path) -> sqlite3.Connection:
    """Raises `sqlite3.DatabaseError` itself, not a kind of it, for what is no index of ours."""
    connection = sqlite3.connect(file, isolation_level=None)
    try:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _make_tables(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables in a new file. Raises `sqlite3.DatabaseError` for a file that is not ours."""
    if _version(connection) == 0:
        connection.execute("BEGIN IMMEDIATE")
        if _version(connection) == 0:  # else another process was first
            for statement in _TABLES:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if _version(connection) != VERSION or not tables >= {"library_roots", "library_texts"}:
        raise sqlite3.DatabaseError(f"version {_version(connection)}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return version


def _set_aside(file: Path, why: str) -> Path:
    aside = file.with_name(f"{file.name}.damaged-{datetime.now().astimezone():%Y%m%d-%H%M%S}")
    log.warning("the index of the library is set aside as %s: %s", aside.name, why)
    for ending in ("", "-wal", "-shm"):
        part = file.with_name(file.name + ending)
        if part.exists():
            part.replace(aside.with_name(aside.name + ending))
    return aside
