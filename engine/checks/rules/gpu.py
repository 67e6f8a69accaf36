"""Rows of the card itself: is it there, which is it, does its driver run, is its firmware whole.

Sections 3.2 to 3.4 of the design's hardware rules.
"""

from __future__ import annotations

import re

from engine.checks import remedies, values
from engine.checks.facts import Facts
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.rules.finding import (
    FAIL,
    PASS,
    UNKNOWN,
    WARN,
    Finding,
    in_wsl,
    not_seen,
    without_gpu,
)
from engine.checks.sentences import command, listed, say
from engine.port import Sentence

_VENDOR_NAMES = {
    "10de": "NVIDIA", "8086": "Intel", "15ad": "VMware", "1234": "QEMU", "1af4": "virtio",
    "1b36": "QXL", "1414": "Microsoft", "1a03": "ASPEED", "102b": "Matrox", "1013": "Cirrus",
}  # fmt: skip
_VIRTUAL_VENDORS = frozenset({"15ad", "1234", "1af4", "1b36", "1414", "1013"})


def present(facts: Facts) -> Finding:
    """gpu.present"""
    source = "/sys/bus/pci/devices"
    expected = say("an AMD display device or accelerator (PCI vendor 1002)")
    if facts.gpus:
        names = listed(f"{gpu.name} ({gpu.key})" for gpu in facts.gpus)
        return Finding(PASS, say("AMD GPUs found: {count}.", count=len(facts.gpus)),
                       names, expected, source=source)  # fmt: skip
    if facts.platform.is_wsl:
        return Finding(UNKNOWN, say("WSL shows no PCI devices; only ROCm itself can tell."),
                       expected=expected, source="/dev/dxg")  # fmt: skip
    if not facts.has_no_amd_gpu:
        return not_seen(source)
    vendors = facts.others.vendors
    names = listed(_VENDOR_NAMES.get(vendor, vendor) for vendor in vendors)
    return Finding(FAIL, _why_absent(facts, names), names or say("none"), expected,
                   fix=_without_a_card(facts), source=source)  # fmt: skip


def _why_absent(facts: Facts, names: str) -> Sentence:
    vendors = facts.others.vendors
    if "10de" in vendors:
        return say("The graphics card is NVIDIA's; Danqing computes on AMD GPUs and on the CPU.")
    if facts.platform.is_virtual and (not vendors or _VIRTUAL_VENDORS.issuperset(vendors)):
        return say("This virtual machine has no AMD GPU: the host passes none through.")
    if vendors:
        return say("There is no AMD GPU here; the display device is {names}.", names=names)
    return say("There is no AMD GPU here.")


def _without_a_card(facts: Facts) -> tuple[Sentence, ...]:
    on_cpu = say("Use the CPU: it works on every machine.")
    if facts.platform.is_virtual:
        return (say("Pass an AMD GPU through from the host (PCI passthrough)."), on_cpu)
    if facts.others.vendors:
        return (on_cpu,)
    return (say("Check that the card sits in its slot and has its power cables."), on_cpu)


