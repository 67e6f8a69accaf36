"""`danqing library` as somebody types it, on real folders."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from desktop import arguments, library_command, paths, settings
from desktop.arguments import LibraryAction, UsageError, UseLibrary
from desktop.settings import Settings
from desktop.store import library_file
from desktop.terminal import Results
from tests.fakes import picture_files


@dataclass
class Outcome:
    status: int
    out: str
    human: str


def run(*words: str) -> Outcome:
    command = arguments.parse(["library", *words])
    assert isinstance(command, UseLibrary)
    out, human = io.StringIO(), io.StringIO()
    status = library_command.run(command, Results(out), human)
    return Outcome(status, out.getvalue(), human.getvalue())


@pytest.fixture
def pictures() -> Path:
    folder = paths.pictures_folder()
    picture_files.write(folder / "new.png", "an orange cat")
    picture_files.write(folder / "2026" / "old.png", "一只橘猫", age_s=5)
    return folder


def test_rebuild_status_and_search(pictures):
    rebuilt = run("rebuild")
    assert (rebuilt.status, rebuilt.out) == (0, "2\n")
    assert rebuilt.human.endswith(" s: 2 new, 0 changed, 0 gone\n")
    assert run("status").out.splitlines() == [f"0\t{paths.rescue_folder()}", f"2\t{pictures}"]
    assert run("search", "cat").out == f"{pictures / 'new.png'}\n"
    found = run("search", "--json", "橘猫")
    assert json.loads(found.out) == {
        "path": str(pictures / "2026" / "old.png"),
        "prompt": "一只橘猫",
        "seed": "7",
        "width": 16,
        "height": 16,
        "model": "ERNIE 图",
        "away": False,
    }
    nothing = run("search", "dog")
    assert (nothing.status, nothing.out) == (1, "")


def test_rebuild_takes_the_folder_of_the_settings_and_further_ones(tmp_path):
    chosen, other = tmp_path / "chosen", tmp_path / "other 图"
    picture_files.write(chosen / "a.png")
    picture_files.write(other / "b.png")
    settings.save(Settings(pictures_folder=str(chosen)), paths.config_folder())
    record = json.loads(run("rebuild", str(other), "--json").out)
    assert (record["pictures"], record["added"], record["away"]) == (2, 2, [])
    found = json.loads(run("status", "--json").out)["folders"]
    assert {(f["path"], f["pictures"]) for f in found if f["pictures"]} == {
        (str(chosen), 1),
        (str(other), 1),
    }


def test_forget_takes_a_folder_out_and_leaves_its_files(pictures):
    run("rebuild")
    assert run("forget", str(pictures)).status == 0
    assert run("search", "cat").out == ""
    assert (pictures / "new.png").exists()
    with pytest.raises(UsageError, match="is not in the library; there are: "):
        run("forget", "/nowhere")


def test_an_empty_index_says_how_it_is_filled():
    assert run("status").human == "the index is empty; to fill it: danqing library rebuild\n"


def test_rebuild_sets_a_damaged_index_aside(pictures, expect_log):
    expect_log("set aside")
    paths.state_folder().mkdir(parents=True)
    (paths.state_folder() / library_file.FILE_NAME).write_bytes(b"no database" * 1000)
    rebuilt = run("rebuild")
    assert rebuilt.status == 0
    assert "the index was damaged; it is kept as " in rebuilt.human
    assert run("search", "橘猫").status == 0


def test_an_index_that_cannot_be_used_is_told_without_a_traceback():
    paths.state_folder().parent.mkdir(parents=True)
    paths.state_folder().write_text("a file where the folder should be")
    outcome = run("status")
    assert outcome.status == 3
    assert outcome.human.startswith("danqing library: ")
    assert "pictures.db cannot be used: " in outcome.human


def test_a_folder_that_does_not_exist_is_a_mistake(tmp_path):
    with pytest.raises(UsageError, match="nowhere is not a folder"):
        run("rebuild", str(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing is not allowed; allowed: rebuild, status, search, forget"),
        (["refresh"], '"refresh" is not allowed'),
        (["status", "x"], '"x" is too much'),
        (["search"], "WORDS: missing"),
        (["forget"], "FOLDER: missing"),
    ],
)
def test_mistakes_are_one_line(words, said):
    with pytest.raises(UsageError) as caught:
        arguments.parse(["library", *words])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_words_of_a_search_go_together():
    assert arguments.parse(["library", "search", "an", "orange cat"]) == UseLibrary(
        action=LibraryAction.SEARCH, text="an orange cat"
    )
