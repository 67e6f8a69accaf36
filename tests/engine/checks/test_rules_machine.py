"""The machine around the GPU: what each fact alone does to a healthy one."""

from __future__ import annotations

import gzip
import logging

import pytest

from engine.checks import judge, rules
from engine.checks.rules import Row
from engine.checks.snapshot import Node, Snapshot
from engine.port import Gate, GpuKind, Verdict
from tests.fakes.machines import (
    BOOT_LOG,
    CARD,
    HEALTHY,
    KFD_NODE,
    healthy,
    verdict,
    verdicts,
)

ABSENT = Node(type="absent")


def test_everything_passes_on_a_healthy_machine():
    report = judge.judge(HEALTHY)
    assert {key[0]: v for key, v in verdicts(report).items() if v not in ("pass", "info")} == {
        "part.mode": "na",
        "pcie.acs": "unknown",  # only root can read it
        "selftest": "unknown",
    }
    assert report.gate is Gate.NEEDS_SELFTEST
    assert report.chosen_gpu == "0000:03:00.0"
    (gpu,) = report.gpus
    assert (gpu.name, gpu.gfx, gpu.pci_id) == ("Radeon AI PRO R9700", "gfx1201", "1002:7551")
    assert gpu.kind is GpuKind.DISCRETE
    assert gpu.is_usable


def test_nothing_known_is_unknown_and_never_passes():
    report = judge.judge(Snapshot())
    assert {check.verdict for check in report.checks} <= {
        Verdict.UNKNOWN,
        Verdict.INFO,
    }
    assert report.gate is Gate.NEEDS_SELFTEST


# --- platform -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"machine": "aarch64"}, "fail"),
        ({"sysname": "FreeBSD"}, "fail"),
        ({"files": {"/sys/class/dmi/id/sys_vendor": "QEMU"}}, "warn"),
        ({"files": {"/sys/class/dmi/id/sys_vendor": "VMware, Inc."}}, "warn"),
        ({"files": {"/sys/class/dmi/id/product_name": "Virtual Machine"}}, "warn"),
        ({"files": {"/proc/cpuinfo": "flags : fpu vme de pse tsc msr pae hypervisor"}}, "warn"),
        ({"files": {"/.dockerenv": ""}, "nodes": {"/.dockerenv": None}}, "warn"),
        ({"files": {"/proc/1/cgroup": "0::/docker/0123"}}, "warn"),
        ({"files": {"/proc/self/uid_map": "0 100000 65536"}}, "warn"),
        ({"files": {"/proc/version": "Linux version 5.15 microsoft-standard-WSL2"}}, "warn"),
        ({"nodes": {"/dev/dxg": Node(type="char")}}, "warn"),
        ({"nodes": {"/.dockerenv": None}}, "unknown"),
    ],
)
def test_platform(changes, expected):
    assert verdict(healthy(**changes), "plat.os") == expected


def test_a_chromebook_is_no_virtual_machine():
    files = {"/sys/class/dmi/id/sys_vendor": "Google", "/sys/class/dmi/id/product_name": "Kasumi"}
    assert verdict(healthy(files=files), "plat.os") == "pass"


def test_wsl_rules_out_what_only_hardware_shows():
    report = judge.judge(healthy(nodes={"/dev/dxg": Node(type="char")}))
    by_id = {check.id: check.verdict.value for check in report.checks}
    for check in ("kfd.present", "dev.perm", "iommu", "pcie.rebar", "boot.uefi", "kernel.config"):
        assert by_id[check] == "na"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "pass"),
        ({"nodes": {"/sys/firmware/efi": ABSENT}}, "warn"),
        ({"nodes": {"/sys/firmware/efi": None}}, "unknown"),
        (
            {
                "nodes": {"/sys/firmware/efi": ABSENT},
                "files": {"/sys/class/dmi/id/sys_vendor": "QEMU"},
            },
            "na",
        ),
    ],
)
def test_uefi(changes, expected):
    assert verdict(healthy(**changes), "boot.uefi") == expected


# --- kernel ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("release", "target", "expected"),
    [
        ("6.14.0-29-generic", 120001, "pass"),
        ("6.8.0-40-generic", 120001, "warn"),
        ("6.17.0", 110501, "warn"),
        ("6.18.4", 110501, "pass"),
        ("7.2.13", 110501, "pass"),
        ("999999.1", 110501, "unknown"),
    ],
)
def test_kernel_version(release, target, expected):
    text = f"simd_count 80\nsimd_per_cu 2\ngfx_target_version {target}\nlocation_id 768"
    snapshot = healthy(files={f"{KFD_NODE}/properties": text, f"{CARD}/device": "0x7fff"},
                       release=release)  # fmt: skip
    assert verdict(snapshot, "kernel.version") == expected


def test_dkms_makes_the_kernels_number_irrelevant():
    snapshot = healthy(files={"/sys/module/amdgpu/version": "6.16.6"}, release="5.14.0-70")
    assert verdict(snapshot, "kernel.version") == "pass"


def test_an_old_kernel_explains_a_missing_node_and_fails():
    nodes = {"/dev/kfd": Node(type="char", open="ENOMEM")}
    snapshot = healthy(files={f"{KFD_NODE}/properties": None}, nodes=nodes, release="6.5.0")
    assert verdict(snapshot, "kernel.version") == "fail"
    assert "kernel.version" not in judge.judge(snapshot).blocked_by


