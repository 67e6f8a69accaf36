"""`danqing check` and `danqing explain`, carried out.

Separate from `desktop.cli`, which makes pictures: here nothing is loaded but the check itself. The
report is the result and goes to standard output; what went wrong goes to standard error.
"""

from __future__ import annotations

import errno
import json
import stat
import sys
import textwrap
from typing import TYPE_CHECKING, TextIO

from desktop import check_texts, messages
from desktop.arguments import CheckMachine, ExplainText
from engine.port import (
    CheckResult,
    EngineError,
    EngineFault,
    ErrorCode,
    Explanation,
    MachineCheck,
    Report,
    Verdict,
)

if TYPE_CHECKING:
    from desktop.terminal import Results

STATUS_YES = 0
STATUS_NO = 1
STATUS_COULD_NOT_RUN = 3

_WIDTH = 100
_MAX_TEXT = 16 * 2**20
_QUIET = (Verdict.NOT_APPLICABLE, Verdict.INFO)
_MARKS = {
    Verdict.PASS: "pass",
    Verdict.WARN: "WARN",
    Verdict.FAIL: "FAIL",
    Verdict.UNKNOWN: "?",
    Verdict.CRASHED: "BUG",
    Verdict.INFO: "info",
    Verdict.NOT_APPLICABLE: "-",
}


def check(command: CheckMachine, machine: MachineCheck, results: Results, human: TextIO) -> int:
    """`danqing check`: 0 if the GPU may be used, 1 if it may not, 3 if nothing could be checked."""
    try:
        if command.bundle is not None:
            report = machine.save_bundle(command.bundle, command.snapshot, probe=command.has_probe)
        else:
            report = machine.check(command.snapshot, probe=command.has_probe)
        if command.is_acknowledging and report.acknowledge:
            machine.acknowledge(report, report.acknowledge)
            report = machine.check()
    except EngineFault as fault:
        human.write(f"danqing check: {messages.describe(fault.error)}\n")
        return STATUS_COULD_NOT_RUN
    if command.is_json:
        results.line(machine.report_json(report))
    else:
        for line in report_lines(report):
            results.line(line)
    if command.bundle is not None:
        human.write(f"recorded, without anything personal: {command.bundle}\n")
    return STATUS_YES if report.allowed else STATUS_NO


def report_lines(report: Report) -> list[str]:
    """The report for a terminal: the answer, the GPUs, then rows, the worst first."""
    lines = [check_texts.answer(report)]
    lines += [f"  blocked by: {check_texts.title(name)} ({name})" for name in report.blocked_by]
    lines += [f"  to be read: {check_texts.title(name)} ({name})" for name in report.acknowledge]
    lines += [f"  changed since the last self-test: {', '.join(report.changed)}"] * bool(
        report.changed
    )
    lines.append("")
    for gpu in report.gpus:
        mark = "*" if gpu.key == report.chosen_gpu else " "
        size = "" if gpu.vram_bytes is None else f", {gpu.vram_bytes / 2**30:.1f} GiB"
        kind = check_texts.KINDS[gpu.kind]
        usable = "" if gpu.is_usable else ", cannot be used"
        lines.append(f"{mark} {gpu.key}  {gpu.name} ({gpu.gfx or 'gfx?'}{size}, {kind}{usable})")
    lines += [f"  {check_texts.sentence(report.reason)}", ""]
    shown = [row for row in report.checks if row.verdict not in _QUIET]
    for row in sorted(shown, key=check_texts.in_order):
        lines += _row_lines(row)
    return lines


def _row_lines(row: CheckResult) -> list[str]:
    where = f" {row.gpu}" if row.gpu else ""
    title = f"{_MARKS[row.verdict]:4}  {check_texts.title(row.id)} ({row.id}{where}): "
    lines = _wrapped(title + check_texts.sentence(row.summary), "      ")
    if row.verdict not in (Verdict.FAIL, Verdict.WARN, Verdict.CRASHED):
        return lines
    measured = check_texts.sentence(row.measured)
    expected = check_texts.sentence(row.expected)
    if measured:
        lines += _wrapped(f"      found: {measured}", "        ")
    if expected:
        lines += _wrapped(f"      needed: {expected}", "        ")
    for step in row.fix:
        lines += _wrapped(f"      > {check_texts.sentence(step)}", "        ")
    return lines


def _wrapped(text: str, indent: str) -> list[str]:
    """Lines that break between words only, so that commands can be copied."""
    return textwrap.wrap(
        text,
        _WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )


# --- explain --------------------------------------------------------------------------------------


def explain(command: ExplainText, machine: MachineCheck, results: Results, human: TextIO) -> int:
    """`danqing explain`: 0 if something is known, 1 if nothing is, 3 if there is no text."""
    try:
        text = _text(command)
    except OSError as error:
        facts = {"file": str(command.file or "-"), "reason": error.strerror or str(error)}
        problem = EngineError(code=ErrorCode.MODEL_UNREADABLE, facts=facts)
        human.write(f"danqing explain: {messages.describe(problem).summary}\n")
        return STATUS_COULD_NOT_RUN
    known = machine.explain(text)
    if command.is_json:
        results.line(json.dumps([_record(item) for item in known], indent=1, ensure_ascii=False))
    else:
        for item in known:
            for line in _explanation_lines(item):
                results.line(line)
    if not known:
        human.write("Nothing known in here.\n")
    return STATUS_YES if known else STATUS_NO


def _text(command: ExplainText) -> str:
    if command.file is None:
        content = sys.stdin.buffer.read(_MAX_TEXT)
    else:
        mode = command.file.stat().st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
            raise OSError(errno.EINVAL, "a device, not a text")  # could go on for ever
        with command.file.open("rb") as stream:
            content = stream.read(_MAX_TEXT)
    return content.decode("utf-8", errors="replace")


def _explanation_lines(item: Explanation) -> list[str]:
    times = f" ({item.count} times)" if item.count > 1 else ""
    lines = [f"{_MARKS[item.verdict]:4}  {item.line}{times}"]
    lines += _wrapped(f"      {check_texts.sentence(item.cause)}", "      ")
    for step in item.fix:
        lines += _wrapped(f"      > {check_texts.sentence(step)}", "        ")
    if item.check is not None:
        lines.append(f"      row: {check_texts.title(item.check)} ({item.check})")
    return lines


def _record(item: Explanation) -> dict[str, object]:
    return {
        "signature": item.signature,
        "verdict": item.verdict.value,
        "check": item.check,
        "line": item.line,
        "count": item.count,
        "cause": check_texts.sentence(item.cause),
        "fix": [check_texts.sentence(step) for step in item.fix],
    }
