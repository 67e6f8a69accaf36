"""PaddlePaddle is asked in a process of its own, once per installation."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from engine.checks import probing
from engine.checks.facts import software
from engine.checks.snapshot import Snapshot


@pytest.fixture
def child(monkeypatch):
    """Replaces the child process's program; counts how often it is started."""
    real, calls = subprocess.run, []

    def use(program: str) -> list:
        def run(command, **options):
            calls.append(command)
            return real([sys.executable, "-c", program], **options)

        monkeypatch.setattr(probing.subprocess, "run", run)
        return calls

    return use


def test_the_real_answer_is_that_of_the_installed_wheel(tmp_path):
    text = probing.answer(tmp_path)
    paddle = software.paddle_of(Snapshot(commands={"paddle.json": text}))
    assert paddle.was_asked
    assert paddle.version == "3.3.1"
    assert paddle.is_rocm is False
    assert paddle.error is None


def test_the_answer_is_kept_until_the_installation_changes(tmp_path, child, monkeypatch):
    calls = child('print(\'{"version": "1"}\')')
    assert json.loads(probing.answer(tmp_path)) == {"version": "1"}
    assert json.loads(probing.answer(tmp_path)) == {"version": "1"}
    assert len(calls) == 1
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "1")
    probing.answer(tmp_path)
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import os; os.abort()", "-6"),
        ("import sys; sys.exit('no libhsa')", "no libhsa"),
        ("print('hello')", "ended with 0"),
    ],
)
def test_a_child_that_dies_is_an_answer_and_is_not_kept(tmp_path, child, program, reason):
    calls = child(program)
    for _ in range(2):
        error = json.loads(probing.answer(tmp_path))["error"]
        assert reason in error
    assert len(calls) == 2


def test_a_child_that_hangs_is_ended(tmp_path, child):
    child("import time; time.sleep(60)")
    assert "no answer" in json.loads(probing.answer(tmp_path, timeout_s=0.5))["error"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"identity": 1}', b"\xff"])
def test_a_broken_cache_is_asked_again(tmp_path, child, content):
    calls = child('print("{}")')
    (tmp_path / probing.FILE_NAME).write_bytes(content)
    assert probing.answer(tmp_path) == "{}"
    assert len(calls) == 1


@pytest.mark.logs("the probe's answer is not kept")
def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path, child):
    child('print("{}")')
    (tmp_path / "file").touch()
    assert probing.answer(tmp_path / "file") == "{}"
