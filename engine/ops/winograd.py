"""Convolution 3x3 on the CPU by Winograd's minimal filtering, on feature maps kept in tiles.

Why it is separate, and worth its pages: PaddlePaddle's CPU convolution copies each pixel nine times
and multiplies nine times; this needs 2.25 multiplications and 2.25 copies per pixel (4x4 tiles), so
that a decode takes well under half the time, in strips that bound its memory.

**Layout.** With tiles of m x m pixels, pixel (m*i + p, m*j + q) of channel c is element
[p, q, i, j, c] of a map: m*m planes, one for each place (p, q) in a tile; rows of tiles, columns of
tiles, channels innermost. All that convolution does across pixels is then a shift of whole planes,
which is a copy of contiguous memory. Each row of tiles ends with one column of padding; it must be
zero for a convolution that reads it, and holds nothing of meaning otherwise.

**Arithmetic.** Along one axis, m outputs of a 3-tap filter g over m + 2 inputs d are
A^T [(G g) * (B^T d)] with m + 2 products (Winograd 1980; Lavin and Gray 2016); A, G, B evaluate and
interpolate polynomials at m + 1 points and infinity. In two dimensions the matrices are Kronecker
products, applied here as matrix products over the planes: (m + 2)^2 planes enter, each meets its
own channel matrix, m^2 planes come out. The points for m = 4 were chosen by measured error (about
1.3e-6 for one layer; the usual 0, 1, -1, 2, -2 give 2.7e-6, direct summation 3.6e-7).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import paddle

from engine.ops.arrays import Tensor, shared_array

_POINTS = {
    2: (Fraction(0), Fraction(1), Fraction(-1)),
    4: (Fraction(0), Fraction(5, 8), Fraction(-5, 8), Fraction(3, 2), Fraction(-3, 2)),
}


class Transforms:
    """The matrices for tiles of `size` x `size` (2 or 4), as tensors over flattened planes.

    `inputs` [(m+2)^2, (m+2)^2], `upsampled_inputs` [(m+2)^2, 4*4] (4x4 tiles only), `weights`
    [(m+2)^2, 9], `outputs` [m^2, (m+2)^2].
    """

    def __init__(self, size: int) -> None:
        outputs, weights, inputs = matrices(_POINTS[size])
        self.size = size
        self.inputs = _squared(inputs)
        self.weights = _squared(weights)
        self.outputs = _squared(outputs)
        # Inputs -1 .. 4 of a tile are pixels -1, 0, 0, 1, 1, 2 of the map that is doubled.
        doubling = np.zeros((size + 2, size // 2 + 2))
        doubling[np.arange(size + 2), (np.arange(size + 2) + 1) // 2] = 1
        self.upsampled_inputs = _squared(inputs @ doubling)


@functools.cache
def transforms(size: int) -> Transforms:
    return Transforms(size)


def matrices(points: Sequence[Fraction]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A^T [m, m+2], G [m+2, 3], B^T [m+2, m+2] in float64 for m + 1 `points` and infinity.

    Exact in rationals (Toom-Cook, transposed): row k of G evaluates the filter at point k, divided
    by the product of differences to the other points; row k of B^T holds the coefficients of the
    polynomial that vanishes at all other points.
    """
    count = len(points) + 1
    size = count - 2
    outputs = [[point**power for point in points] for power in range(size)]
    inputs, weights = [], []
    for k, point in enumerate(points):
        others = [*points[:k], *points[k + 1 :]]
        product = Fraction(1)
        for other in others:
            product *= point - other
        weights.append([point**power / product for power in range(3)])
        inputs.append([*_vanishing_at(others), Fraction(0)])
    weights.append([Fraction(0), Fraction(0), Fraction(1)])
    inputs.append(_vanishing_at(points))
    for power in range(size):
        outputs[power].append(Fraction(int(power == size - 1)))
    return _floats(outputs), _floats(weights), _floats(inputs)


def _vanishing_at(roots: Sequence[Fraction]) -> list[Fraction]:
    """Coefficients, lowest first, of the product of (x - root)."""
    coefficients = [Fraction(1)]
    for root in roots:
        shifted = [Fraction(0), *coefficients]
        scaled = [root * coefficient for coefficient in coefficients] + [Fraction(0)]
        coefficients = [a - b for a, b in zip(shifted, scaled, strict=True)]
    return coefficients


