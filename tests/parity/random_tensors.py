"""Random weights and inputs from (seed, name): the same in both environments, so none are stored.

Philox's raw words are a published algorithm (Salmon et al. 2011) that NumPy keeps stable, unlike
its distributions; a uniform number is one multiplication and one subtraction away.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np


def uniform(seed: int, name: str, shape: Sequence[int], std: float = 1.0) -> np.ndarray:
    """Float32, mean 0, standard deviation `std`; `name` picks the stream."""
    count = int(np.prod(shape, dtype=np.int64))
    words = np.random.Philox(key=[seed, zlib.crc32(name.encode())]).random_raw(count)
    unit = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return ((unit - 0.5) * (12**0.5 * std)).astype(np.float32).reshape(tuple(shape))


def weight(seed: int, name: str, shape: Sequence[int]) -> np.ndarray:
    """A tensor such as a trained network might have under this name: no part is 0 or dominates."""
    if name.endswith("running_var"):
        return np.float32(1) + uniform(seed, name, shape, 0.3)
    if name.endswith("embed_tokens.weight"):
        return uniform(seed, name, shape)
    if len(shape) > 1:
        fan_in = int(np.prod(shape[1:], dtype=np.int64))
        return uniform(seed, name, shape, fan_in**-0.5)
    if name.endswith("weight"):  # a norm's: no other vector is called so
        return np.float32(1) + uniform(seed, name, shape, 0.2)
    return uniform(seed, name, shape, 0.2)
