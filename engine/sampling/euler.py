"""Euler's method for the flow ODE dx/dsigma = velocity: first order, one evaluation per step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.sampling.step import Array, Step, Velocity, checked_levels


def euler(velocity: Velocity, x: Array, sigmas: NDArray[np.float64]) -> Iterator[Step]:
    """Follow `velocity` from `x` at sigmas[0] to sigmas[-1]; yields one `Step` per interval.

    `x` may have any shape and floating dtype, which the results keep; it is not changed in place.
    Raises ValueError when `sigmas` does not fall strictly within 1 .. 0.
    """
    levels = checked_levels(sigmas)
    for step, (sigma, sigma_next) in enumerate(pairwise(levels), start=1):
        v = velocity(x, sigma)
        denoised = x - sigma * v
        x = denoised if sigma_next == 0.0 else x + (sigma_next - sigma) * v
        yield Step(step=step, sigma=sigma_next, x=x, denoised=denoised)
