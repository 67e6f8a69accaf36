"""This machine, looked at without root, without starting a program, in well under a second.

Beside `kernel_log` the only module that touches /sys, /proc and /dev. It collects everything that a
rule may ask for into one `Snapshot`, so that the live check and the bundle judge the same facts.
Files here can vanish, be endless, be unreadable or block: each is opened without blocking, read up
to a limit, and an error becomes the recorded fact. Of what identifies the machine or its owner,
serial numbers and unique ids are never read; the rest is taken out of a bundle (`redaction`).
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import grp
import os
import pwd
import stat
import time
from collections.abc import Sequence

from engine.checks import kernel_log
from engine.checks.snapshot import Node, Process, Snapshot

MAX_BYTES = 256 * 2**10
"""Of one file: config.gz and the longest KFD listing are below."""

MAX_CHILDREN = 4096
TIME_LIMIT_S = 0.8
"""After this the rest is left out, and so unknown; it takes 20 to 100 ms usually."""

ENVIRONMENT = (
    "HIP_*", "ROCR_*", "HSA_*", "ROCM_*", "MIOPEN_*", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
    "LD_LIBRARY_PATH", "AMD_LOG_LEVEL", "FLAGS_*", "NCCL_*", "RCCL_*", "container",
)  # fmt: skip
"""Names of the variables that bear on the GPU; no other variable is read."""

_PLAIN_FILES = (
    "/proc/cmdline", "/proc/version", "/proc/meminfo", "/proc/devices", "/proc/config.gz",
    "/proc/self/uid_map", "/proc/1/cgroup", "/proc/self/cgroup",
    "/proc/sys/kernel/dmesg_restrict", "/proc/sys/kernel/numa_balancing",
    "/etc/os-release", "/.dockerenv", "/run/.containerenv", "/sys/hypervisor/type",
    "/sys/module/amdgpu/initstate", "/sys/module/amdgpu/version", "/sys/module/radeon/initstate",
    "/sys/module/pcie_aspm/parameters/policy", "/sys/fs/cgroup/memory.max",
    "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
)  # fmt: skip
_DMI = (
    "sys_vendor", "product_name", "board_vendor", "board_name", "bios_vendor", "bios_version",
    "bios_date",
)  # fmt: skip
_EVERY_DEVICE = ("vendor", "device", "class")
_BRIDGE = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width")
_GPU = (
    *_BRIDGE, "revision", "subsystem_vendor", "subsystem_device", "resource", "resource0_resize",
    "mem_info_vram_total", "mem_info_vram_used", "mem_info_vis_vram_total", "mem_info_gtt_total",
    "mem_info_vram_vendor", "vbios_version", "board_info", "numa_node", "power_state",
    "power/runtime_status", "power_dpm_force_performance_level", "current_compute_partition",
    "current_memory_partition", "sriov_totalvfs", "sriov_numvfs", "aer_dev_fatal",
    "aer_dev_nonfatal", "aer_dev_correctable", "pcie_replay_count", "uma/carveout_options",
)  # fmt: skip
_GPU_AWAKE = ("gpu_busy_percent", "pp_dpm_sclk", "pp_dpm_mclk", "pp_dpm_pcie")
"""Reading these wakes a card that sleeps, so they are read only while it is awake."""

_HWMON = ("name", "temp*_input", "temp*_label", "power1_average", "power1_input", "power1_cap")
_ROCM_ROOT = (".info/version", ".info/version-dev", ".info/version-utils")


def is_recorded(name: str) -> bool:
    """Whether this environment variable bears on the GPU."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in ENVIRONMENT)


def look(*, log: bool = True) -> Snapshot:
    """The machine now. `log`: read the kernel's log too, where the user may."""
    return _Collector().collect(log=log)


