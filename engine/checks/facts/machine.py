"""The machine around the GPU: platform, distribution, board, kernel, its configuration and log.

Separate from the GPUs' facts, because these hold for the machine as a whole. Each fact is None
where the snapshot does not say.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from engine.checks import values
from engine.checks.snapshot import Presence, Snapshot

_VM_VENDORS = (
    "qemu", "vmware", "innotek", "xen", "google", "amazon ec2", "bochs", "parallels", "kvm",
    "bhyve", "openstack", "nutanix", "red hat", "digitalocean", "hetzner", "alibaba cloud",
    "firecracker", "ovirt", "proxmox",
)  # fmt: skip
_VM_PRODUCTS = ("virtual machine", "kvm", "virtualbox", "vmware", "hvm domu", "standard pc (")
_NOT_LINUX = ("freebsd", "openbsd", "netbsd", "dragonfly", "darwin", "windows", "sunos")
_SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
_PARAMETER = re.compile(r"[A-Za-z_][\w.-]+=\S*|ro|rw|quiet|splash|debug|nomodeset|single")
"""What any command line has one of; without, the file is none."""

_MAX_LOG_LINES = 20_000
_MAX_LINE = 2000
_MAX_CONFIG_BYTES = 2 * 2**20
_WHOLE_CONFIG_LINES = 1000
"""A kernel's configuration has thousands of lines; fewer are an excerpt, where absence says
nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """`is_linux`, `is_wsl`, `is_container`, `is_virtual`: None is "not to be seen"."""

    is_linux: bool | None
    system: str | None
    architecture: str | None
    is_wsl: bool
    is_container: bool | None
    is_virtual: bool | None
    hypervisor: str | None
    distribution: str | None
    distribution_like: tuple[str, ...]
    board_vendor: str | None
    board: str | None
    bios: str | None
    is_uefi: bool | None
    has_secure_boot: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """`config` holds the options found, `has_whole_config` whether absent ones are off;
    `parameters` the command line's words, None if unknown, `has_all_parameters` whether no word
    is missing; `module_options` what /etc/modprobe.d says; `dkms` the out-of-tree driver's version.
    """

    release: str | None
    version: tuple[int, ...] | None
    config: Mapping[str, str] | None
    has_whole_config: bool
    parameters: tuple[str, ...] | None
    has_all_parameters: bool
    module_options: tuple[str, ...]
    is_module_loaded: bool | None
    dkms: str | None
    has_pro_package: bool
    log: tuple[str, ...] | None
    has_whole_log: bool


def platform_of(snapshot: Snapshot, printed: str) -> Platform:
    """`printed` is what programs said, which may name the platform too."""
    os_release = _os_release(snapshot.text("/etc/os-release") or "")
    system = snapshot.process.sysname or _foreign_system(snapshot, os_release)
    sys_vendor = snapshot.text("/sys/class/dmi/id/sys_vendor")
    product = snapshot.text("/sys/class/dmi/id/product_name")
    is_wsl = _is_wsl(snapshot, printed)
    is_virtual, hypervisor = _virtual(snapshot, sys_vendor, product, printed)
    return Platform(
        is_linux=_is_linux(snapshot, system, is_wsl=is_wsl),
        system=system,
        architecture=snapshot.process.machine,
        is_wsl=is_wsl,
        is_container=_is_container(snapshot),
        is_virtual=is_virtual,
        hypervisor=hypervisor,
        distribution=os_release.get("ID"),
        distribution_like=tuple(os_release.get("ID_LIKE", "").split()),
        board_vendor=snapshot.text("/sys/class/dmi/id/board_vendor") or sys_vendor,
        board=snapshot.text("/sys/class/dmi/id/board_name") or product,
        bios=snapshot.text("/sys/class/dmi/id/bios_version"),
        is_uefi=_is_uefi(snapshot),
        has_secure_boot=_secure_boot(snapshot),
    )


def _os_release(text: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip(): found.strip().strip("\"'") for key, _, found in pairs if found}


def _foreign_system(snapshot: Snapshot, os_release: Mapping[str, str]) -> str | None:
    name = os_release.get("ID", "").lower()
    release = snapshot.process.release or ""
    if name in _NOT_LINUX or re.search(r"-(RELEASE|STABLE|CURRENT)\b", release):
        return os_release.get("NAME") or name or "BSD"
    return None


