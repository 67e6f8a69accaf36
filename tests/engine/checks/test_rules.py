"""What each fact alone does to a healthy machine."""

from __future__ import annotations

import gzip
import json
import logging
from typing import Any

import pytest

from engine.checks import judge, rules
from engine.checks.rules import Row
from engine.checks.snapshot import Node, Snapshot
from engine.port import Gate, GpuKind, Verdict
from tests.fakes.machines import (
    BOOT_LOG,
    CARD,
    GIB,
    HEALTHY,
    KFD_NODE,
    PADDLE,
    healthy,
    resource,
    row,
    rows,
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


# --- the card -------------------------------------------------------------------------------------


def without_card(**more: str) -> Snapshot:
    """The healthy machine after its card was taken out."""
    files = {path: None for path in HEALTHY.files if path.startswith((CARD, KFD_NODE))}
    nodes = {path: None for path in HEALTHY.nodes if path.startswith(CARD)}
    commands = {"dmesg.txt": None}
    return healthy(files=files | more, nodes=nodes, commands=commands)


def test_no_card_at_all():
    snapshot = without_card()
    assert verdict(snapshot, "gpu.present") == "fail"
    for check in ("gpu.driver", "kfd.present", "dev.perm", "pcie.rebar", "mem.vram", "rocm.arch"):
        assert verdict(snapshot, check) == "na"
    assert judge.judge(snapshot).gate is Gate.BLOCKED


@pytest.mark.parametrize(
    ("vendor", "name"), [("0x10de", "NVIDIA"), ("0x8086", "Intel"), ("0x15ad", "VMware")]
)
def test_another_vendors_card_is_named(vendor, name):
    other = "/sys/bus/pci/devices/0000:05:00.0"
    found = row(without_card(**{f"{other}/vendor": vendor, f"{other}/class": "0x030000"}),
                "gpu.present")  # fmt: skip
    assert found.verdict is Verdict.FAIL
    assert name in f"{found.measured} {found.summary}"


def test_an_incomplete_list_proves_no_absence():
    files = {path: None for path in HEALTHY.files if path.startswith((CARD, KFD_NODE))}
    nodes = {path: None for path in HEALTHY.nodes if path.startswith(CARD)}
    snapshot = healthy(
        files=files, nodes={**nodes, "/sys/bus/pci/devices": None}, commands={"dmesg.txt": None}
    )
    assert verdict(snapshot, "gpu.present") == "unknown"


def test_an_audio_function_is_no_gpu():
    audio = "/sys/bus/pci/devices/0000:03:00.1"
    more = {f"{audio}/vendor": "0x1002", f"{audio}/class": "0x040300"}
    assert [gpu.key for gpu in judge.judge(healthy(files=more)).gpus] == ["0000:03:00.0"]


def test_an_unknown_card_warns_and_blocks_nothing():
    report = judge.judge(healthy(files={f"{CARD}/device": "0x7fff"}))
    found = next(check for check in report.checks if check.id == "gpu.identity")
    assert found.verdict is Verdict.WARN
    assert report.gate is Gate.NEEDS_SELFTEST


def driver(target: str | None) -> dict[str, Any]:
    node = ABSENT if target is None else Node(type="link", target=f"../bus/pci/drivers/{target}")
    nodes = {f"{CARD}/driver": node}
    return {"nodes": nodes, "files": dict.fromkeys((f"{KFD_NODE}/properties",)),
            "commands": {"dmesg.txt": None}}  # fmt: skip


@pytest.mark.parametrize("name", ["vfio-pci", "radeon", None])
def test_another_or_no_driver_blocks(name):
    snapshot = healthy(**driver(name))
    assert verdict(snapshot, "gpu.driver") == "fail"
    assert verdict(snapshot, "kfd.present") == "fail"
    assert judge.judge(snapshot).gate is Gate.BLOCKED


@pytest.mark.parametrize(
    ("files", "word"),
    [
        ({"/proc/cmdline": "ro nomodeset quiet"}, "nomodeset"),
        ({"/proc/cmdline": "ro modprobe.blacklist=amdgpu"}, "blacklist"),
        ({"/etc/modprobe.d/x.conf": "# no\nblacklist amdgpu"}, "modprobe.d"),
        (
            {
                "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c":
                "\x06\0\0\0\x01"
            },
            "Secure Boot",
        ),
    ],
)  # fmt: skip
def test_why_there_is_no_driver(files, word):
    changes = driver(None)
    found = row(healthy(**{**changes, "files": changes["files"] | files}), "gpu.driver")
    assert word in str(found.summary)
    assert found.fix


def test_an_initialisation_that_failed_says_why():
    log = (
        "amdgpu 0000:03:00.0: amdgpu: Fatal error during GPU init\n"
        "amdgpu: probe of 0000:03:00.0 failed with error -12\n"
    )
    changes: dict[str, Any] = {**driver(None), "commands": {"dmesg.txt": log}}
    found = row(healthy(**changes), "gpu.driver")
    assert "-12" in str(found.summary)
    assert "ASUS" in str(found.fix[0])


@pytest.mark.parametrize(
    ("version", "expected"), [("6.16.6", "pass"), ("6.10.5", "warn"), ("5.18.13", "warn")]
)
def test_an_old_dkms_driver_warns(version, expected):
    files = {"/sys/module/amdgpu/version": version}
    found = row(healthy(files=files), "gpu.driver")
    assert found.verdict.value == expected
    assert "DKMS" in str(found.measured)


def test_amdgpu_pro_is_named():
    nodes = {"/opt/amdgpu-pro": Node(type="dir")}
    assert "amdgpu-pro" in str(row(healthy(nodes=nodes), "gpu.driver").measured)


def test_missing_firmware_blocks_only_where_the_card_does_not_run():
    line = "amdgpu 0000:03:00.0: Direct firmware load for amdgpu/psp.bin failed with error -2\n"
    running = healthy(commands={"dmesg.txt": BOOT_LOG + line})
    assert verdict(running, "gpu.firmware") == "warn"
    stopped = healthy(**{**driver(None), "commands": {"dmesg.txt": line}})
    assert verdict(stopped, "gpu.firmware") == "fail"
    assert "linux-firmware" in str(row(stopped, "gpu.firmware").fix[0])


def test_benign_firmware_lines_do_nothing():
    lines = (
        "amdgpu 0000:03:00.0: amdgpu: Optional firmware amdgpu/isp.bin was not found\n"
        "amdgpu 0000:03:00.0: amdgpu: RAS: optional ras ta ucode is not available\n"
        "amdgpu 0000:03:00.0: amdgpu: SMU driver if version not matched\n"
    )
    snapshot = healthy(commands={"dmesg.txt": BOOT_LOG + lines})
    assert verdict(snapshot, "gpu.firmware") == "pass"
    assert verdict(snapshot, "health.log") == "pass"


# --- compute driver, permissions ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opened", "permission", "present"),
    [
        ("OK", "pass", "pass"),
        ("EACCES", "fail", "pass"),
        ("EPERM", "fail", "pass"),
        ("EINVAL", "fail", "pass"),
        ("EBUSY", "fail", "pass"),
        ("ENOMEM", "na", "fail"),
        ("ENOENT", "na", "fail"),
    ],
)
def test_opening_the_compute_device(opened, permission, present):
    node = Node(type="char", open=opened, group="render", mode=0o660)
    snapshot = healthy(nodes={"/dev/kfd": node})
    assert verdict(snapshot, "dev.perm") == permission
    assert verdict(snapshot, "kfd.present") == present


