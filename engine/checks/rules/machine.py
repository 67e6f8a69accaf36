"""Rows of the machine as a whole: platform, firmware mode, the number of GPUs.

Section 3.1, 3.10 and 3.16 of the design's hardware rules.
"""

from __future__ import annotations

from engine.checks.facts import Facts
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.rules.finding import (
    FAIL,
    NA,
    PASS,
    UNKNOWN,
    WARN,
    Finding,
    in_vm,
    in_wsl,
    not_seen,
    without_gpu,
)
from engine.checks.sentences import listed, say
from engine.port import Sentence

_X86 = ("x86_64", "amd64")


def platform(facts: Facts) -> Finding:
    """plat.os: ROCm exists for Linux on x86-64 only; what is between it and the metal warns."""
    found = facts.platform
    expected = say("Linux on x86_64, on bare metal")
    if found.is_linux is False:
        return Finding(
            FAIL,
            say("{system} is not Linux; ROCm has no driver for it.", system=found.system or "?"),
            measured=found.system or "",
            expected=expected,
            fix=(say("Use Linux for the GPU; Danqing computes on the CPU here."),),
            source="uname",
        )
    if found.architecture is not None and found.architecture not in _X86:
        return Finding(
            FAIL,
            say("ROCm has no programs for {machine} processors.", machine=found.architecture),
            measured=found.architecture,
            expected=expected,
            fix=(say("Use a machine with an x86-64 processor for the GPU."),),
            source="uname",
        )
    return _surroundings(facts, expected)


def _surroundings(facts: Facts, expected: Sentence) -> Finding:
    found = facts.platform
    machine = found.architecture or "?"
    if found.is_wsl:
        summary = say("This is WSL: Windows' driver decides what the GPU can do.")
        return Finding(WARN, summary, say("WSL on {machine}", machine=machine), expected,
                       source="/proc/version, /dev/dxg")  # fmt: skip
    if found.is_virtual:
        summary = say("This is a virtual machine: the host decides which devices are in it.")
        measured = say("virtual machine on {machine}", machine=machine)
        if found.hypervisor:
            measured = say("virtual machine ({name}) on {machine}",
                           name=found.hypervisor, machine=machine)  # fmt: skip
        return Finding(WARN, summary, measured, expected, source="/sys/class/dmi/id, /proc/cpuinfo")
    if found.is_container:
        summary = say("This is a container: drivers and firmware are the host's.")
        return Finding(WARN, summary, say("container on {machine}", machine=machine), expected,
                       source="/.dockerenv, /proc/1/cgroup, /proc/self/uid_map")  # fmt: skip
    if found.is_linux and found.architecture in _X86 and found.is_virtual is False:
        if found.is_container is False:
            return Finding(PASS, say("Linux on x86-64, on bare metal."),
                           say("Linux on {machine}", machine=machine), expected,
                           source="uname")  # fmt: skip
        return Finding(UNKNOWN, say("Whether this is a container could not be seen."),
                       say("Linux on {machine}", machine=machine), expected)  # fmt: skip
    return Finding(UNKNOWN, say("Which platform this is could not be seen entirely."),
                   machine, expected)  # fmt: skip


def uefi(facts: Facts) -> Finding:
    """boot.uefi: without UEFI many boards offer no Resizable BAR; nothing else depends on it."""
    found = facts.platform
    source = "/sys/firmware/efi"
    expected = say("booted through UEFI")
    if found.is_wsl:
        return in_wsl()
    if found.is_uefi:
        return Finding(
            PASS,
            say("The machine was booted through UEFI. Whether CSM is switched on besides cannot be "
                "seen from Linux, and does not matter to the GPU's firmware."),
            _secure_boot(facts), expected, source=source,
        )  # fmt: skip
    if found.is_virtual:
        return in_vm()
    if found.is_uefi is None or found.is_container or found.is_virtual is None:
        return not_seen(source)
    return Finding(
        WARN,
        say("The machine was booted in legacy mode (CSM): many boards then offer no Resizable BAR. "
            "The GPU works nevertheless."),
        say("legacy boot"), expected,
        fix=(say("Switch CSM off in the BIOS; an installation made in legacy mode has to be "
                 "converted to UEFI first."),),
        source=source,
    )  # fmt: skip


