"""What programs printed is evidence too, where nothing else is known."""

from __future__ import annotations

import time

import pytest

from engine.checks import judge
from engine.checks.snapshot import Snapshot
from tests.fakes.machines import (
    HEALTHY,
    verdict,
)


def pasted(**commands: str) -> Snapshot:
    return Snapshot(commands={name.replace("_", "."): text for name, text in commands.items()})


def test_a_kernel_log_alone():
    log = (
        "[    0.000000] DMI: QEMU Standard PC (Q35 + ICH9, 2009), BIOS rel-1.16\n"
        "[    1.000000] pci 0000:03:00.0: Adding to iommu group 15\n"
        "[    2.000000] amdgpu 0000:03:00.0: amdgpu: Detected VRAM RAM=16368M, BAR=16384M\n"
        "[    2.100000] amdgpu 0000:03:00.0: BAR 0 [mem 0x7000000000-0x73ffffffff 64bit pref]: "
        "assigned\n"
        "[    3.000000] kfd kfd: amdgpu: added device 1002:7550\n"
        "[    3.100000] [drm] Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 1\n"
    )
    snapshot = pasted(dmesg_txt=log)
    expected = {
        "plat.os": "warn",
        "gpu.present": "pass",
        "gpu.identity": "pass",
        "gpu.driver": "pass",
        "kfd.present": "pass",
        "mem.vram": "pass",
        "pcie.rebar": "pass",
        "pcie.above4g": "pass",
        "health.log": "unknown",
    }
    assert {check: verdict(snapshot, check) for check in expected} == expected


@pytest.mark.parametrize(
    ("line", "above", "driver"),
    [
        ("Memory at <unassigned> (64-bit, prefetchable)", "warn", "fail"),
        ("Memory at e0000000 (64-bit, prefetchable) [size=256M]", "warn", "fail"),
        ("Region 0: Memory at 7000000000 (64-bit, prefetchable) [size=32G]", "pass", "fail"),
    ],
)
def test_lspci_alone(line, above, driver):
    text = (
        "03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 "
        f"[Radeon AI PRO R9700] [1002:7551] (rev c0)\n\t{line}\n\tKernel modules: amdgpu\n"
    )
    snapshot = pasted(lspci_txt=text)
    assert verdict(snapshot, "pcie.above4g") == above
    assert verdict(snapshot, "gpu.driver") == driver
    assert judge.judge(snapshot).gpus[0].name == "Radeon AI PRO R9700"


def test_rocminfo_of_an_overridden_gpu_shows_the_override():
    text = "Agent 2\n  Name: gfx1030\n  Chip ID: 29663(0x73df)\n  Device Type: GPU\n"
    snapshot = Snapshot(
        commands={"rocminfo.txt": text},
        process=HEALTHY.process.__class__(env={"HSA_OVERRIDE_GFX_VERSION": "10.3.0"}),
    )
    assert verdict(snapshot, "env.vars") == "warn"  # it is a gfx1031


def test_a_processor_alone_in_rocminfo():
    text = "ROCk module is loaded\nAgent 1\n  Name: AMD Ryzen\n  Device Type: CPU\n"
    assert verdict(pasted(rocminfo_txt=text), "kfd.present") == "unknown"
    assert verdict(pasted(rocminfo_txt=text + "*** Done ***\n"), "kfd.present") == "fail"


@pytest.mark.parametrize(
    "name", ["dmesg.txt", "lspci.txt", "rocminfo.txt", "rocm-smi.txt", "app.log"]
)
@pytest.mark.parametrize(
    "text", ["amdgpu 0000:03:00.0: x\n", "a", "0x1002:0x", "GPU[0] : ", "[1.0] "]
)
def test_eight_megabytes_of_anything(name, text):
    began = time.monotonic()
    judge.judge(Snapshot(commands={name: text * (2**23 // len(text))}))
    assert time.monotonic() - began < 10


def test_tools_that_miss_the_driver():
    text = "ERROR:root:Driver not initialized (amdgpu not found in modules)"
    assert verdict(pasted(**{"rocm-smi_txt": text}), "gpu.driver") == "fail"


def test_the_newer_table_of_rocm_smi():
    text = (
        "Device  Node  IDs              Temp    Power  Partitions  SCLK  MCLK   VRAM%\n"
        "0       1     0x744c,   28851  34.0°C  10.0W  N/A, N/A, 0 0Mhz  96Mhz  2%\n"
    )
    (gpu,) = judge.judge(pasted(**{"rocm-smi_txt": text})).gpus
    assert gpu.pci_id == "1002:744c"
