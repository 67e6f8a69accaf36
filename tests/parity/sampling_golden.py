"""Writes the golden grids and end points of diffusers' two schedulers.

Run it in the reference environment:
`.venv-reference/bin/python -m tests.parity.sampling_golden`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

GOLDEN = Path(__file__).parents[1] / "golden" / "sampling.json"
START = np.linspace(-2.0, 2.0, 8, dtype=np.float32)
SHIFT = 4.0


def velocity(x: np.ndarray, sigma: float) -> np.ndarray:
    """Not linear in x, so that errors of a solver cannot cancel."""
    return np.asarray(np.tanh(x) * (1.0 + sigma) - 0.3 * x, dtype=x.dtype)


def reference_end(scheduler: Any) -> list[float]:
    """Where the scheduler takes START; it hands the model its own sigma, not the timestep."""
    import torch  # pyright: ignore[reportMissingImports]

    x = torch.from_numpy(START.copy())
    for index, timestep in enumerate(scheduler.timesteps):
        v = velocity(x.numpy(), float(scheduler.sigmas[index]))
        x = scheduler.step(torch.from_numpy(v), timestep, x).prev_sample
    return x.numpy().tolist()


def main() -> None:
    from diffusers import (  # pyright: ignore[reportMissingImports]
        DPMSolverMultistepScheduler,
        FlowMatchEulerDiscreteScheduler,
    )

    cases = []
    for steps in (1, 8, 20, 50):
        scheduler = FlowMatchEulerDiscreteScheduler(shift=SHIFT)
        scheduler.set_timesteps(sigmas=list(np.linspace(1.0, 0.0, steps + 1)[:-1]))
        cases.append(("euler", steps, scheduler))
    for steps in (4, 14, 15, 20, 50):
        # Its grid starts just below 1, so that its first step is an ordinary one.
        scheduler = DPMSolverMultistepScheduler(
            use_flow_sigmas=True, prediction_type="flow_prediction", flow_shift=SHIFT
        )
        scheduler.set_timesteps(steps)
        cases.append(("dpmpp_2m", steps, scheduler))
    lines = [
        json.dumps(
            {
                "sampler": sampler,
                "steps": steps,
                "sigmas": scheduler.sigmas.tolist(),
                "end": reference_end(scheduler),
            }
        )
        for sampler, steps, scheduler in cases
    ]
    GOLDEN.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
