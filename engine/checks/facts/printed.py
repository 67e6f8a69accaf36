"""What programs printed about the GPUs: lspci, rocminfo, rocm-smi and amd-smi.

Evidence of its own where sysfs is not in the snapshot, since this is what people paste. Listings
may be excerpts: a device or line that is missing says nothing. None of these programs is ever run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.checks import values

_DISPLAY = (
    "vga compatible controller", "3d controller", "display controller", "processing accelerators",
)  # fmt: skip
_VENDORS = {
    "1002": ("advanced micro devices", "[amd/ati]", "ati technologies"),
    "10de": ("nvidia",),
    "8086": ("intel",),
    "15ad": ("vmware",),
    "1af4": ("red hat", "virtio"),
    "1234": ("bochs", "qemu"),
    "1b36": ("qxl",),
    "1a03": ("aspeed",),
    "102b": ("matrox",),
    "1013": ("cirrus",),
    "1414": ("microsoft",),
}


@dataclass(slots=True, kw_only=True)
class LspciDevice:
    """A device of `lspci`, any verbosity. `driver` is "" where -k showed that none is bound."""

    address: str
    kind: str
    name: str
    vendor: str | None
    device: str | None
    revision: str | None
    class_code: int | None
    driver: str | None = None
    iommu_group: str | None = None
    memory: list[tuple[int | None, int]] = field(default_factory=list[tuple[int | None, int]])
    link: tuple[float, int] | None = None
    link_maximum: tuple[float, int] | None = None
    has_acs_redirect: bool | None = None
    has_atomics: bool | None = None
    secondary_bus: str | None = None
    is_capability_hidden: bool = False

    @property
    def is_display(self) -> bool:
        if self.class_code is not None:
            return self.class_code >> 8 in (0x03, 0x12)
        return self.kind.lower().startswith(_DISPLAY)


_SLOT = re.compile(
    r"^(?P<slot>(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[01][0-9a-fA-F]\.[0-7]) "
    r"(?P<kind>[^:\[]+?)\s*(?:\[(?P<class>[0-9a-fA-F]{4})\])?: (?P<name>.*)$"
)
_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def lspci(text: str) -> tuple[LspciDevice, ...]:
    devices: list[LspciDevice] = []
    for line in text.splitlines():
        match = _SLOT.match(line.strip()) if line[:1] not in (" ", "\t") else None
        if match:
            devices.append(_device(match))
        elif devices:
            _detail(devices[-1], line.strip())
    return tuple(devices)


def _device(match: re.Match[str]) -> LspciDevice:
    name = match["name"]
    ids = re.findall(r"\[([0-9a-fA-F]{4}):([0-9a-fA-F]{4})\]", name)
    revision = re.search(r"\(rev ([0-9a-fA-F]{2})\)", name)
    vendor = ids[-1][0].lower() if ids else None
    if vendor is None:
        lower = name.lower()
        found = (key for key, words in _VENDORS.items() if any(word in lower for word in words))
        vendor = next(found, None)
    return LspciDevice(
        address=values.pci_address(match["slot"]) or match["slot"],
        kind=match["kind"],
        name=re.sub(r"\s*(\[[0-9a-fA-F]{4}:[0-9a-fA-F]{4}\]|\(rev [0-9a-fA-F]{2}\)).*", "", name),
        vendor=vendor,
        device=ids[-1][1].lower() if ids else None,
        revision=revision[1].lower() if revision else None,
        class_code=int(match["class"], 16) if match["class"] else None,
    )


def _detail(device: LspciDevice, line: str) -> None:
    if match := re.match(r"Kernel driver in use: (\S+)", line):
        device.driver = match[1]
    elif line.startswith("Kernel modules:") and device.driver is None:
        device.driver = ""  # lspci -k names the driver before the modules
    elif re.search(r"Memory at <(unassigned|ignored)> \(64-bit, prefetchable\)", line):
        device.memory.append((None, 0))
    elif match := re.search(r"IOMMU group:? (\d+)", line):
        device.iommu_group = match[1]
    elif match := re.search(
        r"[Mm]emory at (\w+) \(64-bit, prefetchable\).*\[size=(\d+)(\w)\]", line
    ):
        if set(match[1]) <= set("0123456789abcdef") and match[3] in _UNITS:
            device.memory.append((int(match[1][:16], 16), int(match[2][:9]) * _UNITS[match[3]]))
    elif match := re.match(r"LnkSta:\s*Speed ([\d.]+)GT/s.*?Width x(\d+)", line):
        device.link = float(match[1][:5]), int(match[2][:3])
    elif match := re.match(r"LnkCap:.*?Speed ([\d.]+)GT/s.*?Width x(\d+)", line):
        device.link_maximum = float(match[1][:5]), int(match[2][:3])
    elif match := re.match(r"ACSCtl:.*ReqRedir([+-])", line):
        device.has_acs_redirect = match[1] == "+"
    elif match := re.search(r"AtomicOpsCtl: ReqEn([+-])", line):
        device.has_atomics = match[1] == "+"
    elif match := re.search(r"secondary=([0-9a-fA-F]{2})", line):
        device.secondary_bus = match[1].lower()
    elif "<access denied>" in line:
        device.is_capability_hidden = True


# --- rocminfo -------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Agent:
    """An HSA agent. `number` is rocminfo's own, None in an excerpt without its heading."""

    number: int | None
    gfx: str | None = None
    is_gpu: bool | None = None
    marketing_name: str | None = None
    device: str | None = None
    address: str | None = None
    node: int | None = None
    compute_units: int | None = None
    memory: int | None = None
    is_apu: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RocmInfo:
    """What rocminfo said. `open_error` is the errno's name of its failure to open /dev/kfd."""

    agents: tuple[Agent, ...] = ()
    is_complete: bool = False
    open_error: str | None = None
    is_module_loaded: bool | None = None
    module_version: str | None = None

    @property
    def gpus(self) -> tuple[Agent, ...]:
        return tuple(agent for agent in self.agents if agent.is_gpu)

    @property
    def has_cpu_agents_only(self) -> bool:
        return bool(self.agents) and all(agent.is_gpu is False for agent in self.agents)


