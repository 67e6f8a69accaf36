"""The noise: published known answers, an independent oracle, statistics, and frozen bytes."""

from __future__ import annotations

import hashlib
import math
import statistics
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.port import MAX_SEED, EngineFault, ErrorCode
from engine.sampling import noise

NORMAL = statistics.NormalDist()
WORD = 2**64

# Random123's kat_vectors file, "philox4x64 10": counter, key, block.
KNOWN_BLOCKS = [
    (
        [0] * 4,
        [0] * 2,
        [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B],
    ),
    (
        [WORD - 1] * 4,
        [WORD - 1] * 2,
        [0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0],
    ),
    (
        [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89],
        [0x452821E638D01377, 0xBE5466CF34E90C6C],
        [0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6],
    ),
]


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Philox4x64-10 straight from the paper, in Python's integers."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        high0, low0 = divmod(0xD2E7470EE14C6C93 * c0, WORD)
        high1, low1 = divmod(0xCA5A826395121157 * c2, WORD)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = (k0 + 0x9E3779B97F4A7C15) % WORD, (k1 + 0xBB67AE8584CAA73B) % WORD
    return [c0, c1, c2, c3]


def deviate(word: int) -> float:
    """The deviate of one word with the standard library's inverse, in the accurate lower tail."""
    top = word >> 11
    if top >= 2**52:
        return -NORMAL.inv_cdf((2**53 - 1 - top + 0.5) * 2.0**-53)
    return NORMAL.inv_cdf((top + 0.5) * 2.0**-53)


@pytest.mark.parametrize(("counter", "key", "block"), KNOWN_BLOCKS)
def test_oracle_gives_the_published_blocks(
    counter: list[int], key: list[int], block: list[int]
) -> None:
    assert philox(counter, key) == block


def test_first_words_of_seed_zero_are_the_published_block() -> None:
    assert noise._words(0, 0, 4).tolist() == KNOWN_BLOCKS[0][2]