def configured(text: str, *, has_kfd: bool) -> Snapshot:
    files = {} if has_kfd else {f"{KFD_NODE}/properties": None}
    nodes = {} if has_kfd else {"/dev/kfd": None, "/dev": None}
    snapshot = healthy(files=files, nodes=nodes)
    packed = {"/proc/config.gz": gzip.compress(text.encode())}
    return Snapshot(
        files={**snapshot.files, **packed},
        nodes=snapshot.nodes,
        process=snapshot.process,
        commands=snapshot.commands,
    )


@pytest.mark.parametrize(
    ("text", "has_kfd", "expected"),
    [
        ("CONFIG_HSA_AMD=y", False, "pass"),
        ("# CONFIG_HSA_AMD is not set", False, "fail"),
        ("# CONFIG_HSA_AMD is not set", True, "pass"),
        ("# CONFIG_HSA_AMD_SVM is not set", True, "warn"),
        ("CONFIG_EXT4_FS=y", False, "unknown"),
        ("CONFIG_A=y\n" * 2000, False, "fail"),
    ],
)
def test_kernel_configuration(text, has_kfd, expected):
    snapshot = configured(text, has_kfd=has_kfd)
    assert verdict(snapshot, "kernel.config") == expected
    if expected == "fail":
        assert verdict(snapshot, "kfd.present") == "fail"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ro quiet", "pass"),
        ("ro amd_iommu=on iommu=pt ttm.pages_limit=25165824", "pass"),
        ("ro pci=nocrs,noats amdgpu.cwsr_enable=0", "pass"),
        ("ro iommu=off", "warn"),
        ("ro amdgpu.ppfeaturemask=0xffffffff", "warn"),
        ("ro amdgpu.vm_update_mode=3", "warn"),
        ("ro amdgpu.gttsize=8192", "warn"),
        ("ro mem=256G hbm_mem=128G", "warn"),
        ("ro amdgpu.rebar=0", "warn"),
        ("ro amdgpu.rebar=1", "pass"),
        ("ro modprobe.blacklist=nouveau,amdgpu", "pass"),  # loaded later, as AMD's guides do
        ("{{{{{{", "unknown"),
        ("", "unknown"),
    ],
)
def test_kernel_parameters(text, expected):
    assert verdict(healthy(files={"/proc/cmdline": text}), "kernel.cmdline") == expected


def test_options_of_the_module_count_as_parameters():
    files = {"/etc/modprobe.d/gpu.conf": "options amdgpu ppfeaturemask=0xffffffff"}
    assert verdict(healthy(files=files), "kernel.cmdline") == "warn"


# --- the log --------------------------------------------------------------------------------------

RESET = "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\namdgpu 0000:03:00.0: amdgpu: MODE1 reset\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", "pass"),
        (RESET, "fail"),
        (RESET + "amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!\n", "warn"),
        (RESET + "amdgpu 0000:03:00.0: amdgpu: GPU reset(1) failed\n", "fail"),
        (RESET + "amdgpu 0000:03:00.0: amdgpu: GPU reset end with ret = -110\n", "fail"),
        (RESET + "amdgpu 0000:03:00.0: [drm] device wedged, but recovered through reset\n", "warn"),
        (
            RESET
            + "amdgpu: GPU reset(2) succeeded!\namdgpu: VRAM is lost due to GPU reset!\n",
            "warn",
        ),
        ("[drm] *ERROR* ring gfx_0.0.0 timeout, but soft recovered\n", "warn"),
        ("amdgpu 0000:03:00.0: MES failed to respond to msg=REMOVE_QUEUE\n", "fail"),
        ("amdgpu 0000:03:00.0: [gfxhub] page fault (src_id:0 ring:24 vmid:8)\n", "warn"),
        ("amdgpu 0000:03:00.0: 2 uncorrectable hardware errors detected in umc block\n", "fail"),
        ("amdgpu 0000:03:00.0: WARN: GPU is throttled, expect performance decrease\n", "warn"),
        ("pcieport 0000:00:01.1: pciehp: Slot(0): Link Down\n", "fail"),
        ("pcieport 0000:00:1c.0: pciehp: Slot(9): Link Down\n", "pass"),  # somebody else's slot
        ("amdgpu 0000:03:00.0: BAR 0: no space for [mem size 0x800000000 64bit pref]\n", "pass"),
    ],
)  # fmt: skip
def test_faults_since_boot(lines, expected):
    assert verdict(healthy(commands={"dmesg.txt": BOOT_LOG + lines}), "health.log") == expected


def test_an_excerpt_without_a_fault_proves_nothing():
    log = "amdgpu 0000:03:00.0: amdgpu: VRAM: 32624M\n"
    assert verdict(healthy(commands={"dmesg.txt": log}), "health.log") == "unknown"
    assert verdict(healthy(commands={"dmesg.txt": None}), "health.log") == "unknown"


# --- a rule that fails ----------------------------------------------------------------------------


@pytest.mark.logs("the rule broken failed", level=logging.ERROR)
def test_a_rule_that_raises_is_one_crashed_row(monkeypatch):
    def broken(facts):
        raise ZeroDivisionError

    monkeypatch.setattr(rules, "ROWS", (Row("broken", True, broken), *rules.ROWS))
    report = judge.judge(HEALTHY)
    assert verdicts(report)["broken", None] == "crashed"
    assert len(report.checks) == len(judge.judge(HEALTHY).checks)
    assert report.gate is Gate.BLOCKED
