"""The log file: bounded, private, and never a reason to stop."""

from __future__ import annotations

import logging
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from desktop import logs

REPOSITORY = Path(__file__).parents[2]

log = logging.getLogger("danqing.test")


@pytest.fixture(autouse=True)
def warnings_stay_warnings():
    yield
    logging.captureWarnings(False)


def started(folder, environment=None) -> list[str]:
    """Start logging; returns the lines that were said to the user."""
    said: list[str] = []
    logs.start(folder, say=said.append, environment=environment or {})
    return said


def test_records_of_every_thread_land_in_a_private_file(home):
    folder = home / "state" / "danqing"
    said = started(folder)
    log.info("made %s pictures", 3)
    text = (folder / "danqing.log").read_text("utf-8")
    assert "MainThread INFO danqing.test: made 3 pictures" in text
    assert folder.stat().st_mode & 0o777 == 0o700
    assert said == []


def test_prompts_which_are_debug_stay_out_unless_asked_for(home):
    started(home)
    log.debug("prompt secret")
    assert "secret" not in (home / "danqing.log").read_text("utf-8")


def test_debug_on_request(home):
    started(home, {"DANQING_LOG": "Debug"})
    log.debug("prompt secret")
    assert "secret" in (home / "danqing.log").read_text("utf-8")


def test_size_and_number_are_bounded(home, monkeypatch):
    monkeypatch.setattr(logs, "MAX_BYTES", 1000)
    started(home)
    for number in range(500):
        log.info("line %s %s", number, "x" * 50)
    files = sorted(home.glob("danqing.log*"))
    assert len(files) == 1 + logs.OLD_FILES
    assert all(file.stat().st_size <= 1000 for file in files)
    assert "line 499" in (home / "danqing.log").read_text("utf-8")


def test_any_text_can_be_logged(home):
    started(home)
    log.info("path %s", "\udcff猫")
    assert "path \\udcff猫" in (home / "danqing.log").read_text("utf-8")


def test_warnings_go_to_the_log(home, expect_log):
    started(home)
    expect_log("careful")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("careful", UserWarning, stacklevel=1)
    assert "careful" in (home / "danqing.log").read_text("utf-8")


def test_a_folder_that_cannot_be_made_costs_the_log_only(home, capsys, expect_log):
    (home / "file").touch()
    said = started(home / "file" / "danqing")
    expect_log("anything")
    log.warning("anything")
    assert len(said) == 1
    assert said[0].startswith("No log is kept: ")
    assert str(home / "file") in said[0]
    assert capsys.readouterr().err == ""


def test_a_disk_that_fills_up_is_told_once(home):
    """In a process of its own, because what could not be written fails once more at its end."""
    (home / "danqing.log").symlink_to("/dev/full")
    code = (
        "import logging, sys; from pathlib import Path; from desktop import logs\n"
        "logs.start(Path(sys.argv[1]), say=lambda line: print(line, file=sys.stderr))\n"
        "logging.warning('first'); logging.warning('second')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
    )
    assert done.stderr == f"No log is kept: {home / 'danqing.log'}: No space left on device.\n"
