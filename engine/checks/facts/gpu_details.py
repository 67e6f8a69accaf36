"""What follows from the sources of one GPU once they are matched: memory, kind, name, log lines.

Separate from the matching (`gpus`), which needs none of it. Whether a GPU sits in the processor is
decided by the table first, then by what drivers say, then by its looks.
"""

from __future__ import annotations

import re

from engine.checks import device_table, values
from engine.checks.device_table import TableRow
from engine.checks.facts import pci
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.snapshot import Presence, Snapshot
from engine.port import GpuKind

VIRTUAL_FUNCTIONS = frozenset({"74b5", "74b9", "75b0", "75b3", "73ae", "7461"})
"""Device ids that a guest sees of a card shared by SR-IOV."""

_INTEGRATED_GFX = re.compile(r"gfx(90c|1013|1033|1035|1036|1103|115[0-9a-f])")
_INTEGRATED_NAMES = re.compile(
    r"\b(Renoir|Lucienne|Cezanne|Barcelo|Raphael|Phoenix\d?|Hawk Point\d?|Strix( Halo)?|"
    r"Granite Ridge|Picasso|Raven|Mendocino|Rembrandt|VanGogh)\b",
    re.IGNORECASE,
)
_SMALL = 4 * 2**30

LOG_ADDRESS = re.compile(r"\b([0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7])\b")
_LOG_IDS = re.compile(r"\(\w+ 0x1002:0x([0-9a-fA-F]{4})(?: 0x\w+:0x\w+ 0x([0-9a-fA-F]{2}))?")
LOG_DEVICE = re.compile(
    r"(?:kfd.*(?:skipped device 1002:|added device 1002:|DID )|Topology: Add d?GPU node \[0x)"
    r"([0-9a-fA-F]{4})\b"
)


def complete(
    snapshot: Snapshot, gpu: GpuFacts, found: list[GpuFacts], log: tuple[str, ...]
) -> None:
    """Fill in what follows from a GPU's matched sources: memory, kind, name, its lines of the log.

    `found` are all GPUs of the machine: lines without an address belong to the only one.
    """
    gpu.log = [line for line in log if _is_about(gpu, line, is_only=len(found) == 1)]
    _read_ids(gpu)
    gpu.rows = device_table.find(gpu.device, gpu.revision) if gpu.device else ()
    _read_memory(snapshot, gpu)
    gpu.rows = _narrowed(gpu)
    if gpu.folder is not None:
        gpu.bar = pci.memory_bar(snapshot, gpu.folder)
        gpu.iommu_group = pci.iommu_group(snapshot, gpu.folder)
        gpu.compute_partition = snapshot.text(f"{gpu.folder}/current_compute_partition")
        gpu.memory_partition = snapshot.text(f"{gpu.folder}/current_memory_partition")
    if gpu.smi is not None:
        gpu.compute_partition = gpu.compute_partition or gpu.smi.compute_partition
        gpu.memory_partition = gpu.memory_partition or gpu.smi.memory_partition
    if gpu.lspci is not None and gpu.iommu_group is None:
        gpu.iommu_group = gpu.lspci.iommu_group
    for line in gpu.log:
        if match := re.search(r"Adding to iommu group (\d{1,5})", line):
            gpu.iommu_group = gpu.iommu_group or match[1]
    if gpu.address is not None:
        gpu.has_own_switch = pci.has_own_switch(snapshot, gpu.address)
    gpu.is_apu = _is_apu(snapshot, gpu)
    gpu.kind = _kind(gpu)
    gpu.name = _name(gpu)


def _is_about(gpu: GpuFacts, line: str, *, is_only: bool) -> bool:
    addresses = LOG_ADDRESS.findall(line)
    if addresses:
        return gpu.address in addresses
    match = LOG_DEVICE.search(line)
    if match:
        return gpu.device == match[1].lower()
    return is_only and re.search(r"amdgpu|\[drm|kfd", line) is not None


def _read_ids(gpu: GpuFacts) -> None:
    for line in gpu.log:
        if match := _LOG_IDS.search(line):
            gpu.device = gpu.device or match[1].lower()
            gpu.revision = gpu.revision or (match[2] or "").lower() or None


