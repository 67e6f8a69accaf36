"""What lines of logs mean: pattern, true cause, remedy and verdict, as data.

Used on kernel logs, on what programs printed, on the engine's own errors and on text that a user
pastes. `check` names the row that a signature sets, if any: by section 9 of the design's hardware
rules a fault in a program's log explains and sets nothing, unless its remedy names a row. Sources
of each line: the Linux kernel's amdgpu and amdkfd, ROCr, HIP and rocBLAS, PaddlePaddle.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.checks.sentences import say
from engine.port import Explanation, Sentence, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """`pattern` is searched for in a line. `in_kernel_log`: there it is a fault of the hardware or
    its driver, and sets `health.log`. `check`: the row that it sets wherever it is found. `hints`:
    a line without any of these, in lower case, cannot match; they spare the slow search.
    """

    id: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...]
    verdict: Verdict
    cause: Sentence
    fix: tuple[Sentence, ...] = ()
    check: str | None = None
    in_kernel_log: bool = False


_NO_LITERAL = re.compile(
    r"\([^()]*\)[?*+]?|\[[^\]]*\][?*+]?|\\[a-zA-Z][?*+]?|[^\\][?*]|[.+^$]|\{[^}]*\}"
)


def _hints(pattern: str) -> tuple[str, ...]:
    """The longest text that each alternative of a pattern cannot do without."""
    while "((" in pattern or re.search(r"\([^()]*\(", pattern):
        pattern = re.sub(r"\([^()]*\)[?*+]?(?=[^()]*\))", "\0", pattern)
    flat = re.sub(r"\([^()]*\)[?*+]?", "\0", pattern)
    return tuple(_longest_literal(alternative) for alternative in flat.split("|"))


def _longest_literal(pattern: str) -> str:
    literal = _NO_LITERAL.sub("\0", pattern)
    literal = re.sub(r"\\(.)", r"\1", literal)
    return max(literal.split("\0"), key=len).lower()


def _of(
    name: str,
    pattern: str,
    verdict: Verdict,
    cause: Sentence,
    *fix: Sentence,
    check: str | None = None,
    in_kernel_log: bool = False,
) -> Signature:
    return Signature(
        id=name,
        pattern=re.compile(pattern, re.IGNORECASE),
        hints=_hints(pattern),
        verdict=verdict,
        cause=cause,
        fix=fix,
        check=check,
        in_kernel_log=in_kernel_log,
    )


_FIRMWARE_UPDATE = say("Update the kernel and the firmware package (linux-firmware), then reboot.")
_REBOOT = say("Reboot; a reset that failed is not cured by restarting a program.")
_OVERRIDE = say("Remove HSA_OVERRIDE_GFX_VERSION from the environment, then try again.")
_IOMMU_PT = say("Add iommu=pt to the kernel command line, and update the BIOS.")

SIGNATURES: tuple[Signature, ...] = (
    # --- programs and libraries -------------------------------------------------------------------
    _of("no-rocm-smi", r"(rocm-smi|rocminfo|amd-smi|hipconfig): (command )?not found", Verdict.WARN,
        say("A ROCm tool is not on PATH, or this ROCm came without tools; harmless."),
        say("Add /opt/rocm/bin to PATH.")),
    _of("no-device-alias", r"HSA_STATUS_ERROR_NO_DEVICE|No supported ASIC found", Verdict.INFO,
        say("Neither ROCm nor the driver prints this text; it is no evidence of a switched-off "
            "IOMMU. See the rows of the GPU and of the KFD.")),
    _of("hsa-out-of-resources", r"HSA_STATUS_ERROR_OUT_OF_RESOURCES|(hsa|error|code).*\b0x1008\b|"
        r"returned 4104\b",
        Verdict.FAIL,
        say("/dev/kfd cannot be opened, or the KFD has no GPU."),
        say("See the rows kfd.present and dev.perm."), check="kfd.present"),
    _of("hip-out-of-memory", r"hipErrorOutOfMemory|HIP out of memory|ResourceExhaustedError|"
        r"failed to allocate VRAM", Verdict.WARN,
        say("The GPU's memory was full."),
        say("Make smaller pictures, or close other programs that use the GPU.")),
    _of("hip-invalid-value", r"HIP_ERROR_INVALID_VALUE|hipErrorInvalidValue", Verdict.WARN,
        say("A wrong argument or a handle that is gone; a full memory has another error."),
        say("Report it together with the log.")),
    _of("hip-hidden-device", r"rocBLAS error: invalid value|hipErrorInvalidDevice|hipErrorNoDevice|"
        r"no ROCm-capable device is detected", Verdict.FAIL,
        say("ROCm shows the program no GPU: a variable hides it, or the device cannot be opened."),
        say("See the rows env.vars and dev.perm."), check="env.vars"),
    _of("hsa-invalid-argument", r"HSA_STATUS_ERROR_INVALID_ARGUMENT|"
        r"(hsa|error|code).*\b0x1001\b", Verdict.WARN,
        say("Parts of ROCm of different versions are mixed."),
        say("Install the driver and ROCm in versions that belong together.")),
    _of("hsa-aperture", r"HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION|code: 0x29\b", Verdict.FAIL,
        say("A kernel used an illegal address: code for another GPU, a bug, or bad firmware. It is "
            "not a full memory."),
        _OVERRIDE, _FIRMWARE_UPDATE),
    _of("hsa-illegal-instruction", r"HSA_STATUS_ERROR_(ILLEGAL_INSTRUCTION|INVALID_ISA)|"
        r"code: 0x2a\b|(hsa|error|code).*\b0x100f\b", Verdict.FAIL,
        say("The program's code is for another kind of GPU."), _OVERRIDE),
    _of("memory-access-fault", r"Memory access fault by GPU node", Verdict.FAIL,
        say("A kernel read or wrote outside its memory: a bug, bad firmware (MES 0x83), or a "
            "suspend since the program started."),
        _FIRMWARE_UPDATE, say("Restart the program.")),
    _of("gpu-hang", r"HW Exception by GPU node|GPU Hang", Verdict.FAIL,
        say("The GPU stopped answering."),
        _FIRMWARE_UPDATE,
        say("On an integrated GPU try HSA_ENABLE_SDMA=0 in the environment.")),
    _of("tensile-missing", r"Cannot read \S*TensileLibrary\S*|TensileLibrary\S* (not found|for GPU "
        r"arch)", Verdict.FAIL,
        say("rocBLAS has no kernels for this kind of GPU."),
        say("Install a ROCm, and a PaddlePaddle build, that include this GPU's gfx target."),
        check="rocm.arch"),
    _of("no-kernel-image", r"invalid device function|hipErrorNoBinaryForGpu|"
        r"no kernel image is available|device kernel image is invalid|hipErrorInvalidKernelFile",
        Verdict.FAIL,
        say("The program was built without kernels for this GPU, or it chose the integrated one."),
        say("Use a build that includes this GPU's gfx target; hide the integrated GPU with "
            "HIP_VISIBLE_DEVICES."),
        check="rocm.arch"),
    _of("cuda-build", r"libcudart\.so\S*: cannot open|libcuda\.so\S*: cannot open|"
        r"libcudnn\S*: cannot open|not compiled with (CUDA|ROCm)|"
        r"is_compiled_with_rocm\(\)\W{1,6}False", Verdict.FAIL,
        say("This PaddlePaddle was built for NVIDIA or for the CPU, not for ROCm."),
        say("Install a PaddlePaddle that was built for ROCm."), check="paddle.build"),
    _of("paddle-core", r"paddle\.fluid\.core_avx|No module named 'paddle\.fluid'|"
        r"can not import (avx|noavx) core|libpaddle\.so\S*: (cannot open|undefined)", Verdict.FAIL,
        say("This PaddlePaddle is broken, or a program for a much older one uses it."),
        say("Install PaddlePaddle again."), check="paddle.build"),
    _of("build-time", r"undefined reference to .?hipModuleLaunchKernel|"
        r"no template named .?tuple_size", Verdict.INFO,
        say("An error of building PaddlePaddle from source, not of this machine.")),
    _of("wsl-cpu-only", r"WSL environment detected", Verdict.INFO,
        say("ROCm runs inside WSL, where the GPU is reached through Windows' driver.")),
    _of("windows-installer", r"amd display driver 2147942659|2147942659|0x80070003", Verdict.INFO,
        say("A code of the Windows driver's installer (path not found); nothing of Linux.")),
    _of("kfd-open-permission", r"Unable to open /dev/kfd read-write: (Permission denied|Operation "
        r"not permitted|Invalid argument)|is not member of .{0,40}group", Verdict.FAIL,
        say("This user may not open /dev/kfd."),
        say("Add the user to the group that owns /dev/kfd, then log out and in."),
        check="dev.perm"),
    _of("kfd-open-missing", r"Unable to open /dev/kfd read-write: (No such file|Cannot allocate)|"
        r"ROCk module is NOT loaded", Verdict.FAIL,
        say("The compute driver (KFD) is not there or has no GPU."),
        say("See the rows gpu.driver and kfd.present."), check="kfd.present"),
    _of("nccl-iommu", r"NCCL WARN Missing .?iommu=pt", Verdict.WARN,
        say("Copies between several GPUs are slow or hang while the IOMMU translates them."),
        _IOMMU_PT, check="iommu"),
    # --- the kernel -------------------------------------------------------------------------------
    _of("page-fault", r"\[(gfxhub|mmhub)\d?\] (no-retry )?page fault|"
        r"GCVM_L2_PROTECTION_FAULT_STATUS", Verdict.WARN,
        say("The GPU met an address that is not mapped; after a reset such lines are secondary."),
        _FIRMWARE_UPDATE, say("Restart the program."), in_kernel_log=True),
    _of("ring-timeout", r"ring \S+ timeout,", Verdict.WARN,
        say("A job on the GPU hung; the next line names the program."),
        _FIRMWARE_UPDATE, in_kernel_log=True),
    _of("reset-failed", r"GPU reset.{0,20} failed|reset failed|GPU reset end with ret = -\d+|"
        r"GPU Recovery Failed", Verdict.FAIL,
        say("The driver could not reset the GPU."), _REBOOT, in_kernel_log=True),
    _of("reset-succeeded", r"GPU reset.{0,20} succeeded|GPU reset end with ret = 0|"
        r"recovered through reset|soft recovered|but recovered|reset succeeded|"
        r"ring \S+ reset succe", Verdict.INFO,
        say("The GPU answered again after a reset.")),
    _of("gpu-reset", r"GPU reset begin|(MODE[12]|BACO) reset|VRAM is lost", Verdict.FAIL,
        say("The driver reset the GPU; what was in its memory is gone."),
        say("Restart the programs that use the GPU, and run the self-test."), _REBOOT,
        in_kernel_log=True),
    _of("mes-hang", r"MES.{0,40}failed to respond to msg|MES might be in unrecoverable state",
        Verdict.FAIL,
        say("The GPU's scheduler firmware hangs (RDNA 3 and 4)."),
        _REBOOT, _FIRMWARE_UPDATE, in_kernel_log=True),
    _of("atomics", r"skipped device \S+, PCI rejects atomics", Verdict.FAIL,
        say("The slot passes on no PCIe atomics, and the GPU's firmware is too old to do without."),
        _FIRMWARE_UPDATE,
        say("Put the card into a slot of the processor, without a riser; in a virtual machine "
            "attach it to a pcie-root-port."), check="pcie.atomics"),
    _of("kfd-unsupported", r"DID \w+ is missing in supported_devices|not supported in kfd|"
        r"kgd2kfd_probe failed", Verdict.FAIL,
        say("This kernel's KFD does not know the GPU."),
        say("Use a newer kernel or AMD's amdgpu-dkms."), check="kfd.present"),
    _of("optional-firmware", r"Optional firmware .* was not found|"
        r"(ras|rap|securedisplay).{0,12} ta ucode is not available|SMU driver if version not match",
        Verdict.INFO, say("Harmless: the driver does without it.")),
    _of("firmware-missing", r"Direct firmware load for amdgpu/\S+ failed with error|"
        r"Failed to load (psp|sdma|gfx|mec|rlc|smc|vcn)\S* firmware", Verdict.FAIL,
        say("A firmware file of the GPU is not on the disk or not in the initramfs."),
        say("Install or update the firmware package, rebuild the initramfs, reboot."),
        check="gpu.firmware"),
    _of("init-failed", r"Fatal error during GPU init|"
        r"probe of [0-9a-f:.]+ failed with error -\d+|probe with driver amdgpu failed with error",
        Verdict.FAIL,
        say("The driver could not start the GPU: -12 means no address space for its memory, -22 "
            "firmware or power management, -110 no answer."),
        say("For -12 enable Above 4G Decoding in the BIOS; otherwise update kernel and firmware."),
        check="gpu.driver"),
    _of("bar-no-space", r"BAR \d+.{0,60}(no space for|failed to assign|can't assign)|"
        r"Not enough PCI address space for a large BAR", Verdict.WARN,
        say("The BIOS gave the GPU no room for a large BAR; the memory's size is not affected."),
        say("Enable Above 4G Decoding and Resizable BAR in the BIOS."), check="pcie.rebar"),
    _of("hmm-mirror", r"HMM_MIRROR kernel config option is not enabled", Verdict.FAIL,
        say("This kernel was built without HMM_MIRROR, which the compute driver needs."),
        say("Use a kernel with CONFIG_HSA_AMD=y, which selects it."), check="kernel.config"),
    _of("io-page-fault", r"AMD-Vi: .*IO_PAGE_FAULT|IO_PAGE_FAULT|DMAR:.{0,60} fault",
        Verdict.WARN,
        say("The IOMMU blocked an access to memory; often the BIOS or an integrated GPU."),
        _IOMMU_PT, in_kernel_log=True),
    _of("secure-boot", r"Key was rejected by service|Loading of unsigned module", Verdict.FAIL,
        say("Secure Boot refuses the driver, which is not signed with an enrolled key."),
        say("Enrol the key: sudo mokutil --import /var/lib/shim-signed/mok/MOK.der, reboot, and "
            "choose Enroll MOK; or switch Secure Boot off."), check="gpu.driver"),
    _of("unknown-parameter", r"amdgpu: unknown parameter '?(?P<name>\w+)'? ignored", Verdict.WARN,
        say("A parameter of the driver is misspelt or gone."),
        say("Remove it from the kernel command line or from /etc/modprobe.d."),
        check="kernel.cmdline"),
    _of("pcie-error", r"AER:.*(uncorrectable|uncorrected)|PCIe Bus Error: severity=Uncorrected|"
        r"Card not present|Link Down|device lost from bus", Verdict.FAIL,
        say("The connection to the card broke: signal, power or a riser."),
        say("Reseat the card and its power cables; set the slot to PCIe Gen 4 or 3 in the BIOS."),
        in_kernel_log=True),
    _of("memory-error", r"uncorrectable hardware errors|poison is consumed|"
        r"bad pages.{0,40}threshold|uncorrectable hardware error", Verdict.FAIL,
        say("The card's memory is defective."),
        say("Stop using the card for work, and ask for its replacement."), in_kernel_log=True),
    _of("throttled", r"GPU is throttled|is throttled,|thermal throttling", Verdict.WARN,
        say("The card runs slower because of heat or its power limit."),
        say("Improve the cooling; look at the fans."), in_kernel_log=True),
)  # fmt: skip
"""In the order in which a line is matched: the first that fits explains it."""

_BY_ID = {signature.id: signature for signature in SIGNATURES}

_ORDER = (Verdict.FAIL, Verdict.WARN, Verdict.INFO)
MAX_TEXT = 4 * 2**20
_MAX_LINE = 2000


def named(name: str) -> Signature:
    """The signature of this id."""
    return _BY_ID[name]


@lru_cache(maxsize=20_000)
def of_line(line: str) -> Signature | None:
    """The first signature that fits a line."""
    shortened = line[:_MAX_LINE]
    lower = shortened.lower()
    for known in SIGNATURES:
        is_possible = any(hint in lower for hint in known.hints)
        if is_possible and known.pattern.search(shortened):
            return known
    return None


def explain(text: str) -> tuple[Explanation, ...]:
    """What is known in a text of any origin, the worst first; empty if nothing is."""
    lines: dict[str, list[str]] = {}
    for line in text[:MAX_TEXT].splitlines():
        signature = of_line(line)
        if signature is not None:
            lines.setdefault(signature.id, []).append(line.strip()[:_MAX_LINE])
    found = [_explanation(_BY_ID[name], seen) for name, seen in lines.items()]
    return tuple(sorted(found, key=lambda known: _ORDER.index(known.verdict)))


def _explanation(signature: Signature, lines: Sequence[str]) -> Explanation:
    return Explanation(
        signature=signature.id,
        verdict=signature.verdict,
        check=signature.check or ("health.log" if signature.in_kernel_log else None),
        line=lines[0],
        count=len(lines),
        cause=signature.cause,
        fix=signature.fix,
    )
