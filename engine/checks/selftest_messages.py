"""What the self-test's child process tells its parent: one JSON object a line.

Separate and limited to the standard library, because both processes need it. The parent believes
nothing: a line that is none of these messages is somebody else's output.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.checks.selftest_words import Cause
from engine.checks.sentences import NOTHING
from engine.port import Sentence, Verdict


@dataclass(frozen=True, slots=True)
class Begun:
    """The step with this name begins."""

    name: str


@dataclass(frozen=True, slots=True)
class Alive:
    """The step goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a step found; `cause` is why it did not pass, if it did not."""

    name: str = ""
    verdict: Verdict
    measured: Sentence = NOTHING
    expected: Sentence = NOTHING
    seconds: float = 0.0
    cause: Cause | None = None
    detail: str = ""


def passed(measured: Sentence, expected: Sentence) -> Outcome:
    """A step that found what it should."""
    return Outcome(verdict=Verdict.PASS, measured=measured, expected=expected)


def failed(cause: Cause, measured: Sentence, expected: Sentence, detail: str = "") -> Outcome:
    """A step that found something else."""
    return Outcome(
        verdict=Verdict.FAIL, measured=measured, expected=expected, cause=cause, detail=detail
    )


@dataclass(frozen=True, slots=True)
class Done:
    """Every step that was asked for has been reported."""


Message = Begun | Alive | Outcome | Done


def encode(message: Message) -> str:
    """The message as a line of JSON, without its line feed."""
    match message:
        case Begun(name):
            record: dict[str, Any] = {"event": "begun", "name": name}
        case Alive():
            record = {"event": "alive"}
        case Outcome():
            record = {
                "event": "outcome",
                "name": message.name,
                "verdict": message.verdict,
                "measured": _sentence_record(message.measured),
                "expected": _sentence_record(message.expected),
                "seconds": message.seconds,
                "cause": message.cause,
                "detail": message.detail,
            }
        case Done():
            record = {"event": "done"}
    return json.dumps(record)


def decode(line: str) -> Message | None:
    """The message in a line, or None if it is not one."""
    try:
        record = json.loads(line)
        match record["event"]:
            case "begun":
                return Begun(str(record["name"]))
            case "alive":
                return Alive()
            case "outcome":
                return _outcome(record)
            case "done":
                return Done()
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return None


def _outcome(record: Mapping[str, Any]) -> Outcome:
    cause = record["cause"]
    return Outcome(
        name=str(record["name"]),
        verdict=Verdict(record["verdict"]),
        measured=_sentence(record["measured"]),
        expected=_sentence(record["expected"]),
        seconds=float(record["seconds"]),
        cause=None if cause is None else Cause(cause),
        detail=str(record["detail"]),
    )


def _sentence_record(sentence: Sentence) -> dict[str, Any]:
    return {"template": sentence.template, "values": dict(sentence.values)}


def _sentence(record: Mapping[str, Any]) -> Sentence:
    values = {str(key): str(value) for key, value in record["values"].items()}
    return Sentence(str(record["template"]), values)
