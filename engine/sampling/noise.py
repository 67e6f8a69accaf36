"""The noise a picture starts from, the same bytes for a seed on every machine, for ever.

A counter-based generator makes element i depend on the seed and on i alone: not on threads, on the
device or on what else is drawn. Everything between seed and float32 is written down here, because
numpy promises the raw words of its bit generators but not its normal deviates, and because the C
library's logarithm differs between machines by a rounding. The arithmetic is limited to operations
that IEEE 754 rounds correctly (+ - * / sqrt), one array pass each, so nothing can be fused or
reassociated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.port import MAX_SEED, EngineError, EngineFault, ErrorCode

NAME = "philox4x64-normal-v1"
"""Recorded in every picture. Any change of the stream needs a new name."""

WORDS_PER_BLOCK = 4

Float64s = NDArray[np.float64]


def standard_normal(seed: int, shape: Sequence[int], *, start: int = 0) -> NDArray[np.float32]:
    """Independent N(0, 1) values of this shape, float32.

    Element i in C order is made from word (start + i) % 4 of the Philox block with counter
    (start + i) // 4, keyed by `seed`; so `start` draws any part of a longer sequence.

    Raises `EngineFault` VALUE_NOT_ALLOWED for a seed outside 0 .. 2**64 - 1.
    """
    if not 0 <= seed <= MAX_SEED:
        facts = {"name": "seed", "value": str(seed), "allowed": f"0 .. {MAX_SEED}"}
        raise EngineFault(EngineError(code=ErrorCode.VALUE_NOT_ALLOWED, facts=facts))
    words = _words(seed, start, math.prod(shape))
    return _normal_from_words(words).astype(np.float32).reshape(tuple(shape))


def _words(seed: int, start: int, count: int) -> NDArray[np.uint64]:
    """`count` words of Philox4x64-10 from word `start` on.

    Salmon et al. 2011, "Parallel Random Numbers: As Easy as 1, 2, 3". numpy counts up before it
    draws, hence the minus one (modulo 2**256).
    """
    block, skip = divmod(start, WORDS_PER_BLOCK)
    generator = np.random.Philox(key=seed, counter=(block - 1) % 2**256)
    return generator.random_raw(skip + count)[skip:]


def _normal_from_words(words: NDArray[np.uint64]) -> Float64s:
    """Word -> u = (top 53 bits + 1/2) / 2**53 -> the value below which N(0, 1) falls with chance u.

    Works with the smaller tail p = min(u, 1 - u), because (top 53 bits + 1/2) near 2**53 needs 54
    bits and would round to 1, whose deviate is infinite. p and 1/2 - p are exact.
    """
    top = words >> np.uint64(11)
    is_upper = top >= np.uint64(2**52)
    tail = np.where(is_upper, np.uint64(2**53 - 1) - top, top)
    p = (tail.astype(np.float64) + 0.5) * 2.0**-53
    magnitude = _upper_deviate(p)
    return np.where(is_upper, magnitude, -magnitude)


def _upper_deviate(p: Float64s) -> Float64s:
    """The z > 0 that N(0, 1) exceeds with chance p, for 0 < p < 1/2.

    Wichura 1988, "Algorithm AS 241: The Percentage Points of the Normal Distribution", PPND16:
    a ratio of two polynomials in each of three ranges; relative accuracy about 1e-16.
    """
    z = np.empty_like(p)
    q = 0.5 - p
    is_central = q <= 0.425
    centre = q[is_central]
    z[is_central] = centre * _ratio(0.180625 - centre * centre, _CENTRAL)
    r = np.sqrt(-_log(p[~is_central]))
    z[~is_central] = np.where(r <= 5.0, _ratio(r - 1.6, _TAIL), _ratio(r - 5.0, _FAR_TAIL))
    return z


def _log(x: Float64s) -> Float64s:
    """Natural logarithm for 0 < x < 1, to a few units in the last place.

    x = m * 2**e with m in sqrt(1/2) .. sqrt(2), then log m = 2 artanh(s) with
    s = (m - 1) / (m + 1), |s| < 0.172, by the first terms of s + s**3/3 + s**5/5 + ...
    """
    m, e = np.frexp(x)
    is_low = m < math.sqrt(0.5)
    m = np.where(is_low, 2.0 * m, m)
    e = np.where(is_low, e - 1, e).astype(np.float64)
    s = (m - 1.0) / (m + 1.0)
    return e * _LOG_2 + (2.0 * s) * _polynomial(s * s, _ARTANH)


def _ratio(x: Float64s, coefficients: tuple[Sequence[float], Sequence[float]]) -> Float64s:
    numerator, denominator = coefficients
    return _polynomial(x, numerator) / _polynomial(x, denominator)


def _polynomial(x: Float64s, coefficients: Sequence[float]) -> Float64s:
    """Horner's rule; the constant term comes first."""
    *lower, highest = coefficients
    total = np.full_like(x, highest)
    for coefficient in reversed(lower):
        total = total * x
        total = total + coefficient
    return total


_LOG_2 = 0.6931471805599453
_ARTANH = tuple(1.0 / (2 * k + 1) for k in range(12))

# AS 241's constants: (numerator, denominator), constant term first.
_CENTRAL = (
    (
        3.3871328727963666080e0,
        1.3314166789178437745e2,
        1.9715909503065514427e3,
        1.3731693765509461125e4,
        4.5921953931549871457e4,
        6.7265770927008700853e4,
        3.3430575583588128105e4,
        2.5090809287301226727e3,
    ),
    (
        1.0,
        4.2313330701600911252e1,
        6.8718700749205790830e2,
        5.3941960214247511077e3,
        2.1213794301586595867e4,
        3.9307895800092710610e4,
        2.8729085735721942674e4,
        5.2264952788528545610e3,
    ),
)
_TAIL = (
    (
        1.42343711074968357734e0,
        4.63033784615654529590e0,
        5.76949722146069140550e0,
        3.64784832476320460504e0,
        1.27045825245236838258e0,
        2.41780725177450611770e-1,
        2.27238449892691845833e-2,
        7.74545014278341407640e-4,
    ),
    (
        1.0,
        2.05319162663775882187e0,
        1.67638483018380384940e0,
        6.89767334985100004550e-1,
        1.48103976427480074590e-1,
        1.51986665636164571966e-2,
        5.47593808499534494600e-4,
        1.05075007164441684324e-9,
    ),
)
_FAR_TAIL = (
    (
        6.65790464350110377720e0,
        5.46378491116411436990e0,
        1.78482653991729133580e0,
        2.96560571828504891230e-1,
        2.65321895265761230930e-2,
        1.24266094738807843860e-3,
        2.71155556874348757815e-5,
        2.01033439929228813265e-7,
    ),
    (
        1.0,
        5.99832206555887937690e-1,
        1.36929880922735805310e-1,
        1.48753612908506148525e-2,
        7.86869131145613259100e-4,
        1.84631831751005468180e-5,
        1.42151175831644588870e-7,
        2.04426310338993978564e-15,
    ),
)
