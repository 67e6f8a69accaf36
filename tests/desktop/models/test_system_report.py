"""The check in the window, without a window: recorded machines, a scripted self-test process."""

from __future__ import annotations

import asyncio
import json
import os
import time
import zipfile
from pathlib import Path

import pytest

from desktop.models.system_report import ISSUE_CHARACTERS, SystemReport
from engine.checks import selftest_plan as plan
from engine.port import (
    CheckRecord,
    DevicePreference,
    EngineFault,
    ErrorCode,
    Gate,
    Verdict,
)
from tests.fakes.machines import (
    CARD,
    HEALTHY,
    NAMES,
    RECORDED,
    PretendedMachine,
    PretendedSelfTest,
    healthy,
    recorded_machine,
)
from tests.waiting import until

PERMISSION = "11-debian-kfd-render-user-video"
SMALL_BAR = healthy(files={f"{CARD}/mem_info_vis_vram_total": str(256 * 2**20)})


class Sitting:
    """A report on a pretended machine, and what was told about it."""

    def __init__(self, snapshot, folder: Path) -> None:
        self.machine = PretendedMachine(snapshot, folder)
        self.report = SystemReport(lambda: self.machine, PretendedSelfTest)
        self.judged: list = []
        self.report.judged.connect(self.judged.append)

    @property
    def gate(self) -> Gate:
        assert self.report.own is not None
        return self.report.own.gate


@pytest.fixture
def sit(tmp_path, qapp):
    return lambda snapshot=HEALTHY: Sitting(snapshot, tmp_path)


@pytest.fixture(autouse=True)
def script(monkeypatch):
    def write(**steps: str) -> None:
        monkeypatch.setenv("DANQING_TEST_SCRIPT", json.dumps(steps))

    write()
    return write


def wait_for_text(file: Path) -> None:
    """Until another process has written something into a file."""
    deadline = time.monotonic() + 20
    while not file.exists() or not file.read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# --- checking -------------------------------------------------------------------------------------


def test_rows_are_there_before_paddlepaddle_has_answered(sit, run):
    sitting = sit()
    seen = []
    sitting.report.changed.connect(
        lambda: seen.append((bool(sitting.report.groups()), sitting.report.is_complete))
    )
    run(sitting.report.check())
    assert (True, False) in seen
    assert seen[-1] == (True, True)
    assert [report.gate for report in sitting.judged] == [Gate.NEEDS_SELFTEST]
    run(sitting.report.check())
    assert sitting.machine.probes == 2


@pytest.mark.parametrize("name", NAMES)
def test_groups_hold_every_row_once_the_worst_first(sit, run, name):
    sitting = sit(recorded_machine(name))
    run(sitting.report.check())
    groups = sitting.report.groups()
    rows = [row for group in groups for row in group.rows]
    assert sorted(map(id, rows)) == sorted(map(id, sitting.report.own.checks))
    order = list(Verdict)
    assert [g.key for g in groups if g.key != "information"] == [
        "machine", "gpu", "software", "selftest",
    ]  # fmt: skip
    for group in groups:
        fails = [row.verdict in (Verdict.CRASHED, Verdict.FAIL) for row in group.rows]
        assert fails == sorted(fails, reverse=True), order


def test_only_a_complete_report_decides(sit, run):
    sitting = sit()
    assert not run(sitting.report.device()).allows_gpu
    assert run(sitting.report.device()).check is None
    run(sitting.report.check())
    assert run(sitting.report.device()).check == CheckRecord(gate=Gate.NEEDS_SELFTEST)


def test_a_glance_asks_paddlepaddle_nothing_and_decides_nothing(sit, run):
    sitting = sit()
    run(sitting.report.glance())
    assert sitting.report.groups()
    assert (sitting.machine.probes, sitting.judged) == (0, [])
    run(sitting.report.run_selftest())  # whose result would be for an incomplete combination
    assert sitting.report.steps == ()
    run(sitting.report.check())
    run(sitting.report.glance())
    assert sitting.report.is_complete