def test_the_render_node_counts_too():
    node = Node(type="char", open="EACCES", group="render")
    found = row(healthy(nodes={"/dev/dri/renderD128": node}), "dev.perm")
    assert found.verdict is Verdict.FAIL
    assert "renderD128" in str(found.summary)


def test_a_group_that_counts_from_the_next_login_on():
    node = Node(type="char", open="EACCES", group="render", mode=0o660)
    nodes = {"/dev/kfd": node}
    waiting = row(healthy(nodes=nodes, groups=("<user>",)), "dev.perm")
    assert "log out" in str(waiting.fix[0])
    missing = row(healthy(nodes=nodes, groups=(), groups_configured=()), "dev.perm")
    assert "usermod -aG render" in str(missing.fix[0])


def test_an_access_list_that_ends_with_the_session_warns():
    assert verdict(healthy(groups=("<user>",)), "dev.perm") == "warn"


def test_hidden_nodes_in_a_container():
    files: dict[str, str | None] = {
        f"{KFD_NODE}/properties": None,
        f"{KFD_NODE}/io_links/0/properties": None,
    }
    nodes = {f"{KFD_NODE}/properties": Node(type="file", open="EPERM")}
    found = row(healthy(files=files, nodes=nodes), "kfd.present")
    assert found.verdict is Verdict.FAIL
    assert "container" in str(found.summary)


