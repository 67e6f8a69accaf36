"""The self-test of memory: what is allocated is really there, holds what was written, and how fast.

Separate from arithmetic because the question is another one: a GPU may compute rightly in memory
that is half as large as it says. The pattern test holds all of the memory at once, each word with
its own number, then with every bit turned over; memory that shows up twice is found as well as
memory that forgets.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from engine import device as devices
from engine import ops
from engine.checks import selftest_device as library
from engine.checks.selftest_device import TestedDevice
from engine.checks.selftest_messages import Outcome, failed, passed
from engine.checks.selftest_plan import GIB, MIB, Amounts
from engine.checks.selftest_words import Cause
from engine.checks.sentences import gib, say
from engine.port import ErrorCode, Verdict

Alive = Callable[[], None]

_LEAST_OF_ASKED = 0.95
"""The resident size of a process counts pages, and other threads free some meanwhile."""

_WORD_BYTES = 4
_HOST_RESERVE_BYTES = GIB
"""What a pattern in the computer's own memory leaves to everybody else."""


def allocate(device: TestedDevice, amounts: Amounts) -> Outcome:
    """Allocate and fill: the bytes must be used up, and the sum must be right."""
    count = amounts.allocate_bytes // _WORD_BYTES
    expected = say("{size} allocated and filled", size=gib(amounts.allocate_bytes))
    device.release_memory()
    before = device.allocated_bytes()
    numbers = library.filled(count, 0.5)
    device.synchronize()
    grown = device.allocated_bytes() - before
    if grown < amounts.allocate_bytes * _LEAST_OF_ASKED:
        return failed(Cause.SHORT_MEMORY, say("{size} allocated", size=gib(grown)), expected)
    if library.total(numbers) != count * 0.5:
        measured = say("the memory does not hold what it was filled with")
        return failed(Cause.CORRUPT_MEMORY, measured, expected)
    return passed(say("{size} allocated and filled", size=gib(grown)), expected)


def copy(device: TestedDevice, amounts: Amounts) -> Outcome:
    """Random bytes to the device and back must be the same bytes."""
    rng = np.random.default_rng(6)
    sent = rng.integers(-(2**31), 2**31, amounts.copy_bytes // _WORD_BYTES, dtype=np.int32)
    received = library.downloaded(library.duplicated(library.uploaded(sent)))
    device.synchronize()
    expected = say("every bit of {size} the same", size=gib(sent.nbytes))
    wrong = sent.size if received.shape != sent.shape else int(np.count_nonzero(received != sent))
    if wrong:
        measured = say("{count} of {all} words differ", count=wrong, all=sent.size)
        return failed(Cause.CORRUPT_COPY, measured, expected)
    return passed(say("{size} there and back, the same", size=gib(sent.nbytes)), expected)


# --- pattern --------------------------------------------------------------------------------------


def quick_bytes(free_bytes: int, amounts: Amounts) -> int:
    """How much the quick pattern takes: 2 GiB, or half of what is free."""
    return min(amounts.pattern_bytes, free_bytes // 2)


def full_bytes(device: TestedDevice, free_bytes: int) -> int:
    """How much the full pass takes: 90 % of what is free; the computer itself keeps some more."""
    reserve = 0 if device.is_gpu else _HOST_RESERVE_BYTES
    return int(max(0, free_bytes - reserve) * 0.9)


def pattern(device: TestedDevice, wanted_bytes: int, chunk_bytes: int, alive: Alive) -> Outcome:
    """Write `wanted_bytes` in chunks, all held together; read them; turn every bit; read again."""
    device.release_memory()
    chunk_bytes = min(chunk_bytes, max(MIB, wanted_bytes // 4))
    count = max(1, wanted_bytes // chunk_bytes)
    whole = gib(count * chunk_bytes)
    expected = say("{size} hold what was written", size=whole)
    base = library.counting(chunk_bytes // _WORD_BYTES)
    chunks: list[ops.Tensor] = []
    try:
        for number in range(count):
            chunks.append(library.marked(base, _mark(number)))
            device.synchronize()
            alive()
    except (RuntimeError, MemoryError) as error:
        fault = devices.explain(error, device.engine_device.info.name, "selftest")
        if fault is None or fault.code is not ErrorCode.OUT_OF_MEMORY:
            raise
        measured = say("only {size} could be allocated", size=gib(len(chunks) * chunk_bytes))
        return failed(Cause.SHORT_MEMORY, measured, expected, fault.detail[-500:])
    wrong = _count_wrong(chunks, base, 0, alive)
    for i, chunk in enumerate(chunks):
        chunks[i] = library.inverted_(chunk)
    wrong += _count_wrong(chunks, base, 0xFFFFFFFF, alive)
    if wrong:
        measured = say("{count} words of {size} changed", count=wrong, size=whole)
        return failed(Cause.CORRUPT_MEMORY, measured, expected)
    measured = say("{size} hold what was written, every bit as 0 and as 1", size=whole)
    return passed(measured, expected)


def _count_wrong(chunks: list[ops.Tensor], base: ops.Tensor, turned: int, alive: Alive) -> int:
    wrong = 0
    for number, chunk in enumerate(chunks):
        wrong += library.count_unlike(chunk, base, _mark(number) ^ turned)
        alive()
    return wrong


def _mark(number: int) -> int:
    """A 32-bit word for each chunk, far from its neighbours': multiples of 2^32 / golden ratio."""
    return ((number + 1) * 0x9E3779B1) & 0xFFFFFFFF


# --- speed ----------------------------------------------------------------------------------------


def bandwidth(device: TestedDevice, amounts: Amounts, nominal_gbps: float | None) -> Outcome:
    """Bytes a second to the device, from it, and on it (read and written); the best of three.

    Shown, never judged: slots, hosts and small cards differ. `nominal_gbps` is the device table's.
    """
    array = np.zeros(amounts.bandwidth_bytes // _WORD_BYTES, np.float32)
    tensor = library.uploaded(array)
    measured = say(
        "to the device {up}, from it {down}, on it {on} GB/s",
        up=_rate(device, lambda: library.uploaded(array), array.nbytes),
        down=_rate(device, lambda: library.downloaded(tensor), array.nbytes),
        on=_rate(device, lambda: library.duplicated(tensor), 2 * array.nbytes),
    )
    expected = (
        say("the table of devices has no figure for it")
        if nominal_gbps is None
        else say("the table of devices says {rate} GB/s on it", rate=f"{nominal_gbps:.0f}")
    )
    return Outcome(verdict=Verdict.INFO, measured=measured, expected=expected)


def _rate(device: TestedDevice, work: Callable[[], object], moved_bytes: int) -> str:
    best = float("inf")
    for _ in range(3):
        device.synchronize()
        start = time.perf_counter()
        work()
        device.synchronize()
        best = min(best, time.perf_counter() - start)
    return f"{moved_bytes / best / 1e9:.1f}"
