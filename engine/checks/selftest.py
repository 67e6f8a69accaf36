"""The self-test as seen from the program: starts its process, follows it, and judges its death.

Fulfils `engine.port.SelfTest`. A fault of a GPU ends the process that touched it (HSA aborts), a
hang never returns, and the system kills what takes too much memory: each becomes the outcome of the
step that it happened in. Separate from `selftest_child`, which must import PaddlePaddle; nothing
here does.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from engine.checks import selftest_plan as plan
from engine.checks import selftest_sensors
from engine.checks.selftest_messages import Alive, Begun, Done, Message, Outcome, decode
from engine.checks.selftest_words import WORDS, Cause
from engine.checks.sentences import NOTHING, say
from engine.port import DevicePreference, SelfTestStep, Verdict

CHILD = "engine.checks.selftest_child"

_POLL_S = 0.1
_GRACE_S = 5.0
"""For a process that has said that it is done: a driver's clean-up can hang."""

_MOST_PROCESSES = 3
"""After a death the rest is tried in a new process; a GPU that kills every one is left alone."""

_KEPT_STDERR_BYTES = 16384
_DETAIL_CHARACTERS = 2000
_MOST_LINE_BYTES = 1 << 20

_CAUSES: Mapping[int, Cause] = {
    signal.SIGABRT: Cause.ABORTED,
    signal.SIGSEGV: Cause.SEGMENTATION_FAULT,
    signal.SIGBUS: Cause.SEGMENTATION_FAULT,
    signal.SIGILL: Cause.ILLEGAL_INSTRUCTION,
    signal.SIGKILL: Cause.KILLED,
}


