"""Every recorded machine is judged as its expected.json says (tests/machines/README.md)."""

from __future__ import annotations

import json

import pytest

from engine.checks import judge, report
from tests.fakes.machines import NAMES, RECORDED, recorded_machine

WORST_FIRST = ("crashed", "fail", "warn", "unknown", "pass", "na", "info")


@pytest.fixture(scope="module", params=NAMES)
def machine(request):
    """The report's JSON, and what is expected of it."""
    expected = json.loads((RECORDED / request.param / "expected.json").read_text())
    return report.to_json(judge.judge(recorded_machine(request.param))), expected


def test_gate(machine):
    found, expected = machine
    assert found["gate"] == expected["gate"], found["blocked_by"]
    assert found["allowed"] is False


def test_gpus(machine):
    found, expected = machine
    gpus = {gpu["key"]: gpu for gpu in found["gpus"]}
    for key, wanted in expected["gpus"].items():
        assert wanted.items() <= gpus[key].items()


def verdict_of(checks: list[dict], check: str, gpu: str | None) -> str | None:
    same = [row for row in checks if row["id"] == check]
    exact = [row for row in same if row["gpu"] == gpu]
    if gpu is not None:
        exact = exact or [row for row in same if row["gpu"] is None]
    chosen = exact or (
        sorted(same, key=lambda r: WORST_FIRST.index(r["verdict"])) if not gpu else []
    )
    return chosen[0]["verdict"] if chosen else None


def test_rows(machine):
    found, expected = machine
    wrong = {}
    for check, wanted in expected["rows"].items():
        pairs = wanted.items() if isinstance(wanted, dict) else [(None, wanted)]
        for gpu, verdict in pairs:
            got = verdict_of(found["checks"], check, gpu)
            if got != verdict and not (got is None and verdict in ("unknown", "na")):
                wrong[check, gpu] = f"{got}, expected {verdict}: {expected['why'].get(check)}"
    assert not wrong


def test_no_rule_crashes(machine):
    found, _ = machine
    assert [row["id"] for row in found["checks"] if row["verdict"] == "crashed"] == []


def test_iommu_and_bar_never_fail(machine):
    found, _ = machine
    never = ("iommu", "pcie.above4g", "pcie.rebar", "pcie.acs")
    assert not [r for r in found["checks"] if r["id"] in never and r["verdict"] == "fail"]


def test_every_failure_has_a_summary_and_a_remedy(machine):
    found, _ = machine
    for check in found["checks"]:
        assert check["summary"]
        assert "{" not in check["summary"]
        if check["verdict"] == "fail" and check["id"] != "kernel.version":
            assert check["fix"], check["id"]
