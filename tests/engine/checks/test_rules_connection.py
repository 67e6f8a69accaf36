"""Slot, memory and several GPUs: what each fact alone does to a healthy machine."""

from __future__ import annotations

import pytest

from engine.checks import judge
from engine.checks.snapshot import Node, Snapshot
from engine.port import Gate, GpuKind, Verdict
from tests.fakes.machines import (
    CARD,
    GIB,
    KFD_NODE,
    healthy,
    resource,
    row,
    rows,
    verdict,
    verdicts,
)

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
