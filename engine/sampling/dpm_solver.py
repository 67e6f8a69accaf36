"""DPM-Solver++(2M) in flow form: second order with one evaluation per step.

Lu et al. 2022, "DPM-Solver++: Fast Solver for Guided Sampling of Diffusion Probabilistic Models",
algorithm 2, for the schedule alpha = 1 - sigma. It integrates the ODE exactly in its linear part
and takes the data prediction m = x - sigma * velocity as a line in lambda = log(alpha / sigma),
laid through the last two evaluations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.sampling.step import Array, Step, Velocity, checked_levels


def dpmpp_2m(velocity: Velocity, x: Array, sigmas: NDArray[np.float64]) -> Iterator[Step]:
    """Follow `velocity` from `x` at sigmas[0] to sigmas[-1]; yields one `Step` per interval.

    `x` may have any shape and floating dtype, which the results keep; it is not changed in place.
    Raises ValueError when `sigmas` does not fall strictly within 1 .. 0.

    Both ends of ERNIE-Image's grid are limits, taken exactly. At sigma = 1 lambda is minus
    infinity: the step from there is first order, and so is the next, whose correction by
    h / h_earlier is 0. At sigma = 0 lambda is infinite and the step lands on the prediction itself,
    so that diffusers' rule of a first-order last step in few steps is kept by itself.
    """
    levels = checked_levels(sigmas)
    earlier: tuple[Array, float] | None = None  # the last prediction, and h of the step it made
    for step, (sigma, sigma_next) in enumerate(pairwise(levels), start=1):
        denoised = x - sigma * velocity(x, sigma)
        h = _lambda(sigma_next) - _lambda(sigma)
        if sigma_next == 0.0:
            x = denoised
        else:
            m = denoised
            if earlier is not None:
                m1, h_earlier = earlier
                m = _midpoint(denoised, m1, h / h_earlier)
            # alpha_next * (1 - exp(-h)), written without exponentials
            ratio = sigma_next / sigma
            x = ratio * x + (1.0 - ratio) * m
        yield Step(step=step, sigma=sigma_next, x=x, denoised=denoised)
        earlier = None if math.isinf(h) else (denoised, h)


def _midpoint(m0: Array, m1: Array, h_ratio: float) -> Array:
    """The prediction in the middle of the step, on the line through m1 (earlier) and m0 (now)."""
    return m0 + (0.5 * h_ratio) * (m0 - m1)


def _lambda(sigma: float) -> float:
    """Half the log signal-to-noise ratio."""
    if sigma == 1.0:
        return -math.inf
    if sigma == 0.0:
        return math.inf
    return math.log((1.0 - sigma) / sigma)
