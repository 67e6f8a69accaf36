"""Output that is closed, full or unread costs its lines, never a picture or a crash."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]

WITH_A_PRETENDED_ENGINE = """
import sys
from desktop import __main__, cli
from engine.port import ChooseDevice
from tests.fakes.fake_engine import FakeCatalog, FakeEngine
from tests.fakes.script import Script

catalog = FakeCatalog()
cli.real_backend = lambda: cli.Backend(
    open_catalog=lambda: catalog, open_engine=lambda *_: FakeEngine(Script()),
    choose_device=lambda *_: ChooseDevice(),
)
sys.exit(__main__.main())
"""


def program(redirection: str, *words: str, code: str = WITH_A_PRETENDED_ENGINE):
    """Runs the program as `danqing WORDS REDIRECTION` in a shell, which alone can close streams."""
    child = [sys.executable, "-c", code, *words]
    shell = [
        "bash",
        "-c",
        f'set -o pipefail; "$@" {redirection}',
        "bash",
        *child,
    ]
    return subprocess.run(
        shell,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=REPOSITORY,
        timeout=60,
    )


LOST = "danqing: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize("json_option", [[], ["--json"]])
@pytest.mark.parametrize(
    ("redirection", "status"),
    [
        ("> /dev/full", 1),
        ("2> /dev/full", 0),
        ("> /dev/full 2> /dev/full", 1),
        (">&-", 0),
        ("2>&-", 0),
        ("<&- >&- 2>&-", 0),
        ("| true", 0),
    ],
)
def test_pictures_are_made_whatever_becomes_of_the_output(
    tmp_path, redirection, status, json_option
):
    words = ["generate", "x", "--count", "3", "-o", str(tmp_path), *json_option]
    done = program(redirection, *words)
    assert done.returncode == status, done.stderr
    files = list(tmp_path.iterdir())
    assert len(files) == 3
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)
    assert "Traceback" not in done.stderr
    if redirection == "> /dev/full":
        assert done.stderr.endswith(LOST)
    if redirection.startswith("2>"):
        assert str(files[0].parent) in done.stdout


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["models", "list"]])
def test_an_answer_that_cannot_be_written_is_a_failure_in_one_line(words):
    done = program("> /dev/full", *words)
    assert (done.returncode, done.stderr) == (1, LOST)
    assert program(">&-", *words).returncode == 0


@pytest.mark.parametrize("redirection", ["2> /dev/full", "2>&-"])
def test_a_mistake_that_nobody_hears_is_still_one(redirection):
    assert program(redirection, "generate", "x", "--steps", "0").returncode == 2


def test_a_closed_stream_gives_its_number_to_no_file(home):
    """Native code prints into numbers 1 and 2, whatever has been opened there."""
    code = (
        "import os, sys; from desktop import streams\n"
        "streams.prepare()\n"
        f"file = open({str(home / 'file')!r}, 'w')\n"
        "os.write(1, b'noise'); os.write(2, b'noise')\n"
        "sys.stdin.read(); print('lost')\n"
        "sys.exit(0 if file.fileno() > 2 else 9)"
    )
    done = program("<&- >&- 2>&-", code=code)
    assert done.returncode == 0
    assert (home / "file").read_text() == ""


def test_json_tells_a_mistake_too():
    done = program("", "generate", "x", "--steps", "0", "--json")
    assert done.returncode == 2
    (line,) = done.stdout.splitlines()
    event = json.loads(line)
    assert (event["event"], event["images"]) == ("failed", [])
    assert event["error"]["code"] == "usage"
    assert done.stderr == f"danqing generate: {event['error']['summary']}\n"
    assert program("", "generate", "x", "--steps", "0", "--", "--json").stdout == ""


@pytest.mark.parametrize(
    "module", ["typing", "desktop.streams", "desktop.arguments", "engine.port"]
)
def test_an_interrupt_while_the_program_starts_is_quiet(module):
    code = (
        "import os, signal, sys\n"
        # A program that a script starts in the background ignores it, and so do the tests then.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.modules.pop('typing', None)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from desktop.__main__ import main\n"
        "sys.argv[1:] = ['--version']\n"
        "sys.exit(main())"
    )
    done = program("", code=code)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_a_bug_while_pictures_are_saved_stops_the_engine_in_order(tmp_path):
    code = WITH_A_PRETENDED_ENGINE.replace(
        "catalog = FakeCatalog()",
        "from desktop.store import images\n"
        "def broken(*_): raise KeyError('inner')\n"
        "images.encode_png = broken\n"
        "class Told(FakeEngine):\n"
        "    def join(self, timeout_s=None):\n"
        "        print('stopped:', super().join(timeout_s), file=sys.stderr)\n"
        "        return True\n"
        "FakeEngine = Told\n"
        "catalog = FakeCatalog()",
    )
    done = program("", "generate", "x", "--json", "-o", str(tmp_path), code=code)
    assert done.returncode == 1
    assert json.loads(done.stdout.splitlines()[-1])["error"]["code"] == "bug"
    assert "Traceback" not in done.stderr
    assert done.stderr.endswith("stopped: True\n")
    assert list(tmp_path.iterdir()) == []
