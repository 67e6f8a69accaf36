"""Convolutional operations on whole feature maps, in the form that suits the device.

A `FeatureMap` is opaque to the networks. On the CPU it is a list of horizontal strips in tiled
layout (`engine.ops.winograd`): strips are computed one after another, and a map that is no longer
needed is given up strip by strip while the next one grows, so that two never fill the memory
together. On a GPU it is one tensor in the library's usual layout. Strips are exact: a strip reads
its neighbours' edges, and the statistics of group norm are gathered over all strips first.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import paddle
import paddle.nn.functional as F  # noqa: N812 - its usual name

from engine.ops import winograd
from engine.ops.arrays import CPU_CACHED_NUMBERS, Checkpoint, Tensor, on_cpu, shared_array
from engine.ops.interception import operation

_CPU_STRIP_BYTES = (3 << 19, 8 << 20)
"""Bounds on the transformed planes of one strip, before and after their channel matrices. Small
strips keep a small picture's memory small, large ones make a full-size decode a quarter faster."""

_CPU_STRIPS = 40
"""Strips of a map, between those bounds."""

_LEAST_TILES = 64
"""Tiles in a strip, at least. MKL multiplies matrices of a few rows by other kernels, which round
otherwise; with no strip below this, the picture does not depend on the strips in any bit."""


@dataclass(slots=True)
class FeatureMap:
    """`channels` x `height` x `width` numbers; opaque, made and read by this module only.

    `strips`: on the CPU [m, m, t, w+1, C] each (`engine.ops.winograd`), on a GPU one [1, C, H, W].
    `offset` [C], if any, is to be added to every pixel: a bias that was carried, not added.
    `max_rows` bounds a strip's height; 0 means whole, None what suits the device.
    """

    strips: list[Tensor]
    channels: int
    height: int
    width: int
    max_rows: int | None
    offset: Tensor | None = None

    @property
    def is_tiled(self) -> bool:
        return self.strips[0].ndim == 5

    @property
    def tile(self) -> int:
        return self.strips[0].shape[0]


@dataclass(frozen=True, slots=True)
class ChannelNorm:
    """Group norm of one particular map: its parameters, and on the CPU its statistics [C]."""

    groups: int
    weight: Tensor
    bias: Tensor
    eps: float
    mean: Tensor | None = None
    variance: Tensor | None = None


# --- in and out -----------------------------------------------------------------------------------


@operation
def unpacked(latent: Tensor, max_rows: int | None, widest: int = 1) -> FeatureMap:
    """The map C x 2h x 2w of `latent` [1, 4C, h, w], which packs 2x2 pixels into channels.

    Channel 4c + 2p + q of the latent is channel c at pixel (p, q) of each 2x2 tile. `widest` is the
    largest number of channels that maps of this size are going to have.
    """
    _, packed, height, width = latent.shape
    channels = packed // 4
    tiles = latent.reshape([channels, 2, 2, height, width])
    if not on_cpu(latent):
        x = tiles.transpose([0, 3, 1, 4, 2]).reshape([1, channels, 2 * height, 2 * width])
        return FeatureMap([x], channels, 2 * height, 2 * width, max_rows)
    tiles = tiles.transpose([1, 2, 3, 4, 0])
    padding = paddle.zeros([2, 2, height, 1, channels], latent.dtype)
    whole = paddle.concat([tiles, padding], axis=3)
    rows = _rows_of_tiles(2, width + 1, 2 * max(widest, channels), max_rows, height)
    strips = list(_split(whole, rows))
    return FeatureMap(strips, channels, 2 * height, 2 * width, max_rows)


@operation
def image(x: FeatureMap) -> Tensor:
    """[1, C, H, W]; the map is given up."""
    if not x.is_tiled:
        return x.strips[0]
    parts = []
    for strip in _given_up(x):
        size, _, rows, columns, channels = strip.shape
        pixels = strip[:, :, :, : columns - 1]
        if x.offset is not None:
            pixels = paddle.add(pixels.contiguous(), x.offset)
        pixels = pixels.transpose([4, 2, 0, 3, 1])
        parts.append(pixels.reshape([1, channels, rows * size, (columns - 1) * size]))
    return paddle.concat(parts, axis=2)


@operation
def tokens(x: FeatureMap, norm: ChannelNorm) -> Tensor:
    """The normalized pixels [H*W, C], plane by plane on the CPU: see `add_tokens_`."""
    if not x.is_tiled:
        normalized = _group_norm_whole(x.strips[0], norm)
        return normalized.reshape([x.channels, -1]).transpose([1, 0])
    parts = [_normalized(strip, norm)[:, :, :, :-1] for strip in x.strips]
    return paddle.concat(parts, axis=2).reshape([-1, x.channels])


