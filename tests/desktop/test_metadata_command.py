"""`danqing metadata` as a user calls it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop import arguments, metadata_command, terminal
from desktop.arguments import ReadMetadata, ShowText, UsageError
from desktop.store import images
from engine.port import RgbImage
from tests.fakes.provenance import history

SAMPLES = Path(__file__).parent / "store/metadata/samples"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))
FORGE = SAMPLES / "png-forge-neo.png"
NOTHING = SAMPLES / "png-gimp-en.png"


def run(*files: Path, is_json: bool = True) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    out, human = io.StringIO(), io.StringIO()
    command = ReadMetadata(files=files, is_json=is_json)
    status = metadata_command.run(command, terminal.Results(out), human)
    return status, out.getvalue(), human.getvalue()


def test_words():
    assert arguments.parse(["metadata", "a.png", "--json", "b.jpg"]) == ReadMetadata(
        files=(Path("a.png"), Path("b.jpg")), is_json=True
    )
    assert isinstance(arguments.parse(["metadata", "--help"]), ShowText)
    with pytest.raises(UsageError, match="FILE is missing"):
        arguments.parse(["metadata"])
    with pytest.raises(UsageError, match="no option --jsn; did you mean --json"):
        arguments.parse(["metadata", "a.png", "--jsn"])


def test_json_has_the_keys_of_the_samples_and_five_more():
    status, out, human = run(FORGE)
    assert (status, human) == (0, "")
    (record,) = json.loads(out)
    assert set(record) == set(EXPECTED[FORGE.name]) | {
        "file", "source", "format", "raw", "warnings",
    }  # fmt: skip
    assert (record["file"], record["format"]) == (str(FORGE), "png")
    assert record["raw"][record["source"]].startswith("general, masterpiece")


@pytest.mark.parametrize(
    ("files", "status"),
    [
        ((FORGE,), 0),
        ((FORGE, NOTHING), 1),
        ((FORGE, SAMPLES / "gone.png"), 3),
        ((SAMPLES / "gone.png", NOTHING), 3),
    ],
)
def test_exit_statuses(files, status):
    given, out, _ = run(*files)
    assert given == status
    assert [record["file"] for record in json.loads(out)] == [str(file) for file in files]


def test_what_is_not_known_is_null():
    _, out, _ = run(NOTHING)
    (record,) = json.loads(out)
    assert {key for key, value in record.items() if value is None} == {
        "software", "prompt", "negative_prompt", "width", "height", "seed", "steps", "cfg",
        "clipSkip", "sampler", "scheduler", "source",
    }  # fmt: skip
    assert record["warnings"] == ["No generation data; the file holds only: png:Comment."]


def test_a_pipe_or_folder_is_refused_and_nothing_waits(tmp_path):
    os.mkfifo(tmp_path / "pipe.png")
    status, _, human = run(tmp_path / "pipe.png", tmp_path)
    assert status == 3
    assert "pipe.png: not a regular file" in human
    assert "Is a directory" in human


def test_words_for_people():
    status, out, _ = run(FORGE, is_json=False)
    assert status == 0
    assert out.splitlines()[:4] == [
        str(FORGE),
        "  made by    forge-neo",
        "  prompt     general, masterpiece, best quality, amazing quality,",
        "             1girl, solo, hatsune miku, テスト",
    ]


def test_terminal_codes_in_a_prompt_are_shown_and_not_obeyed(tmp_path):
    made = history("\x1b[31mred\x07 \ud83e")
    path = tmp_path / "x.png"
    path.write_bytes(images.encode(RgbImage(width=1, height=1, data=b"abc"), ".png", made))
    _, out, _ = run(path, is_json=False)
    assert "\x1b" not in out
    assert r"\x1b[31mred\x07 \ud83e" in out
    _, out, _ = run(path)
    assert json.loads(out)[0]["prompt"] == "\x1b[31mred\x07 \ud83e"


def test_the_program_itself():
    command = [sys.executable, "-m", "desktop", "metadata", "--json", str(FORGE), str(NOTHING)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert [record["software"] for record in json.loads(done.stdout)] == ["forge-neo", None]
    assert done.stderr == ""
