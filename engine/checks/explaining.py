"""Explains pasted text: what its lines mean, and what the rules say of a machine that printed it.

The text may be of any program, so it is taken for what it looks like and put where a recording
would hold it; the rows that then fail or warn are explanations like the signatures' own. Separate
from both, which know nothing of pasting.
"""

from __future__ import annotations

import re

from engine.checks import judge, signatures
from engine.checks.snapshot import Snapshot
from engine.port import CheckResult, Explanation, Verdict

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("dmesg.txt", re.compile(r"^\s*\[\s*\d+\.\d+\]|\bamdgpu \d{4}:|\[drm|kfd kfd:", re.MULTILINE)),
    (
        "lspci.txt",
        re.compile(r"^(\w{4}:)?\w{2}:\w{2}\.\d (VGA|3D|Display|Processing)", re.MULTILINE),
    ),
    ("rocminfo.txt", re.compile(r"HSA Agents|^\*+\s*$\s+Agent \d+|ROCk module", re.MULTILINE)),
    ("rocm-smi.txt", re.compile(r"^GPU\[\d+\]|ROCm System Management|AMD-SMI", re.MULTILINE)),
)
_TOLD = (Verdict.FAIL, Verdict.WARN)


def explain(text: str) -> tuple[Explanation, ...]:
    """Everything known in the text, the worst first; empty if nothing is."""
    found = list(signatures.explain(text))
    explained = {known.check for known in found} | {_SIGNED.get(k.signature) for k in found}
    rows = _rows(text[: signatures.MAX_TEXT])
    found += [_of_row(row) for row in rows if row.id not in explained]
    order = (Verdict.FAIL, Verdict.WARN, Verdict.INFO)
    return tuple(sorted(found, key=lambda known: order.index(known.verdict)))


_SIGNED = {"atomics": "kfd.present", "init-failed": "kfd.present", "firmware-missing": "gpu.driver"}
"""Rows that fail as a consequence of what a signature has explained already."""


def _rows(text: str) -> list[CheckResult]:
    commands = {name: text for name, pattern in _KINDS if pattern.search(text)}
    if not commands:
        return []
    report = judge.judge(Snapshot(commands=commands))
    return [row for row in report.checks if row.verdict in _TOLD]


def _of_row(row: CheckResult) -> Explanation:
    return Explanation(
        signature=row.id,
        verdict=row.verdict,
        check=row.id,
        line=str(row.measured),
        count=1,
        cause=row.summary,
        fix=row.fix,
    )
