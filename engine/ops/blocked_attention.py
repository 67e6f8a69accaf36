"""Attention in blocks, with rotary positions: what transformer and text encoder have in common."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import paddle
import paddle.nn.functional as F  # noqa: N812 - its usual name

from engine.ops.arrays import (
    CPU_CACHED_NUMBERS,
    Checkpoint,
    Tensor,
    concat,
    from_numpy,
    on_cpu,
    rms_norm,
    shared_array,
)
from engine.ops.interception import operation

_CPU_BLOCK_FLOP = 9e9
"""Work of one uninterruptible operation per CPU thread: about 90 ms with AVX-512. Smaller blocks
cancel sooner and multiply more slowly (a tenth at half the size)."""

_CPU_SCORES = 1_200_000
"""Attention scores of one head held at a time on the CPU (5 MB): they stay in its caches."""

_SUM_RANGE = (1e-30, 1e30)
"""Sums of exponentials within which float32 loses nothing, with values up to 1e8: their terms and
their products with the values stay within its range."""

_GPU_SCORES = 256_000_000
"""Attention scores held at a time on a GPU (0.5 GB in bfloat16)."""


def token_blocks(tokens: int, widest_layer: int) -> list[tuple[int, int]]:
    """Bounds (start, stop) of the blocks in which `tokens` rows go through a network's layers.

    `widest_layer` is in * out of the largest matrix. On a GPU one block; on the CPU as many as keep
    each matrix product short enough to cancel between them, of nearly equal size.
    """
    if not on_cpu():
        return [(0, tokens)]
    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    limit = max(128, int(threads * _CPU_BLOCK_FLOP / (2 * widest_layer)))
    count = math.ceil(tokens / limit)
    edges = [tokens * i // count for i in range(count + 1)]
    return list(itertools.pairwise(edges))


@operation
def split_heads(x: Tensor, heads: int) -> Tensor:
    """[S, N*D] -> [N, S, D]."""
    tokens, width = x.shape
    if x.offset:
        x = x.clone()  # PaddlePaddle transposes a part of a tensor ten times as slowly
    return x.reshape([tokens, heads, width // heads]).transpose([1, 0, 2]).contiguous()


@dataclass(frozen=True, slots=True)
class RotaryTable:
    """Cosines and sines [S, D] of one set of token positions; the sines of the first half negated:
    rotate-half is x * cosine + [x2, x1] * sine with them (Su et al. 2021).
    """

    cosine: Tensor
    sine: Tensor


@operation
def rotary_table(angles: np.ndarray, dtype: str, scale: float | np.ndarray = 1.0) -> RotaryTable:
    """The table for `rotated_heads` from float32 angles [S, D].

    `scale` multiplies what it will rotate: a number, or one per token [S, 1]. Attention's 1/sqrt(D)
    rides for free on the queries' table.
    """
    # Cosines of the rounded angle, themselves rounded once: as exact as float32 can be.
    wide = angles.astype(np.float64)
    cosine = (np.cos(wide) * scale).astype(np.float32)
    wide[:, : angles.shape[1] // 2] *= -1
    sine = (np.sin(wide) * scale).astype(np.float32)
    return RotaryTable(from_numpy(cosine, dtype), from_numpy(sine, dtype))


@operation
def rotated_heads(
    x: Tensor, heads: int, table: RotaryTable, norm: Tensor | None = None, eps: float = 0.0
) -> Tensor:
    """`x` [S, N*D] in N heads, each normalized if there is a `norm` [D] (as by `rms_norm`), rotated
    by its token's position -> [N, S, D].
    """
    if on_cpu(x):
        return _rotated_heads_in_cache(x, heads, table, norm, eps)
    y = split_heads(x, heads)
    if norm is not None:
        y = rms_norm(y, norm, eps)
    turned = paddle.roll(y, y.shape[-1] // 2, axis=-1)
    return paddle.multiply(y, table.cosine).add_(turned.multiply_(table.sine))


def _rotated_heads_in_cache(
    x: Tensor, heads: int, table: RotaryTable, norm: Tensor | None, eps: float
) -> Tensor:
    """In NumPy, some tokens at a time, so that all but the first reading and the last writing stays
    in the processor's caches; one operation after another takes PaddlePaddle twice as long.
    """
    tokens, half = x.shape[0], x.shape[1] // heads // 2
    result = paddle.empty([heads, tokens, 2 * half], x.dtype)
    by_token = shared_array(result).transpose(1, 0, 2)
    given = shared_array(x).reshape(tokens, heads, 2 * half)
    cosines, sines = shared_array(table.cosine), shared_array(table.sine)
    if norm is not None:  # its weights come with the tables, its roots last
        weight = shared_array(norm)
        cosines, sines = cosines * weight, sines * np.roll(weight, half)
    step = max(1, CPU_CACHED_NUMBERS // x.shape[1])
    for start in range(0, tokens, step):
        part, stop = given[start : start + step], start + step
        cosine, sine = cosines[start:stop, None], sines[start:stop, None]
        rotated = part * cosine
        rotated[..., :half] += part[..., half:] * sine[..., :half]
        rotated[..., half:] += part[..., :half] * sine[..., half:]
        if norm is not None:
            squares = np.einsum("snd,snd->sn", part, part) / np.float32(2 * half)
            rotated /= np.sqrt(squares + np.float32(eps))[..., None]
        by_token[start:stop] = rotated
    return result


@dataclass(frozen=True, slots=True)
class AttentionMemory:
    """Keys and values of all tokens, in the form `attention` wants; opaque to the networks."""

    keys: Tensor
    values: Tensor


@operation
def attention_memory(keys: Sequence[Tensor], values: Sequence[Tensor]) -> AttentionMemory:
    """Joins the blocks [N_kv, s, D] of keys and of values of all S tokens."""
    if on_cpu(keys[0]):
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

    Computed in blocks of queries, so that the scores never fill the memory; on the CPU each head by
    itself, because plain matrix products run faster there than batched ones, unless there is so
    little to do that calling costs more.
    """
    is_small = queries.shape[0] * queries.shape[1] * memory.keys.shape[2] <= _CPU_SCORES
    if on_cpu(queries) and not is_small:
        return _attention_by_head(queries, memory, checkpoint, causal_from)
    step = max(32, _GPU_SCORES // (queries.shape[0] * memory.keys.shape[2]) // 32 * 32)
    parts = []
    for start in range(0, queries.shape[1], step):
        block = queries[:, start : start + step]
        first = None if causal_from is None else causal_from + start
        parts.append(_attend(block, memory.keys, memory.values, first))
        checkpoint()
    mixed = concat(parts, axis=1)
    return mixed.transpose([1, 0, 2]).reshape([queries.shape[1], -1])


def _attention_by_head(
    queries: Tensor, memory: AttentionMemory, checkpoint: Checkpoint, causal_from: int | None
) -> Tensor:
    heads, count, _ = queries.shape
    kv_heads, _, tokens = memory.keys.shape
    shared = heads // kv_heads
    step = max(32, _CPU_SCORES // (shared * tokens) // 32 * 32)
    columns: list[Tensor] = []
    for head in range(kv_heads):
        keys, values = memory.keys[head : head + 1], memory.values[head : head + 1]
        group = queries[head * shared : (head + 1) * shared]
        parts = []
        for start in range(0, count, step):
            block = group if step >= count else group[:, start : start + step]
            first = None if causal_from is None else causal_from + start
            parts.append(_attend(block, keys, values, first))
            checkpoint()
        columns.extend(concat([part[i] for part in parts], axis=0) for i in range(shared))
    return concat(columns, axis=1)


def _attend(block: Tensor, keys: Tensor, values: Tensor, causal_from: int | None) -> Tensor:
    """A block of queries [N, s, D] with keys [N_kv, D, S], values [N_kv, S, D] -> [N, s, D]."""
    heads, count, width = block.shape
    kv_heads = keys.shape[0]
    shared = heads // kv_heads
    if causal_from is not None:
        last = causal_from + count
        keys, values = keys[:, :, :last], values[:, :last]
    rows = block.reshape([kv_heads, shared * count, width])

    def scores() -> Tensor:
        product = _product(rows, keys)
        return product if causal_from is None else _hide_future_(product, causal_from, count)

    if on_cpu(block):
        mixed = _mix_unnormalized(scores(), values)
        if mixed is not None:
            return mixed.reshape([heads, count, width])
    return _product(F.softmax_(scores()), values).reshape([heads, count, width])


def _mix_unnormalized(scores: Tensor, values: Tensor) -> Tensor | None:
    """softmax(scores) @ values, dividing last and not subtracting each row's maximum first.

    Half the time of the library's softmax on a CPU, which passes through the scores five times and
    takes the exponential more slowly than NumPy. Without the subtraction the exponential can leave
    float32's range; the rows' sums tell, and then the answer is None. Overwrites `scores`.
    """
    exponentials = shared_array(scores)
    with np.errstate(over="ignore"):
        np.exp(exponentials, out=exponentials)
    sums = paddle.matmul(scores, paddle.ones([scores.shape[2], 1], scores.dtype))
    least, most = shared_array(sums).min(), shared_array(sums).max()
    if not _SUM_RANGE[0] <= least <= most <= _SUM_RANGE[1]:
        return None
    mixed = _product(scores, values)
    quotients = shared_array(mixed)
    np.divide(quotients, shared_array(sums), out=quotients)
    return mixed


def _product(x: Tensor, y: Tensor) -> Tensor:
    """Batched matrix product; a batch of one as a plain product, which is faster."""
    return paddle.matmul(x, y) if x.shape[0] > 1 else paddle.matmul(x[0], y[0]).unsqueeze(0)


def _hide_future_(scores: Tensor, first: int, count: int) -> Tensor:
    """`scores` [N_kv, shared*count, first+count] with -inf where query i looks past first + i."""
    tokens = first + count
    future = np.arange(tokens)[None, :] > first + np.arange(count)[:, None]
    mask = paddle.to_tensor(np.where(future, -np.inf, 0.0).astype(np.float32)).astype(scores.dtype)
    return scores.reshape([-1, count, tokens]).add_(mask).reshape(scores.shape)
