"""Making a batch: jobs of the queue one after the other, each picture saved before the next job.

Separate from `desktop.batch_command`, which decides what is to be made. Owned here: what the end of
each job means for the queue. A job that fails is counted and the next one begins; where the others
would fail by the same cause (`desktop.pausing`), all that is left is given back to the queue, with
the reason, for a later `--resume`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from desktop import crash, generation, grid_sheets, messages, paths, pausing
from desktop.batch_progress import BatchProgress
from desktop.job_run import STATUS_INTERRUPTED, JobNews, JobRun
from desktop.messages import Message
from desktop.progress import duration
from desktop.store import images, job_pictures, library, name_pattern
from desktop.store.database import DatabaseTrouble
from desktop.store.images import Destination
from desktop.store.job_pictures import Piece
from desktop.store.job_record import JobRow, LeftBecause
from desktop.store.jobs import JobStore
from desktop.terminal import Display
from engine.port import (
    DeviceChosen,
    EngineError,
    ErrorCode,
    Generate,
    ImageCompleted,
    JobCancelled,
    JobEnd,
    JobFailed,
    JobId,
    JobStarted,
    JobWarned,
    ModelLoading,
)

log = logging.getLogger(__name__)

Problem = EngineError | OSError | DatabaseTrouble


@dataclass(slots=True)
class _Tally:
    """What a batch has come to."""

    failed: int = 0
    paused: Message | None = None
    because: LeftBecause = LeftBecause.QUIT
    status: int = generation.STATUS_DONE
    save_problem: Problem | None = field(default=None)


class BatchRun:
    """One `danqing batch` while it draws."""

    def __init__(
        self,
        *,
        store: JobStore,
        run: JobRun,
        default_folder: Path,
        display: Display,
        report: generation.Report,
        progress: BatchProgress,
        set_aside: int = 0,
    ) -> None:
        """`set_aside` counts quarantined jobs of the batch, which are not made now."""
        self._store = store
        self._run = run
        self._default_folder = default_folder
        self._display = display
        self._report = report
        self._progress = progress
        self._set_aside = set_aside
        self._tally = _Tally()

    def make(self, jobs: Sequence[JobRow]) -> int:
        """Make the jobs, which this process holds; returns the exit status."""
        try:
            with self._run.session():
                self._bring_home(jobs)
                for job in jobs:
                    if self._tally.paused is not None or self._run.is_interrupted:
                        break
                    self._make(job.job_id)
        except DatabaseTrouble as trouble:
            self._pause(trouble, messages.describe_database_trouble(trouble))
        finally:
            # What cannot be given back is found by the next process, as after a crash.
            with suppress(DatabaseTrouble):
                self._store.leave(self._tally.because)
        return self._finish(jobs)

    def _bring_home(self, jobs: Sequence[JobRow]) -> None:
        """Put pictures that a full disk or a missing folder kept away where they belong."""
        for job in jobs:
            folder = job_pictures.folder_of(job, self._default_folder)
            try:
                for path in job_pictures.bring_home(self._store, job, folder):
                    self._display.say(f"{messages.printable(str(path))}: back in its folder")
            except OSError as error:
                self._pause(error, messages.describe_save_failure(error, str(folder)))
                return

    # --- one job ----------------------------------------------------------------------------------

    def _make(self, job_id: JobId) -> None:
        job = self._store.begin(job_id)
        folder = job_pictures.folder_of(job, self._default_folder)
        try:
            job = job_pictures.settle(self._store, job, folder)
        except OSError as error:
            self._store.put_back(job_id)
            self._pause(error, messages.describe_save_failure(error, str(folder)))
            return
        while piece := job_pictures.next_piece(job):
            end = self._draw(job, piece)
            if not self._is_going_on(job, end):
                return
            job = self._store.job(job_id)
        self._store.finish(job_id)

    def _draw(self, job: JobRow, piece: Piece) -> JobEnd:
        """Run a piece of a job to its end, saving its pictures."""
        pattern = name_pattern.parse(job.name_pattern)
        place = Destination(job_pictures.folder_of(job, self._default_folder), pattern=pattern)
        started_at = datetime.now().astimezone()
        self._progress.begin(time.monotonic())

        def take(event: JobNews) -> bool:
            if isinstance(event, ImageCompleted):
                whole = job_pictures.as_of_whole_job(event, piece, job.request)
                return self._save(job, whole, place, started_at)
            self._show(job, event)
            return True

        command = Generate(job_id=job.job_id, request=piece.request)
        return self._run.run(command, on_news=take, on_interrupt=self._say_stopping)

    def _is_going_on(self, job: JobRow, end: JobEnd) -> bool:
        """Note in the queue how a piece ended; True if the job's next piece may begin."""
        problem = self._tally.save_problem
        if problem is not None:
            self._store.put_back(job.job_id)
            return False
        match end:
            case JobFailed(error=error):
                self._fail(job, error)
                return False
            case JobCancelled():
                self._store.put_back(job.job_id)
                return False
            case _:
                return True

    def _fail(self, job: JobRow, error: EngineError) -> None:
        log.warning("a job failed: %s %s %s", error.code, dict(error.facts), error.detail)
        message = generation.in_options(error)
        if pausing.because_of(error) is not None:
            if error.code is ErrorCode.DEVICE_LOST:
                self._store.strike(job.job_id)
            else:
                self._store.put_back(job.job_id)
            self._pause(error, message)
            return
        self._store.fail(job.job_id, error)
        self._tally.failed += 1
        self._progress.skip(len(self._store.job(job.job_id).missing))
        where = "" if job.line is None else f"line {job.line}: "
        self._display.say(f"{where}{message}")
        record = generation.error_record(error.code, message)
        self._report.event("job_failed", job=job.job_id, line=job.line, error=record)

    # --- pictures ---------------------------------------------------------------------------------

    def _save(
        self, job: JobRow, event: ImageCompleted, place: Destination, started_at: datetime
    ) -> bool:
        """Save a picture; False if nothing more should be drawn."""
        data = images.encode_png(event.image, event.provenance, job.asked)
        facts = images.facts_of(event, started_at)
        rescue = paths.rescue_folder()
        try:
            saved = job_pictures.save(
                self._store, job.job_id, event.index, data, facts, place, rescue
            )
        except (OSError, DatabaseTrouble) as problem:
            self._tally.save_problem = problem
            self._pause(problem, _in_words(problem, place.folder))
            self._display.say("The picture could not be kept; --resume draws it again.")
            return False
        library.remember(paths.state_folder(), saved.path, (paths.pictures_folder(), rescue))
        self._tell_saved(saved.path, event)
        if saved.problem is not None:
            self._tally.save_problem = saved.problem
            self._pause(saved.problem, _in_words(saved.problem, place.folder))
            self._display.say(f"The picture is not lost: it is {saved.path}")
            return False
        return True

    def _tell_saved(self, path: Path, event: ImageCompleted) -> None:
        now_s = time.monotonic()
        self._progress.complete(now_s)
        seed, image = event.provenance.seed, event.image
        with self._display.paused():
            self._report.image(self._progress.done - 1, path, seed, image.width, image.height)
        left_s = self._progress.remaining_s(now_s)
        left = f", {duration(left_s)} left" if left_s else ""
        self._display.say(f"{self._progress.done} of {self._progress.total} saved{left}")

    def _show(self, job: JobRow, event: JobNews) -> None:
        match event:
            case DeviceChosen(device=device, reason=reason):
                crash.native_stacks.reclaim()
                log.info("computing on %s (%s): %s", device.name, device.description, reason)
                self._report.event("device", device=device.name, reason=reason)
                return
            case JobWarned(warning=warning):
                message = str(messages.describe(warning))
                self._display.say(message)
                self._report.event("warning", code=warning.code, message=message)
                return
            case JobStarted(resolved=resolved):
                record = generation.resolved_record(resolved)
                self._report.event("started", job=job.job_id, line=job.line, **record)
            case ModelLoading():
                pass
            case _:
                pass
        self._display.follow(event)

    # --- ends -------------------------------------------------------------------------------------

    def _pause(self, problem: Problem, message: Message) -> None:
        log.warning("the queue pauses: %s", problem)
        if self._tally.paused is not None:
            return
        self._tally.paused = message
        self._tally.because = pausing.because_of(problem) or LeftBecause.DISK_ERROR
        is_engine = isinstance(problem, EngineError)
        self._tally.status = (
            generation.status_of(problem) if is_engine else generation.STATUS_FAILED
        )
        self._display.say(f"danqing batch: {message}")

    def _say_stopping(self) -> None:
        self._display.say(
            "stopping; --resume goes on, with this picture from its start."
            " Ctrl+C once more ends at once"
        )

    def _finish(self, jobs: Sequence[JobRow]) -> int:
        tally, done = self._tally, self._progress.done
        left = self._count_left(jobs)
        words = [f"{done} made"]
        words += [f"{tally.failed} failed"] if tally.failed else []
        words += [f"{self._set_aside} left out"] if self._set_aside else []
        words += [f"{left} left: go on with --resume"] if left else []
        self._display.say(", ".join(words))
        self._write_sheets(jobs)
        if tally.paused is not None:
            code = tally.because
            self._report.end("paused", generation.error_record(code, tally.paused))
            return tally.status
        if self._run.is_interrupted:
            self._report.end("cancelled")
            return STATUS_INTERRUPTED
        if tally.failed or self._set_aside:
            counts = f"{tally.failed} of {len(jobs)} jobs failed, {self._set_aside} left out."
            error = Message(summary=counts, remedy="")
            self._report.end("failed", generation.error_record("jobs_failed", error))
            return generation.STATUS_FAILED
        self._report.end("finished")
        return generation.STATUS_DONE

    def _write_sheets(self, jobs: Sequence[JobRow]) -> None:
        """The contact sheet of each grid that is complete now."""
        with suppress(DatabaseTrouble):  # told before: nothing could be made then
            for path in grid_sheets.write_complete(self._store, jobs, self._default_folder):
                self._display.say(f"all of a grid on one sheet: {messages.printable(str(path))}")
                self._report.event("grid", path=str(path))

    def _count_left(self, jobs: Sequence[JobRow]) -> int:
        try:
            states = [self._store.job(job.job_id).state for job in jobs]
        except DatabaseTrouble:
            return self._progress.total - self._progress.done
        return sum(state.is_open for state in states)


def _in_words(problem: OSError | DatabaseTrouble, folder: Path) -> Message:
    if isinstance(problem, DatabaseTrouble):
        return messages.describe_database_trouble(problem)
    return messages.describe_save_failure(problem, str(folder))