@operation
def add_tokens_(x: FeatureMap, pixels: Tensor) -> FeatureMap:
    """`x` plus `pixels` [H*W, C], ordered as by `tokens`."""
    if not x.is_tiled:
        x.strips[0] = x.strips[0].add_(pixels.transpose([1, 0]).reshape(x.strips[0].shape))
        return x
    tile, width = x.tile, x.width // x.tile
    planes = pixels.reshape([tile, tile, -1, width, x.channels])
    start = 0
    for i, strip in enumerate(x.strips):
        stop = start + strip.shape[2]
        padding = paddle.zeros([tile, tile, stop - start, 1, x.channels], strip.dtype)
        part = paddle.concat([planes[:, :, start:stop], padding], axis=3)
        x.strips[i] = strip.add_(part)
        start = stop
    return x


# --- normalization --------------------------------------------------------------------------------


@operation
def group_norm(
    x: FeatureMap,
    groups: int,
    weight: Tensor,
    bias: Tensor,
    eps: float,
    checkpoint: Checkpoint,
) -> ChannelNorm:
    """Group norm (Wu and He 2018) of `x`: its statistics now, its effect where it is used.

    `weight`, `bias` [C]. Sums run over rows of tiles in float32 and from there in float64, so that
    they do not depend on how the map is cut into strips.
    """
    if not x.is_tiled:
        return ChannelNorm(groups, weight, bias, eps)
    total = np.zeros(x.channels)
    squares = np.zeros(x.channels)
    for strip in x.strips:
        columns = strip.shape[3]
        rows = strip.reshape([-1, columns, x.channels])
        counted = paddle.ones([1, columns], strip.dtype)
        counted[:, columns - 1] = 0
        total += _sum_over_rows(paddle.matmul(counted, rows))
        squares += _sum_over_rows(paddle.matmul(counted, paddle.multiply(rows, rows)))
        checkpoint()
    pixels = x.height * x.width
    channel_mean = total / pixels
    channel_variance = squares / pixels - channel_mean**2
    offset = np.zeros(x.channels) if x.offset is None else x.offset.numpy().astype(np.float64)
    by_group = (channel_mean + offset).reshape([groups, -1])
    mean = by_group.mean(axis=1)
    variance = channel_variance.reshape([groups, -1]).mean(axis=1) + by_group.var(axis=1)
    variance = np.maximum(variance, 0.0)  # of a constant group rounding may leave a little less
    members = x.channels // groups
    return ChannelNorm(
        groups,
        weight,
        bias,
        eps,
        paddle.to_tensor((np.repeat(mean, members) - offset).astype(np.float32)),
        paddle.to_tensor(np.repeat(variance, members).astype(np.float32)),
    )


def _sum_over_rows(sums: Tensor) -> np.ndarray:
    return sums.numpy().astype(np.float64).sum(axis=(0, 1))


def _normalized(strip: Tensor, norm: ChannelNorm) -> Tensor:
    """With the statistics known, group norm is an affine map of each channel, as batch norm is."""
    assert norm.mean is not None, "made from a map in strips"
    assert norm.variance is not None
    flat = strip.reshape([1, -1, 1, strip.shape[4]])
    flat = F.batch_norm(
        flat,
        norm.mean,
        norm.variance,
        norm.weight,
        norm.bias,
        training=False,
        epsilon=norm.eps,
        data_format="NHWC",
    )
    return flat.reshape(strip.shape)


