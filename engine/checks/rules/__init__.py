"""All rows of the check, in the order of the report, and how rules become rows.

A rule is a pure function of `Facts` (and of one GPU) that returns a `Finding`. A rule that raises
becomes a `crashed` row with the rest intact: a bug in one row must not hide the others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.checks.facts import Facts
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.rules import (
    gpu,
    health,
    information,
    kernel,
    kernel_config,
    kfd,
    machine,
    memory,
    pcie,
    software,
)
from engine.checks.rules.finding import Finding
from engine.checks.sentences import say
from engine.port import CheckResult, Verdict

log = logging.getLogger(__name__)

MachineRule = Callable[[Facts], Finding]
GpuRule = Callable[[Facts, GpuFacts | None], Finding]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the report. With `of_gpu` it is asked once for each GPU, else once."""

    id: str
    blocks: bool
    of_machine: MachineRule | None = None
    of_gpu: GpuRule | None = None


ROWS: tuple[Row, ...] = (
    Row("plat.os", True, machine.platform),
    Row("gpu.present", True, gpu.present),
    Row("gpu.identity", False, of_gpu=gpu.identity),
    Row("gpu.driver", True, of_gpu=gpu.driver),
    Row("gpu.firmware", True, of_gpu=gpu.firmware),
    Row("kfd.present", True, kfd.present),
    Row("dev.perm", True, kfd.permission),
    Row("mem.vram", True, of_gpu=memory.vram),
    Row("mem.host", True, memory.host),
    Row("part.mode", False, of_gpu=machine.partition),
    Row("multi.gpu", False, machine.several_gpus),
    Row("kernel.version", False, kernel.version),
    Row("kernel.config", False, kernel_config.config),
    Row("kernel.cmdline", False, kernel.cmdline),
    Row("boot.uefi", False, machine.uefi),
    Row("pcie.above4g", False, of_gpu=pcie.above_4g),
    Row("pcie.rebar", False, of_gpu=pcie.resizable_bar),
    Row("pcie.atomics", False, of_gpu=pcie.atomics),
    Row("pcie.link", False, of_gpu=pcie.link),
    Row("pcie.acs", False, of_gpu=pcie.acs),
    Row("iommu", False, pcie.iommu),
    Row("rocm.install", True, software.rocm),
    Row("rocm.arch", True, of_gpu=software.kernels),
    Row("env.vars", True, software.environment),
    Row("paddle.build", True, software.paddle),
    Row("health.log", True, health.log),
    Row("paddle.nlp", False, software.paddlenlp),
    Row("info.card", False, of_gpu=information.card),
    Row("info.vbios", False, of_gpu=information.vbios),
    Row("info.board", False, of_gpu=information.board),
    Row("info.numa", False, of_gpu=information.numa),
    Row("info.performance", False, of_gpu=information.performance),
    Row("info.clocks", False, of_gpu=information.clocks),
    Row("info.sensors", False, of_gpu=information.sensors),
    Row("info.power", False, of_gpu=information.runtime),
    Row("info.sriov", False, of_gpu=information.sriov),
    Row("info.aspm", False, information.aspm),
    Row("info.numa_balancing", False, information.numa_balancing),
    Row("info.shm", False, information.shared_memory),
)
"""The row `selftest` follows; it is not drawn from the machine's facts (`engine.checks.gate`)."""


def judge(facts: Facts) -> tuple[CheckResult, ...]:
    """Every row of this machine."""
    return tuple(result for row in ROWS for result in _results(facts, row))


def _results(facts: Facts, row: Row) -> Iterator[CheckResult]:
    if row.of_machine is not None:
        of_machine = row.of_machine
        yield _result(row, None, lambda: of_machine(facts))
    elif row.of_gpu is not None:
        of_gpu = row.of_gpu
        nobody = () if row.id.startswith("info.") else (None,)
        cards: tuple[GpuFacts | None, ...] = facts.gpus or nobody
        for card in cards:
            yield _result(row, card, lambda card=card: of_gpu(facts, card))


def _result(row: Row, card: GpuFacts | None, find: Callable[[], Finding]) -> CheckResult:
    try:
        finding = find()
    except Exception as error:
        log.exception("the rule %s failed", row.id)
        finding = Finding(
            Verdict.CRASHED,
            say("This check itself failed: a bug in Danqing."),
            type(error).__name__,
        )
    return CheckResult(
        id=row.id,
        gpu=card.key if card is not None else None,
        verdict=finding.verdict,
        blocks=row.blocks,
        measured=finding.measured_sentence,
        expected=finding.expected_sentence,
        summary=finding.summary,
        fix=finding.fix,
        source=finding.source,
    )