@given(st.integers(0, MAX_SEED), st.integers(0, 2**40), st.integers(1, 9))
def test_words_are_keyed_by_seed_and_counted_by_position(seed: int, start: int, count: int) -> None:
    positions = range(start, start + count)
    expected = [philox([i // 4, 0, 0, 0], [seed, 0])[i % 4] for i in positions]
    assert noise._words(seed, start, count).tolist() == expected


@given(st.integers(0, WORD - 1))
def test_deviates_agree_with_the_standard_library(word: int) -> None:
    [got] = noise._normal_from_words(np.array([word], dtype=np.uint64))
    assert got == pytest.approx(deviate(word), rel=5e-15)


@pytest.mark.parametrize("word", [0, 2**11, 2**12, 2**40, 2**63 - 1, 2**63, WORD - 2**11, WORD - 1])
def test_deviates_at_the_edges_are_finite_and_right(word: int) -> None:
    [got] = noise._normal_from_words(np.array([word], dtype=np.uint64))
    assert got == pytest.approx(deviate(word), rel=5e-15)
    assert abs(got) < 8.3


def test_deviates_are_mirrored_about_zero() -> None:
    words = np.random.default_rng(5).integers(0, WORD, 1000, dtype=np.uint64)
    np.testing.assert_array_equal(
        noise._normal_from_words(words), -noise._normal_from_words(~words)
    )


@given(st.floats(2.0**-54, 1.0, exclude_max=True))
def test_logarithm_agrees_with_the_c_library(x: float) -> None:
    [got] = noise._log(np.array([x]))
    assert got == pytest.approx(math.log(x), rel=1e-15, abs=2.0**-54)


@pytest.fixture(scope="module")
def sample() -> NDArray[np.float64]:
    return noise.standard_normal(20261130, (1, 16, 128, 128)).ravel().astype(np.float64)


def test_moments_are_those_of_the_normal_distribution(sample: NDArray[np.float64]) -> None:
    n = sample.size
    moments = {1: (0.0, 1.0), 2: (1.0, 2.0), 3: (0.0, 15.0), 4: (3.0, 96.0)}  # value, variance * n
    for power, (expected, spread) in moments.items():
        assert np.mean(sample**power) == pytest.approx(expected, abs=4 * math.sqrt(spread / n))


def test_distribution_passes_kolmogorov_smirnov(sample: NDArray[np.float64]) -> None:
    n = sample.size
    cdf = np.array([NORMAL.cdf(z) for z in np.sort(sample)])
    ranks = np.arange(n)
    distance = max((cdf - ranks / n).max(), ((ranks + 1) / n - cdf).max())
    assert distance < 1.95 / math.sqrt(n)  # passes by chance with probability 0.999


def test_neighbours_and_neighbouring_seeds_are_unrelated(sample: NDArray[np.float64]) -> None:
    limit = 4 / math.sqrt(sample.size)
    for lag in (1, 2, 3, 4, 128):
        assert abs(np.mean(sample[lag:] * sample[:-lag])) < limit
    other = noise.standard_normal(20261131, (sample.size,))
    assert abs(np.mean(sample * other)) < limit


FROZEN = {
    0: "fb4dda79887ddb478e3f52f2f3b9acce8db0c3b0665d70b1181f333e67b2a40b",
    1: "e937a21ff4eeec225234d103b9b3b90f54e8a3a2d4cddacf86ccb5dc88100458",
    2**64 - 1: "73a210ce0be398588dcd36f760be0c62f2424b8e5e1b48ed682c405b7a9845a3",
}


@pytest.mark.parametrize("seed", FROZEN)
def test_bytes_are_frozen_under_this_name(seed: int) -> None:
    """Any difference is another generator and needs another name."""
    assert noise.NAME == "philox4x64-normal-v1"
    drawn = noise.standard_normal(seed, (1, 128, 32, 32)).astype("<f4")
    assert hashlib.sha256(drawn.tobytes()).hexdigest() == FROZEN[seed]


def test_first_values_are_readable_too() -> None:
    expected = [-1.3579541, 1.0623968, 1.0084275, -0.01557859]
    assert noise.standard_normal(0, (4,)).tolist() == pytest.approx(expected, rel=1e-6)


def test_shape_is_c_order_and_dtype_float32() -> None:
    drawn = noise.standard_normal(7, (2, 3, 5))
    assert drawn.shape == (2, 3, 5)
    assert drawn.dtype == np.float32
    np.testing.assert_array_equal(drawn.ravel(), noise.standard_normal(7, (30,)))
    assert noise.standard_normal(7, (0, 4)).shape == (0, 4)


@given(st.integers(0, 500), st.integers(0, 60))
def test_any_part_of_a_sequence_can_be_drawn_alone(start: int, count: int) -> None:
    whole = noise.standard_normal(9, (600,))
    part = noise.standard_normal(9, (count,), start=start)
    assert part.tobytes() == whole[start : start + count].tobytes()


def test_threads_and_batch_position_change_no_byte() -> None:
    shape = (1, 32, 16, 16)
    seeds = [3, 4, 5, 6] * 4
    alone = {seed: noise.standard_normal(seed, shape).tobytes() for seed in set(seeds)}
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: noise.standard_normal(seed, shape).tobytes(), seeds))
    assert together == [alone[seed] for seed in seeds]
    assert len(set(alone.values())) == 4


@pytest.mark.parametrize("seed", [-1, 2**64, 10**30])
def test_seeds_outside_the_range_are_refused(seed: int) -> None:
    with pytest.raises(EngineFault) as caught:
        noise.standard_normal(seed, (4,))
    assert caught.value.error.code is ErrorCode.VALUE_NOT_ALLOWED
    assert caught.value.error.facts == {
        "name": "seed",
        "value": str(seed),
        "allowed": "0 .. 18446744073709551615",
    }
