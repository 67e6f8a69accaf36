"""The SQLite file of the queue: opened, brought up to date, kept.

Owned here: where it lies, how durably it writes, its migrations, and what happens to a damaged one.
Also the line between what a machine does to us (`DatabaseTrouble`: a full disk, a folder that may
not be written) and our own mistakes, which stay what they are and reach the crash report.
"""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.store import schema
from desktop.store.aside import dated_name

log = logging.getLogger(__name__)

FILE_NAME = "queue.db"
_LOCK_NAME = "queue.lock"
_COMPANIONS = ("", "-wal", "-shm")
"""What belongs to a database file in WAL mode, by ending."""

_APPLICATION_ID = 0x44616E51  # "DanQ", so that `file` tells what it is
_BUSY_S = 10.0
"""How long to wait for another process's transaction; ours take milliseconds."""


class Trouble(StrEnum):
    """What can be wrong with the database that is no mistake of ours."""

    DISK_FULL = "disk_full"
    READ_ONLY = "read_only"
    NOT_PERMITTED = "not_permitted"
    DISK_ERROR = "disk_error"
    BUSY = "busy"
    DAMAGED = "damaged"
    NEWER = "newer"
    """A newer Danqing has written it."""


class DatabaseTrouble(Exception):
    """The database cannot be used as it is; `path` is its file."""

    def __init__(self, trouble: Trouble, path: Path | None, detail: str = "") -> None:
        super().__init__(f"{trouble}: {path}: {detail}")
        self.trouble = trouble
        self.path = path
        self.detail = detail

    @property
    def system_error(self) -> int:
        """The `errno` that says the same."""
        return {
            Trouble.DISK_FULL: errno.ENOSPC,
            Trouble.READ_ONLY: errno.EROFS,
            Trouble.NOT_PERMITTED: errno.EACCES,
        }.get(self.trouble, errno.EIO)


@dataclass(frozen=True, slots=True)
class SetAside:
    """A damaged database: where it is now, and how many jobs could be read from it."""

    path: Path
    recovered_jobs: int


class Database:
    """An open database. Its connection commits by itself; `writing` makes a transaction."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path | None, lock: int | None = None
    ) -> None:
        self.connection = connection
        self.path = path
        self.set_aside: SetAside | None = None
        self._lock = lock

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, on the disk when the block ends, or undone as a whole.

        Raises `DatabaseTrouble`.
        """
        with self.troubles():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                # A full disk has ended the transaction already.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def troubles(self) -> Iterator[None]:
        """Turn SQLite's errors that are no mistakes of ours into `DatabaseTrouble`."""
        with _troubles_at(self.path):
            yield

    def close(self) -> None:
        with suppress(sqlite3.Error):  # a disk that has failed before; the journal has everything
            self.connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


# --- opening --------------------------------------------------------------------------------------


def open_database(folder: Path) -> Database:
    """Open the database in `folder`, made if missing. Raises `DatabaseTrouble`.

    A damaged one is set aside under a dated name, a new one gets what could be read from it, and
    the result's `set_aside` says so.
    """
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise trouble_from(error, path) from error
    try:
        # Whoever has it open holds a share, so that it is never moved under another process.
        fcntl.flock(lock, fcntl.LOCK_SH)
        try:
            return _open(path, lock)
        except DatabaseTrouble as problem:
            if problem.trouble is not Trouble.DAMAGED:
                raise
            log.warning("the database is damaged: %s", problem.detail)
            return _replace_damaged(path, lock)
    except BaseException:
        os.close(lock)
        raise


def open_in_memory() -> Database:
    """A database that ends with the process: where the disk takes none, and in tests."""
    database = Database(_connect(":memory:"), None)
    _migrate(database)
    return database