_ERRNO = {
    "No such file": "ENOENT",
    "Permission denied": "EACCES",
    "Operation not permitted": "EPERM",
    "Invalid argument": "EINVAL",
    "Cannot allocate memory": "ENOMEM",
    "Device or resource busy": "EBUSY",
    "No such device": "ENXIO",
}
_GFX = re.compile(r"gfx[0-9]{1,3}[0-9a-f]{2}\b")


def rocminfo(text: str) -> RocmInfo:
    agents: list[Agent] = []
    current = Agent(number=None)
    is_global_pool = False
    for raw in text.splitlines():
        line = raw.strip()
        if match := re.fullmatch(r"Agent (\d{1,4})", line):
            agents.append(current)
            current = Agent(number=int(match[1]))
        elif line.startswith("Segment:"):
            is_global_pool = "GLOBAL" in line
        elif ":" in line:
            _agent_line(current, line, is_global_pool=is_global_pool)
    agents.append(current)
    open_error = re.search(r"Unable to open /dev/kfd read-write: ([A-Z][a-z ]+)", text)
    module = re.search(r"ROCk module( version \S+)? is (NOT )?loaded", text)
    return RocmInfo(
        agents=tuple(agent for agent in map(_settled, agents) if agent is not None),
        is_complete="*** Done ***" in text,
        open_error=_errno_of(open_error[1]) if open_error else None,
        is_module_loaded=None if module is None else module[2] is None,
        module_version=(module[1] or "").split()[-1] if module and module[1] else None,
    )


def _errno_of(words: str) -> str:
    return next((name for start, name in _ERRNO.items() if words.startswith(start)), "EIO")


