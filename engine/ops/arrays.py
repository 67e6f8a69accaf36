"""Plain array operations: in and out, shapes, arithmetic, linear layers, norms of tokens."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine import bootstrap
from engine.ops.interception import operation

with bootstrap.quiet_import():
    import paddle
    import paddle.nn.functional as F  # noqa: N812 - its usual name
    from paddle.incubate.nn.functional import fused_rms_norm

CPU_CACHED_NUMBERS = 1 << 16
"""Of a tensor on the CPU, how many elements a chain of NumPy operations handles at a time: 256 KB,
four of which fit a processor core's own cache."""

MAX_LAYER_NORM_EPS = 1e-3
"""PaddlePaddle's own limit; no known model comes near it."""

Tensor = paddle.Tensor
Checkpoint = Callable[[], None]

paddle.set_grad_enabled(False)


_imitate_gpu: list[bool] = []
"""Not empty within `gpu_forms`."""


def on_cpu(x: Tensor | None = None) -> bool:
    """Whether `x` (or what is made next) lies in the computer's memory.

    Chooses between the forms of an operation.
    """
    if _imitate_gpu:
        return False
    if x is None:
        return paddle.device.get_device().startswith("cpu")
    return x.place.is_cpu_place()


@contextlib.contextmanager
def gpu_forms() -> Iterator[None]:
    """Within this context operations take the forms made for a GPU, also on the CPU.

    So that the fake GPU runs what a GPU would run. Tensors made in one form do not fit the other.
    """
    _imitate_gpu.append(True)
    try:
        yield
    finally:
        _imitate_gpu.pop()


# --- in and out -----------------------------------------------------------------------------------


@operation
def from_numpy(array: np.ndarray, dtype: str = "float32") -> Tensor:
    """A copy of `array` on the current device as `dtype` (`float32`, `bfloat16`, `int64`, ...)."""
    return _cast(paddle.to_tensor(np.ascontiguousarray(array)), dtype)


@operation
def to_numpy(x: Tensor) -> np.ndarray:
    """A float32 copy in the computer's memory; waits for the device."""
    return x.astype("float32").numpy()


def shared_array(x: Tensor) -> np.ndarray:
    """The memory of a float32 tensor on the CPU as an array: who writes into it changes `x`."""
    return np.from_dlpack(x)


@operation
def cast_to(x: Tensor, dtype: str) -> Tensor:
    """`x` as `dtype`; `x` itself if it is that already."""
    return _cast(x, dtype)


def dtype_of(x: Tensor) -> str:
    """The name of the tensor's dtype: `float32`, `bfloat16`, ..."""
    return str(x.dtype).removeprefix("paddle.")


def _cast(x: Tensor, dtype: str) -> Tensor:
    return x if dtype_of(x) == dtype else x.astype(getattr(paddle, dtype))


# --- shapes ---------------------------------------------------------------------------------------


@operation
def reshape(x: Tensor, shape: Sequence[int]) -> Tensor:
    return x.reshape(list(shape))


@operation
def transpose(x: Tensor, axes: Sequence[int]) -> Tensor:
    """The axes reordered, contiguous in memory."""
    return x.transpose(list(axes)).contiguous()


@operation
def concat(parts: Sequence[Tensor], axis: int) -> Tensor:
    return parts[0] if len(parts) == 1 else paddle.concat(list(parts), axis=axis)


@operation
def rows(x: Tensor, start: int, stop: int) -> Tensor:
    """`x[start:stop]` along the first axis: contiguous."""
    return x if start == 0 and stop == x.shape[0] else x[start:stop]


@operation
def split(x: Tensor, parts: int, axis: int) -> list[Tensor]:
    """`parts` equal pieces along `axis`."""
    return list(paddle.split(x, parts, axis=axis))


# --- arithmetic -----------------------------------------------------------------------------------


@operation
def add_(x: Tensor, y: Tensor) -> Tensor:
    """`x + y`, same shapes."""
    return x.add_(y)


@operation
def scale_(x: Tensor, factor: float) -> Tensor:
    """`x * factor`."""
    return x.scale_(factor)


@operation
def add_scaled_last_(x: Tensor, factor: Tensor, y: Tensor) -> Tensor:
    """`x + factor * y`, `x` and `y` [S, H], `factor` [H]; may overwrite `y` too."""
    if not on_cpu(x):
        return x.add_(y.multiply_(factor))
    sums, summands, factors = shared_array(x), shared_array(y), shared_array(factor)
    step = max(1, CPU_CACHED_NUMBERS // len(factors))
    for start in range(0, len(sums), step):
        part = summands[start : start + step]
        part *= factors
        sums[start : start + step] += part
    return x


@operation
def add_one(x: Tensor) -> Tensor:
    return paddle.scale(x, 1.0, bias=1.0)


@operation
def multiply(x: Tensor, y: Tensor) -> Tensor:
    """`x * y`, same shapes."""
    return paddle.multiply(x, y)


@operation
def scale_shift_channels(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """`x * scale + shift` by channel: `x` [1, C, H, W], the others [C]."""
    shape = [1, -1, 1, 1]
    return paddle.add(paddle.multiply(x, scale.reshape(shape)), shift.reshape(shape))


@operation
def silu(x: Tensor) -> Tensor:
    """`x * sigmoid(x)`."""
    return F.silu(x)


@operation
def gelu_gated_(gate: Tensor, up: Tensor) -> Tensor:
    """gelu(gate) * up, with the exact (erf) GELU, not its tanh approximation."""
    return F.gelu(gate).multiply_(up)


@operation
def silu_gated_(gate: Tensor, up: Tensor) -> Tensor:
    """silu(gate) * up."""
    return F.silu(gate).multiply_(up)


@operation
def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`x @ weight.T + bias`: `x` [..., in], `weight` [out, in], `bias` [out] -> [..., out]."""
    y = paddle.matmul(x, weight, transpose_y=True)
    return y if bias is None else y.add_(bias)


@operation
def embedding(table: Tensor, ids: Sequence[int]) -> Tensor:
    """Rows `ids` of `table` [V, H] -> [len(ids), H]."""
    return F.embedding(paddle.to_tensor(list(ids), dtype="int64"), table)


# --- normalization --------------------------------------------------------------------------------


@operation
def rms_norm(x: Tensor, weight: Tensor, eps: float, shift: Tensor | None = None) -> Tensor:
    """`x / sqrt(mean(x^2) + eps) * weight + shift` over the last axis (Zhang and Sennrich 2019).

    `weight` and `shift` [H]. A modulation y * (1 + scale) + shift that follows the norm costs
    nothing when folded into them.
    """
    if on_cpu(x):
        # F.rms_norm has no CPU kernel; the fused form is fastest with a bias that may be zero.
        bias = paddle.zeros_like(weight) if shift is None else shift
        return fused_rms_norm(x, weight, bias, eps, x.ndim - 1)[0]
    wide = x.astype("float32")
    wide = wide * paddle.rsqrt((wide * wide).mean(axis=-1, keepdim=True) + eps)
    wide = wide * weight.astype("float32")
    return (wide if shift is None else wide + shift.astype("float32")).astype(x.dtype)


@operation
def layer_norm(x: Tensor, weight: Tensor, shift: Tensor, eps: float) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + shift over the last axis; both vectors [H]."""
    return F.layer_norm(x, [x.shape[-1]], weight=weight, bias=shift, epsilon=eps)
