"""What the self-test does, in which order, how much of it, and how long a step may be silent.

Separate and limited to the standard library, because both sides need it: the parent process, which
must know what a dead child still owed, and the child, which does it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

DTYPES = ("float32", "float16", "bfloat16")
OPERATIONS = ("matmul", "convolution", "softmax", "normalization", "attention")

ENUMERATE = "enumerate"
DEVICE = "device"
ALLOCATE = "allocate"
COPY = "copy"
MEMORY = "memory.quick"
FULL_MEMORY = "memory.full"
BANDWIDTH = "bandwidth"
LOAD = "load"
GOLDEN = "golden"

MIB = 1 << 20
GIB = 1 << 30


def operation_step(operation: str, dtype: str) -> str:
    """The name of the step that computes `operation` in `dtype`: `matmul.float16`."""
    return f"{operation}.{dtype}"


def steps(*, full_memory: bool) -> tuple[str, ...]:
    """The names of all steps in order: whether there is a device, then its soundness."""
    return tuple(_steps(full_memory))


def _steps(full_memory: bool) -> Iterator[str]:
    yield from (ENUMERATE, DEVICE, ALLOCATE, COPY)
    for operation in OPERATIONS:
        for dtype in DTYPES:
            yield operation_step(operation, dtype)
    yield MEMORY
    if full_memory:
        yield FULL_MEMORY
    yield from (BANDWIDTH, LOAD, GOLDEN)


_SILENCE_S = {
    ENUMERATE: 120.0,  # PaddlePaddle and ROCm load from a cold disk
    DEVICE: 120.0,  # the first kernels are compiled or loaded
    LOAD: 240.0,  # MIOpen searches for its convolutions once per shape
    GOLDEN: 240.0,
}


def silence_limit_s(step: str) -> float:
    """Seconds without a sign of life after which a step counts as hung."""
    if step.startswith("convolution."):
        return _SILENCE_S[LOAD]
    return _SILENCE_S.get(step, 60.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """How much each step moves and computes.

    `matmul` is rows, inner and columns; `load_s` is split between matrix products and pictures.
    """

    allocate_bytes: int = 64 * MIB
    copy_bytes: int = 64 * MIB
    matmul: tuple[int, int, int] = (1024, 1024, 1536)
    channels: int = 64
    map_side: int = 64
    tokens: int = 512
    pattern_bytes: int = 2 * GIB
    chunk_bytes: int = 128 * MIB
    bandwidth_bytes: int = 256 * MIB
    load_s: float = 20.0
    load_matmul: int = 4096


GPU_AMOUNTS = Amounts()
CPU_AMOUNTS = Amounts(load_s=8.0, load_matmul=1024)