def _is_linux(snapshot: Snapshot, system: str | None, *, is_wsl: bool) -> bool | None:
    if system is not None:
        return system.lower() == "linux"
    version = snapshot.text("/proc/version") or ""
    # Whatever lies in /sys or names a Linux distribution came from a Linux.
    seen = any(path.startswith("/sys/") for path in (*snapshot.files, *snapshot.nodes))
    return True if is_wsl or seen or version.startswith("Linux") else None


def _is_wsl(snapshot: Snapshot, printed: str) -> bool:
    texts = (snapshot.text("/proc/version") or "", snapshot.process.release or "")
    return (
        any("microsoft" in text.lower() for text in texts)
        or snapshot.presence("/dev/dxg") is Presence.PRESENT
        or "WSL environment detected" in printed
    )


def _is_container(snapshot: Snapshot) -> bool | None:
    marks = ("/.dockerenv", "/run/.containerenv")
    if any(snapshot.presence(mark) is Presence.PRESENT for mark in marks):
        return True
    if (snapshot.process.env or {}).get("container"):
        return True
    groups = snapshot.text("/proc/1/cgroup") or ""
    if re.search(r"/(docker|lxc|kubepods|libpod|machine\.slice/libpod)", groups):
        return True
    uids = snapshot.text("/proc/self/uid_map")
    if uids is not None and uids.split() and uids.split() != ["0", "0", "4294967295"]:
        return True
    is_known = all(snapshot.presence(mark) is Presence.ABSENT for mark in marks)
    return False if is_known else None


def _virtual(
    snapshot: Snapshot, vendor: str | None, product: str | None, printed: str
) -> tuple[bool | None, str | None]:
    """Whether this is a virtual machine, and of whom."""
    name = _hypervisor(snapshot, vendor, product, printed)
    if name is not None:
        return True, name
    text = snapshot.text("/proc/cpuinfo") or ""
    match = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    flags = match[1].split() if match else []
    if "hypervisor" in flags:
        return True, None
    is_bare = len(flags) > 5 or bool(vendor) or "Linux Baremetal" in printed
    return (False if is_bare else None), None


def _hypervisor(
    snapshot: Snapshot, vendor: str | None, product: str | None, printed: str
) -> str | None:
    is_chromebook = vendor == "Google" and product and "Compute Engine" not in product
    if vendor and not is_chromebook and any(name in vendor.lower() for name in _VM_VENDORS):
        return vendor
    if product and any(name in product.lower() for name in _VM_PRODUCTS):
        return product
    if named := snapshot.text("/sys/hypervisor/type"):
        return named[:40]
    if match := re.search(r"Hypervisor detected: ([\w -]{1,40})", printed):
        return match[1].strip()
    board = re.search(r"\bDMI: ([^\n]{1,80})", printed)
    names = (*_VM_VENDORS, *_VM_PRODUCTS)
    is_vm = board is not None and any(name in board[1].lower() for name in names)
    return board[1] if board is not None and is_vm else None


def _is_uefi(snapshot: Snapshot) -> bool | None:
    found = snapshot.presence("/sys/firmware/efi")
    return None if found is Presence.UNKNOWN else found is Presence.PRESENT


def _secure_boot(snapshot: Snapshot) -> bool | None:
    """The variable is four bytes of attributes, then one byte."""
    content = snapshot.raw(_SECURE_BOOT)
    return content[4] == 1 if content is not None and len(content) == 5 else None


# --- kernel ---------------------------------------------------------------------------------------


def kernel_of(snapshot: Snapshot) -> Kernel:
    release = snapshot.process.release
    config = _config_text(snapshot, release)
    log = _log(snapshot)
    parameters, has_all = _parameters(snapshot, log or ())
    return Kernel(
        release=release,
        version=values.version(release),
        config=None if config is None else _options(config),
        has_whole_config=config is not None and config.count("\n") >= _WHOLE_CONFIG_LINES,
        parameters=parameters,
        has_all_parameters=has_all,
        module_options=_module_options(snapshot),
        is_module_loaded=_is_module_loaded(snapshot),
        dkms=_dkms(snapshot),
        has_pro_package=any(name.startswith("amdgpu-pro") for name in snapshot.children("/opt")),
        log=log,
        has_whole_log=_reaches_boot(log or ()),
    )


