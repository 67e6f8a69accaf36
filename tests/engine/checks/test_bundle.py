"""A bundle may be shown to anyone: planted secrets are gone, and the machine is judged the same."""

from __future__ import annotations

import json
import time
import zipfile
from dataclasses import replace

import pytest

from engine.checks import bundle, judge, recorded, report
from engine.checks.redaction import Redaction
from engine.checks.snapshot import Node, Snapshot
from engine.port import EngineFault, ErrorCode
from tests.fakes.machines import CARD, HEALTHY, KFD_NODE, NAMES, recorded_machine, verdicts

HOST, USER, REAL_NAME = "workbench-7", "ada.byron", "Lovelace"
UUID = "5f2b8c1e-9d47-4b0a-8c3e-1f6a7d9e0b42"
MAC = "3c:7c:3f:aa:bb:cc"
SERIAL = "SN0123456789X"
UNIQUE = "a1b2c3d4e5f60718"
PCI_SERIAL = "11-22-33-44-55-66-77-88"
PROMPT = "portrait of my late grandmother"
ADDRESS = "192.168.17.23"
SECRETS = (HOST, USER, REAL_NAME, UUID, MAC, SERIAL, UNIQUE, PCI_SERIAL, PROMPT, ADDRESS)

OWN_OPTIONS = f"# by {USER} {REAL_NAME}\ninstall amdgpu /home/{USER}/x.sh"

REDACTION = Redaction({HOST, USER, REAL_NAME})


def planted() -> Snapshot:
    """The healthy machine with each secret in each place where it can occur."""
    log = (
        f"[    0.000000] Linux version 6.14.0 ({USER}@{HOST}) (gcc)\n"
        f"[    0.000000] Kernel command line: root=UUID={UUID} resume=/dev/disk/by-uuid/{UUID} "
        f"ip=dhcp:{ADDRESS}:{HOST} systemd.hostname={HOST} quiet\n"
        f"Nov 30 12:00:01 {HOST} kernel: amdgpu 0000:03:00.0: amdgpu: serial: {SERIAL}\n"
        f"2026-11-30T12:00:01+0100 {HOST} kernel: e1000e 0000:00:1f.6 eth0: {MAC}\n"
        f"[    9.000000] amdgpu 0000:03:00.0: amdgpu: Unique ID: {UNIQUE}\n"
        f"[    9.000000] amdgpu: Failed to open /home/{USER}/fw.bin for process {USER}\n"
    )
    commands = {
        **HEALTHY.commands,
        "dmesg.txt": log,
        "journal-kernel.txt": log,
        "lspci.txt": (
            "03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] "
            "Navi 48 [1002:7551] (rev c0)\n"
            f"\tCapabilities: [150 v1] Device Serial Number {PCI_SERIAL}\n"
        ),
        "rocminfo.txt": f"Agent 2\n  Name: gfx1201\n  Uuid: GPU-{UNIQUE}\n  BDFID: 768\n",
        "rocm-smi.txt": (
            f"GPU[0] : Serial Number: {SERIAL}\nGPU[0] : Unique ID: 0x{UNIQUE}\n"
            f"GPU[0] : Device Name: X\nhostname: {HOST}\n"
        ),
        "app.log": (
            f'prompt="{PROMPT}"\n{{"prompt": "{PROMPT}", "seed": 3}} rocm\n'
            f"generating {PROMPT}\nPROMPT: {PROMPT} gfx1201\nnegative_prompt = {PROMPT} HIP\n"
            f"/home/{USER}/models/x: HIP error: invalid device function on {HOST}\n"
            f"user={USER} host={HOST} {UUID} {MAC} {ADDRESS}:8080 amdgpu HSA\n"
        ),
    }
    files = {
        **HEALTHY.files,
        "/proc/cmdline": f"root=UUID={UUID} cryptdevice=UUID={UUID}:{HOST} quiet".encode(),
        "/proc/version": f"Linux version 6.14.0 ({USER}@{HOST}) (gcc)".encode(),
        f"{CARD}/unique_id": UNIQUE.encode(),
        f"{CARD}/serial_number": SERIAL.encode(),
        f"{KFD_NODE}/properties": HEALTHY.files[f"{KFD_NODE}/properties"]
        + f"\nunique_id {UNIQUE}".encode(),
        "/sys/class/dmi/id/product_uuid": UUID.encode(),
        "/sys/class/dmi/id/board_serial": SERIAL.encode(),
        "/sys/class/net/eth0/address": MAC.encode(),
        "/etc/hostname": HOST.encode(),
        "/etc/machine-id": UUID.replace("-", "").encode(),
        "/etc/modprobe.d/own.conf": OWN_OPTIONS.encode(),
        f"/home/{USER}/rocm/.info/version": b"7.1.1",
    }
    nodes = {
        **HEALTHY.nodes,
        "/dev/kfd": Node(type="char", open="EACCES", owner=USER, group=USER),
        f"/home/{USER}/rocm": Node(type="link", target=f"/home/{USER}/rocm-7"),
    }
    process = replace(
        HEALTHY.process,
        groups=(USER, "render"),
        groups_configured=(USER, "video"),
        env={
            "ROCM_PATH": f"/home/{USER}/rocm",
            "LD_LIBRARY_PATH": f"/home/{USER}/lib:/media/{USER}/lib",
            "HOSTNAME": HOST,
            "USER": USER,
            "OPENAI_API_KEY": SERIAL,
        },
    )
    return Snapshot(files=files, nodes=nodes, process=process, commands=commands)


