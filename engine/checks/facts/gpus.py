"""The machine's AMD GPUs, each put together from every source that mentions it.

sysfs, KFD, rocminfo, rocm-smi, lspci and the kernel's log each know other things, under other
names. Here they are matched: by PCI address, else by device id, else where one is left on both
sides. Separate from the sources, which know nothing of each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.checks import device_table, values
from engine.checks.device_table import TableRow
from engine.checks.facts import pci, printed
from engine.checks.facts.kfd import Kfd, KfdNode
from engine.checks.facts.pci import AMD, Bar
from engine.checks.facts.printed import Agent, LspciDevice, RocmInfo, Smi, SmiGpu
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

_LOG_ADDRESS = re.compile(r"\b([0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7])\b")
_LOG_IDS = re.compile(r"\(\w+ 0x1002:0x([0-9a-fA-F]{4})(?: 0x\w+:0x\w+ 0x([0-9a-fA-F]{2}))?")
_LOG_DEVICE = re.compile(
    r"(?:kfd.*(?:skipped device 1002:|added device 1002:|DID )|Topology: Add d?GPU node \[0x)"
    r"([0-9a-fA-F]{4})\b"
)


@dataclass(slots=True, kw_only=True, eq=False)
class GpuFacts:
    """One GPU. `driver` is the bound one's name, "" for none, None for unknown."""

    key: str
    address: str | None = None
    folder: str | None = None
    device: str | None = None
    revision: str | None = None
    class_code: int | None = None
    driver: str | None = None
    bar: Bar | None = None
    iommu_group: str | None = None
    vram: int | None = None
    visible: int | None = None
    used: int | None = None
    gtt: int | None = None
    has_own_switch: bool | None = None
    node: KfdNode | None = None
    sibling_nodes: int = 1
    agent: Agent | None = None
    smi: SmiGpu | None = None
    lspci: LspciDevice | None = None
    compute_partition: str | None = None
    memory_partition: str | None = None
    log: list[str] = field(default_factory=list[str])
    rows: tuple[TableRow, ...] = ()
    kind: GpuKind = GpuKind.DISCRETE
    is_apu: bool = False

    @property
    def gfx(self) -> str | None:
        """The instruction set as the driver or ROCm says it, never from the card's name."""
        for found in (self.node, self.agent, self.smi):
            if found is not None and found.gfx:
                return found.gfx
        return None

    @property
    def likely_gfx(self) -> str | None:
        """`gfx`, else what the table says of this kind of card."""
        kinds = {row.gfx for row in self.rows}
        return self.gfx or (kinds.pop() if len(kinds) == 1 else None)

    @property
    def name(self) -> str:
        return _name(self)

    @property
    def compute_units(self) -> int | None:
        for found in (self.node, self.agent):
            if found is not None and found.compute_units:
                return found.compute_units
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Others:
    """Display devices that are not AMD's, by vendor id; `is_complete`: AMD's are all known too."""

    vendors: tuple[str, ...]
    is_complete: bool


def find(
    snapshot: Snapshot, topology: Kfd, rocm: RocmInfo, smi: Smi, log: tuple[str, ...]
) -> list[GpuFacts]:
    """All AMD GPUs that anything in the snapshot speaks of, in order of their keys."""
    found = _from_sysfs(snapshot, log)
    _add_lspci(found, printed.lspci(snapshot.commands.get("lspci.txt", "")))
    _add_log_addresses(found, log)
    _add_nodes(found, topology)
    _add_agents(found, rocm)
    _add_smi(found, smi)
    _add_log_devices(found, log)
    _add_lone_folder(snapshot, found)
    _add_lone_memory(found, topology)
    for gpu in found:
        _complete(snapshot, gpu, found, log)
    return sorted(found, key=lambda gpu: (gpu.address is None, gpu.key))


def others(snapshot: Snapshot) -> Others:
    devices = pci.devices(snapshot)
    vendors = {device.vendor for device in devices if device.is_display and device.vendor}
    vendors |= {
        device.vendor
        for device in printed.lspci(snapshot.commands.get("lspci.txt", ""))
        if device.is_display and device.vendor
    }
    return Others(
        vendors=tuple(sorted(vendors - {AMD})), is_complete=pci.is_listing_complete(snapshot)
    )


