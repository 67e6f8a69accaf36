"""Rows of the card's connection: BAR, atomics, link, ACS, IOMMU. They warn, and never block.

Sections 3.10 to 3.14 of the design's hardware rules, and point 2 of section 9. A small or
unassigned BAR never hides memory from the GPU; where the driver could not start because of it,
`gpu.driver` says so.
"""

from __future__ import annotations

import re

from engine.checks import remedies
from engine.checks.facts import Facts, pci
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.facts.pci import Bar
from engine.checks.rules.finding import (
    FAIL,
    INFO,
    PASS,
    UNKNOWN,
    WARN,
    Finding,
    in_vm,
    in_wsl,
    integrated,
    not_seen,
    without_gpu,
)
from engine.checks.sentences import gib, listed, say
from engine.checks.snapshot import Presence
from engine.port import GpuKind, Sentence

_4_GIB = 2**32
_VISIBLE_SHARE = 0.98
_SMALL_BAR = 512 * 2**20
"""No card that computes has so little memory, so a BAR of this size shows a part of it."""


def _does_not_apply(facts: Facts, gpu: GpuFacts | None) -> Finding | None:
    if facts.platform.is_wsl:
        return in_wsl()
    if gpu is None:
        return without_gpu() if facts.has_no_amd_gpu else not_seen()
    if gpu.is_apu:
        return integrated()
    return None


def _bar(gpu: GpuFacts) -> tuple[Bar | None, str]:
    """The memory's aperture as it is now, and where that is said."""
    if gpu.bar is not None:
        return gpu.bar, "resource"
    if gpu.lspci is not None and gpu.lspci.memory:
        start, size = gpu.lspci.memory[0]
        return Bar(start, size), "lspci"
    for line in reversed(gpu.log):
        match = re.search(r"BAR 0\b.*?\[mem 0x([0-9a-f]{1,16})-0x([0-9a-f]{1,16})", line)
        if match and "assigned" in line and "releasing" not in line:
            start, end = int(match[1], 16), int(match[2], 16)
            return (Bar(start, end - start + 1) if end > start > 0 else None), "dmesg"
    return None, "resource"