def identity(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """gpu.identity"""
    if gpu is None:
        return without_gpu() if facts.has_no_amd_gpu else not_seen()
    source = "resources/devices.tsv"
    expected = say("a card that Danqing knows")
    if gpu.device is None:
        return Finding(UNKNOWN, say("The card's device id could not be seen."),
                       gpu.name, expected, source=source)  # fmt: skip
    pci_id = f"1002:{gpu.device}" + (f" rev {gpu.revision}" if gpu.revision else "")
    if gpu.rows:
        return Finding(PASS, say("{name}, {gfx}.", name=gpu.name, gfx=gpu.likely_gfx or "gfx?"),
                       pci_id, expected, source=source)  # fmt: skip
    return Finding(
        WARN,
        say("The card {id} is not in Danqing's table. That alone speaks against nothing.",
            id=pci_id),
        pci_id, expected,
        fix=(say("Please report the card, with danqing check --bundle FILE.zip."),),
        source=source,
    )  # fmt: skip


# --- driver ---------------------------------------------------------------------------------------


def driver(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """gpu.driver; `gpu` None asks for the machine's driver where no GPU is known."""
    if facts.platform.is_wsl:
        return in_wsl()
    if gpu is None:
        return _driver_of_machine(facts)
    expected = say("amdgpu")
    source = f"/sys/bus/pci/devices/{gpu.address or '…'}/driver"
    if gpu.driver == "amdgpu":
        return _bound(facts, gpu, source)
    if gpu.driver == "vfio-pci":
        return Finding(FAIL, say("The card is reserved for a virtual machine (vfio-pci)."),
                       "vfio-pci", expected,
                       fix=(say("Remove the vfio-pci.ids= parameter or its line in "
                                "/etc/modprobe.d, rebuild the initramfs, reboot."),),
                       source=source)  # fmt: skip
    if gpu.driver:
        return Finding(FAIL, say("The driver {name} has the card; ROCm needs amdgpu.",
                                 name=gpu.driver),
                       gpu.driver, expected, fix=(say("Blacklist {name}, and load amdgpu.",
                                                      name=gpu.driver),),
                       source=source)  # fmt: skip
    if _has_failed(facts, gpu):
        return _init_failed(facts, gpu)
    if gpu.driver == "":
        return _not_bound(facts, source)
    if _is_at_work(gpu):
        return _bound(facts, gpu, "KFD, rocminfo")
    if facts.kernel.is_module_loaded is False:
        return _not_bound(facts, "/sys/module/amdgpu")
    if any("Initialized amdgpu" in line for line in gpu.log):
        return _bound(facts, gpu, "dmesg")
    if _is_said_to_be_missing(facts):
        return _not_bound(facts, "rocminfo, dmesg")
    words = facts.kernel.parameters or ()
    if "nomodeset" in words and "amdgpu.modeset=1" not in words:
        return _not_bound(facts, "/proc/cmdline")  # amdgpu refuses to load then
    return not_seen(source)


def _is_said_to_be_missing(facts: Facts) -> bool:
    """A program or the kernel says that the driver is not loaded."""
    by_tools = facts.rocminfo.is_module_loaded is False or facts.smi.is_driver_missing
    return by_tools or facts.has_line("secure-boot")


def _is_at_work(gpu: GpuFacts) -> bool:
    """The driver's own compute part, or ROCm, shows this GPU."""
    return gpu.agent is not None or (gpu.node is not None and gpu.node.is_proven)


def _has_failed(facts: Facts, gpu: GpuFacts) -> bool:
    pattern = re.compile(
        r"Fatal error during GPU init|probe of \S+ failed with error|"
        r"probe with driver amdgpu failed|amdgpu_device_ip_init failed"
    )
    return any(pattern.search(line) for line in gpu.log) and not _is_at_work(gpu)


def _driver_of_machine(facts: Facts) -> Finding:
    if facts.has_no_amd_gpu:
        return without_gpu()
    if facts.kernel.is_module_loaded is False:
        return _not_bound(facts, "/sys/module/amdgpu")
    if "init-failed" in facts.kernel_lines:
        return Finding(FAIL, say("The driver could not start the GPU."),
                       facts.kernel_lines["init-failed"], say("amdgpu"),
                       fix=remedies.install_firmware(facts.platform), source="dmesg")  # fmt: skip
    if _is_said_to_be_missing(facts):
        return _not_bound(facts, "rocminfo, dmesg")
    return not_seen("/sys/module/amdgpu")


def _bound(facts: Facts, gpu: GpuFacts, source: str) -> Finding:
    dkms = facts.kernel.dkms
    measured = f"amdgpu {dkms} (DKMS)" if dkms else "amdgpu"
    if facts.kernel.has_pro_package:
        measured += ", amdgpu-pro"
    is_new_card = (gpu.likely_gfx or "").startswith("gfx12")
    least: tuple[int, ...] = (6, 12) if is_new_card else (6, 3)
    version = values.version(dkms)
    if dkms and version is not None and version < least:
        return Finding(WARN, say("amdgpu runs, but its DKMS package {version} is old.",
                                 version=dkms),
                       measured, say("amdgpu {version} or later", version=values.dotted(least)),
                       fix=(say("Install the amdgpu-dkms package of the current ROCm release."),),
                       source=source)  # fmt: skip
    return Finding(PASS, say("The driver amdgpu runs the card."), measured, say("amdgpu"),
                   source=source)  # fmt: skip


def _init_failed(facts: Facts, gpu: GpuFacts) -> Finding:
    numbers = [
        int(m[1]) for line in gpu.log if (m := re.search(r"failed with error -(\d{1,3})", line))
    ]
    line = next((line for line in reversed(gpu.log) if "ailed" in line or "Fatal" in line), "")
    if 12 in numbers:
        summary = say("The driver found no address space for the card's memory (error -12).")
        fix = (remedies.bios_menu(facts.platform),
               say("If it stays: add pci=realloc to the kernel command line."))  # fmt: skip
    elif firmware(facts, gpu).verdict is FAIL:
        summary = say("The driver could not start the card: a firmware file is missing.")
        fix = remedies.install_firmware(facts.platform)
    elif 110 in numbers:
        summary = say("The card did not answer in time (error -110).")
        fix = (say("Switch the machine off and on again; check slot, riser and power cables."),)
    else:
        summary = say("The driver could not start the card.")
        fix = remedies.install_firmware(facts.platform)
    return Finding(FAIL, summary, line, say("amdgpu"), fix=fix, source="dmesg")


def _not_bound(facts: Facts, source: str) -> Finding:
    summary, fix = _why_not_bound(facts)
    return Finding(FAIL, summary, say("no driver"), say("amdgpu"),
                   fix=remedies.on_host(facts.platform, *fix), source=source)  # fmt: skip


def _why_not_bound(facts: Facts) -> tuple[Sentence, tuple[Sentence, ...]]:
    words = facts.kernel.parameters or ()
    edit = remedies.kernel_parameters(facts.platform)
    if "nomodeset" in words:
        return say("amdgpu does not run: the kernel was started with nomodeset."), (
            say("Remove nomodeset from the kernel command line."), edit)  # fmt: skip
    blocked = [
        word for word in words if re.match(r"(\w+\.)?(module_)?blacklist=.*\bamdgpu\b", word)
    ]
    if blocked:
        return say("amdgpu is not loaded: the kernel command line blacklists it."), (
            say("Remove {word} from the kernel command line.", word=blocked[0]), edit)  # fmt: skip
    options = [line for line in facts.kernel.module_options if line.startswith("blacklist")]
    if options:
        return say("amdgpu is not loaded: a file in /etc/modprobe.d blacklists it."), (
            say("Remove the line “{line}” from /etc/modprobe.d and rebuild the initramfs.",
                line=options[0]),)  # fmt: skip
    if facts.platform.has_secure_boot or facts.has_line("secure-boot"):
        return say("amdgpu is not loaded; Secure Boot is on and refuses modules that are not "
                   "signed with an enrolled key."), (
            say("Enrol the key: sudo mokutil --import /var/lib/shim-signed/mok/MOK.der (the key of "
                "your DKMS), reboot and choose Enroll MOK; or switch Secure Boot off."),
            command("sudo modprobe amdgpu"))  # fmt: skip
    return say("The driver amdgpu does not run the card."), (command("sudo modprobe amdgpu"),)


# --- firmware -------------------------------------------------------------------------------------


def firmware(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """gpu.firmware"""
    if facts.platform.is_wsl:
        return in_wsl()
    if gpu is None:
        return without_gpu() if facts.has_no_amd_gpu else not_seen()
    missing = _missing_files(gpu)
    runs = gpu.driver == "amdgpu" or _is_at_work(gpu)
    expected = say("all firmware files, none known to be bad")
    if missing:
        verdict = WARN if runs else FAIL
        return Finding(verdict, say("Firmware files are missing: {files}.", files=listed(missing)),
                       listed(missing), expected,
                       fix=remedies.install_firmware(facts.platform), source="dmesg")  # fmt: skip
    old = _old_firmware(facts, gpu)
    if old is not None:
        return Finding(WARN, old, _versions(facts, gpu), expected,
                       fix=remedies.install_firmware(facts.platform),
                       source="dmesg, fw_version")  # fmt: skip
    if runs or any("Initialized amdgpu" in line for line in gpu.log):
        return Finding(PASS, say("The driver has loaded the card's firmware."),
                       _versions(facts, gpu), expected, source="fw_version")  # fmt: skip
    return not_seen("fw_version, dmesg")


def _missing_files(gpu: GpuFacts) -> list[str]:
    pattern = re.compile(r"Direct firmware load for (amdgpu/\S+) failed with error")
    found = (pattern.search(line) for line in gpu.log)
    return list(dict.fromkeys(match[1] for match in found if match))


_MEC_LEAST = {"gfx11": 509, "gfx12": 2090, "gfx103": 92, "gfx101": 145}
"""First compute firmware that does without PCIe atomics (no_atomic_fw_version of kfd_device.c)."""


def _old_firmware(facts: Facts, gpu: GpuFacts) -> Sentence | None:
    for line in gpu.log:
        if match := re.search(r"PCI rejects atomics (\d{1,6})<(\d{1,6})", line):
            return say("The compute firmware (MEC) {found} is older than {least}.",
                       found=match[1], least=match[2])  # fmt: skip
    gfx = gpu.likely_gfx or ""
    mes = _firmware_number(facts, gpu, "mes")
    if gfx == "gfx1151" and mes is not None and mes & 0xFFF == 0x83:
        return say("The scheduler firmware (MES) 0x83 is known to fault on this GPU.")
    mec = _firmware_number(facts, gpu, "mec")
    for prefix, least in _MEC_LEAST.items():
        is_special = gfx in ("gfx1036", "gfx1037")  # they need 14 and 3 only
        if gfx.startswith(prefix) and mec is not None and mec & 0xFFFF < least and not is_special:
            return say("The compute firmware (MEC) {found} is older than {least}.",
                       found=mec & 0xFFFF, least=least)  # fmt: skip
    return None


def _firmware_number(facts: Facts, gpu: GpuFacts, name: str) -> int | None:
    if gpu.folder is None:
        return None
    text = facts.snapshot.text(f"{gpu.folder}/fw_version/{name}_fw_version")
    return values.whole(text, 1, 2**32 - 1)


def _versions(facts: Facts, gpu: GpuFacts) -> str:
    names = ("mec", "mes", "smc", "sos", "sdma", "vcn")
    known = ((name, _firmware_number(facts, gpu, name)) for name in names)
    return listed(f"{name} {number:#x}" for name, number in known if number is not None)
