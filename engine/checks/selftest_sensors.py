"""What the kernel says of the GPU while it works: clocks, power, temperature, free memory.

Separate from the steps because it reads files, not tensors. Everything may be missing (an old
kernel, a virtual machine, a processor without sensors): what is missing is None and never an error.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.checks.facts.software import VISIBILITY

_NODES = "sys/class/kfd/kfd/topology/nodes"
_DEVICES = "sys/bus/pci/devices"
_INTERVAL_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One look at the sensors: degrees Celsius, watts, megahertz."""

    temperature_c: float | None = None
    power_w: float | None = None
    core_mhz: float | None = None
    memory_mhz: float | None = None


@dataclass(slots=True)
class GpuSensors:
    """The files of one AMD GPU in /sys; `folder` is its PCI device's."""

    folder: Path

    def read(self) -> Reading:
        """What the sensors say now; the hottest of several temperatures."""
        return Reading(
            temperature_c=_scaled(self._all("temp*_input"), 1e3),
            power_w=_scaled(self._all("power1_average") or self._all("power1_input"), 1e6),
            core_mhz=_scaled(self._all("freq1_input"), 1e6),
            memory_mhz=_scaled(self._all("freq2_input"), 1e6),
        )

    def free_bytes(self) -> int | None:
        """The card's memory that nobody uses."""
        total = _number(self.folder / "mem_info_vram_total")
        used = _number(self.folder / "mem_info_vram_used")
        return None if total is None or used is None else total - used

    def pci_id(self) -> tuple[str, str]:
        """Device and revision as in the table of devices: `7551`, `c0`; empty when unknown."""
        names = ("device", "revision")
        device, revision = (_text(self.folder / name).removeprefix("0x") for name in names)
        return device, revision

    def _all(self, pattern: str) -> list[int]:
        files = sorted(self.folder.glob(f"hwmon/hwmon*/{pattern}"))
        return [value for file in files if (value := _number(file)) is not None]


@dataclass(slots=True)
class CpuSensors:
    """The processor's: temperature and clock, where the machine shows them."""

    root: Path

    def read(self) -> Reading:
        zones = sorted(self.root.glob("sys/class/thermal/thermal_zone*/temp"))
        clocks = sorted(self.root.glob("sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq"))
        return Reading(
            temperature_c=_scaled([v for file in zones if (v := _number(file)) is not None], 1e3),
            core_mhz=_scaled([v for file in clocks if (v := _number(file)) is not None], 1e3),
        )


@dataclass(slots=True)
class NoSensors:
    """A device of which nothing can be read."""

    def read(self) -> Reading:
        return Reading()


Sensors = GpuSensors | CpuSensors | NoSensors


def gpu_sensors(
    index: int, root: Path = Path("/"), environment: Mapping[str, str] = os.environ
) -> GpuSensors | None:
    """The sensors of the GPU that HIP numbers `index`; None if that cannot be told."""
    folders = _visible_folders(root, environment) or []
    return GpuSensors(folders[index]) if index < len(folders) else None


def index_of(
    address: str, root: Path = Path("/"), environment: Mapping[str, str] = os.environ
) -> int | None:
    """The number that HIP gives the GPU at this PCI address; None if that cannot be told.

    The first one, where several nodes share an address (partitions).
    """
    names = [folder.name for folder in _visible_folders(root, environment) or []]
    return names.index(address) if address in names else None


def _visible_folders(root: Path, environment: Mapping[str, str]) -> list[Path] | None:
    """The PCI folders of the GPUs that HIP sees, in its order; None if that cannot be told.

    HIP numbers the GPUs of the kernel's topology in order, after one of the variables has chosen
    among them. Several at once, and GPU_DEVICE_ORDINAL at all, act differently from one version of
    ROCm to the next: a number that may be another card's must not be told.
    """
    folders = _gpu_folders(root)
    variables = [name for name in VISIBILITY if name in environment]
    if not variables:
        return folders
    if len(variables) > 1 or variables == ["GPU_DEVICE_ORDINAL"]:
        return None
    return _chosen(environment[variables[0]], folders)


def _gpu_folders(root: Path) -> list[Path]:
    """The PCI folders of all GPUs that the kernel's compute driver knows, in its order."""
    nodes = [path for path in (root / _NODES).glob("*") if path.name.isdecimal()]
    folders = []
    for node in sorted(nodes, key=lambda path: int(path.name)):
        properties = dict(re.findall(r"^(\w+) (\d+)$", _text(node / "properties"), re.MULTILINE))
        if int(properties.get("simd_count", 0)) > 0:
            location = int(properties.get("location_id", 0))
            domain, bus, device = int(properties.get("domain", 0)), location >> 8, location & 0xFF
            address = f"{domain:04x}:{bus:02x}:{device >> 3:02x}.{device & 7}"
            folders.append(root / _DEVICES / address)
    return folders


def _chosen(value: str, folders: list[Path]) -> list[Path] | None:
    """The folders that a variable such as `1,0` chooses; None if it names them otherwise."""
    numbers = [word.strip() for word in value.split(",")]
    if not all(word.isdecimal() and int(word) < len(folders) for word in numbers):
        return None
    return [folders[int(word)] for word in numbers]


@dataclass(slots=True)
class Watch:
    """Reads the sensors twice a second, on a thread of its own, while it is open."""

    sensors: Sensors
    readings: list[Reading] = field(default_factory=list)
    _closed: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Watch:
        self._thread = threading.Thread(target=self._run, name="sensors", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            self.readings.append(self.sensors.read())
            if self._closed.wait(_INTERVAL_S):
                return

    def highest(self, value: Callable[[Reading], float | None]) -> float | None:
        """The largest reading of one sensor."""
        return max(self._known(value), default=None)

    def mean(self, value: Callable[[Reading], float | None]) -> float | None:
        """The mean reading of one sensor."""
        known = self._known(value)
        return sum(known) / len(known) if known else None

    def _known(self, value: Callable[[Reading], float | None]) -> list[float]:
        return [known for reading in self.readings if (known := value(reading)) is not None]


def _text(path: Path) -> str:
    """A small file of the kernel's; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(65536).decode("utf-8", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if re.fullmatch(r"-?\d{1,18}", text) else None


def _scaled(values: list[int], unit: float) -> float | None:
    return max(values) / unit if values else None
