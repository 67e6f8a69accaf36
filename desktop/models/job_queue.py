"""The jobs that the engine has not finished: which one is drawn, which wait, how far it is.

Owned here: the only consumer of engine events in the window, one `match` over all of them, and the
answer to Stop, which is given at once and without asking the engine. Separate from pictures, which
live on in `models.gallery` when their job has ended.
"""

from __future__ import annotations

import logging
import time
import uuid
from dataclasses import dataclass, field
from typing import assert_never

from PySide6.QtCore import QObject, Signal

from desktop.engine_bridge import EngineBridge
from desktop.progress import Progress, ProgressEstimate
from engine.port import (
    CancelWhen,
    DeviceChosen,
    EngineEvent,
    EngineFault,
    EngineStopped,
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

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Job:
    """A job in the engine. `resolved` and `progress` are None until the engine has begun it."""

    job_id: JobId
    request: GenerationRequest
    resolved: ResolvedRequest | None = None
    progress: Progress | None = None
    loading: ModelLoading | None = None
    stopping: CancelWhen | None = None
    image_started_at_s: float = 0.0
    estimate: ProgressEstimate = field(default_factory=ProgressEstimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedImage:
    """A picture as it leaves the engine, with what was asked for and how long it took."""

    event: ImageCompleted
    request: GenerationRequest
    took_s: float


class JobQueue(QObject):
    """The engine's inbox as the window shows it: `current` first, then the waiting ones."""

    changed = Signal()
    """Jobs came or went, the current one moved on, or the engine became ready."""
    job_started = Signal(object)
    """The `Job` that the engine has begun."""
    previewed = Signal(object)
    """A `StepCompleted` with a preview."""
    image_completed = Signal(object)
    """A `FinishedImage`."""
    job_ended = Signal(object)
    """A `JobEnd`; the job is no longer in the queue."""
    failed = Signal(object)
    """An `EngineError` that the user must hear of."""

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._jobs: dict[JobId, Job] = {}
        self._running: JobId | None = None
        self._is_engine_ready = False
        bridge.event_received.connect(self._receive)

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
    def is_engine_ready(self) -> bool:
        """Whether the engine has loaded its library and chosen its device."""
        return self._is_engine_ready

    def enqueue(self, request: GenerationRequest) -> JobId | None:
        """Hand a request to the engine; None, after `failed`, if it takes no more."""
        job_id = JobId(uuid.uuid4().hex)
        self._jobs[job_id] = Job(job_id=job_id, request=request)
        try:
            self._bridge.submit(Generate(job_id=job_id, request=request))
        except EngineFault as fault:
            del self._jobs[job_id]
            self.failed.emit(fault.error)
            return None
        self.changed.emit()
        return job_id

    def stop(self, when: CancelWhen = CancelWhen.NOW) -> None:
        """End the current job; the waiting ones stay. Shown before the engine has heard of it."""
        job = self.current
        if job is None or job.stopping is CancelWhen.NOW:
            return
        job.stopping = when
        self._bridge.cancel(job.job_id, when)
        self.changed.emit()

    def clear_waiting(self) -> None:
        """Take the waiting jobs back."""
        current = self.current
        # A copy: a job that has not reached the engine ends inside the call.
        for job in list(self._jobs.values()):
            if job is not current:
                job.stopping = CancelWhen.NOW
                self._bridge.cancel(job.job_id)
        self.changed.emit()

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
            job.image_started_at_s = time.monotonic()
            self.job_started.emit(job)
        elif isinstance(event, StepCompleted) and event.preview is not None:
            self.previewed.emit(event)
        self.changed.emit()

    def _complete_image(self, event: ImageCompleted) -> None:
        job = self._follow(event)
        now_s = time.monotonic()
        took_s = now_s - job.image_started_at_s
        job.image_started_at_s = now_s
        self.image_completed.emit(FinishedImage(event=event, request=job.request, took_s=took_s))
        self.changed.emit()

    def _follow(self, event: JobEvent) -> Job:
        job = self._jobs[event.job_id]
        job.progress = job.estimate.follow(event, time.monotonic())
        return job

    def _end(self, event: JobEnd) -> None:
        del self._jobs[event.job_id]
        if self._running == event.job_id:
            self._running = None
        self.job_ended.emit(event)
        if isinstance(event, JobFailed):
            self.failed.emit(event.error)
        self.changed.emit()
