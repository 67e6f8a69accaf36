"""Rows that are shown for reports and never judged.

Section 3.21 of the design's hardware rules: what helpers ask for, among them the items of the
founding articles that prove nothing (SR-IOV, ASPM, clocks).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.checks import values
from engine.checks.facts import Facts
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.rules.finding import INFO, Finding, without_gpu
from engine.checks.sentences import command, listed, say
from engine.port import Sentence

GpuRule = Callable[[Facts, GpuFacts | None], Finding]


def _of_file(name: str, summary: Sentence) -> GpuRule:
    """A rule that shows one file of the GPU's folder."""

    def rule(facts: Facts, gpu: GpuFacts | None) -> Finding:
        text = _text(facts, gpu, name)
        return Finding(INFO, summary, text or say("not to be seen"), source=name)

    return rule


def _text(facts: Facts, gpu: GpuFacts | None, name: str) -> str | None:
    if gpu is None or gpu.folder is None:
        return None
    text = facts.snapshot.text(f"{gpu.folder}/{name}")
    return text[:400] if text and text.isprintable() else None


vbios = _of_file("vbios_version", say("The card's own firmware."))
board = _of_file("board_info", say("The card's form."))
numa = _of_file("numa_node", say("The processor that the card is next to; -1 is none."))
runtime = _of_file("power/runtime_status", say("Whether the card sleeps; that is no fault."))


def performance(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """info.performance: the true form of "unlock the clocks"."""
    level = _text(facts, gpu, "power_dpm_force_performance_level")
    if gpu is not None and level in ("low", "manual"):
        return Finding(INFO, say("The clocks are limited by hand ({level}).", level=level), level,
                       say("auto"),
                       fix=(command(f"echo auto | sudo tee {gpu.folder}/"
                                    "power_dpm_force_performance_level"),),
                       source="power_dpm_force_performance_level")  # fmt: skip
    return Finding(INFO, say("The card sets its clocks by itself; nothing has to be unlocked."),
                   level or say("not to be seen"), say("auto"),
                   source="power_dpm_force_performance_level")  # fmt: skip


def clocks(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """info.clocks: the current level of each clock; an idle card shows the lowest."""
    found: list[str] = []
    for name in ("sclk", "mclk", "pcie"):
        text = None
        if gpu is not None and gpu.folder is not None:
            text = facts.snapshot.text(f"{gpu.folder}/pp_dpm_{name}")
        if text and (match := re.search(r"^\d+: ([^*\n]{1,40}?)\s*\*", text, re.MULTILINE)):
            found.append(f"{name} {match[1]}")
    return Finding(INFO, say("Clocks now; an idle card shows its lowest."),
                   listed(found) or say("not to be seen"), source="pp_dpm_*")  # fmt: skip


def sensors(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """info.sensors: temperatures in degrees Celsius and power in watts."""
    found: list[str] = []
    folder = f"{gpu.folder}/hwmon" if gpu is not None and gpu.folder is not None else ""
    for monitor in facts.snapshot.children(folder) if folder else ():
        for name in facts.snapshot.children(f"{folder}/{monitor}"):
            number = values.whole(facts.snapshot.text(f"{folder}/{monitor}/{name}"), 0, 10**9)
            if number is not None and re.fullmatch(r"temp\d_input", name):
                found.append(f"{number / 1000:.0f} °C")
            elif number is not None and name in ("power1_average", "power1_input", "power1_cap"):
                found.append(f"{name[7:]} {number / 1e6:.0f} W")
    return Finding(INFO, say("Temperatures and power."), listed(found) or say("not to be seen"),
                   source="hwmon")  # fmt: skip


def sriov(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """info.sriov"""
    total, used = _text(facts, gpu, "sriov_totalvfs"), _text(facts, gpu, "sriov_numvfs")
    measured = f"{used or 0}/{total}" if total else say("not to be seen")
    return Finding(INFO, say("SR-IOV shares a card among virtual machines. On or off, it does not "
                             "matter to Danqing."), measured, source="sriov_totalvfs")  # fmt: skip


def aspm(facts: Facts) -> Finding:
    """info.aspm"""
    text = facts.snapshot.text("/sys/module/pcie_aspm/parameters/policy") or ""
    match = re.search(r"\[(\w{1,20})\]", text)
    return Finding(INFO, say("Power saving of the PCIe connection; “performance” is worth a trial "
                             "if the connection drops."),
                   match[1] if match else say("not to be seen"),
                   source="/sys/module/pcie_aspm/parameters/policy")  # fmt: skip


def numa_balancing(facts: Facts) -> Finding:
    """info.numa_balancing"""
    text = values.whole(facts.snapshot.text("/proc/sys/kernel/numa_balancing"), 0, 9)
    return Finding(INFO, say("Moving memory between processors; AMD advises 0 on Instinct "
                             "servers."),
                   say("not to be seen") if text is None else str(text),
                   source="/proc/sys/kernel/numa_balancing")  # fmt: skip


def shared_memory(facts: Facts) -> Finding:
    """info.shm: Docker gives 64 MB only."""
    size = facts.snapshot.process.shm_bytes
    return Finding(INFO, say("Shared memory; Danqing needs none of it, other programs do."),
                   say("not to be seen") if size is None else f"{size / 2**20:.0f} MiB",
                   source="/dev/shm")  # noqa: S108 # fmt: skip


def card(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """info.card: what the table says of this kind of card; for display only."""
    if gpu is None or not gpu.rows:
        return without_gpu() if facts.has_no_amd_gpu else Finding(INFO, say("Not in the table."))
    row = gpu.rows[0]
    parts = [row.arch, row.gfx, row.vram_type]
    if row.bandwidth_gbps:
        parts.append(f"{row.bandwidth_gbps:.0f} GB/s")
    if row.pcie_gen:
        parts.append(f"PCIe {row.pcie_gen}.0 x{row.pcie_width}")
    return Finding(INFO, say("What Danqing's table says of {name}.", name=gpu.name), listed(parts),
                   source="resources/devices.tsv")  # fmt: skip
