"""The engine as the window meets it: one Qt signal in, and an end that can be awaited.

Separate because it alone is touched by the engine's thread: `event_received` is emitted there and
arrives, in order, on the thread of whoever is connected. Everything behind it is single-threaded.
"""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, Signal

from engine.port import (
    CancelWhen,
    ChooseDevice,
    Command,
    DeviceChosen,
    EngineEvent,
    EnginePort,
    EngineStopped,
    Generate,
    JobCancelled,
    JobId,
    Shutdown,
)


class EngineBridge(QObject):
    """Lives on the window's thread. Jobs may be submitted before the engine is there."""

    event_received = Signal(object)
    """Every `EngineEvent`, in order."""
    library_loaded = Signal()
    """PaddlePaddle has been imported and has a device; emitted before others take the event."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine: EnginePort | None = None
        self._early: list[Command] = []
        self._stopped = asyncio.Event()
        self.event_received.connect(self._watch)

    @property
    def has_engine(self) -> bool:
        return self._engine is not None

    def start(self, engine: EnginePort, device: ChooseDevice | None = None) -> None:
        """Start the engine's thread on a device, and hand it what came before; call once."""
        self._engine = engine
        engine.start(self.event_received.emit)
        if device is not None:
            engine.submit(device)
        for command in self._early:
            engine.submit(command)
        self._early.clear()

    def submit(self, command: Command) -> None:
        """Queue a command; returns at once. Raises `EngineFault` ENGINE_STOPPED after the end."""
        if self._engine is None:
            self._early.append(command)
        else:
            self._engine.submit(command)

    def cancel(self, job_id: JobId, when: CancelWhen = CancelWhen.NOW) -> None:
        """Ask that a job ends; returns at once."""
        if self._engine is not None:
            self._engine.cancel(job_id, when)
        elif self._is_waiting_here(job_id):
            self._early = [command for command in self._early if not _is_job(command, job_id)]
            self.event_received.emit(JobCancelled(job_id=job_id, completed_images=0))

    async def stop(self, timeout_s: float) -> bool:
        """Shut the engine down and wait for its end; False if it did not end in time."""
        if self._engine is None:
            return True
        self._engine.submit(Shutdown())
        try:
            await asyncio.wait_for(self._stopped.wait(), timeout_s)
        except TimeoutError:
            return False
        # The thread has said its last word; what is left of it takes no time worth a worker.
        return self._engine.join(timeout_s=1.0)

    def _is_waiting_here(self, job_id: JobId) -> bool:
        return any(_is_job(command, job_id) for command in self._early)

    def _watch(self, event: EngineEvent) -> None:
        if isinstance(event, EngineStopped):
            self._stopped.set()
        elif isinstance(event, DeviceChosen):
            self.library_loaded.emit()


def _is_job(command: Command, job_id: JobId) -> bool:
    return isinstance(command, Generate) and command.job_id == job_id
