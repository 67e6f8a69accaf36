"""What a sampler yields, and the check of the grid it is given: shared by all samplers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Velocity = Callable[[Array, float], Array]
"""(x, sigma) -> velocity of x's shape: noise - denoised, as the network predicts it, guided."""
Velocities = Callable[[Array, float], list[Array]]
"""The same under several texts at once, one velocity for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step is done. `step` is 1-based; `sigma` is the level that `x` has now reached.

    `denoised` is the clean latent as predicted at the level the step began from: the picture a
    preview should show. Both arrays have the shape and dtype of the sampler's starting latent.
    """

    step: int
    sigma: float
    x: Array
    denoised: Array


def checked_levels(sigmas: NDArray[np.float64]) -> list[float]:
    """The grid as Python floats, which leave a float32 latent float32.

    ValueError unless it holds two levels or more that fall strictly within 1 .. 0.
    """
    levels = [float(sigma) for sigma in sigmas]
    falling = all(high > low for high, low in pairwise(levels))
    if len(levels) < 2 or not falling or levels[0] > 1.0 or levels[-1] < 0.0:
        raise ValueError(f"sigmas must fall strictly within 1 .. 0, not {levels}")
    return levels
