"""The queue's store as the window meets it: questions go to one worker thread, answers come back.

Separate from `job_queue` so that no write to a slow disk ever stalls the window, and so that writes
keep their order: there is one thread, and it does them one by one. Pictures are saved on threads of
their own, which share the store.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal

from desktop.background import Report

if TYPE_CHECKING:
    from desktop.models.job_queue import FinishedImage
    from desktop.store.database import DatabaseTrouble, SetAside
    from desktop.store.job_pictures import Saved
    from desktop.store.jobs import JobStore

    Problem = DatabaseTrouble | OSError

log = logging.getLogger(__name__)

T = TypeVar("T")


class JobLedger(QObject):
    """Lives on the window's thread. `folder` is where the database lies."""

    troubled = Signal(object)
    """A `DatabaseTrouble` at the start: the queue is in memory only, and ends with the program."""
    replaced = Signal(object)
    """A `SetAside`: the database was damaged, and this is a new one."""
    picture_kept = Signal(object, object)
    """A `JobId`, and what was in the way of its picture: a `Problem`, or None."""

    _answered = Signal(object)
    """Emitted on the worker thread: what to call, and with what."""

    def __init__(
        self,
        folder: Path,
        rescue_folder: Path,
        report: Report,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._folder = folder
        self._rescue_folder = rescue_folder
        self._report = report
        self._store: JobStore | None = None
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="queue")
        self._answered.connect(self._answer)

    def ask(
        self,
        work: Callable[[JobStore], T],
        then: Callable[[T], None] = lambda answer: None,
        failed: Callable[[Problem], None] | None = None,
    ) -> None:
        """Have `work` done on the worker, after what was asked before; returns at once.

        Its answer goes to `then`, on the window's thread, or what was in the way to `failed`.
        """
        self._worker.submit(self._do, work, then, failed or self._log_problem)

    def save(self, made: FinishedImage) -> Saved:
        """Save a picture, on any worker thread; `picture_kept` follows. Raises `OSError`."""
        from desktop.models import saving

        problem: Problem | None = None
        try:
            saved = saving.save_picture(self._opened(), made, self._rescue_folder)
            problem = saved.problem
        except OSError as error:
            problem = error
            raise
        finally:
            self.picture_kept.emit(made.event.job_id, problem)
        return saved

    def close(self) -> None:
        """Wait for everything that was asked, and give the jobs back. Blocks: for a worker."""
        self._worker.submit(self._close)
        self._worker.shutdown(wait=True)

    def _answer(self, call: Callable[[], None]) -> None:
        """On the window's thread, because this object lives there."""
        call()

    # --- on the worker ----------------------------------------------------------------------------

    def _do(
        self, work: Callable[[JobStore], T], then: Callable[[T], None], failed: Callable[..., None]
    ) -> None:
        from desktop.store.database import DatabaseTrouble

        try:
            answer = work(self._opened())
        except (DatabaseTrouble, OSError) as problem:
            self._answered.emit(_bound(failed, problem))
        except BaseException as bug:  # noqa: BLE001 - a thread's edge: it goes to the crash report
            self._answered.emit(_bound(self._report, bug, "the queue's thread"))
        else:
            self._answered.emit(_bound(then, answer))

    def _opened(self) -> JobStore:
        from desktop.store.database import DatabaseTrouble
        from desktop.store.jobs import JobStore

        if self._store is None:
            try:
                self._store = JobStore.open(self._folder)
            except DatabaseTrouble as trouble:
                log.warning("the queue is kept in memory only: %s", trouble)
                self.troubled.emit(trouble)
                self._store = JobStore.in_memory()
            set_aside: SetAside | None = self._store.database.set_aside
            if set_aside is not None:
                self.replaced.emit(set_aside)
        return self._store

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()

    def _log_problem(self, problem: Problem) -> None:
        log.warning("the queue was not written: %s", problem)


def _bound(call: Callable[..., None], *values: object) -> Callable[[], None]:
    return lambda: call(*values)