def _config_text(snapshot: Snapshot, release: str | None) -> str | None:
    packed = snapshot.raw("/proc/config.gz")
    if packed is not None:
        unpacked = _gunzip(packed)
        if unpacked is not None:
            return unpacked
    releases = [release] if release else _only_release(snapshot)
    for name in releases:
        modules = f"/lib/modules/{name}"
        for path in (f"/boot/config-{name}", f"{modules}/config", f"{modules}/build/.config"):
            text = snapshot.text(path)
            if text is not None:
                return text
    return None


def _only_release(snapshot: Snapshot) -> list[str]:
    """The kernel that a recording without its release must mean: the only one installed."""
    found = [name[7:] for name in snapshot.children("/boot") if name.startswith("config-")]
    found = found or list(snapshot.children("/lib/modules"))
    return found if len(found) == 1 else []


def _gunzip(packed: bytes) -> str | None:
    if packed.startswith((b"CONFIG_", b"# ", b"#\n")):
        return packed.decode("utf-8", errors="replace")  # recorded unpacked
    try:
        unpacked = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(packed, _MAX_CONFIG_BYTES)
    except (zlib.error, gzip.BadGzipFile):
        return None
    return unpacked.decode("utf-8", errors="replace")


def _options(config: str) -> dict[str, str]:
    """`y`, `m`, `n` or a value by option, without `CONFIG_`."""
    options = dict(re.findall(r"^CONFIG_(\w+)=(\S+)", config, re.MULTILINE))
    off = re.findall(r"^# CONFIG_(\w+) is not set", config, re.MULTILINE)
    return options | dict.fromkeys(off, "n")


def _log(snapshot: Snapshot) -> tuple[str, ...] | None:
    """Lines of the kernel's log, without times and host names."""
    texts = [
        snapshot.commands[name]
        for name in ("dmesg.txt", "journal-kernel.txt")
        if snapshot.commands.get(name, "").strip()
    ]
    if not texts:
        return None
    lines = [line for text in texts for line in text.splitlines()]
    if len(lines) > _MAX_LOG_LINES:  # the boot, and what is latest
        lines = lines[: _MAX_LOG_LINES // 4] + lines[-_MAX_LOG_LINES * 3 // 4 :]
    return tuple(_bare(line[:_MAX_LINE]) for line in lines)


def _bare(line: str) -> str:
    line = re.sub(r"^\s*(<\d+>)?\[\s*[\d.]+\]\s*(\[\s*[TC]\d+\]\s*)?", "", line)
    return re.sub(r"^\S.{5,40}? kernel: (\[\s*[\d.]+\]\s*)?", "", line).strip()


def _reaches_boot(log: tuple[str, ...]) -> bool:
    return any(line.startswith("Linux version ") for line in log)


def _parameters(snapshot: Snapshot, log: tuple[str, ...]) -> tuple[tuple[str, ...] | None, bool]:
    text = snapshot.text("/proc/cmdline")
    if text is not None:
        words = tuple(text.split())
        is_sound = text.isprintable() and any(_PARAMETER.fullmatch(word) for word in words)
        return (words, True) if is_sound else (None, False)
    for line in log:
        if match := re.search(r"(?:Kernel command line|Command line): (.*)", line):
            words = tuple(match[1].split())
            return words, "..." not in words
    return None, False


def _module_options(snapshot: Snapshot) -> tuple[str, ...]:
    """Lines of /etc/modprobe.d that concern the driver."""
    folder = "/etc/modprobe.d"
    lines = (
        line.strip()
        for name in snapshot.children(folder)
        for line in (snapshot.text(f"{folder}/{name}") or "").splitlines()
    )
    return tuple(
        line for line in lines if re.match(r"(blacklist|options|install)\s+amdgpu\b", line)
    )


def _is_module_loaded(snapshot: Snapshot) -> bool | None:
    state = snapshot.text("/sys/module/amdgpu/initstate")
    if state == "live":
        return True
    found = snapshot.presence("/sys/module/amdgpu")
    if found is Presence.ABSENT:
        return False
    return None


def _dkms(snapshot: Snapshot) -> str | None:
    """The driver's version, which only amdgpu-dkms has: the in-tree module names none."""
    text = snapshot.text("/sys/module/amdgpu/version")
    return text if values.version(text) else None