class SelfTest:
    """Runs self-tests; `child` is the module of its process, `silence_limit_s` how long a step may
    give no sign of life.
    """

    def __init__(
        self,
        child: str = CHILD,
        silence_limit_s: Callable[[str], float] = plan.silence_limit_s,
    ) -> None:
        self._child = child
        self._silence_limit_s = silence_limit_s

    def steps(self, *, full_memory: bool = False) -> Sequence[str]:
        return plan.steps(full_memory=full_memory)

    def run(
        self,
        device: DevicePreference,
        index: int = 0,
        *,
        full_memory: bool = False,
        on_begin: Callable[[str], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Generator[SelfTestStep, None, None]:
        """Each step as it is done, every one exactly once; see `engine.port.SelfTest`.

        After a signal the remaining steps are tried in a new process. After a hang they are not:
        the next process would hang too, and each takes minutes to tell.
        """
        left = list(plan.steps(full_memory=full_memory))
        reason = Cause.NOT_REACHED
        for _ in range(_MOST_PROCESSES):
            arguments = ["--device", f"{device}:{index}", *["--full-memory"] * full_memory]
            if left[0] != plan.ENUMERATE:
                arguments += [word for name in left for word in ("--only", name)]
            try:
                process = _Process.start(self._child, arguments)
            except OSError as error:
                yield step_of(_not_started(left.pop(0), error))
                break
            with contextlib.closing(process):
                follower = _Follower(process, left, self._silence_limit_s, on_begin, is_cancelled)
                yield from follower.follow()
            reason = follower.reason
            if not left or not follower.may_go_on:
                break
        for name in left:
            yield step_of(Outcome(name=name, verdict=Verdict.UNKNOWN, measured=say("not run"),
                                  cause=reason))  # fmt: skip

    def index_of(self, gpu: str) -> int | None:
        """The number of this GPU (a PCI address) among the visible ones."""
        return selftest_sensors.index_of(gpu)

    def verdict_of(self, steps: Sequence[SelfTestStep]) -> Verdict:
        """`pass` only if every step passed, does not apply, or is information."""
        found = {step.verdict for step in steps}
        if found & {Verdict.FAIL, Verdict.CRASHED}:
            return Verdict.FAIL
        harmless = {Verdict.PASS, Verdict.NOT_APPLICABLE, Verdict.INFO}
        return Verdict.PASS if found and found <= harmless else Verdict.UNKNOWN


def _not_started(name: str, error: OSError) -> Outcome:
    return Outcome(
        name=name,
        verdict=Verdict.FAIL,
        measured=say("ended with an error"),
        cause=Cause.NOT_STARTED,
        detail=str(error),
    )


def step_of(outcome: Outcome) -> SelfTestStep:
    """The outcome with the words for its cause."""
    words = WORDS[outcome.cause] if outcome.cause is not None else None
    return SelfTestStep(
        name=outcome.name,
        verdict=outcome.verdict,
        measured=outcome.measured,
        expected=outcome.expected,
        seconds=outcome.seconds,
        summary=words.meaning if words is not None else None,
        fix=words.fix if words is not None else (),
        detail=outcome.detail,
    )


class _Follower:
    """Follows one process: takes finished steps out of `left`, and judges how it ended.

    `may_go_on`: what is left can be tried in another process; `reason`: why it was not done.
    """

    def __init__(
        self,
        process: _Process,
        left: list[str],
        silence_limit_s: Callable[[str], float],
        on_begin: Callable[[str], None] | None,
        is_cancelled: Callable[[], bool] | None,
    ) -> None:
        self._process = process
        self._left = left
        self._silence_limit_s = silence_limit_s
        self._on_begin = on_begin
        self._is_cancelled = is_cancelled
        self._current = left[0]
        self._began = self._heard = time.monotonic()
        self.may_go_on = False
        self.reason = Cause.NOT_REACHED

    def follow(self) -> Iterator[SelfTestStep]:
        while True:
            if self._is_cancelled is not None and self._is_cancelled():
                self.reason = Cause.CANCELLED
                return
            messages = self._process.messages(_POLL_S)
            if messages is None:
                yield from self._died()
                return
            for message in messages:
                self._heard = time.monotonic()
                if isinstance(message, Done):
                    return
                yield from self._take(message)
            if time.monotonic() - self._heard > self._silence_limit_s(self._current):
                yield self._finish(self._ended(Cause.HUNG))
                return

    def _take(self, message: Message) -> Iterator[SelfTestStep]:
        match message:
            case Begun(name):
                self._current, self._began = name, self._heard
                if self._on_begin is not None:
                    self._on_begin(name)
            case Outcome() if message.name in self._left:
                yield self._finish(message)
            case Outcome() | Alive() | Done():
                pass

    def _died(self) -> Iterator[SelfTestStep]:
        """The process is gone without having said that it was done."""
        status = self._process.exit_status()
        if not self._left:
            return
        if self._current not in self._left:  # between two steps
            self._current = self._left[0]
        self.may_go_on = status is not None and status < 0
        cause = Cause.ENDED if status is None or status >= 0 else _CAUSES.get(-status, Cause.ENDED)
        yield self._finish(self._ended(cause, status))

    def _ended(self, cause: Cause, status: int | None = None) -> Outcome:
        seconds = time.monotonic() - self._began
        if cause is Cause.HUNG:
            measured = say("no sign of life for {seconds} s",
                           seconds=f"{time.monotonic() - self._heard:.0f}")  # fmt: skip
        elif status is not None and status < 0:
            measured = say("ended by the signal {signal}", signal=_signal_name(-status))
        else:
            measured = say("ended with the status {status}", status=status)
        return Outcome(
            name=self._current,
            verdict=Verdict.FAIL,
            measured=measured,
            expected=NOTHING,
            seconds=round(seconds, 3),
            cause=cause,
            detail=self._process.last_words(),
        )

    def _finish(self, outcome: Outcome) -> SelfTestStep:
        self._left.remove(outcome.name)
        return step_of(outcome)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


# --- the process ----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Process:
    """The child with its two pipes, read without a thread and without waiting for either."""

    popen: subprocess.Popen[bytes]
    selector: selectors.BaseSelector
    pending: bytes = b""
    stderr: bytes = b""
    is_over: bool = field(default=False)

    @classmethod
    def start(cls, module: str, arguments: Sequence[str]) -> _Process:
        """Start `python -m module`; -P keeps the user's working folder out of the imports."""
        root = str(Path(__file__).parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        popen = subprocess.Popen(
            [sys.executable, "-P", "-m", module, *arguments],
            stdin=subprocess.PIPE,  # its end tells the child that nobody listens any more
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # Ctrl+C in a terminal is the parent's to handle
        )
        selector = selectors.DefaultSelector()
        for pipe in (popen.stdout, popen.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ)
        return cls(popen, selector)

    def messages(self, timeout_s: float) -> list[Message] | None:
        """What came within the time; None once the child's output has ended and all was read."""
        if not self.selector.get_map():
            return None
        found: list[Message] = []
        for key, _ in self.selector.select(timeout_s):
            pipe = key.fileobj
            assert not isinstance(pipe, int)
            if pipe is self.popen.stdout:
                found += self._lines(self._read(self.popen.stdout))
            else:
                self.stderr = (self.stderr + self._read(self.popen.stderr))[-_KEPT_STDERR_BYTES:]
        return found

    def _read(self, pipe: IO[bytes] | None) -> bytes:
        assert pipe is not None
        content = os.read(pipe.fileno(), 65536)
        if not content:
            self.selector.unregister(pipe)
        return content

    def _lines(self, content: bytes) -> list[Message]:
        *lines, rest = (self.pending + content).split(b"\n")
        self.pending = rest[-_MOST_LINE_BYTES:]
        decoded = (decode(line.decode("utf-8", errors="replace")) for line in lines)
        return [message for message in decoded if message is not None]

    def exit_status(self) -> int | None:
        """How the child ended, as `subprocess` says it; None if it closed its output and lives."""
        try:
            return self.popen.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            return None

    def last_words(self) -> str:
        """The end of what the child and its libraries said on standard error."""
        text = self.stderr.decode("utf-8", errors="replace").strip()
        return text[-_DETAIL_CHARACTERS:]

    def close(self) -> None:
        """End the child, whatever it does."""
        assert self.popen.stdin is not None
        with contextlib.suppress(OSError):
            self.popen.stdin.close()
        if self.popen.poll() is None:
            self.popen.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):  # stuck in a driver: it cannot die
            self.popen.wait(_GRACE_S)
        self.selector.close()
        for pipe in (self.popen.stdout, self.popen.stderr):
            assert pipe is not None
            pipe.close()
