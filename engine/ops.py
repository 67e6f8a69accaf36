"""Every array operation of the networks, plain and tuned: nothing else knows Paddle's operators.

Separate so that the networks read like their formulas, and so that a second array library could be
put under them by writing a second `ops`, `device` and weight reader. The contract is therefore
narrow: free functions on `Tensor`, no modules, no autograd, one picture at a time. Which form of an
operation runs (blocked, in strips, whole) is decided here, from the device that holds the tensors.

Conventions: floating tensors are float32 on the CPU and float32, float16 or bfloat16 on a GPU; an
operation keeps the dtype of its first argument. S counts tokens, N heads; D is a head's width. A
function whose name ends in `_` may overwrite its first argument: use its result, not the argument.

`checkpoint` is called between the pieces of a long operation; it raises to cancel.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from engine import bootstrap

with bootstrap.quiet_import():
    import paddle
    import paddle.nn.functional as F  # noqa: N812 - its usual name
    from paddle.incubate.nn.functional import fused_rms_norm

Tensor = paddle.Tensor
Checkpoint = Callable[[], None]

paddle.set_grad_enabled(False)

_CPU_BLOCK_FLOP = 14e9
"""Work of one uninterruptible operation on the CPU: about 70 ms on two AVX-512 cores."""

_CPU_SCORES = 2_500_000
"""Attention scores held at a time on the CPU (10 MB): small enough to stay in its caches."""

_GPU_SCORES = 256_000_000
"""Attention scores held at a time on a GPU without fused attention (0.5 GB in bfloat16)."""


# --- interception ---------------------------------------------------------------------------------


class Interceptor(Protocol):
    """Stands between a network and an operation: usually returns `function(*args, **kwargs)`."""

    def __call__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any: ...


_interceptor: list[Interceptor] = []
"""The one installed interceptor; empty while none is, and while it runs."""
_Function = TypeVar("_Function", bound=Callable[..., Any])


def operation(function: _Function) -> _Function:
    """Marks a public array function, so that `intercept` sees every call from outside this module.

    Operations that one operation calls for itself are not seen: they belong to the outer one.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _interceptor:
            return function(*args, **kwargs)
        interceptor = _interceptor.pop()
        try:
            return interceptor(function, args, kwargs)
        finally:
            _interceptor.append(interceptor)

    return cast(_Function, call)


@contextlib.contextmanager
def intercept(interceptor: Interceptor) -> Iterator[None]:
    """Within this context every operation goes through `interceptor`. One thread, no nesting."""
    if _interceptor:
        raise RuntimeError("an interceptor is installed already")
    _interceptor.append(interceptor)
    try:
        yield
    finally:
        _interceptor.clear()


def _on_cpu(x: Tensor) -> bool:
    return x.place.is_cpu_place()


# --- in and out -----------------------------------------------------------------------------------


@operation
def from_numpy(array: np.ndarray, dtype: str = "float32") -> Tensor:
    """A copy of `array` on the current device as `dtype` (`float32`, `bfloat16`, `int64`, ...)."""
    return _cast(paddle.to_tensor(np.ascontiguousarray(array)), dtype)


@operation
def to_numpy(x: Tensor) -> np.ndarray:
    """A float32 copy in the computer's memory; waits for the device."""
    return x.astype("float32").numpy()


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
def add(x: Tensor, y: Tensor) -> Tensor:
    """`x + y`, same shapes."""
    return paddle.add(x, y)


@operation
def scale_last_(x: Tensor, factor: Tensor) -> Tensor:
    """`x * factor`, `factor` [H] along the last axis."""
    return x.multiply_(factor)


@operation
def add_scaled_last_(x: Tensor, factor: Tensor, y: Tensor) -> Tensor:
    """`x + factor * y`, `factor` [H] along the last axis; may overwrite `y` too."""
    return x.add_(y.multiply_(factor))


@operation
def add_one(x: Tensor) -> Tensor:
    return paddle.scale(x, 1.0, bias=1.0)


@operation
def multiply(x: Tensor, y: Tensor) -> Tensor:
    """`x * y`, same shapes."""
    return paddle.multiply(x, y)


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
    if _on_cpu(x):
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


# --- attention ------------------------------------------------------------------------------------