def test_two_checks_at_once_are_made_one_after_the_other(sit, run):
    sitting = sit()

    async def twice():
        await asyncio.gather(sitting.report.check(), sitting.report.check())

    run(twice())
    assert len(sitting.judged) == 2
    assert not sitting.report.is_checking


# --- the self-test --------------------------------------------------------------------------------


def test_a_passed_self_test_opens_the_gate(sit, run):
    sitting = sit()
    states = []
    sitting.report.steps_changed.connect(lambda: states.append(sitting.report.steps))

    async def whole():
        await sitting.report.check()
        await sitting.report.run_selftest()

    run(whole())
    assert sitting.gate is Gate.OPEN
    assert sitting.report.target == (DevicePreference.GPU, 0)
    device = run(sitting.report.device())
    assert (device.index, device.allows_gpu) == (0, True)
    assert [state.name for state in sitting.report.steps] == list(plan.steps(full_memory=False))
    assert {state.result.verdict for state in sitting.report.steps} == {Verdict.PASS}
    assert any(state.is_running for states_then in states for state in states_then)


def test_a_kept_self_test_is_shown_again_at_the_next_start(sit, run):
    async def whole():
        first = sit()
        await first.report.check()
        await first.report.run_selftest()
        second = sit()
        await second.report.check()
        return second

    second = run(whole())
    assert second.gate is Gate.OPEN
    assert second.report.steps[0].result.verdict is Verdict.PASS


def test_a_failed_step_blocks_and_the_rest_is_told(sit, run, script):
    script(**{"matmul.float16": "abort"})
    sitting = sit()

    async def whole():
        await sitting.report.check()
        await sitting.report.run_selftest()

    run(whole())
    assert sitting.gate is Gate.BLOCKED
    assert sitting.report.own.blocked_by == ("selftest",)
    failed = [s.name for s in sitting.report.steps if s.result.verdict is Verdict.FAIL]
    assert failed == ["matmul.float16"]
    assert sitting.report.may_override


def test_a_stopped_self_test_decides_nothing_and_leaves_no_process(sit, run, script, tmp_path):
    mark = tmp_path / "running"
    script(copy=f"wait-for:{mark}")
    sitting = sit()

    async def whole():
        report = sitting.report
        await report.check()
        test = asyncio.create_task(report.run_selftest())
        await until(report.steps_changed, lambda: any(s.name == "copy" and s.is_running
                                                      for s in report.steps))  # fmt: skip
        await asyncio.to_thread(wait_for_text, mark)
        child = int(mark.read_text())
        assert report.is_testing
        await report.run_selftest()  # a second one is not begun
        report.stop_selftest()
        await asyncio.wait_for(test, 20)
        return child

    child = run(whole())
    assert not sitting.report.is_testing
    assert sitting.gate is Gate.NEEDS_SELFTEST
    assert sitting.report.steps[-1].result.verdict is Verdict.UNKNOWN
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_without_a_gpu_the_cpu_is_tested_and_proves_nothing_about_one(sit, run):
    sitting = sit(recorded_machine("49-nvidia-4090-rebar"))

    async def whole():
        await sitting.report.check()
        await sitting.report.run_selftest()

    run(whole())
    assert sitting.report.target == (DevicePreference.CPU, 0)
    assert sitting.gate is Gate.BLOCKED
    assert sitting.machine.last_selftest(sitting.report.own) is None
    assert not sitting.report.may_override


def test_what_has_changed_since_the_last_pass_is_named(sit, run):
    sitting = sit()

    async def whole():
        await sitting.report.check()
        await sitting.report.run_selftest()
        sitting.machine.snapshot = healthy(release="6.17.0-1")
        await sitting.report.check()

    run(whole())
    assert sitting.gate is Gate.NEEDS_SELFTEST
    assert sitting.report.own.changed == ("kernel",)


# --- decisions ------------------------------------------------------------------------------------


