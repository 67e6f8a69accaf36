"""Recordings from strangers: folders and zips, whole, partial, broken and hostile."""

from __future__ import annotations

import json
import os
import stat
import time
import zipfile
from pathlib import Path

import pytest

from engine.checks import decisions, judge, recorded
from engine.checks.recorded import Reason
from engine.checks.snapshot import Presence
from engine.port import EngineFault, ErrorCode
from tests.fakes.machines import HEALTHY, RECORDED, verdicts


def refusal(place: Path) -> str:
    with pytest.raises(EngineFault) as caught:
        recorded.load(place)
    assert caught.value.error.code is ErrorCode.SNAPSHOT_UNREADABLE
    assert caught.value.error.facts["file"] == place.name
    return str(caught.value.error.facts["reason"])


def folder(place: Path, **files: bytes) -> Path:
    (place / "fs" / "proc").mkdir(parents=True)
    (place / "manifest.json").write_text("{}")
    for name, content in files.items():
        (place / "fs" / "proc" / name).write_bytes(content)
    return place


def zipped(place: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return place


def test_writing_and_reading_again_loses_nothing(tmp_path):
    entries = recorded.entries_of(HEALTHY, {"format": "danqing-machine-snapshot"})
    again = recorded.load(zipped(tmp_path / "m.zip", entries))
    assert again.files == dict(HEALTHY.files)
    assert again.nodes == dict(HEALTHY.nodes)
    assert again.commands == dict(HEALTHY.commands)
    assert again.process == HEALTHY.process
    assert verdicts(judge.judge(again)) == verdicts(judge.judge(HEALTHY))


@pytest.mark.parametrize("depth", ["", "snapshot/", "my-machine/", "x/snapshot/"])
def test_the_snapshot_may_lie_in_a_folder_of_the_zip(tmp_path, depth):
    entries = recorded.entries_of(HEALTHY, {})
    place = zipped(tmp_path / "m.zip", {depth + name: c for name, c in entries.items()})
    assert recorded.load(place).files == dict(HEALTHY.files)


def test_a_recorded_machine_in_its_folder():
    name = "31-r9700-plus-igpu-30576mb"
    inner = recorded.load(RECORDED / name / "snapshot")
    assert recorded.load(RECORDED / name).files == inner.files


@pytest.mark.parametrize("part", ["manifest.json", "stat.json", "process.json"])
@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_a_garbled_part_is_left_out(tmp_path, part, content):
    entries = recorded.entries_of(HEALTHY, {}) | {part: content}
    found = recorded.load(zipped(tmp_path / "m.zip", entries))
    assert found.files == dict(HEALTHY.files)


def test_names_in_a_zip_that_are_not_the_utf8_they_claim_to_be(tmp_path):
    place = zipped(tmp_path / "m.zip", {"manifest.json": b"{}", "fs/proc/猫": b"x"})
    place.write_bytes(place.read_bytes().replace("猫".encode(), b"\x81\x81\x81"))
    assert refusal(place) == Reason.DAMAGED


def test_an_entry_of_a_zip_that_has_no_name(tmp_path):
    place = zipped(tmp_path / "m.zip", {"manifest.json": b"{}", "A": b"x"})
    place.write_bytes(place.read_bytes().replace(b"A", b"\0"))  # zipfile ends names at a NUL
    assert refusal(place) == Reason.DAMAGED


def test_values_of_wrong_types_are_left_out(tmp_path):
    record = {"machine": 7, "groups": "render", "env": {"A": 1, "B": "x"}, "release": []}
    nodes = {"/dev/kfd": {"type": 5, "mode": "99", "major": "x", "open": None}, "/a": 3, "b": {}}
    entries = {"process.json": json.dumps(record).encode(), "stat.json": json.dumps(nodes).encode()}
    found = recorded.load(zipped(tmp_path / "m.zip", entries))
    assert found.process.machine is None
    assert found.process.groups is None
    assert found.process.env == {"B": "x"}
    assert set(found.nodes) == {"/dev/kfd"}
    assert found.nodes["/dev/kfd"].mode is None


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 no zip"])
def test_no_recording_at_all(tmp_path, content):
    (tmp_path / "x.zip").write_bytes(content)
    assert refusal(tmp_path / "x.zip") in (Reason.NO_SNAPSHOT, Reason.DAMAGED)
    assert refusal(tmp_path / "missing.zip") == os.strerror(2)
    (tmp_path / "empty").mkdir()
    assert refusal(tmp_path / "empty") == Reason.NO_SNAPSHOT


def test_a_damaged_zip(tmp_path):
    place = zipped(tmp_path / "m.zip", {"manifest.json": b"{}", "fs/a": os.urandom(5000)})
    content = bytearray(place.read_bytes())
    content[200:400] = bytes(200)
    place.write_bytes(content)
    assert refusal(place) == Reason.DAMAGED


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "fs/../../etc/passwd",
        "/etc/passwd",
        "..\\..\\x",
        "C:/x",
        "fs\\..\\..\\x",
    ],
)
def test_paths_that_climb_out_of_a_zip(tmp_path, name):
    assert refusal(zipped(tmp_path / "m.zip", {"manifest.json": b"{}", name: b"x"})) == (
        Reason.PATH_OUTSIDE
    )