def token_blocks(tokens: int, widest_layer: int) -> list[tuple[int, int]]:
    """Bounds (start, stop) of the blocks in which `tokens` rows go through a network's layers.

    `widest_layer` is in * out of the largest matrix. On a GPU one block; on the CPU as many as keep
    each matrix product short enough to cancel between them, of nearly equal size.
    """
    if not paddle.device.get_device().startswith("cpu"):
        return [(0, tokens)]
    limit = max(64, int(_CPU_BLOCK_FLOP / (2 * widest_layer)))
    count = math.ceil(tokens / limit)
    edges = [tokens * i // count for i in range(count + 1)]
    return list(itertools.pairwise(edges))


@operation
def split_heads(x: Tensor, heads: int) -> Tensor:
    """[S, N*D] -> [N, S, D]."""
    tokens, width = x.shape
    return x.reshape([tokens, heads, width // heads]).transpose([1, 0, 2]).contiguous()


@dataclass(frozen=True, slots=True)
class RotaryTable:
    """Cosines and sines [S, D] of one set of token positions, in the form `rotate` wants."""

    cosine: Tensor
    sine: Tensor
    half_turn: Tensor | None


@operation
def rotary_table(angles: np.ndarray, dtype: str, scale: float | np.ndarray = 1.0) -> RotaryTable:
    """The table for `rotate` from float32 angles [S, D]; `scale` multiplies what it will rotate.

    `scale` is a number or one per token [S, 1].
    Attention's 1/sqrt(D) rides for free on the queries' table.
    """
    width = angles.shape[1]
    # Cosines of the rounded angle, themselves rounded once: as exact as float32 can be.
    wide = angles.astype(np.float64)
    cosine = from_numpy((np.cos(wide) * scale).astype(np.float32), dtype)
    half_turn = None
    if _on_cpu(cosine):
        half_turn = from_numpy(_half_turn(width), dtype)
    else:
        wide[:, : width // 2] *= -1
    sine = from_numpy((np.sin(wide) * scale).astype(np.float32), dtype)
    return RotaryTable(cosine, sine, half_turn)


def _half_turn(width: int) -> np.ndarray:
    """The matrix R of [x1, x2] @ R = [-x2, x1], halves of `width`."""
    half = width // 2
    matrix = np.zeros((width, width), np.float32)
    matrix[np.arange(half) + half, np.arange(half)] = -1
    matrix[np.arange(half), np.arange(half) + half] = 1
    return matrix


@operation
def rotate(x: Tensor, table: RotaryTable) -> Tensor:
    """Rotary embedding in its rotate-half form (Su et al. 2021): x * cos + [-x2, x1] * sin.

    `x` [N, S, D], halves x1 and x2 of the last axis -> [N, S, D].
    """
    if table.half_turn is not None:
        # A product with a permutation is exact, uses both cores, and beats slicing and joining.
        turned = paddle.matmul(x, table.half_turn)
    else:
        turned = paddle.roll(x, x.shape[-1] // 2, axis=-1)
    return paddle.multiply(x, table.cosine).add_(turned.multiply_(table.sine))


@dataclass(frozen=True, slots=True)
class AttentionMemory:
    """Keys and values of all tokens, in the form `attention` wants; opaque to the networks."""

    keys: Tensor
    values: Tensor


@operation
def attention_memory(keys: Sequence[Tensor], values: Sequence[Tensor]) -> AttentionMemory:
    """Joins the blocks [N_kv, s, D] of keys and of values of all S tokens."""
    if _on_cpu(keys[0]):
        turned = [block.transpose([0, 2, 1]).contiguous() for block in keys]
        return AttentionMemory(concat(turned, axis=2), concat(values, axis=1))
    return AttentionMemory(concat(keys, axis=1).transpose([0, 2, 1]), concat(values, axis=1))


@operation
def attention(
    queries: Tensor,
    memory: AttentionMemory,
    checkpoint: Checkpoint,
    causal_from: int | None = None,
) -> Tensor:
    """Softmax(q k^T) v (Vaswani et al. 2017); the queries carry the factor 1/sqrt(D) already.

    `queries` [N, s, D], memory of S tokens with N_kv heads, N a multiple of N_kv: consecutive query
    heads share one head of the memory. With `causal_from`, query i sees memory tokens up to
    `causal_from` + i, else all. -> [s, N*D].

    Computed in blocks of queries, so that the scores never fill the memory.
    """
    heads, count, width = queries.shape
    kv_heads, _, tokens = memory.keys.shape
    shared = heads // kv_heads
    budget = _CPU_SCORES if _on_cpu(queries) else _GPU_SCORES
    step = min(count, max(32, budget // (heads * tokens) // 32 * 32))
    pieces = []
    for start in range(0, count, step):
        stop = min(start + step, count)
        block = queries if step == count else queries[:, start:stop]
        block = block.reshape([kv_heads, shared * (stop - start), width])
        if causal_from is None:
            scores = F.softmax_(paddle.matmul(block, memory.keys))
            seen = memory.values
        else:
            last = causal_from + stop
            scores = paddle.matmul(block, memory.keys[:, :, :last])
            scores = _hide_future(scores, shared, causal_from + start, stop - start)
            seen = memory.values[:, :last]
        piece = paddle.matmul(scores, seen).reshape([heads, stop - start, width])
        pieces.append(piece.transpose([1, 0, 2]).reshape([stop - start, heads * width]))
        checkpoint()
    return concat(pieces, axis=0)


def _hide_future(scores: Tensor, shared: int, first: int, count: int) -> Tensor:
    """Softmax of `scores` [N_kv, shared*count, first+count]; query i sees tokens 0 .. first+i."""
    tokens = first + count
    future = np.arange(tokens)[None, :] > first + np.arange(count)[:, None]
    mask = paddle.to_tensor(np.where(future, -np.inf, 0.0).astype(np.float32)).astype(scores.dtype)
    kv_heads = scores.shape[0]
    shaped = scores.reshape([kv_heads * shared, count, tokens]).add_(mask)
    return F.softmax_(shaped).reshape([kv_heads, shared * count, tokens])
