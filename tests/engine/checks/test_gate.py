"""The gate, step by step: blocked, self-test, acknowledgement, open; and what is remembered."""

from __future__ import annotations

import json

import pytest

from engine.checks import judge
from engine.checks.decisions import FILE_NAME, Decisions
from engine.checks.snapshot import Snapshot
from engine.port import (
    EngineFault,
    ErrorCode,
    Gate,
    Report,
    SelfTestResult,
    SelfTestStep,
    Sentence,
    Verdict,
)
from tests.fakes.machines import CARD, HEALTHY, healthy, resource

SMALL_BAR = healthy(
    files={
        f"{CARD}/mem_info_vis_vram_total": str(2**28),
        f"{CARD}/resource": resource(0x7000000000, 2**28),
    }
)


@pytest.fixture
def decisions(tmp_path):
    return Decisions(tmp_path / "state")


def result_for(report: Report, verdict: Verdict = Verdict.PASS) -> SelfTestResult:
    step = SelfTestStep(
        name="matmul",
        verdict=verdict,
        measured=Sentence("{n} of {m}", {"n": "3", "m": "3"}),
        expected=Sentence.verbatim("3"),
        seconds=1.5,
        detail="",
    )
    return SelfTestResult(
        verdict=verdict,
        finished="2026-11-30T12:00:00Z",
        combination=report.combination,
        steps=(step,),
    )


def check(snapshot: Snapshot, decisions: Decisions) -> Report:
    return judge.judge(snapshot, decisions)


def test_a_healthy_machine_needs_its_selftest_and_nothing_else(decisions):
    report = check(HEALTHY, decisions)
    assert report.gate is Gate.NEEDS_SELFTEST
    assert not report.allowed
    decisions.record_selftest(result_for(report))
    after = check(HEALTHY, decisions)
    assert after.gate is Gate.OPEN
    assert after.allowed
    assert next(c for c in after.checks if c.id == "selftest").verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("verdict", "gate"),
    [
        (Verdict.FAIL, Gate.BLOCKED),
        (Verdict.CRASHED, Gate.BLOCKED),
        (Verdict.UNKNOWN, Gate.NEEDS_SELFTEST),
        (Verdict.WARN, Gate.NEEDS_SELFTEST),
    ],
)
def test_a_selftest_that_did_not_pass(decisions, verdict, gate):
    decisions.record_selftest(result_for(check(HEALTHY, decisions), verdict))
    report = check(HEALTHY, decisions)
    assert report.gate is gate
    assert ("selftest" in report.blocked_by) == (gate is Gate.BLOCKED)


def test_a_warning_has_to_be_read_once(decisions):
    decisions.record_selftest(result_for(check(SMALL_BAR, decisions)))
    report = check(SMALL_BAR, decisions)
    assert report.gate is Gate.NEEDS_ACKNOWLEDGEMENT
    assert report.acknowledge == ("pcie.rebar",)
    decisions.acknowledge(report.combination, report.acknowledge)
    after = check(SMALL_BAR, decisions)
    assert after.gate is Gate.OPEN
    assert after.acknowledge == ()
    assert after.acknowledged == ("pcie.rebar",)


def test_a_warning_that_can_no_longer_be_seen_is_not_gone(decisions):
    decisions.record_selftest(result_for(check(SMALL_BAR, decisions)))
    blind = healthy(files={f"{CARD}/mem_info_vis_vram_total": None, f"{CARD}/resource": None})
    assert check(blind, decisions).gate is Gate.NEEDS_ACKNOWLEDGEMENT


def test_a_warning_that_was_put_right_is_gone(decisions):
    decisions.record_selftest(result_for(check(SMALL_BAR, decisions)))
    assert check(HEALTHY, decisions).gate is Gate.OPEN


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"release": "6.15.0-1-generic"}, "kernel"),
        ({"files": {"/proc/cmdline": "ro quiet"}}, "command line"),
        ({"files": {"/sys/class/dmi/id/bios_version": "3500"}}, "bios"),
        ({"files": {f"{CARD}/vbios_version": "113-OTHER"}}, "vbios"),
        ({"files": {"/sys/module/amdgpu/version": "6.16.6"}}, "driver"),
        ({"files": {"/opt/rocm/.info/version": "7.2.0"}}, "rocm"),
        ({"files": {f"{CARD}/device": "0x7550"}}, "gpu"),
    ],
)
def test_a_changed_machine_has_to_prove_itself_again(decisions, changes, part):
    decisions.record_selftest(result_for(check(HEALTHY, decisions)))
    report = check(healthy(**changes), decisions)
    assert report.gate is Gate.NEEDS_SELFTEST
    assert report.changed == (part,)
    assert check(HEALTHY, decisions).gate is Gate.OPEN  # and back again


def test_the_combination_names_no_disk():
    report = judge.judge(healthy(files={"/proc/cmdline": "root=UUID=1234 BOOT_IMAGE=/x quiet"}))
    assert "1234" not in report.combination["command line"]
    assert "quiet" in report.combination["command line"]


def test_an_override_opens_a_blocked_gate_and_says_so(decisions):
    hidden = healthy(env={"HIP_VISIBLE_DEVICES": ""})
    report = check(hidden, decisions)
    assert report.gate is Gate.BLOCKED
    decisions.override(report.combination, is_on=True)
    opened = check(hidden, decisions)
    assert opened.gate is Gate.OPEN
    assert opened.is_overridden
    assert opened.blocked_by == ("env.vars",)
    decisions.override(report.combination, is_on=False)
    assert check(hidden, decisions).gate is Gate.BLOCKED


def test_an_override_replaces_no_selftest(decisions):
    decisions.override(check(HEALTHY, decisions).combination, is_on=True)
    report = check(HEALTHY, decisions)
    assert report.gate is Gate.NEEDS_SELFTEST
    assert not report.is_overridden


def test_somebody_elses_machine_is_never_open(decisions):
    decisions.record_selftest(result_for(check(HEALTHY, decisions)))
    assert judge.judge(HEALTHY).gate is Gate.NEEDS_SELFTEST


def test_results_come_back_whole(decisions):
    result = result_for(check(HEALTHY, decisions))
    decisions.record_selftest(result)
    assert decisions.of(result.combination).selftest == result


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"entries": 3}', b'{"entries": [3, {"combination": 4}]}', b"\xff",
     b'{"entries": [{"combination": {}, "selftest": {"verdict": "great"}}]}'],
)  # fmt: skip
def test_a_broken_file_proves_nothing_and_can_be_replaced(decisions, tmp_path, content):
    file = tmp_path / "state" / FILE_NAME
    file.parent.mkdir()
    file.write_bytes(content)
    report = check(HEALTHY, decisions)
    assert report.gate is Gate.NEEDS_SELFTEST
    decisions.record_selftest(result_for(report))
    assert check(HEALTHY, decisions).gate is Gate.OPEN


def test_few_combinations_are_kept(decisions, tmp_path):
    for number in range(40):
        decisions.acknowledge({"kernel": str(number)}, ["iommu"])
    entries = json.loads((tmp_path / "state" / FILE_NAME).read_text())["entries"]
    assert len(entries) == 20
    assert entries[0]["combination"] == {"kernel": "39"}


def test_a_full_disk_is_said(tmp_path):
    (tmp_path / "state").touch()
    with pytest.raises(EngineFault) as caught:
        Decisions(tmp_path / "state").acknowledge({}, ["iommu"])
    assert caught.value.error.code is ErrorCode.FILE_NOT_WRITTEN