def test_warnings_are_acknowledged(sit, run):
    sitting = sit(SMALL_BAR)

    async def whole():
        await sitting.report.check()
        await sitting.report.run_selftest()
        assert sitting.gate is Gate.NEEDS_ACKNOWLEDGEMENT
        await sitting.report.acknowledge()

    run(whole())
    assert sitting.gate is Gate.OPEN
    assert run(sitting.report.device()).check.acknowledged == ("pcie.rebar",)


def test_an_override_can_be_made_and_taken_back(sit, run):
    sitting = sit(recorded_machine(PERMISSION))
    run(sitting.report.check())
    assert sitting.report.may_override
    run(sitting.report.override(is_on=True))
    assert sitting.gate is Gate.OPEN
    assert run(sitting.report.device()).check.is_overridden
    run(sitting.report.override(is_on=False))
    assert sitting.gate is Gate.BLOCKED


def test_there_is_nothing_to_override_before_the_check_or_without_need(sit, run):
    sitting = sit()
    run(sitting.report.override(is_on=True))
    assert sitting.report.own is None
    run(sitting.report.check())
    run(sitting.report.override(is_on=True))
    assert sitting.gate is Gate.NEEDS_SELFTEST


def test_a_decision_that_cannot_be_kept_is_told(sit, run, tmp_path):
    (tmp_path / "state").write_text("in the way")
    sitting = sit(recorded_machine(PERMISSION))
    run(sitting.report.check())
    with pytest.raises(EngineFault) as fault:
        run(sitting.report.override(is_on=True))
    assert fault.value.error.code is ErrorCode.FILE_NOT_WRITTEN


# --- recordings, files, texts ---------------------------------------------------------------------


def test_another_machine_is_shown_and_decides_nothing(sit, run, tmp_path):
    sitting = sit()

    async def whole():
        await sitting.report.check()
        await sitting.report.open_recording(RECORDED / PERMISSION / "snapshot")

    run(whole())
    report = sitting.report
    assert report.recording is not None
    assert report.shown is not None
    assert report.shown.gate is Gate.BLOCKED
    assert sitting.gate is Gate.NEEDS_SELFTEST
    assert not report.may_override
    assert len(sitting.judged) == 1
    run(report.save_bundle(tmp_path / "theirs.zip"))
    run(report.open_recording(tmp_path / "theirs.zip"))
    assert report.shown.blocked_by == ("dev.perm",)
    report.show_own()
    assert (report.recording, report.shown) == (None, report.own)


@pytest.mark.parametrize("content", [None, b"no zip"])
def test_what_is_no_recording_is_refused_and_leaves_what_is_shown(sit, run, tmp_path, content):
    file = tmp_path / "x.zip"
    if content is not None:
        file.write_bytes(content)
    sitting = sit()
    run(sitting.report.check())
    with pytest.raises(EngineFault) as fault:
        run(sitting.report.open_recording(file))
    assert fault.value.error.code is ErrorCode.SNAPSHOT_UNREADABLE
    assert sitting.report.shown is sitting.report.own


def test_the_bundle_of_this_machine_can_be_read_again(sit, run, tmp_path):
    sitting = sit()
    run(sitting.report.check())
    run(sitting.report.save_bundle(tmp_path / "mine.zip"))
    with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
        assert "report.json" in archive.namelist()


def test_the_text_for_an_issue_fits(sit, run):
    sitting = sit(recorded_machine("71-r9700-x4-rccl"))
    assert run(sitting.report.issue_text()) == ""
    run(sitting.report.check())
    text = run(sitting.report.issue_text())
    assert text.startswith("**Danqing")
    assert len(text) <= ISSUE_CHARACTERS


def test_a_log_is_explained(sit, run):
    report = sit().report
    (known,) = run(report.explain("rocBLAS error: Cannot read TensileLibrary.dat"))
    assert known.check == "rocm.arch"
    assert run(report.explain("all is well")) == ()
