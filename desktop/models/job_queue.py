"""The jobs that are not finished: which one is drawn, which wait, how far it is.

Owned here: the only consumer of engine events in the window, one `match` over all of them; the
answer to Stop, which is given at once and without asking the engine; and when the next job begins.
Each job is in the store before it counts, and `running` there before the engine has it, so that a
crash loses nothing and a job that causes crashes is known. The engine has one job at a time.
Separate from pictures, which live on in `models.gallery` when their job has ended.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from PySide6.QtCore import QObject, Signal

from desktop import pausing
from desktop.engine_bridge import EngineBridge
from desktop.models.job_ledger import JobLedger
from desktop.progress import Progress, ProgressEstimate
from desktop.store.job_record import JobRow, JobState, LeftBecause, NewJob
from engine.port import (
    CancelWhen,
    DeviceChosen,
    EngineEvent,
    EngineFault,
    EngineStopped,
    ErrorCode,
    Generate,
    GenerationRequest,
    ImageCompleted,
    JobCancelled,
    JobEnd,
    JobEvent,
    JobFailed,
    JobFinished,
    JobId,
    JobStarted,
    JobWarned,
    ModelFailed,
    ModelLoaded,
    ModelLoading,
    ModelUnloaded,
    PhaseStarted,
    ResolvedRequest,
    StepCompleted,
    TileDecoded,
)

if TYPE_CHECKING:
    from desktop.models.job_ledger import Problem
    from desktop.prompts import PlannedPicture
    from desktop.store.job_pictures import Piece
    from desktop.store.jobs import JobStore, NewBatch

__all__ = [
    "FinishedImage",
    "Job",
    "JobQueue",
    "JobRow",
    "JobState",
    "LeftBecause",
    "Pause",
    "Place",
]
"""The store's words for jobs too: views speak to models only."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the pictures of new jobs go, and by what pattern they are named."""

    folder: Path
    name_pattern: str | None = None