def _floats(rows: Sequence[Sequence[Fraction]]) -> np.ndarray:
    return np.array([[float(value) for value in row] for row in rows])


def _squared(matrix: np.ndarray) -> Tensor:
    return paddle.to_tensor(np.kron(matrix, matrix).astype(np.float32))


def transformed_weights(weight: Tensor, size: int) -> Tensor:
    """[C_out, C_in, 3, 3] -> [(size+2)^2, C_out, C_in]."""
    out_channels, in_channels = weight.shape[:2]
    flat = weight.reshape([out_channels * in_channels, 9])
    planes = paddle.matmul(transforms(size).weights, flat, transpose_y=True)
    return planes.reshape([-1, out_channels, in_channels])


def convolve_strip(
    above: Tensor, strip: Tensor, below: Tensor, weights: Tensor, *, doubled: bool = False
) -> Tensor:
    """The convolution of one strip [p, p, t, w+1, C] whose padding is zero -> [m, m, t, w+1, C'].

    `above` and `below` [p, w+1, C] are the nearest rows of tiles of its neighbours: of `above` the
    last pixel rows, of `below` the first; zero at the picture's edges. `weights` as from
    `transformed_weights`. Without `doubled`, p = m. With it, the strip is first doubled in both
    directions (nearest), tile for tile: p = 2 and m = 4.
    """
    places, _, rows, columns, channels = strip.shape
    size = 2 * places if doubled else places
    matrix = transforms(size).upsampled_inputs if doubled else transforms(size).inputs
    shifted = _shifted_planes(above, strip, below)
    entering = paddle.matmul(matrix, shifted)
    del shifted
    products = paddle.matmul(
        entering.reshape([-1, rows * columns, channels]), weights, transpose_y=True
    )
    del entering
    leaving = paddle.matmul(transforms(size).outputs, products.reshape([products.shape[0], -1]))
    return leaving.reshape([size, size, rows, columns, -1])


def _shifted_planes(above: Tensor, strip: Tensor, below: Tensor) -> Tensor:
    """The (p+2)^2 planes of inputs that each tile reads, flat: [(p+2)^2, t * (w+1) * C].

    The tile's own p*p planes, framed by its neighbours' nearest ones: the same planes, shifted by
    one tile. A shift by one column runs over the zero padding at the end of each row.
    """
    places, _, rows, columns, channels = strip.shape
    row_length = columns * channels
    length = rows * row_length
    planes = paddle.empty([places + 2, places + 2, length], strip.dtype)
    framed = shared_array(planes)
    tiles = shared_array(strip).reshape(places, places, length)
    framed[1:-1, 1:-1] = tiles
    framed[0, 1:-1, :row_length] = shared_array(above).reshape(places, row_length)
    framed[0, 1:-1, row_length:] = tiles[-1, :, : length - row_length]
    framed[-1, 1:-1, : length - row_length] = tiles[0, :, row_length:]
    framed[-1, 1:-1, length - row_length :] = shared_array(below).reshape(places, row_length)
    framed[:, 0, :channels] = 0
    framed[:, 0, channels:] = framed[:, -2, : length - channels]
    framed[:, -1, : length - channels] = framed[:, 1, channels:]
    framed[:, -1, length - channels :] = 0
    return planes.reshape([(places + 2) ** 2, length])


def to_half_tiles(strip: Tensor) -> Tensor:
    """Tiles of 4x4 as tiles of 2x2: [4, 4, t, w+1, C] -> [2, 2, 2t, 2w+1, C], padding zero."""
    _, _, rows, columns, channels = strip.shape
    width = columns - 1
    planes = []
    for p in range(2):
        for q in range(2):
            halves = []
            for upper in (0, 2):  # pixel row 4i + p, 4i + 2 + p: rows 2i, 2i + 1 of half tiles
                left, right = strip[p + upper, q], strip[p + upper, q + 2]
                pair = [half[:, :width].reshape([rows * width, channels]) for half in (left, right)]
                halves.append(paddle.concat(pair, axis=1).reshape([rows, 2 * width * channels]))
            padding = paddle.zeros([rows, channels], strip.dtype)
            plane = paddle.concat([halves[0], padding, halves[1], padding], axis=1)
            planes.append(plane.reshape([2 * rows, 2 * width + 1, channels]))
    return paddle.stack(planes).reshape([2, 2, 2 * rows, 2 * width + 1, channels])
