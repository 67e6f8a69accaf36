"""Every write of a batch fails once, in each way disks fail: nothing is lost, nothing is twice.

The failures come from `faulty_disk.c`, preloaded into the process: pictures and the database meet
them where they would meet real ones.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest

from tests.faults.harness import Desk

PICTURES = 2

KILLED = 0
FAILURES = [
    pytest.param(errno.ENOSPC, id="ENOSPC"),
    pytest.param(errno.EIO, id="EIO"),
    pytest.param(errno.EACCES, id="EACCES"),
    pytest.param(errno.EROFS, id="EROFS"),
    pytest.param(KILLED, id="killed"),
]

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@pytest.fixture(scope="session")
def faulty_disk(tmp_path_factory) -> Path:
    library = tmp_path_factory.mktemp("faulty") / "faulty_disk.so"
    source = Path(__file__).with_name("faulty_disk.c")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-o", library, source, "-ldl"], check=True
    )
    return library


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory, faulty_disk) -> tuple[int, dict[str, str]]:
    """How many writes a batch makes, and the digests of its pictures."""
    home = tmp_path_factory.mktemp("undisturbed")
    desk, count = Desk(home / "home", PICTURES), home / "count"
    status, said = desk.run(
        LD_PRELOAD=str(faulty_disk), FAULT_PATH=str(desk.home), FAULT_COUNT=str(count)
    )
    assert status == 0, said
    return count.stat().st_size, desk.check_complete()


def meet(home: Path, library: Path, number: int, at: int) -> Desk:
    """A batch whose `at`-th write fails with the error `number`, or kills it."""
    desk = Desk(home, PICTURES)
    status, said = desk.run(
        LD_PRELOAD=str(library),
        FAULT_PATH=str(desk.home),
        FAULT_AT=str(at),
        FAULT_ERRNO=str(number),
    )
    assert "Traceback" not in said, f"write {at}: {said}"
    assert status in ((-9, 0) if number == KILLED else (0, 1, 3)), f"write {at}: {said}"
    return desk


def judge(home: Path, library: Path, number: int, at: int, reference: dict[str, str]) -> None:
    desk = meet(home, library, number, at)
    try:
        desk.finish()
        assert desk.check_complete() == reference
    except AssertionError as failure:
        raise AssertionError(f"write {at}, {errno.errorcode.get(number, 'killed')}") from failure
    shutil.rmtree(home)


@needs_compiler
@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("number", FAILURES)
def test_some_writes_fail(number, tmp_path, faulty_disk, undisturbed):
    writes, reference = undisturbed
    for at in random.Random(number).sample(range(1, writes + 1), 3):
        judge(tmp_path / str(at), faulty_disk, number, at, reference)


@needs_compiler
@pytest.mark.fault
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("number", FAILURES)
def test_each_write_fails(number, tmp_path, faulty_disk, undisturbed):
    writes, reference = undisturbed
    for at in range(1, writes + 1):
        judge(tmp_path / str(at), faulty_disk, number, at, reference)


@needs_compiler
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_disk_that_stays_full_loses_nothing(tmp_path, faulty_disk, undisturbed):
    writes, reference = undisturbed
    desk = Desk(tmp_path / "home", PICTURES)
    status, said = desk.run(
        LD_PRELOAD=str(faulty_disk), FAULT_PATH=str(desk.home), FAULT_AT=str(writes * 4 // 5),
        FAULT_ERRNO=str(errno.ENOSPC), FAULT_STAYS="1",
    )  # fmt: skip
    assert status == 1, said
    assert "full" in said
    desk.finish()
    assert desk.check_complete() == reference


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_a_small_disk_that_is_full(tmp_path):
    """A real one: what fits is there, the rest waits until there is room."""
    desk = Desk(tmp_path / "home", 8)
    desk.out.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(desk.out)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        (desk.out / "others").write_bytes(bytes(40_000))
        status, said = desk.run()
        assert status in (1, 3), said
        (desk.out / "others").unlink()
        subprocess.run(["mount", "-o", "remount,size=64m", str(desk.out)], check=True)
        desk.finish()
        desk.check_complete()
    finally:
        subprocess.run(["umount", str(desk.out)], check=True)


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_two_processes_at_once_make_every_picture_once(tmp_path):
    desk = Desk(tmp_path / "home", 10)
    both = [desk.start("--resume") for _ in range(2)]
    said = [process.communicate(timeout=60) for process in both]
    statuses = sorted(process.returncode for process in both)
    assert statuses in ([0, 0], [0, 1]), said
    desk.check_complete()


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_two_crashes_put_a_job_into_quarantine_until_somebody_says_otherwise(tmp_path):
    desk = Desk(tmp_path / "home", 3)
    for options in ((), ("--resume",)):
        process = desk.start(*options, DANQING_TEST_STEP_S="30")
        assert process.stderr is not None
        while "pictures to make" not in process.stderr.readline():
            pass
        wait_until_running(desk)
        process.kill()
        process.communicate()
    status, said = desk.run("--resume")
    assert status == 1, said
    assert "left out" in said
    assert len(desk.pictures()) == 2
    desk.check_database({"finished": 2, "quarantined": 1})
    assert desk.run("--resume")[0] == 1
    status, said = desk.run("--retry-quarantined")
    assert status == 0, said
    assert len(desk.pictures()) == 3
    desk.check_database({"finished": 3})


def wait_until_running(desk: Desk) -> None:
    connection = sqlite3.connect(desk.state / "queue.db")
    for _ in range(500):
        if connection.execute("SELECT 1 FROM jobs WHERE state = 'running'").fetchone():
            connection.close()
            return
        time.sleep(0.02)
    raise AssertionError("no job began")