def test_a_second_card_that_the_compute_driver_skips_warns():
    second = "/sys/bus/pci/devices/0000:07:00.0"
    files = {f"{second}/vendor": "0x1002", f"{second}/class": "0x030000",
             f"{second}/device": "0x67df"}  # fmt: skip
    log = BOOT_LOG + "kfd kfd: amdgpu: skipped device 1002:67df, PCI rejects atomics 730<0\n"
    snapshot = healthy(files=files, commands={"dmesg.txt": log})
    assert verdict(snapshot, "kfd.present") == "warn"
    report = judge.judge(snapshot)
    assert report.chosen_gpu == "0000:03:00.0"
    assert report.gate is Gate.NEEDS_SELFTEST


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


# --- PCIe -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "above", "rebar"),
    [
        (resource(0x7000000000, 32 * GIB), "pass", "pass"),
        (resource(0x7000000000, 2**28), "pass", "warn"),
        (resource(0xE0000000, 2**28), "warn", "warn"),
        (resource(0, 2**28, 0x2014220C), "warn", "unknown"),
        ("garbage", "unknown", "unknown"),
        (resource(0x7000000000, 2**50), "unknown", "unknown"),
    ],
)
def test_bars(text, above, rebar):
    files = {f"{CARD}/resource": text, f"{CARD}/mem_info_vis_vram_total": None}
    snapshot = healthy(files=files, commands={"dmesg.txt": None})
    assert verdict(snapshot, "pcie.above4g") == above
    assert verdict(snapshot, "pcie.rebar") == rebar


def test_visible_memory_beats_the_bar():
    files = {f"{CARD}/mem_info_vis_vram_total": str(2**28)}
    found = row(healthy(files=files), "pcie.rebar")
    assert found.verdict is Verdict.WARN
    assert "ASUS" in str(found.fix[0])


@pytest.mark.parametrize(
    ("width", "speed", "busy", "expected"),
    [
        ("16", "32.0 GT/s PCIe", "0", "pass"),
        ("16", "2.5 GT/s PCIe", "0", "pass"),  # asleep
        ("16", "2.5 GT/s PCIe", "99", "warn"),
        ("8", "32.0 GT/s PCIe", "0", "warn"),
        ("4", "8.0 GT/s PCIe", "0", "warn"),
        ("255", "Unknown", "0", "unknown"),
    ],
)
def test_link(width, speed, busy, expected):
    top = "/sys/bus/pci/devices/0000:01:00.0"
    files = {f"{top}/current_link_width": width, f"{top}/current_link_speed": speed,
             f"{CARD}/gpu_busy_percent": busy}  # fmt: skip
    assert verdict(healthy(files=files), "pcie.link") == expected