def _agent_line(agent: Agent, line: str, *, is_global_pool: bool) -> None:
    key, _, found = (part.strip() for part in line.partition(":"))
    number = values.whole(found.partition("(")[0].strip())
    if key == "Name" and (match := _GFX.search(found)):
        agent.gfx = agent.gfx or match[0]
    elif key == "Marketing Name" and found:
        agent.marketing_name = found
    elif key == "Device Type":
        agent.is_gpu = found == "GPU"
    elif key == "Chip ID":
        agent.device = f"{number:04x}" if number is not None and 0 < number < 65536 else None
    elif key == "BDFID" and number:
        agent.address = values.pci_address_of(number)
    elif key in ("Node", "Internal Node ID") and number is not None:
        agent.node = number
    elif key == "Compute Unit" and number is not None:
        agent.compute_units = number
    elif key == "Memory Properties":
        agent.is_apu = "APU" in found
    elif key == "Size" and is_global_pool and number and found.endswith("KB"):
        size = number * 1024
        agent.memory = max(agent.memory or 0, size) if size < values.MAX_GPU_MEMORY else None


def _settled(agent: Agent) -> Agent | None:
    """The agent with its kind decided, or None for one of which nothing is known."""
    says_gpu = bool(agent.gfx or agent.device or agent.address or agent.is_apu)
    if agent.is_gpu is None and says_gpu:
        agent.is_gpu = True
    is_known = agent.is_gpu is not None or agent.marketing_name or agent.number is not None
    return agent if is_known else None


# --- rocm-smi, amd-smi ----------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class SmiGpu:
    """A GPU of rocm-smi or amd-smi."""

    index: int | None = None
    address: str | None = None
    name: str | None = None
    device: str | None = None
    memory: int | None = None
    compute_partition: str | None = None
    memory_partition: str | None = None
    gfx: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Smi:
    gpus: tuple[SmiGpu, ...] = ()
    rocm_version: str | None = None
    is_driver_missing: bool = False


def smi(text: str) -> Smi:
    by_index: dict[int, SmiGpu] = {}
    by_address: dict[str, SmiGpu] = {}
    has_table = False
    for line in text.splitlines():
        if match := re.match(r"GPU\[(\d{1,3})\]\s*: (.*)", line.strip()):
            gpu = by_index.setdefault(int(match[1]), SmiGpu(index=int(match[1])))
            _smi_line(gpu, match[2])
        elif re.match(r"\s*(GPU|Device)\s+.*(SCLK|AvgPwr|Temp|VRAM|Power)", line):
            has_table = True
        elif has_table and (match := re.match(r"\s*(\d{1,3})\s+\S", line)):
            gpu = by_index.setdefault(int(match[1]), SmiGpu(index=int(match[1])))
            if ids := re.search(r"\b0x([0-9a-fA-F]{4}),", line):
                gpu.device = gpu.device or ids[1].lower()
        elif match := re.match(r"\W*([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[01]\w\.[0-7])\s+(.*)", line):
            _amd_smi_line(by_address, match[1].lower(), match[2])
    version = re.search(r"ROCm version: (\d\S*)", text)
    return Smi(
        gpus=(*by_index.values(), *by_address.values()),
        rocm_version=version[1] if version else None,
        is_driver_missing="amdgpu not found in modules" in text,
    )


def _smi_line(gpu: SmiGpu, text: str) -> None:
    key, _, found = (part.strip() for part in text.partition(":"))
    lower = key.lower()
    if lower in ("device name", "card series", "card model", "market name"):
        if found.startswith("0x"):
            gpu.device = gpu.device or values.hex_id(found)
        else:
            gpu.name = gpu.name or found
    elif lower in ("device id", "gpu id"):
        gpu.device = values.hex_id(found) or gpu.device
    elif lower == "pci bus":
        gpu.address = values.pci_address(found)
    elif lower == "compute partition":
        gpu.compute_partition = found
    elif lower == "memory partition":
        gpu.memory_partition = found
    elif lower == "gfx version":
        gpu.gfx = match[0] if (match := _GFX.search(found)) else None
    elif lower.startswith("vram total memory"):
        gpu.memory = values.memory(found, values.MAX_GPU_MEMORY)


def _amd_smi_line(known: dict[str, SmiGpu], address: str, text: str) -> None:
    memory = re.search(r"\b\d+/(\d{1,8}) M", text)
    name = re.match(r"((?:AMD |Radeon |Instinct )\S.*?)(?:\s{2,}|$)", text)
    gpu = known.setdefault(address, SmiGpu(address=address))
    gpu.name = name[1].strip() if name else gpu.name
    gpu.memory = int(memory[1]) * 2**20 if memory else gpu.memory
