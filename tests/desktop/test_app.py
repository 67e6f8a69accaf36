"""The program as a process: it starts, makes way for signals, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from desktop import paths

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


REAL_PROGRAM = """
import signal
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
import sys
from desktop import app, cli, crash, logs, paths

class ToldDesk(app.Desk):
    def open(self):
        super().open()
        self.has_told = False
        self.queue.changed.connect(self.tell_ready)
        self.queue.previewed.connect(lambda _: print("drawing", flush=True))

    def tell_ready(self):
        if self.queue.is_engine_ready and not self.has_told:
            self.has_told = True
            print("ready", flush=True)
            if sys.argv[1] == "drawing":
                self.form.update(prompt="an orange cat", steps=100)
                self.window.commands.generate.trigger()

def report(error, where):
    print("unexpected:", where, repr(error), flush=True)

app.Desk = ToldDesk
logs.start(paths.state_folder(), say=print)
crash.native_stacks.keep_in(paths.state_folder())
sys.exit(app.run(
    open_catalog=cli.open_catalog,
    open_engine=lambda catalog: cli.open_engine(catalog, spare_cores=1),
    checks=app.Checks(cli.open_machine_check, cli.open_selftest, cli.has_gpu_code),
    report=report,
))
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


@pytest.fixture
def real_program(home: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """The window with PaddlePaddle and the starter model, once it has come to a state."""
    processes: list[subprocess.Popen[str]] = []

    def reach(state: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", REAL_PROGRAM, state],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(Path.cwd())},
        )
        processes.append(process)
        assert process.stdout is not None
        assert any(line == f"{state}\n" for line in process.stdout)
        return process

    yield reach
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.slow
@pytest.mark.parametrize("state", ["ready", "drawing"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_closes_the_window_also_once_paddle_is_loaded(real_program, state, number):
    program = real_program(state)
    program.send_signal(number)
    _, err = program.communicate(timeout=60)
    assert err == ""
    assert program.returncode == 0
    if state == "drawing":
        with closing(sqlite3.connect(paths.state_folder() / "queue.db")) as database:
            rows = database.execute("SELECT state, holder, left_because FROM jobs").fetchall()
        assert rows == [("waiting", None, "quit")]


@pytest.mark.slow
def test_a_native_crash_of_the_window_leaves_the_stacks(real_program):
    program = real_program("ready")
    program.send_signal(signal.SIGSEGV)
    _, err = program.communicate(timeout=60)
    assert program.returncode == -signal.SIGSEGV
    stacks = (paths.state_folder() / "crash.log").read_text("utf-8")
    assert stacks.startswith("Fatal Python error: Segmentation fault")
    assert "app.py" in stacks
    assert "C++ Traceback" not in err