class _Collector:
    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._nodes: dict[str, Node] = {}
        self._deadline = time.monotonic() + TIME_LIMIT_S

    def collect(self, *, log: bool) -> Snapshot:
        process = _process()
        self._plain(process.release or "")
        self._devices()
        self._pci()
        self._drm()
        self._kfd()
        self._iommu()
        self._software(process.env or {})
        text = kernel_log.read() if log else None
        return Snapshot(
            files=self._files,
            nodes=self._nodes,
            process=process,
            commands={} if text is None else {"dmesg.txt": text},
            is_live=True,
        )

    # --- one path ---------------------------------------------------------------------------------

    def _read(self, path: str) -> bytes | None:
        """Record a file's content, or why there is none."""
        if time.monotonic() > self._deadline:
            return None
        try:
            content = _content(path)
        except OSError as error:
            name = errno.errorcode.get(error.errno or 0, "EIO")
            is_gone = name in ("ENOENT", "ENOTDIR", "ENODEV", "ENXIO")
            self._nodes[path] = Node(type="absent") if is_gone else Node(type="file", open=name)
            return None
        if content is not None:
            self._files[path] = content
        return content

    def _link(self, path: str) -> str | None:
        try:
            target = os.readlink(path)  # noqa: PTH115 - paths here are text, as recorded
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR):
                self._nodes[path] = Node(type="absent")
            return None
        self._nodes[path] = Node(type="link", target=target)
        return target

    def _list(self, path: str, patterns: Sequence[str] = ("*",)) -> list[str]:
        """Record a folder; its listing is complete as far as `patterns` go, which rules ask for."""
        try:
            names = sorted(os.listdir(path))  # noqa: PTH208
        except FileNotFoundError:
            self._nodes[path] = Node(type="absent")
            return []
        except OSError as error:
            self._nodes[path] = Node(type="dir", open=errno.errorcode.get(error.errno or 0, "EIO"))
            return []
        wanted = [name for name in names if any(fnmatch.fnmatch(name, p) for p in patterns)]
        self._nodes[path] = Node(type="dir", is_complete=len(wanted) <= MAX_CHILDREN)
        return wanted[:MAX_CHILDREN]

    def _present(self, path: str) -> None:
        """Record that a child of a listed folder is there, whatever it is."""
        if path not in self._nodes and path not in self._files:
            self._nodes[path] = Node(type="link" if os.path.islink(path) else "dir")  # noqa: PTH114

    def _matching(self, folder: str, patterns: Sequence[str]) -> None:
        """Record the files of a folder whose names match."""
        for name in self._list(folder, patterns):
            self._read(f"{folder}/{name}")

    # --- families of paths ------------------------------------------------------------------------

    def _plain(self, release: str) -> None:
        for path in _PLAIN_FILES:
            self._read(path)
        self._cpuinfo()
        if "/proc/config.gz" not in self._files and release:
            self._read(f"/boot/config-{release}")
            self._read(f"/lib/modules/{release}/config")
        self._list("/sys/class/dmi/id", _DMI)
        for name in _DMI:
            self._read(f"/sys/class/dmi/id/{name}")
        self._list("/sys/firmware", ("efi",))
        if os.path.isdir("/sys/firmware/efi"):  # noqa: PTH112
            self._present("/sys/firmware/efi")
        modules = ("amdgpu", "radeon", "nvidia", "nouveau", "amdkfd")
        for name in self._list("/sys/module", modules):
            self._present(f"/sys/module/{name}")
        self._matching("/sys/module/amdgpu/parameters", ("*",))
        for name in self._list("/etc/modprobe.d", ("*.conf",)):
            self._read(f"/etc/modprobe.d/{name}")

    def _cpuinfo(self) -> None:
        """The first processor's lines only: a server repeats them 256 times."""
        content = self._read("/proc/cpuinfo")
        if content is not None:
            self._files["/proc/cpuinfo"] = content.partition(b"\n\n")[0]

    def _devices(self) -> None:
        for name in self._list("/dev", ("kfd", "dri", "dxg")):
            path = f"/dev/{name}"
            if name == "dri":
                for child in self._list(path, ("card*", "renderD*")):
                    self._device(f"{path}/{child}")
            else:
                self._device(path)

    def _device(self, path: str) -> None:
        """A device node, and whether this process may open it: the only test of a permission."""
        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            return
        self._nodes[path] = Node(
            type="char" if stat.S_ISCHR(status.st_mode) else "file",
            open=_try_open(path) if stat.S_ISCHR(status.st_mode) else None,
            owner=_user_name(status.st_uid),
            group=_group_name(status.st_gid),
            mode=stat.S_IMODE(status.st_mode),
            major=os.major(status.st_rdev),
            minor=os.minor(status.st_rdev),
        )

    def _pci(self) -> None:
        root = "/sys/bus/pci/devices"
        for name in self._list(root):
            path = f"{root}/{name}"
            self._link(path)
            for attribute in _EVERY_DEVICE:
                self._read(f"{path}/{attribute}")
            device_class = self._files.get(f"{path}/class", b"")
            if device_class.startswith((b"0x03", b"0x12")):
                self._gpu(path)
            elif device_class.startswith(b"0x0604"):
                for attribute in _BRIDGE:
                    self._read(f"{path}/{attribute}")

    def _gpu(self, path: str) -> None:
        self._link(f"{path}/driver")
        self._link(f"{path}/iommu_group")
        for attribute in _GPU:
            self._read(f"{path}/{attribute}")
        status = self._files.get(f"{path}/power/runtime_status", b"")
        if status.strip() != b"suspended":
            for attribute in _GPU_AWAKE:
                self._read(f"{path}/{attribute}")
            for name in self._list(f"{path}/hwmon", ("hwmon*",)):
                self._matching(f"{path}/hwmon/{name}", _HWMON)
        self._matching(f"{path}/fw_version", ("*_fw_version",))

    def _drm(self) -> None:
        root = "/sys/class/drm"
        for name in self._list(root, ("card[0-9]*", "renderD*")):
            if "-" not in name:
                self._link(f"{root}/{name}")
                self._link(f"{root}/{name}/device")

    def _kfd(self) -> None:
        root = "/sys/class/kfd/kfd/topology/nodes"
        for node in self._list(root):
            path = f"{root}/{node}"
            for name in ("gpu_id", "name"):
                self._read(f"{path}/{name}")
            self._properties(path)
            for kind in ("mem_banks", "io_links", "p2p_links"):
                for number in self._list(f"{path}/{kind}"):
                    self._properties(f"{path}/{kind}/{number}")

    def _properties(self, folder: str) -> None:
        """A KFD listing without the card's unique id."""
        path = f"{folder}/properties"
        content = self._read(path)
        if content is not None:
            kept = [line for line in content.splitlines() if not line.startswith(b"unique_id")]
            self._files[path] = b"\n".join(kept)

    def _iommu(self) -> None:
        for name in self._list("/sys/class/iommu"):
            self._present(f"/sys/class/iommu/{name}")
        groups = {
            os.path.basename(node.target)  # noqa: PTH119 - of a recorded string
            for path, node in self._nodes.items()
            if path.endswith("/iommu_group") and node.target
        }
        for group in sorted(groups):
            path = f"/sys/kernel/iommu_groups/{group}"
            self._read(f"{path}/type")
            for name in self._list(f"{path}/devices"):
                self._present(f"{path}/devices/{name}")

    def _software(self, env: dict[str, str] | object) -> None:
        roots = ["/opt/rocm"]
        for name in self._list("/opt", ("rocm*", "amdgpu-pro*", "amdgpu")):
            self._present(f"/opt/{name}")
            if name.startswith("rocm-"):
                roots.append(f"/opt/{name}")
        named = env.get("ROCM_PATH", "") if isinstance(env, dict) else ""
        if named.startswith("/"):
            roots.append(named.rstrip("/"))
        for root in dict.fromkeys(roots):
            if not os.path.isdir(root):  # noqa: PTH112
                self._nodes[root] = Node(type="absent")
                continue
            for name in _ROCM_ROOT:
                self._read(f"{root}/{name}")
            self._list(f"{root}/lib/rocblas/library", ("TensileLibrary_lazy_gfx*.dat",))
            self._names(f"{root}/lib/rocblas/library", ("TensileLibrary_lazy_gfx*.dat",))
        for folder in ("/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib"):
            self._names(folder, ("libamdhip64.so*",))
        self._names("/var/lib/dkms", ("amdgpu*",))
        self._names("/usr/src", ("amdgpu-*",))

    def _names(self, folder: str, patterns: Sequence[str]) -> None:
        for name in self._list(folder, patterns):
            self._present(f"{folder}/{name}")


