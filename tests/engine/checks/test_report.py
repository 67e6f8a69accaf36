"""The report's JSON and text."""

from __future__ import annotations

import json

import pytest

from engine.checks import judge, report
from engine.checks.report import ReportError
from tests.fakes.machines import HEALTHY, recorded_machine, verdicts

KEYS = ["format", "version", "gate", "allowed", "blocked_by", "acknowledge", "chosen_gpu",
        "reason", "gpus", "checks"]  # fmt: skip


@pytest.fixture(scope="module")
def two_gpus():
    return judge.judge(recorded_machine("31-r9700-plus-igpu-30576mb"))


def test_keys_and_types(two_gpus):
    record = json.loads(json.dumps(report.to_json(two_gpus)))
    assert list(record) == KEYS
    assert record["format"] == "danqing-check"
    assert record["version"] == 1
    assert record["gate"] == "needs_selftest"
    assert record["chosen_gpu"] == "0000:03:00.0"
    assert set(record["gpus"][0]) == {
        "key", "name", "pci_id", "gfx", "vram_bytes", "kind", "usable",
    }  # fmt: skip
    for check in record["checks"]:
        assert list(check) == [
            "id", "gpu", "verdict", "blocks", "measured", "expected", "summary", "fix", "source",
        ]  # fmt: skip
        assert all(isinstance(step, str) for step in check["fix"])


def test_reading_again(two_gpus):
    text = json.dumps(report.to_json(two_gpus))
    again = report.from_json(text)
    assert report.to_json(again) == report.to_json(two_gpus)
    assert verdicts(again) == verdicts(two_gpus)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "danqing-check", "version": 2}', "[" * 100_000, "null"]
)
def test_what_is_no_report(text):
    with pytest.raises(ReportError):
        report.from_json(text)


def test_a_limited_text_keeps_the_worst(two_gpus):
    whole = report.to_text(two_gpus)
    assert len(whole) > 3000
    short = report.to_text(two_gpus, 1500)
    assert len(short) <= 1500
    assert "multi.gpu" in short  # the only warning
    assert "more rows" in short
    assert len(report.to_text(two_gpus, 50)) <= 50


def test_text_names_fixes_of_what_is_wrong():
    text = report.to_text(judge.judge(recorded_machine("11-debian-kfd-render-user-video")))
    assert "usermod -aG render" in text
    assert report.to_text(judge.judge(HEALTHY)).count("fix:") == 0
