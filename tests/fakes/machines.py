"""Machines made of a few facts, for tests of the check; and those that were recorded.

`healthy()` is a complete desktop computer with one Radeon AI PRO R9700, every row of which passes:
a test changes what it is about, and so shows what that change alone does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from engine.checks import judge, recorded
from engine.checks.machine_check import MachineChecker
from engine.checks.selftest import SelfTest
from engine.checks.snapshot import Node, Process, Snapshot
from engine.port import CheckResult, Report

RECORDED = Path(__file__).parents[1] / "machines"
NAMES = sorted(folder.name for folder in RECORDED.iterdir() if folder.is_dir())

CARD = "/sys/bus/pci/devices/0000:03:00.0"
KFD_NODE = "/sys/class/kfd/kfd/topology/nodes/1"
GIB = 2**30

LINE = "0x{0:016x} 0x{1:016x} 0x{2:016x}"
EMPTY = LINE.format(0, 0, 0)


def resource(start: int, size: int, flags: int = 0x14220C) -> str:
    """A `resource` file whose first aperture is this."""
    return "\n".join([LINE.format(start, start + size - 1, flags), *[EMPTY] * 12])


FILES: dict[str, str] = {
    "/etc/os-release": 'ID=ubuntu\nVERSION_ID="24.04"',
    "/proc/version": "Linux version 6.14.0-29-generic",
    "/proc/cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=12 ro quiet splash",
    "/proc/cpuinfo": "model name : AMD Ryzen 9\nflags : fpu vme de pse tsc msr pae mce cx8 apic",
    "/proc/meminfo": "MemTotal: 65000000 kB\nMemAvailable: 60000000 kB",
    "/proc/self/uid_map": "         0          0 4294967295",
    "/sys/class/dmi/id/sys_vendor": "ASUS",
    "/sys/class/dmi/id/board_vendor": "ASUSTeK COMPUTER INC.",
    "/sys/class/dmi/id/bios_version": "3402",
    "/sys/module/amdgpu/initstate": "live",
    "/opt/rocm/.info/version": "7.1.1-38",
    f"{CARD}/vendor": "0x1002",
    f"{CARD}/device": "0x7551",
    f"{CARD}/revision": "0xc0",
    f"{CARD}/class": "0x030000",
    f"{CARD}/resource": resource(0x7000000000, 32 * GIB),
    f"{CARD}/mem_info_vram_total": str(32 * GIB - 48 * 2**20),
    f"{CARD}/mem_info_vis_vram_total": str(32 * GIB - 48 * 2**20),
    f"{CARD}/mem_info_vram_used": str(300 * 2**20),
    f"{CARD}/vbios_version": "113-APM6869",
    f"{CARD}/current_link_speed": "32.0 GT/s PCIe",
    f"{CARD}/current_link_width": "16",
    "/sys/bus/pci/devices/0000:02:00.0/vendor": "0x1002",
    "/sys/bus/pci/devices/0000:02:00.0/class": "0x060400",
    "/sys/bus/pci/devices/0000:01:00.0/vendor": "0x1002",
    "/sys/bus/pci/devices/0000:01:00.0/class": "0x060400",
    "/sys/bus/pci/devices/0000:01:00.0/current_link_speed": "32.0 GT/s PCIe",
    "/sys/bus/pci/devices/0000:01:00.0/current_link_width": "16",
    "/sys/bus/pci/devices/0000:01:00.0/max_link_width": "16",
    "/sys/bus/pci/devices/0000:00:01.1/vendor": "0x1022",
    "/sys/bus/pci/devices/0000:00:01.1/class": "0x060400",
    "/sys/bus/pci/devices/0000:00:01.1/max_link_width": "16",
    "/sys/class/kfd/kfd/topology/nodes/0/properties": "cpu_cores_count 16\nsimd_count 0",
    f"{KFD_NODE}/properties": (
        "cpu_cores_count 0\nsimd_count 128\nsimd_per_cu 2\ngfx_target_version 120001\n"
        "location_id 768\ndomain 0\ndevice_id 30033\ndrm_render_minor 128\ncapability 134217728"
    ),
    f"{KFD_NODE}/io_links/0/properties": "type 2\nnode_from 1\nnode_to 0\nflags 1",
}

NODES: dict[str, Node] = {
    "/sys/bus/pci/devices": Node(type="dir", is_complete=True),
    CARD: Node(
        type="link",
        target="../../../devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0",
    ),
    "/sys/bus/pci/devices/0000:01:00.0": Node(
        type="link", target="../../../devices/pci0000:00/0000:00:01.1/0000:01:00.0"
    ),
    f"{CARD}/driver": Node(type="link", target="../../../bus/pci/drivers/amdgpu"),
    f"{CARD}/iommu_group": Node(type="link", target="../../../../kernel/iommu_groups/15"),
    "/sys/class/iommu/ivhd0": Node(type="link"),
    "/sys/class/kfd/kfd/topology/nodes": Node(type="dir", is_complete=True),
    "/dev": Node(type="dir", is_complete=True),
    "/dev/dri": Node(type="dir", is_complete=True),
    "/dev/kfd": Node(type="char", open="OK", group="render", mode=0o660),
    "/dev/dri/renderD128": Node(type="char", open="OK", group="render", mode=0o660),
    "/sys/firmware/efi": Node(type="dir"),
    "/.dockerenv": Node(type="absent"),
    "/run/.containerenv": Node(type="absent"),
}

PADDLE = {
    "version": "3.3.1",
    "is_compiled_with_rocm": True,
    "is_compiled_with_cuda": False,
    "device": "gpu:0",
    "device_count": 1,
    "gfx": ["gfx1100", "gfx1201"],
}

BOOT_LOG = (
    "[    0.000000] Linux version 6.14.0-29-generic (buildd@host) #29\n"
    "[    3.000000] kfd kfd: amdgpu: Allocated 3969056 bytes on gart\n"
    "[    3.100000] [drm] Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 1\n"
)

HEALTHY = Snapshot(
    files={path: text.encode() for path, text in FILES.items()},
    nodes=NODES,
    process=Process(
        sysname="Linux",
        machine="x86_64",
        release="6.14.0-29-generic",
        groups=("<user>", "render"),
        groups_configured=("<user>", "render"),
        env={},
    ),
    commands={"paddle.json": json.dumps(PADDLE), "dmesg.txt": BOOT_LOG},
)


def healthy(
    *,
    files: Mapping[str, str | None] | None = None,
    nodes: Mapping[str, Node | None] | None = None,
    commands: Mapping[str, str | None] | None = None,
    **process: object,
) -> Snapshot:
    """The healthy machine with other or additional entries; None takes one away."""
    encoded = {p: None if t is None else t.encode() for p, t in (files or {}).items()}
    return replace(
        HEALTHY,
        files=_changed(HEALTHY.files, encoded),
        nodes=_changed(HEALTHY.nodes, nodes or {}),
        commands=_changed(HEALTHY.commands, commands or {}),
        process=replace(HEALTHY.process, **process),
    )


def _changed(before: Mapping, changes: Mapping) -> dict:
    merged = {**before, **changes}
    return {name: found for name, found in merged.items() if found is not None}


def recorded_machine(name: str) -> Snapshot:
    """A machine of tests/machines."""
    return recorded.load(RECORDED / name / "snapshot")


def rows(snapshot: Snapshot, check: str) -> list[CheckResult]:
    """All rows of one id."""
    return [row for row in judge.judge(snapshot).checks if row.id == check]


def row(snapshot: Snapshot, check: str) -> CheckResult:
    """The only row of one id."""
    (found,) = rows(snapshot, check)
    return found


def verdict(snapshot: Snapshot, check: str) -> str:
    return row(snapshot, check).verdict.value


def verdicts(report: Report) -> dict[tuple[str, str | None], str]:
    return {(check.id, check.gpu): check.verdict.value for check in report.checks}


class PretendedSelfTest(SelfTest):
    """A real process that computes nothing (see `scripted_selftest_child`); the machine's chosen
    GPU is the first one.
    """

    def __init__(self) -> None:
        super().__init__(child="tests.fakes.scripted_selftest_child")

    def index_of(self, gpu: str) -> int:
        return 0


class PretendedMachine(MachineChecker):
    """The check of a machine that is not this one, as if it were: decisions about it are kept.

    `snapshot` may be replaced: an update of the driver, say. `probes` counts questions to
    PaddlePaddle, which are answered by what the snapshot holds.
    """

    def __init__(self, snapshot: Snapshot, folder: Path) -> None:
        super().__init__(state_folder=folder / "state", cache_folder=folder / "cache")
        self.snapshot = snapshot
        self.probes = 0

    def _snapshot(self, place: Path | None, *, probe: bool) -> Snapshot:
        if place is not None:
            return super()._snapshot(place, probe=probe)
        self.probes += probe
        commands = {n: t for n, t in self.snapshot.commands.items() if probe or n != "paddle.json"}
        return replace(self.snapshot, is_live=True, commands=commands)