def above_4g(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """pcie.above4g: where the memory's aperture lies now; the kernel may have moved it."""
    na = _does_not_apply(facts, gpu)
    if na is not None or gpu is None:
        return na or not_seen()
    if gpu.kind is GpuKind.VIRTUAL:
        return in_vm()
    bar, source = _bar(gpu)
    expected = say("the aperture of the card's memory above 4 GiB")
    fix = (remedies.bios_menu(facts.platform),)
    if bar is None:
        return not_seen(source)
    if bar.start is None:
        return Finding(WARN, say("The aperture of the card's memory has no address."),
                       say("not assigned"), expected, fix=fix, source=source)  # fmt: skip
    if bar.start < _4_GIB:
        return Finding(WARN, say("The aperture of the card's memory lies below 4 GiB: Above 4G "
                                 "Decoding is off. The memory's size is not affected."),
                       f"{bar.start:#x}", expected, fix=fix, source=source)  # fmt: skip
    return Finding(PASS, say("The aperture of the card's memory lies above 4 GiB."),
                   f"{bar.start:#x}", expected, source=source)  # fmt: skip


def resizable_bar(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """pcie.rebar: how much of the card's memory the processor sees."""
    na = _does_not_apply(facts, gpu)
    if na is not None or gpu is None:
        return na or not_seen()
    if gpu.kind is GpuKind.VIRTUAL:
        return in_vm()
    expected = say("all of the card's memory visible to the processor")
    visible, total, source = _visible(gpu)
    if visible is not None and total is not None:
        measured = say("{visible} of {total}", visible=gib(min(visible, total)), total=gib(total))
        if visible >= _VISIBLE_SHARE * total:
            return Finding(PASS, say("The processor sees all of the card's memory."), measured,
                           expected, source=source)  # fmt: skip
        return _small_bar(facts, gpu, measured, expected, source)
    if visible is not None and visible <= _SMALL_BAR:
        return _small_bar(facts, gpu, say("{visible}", visible=gib(visible)), expected, source)
    if gpu.node is not None and gpu.node.is_all_visible is not None:
        if gpu.node.is_all_visible:
            return Finding(PASS, say("The processor sees all of the card's memory."),
                           "heap_type 1", expected, source="KFD mem_banks")  # fmt: skip
        return _small_bar(facts, gpu, "heap_type 2", expected, "KFD mem_banks")
    return not_seen(source)


def _visible(gpu: GpuFacts) -> tuple[int | None, int | None, str]:
    """Visible bytes, all bytes, and the source; all bytes may be the table's figure."""
    if gpu.visible is not None and gpu.vram is not None:
        return gpu.visible, gpu.vram, "mem_info_vis_vram_total"
    bar, source = _bar(gpu)
    sizes = {row.vram_bytes for row in gpu.rows}
    nominal = sizes.pop() if len(sizes) == 1 else None
    size = bar.size if bar is not None and bar.start is not None else gpu.visible
    return size, gpu.vram or nominal, source


def _small_bar(
    facts: Facts, gpu: GpuFacts, measured: Sentence | str, expected: Sentence, source: str
) -> Finding:
    summary = say(
        "The processor sees a part of the card's memory only: Resizable BAR is off. All of it "
        "stays usable; loading a model is slower."
    )
    if any(re.search(r"no space for|failed to assign", line) for line in gpu.log):
        summary = say(
            "The BIOS left no room for the card's whole memory: Resizable BAR fell back to a part "
            "of it. All of it stays usable; loading a model is slower."
        )
    fix = (remedies.bios_menu(facts.platform),
           say("A BIOS update may have switched it off; look again after each one."))  # fmt: skip
    return Finding(WARN, summary, measured, expected, fix=fix, source=source)


# --- atomics, link --------------------------------------------------------------------------------


def atomics(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """pcie.atomics: fails where the KFD left the GPU out because of it."""
    na = _does_not_apply(facts, gpu)
    if na is not None or gpu is None:
        return na or not_seen()
    expected = say("PCIe atomics on the way to the processor")
    if line := next((line for line in gpu.log if "PCI rejects atomics" in line), None):
        fix = remedies.atomics(facts.platform)
        return Finding(FAIL, say("The slot passes on no PCIe atomics, and the card's firmware is "
                                 "too old to do without: the compute driver left the card out."),
                       line, expected, fix=fix, source="dmesg")  # fmt: skip
    has = gpu.node.has_atomics if gpu.node is not None else None
    source = "KFD io_links"
    if has is None and gpu.lspci is not None and gpu.driver == "amdgpu":
        has, source = gpu.lspci.has_atomics, "lspci"  # the driver switches them on if it can
    if has is None:
        return not_seen(source)
    if has:
        return Finding(PASS, say("PCIe atomics reach the processor."), say("yes"), expected,
                       source=source)  # fmt: skip
    return Finding(WARN, say("No PCIe atomics on the way to the processor. The card's firmware "
                             "does without."),
                   say("no"), expected,
                   fix=(say("If computing hangs: put the card into a slot of the processor."),),
                   source=source)  # fmt: skip


def link(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """pcie.link, where the card meets the slot; what is inside the card does not count."""
    na = _does_not_apply(facts, gpu)
    if na is not None or gpu is None:
        return na or not_seen()
    if facts.platform.is_virtual or gpu.kind is GpuKind.VIRTUAL:
        return in_vm()
    if gpu.address is None:
        return not_seen("current_link_width")
    top, is_known = pci.top_of_card(facts.snapshot, gpu.address)
    found = pci.link(facts.snapshot, top)
    if not is_known or found.width is None:
        return not_seen("current_link_width")
    return _judge_link(facts, gpu, top, found)


def _judge_link(facts: Facts, gpu: GpuFacts, top: str, found: pci.Link) -> Finding:
    above = (pci.parents(facts.snapshot, top) or ("",))[0]
    slot = pci.link(facts.snapshot, above).max_width if above else None
    by_design = gpu.rows[0].pcie_width if gpu.rows else 16
    best = min(width for width in (found.max_width, slot, by_design or 16, 16) if width)
    width = found.width or 0
    measured = say("{speed} GT/s x{width} at {port}", speed=found.speed or "?", width=width,
                   port=top)  # fmt: skip
    expected = say("x{width}", width=best)
    fix = (say("Put the card into the slot next to the processor, without a riser or dock."),)
    source = f"{pci.ROOT}/{top}/current_link_width"
    if width <= 4:
        return Finding(WARN, say("The card is connected by {width} lanes: models load slowly; "
                                 "drawing is not slower.", width=width),
                       measured, expected, fix=fix, source=source)  # fmt: skip
    if found.speed is not None and found.speed <= 5 and _is_busy(facts, gpu):
        return Finding(WARN, say("The connection is slow under load: models load slowly."),
                       measured, expected, fix=fix, source=source)  # fmt: skip
    is_maximum_known = bool(found.max_width or gpu.rows) and (slot is not None or width >= 16)
    if width >= best and (is_maximum_known or width >= 16):
        return Finding(PASS, say("The card has all lanes that slot and card allow."), measured,
                       expected, source=source)  # fmt: skip
    if width < best and is_maximum_known:
        return Finding(WARN, say("The card has {width} of {best} possible lanes.",
                                 width=width, best=best),
                       measured, expected, fix=fix, source=source)  # fmt: skip
    return Finding(UNKNOWN, say("How many lanes are possible could not be seen."), measured,
                   expected, source=source)  # fmt: skip


def _is_busy(facts: Facts, gpu: GpuFacts) -> bool:
    """An idle card lowers its link's speed to save power."""
    text = facts.snapshot.text(f"{gpu.folder}/gpu_busy_percent") if gpu.folder else None
    return text is not None and text.isdecimal() and 50 <= int(text[:4]) <= 100


# --- ACS, IOMMU -----------------------------------------------------------------------------------


def acs(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """pcie.acs: isolation, which costs several GPUs their direct way to each other."""
    if facts.platform.is_wsl:
        return in_wsl()
    if facts.platform.is_virtual:
        return in_vm()
    na = _does_not_apply(facts, gpu)
    if na is not None or gpu is None:
        return na or not_seen()
    expected = say("of no importance to one GPU")
    redirects = gpu.lspci.has_acs_redirect if gpu.lspci is not None else None
    if redirects is not None:
        if redirects and len(facts.discrete) > 1:
            return Finding(WARN, say("ACS sends what the GPUs say to each other through the "
                                     "processor: slower between GPUs, otherwise harmless."),
                           say("redirects"), say("no redirection between GPUs"),
                           fix=(say("For several GPUs: switch ACS off in the BIOS, or use "
                                    "pci=disable_acs_redir=…; both lessen isolation."),),
                           source="lspci")  # fmt: skip
        return Finding(INFO, say("ACS isolates devices from each other; one GPU does not need it "
                                 "and is not harmed by it."),
                       say("redirects") if redirects else say("does not redirect"), expected,
                       source="lspci")  # fmt: skip
    return Finding(UNKNOWN, say("Only root can read ACS. It isolates devices from each other; one "
                                "GPU does not need it and is not harmed by it."),
                   _group_size(facts, gpu), expected, source="iommu_groups")  # fmt: skip


def _group_size(facts: Facts, gpu: GpuFacts) -> Sentence | str:
    if gpu.iommu_group in (None, "?"):
        return ""
    folder = f"/sys/kernel/iommu_groups/{gpu.iommu_group}/devices"
    count = len(facts.snapshot.children(folder))
    return say("IOMMU group {group} with {count} devices", group=gpu.iommu_group, count=count)


def iommu(facts: Facts) -> Finding:
    """iommu: not needed by a card; for several GPUs it should not translate. Never fails."""
    if facts.platform.is_wsl:
        return in_wsl()
    if facts.platform.is_virtual:
        return in_vm()
    expected = say("active; with several GPUs as passthrough (iommu=pt)")
    if _is_active(facts):
        return _active_iommu(facts, expected)
    words = facts.kernel.parameters or ()
    off = [word for word in words if word in ("iommu=off", "amd_iommu=off", "intel_iommu=off")]
    is_bare = facts.platform.is_virtual is False
    is_empty = facts.snapshot.is_complete("/sys/class/iommu") and not facts.snapshot.children(
        "/sys/class/iommu"
    )
    if off or (is_empty and is_bare):
        return Finding(
            WARN,
            say("The IOMMU is off. One GPU works without it; AMD advises to leave it on."),
            listed(off) or say("off"), expected,
            fix=(remedies.iommu_menu(facts.platform), remedies.kernel_parameters(facts.platform)),
            source="/proc/cmdline, /sys/class/iommu",
        )  # fmt: skip
    if "nccl-iommu" in facts.program_lines:
        return Finding(WARN, say("Copies between several GPUs want iommu=pt."),
                       facts.program_lines["nccl-iommu"], expected,
                       fix=(remedies.kernel_parameters(facts.platform),),
                       source="log")  # fmt: skip
    return not_seen("/sys/class/iommu")


def _is_active(facts: Facts) -> bool:
    if any(gpu.iommu_group for gpu in facts.gpus):
        return True
    folder = "/sys/class/iommu"
    return any(
        facts.snapshot.presence(f"{folder}/{name}") is Presence.PRESENT
        for name in facts.snapshot.children(folder)
    )


def _active_iommu(facts: Facts, expected: Sentence) -> Finding:
    source = "/sys/class/iommu, iommu_groups"
    kind = _domain_type(facts)
    measured = say("active ({kind})", kind=kind) if kind else say("active")
    if len(facts.discrete) < 2:
        return Finding(PASS, say("The IOMMU is active, which is right for one GPU."), measured,
                       expected, source=source)  # fmt: skip
    if kind == "identity":
        return Finding(PASS, say("The IOMMU passes through, which is right for several GPUs."),
                       measured, expected, source=source)  # fmt: skip
    if kind is None and "nccl-iommu" not in facts.program_lines:
        return Finding(UNKNOWN, say("Whether the IOMMU translates could not be seen."), measured,
                       expected, source=source)  # fmt: skip
    return Finding(
        WARN,
        say("The IOMMU translates: copies between several GPUs are slow and can hang."),
        measured, expected,
        fix=(say("Add iommu=pt to the kernel command line."),
             remedies.kernel_parameters(facts.platform)),
        source=source,
    )  # fmt: skip


def _domain_type(facts: Facts) -> str | None:
    """`identity` or `DMA`, of the groups' own files, else of the command line."""
    kinds = {
        facts.snapshot.text(f"/sys/kernel/iommu_groups/{gpu.iommu_group}/type")
        for gpu in facts.discrete
        if gpu.iommu_group
    } - {None, ""}
    if kinds:
        return "identity" if kinds == {"identity"} else "DMA"
    words = facts.kernel.parameters or ()
    if "iommu=pt" in words or "iommu.passthrough=1" in words:
        return "identity"
    if "iommu.passthrough=0" in words or "iommu=nopt" in words:
        return "DMA"
    return None
