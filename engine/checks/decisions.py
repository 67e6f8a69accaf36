"""What has been proved and decided on this machine: self-tests, acknowledgements, overrides.

One JSON file in the state folder, each entry under the digest of the combination that it holds for
(GPU, driver, kernel, ...): a changed combination finds nothing, and so starts afresh. Separate from
the gate, which only reads. Written whole, beside the old file and then renamed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.checks import report
from engine.port import (
    EngineError,
    EngineFault,
    ErrorCode,
    SelfTestResult,
    SelfTestStep,
    Verdict,
)

FILE_NAME = "machine-check.json"
_FORMAT = "danqing-machine-decisions"
_MAX_ENTRIES = 20
_MAX_BYTES = 4 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What holds for one combination. `warned` are rows that have warned in it: one that can no
    longer be seen counts as warning still.
    """

    combination: Mapping[str, str]
    selftest: SelfTestResult | None = None
    acknowledged: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    is_overridden: bool = False

    @property
    def has_passed(self) -> bool:
        return self.selftest is not None and self.selftest.verdict is Verdict.PASS


class Decisions:
    """The decisions kept in `folder`; every method reads the file afresh."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME

    def of(self, combination: Mapping[str, str]) -> Decision:
        """What holds for this combination; nothing, if it is new."""
        found = next((d for d in self._read() if d.combination == combination), None)
        return found or Decision(combination=dict(combination))

    def last_passed(self) -> Decision | None:
        """The combination that passed its self-test last."""
        return next((decision for decision in self._read() if decision.has_passed), None)

    def record_selftest(self, result: SelfTestResult) -> None:
        """Raises `EngineFault` FILE_NOT_WRITTEN."""
        self._keep(replace(self.of(result.combination), selftest=result))

    def acknowledge(self, combination: Mapping[str, str], ids: Iterable[str]) -> None:
        """Raises `EngineFault` FILE_NOT_WRITTEN."""
        known = self.of(combination)
        merged = tuple(sorted({*known.acknowledged, *ids}))
        self._keep(replace(known, acknowledged=merged))

    def remember_warnings(self, combination: Mapping[str, str], ids: Iterable[str]) -> None:
        """Keep that these rows warn. Raises `EngineFault` FILE_NOT_WRITTEN."""
        known = self.of(combination)
        merged = tuple(sorted({*known.warned, *ids}))
        if merged != known.warned:
            self._keep(replace(known, warned=merged))

    def override(self, combination: Mapping[str, str], *, is_on: bool) -> None:
        """Raises `EngineFault` FILE_NOT_WRITTEN."""
        self._keep(replace(self.of(combination), is_overridden=is_on))

    def _read(self) -> list[Decision]:
        """All entries, the newest first; a file that cannot be read decides nothing."""
        if not self._file.is_file():  # a pipe would block
            return []
        try:
            with self._file.open("rb") as stream:
                found = json.loads(stream.read(_MAX_BYTES))
        except (OSError, ValueError, RecursionError):
            return []
        entries = found.get("entries") if isinstance(found, dict) else None
        if not isinstance(entries, list):
            return []
        decisions = (_decision(entry) for entry in entries if isinstance(entry, dict))
        return [decision for decision in decisions if decision is not None]

    def _keep(self, decision: Decision) -> None:
        rest = [known for known in self._read() if known.combination != decision.combination]
        entries = [_record(known) for known in [decision, *rest][:_MAX_ENTRIES]]
        text = json.dumps({"format": _FORMAT, "version": 1, "entries": entries}, indent=1)
        write_whole(self._file, text.encode())


def key(combination: Mapping[str, str]) -> str:
    """A short digest that stands for a combination, for logs and file names."""
    text = json.dumps(combination, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_whole(file: Path, content: bytes) -> None:
    """Replace `file` at once or not at all; pipes and devices are never replaced.

    Raises `EngineFault` FILE_NOT_WRITTEN.
    """
    temporary = ""
    try:
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise OSError(errno.EEXIST, "not a regular file")
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).chmod(0o600)
        Path(temporary).replace(file)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        facts = {"file": str(file), "reason": error.strerror or type(error).__name__}
        raise EngineFault(EngineError(code=ErrorCode.FILE_NOT_WRITTEN, facts=facts)) from error


def _record(decision: Decision) -> dict[str, Any]:
    selftest = decision.selftest
    return {
        "combination": dict(decision.combination),
        "acknowledged": list(decision.acknowledged),
        "warned": list(decision.warned),
        "override": decision.is_overridden,
        "selftest": None if selftest is None else {
            "verdict": selftest.verdict,
            "finished": selftest.finished,
            "steps": [
                {
                    "name": step.name,
                    "verdict": step.verdict,
                    "measured": report.sentence_record(step.measured),
                    "expected": report.sentence_record(step.expected),
                    "seconds": step.seconds,
                    "summary": None if step.summary is None
                    else report.sentence_record(step.summary),
                    "fix": [report.sentence_record(fix) for fix in step.fix],
                    "detail": step.detail,
                }
                for step in selftest.steps
            ],
        },
    }  # fmt: skip


def _decision(entry: Mapping[str, Any]) -> Decision | None:
    combination = entry.get("combination")
    if not isinstance(combination, dict):
        return None
    return Decision(
        combination={str(name): str(found) for name, found in combination.items()},
        selftest=_selftest(entry.get("selftest"), combination),
        acknowledged=_names(entry.get("acknowledged")),
        warned=_names(entry.get("warned")),
        is_overridden=entry.get("override") is True,
    )


def _names(found: object) -> tuple[str, ...]:
    return tuple(map(str, found)) if isinstance(found, list) else ()


def _selftest(found: object, combination: Mapping[str, str]) -> SelfTestResult | None:
    if not isinstance(found, dict):
        return None
    try:
        return SelfTestResult(
            verdict=Verdict(found["verdict"]),
            finished=str(found["finished"]),
            combination=dict(combination),
            steps=tuple(_step(step) for step in found["steps"]),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _step(found: Mapping[str, Any]) -> SelfTestStep:
    return SelfTestStep(
        name=str(found["name"]),
        verdict=Verdict(found["verdict"]),
        measured=report.sentence_of(found["measured"]),
        expected=report.sentence_of(found["expected"]),
        seconds=float(found["seconds"]),
        summary=None if found.get("summary") is None else report.sentence_of(found["summary"]),
        fix=tuple(report.sentence_of(fix) for fix in found.get("fix", ())),
        detail=str(found["detail"]),
    )