@pytest.mark.parametrize(("flags", "expected"), [(1, "pass"), (4, "warn"), (12, "warn")])
def test_atomics(flags, expected):
    text = f"node_from 1\nnode_to 0\nflags {flags}"
    assert verdict(healthy(files={f"{KFD_NODE}/io_links/0/properties": text}),
                   "pcie.atomics") == expected  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "pass"),
        ({"files": {"/proc/cmdline": "ro iommu=off"}}, "pass"),  # the devices show it active
        (
            {
                "files": {"/proc/cmdline": "ro amd_iommu=off"},
                "nodes": {f"{CARD}/iommu_group": None, "/sys/class/iommu/ivhd0": None},
            },
            "warn",
        ),
        (
            {
                "nodes": {
                    f"{CARD}/iommu_group": None,
                    "/sys/class/iommu/ivhd0": None,
                    "/sys/class/iommu": Node(type="dir", is_complete=True),
                }
            },
            "warn",
        ),
        (
            {
                "files": {"/proc/cmdline": "ro iommu=pt"},
                "nodes": {f"{CARD}/iommu_group": None, "/sys/class/iommu/ivhd0": None},
            },
            "unknown",
        ),
    ],
)
def test_iommu(changes, expected):
    assert verdict(healthy(**changes), "iommu") == expected


def two_cards(kind: str) -> Snapshot:
    second = "/sys/bus/pci/devices/0000:07:00.0"
    files = {
        f"{second}/vendor": "0x1002",
        f"{second}/class": "0x030000",
        f"{second}/device": "0x7551",
        "/sys/kernel/iommu_groups/15/type": kind,
    }
    return healthy(files=files)


@pytest.mark.parametrize(("kind", "expected"), [("identity", "pass"), ("DMA-FQ", "warn")])
def test_iommu_with_two_cards(kind, expected):
    assert verdict(two_cards(kind), "iommu") == expected


# --- memory, several GPUs -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "expected", "word"),
    [
        (32 * GIB, "pass", "bf16"),
        (30576 * 2**20, "pass", "bf16"),  # ECC
        (24 * GIB, "warn", "32 GiB"),
        (2**29, "fail", ""),
        (100 * GIB, "unknown", "trusted"),
        (10**17, "unknown", ""),
    ],
)
def test_gpu_memory(size, expected, word):
    files = {f"{CARD}/mem_info_vram_total": str(size), f"{CARD}/mem_info_vis_vram_total": None}
    found = row(healthy(files=files), "mem.vram")
    assert found.verdict.value == expected
    assert word in str(found.summary)


def test_a_smaller_card_names_what_fits():
    files = {f"{CARD}/device": "0x7fff", f"{CARD}/mem_info_vram_total": str(8 * GIB)}
    found = row(healthy(files=files), "mem.vram")
    assert "streamed" in str(found.summary)
    assert "int8" not in str(found.summary)


INTEGRATED = "/sys/bus/pci/devices/0000:0d:00.0"


def with_integrated(**more: str) -> Snapshot:
    files = {
        f"{INTEGRATED}/vendor": "0x1002",
        f"{INTEGRATED}/device": "0x13c0",
        f"{INTEGRATED}/revision": "0xc9",
        f"{INTEGRATED}/class": "0x030000",
        f"{INTEGRATED}/mem_info_vram_total": str(2 * GIB),
        f"{INTEGRATED}/mem_info_gtt_total": str(64 * GIB),
        "/sys/class/kfd/kfd/topology/nodes/2/properties": (
            "simd_count 4\nsimd_per_cu 2\ngfx_target_version 100306\nlocation_id 3328"
        ),
    }
    nodes = {f"{INTEGRATED}/driver": Node(type="link", target="../bus/pci/drivers/amdgpu")}
    return healthy(files=files | more, nodes=nodes)


