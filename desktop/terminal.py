"""What the command line shows while it works: a live bar on a terminal, plain lines elsewhere.

Human text goes to standard error, so that standard output holds results only. `rich` is imported
when a bar is drawn, and nothing is drawn where nobody watches.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TextIO

from desktop.messages import PHASES
from desktop.progress import Progress, ProgressEstimate, duration
from engine.port import JobEvent, JobStarted, ModelLoading, Phase

if TYPE_CHECKING:
    from desktop.batch_progress import BatchProgress


class Display(Protocol):
    """Follows one job; used as a context manager around it."""

    def say(self, line: str) -> None:
        """Show one line that stays."""
        ...

    def follow(self, event: JobEvent | ModelLoading) -> None:
        """Show that the job went on."""
        ...

    def paused(self) -> AbstractContextManager[None]:
        """Out of the way while standard output is written, which may be the same terminal."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def open_display(stream: TextIO, *, is_quiet: bool) -> Display:
    """A bar where `stream` is a terminal, else lines; `is_quiet` leaves out the progress."""
    if is_quiet:
        return Lines(stream, shows_phases=False)
    if stream.isatty():
        return Bar(stream)
    return Lines(stream, shows_phases=True)


def open_batch_display(
    stream: TextIO, batch: BatchProgress, *, is_quiet: bool, clock: Callable[[], float]
) -> Display:
    """As `open_display`, for a whole batch: the bar is the batch's, and lines come from its run."""
    if not is_quiet and stream.isatty():
        return BatchBar(stream, batch, clock=clock)
    return Lines(stream, shows_phases=False)


class Lines:
    """One line for each phase: for logs, pipes and screen readers."""

    def __init__(
        self,
        stream: TextIO,
        *,
        shows_phases: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream = stream
        self._shows_phases = shows_phases
        self._clock = clock
        self._estimate = ProgressEstimate()
        self._phase: Phase | None = None

    def say(self, line: str) -> None:
        print(line, file=self._stream, flush=True)

    def follow(self, event: JobEvent | ModelLoading) -> None:
        if isinstance(event, ModelLoading):
            return
        progress = self._estimate.follow(event, self._clock())
        is_new = progress.phase is not self._phase
        self._phase = progress.phase
        if self._shows_phases and is_new and progress.phase is not None:
            self.say(phase_words(progress))

    def paused(self) -> AbstractContextManager[None]:
        return nullcontext()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stream.flush()


class Bar:
    """A bar with phase, step and remaining time, gone when the job has ended."""

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress

        self._clock = clock
        self._estimate = ProgressEstimate()
        self._bar = RichProgress(
            BarColumn(bar_width=30),
            TextColumn("{task.description}", markup=False),
            console=Console(file=stream, highlight=False, markup=False, emoji=False),
            transient=True,
            refresh_per_second=4,  # drawing competes with the picture for the processor
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = self._bar.add_task("starting", total=1.0)

    def say(self, line: str) -> None:
        self._bar.console.print(line, soft_wrap=True)

    def follow(self, event: JobEvent | ModelLoading) -> None:
        if isinstance(event, ModelLoading):
            text = f"{PHASES[Phase.LOAD]}: {event.component} {event.fraction:.0%}"
            self._bar.update(self._task, description=text)
            return
        progress = self._estimate.follow(event, self._clock())
        self._bar.update(
            self._task, completed=progress.fraction, description=progress_words(progress)
        )

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._bar.stop()
        yield
        self._bar.start()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()


class BatchBar(Bar):
    """The bar of a whole batch, with the picture that is drawn."""

    def __init__(
        self, stream: TextIO, batch: BatchProgress, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(stream, clock=clock)
        self._batch = batch

    def follow(self, event: JobEvent | ModelLoading) -> None:
        if isinstance(event, ModelLoading):
            super().follow(event)
            return
        if isinstance(event, JobStarted):
            self._estimate = ProgressEstimate()
        now_s = self._clock()
        progress = self._estimate.follow(event, now_s)
        batch = self._batch
        words = f"{batch.done + 1} of {batch.total}: {PHASES[progress.phase or Phase.LOAD]}"
        left_s = batch.remaining_s(now_s, progress)
        if left_s is not None:
            words += f", {duration(left_s)} left"
        self._bar.update(self._task, completed=batch.fraction(progress), description=words)


def phase_words(progress: Progress) -> str:
    """`drawing`, or `picture 2 of 4: drawing`."""
    between = "saving" if progress.fraction else "starting"
    words = PHASES[progress.phase] if progress.phase is not None else between
    if progress.image_count == 1:
        return words
    return f"picture {progress.image_index + 1} of {progress.image_count}: {words}"


def progress_words(progress: Progress) -> str:
    """The phase, how far it is, and the time that is left once it can be told."""
    words = phase_words(progress)
    if progress.phase is Phase.DENOISE and progress.step:
        words += f", step {progress.step} of {progress.steps}"
    elif progress.phase is Phase.DECODE and progress.tiles > 1:
        words += f", part {progress.tile} of {progress.tiles}"
    if progress.remaining_s is not None:
        words += f", {duration(progress.remaining_s)} left"
    return words


class Results:
    """Standard output: one result a line, written at once.

    A stream that cannot be written costs the lines, not the pictures: `desktop.streams`.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout

    def line(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()
