"""`danqing selftest`, carried out: the steps as they are judged, and the result kept.

Separate from `desktop.check_command`, which only looks: this one runs for a minute and follows a
process. Steps are told on standard error, the answer on standard output.
"""

from __future__ import annotations

import contextlib
import json
import textwrap
import time
from typing import TYPE_CHECKING, TextIO

from desktop import check_texts, gpu_gate, messages
from desktop.arguments import RunSelfTest
from engine.port import (
    DevicePreference,
    EngineFault,
    MachineCheck,
    Report,
    SelfTest,
    SelfTestStep,
    Verdict,
)

if TYPE_CHECKING:
    from desktop.terminal import Results

STATUS_PASSED = 0
STATUS_FAILED = 1
STATUS_COULD_NOT_RUN = 3

_STATUS = {Verdict.PASS: STATUS_PASSED, Verdict.FAIL: STATUS_FAILED}
_ANSWERS = {Verdict.PASS: "passed", Verdict.FAIL: "failed"}
_MARKS = {
    Verdict.PASS: "pass",
    Verdict.WARN: "WARN",
    Verdict.FAIL: "FAIL",
    Verdict.UNKNOWN: "?",
    Verdict.CRASHED: "BUG",
    Verdict.INFO: "info",
    Verdict.NOT_APPLICABLE: "-",
}
_FAILED = (Verdict.FAIL, Verdict.CRASHED)
_WIDTH = 100


def run(
    command: RunSelfTest,
    test: SelfTest,
    machine: MachineCheck,
    results: Results,
    human: TextIO,
) -> int:
    """Run the self-test: 0 passed, 1 failed, 3 some of it could not be run (or be kept)."""
    report = machine.check()
    try:
        device, index = _target(command, test, report)
    except EngineFault as fault:
        return _refuse(command, fault, results, human)
    name = str(device) if device is DevicePreference.CPU else f"{device}:{index}"
    start = time.monotonic()
    if not command.is_json:
        human.write(f"testing {name}\n")
    done: list[SelfTestStep] = []
    steps = test.run(device, index, full_memory=command.has_full_memory)
    try:
        with contextlib.closing(steps):
            for step in steps:
                done.append(step)
                if command.is_json:
                    results.line(json.dumps(step_record(step), ensure_ascii=False))
                else:
                    human.writelines(f"{line}\n" for line in step_lines(step))
                    human.flush()
    except KeyboardInterrupt:
        human.write("danqing selftest: stopped, nothing is kept\n")
        raise
    verdict = test.verdict_of(done)
    seconds = time.monotonic() - start
    is_kept = gpu_gate.is_about(report, test, device, index)
    problem = _keep(done, test, machine, report) if is_kept else ""
    answer = _ANSWERS.get(verdict, "could not be run completely")
    if command.is_json:
        record = {
            "event": "finished",
            "device": name,
            "verdict": verdict,
            "seconds": round(seconds, 1),
            "error": problem or None,
        }
        results.line(json.dumps(record, ensure_ascii=False))
    else:
        results.line(f"self-test of {name} {answer} in {seconds:.0f} s")
    if problem:
        human.write(f"danqing selftest: {problem}\n")
        return STATUS_COULD_NOT_RUN
    return _STATUS.get(verdict, STATUS_COULD_NOT_RUN)


# --- which device ---------------------------------------------------------------------------------


def _target(command: RunSelfTest, test: SelfTest, report: Report) -> tuple[DevicePreference, int]:
    """As asked; else the chosen GPU if nothing speaks against it, or the CPU."""
    if command.device is DevicePreference.AUTO:
        return gpu_gate.selftest_target(report, test)
    if command.device is DevicePreference.CPU:
        return command.device, 0
    if command.device_index is not None:
        return command.device, command.device_index
    return command.device, gpu_gate.index_to_test(report, test)


def _refuse(command: RunSelfTest, fault: EngineFault, results: Results, human: TextIO) -> int:
    problem = str(messages.describe(fault.error))
    if command.is_json:
        record = {"event": "finished", "verdict": Verdict.UNKNOWN, "error": problem}
        results.line(json.dumps(record, ensure_ascii=False))
    human.write(f"danqing selftest: {problem}\n")
    return STATUS_COULD_NOT_RUN


def _keep(steps: list[SelfTestStep], test: SelfTest, machine: MachineCheck, report: Report) -> str:
    """Keep the result for the machine's combination; what went wrong, or nothing."""
    try:
        machine.record_selftest(gpu_gate.result_of(steps, test, report))
    except EngineFault as fault:
        return str(messages.describe(fault.error))
    return ""


# --- words ----------------------------------------------------------------------------------------


def step_lines(step: SelfTestStep) -> list[str]:
    """A step for a terminal: one line, and what it means and what to do where it did not pass."""
    measured = check_texts.sentence(step.measured)
    title = check_texts.step_title(step.name)
    lines = _wrapped(f"{_MARKS[step.verdict]:4}  {title}: {measured} ({step.seconds:.1f} s)")
    if step.verdict not in _FAILED and not step.fix:
        return lines
    if expected := check_texts.sentence(step.expected):
        lines += _wrapped(f"      needed: {expected}")
    if step.summary is not None:
        lines += _wrapped(f"      {check_texts.sentence(step.summary)}")
    for fix in step.fix:
        lines += _wrapped(f"      > {check_texts.sentence(fix)}")
    return lines


def step_record(step: SelfTestStep) -> dict[str, object]:
    """A step as JSON."""
    return {
        "event": "step",
        "name": step.name,
        "verdict": step.verdict,
        "measured": check_texts.sentence(step.measured),
        "expected": check_texts.sentence(step.expected),
        "seconds": step.seconds,
        "summary": None if step.summary is None else check_texts.sentence(step.summary),
        "fix": [check_texts.sentence(fix) for fix in step.fix],
        "detail": step.detail,
    }


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        subsequent_indent="        ",
        break_long_words=False,
        break_on_hyphens=False,
    )