def _activated(strip: Tensor, norm: ChannelNorm) -> Tensor:
    """silu(norm(strip)), in NumPy, some rows at a time, so that it stays in the caches.

    silu(y) = h + h * tanh(h) with h = y / 2, and the half rides on the norm.
    """
    assert norm.mean is not None, "made from a map in strips"
    assert norm.variance is not None
    mean, variance, weight, bias = (
        shared_array(vector) for vector in (norm.mean, norm.variance, norm.weight, norm.bias)
    )
    scale = np.float32(0.5) * weight / np.sqrt(variance + np.float32(norm.eps))
    columns = strip.shape[3]
    scales = np.tile(scale, columns)
    shifts = np.tile(np.float32(0.5) * bias - mean * scale, columns)
    result = paddle.empty(strip.shape, strip.dtype)
    given = shared_array(strip).reshape(-1, len(scales))
    halves = shared_array(result).reshape(-1, len(scales))
    step = max(1, CPU_CACHED_NUMBERS // len(scales))
    tangents = np.empty((min(step, len(given)), len(scales)), np.float32)
    for start in range(0, len(given), step):
        half = halves[start : start + step]
        tangent = tangents[: len(half)]
        np.multiply(given[start : start + step], scales, out=half)
        half += shifts
        np.tanh(half, out=tangent)
        tangent *= half
        half += tangent
    return result


def _group_norm_whole(x: Tensor, norm: ChannelNorm) -> Tensor:
    return F.group_norm(x, norm.groups, norm.eps, norm.weight, norm.bias)


# --- convolution ----------------------------------------------------------------------------------


@operation
def conv1x1(x: FeatureMap, weight: Tensor, bias: Tensor) -> FeatureMap:
    """A linear map of each pixel: `weight` [C', C, 1, 1], `bias` [C']; `x` is given up."""
    out_channels = weight.shape[0]
    if not x.is_tiled:
        return _changed(x, [F.conv2d(x.strips[0], weight, bias)], out_channels)
    flat = weight.reshape([out_channels, x.channels])
    offset = _pointwise_offset(x, flat, bias)
    strips = [_pointwise(strip, flat) for strip in _given_up(x)]
    return _changed(x, strips, out_channels, offset)


@operation
def conv2d(
    x: FeatureMap,
    weight: Tensor,
    bias: Tensor,
    checkpoint: Checkpoint,
    norm: ChannelNorm | None = None,
    residual: FeatureMap | None = None,
    keep: bool = False,
) -> FeatureMap:
    """3x3 convolution with a border of zeros: `weight` [C', C, 3, 3], `bias` [C'].

    With `norm`, of silu(norm(x)); plus `residual`, which is given up. So is `x`, unless `keep`.
    """
    if not x.is_tiled:
        y = _conv2d_whole(x, weight, bias, norm)
        if residual is not None:
            y = y.add_(residual.strips[0])
        return _changed(x, [y], weight.shape[0])
    offset = bias
    if residual is not None and residual.offset is not None:
        offset = paddle.add(offset, residual.offset)
    strips = _active_strips(x, norm, keep=keep)
    weights = winograd.transformed_weights(weight, x.tile)
    result = _convolved(strips, weights, checkpoint, residual)
    return _changed(x, result, weight.shape[0], offset)


@operation
def conv2d_and_shortcut(
    x: FeatureMap,
    weight: Tensor,
    bias: Tensor,
    shortcut_weight: Tensor,
    shortcut_bias: Tensor,
    checkpoint: Checkpoint,
    norm: ChannelNorm,
) -> tuple[FeatureMap, FeatureMap]:
    """The 3x3 convolution of silu(norm(x)), and the 1x1 convolution of x; `x` is given up.

    Together, so that the widest map of a network is gone before the next one is complete.
    """
    out_channels = weight.shape[0]
    if not x.is_tiled:
        y = _conv2d_whole(x, weight, bias, norm)
        shortcut = F.conv2d(x.strips[0], shortcut_weight, shortcut_bias)
        return _changed(x, [y], out_channels), _changed(x, [shortcut], out_channels)
    matrix = shortcut_weight.reshape([out_channels, x.channels])
    shortcut_offset = _pointwise_offset(x, matrix, shortcut_bias)
    tile = x.tile
    shortcuts = []

    def strips() -> Iterator[Tensor]:
        for strip in _given_up(x):
            shortcuts.append(_pointwise(strip, matrix))
            active = _activated(strip, norm)
            del strip
            yield _with_zero_padding(active)

    weights = winograd.transformed_weights(weight, tile)
    result = _convolved(strips(), weights, checkpoint)
    return (
        _changed(x, result, out_channels, bias),
        _changed(x, shortcuts, out_channels, shortcut_offset),
    )


@operation
def upsample_conv2d(
    x: FeatureMap, weight: Tensor, bias: Tensor, checkpoint: Checkpoint
) -> FeatureMap:
    """3x3 convolution of `x` doubled in both directions (nearest); `x` is given up."""
    out_channels = weight.shape[0]
    max_rows = x.max_rows * 2 if x.max_rows else x.max_rows
    if not x.is_tiled:
        doubled = F.interpolate(x.strips[0], scale_factor=2, mode="nearest")
        y = F.conv2d(doubled, weight, bias, padding=1)
        return FeatureMap([y], out_channels, 2 * x.height, 2 * x.width, max_rows)
    columns = x.width // 2 + 1
    rows = _rows_of_tiles(4, columns, x.channels + out_channels, max_rows, x.height // 2)
    weights = winograd.transformed_weights(weight, 4)
    strips = _half_tile_strips(x, rows)
    result = _convolved(strips, weights, checkpoint, doubled=True)
    return FeatureMap(result, out_channels, 2 * x.height, 2 * x.width, max_rows, bias)


def _conv2d_whole(x: FeatureMap, weight: Tensor, bias: Tensor, norm: ChannelNorm | None) -> Tensor:
    active = x.strips[0] if norm is None else F.silu(_group_norm_whole(x.strips[0], norm))
    return F.conv2d(active, weight, bias, padding=1)


def _changed(
    x: FeatureMap, strips: list[Tensor], channels: int, offset: Tensor | None = None
) -> FeatureMap:
    return FeatureMap(strips, channels, x.height, x.width, x.max_rows, offset)


def _convolved(
    strips: Iterator[Tensor],
    weights: Tensor,
    checkpoint: Checkpoint,
    residual: FeatureMap | None = None,
    *,
    doubled: bool = False,
) -> list[Tensor]:
    """The strips of the result; holds three strips of the input at a time."""
    added = None if residual is None else _given_up(residual)
    strip = next(strips)
    above = paddle.zeros_like(strip[0, :, 0])
    result = []
    while strip is not None:
        following = next(strips, None)
        below = paddle.zeros_like(above) if following is None else following[0, :, 0]
        y = winograd.convolve_strip(above, strip, below, weights, doubled=doubled)
        if added is not None:
            y = y.add_(next(added))
        result.append(y)
        above = strip[-1, :, -1].clone()  # a copy, or the view would keep the strip
        strip = following
        checkpoint()
    return result


def _pointwise(x: Tensor, matrix: Tensor) -> Tensor:
    return paddle.matmul(x, matrix, transpose_y=True)


def _pointwise_offset(x: FeatureMap, matrix: Tensor, bias: Tensor) -> Tensor:
    if x.offset is None:
        return bias
    return paddle.add(bias, _pointwise(x.offset.reshape([1, -1]), matrix).reshape([-1]))


# --- strips ---------------------------------------------------------------------------------------


def _given_up(x: FeatureMap) -> Iterator[Tensor]:
    """The strips of `x` from top to bottom; none is held after the next one is asked for."""
    strips = x.strips[::-1]
    x.strips = [paddle.empty([0] * x.strips[0].ndim)]
    while strips:
        yield strips.pop()


def _active_strips(x: FeatureMap, norm: ChannelNorm | None, *, keep: bool) -> Iterator[Tensor]:
    """The strips of silu(norm(x)), or of x with its offset added, with zero padding."""
    offset = x.offset
    for strip in iter(x.strips) if keep else _given_up(x):
        if norm is not None:
            active = _activated(strip, norm)
        elif offset is not None:
            active = paddle.add(strip, offset)
        else:
            active = strip
        del strip
        yield _with_zero_padding(active)


def _with_zero_padding(strip: Tensor) -> Tensor:
    columns, channels = strip.shape[3:]
    strip.reshape([-1, columns, channels])[:, columns - 1] = 0.0
    return strip


def _half_tile_strips(x: FeatureMap, rows: int) -> Iterator[Tensor]:
    """The strips of `x` in tiles of 2x2, at most `rows` rows of tiles each, with zero padding."""
    is_half = x.tile == 2
    for strip in _active_strips(x, None, keep=False):
        yield from _split(strip if is_half else winograd.to_half_tiles(strip), rows)


def _split(strip: Tensor, rows: int) -> Iterator[Tensor]:
    """Strips of nearly equal height, about `rows` rows of tiles each, of `_LEAST_TILES` or more."""
    height, columns = strip.shape[2:4]
    least = -(-_LEAST_TILES // columns)
    count = max(1, min(-(-height // rows), height // least))
    edges = [height * i // count for i in range(count + 1)]
    for start, stop in itertools.pairwise(edges):
        yield strip if count == 1 else strip[:, :, start:stop].contiguous()


def _rows_of_tiles(
    tile: int, columns: int, channels: int, max_rows: int | None, available: int
) -> int:
    """Rows of tiles in a strip that suits the CPU's caches, or as `max_rows` asks.

    `channels` is the sum of those that enter and those that leave a convolution.
    """
    if max_rows == 0:
        return available
    row_bytes = (tile + 2) ** 2 * 4 * columns * channels
    least, most = _CPU_STRIP_BYTES
    strip_bytes = min(max(least, row_bytes * available // _CPU_STRIPS), most)
    suitable = max(1, strip_bytes // row_bytes)
    return suitable if max_rows is None else max(1, min(suitable, max_rows // tile))
