"""Attention in blocks, with rotary positions: what transformer and text encoder have in common."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import paddle
import paddle.nn.functional as F  # noqa: N812 - its usual name

from engine.ops.arrays import Checkpoint, Tensor, concat, from_numpy, on_cpu
from engine.ops.interception import operation

_CPU_BLOCK_FLOP = 10e9
"""Work of one uninterruptible operation on the CPU: about 90 ms on one core with AVX-512. Smaller
blocks cancel sooner and multiply more slowly (a tenth at half the size)."""

_CPU_SCORES = 2_500_000
"""Attention scores held at a time on the CPU (10 MB): small enough to stay in its caches."""

_GPU_SCORES = 256_000_000
"""Attention scores held at a time on a GPU (0.5 GB in bfloat16)."""


def token_blocks(tokens: int, widest_layer: int) -> list[tuple[int, int]]:
    """Bounds (start, stop) of the blocks in which `tokens` rows go through a network's layers.

    `widest_layer` is in * out of the largest matrix. On a GPU one block; on the CPU as many as keep
    each matrix product short enough to cancel between them, of nearly equal size.
    """
    if not on_cpu():
        return [(0, tokens)]
    limit = max(128, int(_CPU_BLOCK_FLOP / (2 * widest_layer)))
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

    Computed in blocks of queries, so that the scores never fill the memory.
    """
    heads, count, width = queries.shape
    kv_heads, _, tokens = memory.keys.shape
    shared = heads // kv_heads
    budget = _CPU_SCORES if on_cpu(queries) else _GPU_SCORES
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
