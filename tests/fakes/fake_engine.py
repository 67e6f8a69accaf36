"""An engine that makes no pictures: the port without PaddlePaddle, scriptable, for desktop tests.

It keeps the contract of `EnginePort` by its own, simpler means, so that the contract suite compares
two implementations; `tests/contract/test_port.py` runs both through it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace

from engine.port import (
    CancelWhen,
    CheckRecord,
    ChooseDevice,
    Command,
    DeviceChosen,
    EngineError,
    EngineEvent,
    EngineFault,
    EngineStopped,
    ErrorCode,
    Generate,
    ImageCompleted,
    JobCancelled,
    JobFailed,
    JobFinished,
    JobId,
    LoadModel,
    ModelInfo,
    ModelLoaded,
    ModelUnloaded,
    Shutdown,
    UnloadModel,
)
from tests.fakes.script import FAKE_DEVICE, FAKE_MODEL, Script, play


class _Stop(Exception):
    pass


class FakeEngine:
    """Plays `scripts[prompt]`, or `script`, for each job; records what it was told."""

    def __init__(
        self, script: Script | None = None, scripts: Mapping[str, Script] | None = None
    ) -> None:
        self.script = script or Script()
        self.scripts = dict(scripts or {})
        self.commands: list[Command] = []
        self.cancels: list[tuple[JobId, CancelWhen]] = []
        self._inbox: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._open: dict[JobId, CancelWhen | None] = {}
        self._running: JobId | None = None
        self._check: CheckRecord | None = None
        self._is_stopped = False
        self._lock = threading.RLock()
        self._on_event: Callable[[EngineEvent], None] = lambda event: None
        self._thread = threading.Thread(target=self._run, name="fake-engine", daemon=True)

    def start(self, on_event: Callable[[EngineEvent], None]) -> None:
        self._on_event = on_event
        self._thread.start()

    def submit(self, command: Command) -> None:
        with self._lock:
            if self._is_stopped:
                if isinstance(command, Shutdown):
                    return
                raise EngineFault(EngineError(code=ErrorCode.ENGINE_STOPPED))
            self.commands.append(command)
            if isinstance(command, Generate):
                if command.job_id in self._open:
                    raise ValueError(f"job {command.job_id} is in the engine already")
                self._open[command.job_id] = None
            if isinstance(command, Shutdown):
                self._is_stopped = True
        self._inbox.put(command)

    def cancel(self, job_id: JobId, when: CancelWhen = CancelWhen.NOW) -> None:
        with self._lock:
            self.cancels.append((job_id, when))
            if job_id in self._open and self._open[job_id] is not CancelWhen.NOW:
                self._open[job_id] = when

    def join(self, timeout_s: float | None = None) -> bool:
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        self._on_event(DeviceChosen(device=FAKE_DEVICE, reason="only_device"))
        while not self._is_stopped:
            match self._inbox.get():
                case Generate() as command:
                    self._generate(command)
                case LoadModel(model_id=model_id):
                    self._on_event(ModelLoaded(model_id=model_id))
                case UnloadModel():
                    self._on_event(ModelUnloaded())
                case ChooseDevice(check=check):
                    self._check = check
                case Shutdown():
                    pass
        for job_id in list(self._open):
            self._finish(JobCancelled(job_id=job_id, completed_images=0))
        self._on_event(EngineStopped())

    def _generate(self, command: Generate) -> None:
        job_id = command.job_id
        if job_id not in self._open:
            return
        self._running = job_id
        done = 0

        def emit(event: EngineEvent) -> None:
            nonlocal done
            if isinstance(event, ImageCompleted):
                event = replace(event, provenance=replace(event.provenance, check=self._check))
            self._on_event(event)
            if isinstance(event, ImageCompleted):
                done += 1
                is_last = done == command.request.image_count
                if self._open[job_id] is CancelWhen.AFTER_IMAGE and not is_last:
                    raise _Stop

        try:
            if self._open[job_id] is not None:
                raise _Stop
            script = self.scripts.get(command.request.prompt, self.script)
            play(script, job_id, command.request, emit, self._checkpoint)
            self._finish(JobFinished(job_id=job_id))
        except _Stop:
            self._finish(JobCancelled(job_id=job_id, completed_images=done))
        except EngineFault as fault:
            self._finish(JobFailed(job_id=job_id, error=fault.error, completed_images=done))
        except Exception as error:  # noqa: BLE001 - as the real engine: it becomes an event
            bug = EngineError(code=ErrorCode.BUG, facts={"exception": type(error).__name__})
            self._finish(JobFailed(job_id=job_id, error=bug, completed_images=done))
        finally:
            self._running = None

    def _checkpoint(self) -> None:
        with self._lock:
            waiting = [
                job_id
                for job_id, cancel in self._open.items()
                if cancel is not None and job_id != self._running
            ]
        for job_id in waiting:
            self._finish(JobCancelled(job_id=job_id, completed_images=0))
        running = self._running
        if self._is_stopped or (running and self._open[running] is CancelWhen.NOW):
            raise _Stop

    def _finish(self, end: JobFinished | JobCancelled | JobFailed) -> None:
        with self._lock:
            del self._open[end.job_id]
        self._on_event(end)


class FakeCatalog:
    """Fulfils `ModelCatalog` with the models it is given."""

    def __init__(self, *models: ModelInfo) -> None:
        self._models = models or (FAKE_MODEL,)

    def models(self) -> tuple[ModelInfo, ...]:
        return self._models

    def find(self, model: str) -> ModelInfo:
        for info in self._models:
            if info.model_id == model:
                return info
        facts = {"model": model, "known": ", ".join(info.model_id for info in self._models)}
        raise EngineFault(EngineError(code=ErrorCode.MODEL_MISSING, facts=facts))
