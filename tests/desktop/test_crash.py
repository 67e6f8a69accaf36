"""Crashes, in processes of their own: the traceback is in the log, one line on the terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

START = """
import sys, threading
from pathlib import Path
from desktop import crash, logs
say = lambda line: print(line, file=sys.stderr)
folder = Path(sys.argv[1])
log_file = logs.start(folder, say=say)
crash.CrashHandler(log_file, say).install()
crash.native_stacks.keep_in(folder)
def broken(): raise TypeError("inner detail")
"""


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", START + code, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=REPOSITORY,
    )


@pytest.mark.parametrize(
    ("code", "status", "where"),
    [
        ("broken()", 1, "the main thread"),
        ("t = threading.Thread(target=broken, name='engine'); t.start(); t.join()", 0, "engine"),
        ("class A:\n    __del__ = lambda self: broken()\nA()", 0, "__del__|lambda"),
    ],
)
def test_a_bug_is_one_line_and_a_traceback_in_the_log(tmp_path, code, status, where):
    done = run(code, tmp_path)
    log = tmp_path / "danqing.log"
    assert done.returncode == status
    assert done.stderr == f"Danqing is broken here (TypeError); the details are in {log}\n"
    text = log.read_text("utf-8")
    assert "CRITICAL" in text
    assert "Traceback (most recent call last)" in text
    assert "TypeError: inner detail" in text
    assert any(name in text for name in where.split("|"))


def test_without_a_log_the_traceback_is_not_lost(tmp_path):
    (tmp_path / "file").touch()
    done = run("broken()", tmp_path / "file")
    assert done.returncode == 1
    assert "No log is kept" in done.stderr
    assert "TypeError: inner detail" in done.stderr
    assert "please report" in done.stderr


def test_a_crash_of_native_code_leaves_the_stacks_for_the_next_start(tmp_path):
    def crash_here():
        return run("import faulthandler\ndef native(): faulthandler._sigsegv()\nnative()", tmp_path)

    assert crash_here().returncode < 0
    assert "in native" in (tmp_path / "crash.log").read_text("utf-8")
    assert run("", tmp_path).returncode == 0
    assert (tmp_path / "crash.log").read_text("utf-8") == ""
    assert "in native" in (tmp_path / "crash-previous.log").read_text("utf-8")
    assert "crashed in native code" in (tmp_path / "danqing.log").read_text("utf-8")


@pytest.mark.slow
def test_stacks_are_kept_after_paddle_claimed_the_signals(tmp_path):
    code = (
        "import faulthandler\n"
        "from engine import bootstrap\n"
        "bootstrap.prepare(1)\n"
        "with bootstrap.quiet_import():\n    import paddle\n"
        "crash.native_stacks.reclaim()\n"
        "def native(): faulthandler._sigsegv()\n"
        "native()\n"
    )
    assert run(code, tmp_path).returncode < 0
    assert "in native" in (tmp_path / "crash.log").read_text("utf-8")
