"""The samplers against the closed form: Gaussian data, whose ideal velocity and ODE are known.

For x0 ~ N(mu, s**2) and x = (1 - sigma) * x0 + sigma * noise, the variance at sigma is
V = (1 - sigma)**2 * s**2 + sigma**2, the ideal velocity E[noise - x0 | x] is linear in x, and the
ODE keeps (x - (1 - sigma) * mu) / sqrt(V) constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.port import SigmaSchedule
from engine.sampling import dpm_solver, schedule
from engine.sampling.dpm_solver import dpmpp_2m
from engine.sampling.euler import euler
from engine.sampling.guidance import guided
from engine.sampling.step import Array, Step, Velocity

MU, S = 0.7, 0.4
POINTS = np.linspace(-2.5, 2.5, 11)

Grid = NDArray[np.float64]
SamplerFunction = Callable[[Velocity, Array, Grid], Iterator[Step]]


def variance(sigma: float) -> float:
    return (1 - sigma) ** 2 * S**2 + sigma**2


def ideal_velocity(x: Array, sigma: float) -> Array:
    deviation = x - (1 - sigma) * MU
    noise = sigma / variance(sigma) * deviation
    clean = MU + (1 - sigma) * S**2 / variance(sigma) * deviation
    return noise - clean


def exact(x: Array, sigma: float, sigma_end: float) -> Array:
    deviation = x - (1 - sigma) * MU
    return (1 - sigma_end) * MU + math.sqrt(variance(sigma_end) / variance(sigma)) * deviation


def last(steps: Iterator[Step]) -> Step:
    *_, final = steps
    return final


def error(sampler: SamplerFunction, sigmas: Grid) -> float:
    got = last(sampler(ideal_velocity, POINTS, sigmas)).x
    wanted = exact(POINTS, float(sigmas[0]), float(sigmas[-1]))
    return float(np.sqrt(np.mean((got - wanted) ** 2)))


def uniform_in_lambda(steps: int) -> Grid:
    """Levels from 0.9 to 0.1, evenly spaced in lambda = log((1 - sigma) / sigma)."""
    return 1 / (1 + np.exp(np.linspace(math.log(1 / 9), math.log(9), steps + 1)))


def observed_orders(sampler: SamplerFunction) -> list[float]:
    errors = [error(sampler, uniform_in_lambda(steps)) for steps in (40, 80, 160, 320)]
    return [math.log2(coarse / fine) for coarse, fine in pairwise(errors)]


def test_closed_form_solves_the_equation() -> None:
    """The oracle itself: its slope is the ideal velocity."""
    h = 1e-6
    for sigma in (0.1, 0.5, 0.9):
        x = exact(POINTS, 1.0, sigma)
        slope = (exact(x, sigma, sigma + h) - exact(x, sigma, sigma - h)) / (2 * h)
        np.testing.assert_allclose(slope, ideal_velocity(x, sigma), atol=1e-7)


def test_euler_is_first_order() -> None:
    for order in observed_orders(euler):
        assert order == pytest.approx(1.0, abs=0.05)


def test_dpmpp_2m_is_second_order_from_40_steps_on() -> None:
    assert min(observed_orders(dpmpp_2m)) >= 1.9


@pytest.mark.parametrize("shift", [2.0, 4.0])
def test_dpmpp_2m_beats_euler_on_the_models_own_grid_from_20_steps_on(shift: float) -> None:
    for steps in range(20, 101):
        grid = schedule.sigmas(SigmaSchedule.SHIFTED, steps, shift)
        assert error(dpmpp_2m, grid) < error(euler, grid), steps


@pytest.mark.parametrize("factor", [0.0, 0.4, 0.6, 1.0, -0.5])
def test_a_wrong_midpoint_coefficient_is_noticed(
    monkeypatch: pytest.MonkeyPatch, factor: float
) -> None:
    def wrong(m0: Array, m1: Array, h_ratio: float) -> Array:
        return m0 + factor * h_ratio * (m0 - m1)

    monkeypatch.setattr(dpm_solver, "_midpoint", wrong)
    assert min(observed_orders(dpmpp_2m)) < 1.5


def test_a_wrong_lambda_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the model's grid, whose steps in lambda are uneven, h must be right too."""
    grid = schedule.flow_sigmas(40, 4.0)
    right = error(dpmpp_2m, grid)
    monkeypatch.setattr(dpm_solver, "_lambda", lambda sigma: 1.0 - sigma)
    assert error(dpmpp_2m, grid) > 1.5 * right


