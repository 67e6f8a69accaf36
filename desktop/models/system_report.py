"""The check of this machine while the window is open: its report, the self-test, decisions.

Owned here: that this machine's report and a recorded one are never mistaken for each other, that
only a complete report decides about the GPU, and that everything slow runs in a worker thread. The
methods that do something are coroutines; where something expected goes wrong they raise
`EngineFault`. Separate from the views, which only show it, and from `desktop.gpu_gate`, whose
decisions hold without a window too.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop import check_texts, gpu_gate
from engine.port import (
    CheckResult,
    ChooseDevice,
    DevicePreference,
    Explanation,
    Gate,
    MachineCheck,
    Report,
    SelfTest,
    SelfTestStep,
)

ISSUE_CHARACTERS = 65_000
"""What an issue tracker takes in one text."""

OpenCheck = Callable[[], MachineCheck]
OpenSelfTest = Callable[[], SelfTest]


@dataclass(frozen=True, slots=True)
class Group:
    """Rows under one heading (a key of `check_texts.GROUPS`), the worst first."""

    key: str
    rows: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True)
class StepState:
    """A step of the self-test: `result` is None until it is done."""

    name: str
    result: SelfTestStep | None = None
    is_running: bool = False


class SystemReport(QObject):
    """Checks when told to; `open_check` and `open_selftest` are called once, in a worker thread."""

    changed = Signal()
    """What is shown is another report, or something about it has changed."""
    steps_changed = Signal()
    """A step of the self-test began or ended, or the self-test did."""
    selftest_started = Signal()
    """It needs memory: whoever holds some for nothing should give it back."""
    judged = Signal(object)
    """A complete `Report` of this machine: what the engine has to know."""

    def __init__(
        self, open_check: OpenCheck, open_selftest: OpenSelfTest, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._open_check = open_check
        self._open_selftest = open_selftest
        self._machine: MachineCheck | None = None
        self._test: SelfTest | None = None
        self._opening = threading.Lock()
        self._lock = asyncio.Lock()
        self._own: Report | None = None
        self._other: Report | None = None
        self._recording: Path | None = None
        self._is_complete = False
        self._is_number_known = True
        self._is_checking = False
        self._stop: threading.Event | None = None
        self._steps: dict[str, StepState] = {}
        self._target = (DevicePreference.CPU, 0)

    # --- what there is to show --------------------------------------------------------------------

    @property
    def own(self) -> Report | None:
        """This machine's report."""
        return self._own

    @property
    def shown(self) -> Report | None:
        """The report to show: the opened recording's, else this machine's."""
        return self._own if self._recording is None else self._other

    @property
    def recording(self) -> Path | None:
        """The recorded machine that is shown; None while this one is."""
        return self._recording

    @property
    def is_checking(self) -> bool:
        return self._is_checking

    @property
    def is_complete(self) -> bool:
        """Whether PaddlePaddle has been asked too; before, nothing is decided."""
        return self._is_complete

    @property
    def is_number_known(self) -> bool:
        """Whether the engine can be told which GPU was checked; it uses the CPU otherwise."""
        return self._is_number_known

    @property
    def is_testing(self) -> bool:
        return self._stop is not None

    @property
    def steps(self) -> tuple[StepState, ...]:
        """The steps of this sitting's self-test, or of the last one that was kept."""
        return () if self._recording is not None else tuple(self._steps.values())

    @property
    def target(self) -> tuple[DevicePreference, int]:
        """What the self-test of `steps` computed on."""
        return self._target

    @property
    def may_override(self) -> bool:
        """Whether opening the gate against advice makes sense: there is something to use."""
        report = self._own
        return (
            report is not None
            and self._recording is None
            and self._is_complete
            and report.gate is Gate.BLOCKED
            and "gpu.present" not in report.blocked_by
        )

    def groups(self) -> list[Group]:
        """The shown report's rows under their headings; headings without rows are left out."""
        return grouped(self.shown.checks) if self.shown is not None else []

    # --- checking ---------------------------------------------------------------------------------

    async def glance(self) -> None:
        """Judge this machine without PaddlePaddle's answer, if it has not been judged yet: for rows
        at once, and while PaddlePaddle is being loaded for the engine anyway.
        """
        async with self._lock:
            if self._own is None:
                await self._judge(probe=False)

    async def check(self) -> None:
        """Judge this machine; the first time after a glance, since the whole may take seconds."""
        async with self._lock:
            if self._own is None:
                await self._judge(probe=False)
            report = await self._judge(probe=True)
            await self._recall_selftest(report)
            index = await asyncio.to_thread(
                lambda: gpu_gate.proved_index(report, self._opened_test())
            )
            self._is_number_known = index is not None
            self.judged.emit(report)

    async def device(self) -> ChooseDevice:
        """What the engine is told of the last complete report; nothing before there is one."""
        report = self._own
        if report is None or not self._is_complete:
            return ChooseDevice()
        return await asyncio.to_thread(lambda: gpu_gate.of_report(report, self._opened_test()))

    async def _judge(self, *, probe: bool) -> Report:
        self._is_checking = True
        self.changed.emit()
        try:
            self._own = await asyncio.to_thread(lambda: self._opened_machine().check(probe=probe))
            self._is_complete |= probe
            return self._own
        finally:
            self._is_checking = False
            self.changed.emit()

    async def _recall_selftest(self, report: Report) -> None:
        """Show the steps of the kept self-test, unless this sitting has its own."""
        if self._steps:
            return
        kept = await asyncio.to_thread(lambda: self._opened_machine().last_selftest(report))
        if kept is not None:
            self._steps = {step.name: StepState(step.name, step) for step in kept.steps}
            self._target = (DevicePreference.GPU, 0)  # no other device's is kept
            self.steps_changed.emit()

    # --- the self-test ----------------------------------------------------------------------------

    async def run_selftest(self) -> None:
        """Test the chosen GPU, or the CPU where there is none, and judge the machine again.

        A result is kept for the GPU that the report is about, unless it was stopped.
        """
        if self._stop is not None or self._own is None or not self._is_complete:
            return
        stop, report = threading.Event(), self._own
        self._stop = stop
        try:
            self._target = await asyncio.to_thread(self._target_of, report)
            self._steps = {name: StepState(name) for name in self._opened_test().steps()}
            self.steps_changed.emit()
            self.selftest_started.emit()
            done = await asyncio.to_thread(
                self._follow, stop, asyncio.get_running_loop(), *self._target
            )
            if not stop.is_set():
                await asyncio.to_thread(self._keep, done, report)
        finally:
            self._stop = None
            self.steps_changed.emit()
        await self.check()

    def stop_selftest(self) -> None:
        """End the self-test; what has not been done ends as `unknown`."""
        if self._stop is not None:
            self._stop.set()

    def _target_of(self, report: Report) -> tuple[DevicePreference, int]:
        return gpu_gate.selftest_target(report, self._opened_test())

    def _follow(
        self,
        stop: threading.Event,
        loop: asyncio.AbstractEventLoop,
        device: DevicePreference,
        index: int,
    ) -> list[SelfTestStep]:
        """In a worker thread: every step, told to the window's thread as it comes."""

        def begin(name: str) -> None:
            loop.call_soon_threadsafe(self._set_step, StepState(name, is_running=True))

        done: list[SelfTestStep] = []
        run = self._opened_test().run(device, index, on_begin=begin, is_cancelled=stop.is_set)
        with closing(run):
            for step in run:
                done.append(step)
                loop.call_soon_threadsafe(self._set_step, StepState(step.name, step))
        return done

    def _set_step(self, state: StepState) -> None:
        self._steps[state.name] = state
        self.steps_changed.emit()

    def _keep(self, done: Sequence[SelfTestStep], report: Report) -> None:
        test = self._opened_test()
        if gpu_gate.is_about(report, test, *self._target):
            self._opened_machine().record_selftest(gpu_gate.result_of(done, test, report))

    # --- decisions --------------------------------------------------------------------------------

    async def acknowledge(self) -> None:
        """Keep that every warning that holds the gate has been read."""
        report = self._own
        if report is not None and report.acknowledge:
            await asyncio.to_thread(
                lambda: self._opened_machine().acknowledge(report, report.acknowledge)
            )
            await self.check()

    async def override(self, *, is_on: bool) -> None:
        """Open a blocked gate against advice, or take that back. Asking twice is the view's."""
        report = self._own
        if report is not None and (self.may_override or not is_on):
            await asyncio.to_thread(lambda: self._opened_machine().override(report, is_on=is_on))
            await self.check()

    # --- files and texts --------------------------------------------------------------------------

    async def open_recording(self, place: Path) -> None:
        """Show the machine recorded in a folder or zip, until `show_own`."""
        report = await asyncio.to_thread(lambda: self._opened_machine().check(place))
        self._other, self._recording = report, place
        self.changed.emit()
        self.steps_changed.emit()

    def show_own(self) -> None:
        """Show this machine again."""
        self._other = self._recording = None
        self.changed.emit()
        self.steps_changed.emit()

    async def save_bundle(self, file: Path) -> None:
        """Write the shown machine and its report, without anything personal, replacing `file`."""
        place = self._recording
        await asyncio.to_thread(lambda: self._opened_machine().save_bundle(file, place))

    async def issue_text(self) -> str:
        """The shown report for an issue, without anything personal; "" before there is one."""
        report = self.shown
        if report is None:
            return ""
        return await asyncio.to_thread(
            lambda: self._opened_machine().report_text(report, ISSUE_CHARACTERS)
        )

    async def explain(self, text: str) -> Sequence[Explanation]:
        """What is known in a pasted text; the worst first."""
        return await asyncio.to_thread(lambda: self._opened_machine().explain(text))

    # --- in worker threads ------------------------------------------------------------------------

    def _opened_machine(self) -> MachineCheck:
        with self._opening:
            if self._machine is None:
                self._machine = self._open_check()
            return self._machine

    def _opened_test(self) -> SelfTest:
        with self._opening:
            if self._test is None:
                self._test = self._open_selftest()
            return self._test


def grouped(checks: Sequence[CheckResult]) -> list[Group]:
    """Rows under their headings, in the order of the headings; the worst first."""
    groups = []
    for key in check_texts.GROUPS:
        rows = [row for row in checks if check_texts.group_of(row.id) == key]
        if rows:
            groups.append(Group(key, tuple(sorted(rows, key=check_texts.in_order))))
    return groups
