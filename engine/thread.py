"""The engine's thread: an inbox of commands, one job at a time, events out.

Owns the life of a job: that it ends in exactly one terminal event, that cancelling reaches running
and waiting jobs alike, and that an exception becomes an event and never the end of the thread.
Separate from the numerics, which know nothing of jobs, and from `engine.session`, which is imported
here only once the thread runs, because it brings PaddlePaddle with it.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, assert_never

from engine import bootstrap
from engine.catalog import Catalog
from engine.port import (
    CancelWhen,
    ChooseDevice,
    Command,
    DevicePreference,
    EngineError,
    EngineEvent,
    EngineFault,
    EngineStopped,
    ErrorCode,
    Generate,
    GenerationRequest,
    ImageCompleted,
    JobCancelled,
    JobEnd,
    JobFailed,
    JobFinished,
    JobId,
    JobStarted,
    LoadModel,
    ModelFailed,
    ModelId,
    ModelUnloaded,
    Shutdown,
    UnloadModel,
)

log = logging.getLogger(__name__)

Emit = Callable[[EngineEvent], None]
Checkpoint = Callable[[], None]


class Cancelled(Exception):
    """Raised out of a checkpoint to unwind a job that somebody wants to end."""


class Session(Protocol):
    """What the thread drives; `engine.session.Session` fulfils it."""

    def generate(
        self, job_id: JobId, request: GenerationRequest, emit: Emit, checkpoint: Checkpoint
    ) -> None:
        """Make a job's pictures, reporting through `emit`; raise to fail."""
        ...

    def load(self, model_id: ModelId, emit: Emit, checkpoint: Checkpoint) -> None: ...

    def unload(self) -> None: ...

    def explain(self, error: Exception) -> EngineError | None:
        """The expected problem behind an exception, or None for a bug."""
        ...

    def recover(self) -> None:
        """After a failure: drop what the job left behind, so that the next one can work."""
        ...


@dataclass(slots=True, eq=False)
class _Job:
    """A job from its submission to its end; `cancel` is written by other threads."""

    job_id: JobId
    request: GenerationRequest
    cancel: CancelWhen | None = None
    completed_images: int = 0
    is_started: bool = False


_Errand = _Job | LoadModel | UnloadModel | ChooseDevice | Shutdown