def test_a_wrong_sign_in_euler_would_be_noticed() -> None:
    def backwards(velocity: Velocity, x: Array, sigmas: Grid) -> Iterator[Step]:
        return euler(lambda x, sigma: -velocity(x, sigma), x, sigmas)

    assert max(observed_orders(backwards)) < 0.5


@pytest.mark.parametrize("sampler", [euler, dpmpp_2m])
def test_one_step_from_pure_noise_lands_on_the_prediction(sampler: SamplerFunction) -> None:
    [step] = sampler(ideal_velocity, POINTS, schedule.flow_sigmas(1, 4.0))
    np.testing.assert_array_equal(step.x, POINTS - ideal_velocity(POINTS, 1.0))
    np.testing.assert_array_equal(step.x, step.denoised)


@pytest.mark.parametrize("sampler", [euler, dpmpp_2m])
@pytest.mark.parametrize("steps", [1, 2, 8, 20])
def test_steps_are_numbered_and_the_last_is_clean(sampler: SamplerFunction, steps: int) -> None:
    grid = schedule.flow_sigmas(steps, 4.0)
    results = list(sampler(ideal_velocity, POINTS, grid))
    assert [result.step for result in results] == list(range(1, steps + 1))
    assert [result.sigma for result in results] == list(grid[1:])
    np.testing.assert_array_equal(results[-1].x, results[-1].denoised)
    assert all(np.isfinite(result.x).all() for result in results)


def test_dpmpp_2m_starts_with_two_first_order_steps_from_pure_noise() -> None:
    """From sigma = 1 there is no earlier finite h; a first-order step equals Euler's here."""
    grid = schedule.flow_sigmas(20, 4.0)
    multistep = list(dpmpp_2m(ideal_velocity, POINTS, grid))
    single = list(euler(ideal_velocity, POINTS, grid))
    for index in (0, 1):
        np.testing.assert_allclose(multistep[index].x, single[index].x, rtol=1e-12)
    assert np.abs(multistep[2].x - single[2].x).max() > 1e-5


@pytest.mark.parametrize("sampler", [euler, dpmpp_2m])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_and_starting_latent_are_kept(sampler: SamplerFunction, dtype: type) -> None:
    start = POINTS.astype(dtype)
    untouched = start.copy()
    for step in sampler(lambda x, sigma: x, start, schedule.flow_sigmas(5, 4.0)):
        assert step.x.dtype == step.denoised.dtype == dtype
    np.testing.assert_array_equal(start, untouched)


@pytest.mark.parametrize("sampler", [euler, dpmpp_2m])
@pytest.mark.parametrize("sigmas", [[1.0], [0.5, 0.5], [0.1, 0.9], [1.2, 0.0], [1.0, -0.1]])
def test_grids_that_do_not_fall_are_refused(sampler: SamplerFunction, sigmas: list[float]) -> None:
    with pytest.raises(ValueError, match="must fall strictly"):
        next(sampler(ideal_velocity, POINTS, np.array(sigmas)))


def test_guidance_is_linear_between_and_beyond_the_two_predictions() -> None:
    cond, uncond = np.array([[3.0, -1.0], [1.0, 1.0]], dtype=np.float32)
    np.testing.assert_array_equal(guided(cond, uncond, 1.0), cond)
    np.testing.assert_array_equal(guided(cond, uncond, 0.0), uncond)
    np.testing.assert_array_equal(guided(cond, uncond, 4.0), [9.0, -7.0])
    assert guided(cond, uncond, 4.0).dtype == np.float32