def test_the_card_is_chosen_and_not_the_larger_shared_memory():
    snapshot = with_integrated()
    report = judge.judge(snapshot)
    assert report.chosen_gpu == "0000:03:00.0"
    assert {gpu.key: gpu.kind.value for gpu in report.gpus} == {
        "0000:03:00.0": "discrete",
        "0000:0d:00.0": "integrated",
    }
    assert verdict(snapshot, "multi.gpu") == "warn"
    by_gpu = {check.gpu: check.verdict.value for check in rows(snapshot, "pcie.rebar")}
    assert by_gpu == {"0000:03:00.0": "pass", "0000:0d:00.0": "na"}


def test_a_failure_of_the_other_gpu_does_not_block():
    nodes = {f"{INTEGRATED}/driver": Node(type="link", target="../bus/pci/drivers/vfio-pci")}
    snapshot = with_integrated()
    snapshot = Snapshot(
        files=snapshot.files,
        nodes={**snapshot.nodes, **nodes},
        process=snapshot.process,
        commands=snapshot.commands,
    )
    report = judge.judge(snapshot)
    assert verdicts(report)["gpu.driver", "0000:0d:00.0"] == "fail"
    assert report.gate is Gate.NEEDS_SELFTEST


def test_partitions_of_one_card_are_gpus_of_their_own():
    properties = (
        "simd_count 152\nsimd_per_cu 4\ngfx_target_version 90402\nlocation_id 768\n"
        "device_id 29857\nnum_xcc 1"
    )
    files = {
        f"{CARD}/device": "0x74a1",
        f"{CARD}/class": "0x120000",
        f"{CARD}/current_compute_partition": "CPX",
        f"{CARD}/current_memory_partition": "NPS4",
        f"{KFD_NODE}/properties": properties,
        "/sys/class/kfd/kfd/topology/nodes/2/properties": properties,
    }
    snapshot = healthy(files=files)
    report = judge.judge(snapshot)
    assert [gpu.key for gpu in report.gpus] == ["0000:03:00.0", "kfd:2"]
    assert {gpu.kind for gpu in report.gpus} == {GpuKind.PARTITION}
    assert {check.verdict for check in rows(snapshot, "part.mode")} == {Verdict.WARN}


# --- software -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "expected"), [("7.1.1", "pass"), ("6.4.1-83", "pass"), ("6.3.2", "warn")]
)
def test_rocm_version(version, expected):
    files = {"/opt/rocm/.info/version": version}
    assert verdict(healthy(files=files), "rocm.install") == expected


def nowhere() -> dict[str, Node]:
    folders = ("/usr/lib64", "/usr/lib", "/usr/lib/x86_64-linux-gnu", "/opt")
    return {folder: Node(type="dir", is_complete=True) for folder in folders}


def test_no_rocm_anywhere_blocks():
    snapshot = healthy(files={"/opt/rocm/.info/version": None}, nodes=nowhere())
    assert verdict(snapshot, "rocm.install") == "fail"


def test_rocm_of_the_distribution_and_in_the_wheel():
    nodes = {**nowhere(), "/usr/lib/libamdhip64.so.7": Node(type="link")}
    files = {"/opt/rocm/.info/version": None}
    assert verdict(healthy(files=files, nodes=nodes), "rocm.install") == "pass"
    bundled = {"paddle.json": json.dumps(PADDLE | {"bundles_rocm": True})}
    snapshot = healthy(files=files, nodes=nowhere(), commands=bundled)
    assert verdict(snapshot, "rocm.install") == "warn"


@pytest.mark.parametrize(
    ("gfx", "env", "expected"),
    [
        (["gfx1201"], {}, "pass"),
        (["gfx906"], {}, "fail"),
        (["gfx1200"], {"HSA_OVERRIDE_GFX_VERSION": "12.0.0"}, "warn"),
    ],
)
def test_kernels_for_this_gpu(gfx, env, expected):
    commands = {"paddle.json": json.dumps(PADDLE | {"gfx": gfx})}
    assert verdict(healthy(commands=commands, env=env), "rocm.arch") == expected


