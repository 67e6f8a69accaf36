"""Hostile input in large numbers: right files, damaged at random, given to a reader one by one.

Mutation of real samples rather than text out of nothing: a reader is seldom hurt by what it throws
out at the first byte. Every input has its own seed, so that a failure names the one number that
brings it back.
"""

from __future__ import annotations

import copy
import json
import random
import resource
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

SHORT, FULL = 300, 100_000
"""Inputs for each reader: in the default suite, and in `make fuzz`."""

INPUT_COUNTS = [
    pytest.param(SHORT, id="short"),
    pytest.param(FULL, id="full", marks=[pytest.mark.fuzz, pytest.mark.timeout(7200)]),
]

MOST_SECONDS = 2.0
"""For one input; generous, because the machine may be busy."""

MOST_MEMORY_BYTES = 64 * 2**20
"""What Python may allocate at once for one input of some kilobytes."""

_MEASURED_EACH = 20
_LARGEST_INPUT = 256 * 1024

_TOKENS = (
    b"{", b"}", b"[", b"]", b'"', b":", b",", b"\\", b"\0", b"\n", b"\r\n", b"\xff",
    b"\xef\xbb\xbf", b"-1", b"0", b"1e999", b"NaN", b"Infinity", b"null", b"true", b'""',
    b"\\ud800", b"\\u0000", b"9" * 25, b"9" * 5000, b"18446744073709551616",
    b"9223372036854775807", b"[" * 3000, b'{"a":' * 3000, b"../", b"/", b"\xf0\x9f\x98\x80",
    b"\x80", b"\xed\xa0\x80", b" " * 500,
)  # fmt: skip
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**40, -(10**400), 0.0, -0.0, 1e308,
    1e-320, float("nan"), float("inf"), "", "x", "\0", "\ud800", "../..", "猫" * 40,
    "x" * 5000, "1", "cat\n", [], [None], [0] * 300, [[[]]], {}, {"": ""}, {"a": {"b": {}}},
    "9" * 400, "1e999", "true",
)  # fmt: skip

T = TypeVar("T")


def attack(
    read: Callable[[random.Random], object], inputs: int, *, first: int = 0, name: str = "input"
) -> None:
    """Call `read` with a random source for each input, and judge what that costs.

    `read` makes its own input and raises what its reader is not expected to raise. Fails with the
    number of the input: `attack(read, 1, first=NUMBER)` brings it back.
    """
    peak_before = _resident_peak()
    for number in range(first, first + inputs):
        is_measured = number % _MEASURED_EACH == 0
        if is_measured:
            tracemalloc.start()
        began = time.monotonic()
        try:
            read(random.Random(number))
        except Exception as error:
            error.add_note(f"{name} {number}")
            raise
        finally:
            took_s = time.monotonic() - began
            peak = tracemalloc.get_traced_memory()[1] if is_measured else 0
            tracemalloc.stop()
        assert took_s < MOST_SECONDS, f"{name} {number} took {took_s:.1f} s"
        assert peak < MOST_MEMORY_BYTES, f"{name} {number} took {peak / 2**20:.0f} MiB"
    grown = _resident_peak() - peak_before
    assert grown < 4 * MOST_MEMORY_BYTES, f"the process grew by {grown / 2**20:.0f} MiB"


def _resident_peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def damaged(sample: bytes, chance: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """`sample` after one to six small accidents; one in fifty stays whole."""
    if chance.randrange(50) == 0:
        return sample
    data = bytearray(sample)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        at = chance.randint(0, len(data))
        length = chance.choice((1, 1, 2, 4, 8, 30, 200))
        match chance.randrange(8):
            case 0:
                del data[at:]
            case 1:
                del data[at : at + length]
            case 2:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 3:
                data[at:at] = data[max(0, at - length) : at]
            case 4:
                data[at : at + length] = chance.randbytes(length)
            case 5 if others:
                other = chance.choice(others)
                begin = chance.randint(0, len(other))
                data[at:at] = other[begin : begin + length * 4]
            case 6 if data:
                data[at - 1] ^= 1 << chance.randrange(8)
            case _:
                data[at:at] = chance.choice(_TOKENS)
    return bytes(data[:_LARGEST_INPUT])


def altered(value: T, chance: random.Random) -> T:
    """A copy of the JSON value `value` with some of its nodes replaced, removed or moved."""
    copied = json.loads(json.dumps(value))
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        copied = _alter_one(copied, chance)
    return copied


def _alter_one(value: Any, chance: random.Random) -> Any:
    here = chance.randrange(4) == 0
    if isinstance(value, dict) and value and not here:
        key = chance.choice(list(value))
        match chance.randrange(8):
            case 0:
                del value[key]
            case 1:
                value[chance.choice(("", "x", "\ud800", "__metadata__", key + " "))] = value[key]
            case _:
                value[key] = _alter_one(value[key], chance)
        return value
    if isinstance(value, list) and value and not here:
        at = chance.randrange(len(value))
        value[at] = _alter_one(value[at], chance)
        return value
    if isinstance(value, int) and not isinstance(value, bool) and chance.randrange(2):
        return value + chance.choice((-1, 1, 2**32, -value, value))
    return copy.deepcopy(chance.choice(_VALUES))


def as_json(value: object) -> bytes:
    """JSON as a stranger may write it: NaN, lone surrogates and all."""
    return json.dumps(value).encode()
