"""The card, its drivers and permissions: what each fact alone does to a healthy machine."""

from __future__ import annotations

from typing import Any

import pytest

from engine.checks import judge
from engine.checks.snapshot import Node, Snapshot
from engine.port import Gate, Verdict
from tests.fakes.machines import (
    BOOT_LOG,
    CARD,
    HEALTHY,
    KFD_NODE,
    healthy,
    row,
    verdict,
)

ABSENT = Node(type="absent")


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
