"""Where `-o` points."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop import destination
from desktop.arguments import UsageError
from desktop.destination import Unwritable
from desktop.store import images
from desktop.store.images import Destination
from tests.fakes.pictures import facts


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "old.png").touch()


def parse(text, here):
    return destination.parse(here / text, here / "default")


def test_nothing_said_is_the_pictures_folder(tmp_path):
    assert destination.parse(None, tmp_path) == Destination(tmp_path)


@pytest.mark.parametrize(
    ("text", "folder", "stem"),
    [
        ("cat.png", ".", "cat"),
        ("CAT.PNG", ".", "CAT"),
        ("v1.5 cat.png", ".", "v1.5 cat"),
        ("old.png", ".", "old"),
        ("folder", "folder", None),
        ("folder.png", "folder.png", None),
        ("folder/猫.png", "folder", "猫"),
        ("new", "new", None),
        ("new/deeper", "new/deeper", None),
        ("new/deeper/cat.png", "new/deeper", "cat"),
        ("v1.5", "v1.5", None),
    ],
)
def test_a_png_is_a_file_and_all_else_a_folder(tmp_path, text, folder, stem):
    place = parse(text, tmp_path)
    assert (place.folder, place.stem) == (tmp_path / folder, stem)
    assert not (tmp_path / "new").exists()


def test_an_ending_in_capitals_stays(tmp_path):
    assert images.save(b"1", parse("CAT.PNG", tmp_path), facts()) == tmp_path / "CAT.PNG"
    assert images.save(b"2", parse("CAT.PNG", tmp_path), facts()) == tmp_path / "CAT-2.PNG"


@pytest.mark.parametrize("text", [".png", "new/.PNG"])
def test_an_ending_alone_is_no_name(tmp_path, text):
    with pytest.raises(UsageError, match=r"--output: .* no name before \.png"):
        parse(text, tmp_path)


@pytest.mark.parametrize(
    ("text", "ending"), [("cat.jpg", ".jpg"), ("cat.JPEG", ".JPEG"), ("new/cat.webp", ".webp")]
)
def test_jpeg_and_webp_are_files_too(tmp_path, text, ending):
    place = parse(text, tmp_path)
    assert (place.stem, place.ending) == ("cat", ending)


@pytest.mark.parametrize("text", ["cat.gif", "cat.TIFF", "new/cat.avif"])
def test_other_kinds_of_picture_are_refused(tmp_path, text):
    with pytest.raises(UsageError, match=r"--output: .*saved as \.png"):
        parse(text, tmp_path)


@pytest.mark.parametrize("text", ["file", "file/cat.png", "file/a/b", "old.png/x"])
def test_a_file_is_no_folder(tmp_path, text):
    with pytest.raises(UsageError, match=r"--output: .*(file|old\.png) is a file, not a folder"):
        parse(text, tmp_path)


def test_a_name_too_long_to_exist_is_refused_in_one_line(tmp_path):
    with pytest.raises(UsageError, match="name in it is too long"):
        parse("x" * 300, tmp_path)
    with pytest.raises(UsageError, match="name in it is too long"):
        parse("猫" * 84 + ".png", tmp_path)  # 256 bytes
    assert parse("x" * 251 + ".png", tmp_path).stem == "x" * 251


def test_a_relative_path_is_looked_for_here(tmp_path):
    assert destination.parse(Path("new/cat.png"), tmp_path) == Destination(Path("new"), "cat")
    with pytest.raises(UsageError):
        destination.parse(Path("file/cat.png"), tmp_path)


def test_a_folder_that_takes_files_is_fine(tmp_path):
    destination.check(Destination(tmp_path / "new" / "deeper"))


@pytest.mark.parametrize(("flag", "words"), [(0, "not permitted"), (os.ST_RDONLY, "only be read")])
def test_a_folder_that_refuses_files_is_found_out_before(tmp_path, monkeypatch, flag, words):
    real = os.statvfs(tmp_path)
    stat = os.statvfs_result((*real[:8], flag, real[9]))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(os, "statvfs", lambda path: stat)
    with pytest.raises(Unwritable) as caught:
        destination.check(Destination(tmp_path / "folder"))
    assert words in caught.value.message.summary
    assert str(tmp_path / "folder") in caught.value.message.summary


@pytest.mark.parametrize("folder", ["/proc", "/proc/new"])
def test_a_folder_that_is_there_and_takes_no_files_is_not_called_gone(folder):
    with pytest.raises(Unwritable) as caught:
        destination.check(Destination(Path(folder)))
    assert "gone" not in caught.value.message.summary
    assert "/proc" in caught.value.message.summary


def test_looking_whether_a_folder_takes_files_leaves_none(tmp_path):
    before = sorted(tmp_path.rglob("*"))
    destination.check(Destination(tmp_path / "folder"))
    assert sorted(tmp_path.rglob("*")) == before
