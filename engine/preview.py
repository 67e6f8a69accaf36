"""A small approximate picture of a latent, cheap enough to show after every step.

Separate from the VAE, whose decoder takes longer than a step: here each latent element becomes a
few pixels by one matrix product, with factors fitted once per model by least squares to what the
decoder makes of that model's latents (resources/starter-model/training/fit_preview.py). A model
without factors has no preview; a guess would show colours that the picture will not have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.port import RgbImage


@dataclass(frozen=True, slots=True, eq=False)
class Factors:
    """`weights` (C, 3 * cell**2) and `bias` (3 * cell**2,), float32.

    They give the colours, 0 .. 1, of the `cell` x `cell` preview pixels of one latent element, in
    the order (colour, row, column).
    """

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    @property
    def cell(self) -> int:
        """Preview pixels along one side of a latent element."""
        return math.isqrt(self.bias.size // 3)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any], channels: int) -> Factors:
        """From a manifest's `preview` object, `{"weights": C rows of numbers, "bias": numbers}`.

        Raises ValueError when the numbers do not fit together or are not finite.
        """
        weights = np.asarray(fields.get("weights"), dtype=np.float32)
        bias = np.asarray(fields.get("bias"), dtype=np.float32)
        cell = math.isqrt(bias.size // 3)
        if cell < 1 or bias.shape != (3 * cell**2,) or weights.shape != (channels, bias.size):
            raise ValueError(
                f"preview factors {weights.shape} and {bias.shape}, {channels} channels"
            )
        if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
            raise ValueError("preview factors that are not finite")
        return cls(weights, bias)


def preview(denoised: NDArray[np.floating[Any]], factors: Factors) -> RgbImage:
    """The preview of a denoised latent (1, C, h, w): cell * w x cell * h pixels.

    `denoised` is the sampler's estimate of the clean latent, packed and normalized as the
    transformer sees it. Values that are not finite come out black.
    """
    _, channels, height, width = denoised.shape
    elements = denoised[0].reshape(channels, height * width).T.astype(np.float32)  # (h * w, C)
    cell = factors.cell
    colours = elements @ factors.weights + factors.bias
    cells = colours.reshape(height, width, 3, cell, cell)
    rows = cells.transpose(0, 3, 1, 4, 2).reshape(height * cell, width * cell, 3)
    levels = np.rint(np.clip(np.nan_to_num(rows, nan=0.0), 0.0, 1.0) * 255.0).astype(np.uint8)
    return RgbImage(width=width * cell, height=height * cell, data=levels.tobytes())
