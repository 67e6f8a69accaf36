"""The grids: known values, ends, monotony."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.port import SigmaSchedule
from engine.sampling import schedule


def test_released_models_grid_at_eight_steps() -> None:
    expected = [1, 0.96552, 0.92308, 0.86957, 0.8, 0.70588, 0.57143, 0.36364, 0]
    np.testing.assert_allclose(schedule.flow_sigmas(8, 4.0), expected, atol=5e-6)


def test_uniform_schedule_ignores_the_shift() -> None:
    grid = schedule.sigmas(SigmaSchedule.UNIFORM, 4, 4.0)
    np.testing.assert_array_equal(grid, [1.0, 0.75, 0.5, 0.25, 0.0])


def test_shifted_schedule_is_the_checkpoints_grid() -> None:
    grid = schedule.sigmas(SigmaSchedule.SHIFTED, 12, 2.0)
    np.testing.assert_array_equal(grid, schedule.flow_sigmas(12, 2.0))


@given(st.integers(1, 1000), st.floats(0.01, 100.0))
def test_every_grid_falls_strictly_from_one_to_zero(steps: int, shift: float) -> None:
    grid = schedule.flow_sigmas(steps, shift)
    assert grid.shape == (steps + 1,)
    assert grid.dtype == np.float64
    assert grid[0] == 1.0
    assert grid[-1] == 0.0
    assert np.all(np.diff(grid) < 0)


@pytest.mark.parametrize(("steps", "shift"), [(0, 4.0), (-1, 4.0), (8, 0.0), (8, float("nan"))])
def test_impossible_grids_are_refused(steps: int, shift: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        schedule.flow_sigmas(steps, shift)
