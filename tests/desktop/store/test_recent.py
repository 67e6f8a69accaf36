from __future__ import annotations

import os

import pytest

from desktop.store import recent


@pytest.fixture
def folder(tmp_path):
    for age in range(5):
        path = tmp_path / (f"{age}.PNG" if age == 1 else f"{age}.png")
        path.write_bytes(b"")
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / ".hidden.png").write_bytes(b"")
    (tmp_path / "notes.txt").write_bytes(b"")
    (tmp_path / "folder.png").mkdir()
    return tmp_path


def test_the_newest_come_first_and_no_more_than_asked_for(folder):
    assert [path.name for path in recent.newest_pictures(folder, 3)] == ["0.png", "1.PNG", "2.png"]


def test_only_finished_pictures_count(folder):
    assert len(recent.newest_pictures(folder, 100)) == 5


def test_a_folder_that_does_not_exist_has_none(tmp_path):
    assert recent.newest_pictures(tmp_path / "nowhere", 10) == []


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        recent.newest_pictures(tmp_path / "file", 10)
