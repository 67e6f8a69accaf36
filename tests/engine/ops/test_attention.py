"""Blocked attention and rotary positions against their definitions in float64."""

from __future__ import annotations

import contextlib
import itertools
import math
import os

import numpy as np
import pytest

from engine import ops
from engine.ops import blocked_attention

RNG = np.random.default_rng(3)


def sample(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def go_on() -> None:
    """Nobody cancels."""


def expected(queries, keys, values, causal_from=None) -> np.ndarray:
    """[s, N*D] by the definition, every head by itself."""
    heads, count, width = queries.shape
    shared = heads // keys.shape[0]
    out = np.zeros((count, heads, width))
    for head in range(heads):
        scores = queries[head].astype(np.float64) @ keys[head // shared].astype(np.float64).T
        if causal_from is not None:
            for i in range(count):
                scores[i, causal_from + i + 1 :] = -np.inf
        weights = np.exp(scores - scores.max(1, keepdims=True))
        out[:, head] = weights / weights.sum(1, keepdims=True) @ values[head // shared]
    return out.reshape(count, -1)


def ours(queries, keys, values, causal_from=None, cuts=(), checkpoint=go_on) -> np.ndarray:
    edges = [0, *cuts, keys.shape[1]]
    pairs = list(itertools.pairwise(edges))
    memory = ops.attention_memory(
        [ops.from_numpy(keys[:, a:b]) for a, b in pairs],
        [ops.from_numpy(values[:, a:b]) for a, b in pairs],
    )
    return ops.to_numpy(
        ops.attention(ops.from_numpy(queries), memory, checkpoint, causal_from=causal_from)
    )


@pytest.mark.parametrize(("heads", "kv_heads"), [(1, 1), (4, 4), (6, 2), (4, 1)])
@pytest.mark.parametrize("causal_from", [None, 0, 5])
@pytest.mark.parametrize("is_gpu", [False, True])
def test_attention_is_its_definition(heads, kv_heads, causal_from, is_gpu):
    count = 17
    tokens = count if causal_from is None else causal_from + count
    queries, keys = sample(heads, count, 8), sample(kv_heads, tokens, 8)
    values = sample(kv_heads, tokens, 8)
    wanted = expected(queries, keys, values, causal_from)
    if is_gpu:
        with ops.gpu_forms():
            got = ours(queries, keys, values, causal_from)
    else:
        got = ours(queries, keys, values, causal_from, cuts=(3, 9))
    np.testing.assert_allclose(got, wanted, atol=2e-6)


@pytest.mark.parametrize("causal_from", [None, 0])
def test_blocks_of_queries_do_not_change_the_result(monkeypatch, causal_from):
    queries, keys, values = sample(2, 200, 8), sample(2, 200, 8), sample(2, 200, 8)
    whole = ours(queries, keys, values, causal_from)
    checkpoints = []
    monkeypatch.setattr(blocked_attention, "_CPU_SCORES", 200 * 64)

    def checkpoint() -> None:
        checkpoints.append(1)

    blocked = ours(queries, keys, values, causal_from, checkpoint=checkpoint)
    assert len(checkpoints) == 2 * 4  # two heads, four blocks of queries
    np.testing.assert_allclose(blocked, whole, atol=1e-6)


def test_large_scores_do_not_overflow():
    queries, keys, values = sample(1, 4, 8) * 1e3, sample(1, 4, 8) * 1e3, sample(1, 4, 8)
    np.testing.assert_allclose(
        ours(queries, keys, values), expected(queries, keys, values), atol=2e-6
    )


def rotated(
    x: np.ndarray,
    heads: int,
    angles: np.ndarray,
    scale: float | np.ndarray = 1.0,
    norm: np.ndarray | None = None,
    eps: float = 0.0,
) -> np.ndarray:
    table = ops.rotary_table(angles, "float32", scale)
    weight = None if norm is None else ops.from_numpy(norm)
    return ops.to_numpy(ops.rotated_heads(ops.from_numpy(x), heads, table, weight, eps))


@pytest.mark.parametrize("form", ["cpu", "cpu in parts", "gpu"])
@pytest.mark.parametrize("has_norm", [False, True])
def test_heads_are_normalized_and_rotated_by_halves(monkeypatch, form, has_norm):
    x, angles = sample(5, 16), (sample(5, 8) * 100).astype(np.float32)
    norm = sample(8) if has_norm else None
    heads = x.astype(np.float64).reshape(5, 2, 8).transpose(1, 0, 2)
    if norm is not None:
        heads = heads / np.sqrt((heads**2).mean(-1, keepdims=True) + 0.1) * norm
    turned = np.concatenate([-heads[..., 4:], heads[..., :4]], axis=-1)
    wanted = heads * np.cos(angles.astype(np.float64)) + turned * np.sin(angles.astype(np.float64))
    if form == "cpu in parts":
        monkeypatch.setattr(blocked_attention, "CPU_CACHED_NUMBERS", 32)
    with ops.gpu_forms() if form == "gpu" else contextlib.nullcontext():
        got = rotated(x, 2, angles, 0.5, norm, 0.1)
    np.testing.assert_allclose(got, wanted * 0.5, atol=1e-6)


def test_a_part_of_a_tensor_is_rotated_like_a_whole_one():
    x, angles, norm = sample(7, 16), sample(4, 8), sample(8)
    table = ops.rotary_table(angles, "float32")
    part = ops.rows(ops.from_numpy(x), 3, 7)
    got = ops.rotated_heads(part, 2, table, ops.from_numpy(norm), 0.1)
    np.testing.assert_array_equal(ops.to_numpy(got), rotated(x[3:], 2, angles, norm=norm, eps=0.1))


def test_each_token_may_have_its_own_scale():
    x, angles, scale = sample(3, 4), sample(3, 4), np.array([[1.0], [2.0], [3.0]])
    plain, scaled = rotated(x, 1, angles), rotated(x, 1, angles, scale)
    np.testing.assert_allclose(scaled, plain * scale, rtol=1e-6)


def test_heads_come_first():
    x = sample(3, 8)
    split = ops.to_numpy(ops.split_heads(ops.from_numpy(x), 2))
    np.testing.assert_array_equal(split, x.reshape(3, 2, 4).transpose(1, 0, 2))
    part = ops.to_numpy(ops.split_heads(ops.rows(ops.from_numpy(x), 1, 3), 2))
    np.testing.assert_array_equal(part, split[:, 1:])


@pytest.mark.parametrize(("tokens", "widest"), [(1, 64), (1088, 2048 * 6144), (4160, 4096 * 12288)])
def test_token_blocks_cover_all_tokens_and_bound_the_work(tokens, widest):
    blocks = ops.token_blocks(tokens, widest)
    assert blocks[0][0] == 0
    assert blocks[-1][1] == tokens
    assert all(a[1] == b[0] for a, b in itertools.pairwise(blocks))
    longest = max(stop - start for start, stop in blocks)
    assert longest - min(stop - start for start, stop in blocks) <= 1
    most = blocked_attention._CPU_BLOCK_FLOP * int(os.environ["OMP_NUM_THREADS"])
    assert longest <= 128 or longest * 2 * widest <= most
    assert len(blocks) == math.ceil(tokens / longest)
    with ops.gpu_forms():
        assert ops.token_blocks(tokens, widest) == [(0, tokens)]
