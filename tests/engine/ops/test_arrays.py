"""Plain operations against NumPy in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine import ops

RNG = np.random.default_rng(7)


def sample(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def close(ours: ops.Tensor, expected: np.ndarray, tolerance: float = 2e-6) -> None:
    np.testing.assert_allclose(ops.to_numpy(ours), expected, rtol=0, atol=tolerance)


def test_numbers_go_in_and_come_out():
    x = sample(3, 4)
    np.testing.assert_array_equal(ops.to_numpy(ops.from_numpy(x)), x)
    rounded = ops.from_numpy(x, "bfloat16")
    assert ops.dtype_of(rounded) == "bfloat16"
    np.testing.assert_allclose(ops.to_numpy(rounded), x, rtol=2**-8)
    assert ops.dtype_of(ops.cast_to(rounded, "float32")) == "float32"


def test_what_comes_in_is_a_copy():
    x = sample(4)
    tensor = ops.from_numpy(x)
    x[:] = 0
    assert np.any(ops.to_numpy(tensor))


def test_shapes():
    x = sample(6, 4)
    close(ops.reshape(ops.from_numpy(x), [2, 12]), x.reshape(2, 12), 0)
    close(ops.transpose(ops.from_numpy(x), [1, 0]), x.T, 0)
    close(ops.rows(ops.from_numpy(x), 1, 3), x[1:3], 0)
    halves = ops.split(ops.from_numpy(x), 2, axis=0)
    close(halves[1], x[3:], 0)
    close(ops.concat(halves, axis=1), np.concatenate([x[:3], x[3:]], axis=1), 0)


@pytest.mark.parametrize("bias", [None, sample(5)])
def test_linear(bias):
    x, weight = sample(7, 3), sample(5, 3)
    expected = x.astype(np.float64) @ weight.T + (0 if bias is None else bias)
    ours = ops.linear(
        ops.from_numpy(x), ops.from_numpy(weight), None if bias is None else ops.from_numpy(bias)
    )
    close(ours, expected)


def test_embedding_takes_rows():
    table = sample(9, 4)
    close(ops.embedding(ops.from_numpy(table), [8, 0, 8]), table[[8, 0, 8]], 0)


@pytest.mark.parametrize("shape", [(6, 10), (2, 6, 10)])
@pytest.mark.parametrize("shifted", [False, True])
def test_rms_norm_with_folded_shift(shape, shifted):
    x, weight, shift = sample(*shape), sample(10), sample(10)
    wide = x.astype(np.float64)
    expected = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 0.01) * weight
    ours = ops.rms_norm(
        ops.from_numpy(x),
        ops.from_numpy(weight),
        0.01,
        ops.from_numpy(shift) if shifted else None,
    )
    close(ours, expected + (shift if shifted else 0))


def test_rms_norm_has_the_same_values_in_a_gpus_form():
    x, weight, shift = (ops.from_numpy(v) for v in (sample(6, 10), sample(10), sample(10)))
    ours = ops.to_numpy(ops.rms_norm(x, weight, 1e-6, shift))
    with ops.gpu_forms():
        close(ops.rms_norm(x, weight, 1e-6, shift), ours)


def test_layer_norm_with_folded_scale_and_shift():
    x, weight, shift = sample(6, 10), sample(10), sample(10)
    wide = x.astype(np.float64)
    centred = wide - wide.mean(-1, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * weight + shift
    close(
        ops.layer_norm(ops.from_numpy(x), ops.from_numpy(weight), ops.from_numpy(shift), 1e-6),
        expected,
    )


def test_gated_activations():
    gate, up = sample(50), sample(50)
    error_function = np.array([math.erf(v / math.sqrt(2)) for v in gate.astype(np.float64)])
    gelu = 0.5 * gate * (1 + error_function)
    close(ops.gelu_gated_(ops.from_numpy(gate), ops.from_numpy(up)), gelu * up)
    silu = gate / (1 + np.exp(-gate.astype(np.float64)))
    close(ops.silu(ops.from_numpy(gate)), silu)
    close(ops.silu_gated_(ops.from_numpy(gate), ops.from_numpy(up)), silu * up)


def test_arithmetic():
    x, y, factor = sample(4, 3), sample(4, 3), sample(3)
    close(ops.add_(ops.from_numpy(x), ops.from_numpy(y)), x + y)
    close(ops.multiply(ops.from_numpy(x), ops.from_numpy(y)), x * y)
    close(ops.scale_(ops.from_numpy(x), 0.25), x * 0.25)
    close(ops.add_one(ops.from_numpy(x)), x + 1)
    added = ops.add_scaled_last_(ops.from_numpy(x), ops.from_numpy(factor), ops.from_numpy(y))
    close(added, x + factor * y)
    latent, scale, shift = sample(1, 3, 2, 2), sample(3), sample(3)
    scaled = ops.scale_shift_channels(
        ops.from_numpy(latent), ops.from_numpy(scale), ops.from_numpy(shift)
    )
    close(scaled, latent * scale[:, None, None] + shift[:, None, None])