def test_rocblas_without_this_gpu():
    folder = "/opt/rocm/lib/rocblas/library"
    nodes = {
        folder: Node(type="dir", is_complete=True),
        f"{folder}/TensileLibrary_lazy_gfx1100.dat": Node(type="file"),
    }
    assert verdict(healthy(nodes=nodes), "rocm.arch") == "fail"


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({}, "pass"),
        ({"HIP_VISIBLE_DEVICES": "0"}, "pass"),
        ({"HIP_VISIBLE_DEVICES": ""}, "fail"),
        ({"HIP_VISIBLE_DEVICES": "-1"}, "fail"),
        ({"ROCR_VISIBLE_DEVICES": "5"}, "fail"),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, "fail"),
        ({"HSA_OVERRIDE_GFX_VERSION": "12.0.1"}, "fail"),  # it has kernels of its own
        ({"HSA_OVERRIDE_GFX_VERSION": "1030"}, "fail"),
        ({"HSA_OVERRIDE_GFX_VERSION_0": "11.0.0"}, "fail"),
        ({"LD_LIBRARY_PATH": "/usr/local/cuda-12/lib64"}, "warn"),
        ({"LD_LIBRARY_PATH": "/opt/rocm-6.2.0/lib:/opt/rocm-7.0.0/lib"}, "warn"),
        ({"HSA_ENABLE_SDMA": "0"}, "pass"),
        (None, "unknown"),
    ],
)
def test_environment(env, expected):
    assert verdict(healthy(env=env), "env.vars") == expected


@pytest.mark.parametrize(
    ("target", "value", "expected"),
    [
        (100301, "10.3.0", "warn"),
        (100302, "10.3.0", "warn"),
        (110003, "11.0.0", "warn"),
        (100102, "10.3.0", "fail"),
        (110501, "11.0.0", "fail"),
        (110000, "11.0.0", "fail"),  # native: nothing to override
        (90402, "11.0.0", "fail"),
    ],
)
def test_override(target, value, expected):
    text = f"simd_count 80\nsimd_per_cu 2\ngfx_target_version {target}\nlocation_id 768"
    files = {f"{KFD_NODE}/properties": text, f"{CARD}/device": "0x7fff"}
    snapshot = healthy(
        files=files, env={"HSA_OVERRIDE_GFX_VERSION": value}, commands={"paddle.json": None}
    )
    assert verdict(snapshot, "env.vars") == expected


def test_a_root_that_is_not_there():
    nodes = {**nowhere(), "/opt/rocm-6.4": Node(type="absent")}
    assert verdict(healthy(nodes=nodes, env={"ROCM_PATH": "/opt/rocm-6.4"}), "env.vars") == "warn"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (PADDLE, "pass"),
        (PADDLE | {"is_compiled_with_rocm": False}, "fail"),
        (PADDLE | {"is_compiled_with_rocm": False, "is_compiled_with_cuda": True}, "fail"),
        ({"error": "ImportError: libcudart.so.12: cannot open shared object file"}, "fail"),
        ({"error": "ModuleNotFoundError: No module named 'paddle'"}, "fail"),
        ({}, "unknown"),
    ],
)
def test_paddle(answer, expected):
    snapshot = healthy(commands={"paddle.json": json.dumps(answer)})
    assert verdict(snapshot, "paddle.build") == expected


def test_paddlenlp_is_told_and_never_judged():
    broken = PADDLE | {"paddlenlp_error": "ImportError: cannot import name 'X'"}
    found = row(healthy(commands={"paddle.json": json.dumps(broken)}), "paddle.nlp")
    assert found.verdict is Verdict.INFO
    assert "cannot import name" in str(found.measured)


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


# --- evidence that people paste -------------------------------------------------------------------


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