def _secure_boot(facts: Facts) -> Sentence:
    match facts.platform.has_secure_boot:
        case True:
            return say("UEFI, Secure Boot on")
        case False:
            return say("UEFI, Secure Boot off")
        case _:
            return say("UEFI")


def several_gpus(facts: Facts) -> Finding:
    """multi.gpu: which other GPUs there are beside the one that is used."""
    if facts.has_no_amd_gpu:
        return without_gpu()
    discrete = facts.discrete
    integrated = [gpu for gpu in facts.gpus if gpu.is_apu]
    names = listed(f"{gpu.name} ({gpu.key})" for gpu in facts.gpus)
    expected = say("one GPU")
    if discrete and integrated:
        return Finding(
            WARN,
            say("A GPU inside the processor is beside the card. Programs that use both can crash; "
                "Danqing uses the card."),
            names, expected,
            fix=(say("For other programs: set HIP_VISIBLE_DEVICES to the card's number."),),
            source="KFD, sysfs",
        )  # fmt: skip
    if len(discrete) > 1:
        return _several_cards(facts, discrete, names)
    if len(facts.gpus) == 1 and (facts.others.is_complete or facts.topology.is_complete):
        return Finding(PASS, say("One AMD GPU."), names, expected, source="sysfs")
    return not_seen("sysfs, KFD")


def _several_cards(facts: Facts, cards: tuple[GpuFacts, ...], names: str) -> Finding:
    nodes = [gpu.node for gpu in cards]
    expected = say("GPUs that reach each other's memory; Danqing uses one at a time")
    if not facts.topology.is_complete or any(node is None for node in nodes):
        return Finding(UNKNOWN, say("Several GPUs; whether they reach each other's memory could "
                                    "not be seen. Danqing uses one at a time."),
                       names, expected)  # fmt: skip
    known = [node for node in nodes if node is not None]
    numbers = {node.number for node in known}
    if all(numbers - {node.number} <= node.peers for node in known):
        return Finding(PASS, say("Several GPUs that reach each other's memory."), names, expected,
                       source="KFD io_links")  # fmt: skip
    return Finding(WARN, say("Several GPUs that do not reach each other's memory. Danqing uses one "
                             "at a time, so it loses nothing."),
                   names, expected, source="KFD io_links")  # fmt: skip


def partition(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """part.mode: a partitioned Instinct shows a part of its memory in each node."""
    if facts.has_no_amd_gpu or gpu is None:
        return without_gpu() if facts.has_no_amd_gpu else not_seen()
    mode = (gpu.compute_partition or "").strip().upper()
    source = "current_compute_partition"
    expected = say("SPX (undivided)")
    if mode == "SPX":
        return Finding(PASS, say("The card is not divided."), mode, expected, source=source)
    if mode in ("DPX", "TPX", "QPX", "CPX"):
        return Finding(
            WARN,
            say("The card is divided ({mode}): each part has a share of the memory. This is a "
                "setting, not a fault.", mode=mode),
            f"{mode} {gpu.memory_partition or ''}".strip(), expected,
            fix=(say("To undivide it: sudo amd-smi set --compute-partition SPX"),),
            source=source,
        )  # fmt: skip
    if gpu.sibling_nodes > 1:
        return Finding(WARN, say("Several compute devices share this PCI function: the card is "
                                 "divided."),
                       say("{count} nodes", count=gpu.sibling_nodes), expected,
                       source="KFD")  # fmt: skip
    if (gpu.gfx or gpu.likely_gfx) in ("gfx942", "gfx950"):
        return not_seen(source)
    return Finding(NA, say("This kind of card cannot be divided."), source="resources/devices.tsv")
