"""This machine, whatever it is: looking at it is quick, harmless and survives odd files."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace

import pytest

from engine.checks import judge, live, recorded
from engine.checks.live import _Collector, _content, _try_open
from tests.fakes.machines import verdicts


@pytest.fixture(scope="module")
def here():
    return live.look()


def test_looking_takes_less_than_a_second():
    began = time.monotonic()
    snapshot = live.look()
    judge.judge(snapshot)
    assert time.monotonic() - began < 1
    assert snapshot.is_live


def test_the_platform_is_this_ones(here):
    assert here.process.sysname == os.uname().sysname
    assert here.process.release == os.uname().release
    assert here.text("/proc/meminfo")


def test_no_row_crashes_here(here):
    assert "crashed" not in verdicts(judge.judge(here)).values()


def test_the_recording_is_judged_like_the_machine(here, tmp_path):
    for name, content in recorded.entries_of(here, {}).items():
        path = tmp_path / "m" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    again = recorded.load(tmp_path / "m")
    assert verdicts(judge.judge(again)) == verdicts(judge.judge(replace(here, is_live=False)))


def test_only_variables_that_bear_on_the_gpu_are_read(monkeypatch):
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "0")
    monkeypatch.setenv("MY_SECRET_TOKEN", "hunter2")
    env = live.look(log=False).process.env
    assert env is not None
    assert env["HIP_VISIBLE_DEVICES"] == "0"
    assert "MY_SECRET_TOKEN" not in env
    assert "HOME" not in env


def test_no_serial_number_is_ever_read(here):
    names = {os.path.basename(path) for path in here.files}  # noqa: PTH119 - recorded paths
    assert not names & {"serial_number", "unique_id", "product_uuid", "product_serial"}
    assert not [path for path, content in here.files.items() if b"unique_id" in content]


def test_an_endless_file_is_cut(tmp_path):
    file = tmp_path / "endless"
    with file.open("wb") as stream:
        stream.truncate(10 * 2**30)
    content = _content(str(file))
    assert content is not None
    assert len(content) == live.MAX_BYTES


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/proc/self/mem"])
def test_what_is_no_plain_file_is_not_read(device):
    collector = _Collector()
    collector._read(device)
    assert not collector._files.get(device)


def test_a_pipe_without_a_writer_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = threading.Event()

    def read():
        _Collector()._read(str(tmp_path / "pipe"))
        done.set()

    threading.Thread(target=read, daemon=True).start()
    assert done.wait(5)


def test_binary_content_and_broken_links(tmp_path):
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    collector = _Collector()
    assert collector._read(str(tmp_path / "binary")) == bytes(range(256))
    assert collector._read(str(tmp_path / "broken")) is None
    assert collector._nodes[str(tmp_path / "broken")].type == "absent"


def test_a_file_that_vanishes_after_being_listed(tmp_path):
    (tmp_path / "gone").write_text("x")
    collector = _Collector()
    names = collector._list(str(tmp_path))
    (tmp_path / "gone").unlink()
    for name in names:
        collector._read(f"{tmp_path}/{name}")
    assert collector._nodes[f"{tmp_path}/gone"].type == "absent"


def test_a_file_that_may_not_be_read_is_recorded_with_its_error(tmp_path, monkeypatch):
    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(live.os, "open", refuse)  # root may read anything
    collector = _Collector()
    collector._read(str(tmp_path / "secret"))
    assert collector._nodes[str(tmp_path / "secret")].open == "EACCES"
    assert _try_open("/dev/kfd") == "EACCES"


def test_after_the_time_limit_the_rest_is_unknown(tmp_path):
    (tmp_path / "file").write_text("x")
    collector = _Collector()
    collector._deadline = time.monotonic() - 1
    assert collector._read(str(tmp_path / "file")) is None
    assert collector._nodes == {}
