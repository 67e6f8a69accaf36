"""The program as a process: it starts, makes way for signals, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys, os, signal, threading
from desktop import app, cli
from tests.fakes.fake_engine import FakeCatalog, FakeEngine
from tests.fakes.script import Script

def report(error, where):
    print("unexpected:", where, repr(error), flush=True)

def open_engine(catalog):
    print("open", flush=True)
    return FakeEngine(Script(step_s=0.05))

before = signal.getsignal(signal.SIGTERM)
checks = app.Checks(cli.open_machine_check, cli.open_selftest, cli.has_gpu_code)
status = app.run(
    open_catalog=FakeCatalog, open_engine=open_engine, checks=checks, report=report
)
print("paddle" in sys.modules, signal.getsignal(signal.SIGTERM) is before, flush=True)
sys.exit(status)
"""


@pytest.fixture
def program(home):
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(Path.cwd())}
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window_in_order(program, number):
    assert program.stdout is not None
    assert program.stdout.readline() == "open\n"
    program.send_signal(number)
    out, err = program.communicate(timeout=20)
    assert out == "False True\n"
    assert err == ""
    assert program.returncode == 0
