"""From a snapshot to a report: facts, rows, choice, gate, in that order.

Separate from `machine_check`, which brings the snapshot and keeps decisions, so that a test or a
recorded machine needs neither.
"""

from __future__ import annotations

import logging

from engine.checks import choice, facts, gate, rules
from engine.checks.decisions import Decision, Decisions
from engine.checks.snapshot import Snapshot
from engine.port import EngineFault, Report

log = logging.getLogger(__name__)


def judge(snapshot: Snapshot, decisions: Decisions | None = None) -> Report:
    """The report of a machine. Without `decisions`, as of a recorded machine, nothing has been
    proved yet, and the gate never opens.
    """
    found = facts.gather(snapshot)
    rows = rules.judge(found)
    chosen = choice.choose(found, rows)
    combined = gate.combination(found, chosen.chosen)
    decision = decisions.of(combined) if decisions else Decision(combination=combined)
    before = decisions.last_passed() if decisions else None
    report = gate.decide(rows, chosen, combined, decision, before)
    if decisions:
        _remember(decisions, report)
    return report


def _remember(decisions: Decisions, report: Report) -> None:
    """Keep which rows warn, so that evidence which vanishes opens nothing."""
    try:
        decisions.remember_warnings(report.combination, (*report.acknowledge, *report.acknowledged))
    except EngineFault as fault:
        log.warning("warnings are not remembered: %s", fault)