def _connect(name: str) -> sqlite3.Connection:
    # Several threads use it, one at a time: whoever owns the Database sees to that.
    connection = sqlite3.connect(
        name, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def _open(path: Path, lock: int) -> Database:
    with _troubles_at(path):
        connection = _connect(str(path))
    database = Database(connection, path, lock)
    try:
        with database.troubles():
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            if mode != "wal":  # some network file systems have no shared memory
                log.info("the database is in %s mode", mode)
            _check(database)
        _migrate(database)
    except BaseException:
        connection.close()
        raise
    return database


def _check(database: Database) -> None:
    """Raise `DatabaseTrouble` if the file is not sound."""
    connection, path = database.connection, database.path
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if objects and application != _APPLICATION_ID:
        raise DatabaseTrouble(Trouble.DAMAGED, path, "it is not Danqing's")
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise DatabaseTrouble(Trouble.DAMAGED, path, found)
    if version > len(schema.MIGRATIONS):
        raise DatabaseTrouble(Trouble.NEWER, path, f"version {version}")
    if version < 0 or (version == 0) != (objects == 0):
        raise DatabaseTrouble(Trouble.DAMAGED, path, f"version {version}")
    if version == len(schema.MIGRATIONS):
        expected = _expected_objects()
        there = set(connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall())
        if there != expected:
            raise DatabaseTrouble(Trouble.DAMAGED, path, "its tables are not the known ones")
        if damaged := schema.first_unreadable_job(connection):
            raise DatabaseTrouble(Trouble.DAMAGED, path, damaged)


def _expected_objects() -> set[tuple[str, str, str | None]]:
    database = open_in_memory()
    rows = database.connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    database.close()
    return set(rows)


def _migrate(database: Database) -> None:
    """Bring the tables up to date, one transaction a version."""
    while True:
        with database.writing() as connection:  # another process may be at it too
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version >= len(schema.MIGRATIONS):
                return
            migration = schema.MIGRATIONS[version]
            if version:
                log.info("database: %s", (migration.__doc__ or "").splitlines()[0])
            for statement in schema.statements(migration()):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {version + 1}")
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")


# --- a damaged file -------------------------------------------------------------------------------


def _replace_damaged(path: Path, lock: int) -> Database:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        detail = "another Danqing is using it"
        raise DatabaseTrouble(Trouble.DAMAGED, path, detail) from None
    try:
        return _open(path, lock)  # while there was no lock, another process may have mended it
    except DatabaseTrouble as problem:
        if problem.trouble is not Trouble.DAMAGED:
            raise
    try:
        aside = _move_aside(path)
    except OSError as error:
        raise trouble_from(error, path) from error
    database = _open(path, lock)
    recovered = _recover(aside, database)
    log.warning("it was set aside as %s; %s jobs were recovered", aside.name, recovered)
    database.set_aside = SetAside(aside, recovered)
    fcntl.flock(lock, fcntl.LOCK_SH)
    return database


def _move_aside(path: Path) -> Path:
    """Rename the file and its journal, which belongs to it: there may be jobs in it."""
    aside = dated_name(path)
    for ending in reversed(_COMPANIONS):
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(aside.with_name(aside.name + ending))
    return aside


def _recover(aside: Path, database: Database) -> int:
    """Copy what can be read of the jobs; returns how many. The rest stays in the file."""
    try:
        damaged = sqlite3.connect(aside, timeout=_BUSY_S, isolation_level=None)
    except DAMAGE_MET as error:
        log.warning("nothing of it can be read: %s", error)
        return 0
    try:
        with database.writing() as connection:
            return schema.copy_jobs(damaged, connection)
    finally:
        damaged.close()


# --- known errors ---------------------------------------------------------------------------------

_TROUBLE_OF_CODE = {
    sqlite3.SQLITE_FULL: Trouble.DISK_FULL,
    sqlite3.SQLITE_READONLY: Trouble.READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: Trouble.NOT_PERMITTED,
    sqlite3.SQLITE_PERM: Trouble.NOT_PERMITTED,
    sqlite3.SQLITE_AUTH: Trouble.NOT_PERMITTED,
    sqlite3.SQLITE_IOERR: Trouble.DISK_ERROR,
    sqlite3.SQLITE_BUSY: Trouble.BUSY,
    sqlite3.SQLITE_PROTOCOL: Trouble.BUSY,
    sqlite3.SQLITE_CORRUPT: Trouble.DAMAGED,
    sqlite3.SQLITE_NOTADB: Trouble.DAMAGED,
    sqlite3.SQLITE_FORMAT: Trouble.DAMAGED,
}
"""SQLite's primary result codes that no change of our code would mend."""


DAMAGE_MET = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file may raise. The second: a message of SQLite's that quotes the file."""


def trouble_of(error: Exception) -> Trouble | None:
    """What `error` says about the machine; None if it says that we have made a mistake."""
    if isinstance(error, UnicodeDecodeError):
        return Trouble.DAMAGED
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # Python's own complaint about a text that is no UTF-8: we write nothing but UTF-8.
        return Trouble.DAMAGED if "Could not decode" in str(error) else None
    return _TROUBLE_OF_CODE.get(code & 0xFF)


@contextmanager
def _troubles_at(path: Path | None) -> Iterator[None]:
    try:
        yield
    except DAMAGE_MET as error:
        trouble = trouble_of(error)
        if trouble is None:
            raise
        raise DatabaseTrouble(trouble, path, str(error)) from error


def trouble_from(error: OSError, path: Path | None) -> DatabaseTrouble:
    """What the file system's refusal says."""
    known = {
        errno.ENOSPC: Trouble.DISK_FULL,
        errno.EDQUOT: Trouble.DISK_FULL,
        errno.EROFS: Trouble.READ_ONLY,
        errno.EACCES: Trouble.NOT_PERMITTED,
        errno.EPERM: Trouble.NOT_PERMITTED,
    }
    trouble = known.get(error.errno or 0, Trouble.DISK_ERROR)
    return DatabaseTrouble(trouble, path, error.strerror or str(error))
