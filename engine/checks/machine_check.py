"""The check as the desktop sees it: the port's `MachineCheck`, carried out.

Brings together what the parts need: this machine or a recorded one, the probe and its cache, the
decisions in the state folder. Every method may be called in a worker thread; nothing is kept
between calls but two folders.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.checks import bundle, explaining, judge, live, probing, recorded
from engine.checks import report as reports
from engine.checks.decisions import Decisions
from engine.checks.snapshot import Snapshot
from engine.port import Explanation, Report, SelfTestResult


class MachineChecker:
    """Fulfils `engine.port.MachineCheck`. `state_folder` keeps self-tests, acknowledgements and
    overrides, `cache_folder` the probe's answer.
    """

    def __init__(self, *, state_folder: Path, cache_folder: Path) -> None:
        self._decisions = Decisions(state_folder)
        self._cache_folder = cache_folder

    def check(self, snapshot: Path | None = None, *, probe: bool = True) -> Report:
        machine = self._snapshot(snapshot, probe=probe)
        return judge.judge(machine, self._decisions if machine.is_live else None)

    def save_bundle(
        self, file: Path, snapshot: Path | None = None, *, probe: bool = True
    ) -> Report:
        machine = self._snapshot(snapshot, probe=probe)
        judged = judge.judge(machine, self._decisions if machine.is_live else None)
        redaction = bundle.this_machine()
        bundle.write(file, bundle.redacted(machine, redaction), judged, redaction)
        return judged

    def report_json(self, report: Report) -> str:
        return json.dumps(reports.to_json(report), indent=1, ensure_ascii=False)

    def report_text(self, report: Report, limit: int) -> str:
        text = reports.to_text(report, limit)
        return bundle.this_machine().text(text)[:limit]

    def explain(self, text: str) -> Sequence[Explanation]:
        return explaining.explain(text)

    def record_selftest(self, result: SelfTestResult) -> None:
        self._decisions.record_selftest(result)

    def last_selftest(self, report: Report) -> SelfTestResult | None:
        return self._decisions.of(report.combination).selftest

    def acknowledge(self, report: Report, ids: Sequence[str]) -> None:
        self._decisions.acknowledge(report.combination, ids)

    def override(self, report: Report, *, is_on: bool) -> None:
        self._decisions.override(report.combination, is_on=is_on)

    def _snapshot(self, place: Path | None, *, probe: bool) -> Snapshot:
        if place is not None:
            return recorded.load(place)
        machine = live.look()
        if not probe:
            return machine
        answer = probing.answer(self._cache_folder)
        return replace(machine, commands={**machine.commands, "paddle.json": answer})
