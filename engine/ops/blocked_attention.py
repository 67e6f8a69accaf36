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

from engine.ops.arrays import Checkpoint, Tensor, concat, from_numpy, on_cpu
from engine.ops.interception import operation

_CPU_BLOCK_FLOP = 9e9
"""Work of one uninterruptible operation per CPU thread: about 90 ms with AVX-512. Smaller blocks
cancel sooner and multiply more slowly (a tenth at half the size)."""

_CPU_SCORES = 1_200_000
"""Attention scores of one head held at a time on the CPU (5 MB): they stay in its caches."""

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
    if on_cpu(cosine):
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
    scores = _product(block.reshape([kv_heads, shared * count, width]), keys)
    if causal_from is None:
        scores = F.softmax_(scores)
    else:
        scores = _hide_future(scores, shared, causal_from, count)
    return _product(scores, values).reshape([heads, count, width])


def _product(x: Tensor, y: Tensor) -> Tensor:
    """Batched matrix product; a batch of one as a plain product, which is faster."""
    return paddle.matmul(x, y) if x.shape[0] > 1 else paddle.matmul(x[0], y[0]).unsqueeze(0)


def _hide_future(scores: Tensor, shared: int, first: int, count: int) -> Tensor:
    """Softmax of `scores` [N_kv, shared*count, first+count]; query i sees tokens 0 .. first+i."""
    tokens = first + count
    future = np.arange(tokens)[None, :] > first + np.arange(count)[:, None]
    mask = paddle.to_tensor(np.where(future, -np.inf, 0.0).astype(np.float32)).astype(scores.dtype)
    kv_heads = scores.shape[0]
    shaped = scores.reshape([kv_heads * shared, count, tokens]).add_(mask)
    return F.softmax_(shaped).reshape([kv_heads, shared * count, tokens])
