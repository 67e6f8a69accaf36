"""The tables of the database, version by version, and reading them from a damaged file.

Separate from `database`, which opens files and knows no table. A migration is a named function with
a docstring, which is logged, and returns SQL; the list's order is the order of versions, and a line
in it is never changed once a release has had it.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence

from desktop.store import job_record

log = logging.getLogger(__name__)


def create_queue() -> str:
    """Jobs and their pictures."""
    return """
    CREATE TABLE batches (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        source BLOB NOT NULL,
        digest TEXT NOT NULL
    );
    CREATE TABLE jobs (
        id TEXT NOT NULL UNIQUE,
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'interrupted', 'quarantined',
            'finished', 'failed', 'cancelled')),
        holder TEXT,
        left_because TEXT,
        crashes INTEGER NOT NULL DEFAULT 0 CHECK (typeof(crashes) = 'integer'),
        batch INTEGER,
        request TEXT NOT NULL,
        folder BLOB,
        name_pattern TEXT,
        raw_prompt TEXT,
        list_group INTEGER,
        line INTEGER,
        error TEXT,
        enqueued_at TEXT NOT NULL
    );
    CREATE INDEX jobs_open ON jobs (state, position)
        WHERE state IN ('waiting', 'running', 'interrupted', 'quarantined');
    CREATE TABLE job_pictures (
        job_id TEXT NOT NULL,
        image_index INTEGER NOT NULL,
        path BLOB,
        rescue BLOB,
        token TEXT NOT NULL,
        digest BLOB NOT NULL,
        is_saved INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (job_id, image_index)
    ) WITHOUT ROWID;
    """


MIGRATIONS: Sequence[Callable[[], str]] = (create_queue,)


def statements(script: str) -> Iterator[str]:
    """The statements of a script, triggers whole: `executescript` would end our transaction."""
    statement = ""
    for part in script.split(";")[:-1]:
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        raise ValueError(f"an incomplete statement: {statement}")


# --- damaged files --------------------------------------------------------------------------------

_JOB_COLUMNS = (
    "id, position, state, holder, left_because, crashes, batch, request, folder, name_pattern,"
    " raw_prompt, list_group, line, error, enqueued_at"
)
_PICTURE_COLUMNS = "job_id, image_index, path, rescue, token, digest, is_saved"


def first_unreadable_job(connection: sqlite3.Connection) -> str | None:
    """Why a job that is still to be made cannot be read; None if all can."""
    rows = connection.execute(
        f"SELECT {job_record.COLUMNS} FROM jobs"
        " WHERE state IN ('waiting', 'running', 'interrupted', 'quarantined')"
    )
    for row in rows:
        try:
            job_record.read_job(row, ())
        except job_record.Unreadable as error:
            return str(error)
    return None


def copy_jobs(damaged: sqlite3.Connection, connection: sqlite3.Connection) -> int:
    """Copy each job that can be read, with its pictures; returns how many."""
    _copy_batches(damaged, connection)
    copied = 0
    for position in _positions(damaged):
        if _copy_job(damaged, connection, position):
            copied += 1
    return copied


def _copy_batches(damaged: sqlite3.Connection, connection: sqlite3.Connection) -> None:
    try:
        for row in damaged.execute("SELECT id, source, digest FROM batches"):
            connection.execute("INSERT OR IGNORE INTO batches VALUES (?, ?, ?)", row)
    except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
        log.info("the list of batches ends early: %s", error)


def _positions(damaged: sqlite3.Connection) -> list[int]:
    """Every position that can be found, from both ends: a damaged page is in between."""
    found: set[int] = set()
    for order in ("ASC", "DESC"):
        try:
            for (position,) in damaged.execute(
                f"SELECT position FROM jobs NOT INDEXED ORDER BY position {order}"
            ):
                found.add(position)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            log.info("the list of jobs ends early: %s", error)
    return sorted(found)


def _copy_job(damaged: sqlite3.Connection, connection: sqlite3.Connection, position: int) -> bool:
    try:
        rows = damaged.execute(
            f"SELECT {_JOB_COLUMNS} FROM jobs NOT INDEXED WHERE position = ?",
            (position,),
        ).fetchall()
        job_id = rows[0][0]
        pictures = damaged.execute(
            f"SELECT {_PICTURE_COLUMNS} FROM job_pictures WHERE job_id = ?",
            (job_id,),
        ).fetchall()
        readable = damaged.execute(
            f"SELECT {job_record.COLUMNS} FROM jobs NOT INDEXED WHERE position = ?",
            (position,),
        ).fetchone()
        job_record.read_job(readable, [job_record.read_picture(row[1:]) for row in pictures])
        connection.execute("SAVEPOINT one_job")
        try:
            connection.execute(
                f"INSERT INTO jobs ({_JOB_COLUMNS}) VALUES ({', '.join('?' * 15)})",
                rows[0],
            )
            connection.executemany(
                f"INSERT INTO job_pictures ({_PICTURE_COLUMNS}) VALUES ({', '.join('?' * 7)})",
                pictures,
            )
        except BaseException:
            connection.execute("ROLLBACK TO one_job")
            raise
        finally:
            connection.execute("RELEASE one_job")
    except (sqlite3.Error, ValueError, IndexError, TypeError) as error:
        log.info("a job cannot be recovered: %s", error)
        return False
    return True
