"""The row of the kernel's log: faults of the hardware or its driver since boot.

Section 3.19 of the design's hardware rules and point 5 of section 9: a reset that succeeded warns,
one without a sign of success fails, and an excerpt without a fault proves nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.checks import signatures
from engine.checks.facts import Facts, pci
from engine.checks.rules.finding import PASS, WARN, Finding, in_wsl, not_seen
from engine.checks.sentences import say
from engine.checks.signatures import Signature
from engine.port import Sentence, Verdict

_MAX_LINES = 20_000
_ADDRESS = re.compile(r"\b(?:([0-9a-f]{4}):)?([0-9a-f]{2}:[01][0-9a-f]\.[0-7])\b")
_OF_THE_SLOT = ("pcie-error", "io-page-fault")
"""Other devices have such errors too, so these count only for the GPU and the ports above it."""


_Fault = tuple[Signature, Verdict, str]


@dataclass(slots=True)
class _State:
    """What the log's lines leave behind: faults, and a reset that has not ended yet."""

    faults: list[_Fault] = field(default_factory=list[_Fault])
    pending: str | None = None
    recovered: str | None = None


def log(facts: Facts) -> Finding:
    """health.log"""
    if facts.platform.is_wsl:
        return in_wsl()
    source = "dmesg, journalctl -k -b"
    expected = say("no fault since boot")
    lines = facts.kernel.log
    if lines is None:
        return not_seen(source) if not _aer(facts) else _link_errors(facts, expected)
    state = _State()
    for line in lines[-_MAX_LINES:]:
        _follow(facts, state, line)
    if state.pending is not None:
        fault = signatures.named("gpu-reset")
        state.faults.insert(0, (fault, Verdict.FAIL, state.pending))
    elif state.recovered is not None:
        state.faults.append((signatures.named("gpu-reset"), Verdict.WARN, state.recovered))
    if state.faults:
        order = (Verdict.FAIL, Verdict.WARN)
        worst = min(state.faults, key=lambda fault: order.index(fault[1]))
        signature, verdict, line = worst
        return Finding(verdict, signature.cause, line, expected, fix=signature.fix, source=source)
    if _aer(facts):
        return _link_errors(facts, expected)
    if facts.kernel.has_whole_log:
        summary = say("No fault of the GPU since boot.")
        count = say("{count} lines", count=len(lines))
        return Finding(PASS, summary, count, expected, source=source)
    return not_seen(source)


def _follow(facts: Facts, state: _State, line: str) -> None:
    signature = signatures.of_line(line)
    if signature is None:
        return
    if signature.id == "reset-succeeded":
        state.recovered, state.pending = line, None
        state.faults = [_after_reset(fault) for fault in state.faults]
    elif signature.id == "gpu-reset":
        is_aftermath = "VRAM is lost" in line and state.pending is None and state.recovered
        state.pending = state.pending if is_aftermath else line
    elif signature.in_kernel_log and _concerns_gpu(facts, signature, line):
        state.faults.append((signature, signature.verdict, line))


def _after_reset(fault: _Fault) -> _Fault:
    """What a reset has cured is told, and no longer held against the machine."""
    signature, verdict, line = fault
    is_cured = signature.id in ("mes-hang", "reset-failed")
    return signature, Verdict.WARN if is_cured else verdict, line


def _concerns_gpu(facts: Facts, signature: Signature, line: str) -> bool:
    if signature.id not in _OF_THE_SLOT:
        return True
    named = {f"{match[1] or '0000'}:{match[2]}" for match in _ADDRESS.finditer(line)}
    if not named or not facts.gpus:
        return True
    for gpu in facts.gpus:
        if gpu.address is None:
            return True
        above = pci.parents(facts.snapshot, gpu.address)
        if gpu.address in named or (above is None or named & set(above)):
            return True
    return False


def _aer(facts: Facts) -> bool:
    """A GPU's port has counted fatal errors since boot."""
    texts = (facts.snapshot.text(f"{gpu.folder}/aer_dev_fatal") for gpu in facts.gpus if gpu.folder)
    return any(re.search(r"TOTAL_ERR_FATAL [1-9]", text or "") for text in texts)


def _link_errors(facts: Facts, expected: Sentence) -> Finding:
    fault = signatures.named("pcie-error")
    return Finding(WARN, say("The connection to the card has had fatal errors since boot."),
                   "TOTAL_ERR_FATAL", expected, fix=fault.fix, source="aer_dev_fatal")  # fmt: skip
