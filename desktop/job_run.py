"""Jobs from their submission to their end, for programs without an event loop.

Owned here: the hand-over of events from the engine's thread to the calling one, and what Ctrl+C and
SIGTERM mean while jobs run. Separate from `desktop.cli` because every command that makes pictures
waits in the same way.
"""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from types import FrameType

from engine.port import (
    DeviceChosen,
    EngineError,
    EngineEvent,
    EnginePort,
    EngineStopped,
    ErrorCode,
    Generate,
    JobCancelled,
    JobEnd,
    JobFailed,
    JobFinished,
    JobProgress,
    ModelLoading,
    Shutdown,
)

STATUS_INTERRUPTED = 130

JobNews = JobProgress | ModelLoading | DeviceChosen


class _Interrupt:
    """Put among the events by a signal, whose handler may run anywhere and so does nothing else."""


class JobRun:
    """Runs jobs, one after the other, on an engine that it starts and stops."""

    def __init__(self, engine: EnginePort) -> None:
        self._engine = engine
        self._events: queue.SimpleQueue[EngineEvent | _Interrupt] = queue.SimpleQueue()
        self._has_signal = False
        self._is_open = False

    @property
    def is_interrupted(self) -> bool:
        """SIGINT or SIGTERM came."""
        return self._has_signal

    @contextmanager
    def session(self) -> Iterator[None]:
        """Around several jobs: the engine is started once, and a signal between two is kept too."""
        with self._signals_as_events():
            self._engine.start(self._events.put)
            self._is_open = True
            yield

    def run(
        self,
        command: Generate,
        *,
        on_news: Callable[[JobNews], bool],
        on_interrupt: Callable[[], None],
    ) -> JobEnd:
        """Run the job; returns how it ended.

        `on_news` is called on this thread and answers whether the job is still wanted. While the
        job runs, the first SIGINT or SIGTERM cancels it after calling `on_interrupt`; a second one
        raises `KeyboardInterrupt` here at once. Call from the main thread.
        """
        with nullcontext() if self._is_open else self.session():
            self._engine.submit(command)
            return self._wait(command, on_news, on_interrupt)

    def close(self, timeout_s: float) -> bool:
        """Shut the engine down; True if its thread has ended in time."""
        self._engine.submit(Shutdown())
        return self._engine.join(timeout_s)

    def _wait(
        self,
        command: Generate,
        on_news: Callable[[JobNews], bool],
        on_interrupt: Callable[[], None],
    ) -> JobEnd:
        while True:
            event = self._events.get()
            match event:
                case _Interrupt():
                    on_interrupt()
                    self._engine.cancel(command.job_id)
                case JobFinished() | JobCancelled() | JobFailed():
                    return event
                case EngineStopped(error=error):
                    return JobFailed(
                        job_id=command.job_id,
                        error=error or EngineError(code=ErrorCode.ENGINE_STOPPED),
                        completed_images=0,
                    )
                case _ if isinstance(event, JobNews):
                    if isinstance(event, DeviceChosen):
                        self._listen()
                    if not on_news(event):
                        self._engine.cancel(command.job_id)
                case _:
                    pass

    def _receive(self, number: int, frame: FrameType | None) -> None:
        """The signal handler."""
        if self._has_signal:
            raise KeyboardInterrupt
        self._has_signal = True
        self._events.put(_Interrupt())

    def _listen(self) -> None:
        """Claim the signals; done again once a device is open, because PaddlePaddle, imported for
        it, claims SIGTERM for itself.
        """
        for number in _INTERRUPTS:
            signal.signal(number, self._receive)

    @contextmanager
    def _signals_as_events(self) -> Iterator[None]:
        before = {number: signal.getsignal(number) for number in _INTERRUPTS}
        self._listen()
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
