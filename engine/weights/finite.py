"""Whether stored weights are numbers: asked only when a picture came out as none.

Separate from reading because it costs a pass over whole files, which no picture should pay for.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from engine.weights.component import StoredTensor, read_component
from engine.weights.faults import Reason, corrupt
from engine.weights.files import opened

_EXPONENTS: dict[str, tuple[np.dtype, int]] = {
    "F16": (np.dtype("<u2"), 0x7C00),
    "BF16": (np.dtype("<u2"), 0x7F80),
    "F32": (np.dtype("<u4"), 0x7F80_0000),
    "F64": (np.dtype("<u8"), 0x7FF0_0000_0000_0000),
}
"""As integers, and the bits that are all set in infinity and NaN alone (IEEE 754, 3.4)."""

_CHUNK_BYTES = 4 << 20


def require_finite(folder: Path, checkpoint: Callable[[], None]) -> None:
    """Raises `EngineFault` MODEL_CORRUPT for the first tensor of `folder` with NaN or infinity.

    `folder` is one network's; other number formats are passed over. `checkpoint` is called between
    pieces of 4 MB and may raise to cancel. Raises as `component.read_component` does, too.
    """
    for name, tensor in read_component(folder).items():
        if tensor.header.dtype in _EXPONENTS and not _is_finite(tensor, checkpoint):
            raise corrupt(tensor.file, Reason.TENSOR_NOT_FINITE, tensor=name)


def _is_finite(tensor: StoredTensor, checkpoint: Callable[[], None]) -> bool:
    dtype, exponent = _EXPONENTS[tensor.header.dtype]
    left = tensor.header.size_bytes
    with opened(tensor.file) as file:
        file.seek(tensor.header.begin)
        while left:
            checkpoint()
            numbers = np.frombuffer(file.read(min(left, _CHUNK_BYTES)), dtype)
            if ((numbers & dtype.type(exponent)) == exponent).any():
                return False
            left -= numbers.nbytes
    return True
