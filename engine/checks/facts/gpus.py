"""The machine's AMD GPUs: which there are, from every source that mentions one.

sysfs, KFD, rocminfo, rocm-smi, lspci and the kernel's log each know other things, under other
names. Here they are matched: by PCI address, else by device id, else where one is left on both
sides. Separate from the sources, which know nothing of each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.checks import device_table, values
from engine.checks.facts import gpu_details, pci, printed
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.facts.kfd import Kfd
from engine.checks.facts.pci import AMD
from engine.checks.facts.printed import Agent, LspciDevice, RocmInfo, Smi
from engine.checks.snapshot import Presence, Snapshot


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
        gpu_details.complete(snapshot, gpu, found, log)
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
    pattern = re.compile("|".join(mark.format(gpu_details.LOG_ADDRESS.pattern) for mark in marks))
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
        match = gpu_details.LOG_DEVICE.search(line)
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