# --- sources --------------------------------------------------------------------------------------


def _from_sysfs(snapshot: Snapshot, log: tuple[str, ...]) -> list[GpuFacts]:
    in_log = _logged_addresses(log)
    gpus: list[GpuFacts] = []
    for device in pci.devices(snapshot):
        driver = _driver(snapshot, device.folder)
        is_gpu = device.is_display
        if is_gpu is None:  # a recording without the class: the driver or its log knows a GPU
            has_row = device.device is not None and bool(device_table.find(device.device, None))
            is_gpu = driver in ("amdgpu", "radeon") or device.address in in_log or has_row
        if device.vendor == AMD and is_gpu:
            gpu = GpuFacts(key=device.address, address=device.address, folder=device.folder)
            gpu.device, gpu.class_code, gpu.driver = device.device, device.class_code, driver
            gpu.revision = values.hex_byte(snapshot.text(f"{device.folder}/revision"))
            gpus.append(gpu)
    return gpus


def _driver(snapshot: Snapshot, folder: str) -> str | None:
    name = snapshot.target(f"{folder}/driver")
    if name is not None:
        return name
    return "" if snapshot.presence(f"{folder}/driver") is Presence.ABSENT else None


def _add_lspci(found: list[GpuFacts], devices: tuple[LspciDevice, ...]) -> None:
    for device in devices:
        if device.vendor != AMD or not device.is_display:
            continue
        gpu = _at(found, device.address)
        if gpu is None:
            gpu = GpuFacts(key=device.address, address=device.address)
            found.append(gpu)
        gpu.lspci = device
        gpu.device = gpu.device or device.device
        gpu.revision = gpu.revision or device.revision
        gpu.driver = device.driver if gpu.driver is None else gpu.driver


def _logged_addresses(log: tuple[str, ...]) -> set[str]:
    """Addresses that the amdgpu driver speaks of."""
    marks = (r"amdgpu {0}", r"\[drm\] Initialized amdgpu .* for {0}", r"amdgpu: probe of {0}")
    pattern = re.compile("|".join(mark.format(_LOG_ADDRESS.pattern) for mark in marks))
    matches = (pattern.search(line) for line in log)
    return {next(filter(None, match.groups())) for match in matches if match}


def _add_log_addresses(found: list[GpuFacts], log: tuple[str, ...]) -> None:
    for address in sorted(_logged_addresses(log)):
        if _at(found, address) is None:
            found.append(GpuFacts(key=address, address=address))


def _add_nodes(found: list[GpuFacts], topology: Kfd) -> None:
    """KFD's GPUs; several nodes of one PCI function are partitions of it, shown as one each."""
    proven = topology.gpus
    for node in proven:
        at = [gpu for gpu in found if gpu.address and gpu.address == node.address]
        siblings = sum(other.address == node.address for other in proven) if node.address else 1
        free = next((gpu for gpu in at if gpu.node is None), None)
        if free is None and node.address is None:
            free = _only([gpu for gpu in found if gpu.node is None], among=len(proven))
        if free is None:
            is_new = node.address is not None and not at
            key = node.address if node.address and is_new else f"kfd:{node.number}"
            free = GpuFacts(key=key, address=node.address)
            free.folder = at[0].folder if at else None
            free.driver = at[0].driver if at else None
            found.append(free)
        free.node, free.sibling_nodes = node, siblings
        free.device = free.device or node.device


def _add_agents(found: list[GpuFacts], rocm: RocmInfo) -> None:
    for position, agent in enumerate(rocm.gpus, 1):
        gpu = _of_agent(found, agent, among=len(rocm.gpus))
        if gpu is None:
            number = position if agent.number is None else agent.number
            gpu = GpuFacts(key=_unused(found, number), address=agent.address)
            found.append(gpu)
        gpu.agent = agent
        gpu.device = gpu.device or agent.device


