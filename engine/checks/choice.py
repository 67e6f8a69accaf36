"""Which GPU to use, and why: kernels first, then kind, then memory; never the index.

Separate from the rules, because a choice weighs rows of several GPUs against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.checks.facts import Facts
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.rules import memory
from engine.checks.rules.software import NATIVE
from engine.checks.sentences import gib, say
from engine.port import CheckResult, Gpu, GpuKind, Sentence, Verdict

_ESSENTIAL = ("gpu.driver", "gpu.firmware", "mem.vram", "rocm.arch", "pcie.atomics")
"""Rows of a GPU whose failure makes it useless; atomics fail only where the KFD left it out."""

_KINDS = {
    GpuKind.DISCRETE: 0,
    GpuKind.ACCELERATOR: 0,
    GpuKind.PARTITION: 1,
    GpuKind.VIRTUAL: 1,
    GpuKind.INTEGRATED: 2,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """All GPUs, the chosen one's key or None, and the reason."""

    gpus: tuple[Gpu, ...]
    chosen: str | None
    reason: Sentence


def choose(facts: Facts, rows: Sequence[CheckResult]) -> Choice:
    failed = {row.gpu for row in rows if row.verdict is Verdict.FAIL and row.id in _ESSENTIAL}
    gpus = tuple(_described(gpu, is_usable=gpu.key not in failed) for gpu in facts.gpus)
    usable = [gpu for gpu in facts.gpus if gpu.key not in failed]
    if not usable:
        return Choice(gpus, None, _why_none(facts))
    best = min(usable, key=lambda gpu: _rank(facts, gpu))
    return Choice(gpus, best.key, _why(facts, best, usable))


def _described(gpu: GpuFacts, *, is_usable: bool) -> Gpu:
    return Gpu(
        key=gpu.key,
        name=gpu.name,
        pci_id=f"1002:{gpu.device}" if gpu.device else None,
        gfx=gpu.gfx,
        vram_bytes=memory.usable_bytes(gpu),
        kind=gpu.kind,
        is_usable=is_usable,
    )


def _rank(facts: Facts, gpu: GpuFacts) -> tuple[bool, int, bool, int, str]:
    has_node = gpu.node is not None or gpu.agent is not None
    others_have = any(other.node or other.agent for other in facts.gpus)
    return (
        others_have and not has_node,
        _KINDS[gpu.kind],
        (gpu.likely_gfx or "") not in NATIVE,
        -(memory.usable_bytes(gpu) or 0),
        gpu.key,
    )


def _why_none(facts: Facts) -> Sentence:
    if facts.gpus:
        return say("No GPU here can be used; the failed rows say why.")
    if facts.has_no_amd_gpu:
        return say("There is no AMD GPU.")
    return say("No GPU could be seen.")


def _why(facts: Facts, best: GpuFacts, usable: Sequence[GpuFacts]) -> Sentence:
    if len(facts.gpus) == 1:
        return say("The only GPU.")
    if len(usable) == 1:
        return say("The only GPU that can be used.")
    others = [gpu for gpu in usable if gpu is not best]
    if not best.is_apu and all(gpu.is_apu for gpu in others):
        return say("The card; the others are inside the processor.")
    size = memory.usable_bytes(best)
    if size and all((memory.usable_bytes(gpu) or 0) < size for gpu in others):
        return say("The most memory: {size}.", size=gib(size))
    return say("The first of equal ones.")
