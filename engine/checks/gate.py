"""The gate: whether pictures may be made on the GPU, from rows and from what was proved before.

The rule is the design's INTERFACES page: blocked while a blocking row fails; then a passed
self-test is needed for this combination; then warnings of BAR, IOMMU or memory want to be read;
then it is open. Pure: what was proved comes in as a `Decision`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from engine.checks.choice import Choice
from engine.checks.decisions import Decision
from engine.checks.facts import Facts
from engine.checks.redaction import mask_parameters
from engine.checks.sentences import say, value
from engine.port import CheckResult, Gate, Report, SelfTestResult, Verdict

ACKNOWLEDGED_ROWS = ("pcie.above4g", "pcie.rebar", "iommu", "mem.vram")
"""Rows whose warning the user has to read once before the gate opens."""

_UNSEEN = (Verdict.UNKNOWN, Verdict.NOT_APPLICABLE)

SELFTEST = "selftest"


def combination(facts: Facts, chosen: str | None) -> dict[str, str]:
    """What a passed self-test holds for, by name; what could not be seen is `unknown`.

    With any part changed, the machine is another one and has to prove itself again.
    """
    gpu = next((gpu for gpu in facts.gpus if gpu.key == chosen), None)
    folder = gpu.folder if gpu is not None else None
    vbios = facts.snapshot.text(f"{folder}/vbios_version") if folder else None
    words = facts.kernel.parameters
    rocm = facts.rocm.version
    parts = {
        "gpu": f"1002:{gpu.device}" if gpu is not None and gpu.device else None,
        "vbios": vbios,
        "driver": facts.kernel.dkms or (gpu.driver if gpu is not None else None),
        "kernel": facts.kernel.release,
        "command line": mask_parameters(" ".join(words)) if words is not None else None,
        "bios": facts.platform.bios,
        "rocm": ".".join(map(str, rocm)) if rocm else None,
        "paddle": facts.paddle.version,
    }
    return {name: found or "unknown" for name, found in parts.items()}


def changes(now: Mapping[str, str], before: Decision | None) -> tuple[str, ...]:
    """The parts that differ from the combination that passed last."""
    if before is None:
        return ()
    return tuple(name for name in now if now[name] != before.combination.get(name))


def decide(
    rows: Sequence[CheckResult],
    choice: Choice,
    combined: Mapping[str, str],
    decision: Decision,
    before: Decision | None,
) -> Report:
    """The report: `decision` holds for `combined`, `before` is what passed last."""
    rows = (*rows, _selftest_row(decision.selftest))
    blocked_by = _blocked_by(rows, choice)
    waiting = _waiting(rows, choice, decision.warned)
    open_questions = tuple(name for name in waiting if name not in decision.acknowledged)
    is_overridden = bool(blocked_by) and decision.is_overridden
    if blocked_by and not is_overridden:
        gate = Gate.BLOCKED
    elif is_overridden:
        gate = Gate.OPEN
    elif not decision.has_passed:
        gate = Gate.NEEDS_SELFTEST
    elif open_questions:
        gate = Gate.NEEDS_ACKNOWLEDGEMENT
    else:
        gate = Gate.OPEN
    return Report(
        gate=gate,
        blocked_by=blocked_by,
        acknowledge=open_questions,
        chosen_gpu=choice.chosen,
        reason=choice.reason,
        gpus=choice.gpus,
        checks=rows,
        combination=dict(combined),
        changed=() if decision.has_passed else changes(combined, before),
        acknowledged=tuple(name for name in waiting if name in decision.acknowledged),
        is_overridden=is_overridden,
    )


def _blocked_by(rows: Sequence[CheckResult], choice: Choice) -> tuple[str, ...]:
    """Ids of rows that keep the gate shut: a GPU's own only if it is the chosen one's, or none is
    left. A crashed rule is no pass: where a failure would block, it does.
    """
    bad = (Verdict.FAIL, Verdict.CRASHED)
    return tuple(
        dict.fromkeys(
            row.id
            for row in rows
            if row.blocks
            and row.verdict in bad
            and (row.gpu is None or choice.chosen is None or row.gpu == choice.chosen)
        )
    )


def _waiting(rows: Sequence[CheckResult], choice: Choice, warned: Sequence[str]) -> tuple[str, ...]:
    """Ids of rows whose warning has to be read; one that cannot be seen any more is not gone."""
    return tuple(
        dict.fromkeys(
            row.id
            for row in rows
            if row.id in ACKNOWLEDGED_ROWS
            and row.gpu in (None, choice.chosen)
            and (row.verdict is Verdict.WARN or (row.verdict in _UNSEEN and row.id in warned))
        )
    )


def _selftest_row(result: SelfTestResult | None) -> CheckResult:
    """The row `selftest`, from what is kept of the last run on this combination."""
    expected = say("all steps passed, on this driver, kernel, ROCm and PaddlePaddle")
    if result is None:
        verdict, summary = Verdict.UNKNOWN, say("The self-test has not been run on a GPU.")
        measured, fix = say("not run"), (say("Run the self-test: danqing selftest"),)
    elif result.verdict is Verdict.PASS:
        verdict, summary, fix = Verdict.PASS, say("The self-test passed."), ()
        measured = value(result.finished)
    else:
        failed = [step.name for step in result.steps if step.verdict is Verdict.FAIL]
        is_failed = result.verdict in (Verdict.FAIL, Verdict.CRASHED)
        verdict = Verdict.FAIL if is_failed else Verdict.UNKNOWN
        summary = say("The self-test did not pass.")
        measured = value(", ".join(failed) or re.sub(r"\W", "", result.verdict.value))
        fix = (say("Look at its failed steps, then run it again: danqing selftest"),)
    return CheckResult(
        id=SELFTEST, verdict=verdict, blocks=True, measured=measured, expected=expected,
        summary=summary, fix=fix, source="danqing selftest",
    )  # fmt: skip
