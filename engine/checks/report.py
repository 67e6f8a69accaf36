"""The report as JSON and as text; the forms are fixed in the design's INTERFACES page.

The JSON holds English with the values filled in, so that any reader understands it; a report read
back therefore shows the same English in every language. Separate from the judging.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from engine._version import __version__
from engine.port import CheckResult, Gate, Gpu, GpuKind, Report, Sentence, Verdict

FORMAT = "danqing-check"
VERSION = 1

ORDER = (
    Verdict.CRASHED, Verdict.FAIL, Verdict.WARN, Verdict.UNKNOWN, Verdict.PASS,
    Verdict.NOT_APPLICABLE, Verdict.INFO,
)  # fmt: skip
"""The worst first."""


class ReportError(ValueError):
    """What is read is no report; the text says why."""


def to_json(report: Report) -> dict[str, Any]:
    """The report as its JSON object."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "gate": report.gate.value,
        "allowed": report.allowed,
        "blocked_by": list(report.blocked_by),
        "acknowledge": list(report.acknowledge),
        "chosen_gpu": report.chosen_gpu,
        "reason": str(report.reason),
        "gpus": [_gpu_record(gpu) for gpu in report.gpus],
        "checks": [_check_record(check) for check in report.checks],
    }


def _gpu_record(gpu: Gpu) -> dict[str, Any]:
    return {
        "key": gpu.key,
        "name": gpu.name,
        "pci_id": gpu.pci_id,
        "gfx": gpu.gfx,
        "vram_bytes": gpu.vram_bytes,
        "kind": gpu.kind.value,
        "usable": gpu.is_usable,
    }


def _check_record(check: CheckResult) -> dict[str, Any]:
    return {
        "id": check.id,
        "gpu": check.gpu,
        "verdict": check.verdict.value,
        "blocks": check.blocks,
        "measured": str(check.measured),
        "expected": str(check.expected),
        "summary": str(check.summary),
        "fix": [str(step) for step in check.fix],
        "source": check.source,
    }


def from_json(text: str | bytes) -> Report:
    """The report of its JSON. Raises `ReportError`."""
    try:
        found = json.loads(text)
        if found["format"] != FORMAT or found["version"] != VERSION:
            raise ReportError("no report of this version")
        return Report(
            gate=Gate(found["gate"]),
            blocked_by=tuple(map(str, found["blocked_by"])),
            acknowledge=tuple(map(str, found["acknowledge"])),
            chosen_gpu=_optional(found["chosen_gpu"]),
            reason=Sentence.verbatim(str(found["reason"])),
            gpus=tuple(_gpu(record) for record in found["gpus"]),
            checks=tuple(_check(record) for record in found["checks"]),
        )
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ReportError(f"no report: {error}") from error


def _optional(found: object) -> str | None:
    return None if found is None else str(found)


def _gpu(record: Mapping[str, Any]) -> Gpu:
    size = record["vram_bytes"]
    return Gpu(
        key=str(record["key"]),
        name=str(record["name"]),
        pci_id=_optional(record["pci_id"]),
        gfx=_optional(record["gfx"]),
        vram_bytes=None if size is None else int(size),
        kind=GpuKind(record["kind"]),
        is_usable=bool(record["usable"]),
    )


def _check(record: Mapping[str, Any]) -> CheckResult:
    return CheckResult(
        id=str(record["id"]),
        gpu=_optional(record["gpu"]),
        verdict=Verdict(record["verdict"]),
        blocks=bool(record["blocks"]),
        measured=Sentence.verbatim(str(record["measured"])),
        expected=Sentence.verbatim(str(record["expected"])),
        summary=Sentence.verbatim(str(record["summary"])),
        fix=tuple(Sentence.verbatim(str(step)) for step in record["fix"]),
        source=str(record["source"]),
    )


def sentence_record(sentence: Sentence) -> dict[str, Any]:
    """A sentence that keeps its template, so that it can still be translated."""
    return {"template": sentence.template, "values": dict(sentence.values)}


def sentence_of(record: Mapping[str, Any]) -> Sentence:
    """The sentence of its record. Raises KeyError, TypeError, AttributeError."""
    values = record["values"]
    if not isinstance(values, Mapping):
        raise TypeError("values are no mapping")
    return Sentence(str(record["template"]), {str(k): str(v) for k, v in values.items()})


# --- text -----------------------------------------------------------------------------------------


def sorted_checks(checks: Sequence[CheckResult]) -> list[CheckResult]:
    """The worst first, otherwise in the report's order; what blocks before what does not."""
    return sorted(checks, key=lambda check: (ORDER.index(check.verdict), not check.blocks))


def to_text(report: Report, limit: int | None = None) -> str:
    """The report for people, in Markdown that an issue tracker shows well; at most `limit`
    characters, the least telling rows left out first and their number named.
    """
    head = [
        f"**Danqing {__version__}, check of this machine: {report.gate.value}**",
        "",
        *(f"- blocked by: {name}" for name in report.blocked_by),
        *(f"- to acknowledge: {name}" for name in report.acknowledge),
        f"- GPU: {report.chosen_gpu or 'none'} ({report.reason})",
        *(f"- {_gpu_line(gpu)}" for gpu in report.gpus),
        "",
    ]
    rows = [_row_text(check) for check in sorted_checks(report.checks)]
    for kept in range(len(rows), -1, -1):
        left = len(rows) - kept
        tail = [f"… and {left} more rows"] if left else []
        text = "\n".join([*head, *rows[:kept], *tail]) + "\n"
        if limit is None or len(text) <= limit:
            return text
    return "\n".join(head)[:limit]


def _gpu_line(gpu: Gpu) -> str:
    size = "? GiB" if gpu.vram_bytes is None else f"{gpu.vram_bytes / 2**30:.1f} GiB"
    facts = (gpu.name, gpu.pci_id or "?", gpu.gfx or "gfx?", size, gpu.kind.value)
    return f"{gpu.key}: {', '.join(facts)}" + ("" if gpu.is_usable else ", not usable")


def _row_text(check: CheckResult) -> str:
    where = f" [{check.gpu}]" if check.gpu else ""
    lines = [f"`{check.verdict.value:8}` **{check.id}**{where}: {check.summary}"]
    measured, expected = str(check.measured), str(check.expected)
    if measured:
        lines.append(f"  measured: {measured}" + (f"; expected: {expected}" if expected else ""))
    if check.verdict in (Verdict.FAIL, Verdict.WARN):
        lines += [f"  fix: {step}" for step in check.fix]
    return "\n".join(lines)