def _content(path: str) -> bytes | None:
    """Up to MAX_BYTES of a regular file; None for what is no file."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        parts: list[bytes] = []
        size = 0
        while size < MAX_BYTES:
            part = os.read(handle, min(MAX_BYTES - size, 65536))
            if not part:
                break
            parts.append(part)
            size += len(part)
        return b"".join(parts)
    finally:
        os.close(handle)


def _try_open(path: str) -> str:
    """`OK`, or the errno's name; the device is closed at once."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "EIO")
    os.close(handle)
    return "OK"


def _process() -> Process:
    system = os.uname()
    user = _user_name(os.getuid())
    gids = sorted({os.getegid(), *os.getgroups()})
    return Process(
        sysname=system.sysname,
        machine=system.machine,
        release=system.release,
        groups=tuple(_masked(_group_name(gid), user) for gid in gids),
        groups_configured=_configured_groups(user),
        env={name: text for name, text in os.environ.items() if is_recorded(name)},
        shm_bytes=_size_of("/dev/shm"),  # noqa: S108 - asked for its size only
    )


def _configured_groups(user: str) -> tuple[str, ...]:
    """The groups of /etc/group, which count from the next login on."""
    names = [entry.gr_name for entry in grp.getgrall() if user in entry.gr_mem]
    with contextlib.suppress(KeyError):  # in containers a user may have no entry
        names.append(_group_name(pwd.getpwnam(user).pw_gid))
    return tuple(_masked(name, user) for name in sorted(set(names)))


def _masked(group: str, user: str) -> str:
    return "<user>" if group == user and user != "root" else group


def _user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group_name(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)


def _size_of(path: str) -> int | None:
    try:
        found = os.statvfs(path)
    except OSError:
        return None
    return found.f_frsize * found.f_blocks
