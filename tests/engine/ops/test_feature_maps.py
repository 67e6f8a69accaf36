"""Feature maps in strips of tiles against plain convolutions in float64, in every partition."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from engine import ops
from engine.ops import feature_maps, winograd

RNG = np.random.default_rng(11)
TENSOR = ops.from_numpy


def sample(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def go_on() -> None:
    """Nobody cancels."""


def packed(picture: np.ndarray) -> np.ndarray:
    """[C, 2h, 2w] -> [1, 4C, h, w]"""
    channels, height, width = picture.shape
    tiles = picture.reshape(channels, height // 2, 2, width // 2, 2).transpose(0, 2, 4, 1, 3)
    return tiles.reshape(1, 4 * channels, height // 2, width // 2)


def convolved(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """3x3, zero border, float64: [C, H, W] -> [C', H, W]"""
    height, width = x.shape[1:]
    framed = np.pad(x.astype(np.float64), [(0, 0), (1, 1), (1, 1)])
    y = np.zeros((len(weight), height, width)) + bias[:, None, None]
    for dy in range(3):
        for dx in range(3):
            window = framed[:, dy : dy + height, dx : dx + width]
            y += np.einsum("oc,chw->ohw", weight[:, :, dy, dx].astype(np.float64), window)
    return y


def doubled(x: np.ndarray) -> np.ndarray:
    return x.repeat(2, axis=1).repeat(2, axis=2)


def normalized(x: np.ndarray, groups: int, weight, bias, eps: float) -> np.ndarray:
    channels = len(x)
    wide = x.astype(np.float64).reshape(groups, -1)
    wide = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + eps)
    return wide.reshape(x.shape) * weight[:, None, None] + bias.reshape(channels, 1, 1)


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-x))


def read(x: ops.FeatureMap) -> np.ndarray:
    return ops.to_numpy(ops.image(x))[0]