def survivors(content: bytes) -> list[str]:
    text = content.decode("utf-8", errors="replace").lower()
    spellings = {secret: (secret.lower(), secret.replace("-", "").lower()) for secret in SECRETS}
    return [secret for secret, forms in spellings.items() if any(form in text for form in forms)]


def test_no_planted_secret_survives(tmp_path):
    machine = planted()
    assert set(SECRETS) == set(survivors(b"\n".join(recorded.entries_of(machine, {}).values())))
    judged = judge.judge(machine)
    bundle.write(tmp_path / "b.zip", bundle.redacted(machine, REDACTION), judged, REDACTION)
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        found = {n: survivors(n.encode() + archive.read(n)) for n in archive.namelist()}
    assert {name: secrets for name, secrets in found.items() if secrets} == {}


def test_the_copied_report_holds_no_secret():
    text = REDACTION.text(report.to_text(judge.judge(planted())))
    assert survivors(text.encode()) == []


def test_this_machines_own_names_are_known(monkeypatch):
    monkeypatch.setattr(bundle.socket, "gethostname", lambda: "workbench-7.example.org")
    monkeypatch.setenv("USER", USER)
    text = bundle.this_machine().text(f"{USER} on workbench-7.example.org, workbench-7")
    assert survivors(text.encode()) == []


@pytest.mark.parametrize("name", [*NAMES, "healthy"])
def test_redaction_changes_no_verdict(name):
    machine = HEALTHY if name == "healthy" else recorded_machine(name)
    clean = bundle.redacted(machine, REDACTION)
    assert verdicts(judge.judge(clean)) == verdicts(judge.judge(machine))


@pytest.mark.parametrize("text", ["a.", "a ", "serial ", "00:", "1.2.3.", "prompt", "/home/", "-"])
def test_long_lines_take_no_long_time(text):
    began = time.monotonic()
    REDACTION.text(text * (2**19 // len(text)))
    assert time.monotonic() - began < 5


def test_a_bundle_is_a_snapshot_with_its_report(tmp_path):
    judged = judge.judge(HEALTHY)
    file = tmp_path / "b.zip"
    bundle.write(file, bundle.redacted(HEALTHY, REDACTION), judged, REDACTION)
    assert verdicts(judge.judge(recorded.load(file))) == verdicts(judged)
    with zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest["format"] == "danqing-machine-snapshot"
        assert manifest["redacted"] is True
        assert report.from_json(archive.read("report.json")).gate is judged.gate
        assert "needs_selftest" in archive.read("report.txt").decode()


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(EngineFault) as caught:
        bundle.write(tmp_path / "file" / "b.zip", HEALTHY, judge.judge(HEALTHY), REDACTION)
    assert caught.value.error.code is ErrorCode.FILE_NOT_WRITTEN
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
