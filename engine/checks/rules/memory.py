"""Rows of memory: the GPU's against what the models need, the machine's against their weights.

Section 3.15 of the design's hardware rules and points 9 and 10 of section 9. What a single job
needs is planned by the engine; these rows say which models can be used at all.
"""

from __future__ import annotations

import re

from engine.checks import values
from engine.checks.facts import Facts
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.rules.finding import (
    FAIL,
    PASS,
    UNKNOWN,
    WARN,
    Finding,
    not_seen,
    without_gpu,
)
from engine.checks.sentences import gib, listed, say
from engine.port import GpuKind

_GIB = 2**30

PROFILES: tuple[tuple[str, int], ...] = (
    ("starter model", 1 * _GIB),
    ("ERNIE-Image streamed", 6 * _GIB),
    ("ERNIE-Image int8", 11 * _GIB),
    ("ERNIE-Image bf16", 19 * _GIB),
)
"""GPU memory for a picture of 1024x1024 (the starter model: of its own size)."""

_NOMINAL_PASS = 0.90
"""ECC and reserved memory take up to 7 % of the advertised size."""

_NOMINAL_MOST = 1.05

_HOST_LEAST = 256 * 2**20
"""The starter model's weights; ERNIE-Image's are mapped from the disk as they are needed."""

_HOST_GOOD = 1 * _GIB


def usable_bytes(gpu: GpuFacts) -> int | None:
    """The memory that models can use: of a GPU in the processor also what it shares with it."""
    known = [amount for amount in (gpu.vram, gpu.gtt if gpu.is_apu else None) if amount]
    return max(known, default=None)


def vram(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """mem.vram"""
    if gpu is None:
        return without_gpu() if facts.has_no_amd_gpu else not_seen()
    source = "mem_info_vram_total, mem_info_gtt_total"
    smallest = PROFILES[0][1]
    expected = say("at least {least}; {best} for every model", least=gib(smallest),
                   best=gib(PROFILES[-1][1]))  # fmt: skip
    total = usable_bytes(gpu)
    if total is None or (gpu.is_apu and total < smallest and gpu.gtt is None):
        return not_seen(source)  # a small carve-out says nothing about the shared memory
    free = total - gpu.used if gpu.used is not None and gpu.used < total else None
    measured = (
        say("{total}, {free} free", total=gib(total), free=gib(free))
        if free is not None
        else say("{total}", total=gib(total))
    )
    if total < smallest:
        return Finding(FAIL, say("Too little memory for any model."), measured, expected,
                       fix=(say("Use the CPU, or a GPU with more memory."),),
                       source=source)  # fmt: skip
    odd = _against_nominal(gpu, total)
    if odd is not None:
        verdict, summary = odd
        return Finding(verdict, summary, measured, expected, source=source)
    if (gap := _rocm_sees_less(gpu)) is not None:
        return Finding(WARN, say("ROCm sees {seen} of {total} only.", seen=gib(gap),
                                 total=gib(total)),
                       measured, expected,
                       fix=(say("Run the self-test: it allocates what the models need."),),
                       source="rocminfo")  # fmt: skip
    fitting = [name for name, need in PROFILES if need <= total]
    return Finding(PASS, say("Enough memory for: {models}.", models=listed(fitting)), measured,
                   expected, source=source)  # fmt: skip


def _against_nominal(gpu: GpuFacts, total: int):  # noqa: ANN202 - a verdict and its words, or None
    """A judgement where the size does not fit the card's advertised one."""
    sizes = {row.vram_bytes for row in gpu.rows}
    is_whole = gpu.kind in (GpuKind.DISCRETE, GpuKind.ACCELERATOR) and not gpu.is_apu
    if len(sizes) != 1 or gpu.device in ("7590", "66a1") or not is_whole:
        return None
    nominal = sizes.pop()
    if total > _NOMINAL_MOST * nominal:
        return UNKNOWN, say("More memory than the card has ({nominal}): the figure is not to be "
                            "trusted.", nominal=gib(nominal))  # fmt: skip
    if total < _NOMINAL_PASS * nominal:
        return WARN, say("Less memory than the card has ({nominal}).", nominal=gib(nominal))
    return None


def _rocm_sees_less(gpu: GpuFacts) -> int | None:
    """What ROCm's pool holds, if that is clearly less than what the driver says."""
    seen = gpu.agent.memory if gpu.agent is not None else None
    if gpu.is_apu or seen is None or gpu.vram is None or seen >= 0.9 * gpu.vram:
        return None
    return seen


def host(facts: Facts) -> Finding:
    """mem.host"""
    text = facts.snapshot.text("/proc/meminfo") or ""
    source = "/proc/meminfo"
    available = _meminfo(text, "MemAvailable")
    total = _meminfo(text, "MemTotal")
    if available is None or (total is not None and available > total):
        return not_seen(source)
    limit = values.memory(facts.snapshot.text("/sys/fs/cgroup/memory.max"))
    if limit is not None and limit < available:
        available, source = limit, "/sys/fs/cgroup/memory.max"
    measured = say("{available} available", available=gib(available))
    expected = say("{least} and more", least=gib(_HOST_GOOD))
    if available < _HOST_LEAST:
        return Finding(FAIL, say("Too little free memory to load any model."), measured, expected,
                       fix=(say("Close other programs."),), source=source)  # fmt: skip
    if available < _HOST_GOOD:
        return Finding(WARN, say("Little free memory: loading a model can fail."), measured,
                       expected, fix=(say("Close other programs."),), source=source)  # fmt: skip
    return Finding(PASS, say("Enough memory to load models."), measured, expected, source=source)


def _meminfo(text: str, key: str) -> int | None:
    match = re.search(rf"^{key}:\s+(\d{{1,15}}) kB", text, re.MULTILINE)
    amount = int(match[1]) * 1024 if match else None
    return amount if amount is not None and amount <= values.MAX_MEMORY else None
