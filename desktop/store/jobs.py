"""The queue: jobs that outlive the process, each made by one process at a time.

Every method that changes something is one transaction, and on the disk when it returns. A job that
is still to be made is *held* by the process that will make it, or *left over*: its process has
ended or given it back, and it waits, paused, until somebody goes on with it.

    waiting -> running -> finished | failed | cancelled
       ^          |
       |          +- its process died -> interrupted, the second time quarantined
       +- go on --+

Separate from `job_pictures`, which looks at the files, and from those who run jobs.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from desktop.store import database, job_record
from desktop.store.database import Database, DatabaseTrouble
from desktop.store.holder import Holder
from desktop.store.job_record import JobRow, JobState, LeftBecause, NewJob, PictureRow
from engine.port import EngineError, JobId

log = logging.getLogger(__name__)

CRASHES_TO_QUARANTINE = 2

_OPEN = "state IN ('waiting', 'running', 'interrupted', 'quarantined')"

__all__ = ["Batch", "JobRow", "JobState", "JobStore", "LeftBecause", "NewJob", "NotHeld"]


class NotHeld(Exception):
    """The job is not this process's to make: another one has it, or it has ended."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A prompt list that was put into the queue; `digest` is of the file's content then."""

    batch_id: int
    source: Path
    digest: str


@dataclass(frozen=True, slots=True)
class NewBatch:
    """A list to be put into the queue; `last` is the id of the newest batch of it that is known."""

    source: Path
    digest: str
    last: int | None


class AlreadyQueued(Exception):
    """Another process was faster."""


class JobStore:
    """The queue in an open database. Any thread may call; calls wait for each other."""

    def __init__(self, opened: Database, folder: Path | None) -> None:
        """`folder` is where the database lies, None if in memory. Raises `DatabaseTrouble`."""
        self.database = opened
        try:
            self._holder = Holder(folder)
        except OSError as error:
            raise database.trouble_from(error, opened.path) from error
        self._lock = threading.RLock()
        self._is_closed = False

    @classmethod
    def open(cls, folder: Path) -> JobStore:
        """The queue in `folder`. Raises `DatabaseTrouble`."""
        opened = database.open_database(folder)
        try:
            return cls(opened, folder)
        except BaseException:
            opened.close()
            raise

    @classmethod
    def in_memory(cls) -> JobStore:
        """A queue that ends with the process."""
        return cls(database.open_in_memory(), None)

    def close(self) -> None:
        """Give everything back as `QUIT`, and end, once.

        What cannot be given back, on a full disk, is found by the next process, as after a crash.
        """
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            try:
                self.leave(LeftBecause.QUIT)
            except DatabaseTrouble as trouble:
                log.warning("the queue is left as after a crash: %s", trouble)
            finally:
                self._holder.close()
                self.database.close()

    # --- coming and going -------------------------------------------------------------------------

    def enqueue(self, jobs: Sequence[NewJob], batch: NewBatch | None = None) -> list[JobId]:
        """Put jobs at the end of the queue, all or none, held by this process.

        `batch` is the list that they come from. Raises `AlreadyQueued` if another process has put
        it into the queue since it was looked for.
        """
        now = datetime.now(UTC).isoformat()
        with self._writing() as connection:
            batch_id = None
            if batch is not None:
                batch_id = _insert_batch(connection, batch)
            rows = [self._new_row(job, batch_id, now) for job in jobs]
            connection.executemany(
                "INSERT INTO jobs (id, state, holder, batch, request, folder, name_pattern,"
                " raw_prompt, list_group, line, enqueued_at)"
                " VALUES (?, 'waiting', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
        return [job.job_id for job in jobs]

    def _new_row(self, job: NewJob, batch_id: int | None, now: str) -> tuple[object, ...]:
        return (
            job.job_id,
            self._holder.name,
            batch_id,
            job_record.write_request(job.request),
            None if job.folder is None else os.fsencode(job.folder),
            job.name_pattern,
            job.raw_prompt,
            job.group,
            job.line,
            now,
        )

    def take_stock(self) -> None:
        """Find jobs whose process has ended, and leave them over; one that ran was interrupted."""
        with self._writing() as connection:
            holders = connection.execute(
                f"SELECT DISTINCT holder FROM jobs WHERE holder IS NOT NULL AND {_OPEN}"
            ).fetchall()
            for (holder,) in holders:
                if self._is_alive(holder):
                    continue
                log.info("a process has ended without giving its jobs back")
                connection.execute(
                    "UPDATE jobs SET holder = NULL, left_because = 'crash',"
                    " crashes = crashes + (state = 'running'),"
                    " state = CASE WHEN state <> 'running' THEN state"
                    " WHEN crashes + 1 >= ? THEN 'quarantined' ELSE 'interrupted' END"
                    f" WHERE holder = ? AND {_OPEN}",
                    (CRASHES_TO_QUARANTINE, holder),
                )
        self._holder.sweep()

    def _is_alive(self, holder: str) -> bool:
        try:
            return self._holder.is_alive(holder)
        except OSError as error:
            raise database.trouble_from(error, self.database.path) from error

    def leave(self, because: LeftBecause) -> None:
        """Give every job back that this process holds: it waits, paused, for whoever goes on."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE jobs SET holder = NULL, left_because = ?,"
                " state = CASE state WHEN 'running' THEN 'waiting' ELSE state END"
                f" WHERE holder = ? AND {_OPEN}",
                (because, self._holder.name),
            )

    def go_on(self, job_ids: Sequence[JobId], *, retries_quarantined: bool = False) -> list[JobRow]:
        """Hold those of the left-over jobs that nobody else holds by now, in order.

        Quarantined ones only if asked for; they then have their crashes forgiven.
        """
        states = "('waiting', 'interrupted', 'quarantined')"
        if not retries_quarantined:
            states = "('waiting', 'interrupted')"
        with self._writing() as connection:
            mine = [
                job_id
                for job_id in job_ids
                if connection.execute(
                    "UPDATE jobs SET holder = ?, left_because = NULL, state = 'waiting',"
                    " crashes = crashes * (state <> 'quarantined')"
                    f" WHERE id = ? AND holder IS NULL AND state IN {states}",
                    (self._holder.name, job_id),
                ).rowcount
            ]
        return sorted((self.job(job_id) for job_id in mine), key=lambda job: job.position)

    def discard(self, job_ids: Sequence[JobId]) -> None:
        """Cancel left-over jobs; those that somebody holds by now stay."""
        with self._writing() as connection:
            connection.executemany(
                "UPDATE jobs SET state = 'cancelled', left_because = NULL"
                f" WHERE id = ? AND holder IS NULL AND {_OPEN}",
                [(job_id,) for job_id in job_ids],
            )

    def close_made(self, job_id: JobId) -> None:
        """All pictures of a left-over job turned out to be in files."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE jobs SET state = 'finished', left_because = NULL"
                f" WHERE id = ? AND holder IS NULL AND {_OPEN}",
                (job_id,),
            )

    # --- one job ----------------------------------------------------------------------------------

    def begin(self, job_id: JobId) -> JobRow:
        """A waiting job is made from now on. Raises `NotHeld`."""
        self._move(job_id, "state = 'running'", "waiting")
        return self.job(job_id)

    def finish(self, job_id: JobId) -> None:
        """All pictures of a running job are in files. Raises `NotHeld`."""
        self._move(job_id, "state = 'finished', holder = NULL", "running")

    def fail(self, job_id: JobId, error: EngineError) -> None:
        """A running job has failed for good. Raises `NotHeld`."""
        record = job_record.write_error(error)
        self._move(job_id, "state = 'failed', holder = NULL, error = ?", "running", record)

    def cancel(self, job_ids: Sequence[JobId]) -> None:
        """Jobs of this process are not wanted any more; those that have ended stay as they are."""
        with self._writing() as connection:
            connection.executemany(
                "UPDATE jobs SET state = 'cancelled', holder = NULL"
                f" WHERE id = ? AND holder = ? AND {_OPEN}",
                [(job_id, self._holder.name) for job_id in job_ids],
            )

    def put_back(self, job_id: JobId) -> None:
        """A running job waits again, at its old place; no fault of its own. Raises `NotHeld`."""
        self._move(job_id, "state = 'waiting'", "running")

    def strike(self, job_id: JobId) -> JobState:
        """A running job was lost with the device: as if the process had crashed. Raises `NotHeld`.

        It is left over, interrupted or quarantined.
        """
        self._move(
            job_id,
            "holder = NULL, left_because = 'device_lost', crashes = crashes + 1,"
            f" state = CASE WHEN crashes + 1 >= {CRASHES_TO_QUARANTINE} THEN 'quarantined'"
            " ELSE 'interrupted' END",
            "running",
        )
        return self.job(job_id).state

    def _move(self, job_id: JobId, change: str, state: str, *values: object) -> None:
        with self._writing() as connection:
            moved = connection.execute(
                f"UPDATE jobs SET {change} WHERE id = ? AND holder = ? AND state = ?",
                (*values, job_id, self._holder.name, state),
            )
            if not moved.rowcount:
                raise NotHeld(job_id)

    # --- pictures ---------------------------------------------------------------------------------

    def reserve(self, job_id: JobId, index: int, path: Path, token: str, data: bytes) -> None:
        """Keep the name that a picture's file will have, before the file is there."""
        self._put_picture(job_id, index, "path", path, token, data)

    def reserve_rescue(
        self, job_id: JobId, index: int, path: Path, token: str, data: bytes
    ) -> None:
        """As `reserve`, of the place where a picture waits for its folder."""
        self._put_picture(job_id, index, "rescue", path, token, data)

    def _put_picture(
        self, job_id: JobId, index: int, column: str, path: Path, token: str, data: bytes
    ) -> None:
        digest = hashlib.sha256(data).digest()
        with self._writing() as connection:
            connection.execute(
                f"INSERT INTO job_pictures (job_id, image_index, {column}, token, digest)"
                f" VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET {column} = excluded.{column},"
                " token = excluded.token, digest = excluded.digest",
                (job_id, index, os.fsencode(path), token, digest),
            )

    def mark_saved(self, job_id: JobId, index: int, path: Path, token: str) -> None:
        """A picture's file is complete under its own name."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE job_pictures SET is_saved = 1, path = ?, rescue = NULL"
                " WHERE job_id = ? AND image_index = ? AND token = ?",
                (os.fsencode(path), job_id, index, token),
            )

    def forget_rescue(self, job_id: JobId, index: int, token: str) -> None:
        """A picture is not where it was to wait."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE job_pictures SET rescue = NULL"
                " WHERE job_id = ? AND image_index = ? AND token = ?",
                (job_id, index, token),
            )

    def unsettled(self, job_id: JobId) -> list[PictureRow]:
        """Pictures whose files must be looked at to know whether they are there."""
        return [picture for picture in self.job(job_id).pictures if not picture.is_saved]

    def rescued(self) -> list[tuple[JobId, PictureRow]]:
        """Pictures of all jobs that wait for their folder."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT job_id, image_index, path, rescue, token, digest, is_saved"
                " FROM job_pictures WHERE rescue IS NOT NULL AND NOT is_saved"
            ).fetchall()
            return [(JobId(row[0]), self._picture(row[1:])) for row in rows]

    # --- looking ----------------------------------------------------------------------------------

    def job(self, job_id: JobId) -> JobRow:
        """Raises `KeyError`."""
        for job in self._jobs("id = ?", job_id):
            return job
        raise KeyError(job_id)

    def mine(self) -> list[JobRow]:
        """Jobs that this process is to make, in order."""
        return self._jobs(f"holder = ? AND {_OPEN}", self._holder.name)

    def left_over(self) -> list[JobRow]:
        """Jobs that nobody makes, in order."""
        return self._jobs(f"holder IS NULL AND {_OPEN}")

    def of_batch(self, batch_id: int) -> list[JobRow]:
        return self._jobs("batch = ?", batch_id)

    def last_batch(self, source: Path) -> Batch | None:
        """When this list was last put into the queue."""
        with self._reading() as connection:
            row = connection.execute(
                "SELECT id, digest FROM batches WHERE source = ? ORDER BY id DESC LIMIT 1",
                (os.fsencode(source),),
            ).fetchone()
        return None if row is None else Batch(row[0], source, row[1])

    def _jobs(self, condition: str, *values: object) -> list[JobRow]:
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT {job_record.COLUMNS} FROM jobs WHERE {condition} ORDER BY position",
                values,
            ).fetchall()
            pictures: dict[str, list[PictureRow]] = {}
            for row in connection.execute(
                "SELECT job_id, image_index, path, rescue, token, digest, is_saved"
                f" FROM job_pictures WHERE job_id IN (SELECT id FROM jobs WHERE {condition})",
                values,
            ):
                pictures.setdefault(row[0], []).append(self._picture(row[1:]))
        try:
            return [job_record.read_job(row, pictures.get(row[0], ())) for row in rows]
        except job_record.Unreadable as error:
            raise self._damaged(error) from error

    def _picture(self, row: Sequence[object]) -> PictureRow:
        try:
            return job_record.read_picture(row)
        except job_record.Unreadable as error:
            raise self._damaged(error) from error

    def _damaged(self, error: job_record.Unreadable) -> DatabaseTrouble:
        path = self.database.path
        return DatabaseTrouble(database.Trouble.DAMAGED, path, str(error))

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self.database.troubles():
            yield self.database.connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self.database.writing() as connection:
            yield connection


def _insert_batch(connection: sqlite3.Connection, batch: NewBatch) -> int | None:
    source = os.fsencode(batch.source)
    (last,) = connection.execute(
        "SELECT max(id) FROM batches WHERE source = ?", (source,)
    ).fetchone()
    if last != batch.last:
        raise AlreadyQueued(str(batch.source))
    made = connection.execute(
        "INSERT INTO batches (source, digest) VALUES (?, ?)", (source, batch.digest)
    )
    return made.lastrowid
