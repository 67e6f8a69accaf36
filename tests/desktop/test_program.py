"""The program as a user starts it: processes, their output and their exit status.

The last part runs the real engine on the starter model, once both are there.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image, ImageStat

import resources

REPOSITORY = Path(__file__).parents[2]

HEAVY = ("numpy", "paddle", "PySide6", "rich", "PIL", "tokenizers", "safetensors", "qasync")

has_engine = pytest.mark.skipif(
    importlib.util.find_spec("engine.session") is None
    or importlib.util.find_spec("engine.catalog") is None
    or not list(resources.path("starter-model", "transformer").glob("*.safetensors")),
    reason="the engine or the starter model's weights are not here",
)


def danqing(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "desktop", *words],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=REPOSITORY,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["generate", "--help"], ["oops"]])
def test_quick_answers_load_nothing_heavy_and_touch_no_file(words, home):
    code = (
        "import sys; from desktop.__main__ import main\n"
        f"sys.argv[1:] = {words!r}\n"
        "status = main()\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "sys.exit(str(loaded) if loaded else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=REPOSITORY,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout + done.stderr
    assert list(home.rglob("*")) == []


def test_version_and_help_are_results():
    version = danqing("--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert re.fullmatch(r"danqing \d+\.\d+\.\d+\S*\n", version.stdout)
    assert "生" not in danqing("--help").stdout
    assert danqing("generate", "--help").returncode == 0


def test_a_poor_terminal_gets_escapes_instead_of_a_crash():
    done = danqing("generate", "--help", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\u4e00" in done.stdout


@pytest.mark.parametrize(
    "words",
    [["oops"], ["--oops"], ["generate"], ["generate", "x", "--steps", "0"], ["models", "oops"]],
)
def test_a_mistake_is_one_line_and_status_2(words):
    done = danqing(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"danqing.*: .+\n", done.stderr)


@pytest.mark.parametrize("state", ["file", "read-only"])
def test_without_a_state_folder_the_program_goes_on(home, state):
    blocker = home / "blocker"
    if state == "file":
        blocker.touch()
    else:
        blocker.symlink_to("/proc")  # nobody makes folders there, root included
    done = danqing("generate", "x", "-o", "x.gif", XDG_STATE_HOME=str(blocker))
    assert done.returncode == 2
    first, last = done.stderr.splitlines()
    assert first.startswith("No log is kept: ")
    assert "saved as .png" in last


def test_a_bug_in_the_command_line_is_one_line_status_1_and_a_logged_traceback(home):
    code = (
        "import sys; from desktop import cli, __main__\n"
        "def broken(*_): raise KeyError('inner')\n"
        "cli.list_models = broken\n"
        "sys.argv[1:] = ['models', 'list']\n"
        "sys.exit(__main__.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=REPOSITORY,
    )
    log = home / ".local/state/danqing/danqing.log"
    assert done.returncode == 1
    assert done.stderr == f"Danqing is broken here (KeyError); the details are in {log}\n"
    assert "KeyError: 'inner'" in log.read_text("utf-8")


# --- with the real engine -------------------------------------------------------------------------


def corner(path: str) -> tuple[int, ...]:
    """The mean colour of the picture's upper left corner."""
    with Image.open(path) as picture:
        mean = ImageStat.Stat(picture.crop((0, 0, 12, 12))).mean
    return tuple(round(value) for value in mean)


@pytest.mark.slow
@has_engine
def test_both_languages_get_the_background_that_was_asked_for(tmp_path):
    for prompt in ("an orange cat on a blue background", "一只橘猫在蓝色背景上"):
        done = danqing("generate", prompt, "--seed", "1", "-o", str(tmp_path))
        assert done.returncode == 0, done.stderr
        red, green, blue = corner(done.stdout.splitlines()[-1])
        assert blue > red + 40
        assert blue > green + 20


@pytest.mark.slow
@has_engine
def test_the_same_seed_makes_the_same_bytes(tmp_path):
    words = ["generate", "a panda", "--seed", str(2**64 - 1), "--steps", "4", "-o", str(tmp_path)]
    first, second = (danqing(*words).stdout.splitlines()[-1] for _ in range(2))
    assert first != second
    assert Path(first).read_bytes() == Path(second).read_bytes()


@pytest.mark.slow
@has_engine
def test_without_a_display_a_picture_is_made_instead(home):
    done = danqing(DISPLAY="", WAYLAND_DISPLAY="", QT_QPA_PLATFORM="")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("danqing: no window: there is no display")
    path = Path(done.stdout.splitlines()[-1])
    assert path.parent == home / "Pictures/Danqing"
    with Image.open(path) as picture:
        assert "Steps: " in picture.text["parameters"]  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.slow
@has_engine
def test_what_the_engine_refuses_is_one_line(tmp_path):
    done = danqing("generate", "x", "--steps", "100000", "-o", str(tmp_path))
    assert done.returncode == 2
    assert re.search(r"^danqing generate: --steps: 100000 is not allowed\. Allowed: .+$",
                     done.stderr, re.MULTILINE)  # fmt: skip
    done = danqing("generate", "x", "--device", "gpu", "-o", str(tmp_path))
    assert done.returncode == 3
    assert "--device gpu: Pictures cannot be made on the GPU." in done.stderr
    assert "--device cpu" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@has_engine
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_job_and_tells_so(tmp_path, number):
    words = ["generate", "x", "--count", "500", "--json", "-o", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "desktop", *words],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=REPOSITORY,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "step":
                break
        process.send_signal(number)
        sent_at_s = time.monotonic()
        end = json.loads(process.stdout.read().splitlines()[-1])
        took_s = time.monotonic() - sent_at_s
    assert (process.returncode, end["event"]) == (130, "cancelled")
    assert took_s < 5


@pytest.mark.slow
@has_engine
def test_a_native_crash_leaves_the_stacks(tmp_path, home):
    words = ["generate", "x", "--count", "50", "--json", "-o", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "desktop", *words],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        cwd=REPOSITORY,
    ) as process:
        assert process.stdout is not None
        assert any(json.loads(line)["event"] == "step" for line in process.stdout)
        process.send_signal(signal.SIGSEGV)
    assert process.returncode == -signal.SIGSEGV
    stacks = (home / ".local/state/danqing/crash.log").read_text("utf-8")
    assert stacks.startswith("Fatal Python error: Segmentation fault")


@pytest.mark.slow
@has_engine
def test_models_list_knows_the_starter_model():
    done = danqing("models", "list", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)[0]["is_demo"] is True