@pytest.fixture(autouse=True)
def strips_of_any_height(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that maps small enough for a test are cut into strips as well."""
    monkeypatch.setattr(feature_maps, "_LEAST_TILES", 1)


# --- Winograd's matrices --------------------------------------------------------------------------


@pytest.mark.parametrize("points", winograd._POINTS.values(), ids=["2", "4"])
def test_the_matrices_filter_exactly(points):
    """The identity A^T [(G g) * (B^T d)] = correlation of d with g, for every unit g and d."""
    outputs, weights, inputs = winograd.matrices(points)
    size = len(outputs)
    for tap in range(3):
        for place in range(size + 2):
            product = (weights @ np.eye(3)[tap]) * (inputs @ np.eye(size + 2)[place])
            expected = [float(place == i + tap) for i in range(size)]
            np.testing.assert_allclose(outputs @ product, expected, atol=1e-14)


def test_the_chosen_points_round_less_than_the_usual_ones():
    """Error of one layer in float32: below 2e-6, and well below that of 0, 1, -1, 2, -2."""
    d = sample(64, 6, 500)
    g = sample(64, 3)
    windows = np.stack([d[:, tap : tap + 4] for tap in range(3)])
    exact = np.einsum("ct,tcin->in", g.astype(np.float64), windows.astype(np.float64))

    def error(points) -> float:
        outputs, weights, inputs = (m.astype(np.float32) for m in winograd.matrices(points))
        entering = np.einsum("ij,cjn->icn", inputs, d)
        products = np.einsum("ic,icn->in", np.einsum("it,ct->ic", weights, g), entering)
        ours = outputs @ products
        return float(np.sqrt(((ours - exact) ** 2).mean() / (exact**2).mean()))

    usual = tuple(Fraction(p) for p in (0, 1, -1, 2, -2))
    assert error(winograd._POINTS[4]) < 2e-6
    assert error(winograd._POINTS[4]) < 0.7 * error(usual)


# --- in and out -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(2, 2), (6, 10), (14, 4)])
@pytest.mark.parametrize("max_rows", [None, 0, 2, 5])
def test_a_packed_latent_is_unpacked(size, max_rows):
    picture = sample(3, *size)
    x = ops.unpacked(TENSOR(packed(picture)), max_rows)
    assert (x.channels, x.height, x.width) == picture.shape
    np.testing.assert_array_equal(read(x), picture)


def test_reading_a_map_gives_it_up():
    x = ops.unpacked(TENSOR(packed(sample(2, 8, 4))), 2)
    ops.image(x)
    assert sum(strip.size for strip in x.strips) == 0


# --- convolutions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(2, 2), (6, 10), (12, 4)])
@pytest.mark.parametrize("max_rows", [None, 0, 2, 4])
def test_convolution_on_tiles_of_two(size, max_rows):
    picture, weight, bias = sample(5, *size), sample(4, 5, 3, 3), sample(4)
    x = ops.unpacked(TENSOR(packed(picture)), max_rows)
    y = ops.conv2d(x, TENSOR(weight), TENSOR(bias), go_on)
    np.testing.assert_allclose(read(y), convolved(picture, weight, bias), atol=2e-5)


@pytest.mark.parametrize("size", [(2, 2), (4, 6), (10, 4)])
@pytest.mark.parametrize("is_small", [False, True])
def test_convolution_of_a_doubled_map_and_on_tiles_of_four(monkeypatch, size, is_small):
    """Twice, so that both kinds of tiles are doubled; biases are carried over borders."""
    if is_small:
        monkeypatch.setattr(feature_maps, "_CPU_STRIP_BYTES", (1, 1))
    picture = sample(3, *size)
    weights = [sample(4, 3, 3, 3), sample(4, 4, 3, 3), sample(5, 4, 3, 3)]
    biases = [sample(4), sample(4), sample(5)]
    x = ops.unpacked(TENSOR(packed(picture)), 2 if is_small else None)
    x = ops.upsample_conv2d(x, TENSOR(weights[0]), TENSOR(biases[0]), go_on)
    x = ops.conv2d(x, TENSOR(weights[1]), TENSOR(biases[1]), go_on)
    x = ops.upsample_conv2d(x, TENSOR(weights[2]), TENSOR(biases[2]), go_on)
    wanted = convolved(doubled(picture), weights[0], biases[0])
    wanted = convolved(wanted, weights[1], biases[1])
    wanted = convolved(doubled(wanted), weights[2], biases[2])
    np.testing.assert_allclose(read(x), wanted, atol=1e-5 * np.abs(wanted).max())


def test_pointwise_convolution_and_its_bias_before_a_border():
    picture, matrix, bias = sample(3, 6, 4), sample(5, 3, 1, 1), sample(5)
    weight = sample(2, 5, 3, 3)
    x = ops.conv1x1(ops.unpacked(TENSOR(packed(picture)), None), TENSOR(matrix), TENSOR(bias))
    x = ops.conv2d(x, TENSOR(weight), TENSOR(np.zeros(2, np.float32)), go_on)
    wanted = np.einsum("oc,chw->ohw", matrix[:, :, 0, 0], picture) + bias[:, None, None]
    np.testing.assert_allclose(read(x), convolved(wanted, weight, np.zeros(2)), atol=2e-5)


# --- norms, residuals, tokens ---------------------------------------------------------------------


def residual_block(picture: np.ndarray, max_rows: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Ours and the definition's conv(silu(norm(y))) + shortcut, y = conv(x), all with biases."""
    rng = np.random.default_rng(5)

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    w0, b0, w1, b1, ws, bs = (
        draw(6, 3, 3, 3), draw(6), draw(4, 6, 3, 3), draw(4), draw(4, 6, 1, 1), draw(4)
    )  # fmt: skip
    scale, shift, w2, b2 = draw(6), draw(6), draw(4, 4, 3, 3), draw(4)
    x = ops.unpacked(TENSOR(packed(picture)), max_rows)
    y = ops.conv2d(x, TENSOR(w0), TENSOR(b0), go_on)
    norm = ops.group_norm(y, 3, TENSOR(scale), TENSOR(shift), 0.01, go_on)
    h, shortcut = ops.conv2d_and_shortcut(
        y, TENSOR(w1), TENSOR(b1), TENSOR(ws), TENSOR(bs), go_on, norm
    )
    norm = ops.group_norm(h, 2, TENSOR(scale[:4]), TENSOR(shift[:4]), 0.01, go_on)
    h = ops.conv2d(h, TENSOR(w2), TENSOR(b2), go_on, norm, shortcut)

    wanted = convolved(picture, w0, b0)
    wanted_h = convolved(silu(normalized(wanted, 3, scale, shift, 0.01)), w1, b1)
    wanted_h = convolved(silu(normalized(wanted_h, 2, scale[:4], shift[:4], 0.01)), w2, b2)
    projected = np.einsum("oc,chw->ohw", ws[:, :, 0, 0].astype(np.float64), wanted)
    return read(h), wanted_h + projected + bs[:, None, None]


@pytest.mark.parametrize("max_rows", [None, 0, 2])
@pytest.mark.parametrize("is_gpu", [False, True])
def test_norm_activation_convolution_and_shortcut(max_rows, is_gpu):
    picture = sample(3, 8, 6)
    if is_gpu:
        with ops.gpu_forms():
            got, wanted = residual_block(picture, max_rows)
    else:
        got, wanted = residual_block(picture, max_rows)
    np.testing.assert_allclose(got, wanted, atol=3e-6 * np.abs(wanted).max())


def test_statistics_do_not_depend_on_the_strips_nor_lose_a_small_variance():
    """A mean of a thousand deviations is where sums of squares lose their digits."""
    picture = sample(4, 20, 12) + 30
    norms = []
    for max_rows in (0, 2, 6):
        x = ops.unpacked(TENSOR(packed(picture)), max_rows)
        ones, zeros = TENSOR(np.ones(4, np.float32)), TENSOR(np.zeros(4, np.float32))
        norms.append(ops.group_norm(x, 2, ones, zeros, 1e-6, go_on))
    for norm in norms:
        assert norm.mean is not None
        assert norm.variance is not None
        np.testing.assert_array_equal(ops.to_numpy(norm.mean), ops.to_numpy(norms[0].mean))
        np.testing.assert_array_equal(ops.to_numpy(norm.variance), ops.to_numpy(norms[0].variance))
    wide = picture.astype(np.float64).reshape(2, -1)
    np.testing.assert_allclose(ops.to_numpy(norms[0].variance)[::2], wide.var(1), rtol=2e-4)


@pytest.mark.parametrize("value", [0.0, 5.3, 17.77, 41.9, 60.1])
def test_a_constant_map_is_normalized_to_its_bias(value):
    """Its variance is 0, which rounding must not turn into less."""
    x = ops.unpacked(TENSOR(packed(np.full((4, 12, 10), value, np.float32))), None)
    weight, bias = np.ones(4, np.float32), np.arange(4, dtype=np.float32)
    norm = ops.group_norm(x, 2, TENSOR(weight), TENSOR(bias), 1e-6, go_on)
    centre = np.zeros((4, 4, 3, 3), np.float32)
    centre[range(4), range(4), 1, 1] = 1
    y = ops.conv2d(x, TENSOR(centre), TENSOR(np.zeros(4, np.float32)), go_on, norm)
    np.testing.assert_allclose(
        read(y), silu(np.broadcast_to(bias[:, None, None], (4, 12, 10))), atol=0.02
    )


@pytest.mark.parametrize("is_gpu", [False, True])
def test_tokens_come_back_to_their_pixels(is_gpu):
    picture, scale, shift = sample(4, 10, 6), sample(4), sample(4)

    def through(make: Callable[[], ops.FeatureMap]) -> np.ndarray:
        x = make()
        norm = ops.group_norm(x, 2, TENSOR(scale), TENSOR(shift), 1e-6, go_on)
        pixels = ops.tokens(x, norm)
        assert tuple(pixels.shape) == (60, 4)
        return read(ops.add_tokens_(x, pixels))

    wanted = picture + normalized(picture, 2, scale, shift, 1e-6)
    if is_gpu:
        with ops.gpu_forms():
            got = through(lambda: ops.unpacked(TENSOR(packed(picture)), None))
    else:
        got = through(lambda: ops.unpacked(TENSOR(packed(picture)), 4))
    np.testing.assert_allclose(got, wanted, atol=1e-5)


# --- strips ---------------------------------------------------------------------------------------


def test_a_kept_map_is_still_there_and_another_one_is_given_up():
    picture, weight, bias = sample(3, 8, 4), TENSOR(sample(3, 3, 3, 3)), TENSOR(sample(3))
    x = ops.unpacked(TENSOR(packed(picture)), 2)
    ones, zeros = TENSOR(np.ones(3, np.float32)), TENSOR(np.zeros(3, np.float32))
    norm = ops.group_norm(x, 1, ones, zeros, 1e-6, go_on)
    ops.conv2d(x, weight, bias, go_on, norm, keep=True)
    y = ops.conv2d(x, weight, bias, go_on, norm)
    assert sum(strip.size for strip in x.strips) == 0
    np.testing.assert_allclose(
        read(y),
        convolved(
            silu(normalized(picture, 1, np.ones(3), np.zeros(3), 1e-6)), *_plain(weight, bias)
        ),
        atol=2e-5,
    )


def _plain(*tensors: ops.Tensor) -> list[np.ndarray]:
    return [ops.to_numpy(tensor) for tensor in tensors]


def test_a_checkpoint_is_passed_with_every_strip_and_may_cancel():
    x = ops.unpacked(TENSOR(packed(sample(3, 12, 4))), 2)
    weight, bias = TENSOR(sample(3, 3, 3, 3)), TENSOR(sample(3))
    passed = []

    class Cancelled(Exception):
        pass

    def cancel() -> None:
        passed.append(1)
        if len(passed) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        ops.conv2d(x, weight, bias, cancel)
    assert len(passed) == 3