@dataclass(slots=True, kw_only=True)
class Job:
    """A job to be made. `resolved` and `progress` are None until the engine has begun it.

    `piece` is what the engine has of it, None while it waits; `saving` counts pictures that are on
    their way into files. `is_going_back`: it is stopped, to be made later.
    """

    job_id: JobId
    request: GenerationRequest
    folder: Path
    name_pattern: str | None
    raw_prompt: str | None = None
    piece: Piece | None = None
    saving: int = 0
    end: JobEnd | None = None
    is_going_back: bool = False
    resolved: ResolvedRequest | None = None
    progress: Progress | None = None
    loading: ModelLoading | None = None
    stopping: CancelWhen | None = None
    started_at: datetime | None = None
    image_started_at_s: float = 0.0
    estimate: ProgressEstimate = field(default_factory=ProgressEstimate)

    @property
    def asked(self) -> GenerationRequest:
        """The request as a list has it, before expansion: what pictures record as asked for."""
        return (
            self.request
            if self.raw_prompt is None
            else replace(self.request, prompt=self.raw_prompt)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedImage:
    """A picture as it leaves the engine, with what was asked for and how long it took."""

    event: ImageCompleted
    request: GenerationRequest
    folder: Path
    name_pattern: str | None
    took_s: float
    job_started_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Why nothing more is drawn until somebody says so; `problem` was told already."""

    because: LeftBecause
    waiting: int


class JobQueue(QObject):
    """The queue as the window shows it: `current` first, then the waiting ones."""

    changed = Signal()
    """Jobs came or went, the current one moved on, or the engine became ready."""
    job_started = Signal(object)
    """The `Job` that the engine has begun."""
    previewed = Signal(object)
    """A `StepCompleted` with a preview."""
    image_completed = Signal(object)
    """A `FinishedImage`."""
    sheet_written = Signal(object)
    """The `Path` of a contact sheet: all pictures of a grid are made."""
    job_ended = Signal(object)
    """A `JobEnd`; the engine has nothing of the job any more."""
    failed = Signal(object)
    """An `EngineError` that the user must hear of."""
    troubled = Signal(object)
    """A `DatabaseTrouble` that the user must hear of: something was not put into the queue."""
    left_over_changed = Signal()
    """`left_over` is something else now."""
    pause_changed = Signal()
    """`pause` is something else now."""

    def __init__(
        self,
        bridge: EngineBridge,
        ledger: JobLedger,
        place: Callable[[], Place],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._ledger = ledger
        self._place = place
        self._jobs: dict[JobId, Job] = {}
        self._ending: dict[JobId, Job] = {}
        self._coming = 0
        self._engine_has: JobId | None = None
        self._running: JobId | None = None
        self._is_engine_ready = False
        self._is_closing = False
        self.pause: Pause | None = None
        self.left_over: Sequence[JobRow] = ()
        bridge.event_received.connect(self._receive)
        ledger.picture_kept.connect(self._keep_picture)

    @property
    def current(self) -> Job | None:
        """The job that is drawn, or that will be as soon as the engine is ready."""
        if self._running is not None:
            return self._jobs[self._running]
        return next(iter(self._jobs.values()), None)

    @property
    def waiting_count(self) -> int:
        """Jobs behind the current one that nobody has taken back."""
        current = self.current
        return sum(job is not current and job.stopping is None for job in self._jobs.values())

    @property
    def is_idle(self) -> bool:
        """Nothing is drawn, waits, or is on its way into the queue."""
        return not self._jobs and not self._coming

    @property
    def is_with_engine(self) -> bool:
        """The current job has been handed to the engine, which may not have started yet."""
        return self.current is not None and self.current.piece is not None

    @property
    def is_engine_ready(self) -> bool:
        """Whether the engine has loaded its library and chosen its device."""
        return self._is_engine_ready

    # --- what the user asks -----------------------------------------------------------------------

    def enqueue(self, request: GenerationRequest) -> None:
        """Put a request into the queue; `changed` tells when it is there, or `troubled`."""
        self._enqueue(lambda job: [job(request=request)])

    def enqueue_list(self, pictures: Sequence[PlannedPicture]) -> None:
        """Put the pictures of a list into the queue: all of them, or after `troubled` none.

        The list is a batch of its own: so the pictures of its grids are known to belong together.
        """
        self._enqueue(
            lambda job: [
                job(
                    request=picture.request,
                    raw_prompt=picture.raw_prompt,
                    group=picture.group,
                    line=picture.line,
                )
                for picture in pictures
            ],
            is_list=True,
        )

    def _enqueue(
        self, make_jobs: Callable[[partial[NewJob]], list[NewJob]], *, is_list: bool = False
    ) -> None:
        place = self._place()
        job = partial(NewJob, folder=str(place.folder), name_pattern=place.name_pattern)

        def keep(store: JobStore) -> list[NewJob]:
            _make_folder(place.folder)
            jobs = make_jobs(job)  # here, because a list may be long
            store.enqueue(jobs, _unnamed_batch() if is_list else None)
            return jobs

        def take(jobs: list[NewJob]) -> None:
            self._coming -= 1
            for job in jobs:
                self._add(job, place.folder)
            self.changed.emit()
            self._begin_next()

        def refuse(problem: Problem) -> None:
            self._coming -= 1
            self.troubled.emit(problem)
            self.changed.emit()

        self._coming += 1
        self._ledger.ask(keep, take, refuse)

    def stop(self, when: CancelWhen = CancelWhen.NOW) -> None:
        """End the current job; the waiting ones stay. Shown before the engine has heard of it."""
        job = self.current
        if job is None or job.stopping is CancelWhen.NOW:
            return
        job.stopping = when
        if job.piece is not None:
            self._bridge.cancel(job.job_id, when)
        elif self._engine_has != job.job_id:
            self._take_back([job])
        self.changed.emit()

    def clear_waiting(self) -> None:
        """Take the waiting jobs back."""
        current = self.current
        self._take_back([job for job in self._jobs.values() if job is not current])
        self.changed.emit()

    def look_for_left_over(self) -> None:
        """Find, in the background, what an earlier run has left; `left_over_changed` follows."""
        default = self._place().folder

        def look(store: JobStore) -> list[JobRow]:
            from desktop.store import job_pictures

            job_pictures.look_after_crash(store, default)
            return store.left_over()

        self._ledger.ask(look, self._show_left_over)

    def go_on(self, *, retries_quarantined: bool = False) -> None:
        """Make what is left over, and what waits since a pause."""
        jobs, default = self.left_over, self._place().folder

        def adopt(store: JobStore) -> _Adopted:
            ids = [job.job_id for job in jobs]
            mine = store.go_on(ids, retries_quarantined=retries_quarantined)
            return _Adopted(mine, store.left_over(), _bring_all_home(store, default))

        def take(adopted: _Adopted) -> None:
            for row in adopted.jobs:
                folder = default if row.folder is None else Path(row.folder)
                self._add(row, folder)
            self.pause = None
            self._show_left_over(adopted.left_over)
            if adopted.problem is not None:
                self._pause_for(adopted.problem)
                return
            self.pause_changed.emit()
            self.changed.emit()
            self._begin_next()

        self._ledger.ask(adopt, take, self._pause_for)

    def discard_left_over(self, jobs: Sequence[JobRow]) -> None:
        """Give up some of what an earlier run has left."""
        ids = [job.job_id for job in jobs]

        def discard(store: JobStore) -> list[JobRow]:
            store.discard(ids)
            return store.left_over()

        self._ledger.ask(discard, self._show_left_over, self.troubled.emit)

    def end(self) -> None:
        """The window closes: nothing more is begun, and what is drawn waits for the next time."""
        self._is_closing = True

    # --- one job after the other ------------------------------------------------------------------

    def _add(self, job: NewJob | JobRow, folder: Path) -> None:
        self._jobs[job.job_id] = Job(
            job_id=job.job_id,
            request=job.request,
            folder=folder,
            name_pattern=job.name_pattern,
            raw_prompt=job.raw_prompt,
        )

    def _show_left_over(self, rows: list[JobRow]) -> None:
        self.left_over = rows
        self.left_over_changed.emit()

    def _take_back(self, jobs: Sequence[Job]) -> None:
        """Cancel jobs that the engine does not have."""
        ids = [job.job_id for job in jobs if job.job_id != self._engine_has]
        self._ledger.ask(lambda store: store.cancel(ids), failed=self.troubled.emit)
        for job_id in ids:
            del self._jobs[job_id]
            self.job_ended.emit(JobCancelled(job_id=job_id, completed_images=0))

    def _begin_next(self) -> None:
        """Hand the engine the first waiting job, unless it has one."""
        if self._engine_has is not None or self.pause is not None or self._is_closing:
            return
        job = next(iter(self._jobs.values()), None)
        if job is None:
            return
        self._engine_has = job.job_id

        def begin(store: JobStore) -> Piece | None:
            from desktop.store import job_pictures

            row = job_pictures.settle(store, store.begin(job.job_id), job.folder)
            piece = job_pictures.next_piece(row)
            if piece is None:
                store.finish(job.job_id)
            return piece

        self._ledger.ask(
            begin, lambda piece: self._submit(job, piece), lambda p: self._not_begun(job, p)
        )

    def _submit(self, job: Job, piece: Piece | None) -> None:
        if piece is None or job.stopping is not None or self._is_closing:
            job.is_going_back = self._is_closing and job.stopping is None
            if piece is None:
                self._end(JobFinished(job_id=job.job_id))
            else:
                self._end(JobCancelled(job_id=job.job_id, completed_images=0))
            return
        job.piece = piece
        try:
            self._bridge.submit(Generate(job_id=job.job_id, request=piece.request))
        except EngineFault as fault:
            self._end(JobFailed(job_id=job.job_id, error=fault.error, completed_images=0))
            return
        self.changed.emit()

    def _not_begun(self, job: Job, problem: Problem) -> None:
        """Its folder or the database is away."""
        self._engine_has = None
        self._ledger.ask(lambda store: _put_back(store, job.job_id))
        self._pause_for(problem)

    def _pause_for(self, problem: Problem) -> None:
        log.warning("the queue pauses: %s", problem)
        self._pause(pausing.because_of(problem) or LeftBecause.DISK_ERROR)

    def _pause(self, because: LeftBecause) -> None:
        """Begin nothing more; what the engine has is stopped, and made later."""
        current = self._jobs.get(self._engine_has) if self._engine_has is not None else None
        if current is not None and current.piece is not None and current.stopping is None:
            current.is_going_back = True
            self._bridge.cancel(current.job_id)
        self.pause = Pause(because=because, waiting=len(self._jobs))
        self.pause_changed.emit()
        self.changed.emit()

    # --- what the engine says ---------------------------------------------------------------------

    def _receive(self, event: EngineEvent) -> None:
        match event:
            case JobFinished() | JobCancelled() | JobFailed():
                self._end(event)
            case JobStarted() | PhaseStarted() | StepCompleted() | TileDecoded():
                self._advance(event)
            case JobWarned(warning=warning):
                self.failed.emit(warning)
            case ImageCompleted():
                self._complete_image(event)
            case ModelLoading():
                if self.current is not None:
                    self.current.loading = event
                self.changed.emit()
            case ModelLoaded() | ModelUnloaded():
                self.changed.emit()
            case ModelFailed(error=error):
                self.failed.emit(error)
            case DeviceChosen(device=device, reason=reason):
                log.info("device: %s (%s)", device.name, reason)
                self._is_engine_ready = True
                self.changed.emit()
            case EngineStopped(error=error):
                if error is not None:
                    self.failed.emit(error)
                self.changed.emit()
            case _:
                assert_never(event)

    def _advance(self, event: JobStarted | PhaseStarted | StepCompleted | TileDecoded) -> None:
        job = self._follow(event)
        if isinstance(event, JobStarted):
            self._running = job.job_id
            job.resolved = event.resolved
            job.started_at = job.started_at or datetime.now().astimezone()
            job.image_started_at_s = time.monotonic()
            self.job_started.emit(job)
        elif isinstance(event, StepCompleted) and event.preview is not None:
            self.previewed.emit(event)
        self.changed.emit()

    def _complete_image(self, event: ImageCompleted) -> None:
        from desktop.store import job_pictures

        job = self._follow(event)
        now_s = time.monotonic()
        took_s = now_s - job.image_started_at_s
        job.image_started_at_s = now_s
        job.saving += 1
        if job.piece is None:
            raise ValueError("a picture of a job that the engine does not have")
        whole = job_pictures.as_of_whole_job(event, job.piece, job.request)
        self.image_completed.emit(
            FinishedImage(
                event=whole,
                request=job.asked,
                folder=job.folder,
                name_pattern=job.name_pattern,
                took_s=took_s,
                job_started_at=job.started_at,
            )
        )
        self.changed.emit()

    def _follow(self, event: JobEvent) -> Job:
        job = self._jobs[event.job_id]
        job.progress = job.estimate.follow(event, time.monotonic())
        return job

    def _end(self, event: JobEnd) -> None:
        job = self._jobs.pop(event.job_id)
        if self._running == event.job_id:
            self._running = None
        self._engine_has = None
        job.end = event
        self._ending[job.job_id] = job
        self.job_ended.emit(event)
        if isinstance(event, JobFailed):
            self.failed.emit(event.error)
            because = pausing.because_of(event.error)
            if because is not None and not self._is_closing:
                self._pause(because)
        self._close_job(job)
        self.changed.emit()
        self._begin_next()

    def _keep_picture(self, job_id: JobId, problem: Problem | None) -> None:
        """A picture of a job is in a file, or could not be put into one."""
        job = self._jobs.get(job_id) or self._ending[job_id]
        job.saving -= 1
        if problem is not None:
            job.is_going_back = True
            self._pause_for(problem)
        if job.end is not None:
            self._close_job(job)

    def _close_job(self, job: Job) -> None:
        """Note in the store how a job has ended, once all its pictures are in files."""
        end = job.end
        if job.saving or end is None:
            return
        del self._ending[job.job_id]
        is_going_back = job.is_going_back or (
            isinstance(end, JobCancelled) and job.stopping is None
        )

        def note(store: JobStore) -> list[JobRow]:
            return _note_end(store, job.job_id, end, is_going_back=is_going_back)

        self._ledger.ask(note, self._wait_again, self._pause_for)
        if isinstance(end, JobFinished) and not is_going_back:
            self._write_sheet(job)

    def _write_sheet(self, job: Job) -> None:
        """After the last picture of a grid: all of them on one sheet, with `sheet_written`."""

        def write(store: JobStore) -> list[Path]:
            from desktop import grid_sheets  # with Pillow, which a start does not need

            return list(grid_sheets.write_complete(store, [store.job(job.job_id)], job.folder))

        def tell(paths: list[Path]) -> None:
            for path in paths:
                self.sheet_written.emit(path)

        self._ledger.ask(write, tell)

    def _wait_again(self, rows: list[JobRow]) -> None:
        """Jobs that are not done yet come first again."""
        usual = self._place().folder
        others, self._jobs = self._jobs, {}
        for row in rows:
            folder = usual if row.folder is None else Path(row.folder)
            self._add(row, folder)
        self._jobs |= others
        if rows:
            self.changed.emit()
            self._begin_next()


def _unnamed_batch() -> NewBatch:
    """A list that came through the window: no file, and none like it before."""
    from desktop.store.jobs import NewBatch

    return NewBatch(Path(f"window-{uuid.uuid4().hex}"), "", None)


def _note_end(store: JobStore, job_id: JobId, end: JobEnd, *, is_going_back: bool) -> list[JobRow]:
    """Write down how a running job has ended; returns it if it waits again."""
    row = store.job(job_id)
    if row.state is not JobState.RUNNING:
        return []
    if is_going_back or (isinstance(end, JobFinished) and row.missing):
        store.put_back(job_id)
        return [store.job(job_id)]
    if isinstance(end, JobFinished):
        store.finish(job_id)
    elif isinstance(end, JobCancelled):
        store.cancel([job_id])
    elif end.error.code is ErrorCode.DEVICE_LOST:
        store.strike(job_id)
    elif pausing.because_of(end.error) is not None:
        store.put_back(job_id)
        return [store.job(job_id)]
    else:
        store.fail(job_id, end.error)
    return []


@dataclass(frozen=True, slots=True)
class _Adopted:
    """Jobs that are gone on with, those that are still left over, and what is in the way."""

    jobs: list[JobRow]
    left_over: list[JobRow]
    problem: OSError | None


def _bring_all_home(store: JobStore, default: Path) -> OSError | None:
    """Move rescued pictures to where they belong; returns why one had to stay."""
    from desktop.store import job_pictures

    problem = None
    for job in store.mine():
        if job.state is not JobState.WAITING:
            continue
        folder = job_pictures.folder_of(job, default)
        _make_folder(folder)
        try:
            job_pictures.bring_home(store, job, folder)
        except OSError as error:
            problem = error
    return problem


def _put_back(store: JobStore, job_id: JobId) -> None:
    if store.job(job_id).state is JobState.RUNNING:
        store.put_back(job_id)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:  # the first picture that wants to go there says it to the user
        log.info("%s cannot be made: %s", folder, error)
