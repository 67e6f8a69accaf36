"""The self-test's arithmetic: the engine's own operations against float64 on the processor.

Separate from memory and pictures because everything here has an exact answer. Operands are random
numbers rounded to the format under test before both sides see them, so that what is compared is the
operation. A result is judged by its largest error, in units of the answer's root mean square: one
wrong element among a million shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from engine import ops
from engine.checks import selftest_device as library
from engine.checks.selftest_messages import Outcome, failed, passed
from engine.checks.selftest_plan import Amounts
from engine.checks.selftest_words import Cause
from engine.checks.sentences import say
from engine.port import Verdict

Exact = np.ndarray
"""float64, computed by NumPy."""

LARGEST_ERROR: Mapping[str, float] = {"float32": 1e-3, "float16": 2e-2, "bfloat16": 1e-1}
"""About ten times what rounding the answer and its intermediate values costs in each format: above
it something is wrong, not coarse."""

ENGINE_FORMAT = "float32"
"""The format that the engine cannot do without; where another is missing, it takes this one."""


def judge_operation(operation: str, dtype: str, amounts: Amounts, *, is_gpu: bool) -> Outcome:
    """Compute `operation` (of `selftest_plan.OPERATIONS`) in `dtype` and compare with float64."""
    try:
        actual, exact = _OPERATIONS[operation](dtype, amounts)
    except (RuntimeError, ValueError, NotImplementedError) as error:
        if not library.is_missing_kernel(error):
            raise
        return _missing(dtype, error, is_gpu=is_gpu)
    return judge(actual, exact(), dtype)


def judge(actual: np.ndarray, exact: Exact, dtype: str) -> Outcome:
    """Whether `actual` is `exact` as far as `dtype` can say."""
    limit = LARGEST_ERROR[dtype]
    expected = say("largest error at most {limit}", limit=f"{limit:.0e}")
    broken = int(np.count_nonzero(~np.isfinite(actual)))
    if broken:
        measured = say("{count} of {all} results are not numbers", count=broken, all=actual.size)
        return failed(Cause.NOT_FINITE, measured, expected)
    scale = float(np.sqrt(np.mean(exact**2)))
    error = float(np.abs(actual - exact).max()) / scale
    measured = say("largest error {error}", error=f"{error:.1e}")
    if error > limit:
        return failed(Cause.WRONG_RESULT, measured, expected)
    return passed(measured, expected)


def _missing(dtype: str, error: Exception, *, is_gpu: bool) -> Outcome:
    """The verdict on a format that the library has no kernel for."""
    detail = " ".join(str(error).split())[-500:]
    if dtype == ENGINE_FORMAT:
        measured, expected = say("no kernel"), say("a kernel")
        return failed(Cause.MISSING_KERNEL, measured, expected, detail)
    measured = (
        say("PaddlePaddle has no {dtype} kernel for this GPU; it uses float32", dtype=dtype)
        if is_gpu
        else say("PaddlePaddle has no {dtype} kernel for the CPU; it uses float32", dtype=dtype)
    )
    return Outcome(verdict=Verdict.NOT_APPLICABLE, measured=measured, detail=detail)


# --- the operations -------------------------------------------------------------------------------

Attempt = tuple[np.ndarray, Callable[[], Exact]]
"""What the device computed, and how to compute it exactly (only once the device could at all)."""


def _matmul(dtype: str, amounts: Amounts) -> Attempt:
    rows, inner, columns = amounts.matmul
    rng = np.random.default_rng(1)
    x, weight = _operand(rng, dtype, rows, inner), _operand(rng, dtype, columns, inner)
    actual = ops.to_numpy(ops.linear(_tensor(x, dtype), _tensor(weight, dtype)))
    return actual, lambda: x @ weight.T


def _convolution(dtype: str, amounts: Amounts) -> Attempt:
    """A 3x3 convolution with padding, as the VAE's."""
    channels, side = amounts.channels, amounts.map_side
    rng = np.random.default_rng(2)
    latent = _operand(rng, dtype, 1, 4 * channels, side // 2, side // 2)
    weight = _operand(rng, dtype, channels, channels, 3, 3)
    bias = _operand(rng, dtype, channels)
    x = ops.unpacked(_tensor(latent, dtype), None, widest=channels)
    y = ops.conv2d(x, _tensor(weight, dtype), _tensor(bias, dtype), _never)
    actual = ops.to_numpy(ops.image(y))[0]

    def exact() -> Exact:
        padded = np.pad(_pixels(latent), ((0, 0), (1, 1), (1, 1)))
        total = np.tile(bias[:, None, None], (1, side, side))
        for i in range(3):
            for j in range(3):
                window = padded[:, i : i + side, j : j + side]
                total += np.tensordot(weight[:, :, i, j], window, axes=1)
        return total

    return actual, exact


def _softmax(dtype: str, amounts: Amounts) -> Attempt:
    """Attention to unit vectors that hold unit vectors is softmax, in the very code."""
    width = min(256, amounts.tokens)
    rng = np.random.default_rng(3)
    x = _operand(rng, dtype, 1, amounts.tokens, width, scale=0.5)
    unit = np.eye(width)[None]
    memory = ops.attention_memory([_tensor(unit, dtype)], [_tensor(unit, dtype)])
    actual = ops.to_numpy(ops.attention(_tensor(x, dtype), memory, _never))
    return actual, lambda: _softmax_of(x[0])


def _attention(dtype: str, amounts: Amounts) -> Attempt:
    heads, width, tokens = 8, 64, amounts.tokens
    rng = np.random.default_rng(4)
    queries = _operand(rng, dtype, heads, tokens, width, scale=width**-0.5)
    keys, values = (_operand(rng, dtype, heads, tokens, width) for _ in range(2))
    memory = ops.attention_memory([_tensor(keys, dtype)], [_tensor(values, dtype)])
    actual = ops.to_numpy(ops.attention(_tensor(queries, dtype), memory, _never))

    def exact() -> Exact:
        seen = _softmax_of(queries @ keys.transpose(0, 2, 1)) @ values
        return seen.transpose(1, 0, 2).reshape(tokens, heads * width)

    return actual, exact


def _normalization(dtype: str, amounts: Amounts) -> Attempt:
    """The three norms of the networks, side by side: RMS, layer and group norm."""
    channels, side = amounts.channels, amounts.map_side
    rng = np.random.default_rng(5)
    x = _operand(rng, dtype, amounts.tokens, channels)
    latent = _operand(rng, dtype, 1, 4 * channels, side // 2, side // 2)
    weight, bias = (_operand(rng, dtype, channels) for _ in range(2))
    vectors = _tensor(weight, dtype), _tensor(bias, dtype)
    groups, eps = channels // 4, 1e-6
    rms = ops.rms_norm(_tensor(x, dtype), vectors[0], eps)
    layer = ops.layer_norm(_tensor(x, dtype), *vectors, eps)
    pixels = ops.unpacked(_tensor(latent, dtype), None, widest=channels)
    norm = ops.group_norm(pixels, groups, *vectors, eps, _never)
    empty = ops.unpacked(_tensor(np.zeros_like(latent), dtype), None, widest=channels)
    group = ops.image(ops.add_tokens_(empty, ops.tokens(pixels, norm)))  # in pixel order again
    parts = [rms, layer, ops.transpose(ops.reshape(group, [channels, side * side]), [1, 0])]
    actual = np.concatenate([ops.to_numpy(part) for part in parts])

    def exact() -> Exact:
        by_rms = x / np.sqrt(np.mean(x**2, axis=1, keepdims=True) + eps) * weight
        by_layer = _standardized(x, 1, eps) * weight + bias
        grouped = _standardized(_pixels(latent).reshape(groups, -1), 1, eps)
        by_group = grouped.reshape(channels, -1).T * weight + bias
        return np.concatenate([by_rms, by_layer, by_group])

    return actual, exact


_OPERATIONS: Mapping[str, Callable[[str, Amounts], Attempt]] = {
    "matmul": _matmul,
    "convolution": _convolution,
    "softmax": _softmax,
    "normalization": _normalization,
    "attention": _attention,
}


# --- operands -------------------------------------------------------------------------------------


def _operand(rng: np.random.Generator, dtype: str, *shape: int, scale: float = 1.0) -> Exact:
    """Normal numbers that `dtype` holds exactly."""
    return rounded(rng.standard_normal(shape, dtype=np.float32) * np.float32(scale), dtype)


def rounded(values: np.ndarray, dtype: str) -> Exact:
    """float32 `values` rounded to `dtype`, ties to even, by NumPy alone; as float64."""
    if dtype == "bfloat16":
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        to_even = ((bits >> 16) & 1) + 0x7FFF
        return ((bits + to_even) & 0xFFFF0000).view(np.float32).astype(np.float64)
    return values.astype(dtype).astype(np.float64)


def _tensor(values: Exact, dtype: str) -> ops.Tensor:
    return ops.from_numpy(values.astype(np.float32), dtype)


def _pixels(latent: Exact) -> Exact:
    """[C, 2h, 2w] of a latent [1, 4C, h, w] that packs 2x2 pixels into channels."""
    _, packed, height, width = latent.shape
    tiles = latent.reshape(packed // 4, 2, 2, height, width).transpose(0, 3, 1, 4, 2)
    return tiles.reshape(packed // 4, 2 * height, 2 * width)


def _softmax_of(scores: Exact) -> Exact:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _standardized(x: Exact, axis: int, eps: float) -> Exact:
    mean, variance = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps)


def _never() -> None:
    """A step is ended from outside, with its process."""
