"""Our grid and samplers end where diffusers' schedulers end (tests.parity.sampling_golden)."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from engine.sampling import dpm_solver, euler, schedule
from tests.parity.sampling_golden import GOLDEN, SHIFT, START, velocity

CASES: list[dict[str, Any]] = json.loads(GOLDEN.read_text(encoding="utf-8"))
SAMPLERS = {"euler": euler.euler, "dpmpp_2m": dpm_solver.dpmpp_2m}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['sampler']}-{case['steps']}")
def test_the_end_is_the_references(case: dict[str, Any]) -> None:
    *_, last = SAMPLERS[case["sampler"]](velocity, START, np.array(case["sigmas"]))
    np.testing.assert_allclose(last.x, case["end"], rtol=2e-5, atol=2e-5)


def test_the_grid_is_the_references() -> None:
    grids = [case for case in CASES if case["sampler"] == "euler"]
    assert len(grids) == 4
    for case in grids:
        ours = schedule.flow_sigmas(case["steps"], SHIFT)
        np.testing.assert_allclose(ours, case["sigmas"], atol=1e-6)


def test_a_first_order_solver_is_told_from_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dpm_solver, "_midpoint", lambda m0, m1, h_ratio: m0)
    [case] = [case for case in CASES if (case["sampler"], case["steps"]) == ("dpmpp_2m", 20)]
    *_, last = dpm_solver.dpmpp_2m(velocity, START, np.array(case["sigmas"]))
    assert np.abs(last.x - np.array(case["end"])).max() > 1e-3