def test_links_in_a_zip(tmp_path):
    info = zipfile.ZipInfo("fs/etc/passwd")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        archive.writestr("manifest.json", "{}")
        archive.writestr(info, "/etc/passwd")
    assert refusal(tmp_path / "m.zip") == Reason.PATH_OUTSIDE


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../../../etc/passwd", "/nowhere/at/all"])
def test_links_that_leave_a_folder(tmp_path, target):
    place = folder(tmp_path / "m")
    (place / "fs" / "proc" / "cmdline").symlink_to(target)
    assert refusal(place) == Reason.PATH_OUTSIDE


def test_a_linked_folder_is_not_entered(tmp_path):
    place = folder(tmp_path / "m", cmdline=b"ro")
    (place / "fs" / "loop").symlink_to(place / "fs", target_is_directory=True)
    assert set(recorded.load(place).files) == {"/proc/cmdline"}


def test_a_pipe_does_not_block(tmp_path):
    place = folder(tmp_path / "m", cmdline=b"ro")
    os.mkfifo(place / "fs" / "proc" / "version")
    assert set(recorded.load(place).files) == {"/proc/cmdline"}


def test_a_pipe_is_no_recording(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe") == Reason.NO_SNAPSHOT


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_an_entry_that_does_not_unpack(tmp_path, method):
    place = tmp_path / "m.zip"
    with zipfile.ZipFile(place, "w", method) as archive:
        archive.writestr("fs/proc/cmdline", os.urandom(2000))
    content = bytearray(place.read_bytes())
    content[60:600] = b"\xff" * 540
    place.write_bytes(content)
    assert refusal(place) == Reason.DAMAGED


def test_a_pipe_decides_nothing_and_is_not_replaced(tmp_path):
    pipe = tmp_path / decisions.FILE_NAME
    os.mkfifo(pipe)
    assert decisions.Decisions(tmp_path).last_passed() is None
    with pytest.raises(EngineFault) as caught:
        decisions.write_whole(pipe, b"{}")
    assert caught.value.error.code is ErrorCode.FILE_NOT_WRITTEN
    assert pipe.is_fifo()


def test_a_zip_bomb(tmp_path):
    bomb = {f"fs/{n}": bytes(recorded.MAX_FILE_BYTES) for n in range(9)}
    place = zipped(tmp_path / "m.zip", {"manifest.json": b"{}", **bomb})
    assert place.stat().st_size < 200_000
    began = time.monotonic()
    assert refusal(place) == Reason.TOO_LARGE
    assert time.monotonic() - began < 5
    one = zipped(tmp_path / "n.zip", {"fs/a": bytes(recorded.MAX_FILE_BYTES + 1)})
    assert refusal(one) == Reason.TOO_LARGE


def test_a_zip_that_lies_about_its_sizes(tmp_path):
    place = zipped(tmp_path / "m.zip", {"fs/a": bytes(recorded.MAX_FILE_BYTES + 5)})
    content = place.read_bytes()
    size = (recorded.MAX_FILE_BYTES + 5).to_bytes(4, "little")
    place.write_bytes(content.replace(size, (100).to_bytes(4, "little")))
    assert refusal(place) in (Reason.TOO_LARGE, Reason.DAMAGED)


def test_a_sparse_file_of_ten_gigabytes(tmp_path):
    place = folder(tmp_path / "m")
    with (place / "fs" / "proc" / "version").open("wb") as stream:
        stream.truncate(10 * 2**30)
    assert refusal(place) == Reason.TOO_LARGE


def test_more_entries_than_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr(recorded, "MAX_ENTRIES", 50)
    entries = {f"fs/sys/{number}": b"" for number in range(51)}
    assert refusal(zipped(tmp_path / "m.zip", entries)) == Reason.TOO_LARGE
    place = folder(tmp_path / "m")
    for number in range(51):
        (place / "fs" / str(number)).touch()
    assert refusal(place) == Reason.TOO_LARGE


@pytest.mark.slow
def test_a_hundred_thousand_entries(tmp_path):
    with zipfile.ZipFile(tmp_path / "m.zip", "w") as archive:
        archive.writestr("manifest.json", "{}")
        for number in range(100_000):
            archive.writestr(f"fs/sys/{number}", b"")
    assert refusal(tmp_path / "m.zip") == Reason.TOO_LARGE


def test_a_record_of_a_path_that_climbs_is_no_path(tmp_path):
    nodes = {
        "/dev/../../etc/passwd": {"type": "file"},
        "/ok": {"type": "link", "target": "../../x"},
    }
    place = zipped(tmp_path / "m.zip", {"stat.json": json.dumps(nodes).encode()})
    found = recorded.load(place)
    assert set(found.nodes) == {"/ok"}
    assert found.text("/ok/etc/passwd") is None
    assert found.presence("/etc/passwd") is Presence.UNKNOWN
