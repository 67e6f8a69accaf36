"""What a rule returns, before it becomes a row of the report.

Separate from the port's `CheckResult`, so that a rule says what it found and nothing else: the
row's id, its GPU and whether it blocks are the table's business (`engine.checks.rules`).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.checks.sentences import NOTHING, say, value
from engine.port import Sentence, Verdict

PASS, WARN, FAIL = Verdict.PASS, Verdict.WARN, Verdict.FAIL
UNKNOWN, NA, INFO = Verdict.UNKNOWN, Verdict.NOT_APPLICABLE, Verdict.INFO


@dataclass(frozen=True, slots=True)
class Finding:
    """`measured`, `expected` and `source` may be plain text: what no language changes."""

    verdict: Verdict
    summary: Sentence
    measured: Sentence | str = NOTHING
    expected: Sentence | str = NOTHING
    fix: tuple[Sentence, ...] = ()
    source: str = ""

    @property
    def measured_sentence(self) -> Sentence:
        return _sentence(self.measured)

    @property
    def expected_sentence(self) -> Sentence:
        return _sentence(self.expected)


def _sentence(said: Sentence | str) -> Sentence:
    return value(said) if isinstance(said, str) else said


def in_wsl() -> Finding:
    return Finding(NA, say("Does not apply in WSL: the GPU is reached through Windows' driver."))


def without_gpu() -> Finding:
    return Finding(NA, say("Does not apply: there is no AMD GPU."))


def integrated() -> Finding:
    return Finding(NA, say("Does not apply to a GPU inside the processor."))


def in_vm() -> Finding:
    return Finding(NA, say("Does not apply in a virtual machine: the host decides it."))


def not_seen(source: str = "") -> Finding:
    return Finding(UNKNOWN, say("It could not be seen."), source=source)
