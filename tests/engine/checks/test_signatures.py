"""Lines of real logs mean what they mean, and nothing else does."""

from __future__ import annotations

import time

import pytest

from engine.checks import explaining, signatures
from engine.checks.rules import ROWS
from engine.checks.signatures import SIGNATURES
from engine.port import Verdict

LINES = {
    "no-rocm-smi": "bash: rocm-smi: command not found",
    "no-device-alias": "HSA_STATUS_ERROR_NO_DEVICE",
    "hsa-out-of-resources": "hsa api call failure. Call returned 4104",
    "hip-out-of-memory": "hipErrorOutOfMemory: out of memory",
    "hip-invalid-value": "HIP error: hipErrorInvalidValue",
    "hip-hidden-device": "RuntimeError: no ROCm-capable device is detected",
    "hsa-invalid-argument": "HSA_STATUS_ERROR_INVALID_ARGUMENT: One of the actual arguments",
    "hsa-aperture": "aborting with error : HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION code: 0x29",
    "hsa-illegal-instruction": "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: code: 0x2a",
    "memory-access-fault": "Memory access fault by GPU node-1 (Agent handle: 0x5) on address 0x7",
    "gpu-hang": "HW Exception by GPU node-1 (Agent handle: 0x1) reason :GPU Hang",
    "tensile-missing": "rocBLAS error: Cannot read /opt/rocm/lib/TensileLibrary.dat: No such file",
    "no-kernel-image": "RuntimeError: HIP error: invalid device function",
    "cuda-build": "OSError: libcudart.so.12: cannot open shared object file",
    "paddle-core": "ModuleNotFoundError: No module named 'paddle.fluid'",
    "build-time": "undefined reference to `hipModuleLaunchKernel'",
    "wsl-cpu-only": "WSL environment detected.",
    "windows-installer": "amd display driver 2147942659",
    "kfd-open-permission": "Unable to open /dev/kfd read-write: Permission denied",
    "kfd-open-missing": "Unable to open /dev/kfd read-write: No such file or directory",
    "nccl-iommu": 'NCCL WARN Missing "iommu=pt" from kernel command line',
    "page-fault": "amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8)",
    "ring-timeout": "[drm:amdgpu_job_timedout] *ERROR* ring gfx_0.0.0 timeout, signaled seq=4",
    "reset-failed": "amdgpu 0000:03:00.0: amdgpu: GPU reset end with ret = -110",
    "reset-succeeded": "amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!",
    "gpu-reset": "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!",
    "mes-hang": "[drm:mes_v11_0] *ERROR* MES failed to respond to msg=REMOVE_QUEUE",
    "atomics": "kfd kfd: amdgpu: skipped device 1002:744c, PCI rejects atomics 494<509",
    "kfd-unsupported": "kfd kfd: DID 7340 is missing in supported_devices",
    "optional-firmware": "amdgpu: Optional firmware amdgpu/isp_4_1_0.bin was not found",
    "firmware-missing": "Direct firmware load for amdgpu/sdma_6_0_3.bin failed with error -2",
    "init-failed": "amdgpu 0000:83:00.0: amdgpu: Fatal error during GPU init",
    "bar-no-space": "amdgpu 0000:08:00.0: BAR 0: no space for [mem size 0x200000000 64bit pref]",
    "hmm-mirror": "[drm] HMM_MIRROR kernel config option is not enabled, add CONFIG_ZONE_DEVICE=y",
    "io-page-fault": "AMD-Vi: Event logged [IO_PAGE_FAULT device=0d:00.0 domain=0x0]",
    "secure-boot": "modprobe: ERROR: could not insert 'amdgpu': Key was rejected by service",
    "unknown-parameter": "amdgpu: unknown parameter 'gtt_size' ignored",
    "pcie-error": "pcieport 0000:00:01.1: AER: Uncorrectable (Fatal) error message received",
    "memory-error": "amdgpu: 1 uncorrectable hardware errors detected in umc block",
    "throttled": "amdgpu 0000:03:00.0: amdgpu: WARN: GPU is throttled, expect performance decrease",
}


def test_every_signature_has_an_example():
    assert set(LINES) == {signature.id for signature in SIGNATURES}


@pytest.mark.parametrize(("name", "line"), LINES.items(), ids=list(LINES))
def test_an_example_is_recognised_as_itself(name, line):
    found = signatures.of_line(f"[   12.345678] {line} and more")
    assert found is not None
    assert found.id == name
    assert found.fix or found.verdict is Verdict.INFO


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "amdgpu 0000:03:00.0: amdgpu: VRAM: 32624M",
        "[drm] Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 1",
        "amdgpu: module verification failed: signature and/or required key missing - tainting",
        "usb 1-1: reset high-speed USB device number 2",
        "0x10080000 0x1001",
        "nvme nvme0: failed to set APST feature",
        "[gfx1201] 20 steps in 4 s",
    ],
)
def test_ordinary_lines_mean_nothing(line):
    assert signatures.of_line(line) is None


def test_signatures_name_rows_that_exist():
    rows = {row.id for row in ROWS}
    assert {signature.check for signature in SIGNATURES} - {None} <= rows


def test_repeated_lines_are_counted_and_the_worst_comes_first():
    text = f"{LINES['throttled']}\n{LINES['reset-failed']}\n{LINES['throttled']}\n"
    found = explaining.explain(text)
    assert [(known.signature, known.count) for known in found] == [
        ("reset-failed", 1),
        ("throttled", 2),
    ]


RESERVED = (
    "03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 "
    "[Radeon AI PRO R9700] [1002:7551] (rev c0)\n"
    "\tKernel driver in use: vfio-pci\n\tKernel modules: amdgpu\n"
)
NOMODESET = "[    0.0] Kernel command line: ro nomodeset quiet\n[    1.0] amdgpu 0000:03:00.0: x\n"


@pytest.mark.parametrize(
    ("text", "check"), [(RESERVED, "gpu.driver"), (NOMODESET, "kernel.cmdline")]
)
def test_pasted_text_is_judged_by_the_rules_too(text, check):
    assert check in {known.check for known in explaining.explain(text)}


@pytest.mark.parametrize("text", ["", "hello", "all is well\n" * 100, "\0\xff" * 100])
def test_nothing_known(text):
    assert explaining.explain(text) == ()


def test_a_long_log_takes_seconds_at_most():
    text = "[   12.345678] usb 1-1: new high-speed USB device number 2 using xhci_hcd\n" * 50_000
    began = time.monotonic()
    explaining.explain(text + LINES["hsa-aperture"])
    assert time.monotonic() - began < 10