def _of_agent(found: list[GpuFacts], agent: Agent, among: int) -> GpuFacts | None:
    free = [gpu for gpu in found if gpu.agent is None]
    if agent.address:
        at = [gpu for gpu in free if gpu.address and gpu.address[4:] == agent.address[4:]]
        if at:
            return at[0]
        free = [gpu for gpu in free if gpu.address is None]
    if agent.node is not None:
        for gpu in free:
            if gpu.node is not None and gpu.node.number == agent.node:
                return gpu
    same_gfx = [gpu for gpu in free if gpu.gfx is not None and gpu.gfx == agent.gfx]
    same_device = [gpu for gpu in free if gpu.device is not None and gpu.device == agent.device]
    for candidates in (same_device, same_gfx):
        if len(candidates) == 1:
            return candidates[0]
    gpu = _only(free, among=among)
    return gpu if gpu is not None and gpu.gfx in (None, agent.gfx) else None


def _add_smi(found: list[GpuFacts], smi: Smi) -> None:
    for gpu in smi.gpus:
        match = _at(found, gpu.address) if gpu.address else None
        if match is None:
            free = [known for known in found if known.smi is None]
            same = [known for known in free if known.device and known.device == gpu.device]
            match = same[0] if same else _only(free, among=len(smi.gpus))
        if match is None and len(found) >= len(smi.gpus) and not gpu.address:
            continue  # one of those known, but which one is not said
        if match is None:
            key = gpu.address or _unused(found, gpu.index or 0)
            match = GpuFacts(key=key, address=gpu.address)
            found.append(match)
        match.smi = gpu
        match.device = match.device or gpu.device


def _add_log_devices(found: list[GpuFacts], log: tuple[str, ...]) -> None:
    """Device ids that the KFD names without an address."""
    named: list[str] = []
    for line in log:
        match = _LOG_DEVICE.search(line)
        if match and match[1].lower() not in named:
            named.append(match[1].lower())
    for device in named:
        if any(gpu.device == device for gpu in found):
            continue
        nameless = [gpu for gpu in found if gpu.device is None]
        gpu = _only(nameless, among=1)
        if gpu is None:
            gpu = GpuFacts(key=_unused(found, len(found) + 1))
            found.append(gpu)
        gpu.device = device


def _add_lone_folder(snapshot: Snapshot, found: list[GpuFacts]) -> None:
    """A card of /sys/class/drm without a PCI address: that of the only GPU without a folder."""
    root = "/sys/class/drm"
    folders = [
        f"{root}/{name}/device"
        for name in snapshot.children(root)
        if re.fullmatch(r"card\d{1,3}", name)
        and snapshot.children(f"{root}/{name}/device")
        and snapshot.real_folder(f"{root}/{name}/device").startswith(root)
    ]
    if len(folders) != 1:
        return
    gpu = _only([gpu for gpu in found if gpu.folder is None], among=1)
    if gpu is not None:
        gpu.folder = folders[0]


def _add_lone_memory(found: list[GpuFacts], topology: Kfd) -> None:
    """GPU memory of a node of which nothing else is known: that of the only GPU without a node."""
    loose = [node for node in topology.nodes if not node.is_proven]
    gpu = _only([gpu for gpu in found if gpu.node is None], among=1)
    if len(loose) == 1 and gpu is not None and len(found) == 1:
        gpu.node = loose[0]


def _at(found: list[GpuFacts], address: str | None) -> GpuFacts | None:
    return next((gpu for gpu in found if gpu.address == address), None)


def _only(candidates: list[GpuFacts], among: int) -> GpuFacts | None:
    """The one candidate, where one thing is to be matched: two on a side would be a guess."""
    return candidates[0] if len(candidates) == 1 and among == 1 else None


def _unused(found: list[GpuFacts], number: int) -> str:
    keys = {gpu.key for gpu in found}
    while f"agent:{number}" in keys:
        number += 1
    return f"agent:{number}"


# --- what follows from all sources ----------------------------------------------------------------


def _complete(
    snapshot: Snapshot, gpu: GpuFacts, found: list[GpuFacts], log: tuple[str, ...]
) -> None:
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


def _is_about(gpu: GpuFacts, line: str, *, is_only: bool) -> bool:
    addresses = _LOG_ADDRESS.findall(line)
    if addresses:
        return gpu.address in addresses
    match = _LOG_DEVICE.search(line)
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