def _read_memory(snapshot: Snapshot, gpu: GpuFacts) -> None:
    if gpu.folder is not None:
        read = lambda name: values.memory(snapshot.text(f"{gpu.folder}/{name}"))  # noqa: E731
        gpu.vram = _plausible(read("mem_info_vram_total"))
        gpu.visible = _plausible(read("mem_info_vis_vram_total"))
        gpu.used = read("mem_info_vram_used")
        gpu.gtt = read("mem_info_gtt_total")
    for line in gpu.log:
        if match := re.search(r"\bVRAM: (\d{1,7})M\b|Detected VRAM RAM=(\d{1,7})M", line):
            gpu.vram = gpu.vram or _plausible(int(match[1] or match[2]) * 2**20)
        match = re.search(r"Detected VRAM RAM=(\d{1,7})M, BAR=(\d{1,7})M", line)
        if match and gpu.visible is None:  # the aperture may be larger than the memory
            gpu.visible = _plausible(min(int(match[1]), int(match[2])) * 2**20)
    sources = (gpu.node, gpu.agent, gpu.smi)
    gpu.vram = gpu.vram or next((s.memory for s in sources if s is not None and s.memory), None)
    if gpu.vram and gpu.visible and gpu.visible > gpu.vram:
        gpu.visible = None


def _plausible(amount: int | None) -> int | None:
    return amount if amount is not None and 2**24 <= amount <= values.MAX_GPU_MEMORY else None


def _narrowed(gpu: GpuFacts) -> tuple[TableRow, ...]:
    """The table's rows that fit the size of the memory and the number of compute units."""
    rows = gpu.rows
    if gpu.vram and len(rows) > 1:
        near = tuple(r for r in rows if not r.vram_bytes or 0.85 < gpu.vram / r.vram_bytes < 1.05)
        rows = near or rows
    if gpu.compute_units and len(rows) > 1:
        rows = tuple(r for r in rows if gpu.compute_units in r.compute_units) or rows
    return rows


def _is_apu(snapshot: Snapshot, gpu: GpuFacts) -> bool:
    if gpu.rows:  # the table knows the card; 74a0 is MI300A, with a processor inside
        return gpu.device == "74a0" or all(row.is_integrated for row in gpu.rows)
    if gpu.has_own_switch or gpu.device in VIRTUAL_FUNCTIONS:
        return False
    if gpu.gfx and _INTEGRATED_GFX.fullmatch(gpu.gfx):
        return True
    says_apu = (gpu.agent and gpu.agent.is_apu) or (gpu.node and gpu.node.has_cpu)
    return bool(says_apu) or _looks_integrated(snapshot, gpu)


def _looks_integrated(snapshot: Snapshot, gpu: GpuFacts) -> bool:
    """Weaker signs, asked only of a GPU that nothing else decides."""
    names = [gpu.lspci.name if gpu.lspci else "", gpu.smi.name if gpu.smi else ""]
    names.append(gpu.agent.marketing_name or "" if gpu.agent else "")
    is_small = gpu.vram is not None and gpu.vram <= _SMALL
    if any(_INTEGRATED_NAMES.search(name or "") for name in names):
        return True
    if is_small and any((name or "").strip() == "AMD Radeon Graphics" for name in names):
        return True
    if gpu.folder is None:
        return False
    if snapshot.presence(f"{gpu.folder}/uma/carveout_options") is Presence.PRESENT:
        return True
    signs = ("board_info", "mem_info_vram_vendor")
    if any(snapshot.text(f"{gpu.folder}/{sign}") for sign in signs):
        return False
    has_shared = gpu.gtt is not None and gpu.gtt >= max(2 * _SMALL, 4 * (gpu.vram or 0))
    return is_small and has_shared


def _kind(gpu: GpuFacts) -> GpuKind:
    mode = (gpu.compute_partition or "SPX").strip().upper()
    if gpu.device in VIRTUAL_FUNCTIONS:
        return GpuKind.VIRTUAL
    if mode in ("DPX", "TPX", "QPX", "CPX") or gpu.sibling_nodes > 1:
        return GpuKind.PARTITION
    if (gpu.rows and gpu.rows[0].is_instinct) or gpu.class_code == 0x1200:
        return GpuKind.ACCELERATOR
    if gpu.agent and "Instinct" in (gpu.agent.marketing_name or ""):
        return GpuKind.ACCELERATOR
    return GpuKind.INTEGRATED if gpu.is_apu else GpuKind.DISCRETE


def _name(gpu: GpuFacts) -> str:
    names = list(dict.fromkeys(row.name for row in gpu.rows))
    if len(names) == 1:
        return names[0]
    for said in (gpu.agent and gpu.agent.marketing_name, gpu.smi and gpu.smi.name):
        if said and re.search(r"[A-Za-z]", said):
            return said
    if gpu.lspci is not None and (match := re.search(r"\[([^\[\]]+)\]$", gpu.lspci.name)):
        return match[1]
    if names:
        return f"{_common_start(names)} (1002:{gpu.device})"
    return f"AMD GPU 1002:{gpu.device}" if gpu.device else "AMD GPU"


def _common_start(names: list[str]) -> str:
    """`Radeon RX 7900` of its four variants: no more is known."""
    words = [name.split() for name in names]
    common = []
    for column in zip(*words, strict=False):
        if len(set(column)) > 1:
            break
        common.append(column[0])
    return " ".join(common) or " / ".join(names)
