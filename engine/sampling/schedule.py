"""Where the sampler steps: the decreasing noise levels from pure noise (1) to the picture (0).

Separate from the samplers, which take any such grid: the checkpoint decides the shift, the user the
number of steps.
"""

from __future__ import annotations

from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from engine.port import SigmaSchedule


def flow_sigmas(steps: int, shift: float) -> NDArray[np.float64]:
    """ERNIE-Image's grid: `steps + 1` decreasing levels, the first 1, the last 0; float64.

    Uniform in s, then sigma = shift * s / (1 + (shift - 1) * s): a shift above 1 spends more steps
    at high noise (Esser et al. 2024, "Scaling Rectified Flow Transformers for High-Resolution Image
    Synthesis", eq. 23; `shift` is the checkpoint's `scheduler_config.json` entry). The network's
    timestep is 1000 * sigma and stays a real number.
    """
    if steps < 1:
        raise ValueError(f"steps must be at least 1, not {steps}")
    if not shift > 0:
        raise ValueError(f"shift must be positive, not {shift}")
    s = np.linspace(1.0, 0.0, steps + 1)
    levels = shift * s / (1.0 + (shift - 1.0) * s)
    levels[0] = 1.0  # what the formula says; some shifts miss it by a rounding
    return levels


def sigmas(schedule: SigmaSchedule, steps: int, shift: float) -> NDArray[np.float64]:
    """The grid that `schedule` names: [steps + 1], decreasing from 1 to 0, float64."""
    match schedule:
        case SigmaSchedule.SHIFTED:
            return flow_sigmas(steps, shift)
        case SigmaSchedule.UNIFORM:
            return flow_sigmas(steps, 1.0)
        case _:
            assert_never(schedule)