class EngineThread:
    """Fulfils `engine.port.EnginePort` with one thread that makes every PaddlePaddle call.

    `threads` are the processor cores to compute with; `device` is where, until a `ChooseDevice`
    says something else. `open_session` is what the thread calls first; by default it imports
    PaddlePaddle and opens the device.
    """

    def __init__(
        self,
        *,
        catalog: Catalog,
        device: ChooseDevice | None = None,
        threads: int | None = None,
        cache_folder: Path | None = None,
        open_session: Callable[[Emit], Session] | None = None,
    ) -> None:
        self._catalog = catalog
        self._device = device or ChooseDevice()
        self._threads = threads or bootstrap.cores()
        self._cache_folder = cache_folder
        self._open_session = open_session or self._open_real_session
        self._inbox: queue.SimpleQueue[_Errand] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._jobs: dict[JobId, _Job] = {}
        self._attention = threading.Event()
        self._is_stopping = False
        self._running: _Job | None = None
        self._session: Session | None = None
        self._on_event: Emit = _ignore
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    # --- called by other threads ------------------------------------------------------------------

    def start(self, on_event: Emit) -> None:
        """Start the thread; events come by calls of `on_event` on it."""
        self._on_event = on_event
        self._thread.start()

    def submit(self, command: Command) -> None:
        """Queue a command.

        Raises ValueError if a job with the same id has not ended yet, and `EngineFault`
        ENGINE_STOPPED after `Shutdown` or after the thread has ended.
        """
        with self._lock:
            if self._is_stopping:
                if isinstance(command, Shutdown):
                    return
                raise EngineFault(EngineError(code=ErrorCode.ENGINE_STOPPED))
            if isinstance(command, Generate):
                if command.job_id in self._jobs:
                    raise ValueError(f"job {command.job_id} is in the engine already")
                job = _Job(job_id=command.job_id, request=command.request)
                self._jobs[job.job_id] = job
                self._inbox.put(job)
                return
            if isinstance(command, Shutdown):
                self._is_stopping = True
                self._attention.set()
            self._inbox.put(command)

    def cancel(self, job_id: JobId, when: CancelWhen = CancelWhen.NOW) -> None:
        """Ask that a job ends. It never waits behind work: the engine looks between layers."""
        with self._lock:
            job = self._jobs.get(job_id)
            if job is not None and job.cancel is not CancelWhen.NOW:
                job.cancel = when
                self._attention.set()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the thread's end; True if it has ended."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    # --- on the engine's thread -------------------------------------------------------------------

    def _run(self) -> None:
        error = None
        try:
            self._warm_up()
            while not self._is_stopping:
                self._execute(self._inbox.get())
        except Exception as exception:
            log.exception("the engine's thread ended by an exception")
            error = _bug(exception)
        finally:
            with self._lock:
                self._is_stopping = True
            self._end_waiting_jobs(error)
            self._drop_session()
            self._emit(EngineStopped(error=error))

    def _warm_up(self) -> None:
        """Open the session before the first command, so that the first picture starts at once.

        A failure is not reported here: the first job meets it again and carries it to the user.
        """
        _, error = self._attempt(self._open_if_needed)
        if error is not None:
            log.warning("the engine cannot open its device yet: %s %s", error.code, error.facts)

    def _execute(self, command: _Errand) -> None:
        match command:
            case _Job():
                if self._jobs.get(command.job_id) is command:  # else cancelled while it waited
                    self._run_job(command)
            case LoadModel():
                self._load(command.model_id)
            case UnloadModel():
                self._attempt(self._unload)
                self._emit(ModelUnloaded())
            case ChooseDevice():
                self._choose_device(command)
            case Shutdown():
                pass
            case _:
                assert_never(command)

    def _run_job(self, job: _Job) -> None:
        self._running = job
        is_cancelled, error = self._attempt(lambda: self._generate(job))
        self._running = None
        job_id, done = job.job_id, job.completed_images
        if is_cancelled:
            self._end_job(job, JobCancelled(job_id=job_id, completed_images=done))
        elif error is not None:
            self._end_job(job, JobFailed(job_id=job_id, error=error, completed_images=done))
        else:
            self._end_job(job, JobFinished(job_id=job_id))

    def _generate(self, job: _Job) -> None:
        self._checkpoint()
        session = self._opened_session()
        self._checkpoint()
        session.generate(job.job_id, job.request, self._emit_of_job, self._checkpoint)

    def _load(self, model_id: ModelId) -> None:
        _, error = self._attempt(
            lambda: self._opened_session().load(model_id, self._emit, self._checkpoint)
        )
        if error is not None:
            self._emit(ModelFailed(model_id=model_id, error=error))

    def _choose_device(self, wanted: ChooseDevice) -> None:
        """Open the session anew, unless the same device follows: the model then stays loaded."""
        before, self._device = self._device, wanted
        if _outcome(before) != _outcome(wanted):
            self._drop_session()
            self._session = None
            self._warm_up()

    def _unload(self) -> None:
        if self._session is not None:
            self._session.unload()

    def _attempt(self, work: Callable[[], None]) -> tuple[bool, EngineError | None]:
        """Do some work of the session; whether it was cancelled, and what it failed by, if it did.

        When this recovers the session, the exception is gone, and the tensors that its traceback
        held with it.
        """
        is_cancelled, error = False, None
        try:
            work()
        except Cancelled:
            is_cancelled = True
        except Exception as exception:  # noqa: BLE001 - the border: it becomes an event, a bug is logged
            error = self._explained(exception)
        if is_cancelled or error is not None:
            self._recover()
        if error is not None and error.code is ErrorCode.DEVICE_LOST:
            self._session = None  # what comes next opens the device anew, or says that it cannot
        return is_cancelled, error

    def _open_if_needed(self) -> None:
        self._opened_session()

    def _opened_session(self) -> Session:
        if self._session is None:
            self._session = self._open_session(self._emit)
        return self._session

    def _open_real_session(self, emit: Emit) -> Session:
        bootstrap.prepare(self._threads)
        bootstrap.preload()
        try:
            with bootstrap.quiet_import(), bootstrap.without_collections():
                from engine import session
        except ImportError as error:
            facts = {"library": "paddlepaddle", "reason": str(error)}
            raise EngineFault(EngineError(code=ErrorCode.LIBRARY_MISSING, facts=facts)) from error
        return session.Session.open(
            catalog=self._catalog,
            preference=self._device.preference,
            index=self._device.index,
            gpu_allowed=self._device.allows_gpu,
            cache_folder=self._cache_folder,
            emit=emit,
        )

    def _explained(self, exception: Exception) -> EngineError:
        """The error to report; a bug leaves its traceback in the log."""
        if isinstance(exception, EngineFault):
            return exception.error
        error = self._session.explain(exception) if self._session is not None else None
        if error is not None:
            log.warning("%s: %s", error.code, error.detail)
            return error
        log.error("a bug in the engine", exc_info=exception)
        return _bug(exception)

    def _recover(self) -> None:
        if self._session is None:
            return
        try:
            self._session.recover()
        except Exception:
            # A device that is gone may fail here too: the next job opens a new session.
            log.warning("the engine could not recover its session", exc_info=True)
            self._session = None

    def _drop_session(self) -> None:
        if self._session is not None:
            try:
                self._session.unload()
            except Exception:
                log.warning("the session did not close cleanly", exc_info=True)

    # --- cancelling -------------------------------------------------------------------------------

    def _checkpoint(self) -> None:
        """Called between layers, strips, tiles and shards: cheap unless somebody asked for it."""
        if self._attention.is_set():
            self._settle()

    def _settle(self) -> None:
        """End waiting jobs that were cancelled, and unwind the running one if it must end."""
        with self._lock:
            self._attention.clear()
            stopping = self._is_stopping
            cancelled = [
                job
                for job in self._jobs.values()
                if job is not self._running and job.cancel is not None
            ]
        for job in cancelled:
            self._end_job(job, JobCancelled(job_id=job.job_id, completed_images=0))
        running = self._running
        if stopping:
            self._attention.set()
            raise Cancelled
        if running is None or running.cancel is None:
            return
        if running.cancel is CancelWhen.NOW or not running.is_started:
            raise Cancelled

    def _emit_of_job(self, event: EngineEvent) -> None:
        """Pass a running job's event on, and end the job after a picture where asked to."""
        job = self._running
        assert job is not None
        if isinstance(event, JobStarted):
            job.is_started = True
        if isinstance(event, ImageCompleted):
            history = replace(event.provenance, check=self._device.check)
            event = replace(event, provenance=history)
        self._emit(event)
        if isinstance(event, ImageCompleted):
            job.completed_images += 1
            is_last = job.completed_images == job.request.image_count
            if job.cancel is CancelWhen.AFTER_IMAGE and not is_last:
                raise Cancelled

    def _end_waiting_jobs(self, error: EngineError | None) -> None:
        with self._lock:
            waiting = list(self._jobs.values())
        for job in waiting:
            job_id, done = job.job_id, job.completed_images
            if error is None:
                self._end_job(job, JobCancelled(job_id=job_id, completed_images=done))
            else:
                self._end_job(job, JobFailed(job_id=job_id, error=error, completed_images=done))

    def _end_job(self, job: _Job, end: JobEnd) -> None:
        with self._lock:
            del self._jobs[job.job_id]
        self._emit(end)

    def _emit(self, event: EngineEvent) -> None:
        try:
            self._on_event(event)
        except Exception:
            # A receiver's bug must not take the picture with it.
            log.exception("the receiver of engine events raised on %s", type(event).__name__)


def _outcome(wanted: ChooseDevice) -> tuple[object, ...]:
    """What the device follows from: which GPU does not matter where none may be used, nor whether
    the CPU was asked for where it follows anyway.
    """
    is_auto = wanted.preference is DevicePreference.AUTO
    if wanted.preference is DevicePreference.CPU or (is_auto and not wanted.allows_gpu):
        return (DevicePreference.CPU,)
    return (wanted.preference, wanted.allows_gpu, wanted.index if wanted.allows_gpu else 0)


def _bug(exception: BaseException) -> EngineError:
    return EngineError(
        code=ErrorCode.BUG,
        facts={"exception": type(exception).__name__},
        detail=str(exception),
    )


def _ignore(event: EngineEvent) -> None:
    """Before `start` there is nobody to tell."""
