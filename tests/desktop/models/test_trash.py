"""Into the trash and back, by the freedesktop specification, on this disk and on others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from desktop.models import trash

REPOSITORY = Path(__file__).parents[3]


def trash_of(home: Path) -> Path:
    return home / ".local/share/Trash"


def note_of(trashed: trash.Trashed) -> Path:
    return trashed.place.parents[1] / "info" / f"{trashed.place.name}.trashinfo"


@pytest.mark.parametrize("name", ["cat.png", "一只猫 100%.png", "line\nbreak.png", "-rf.png"])
def test_a_file_goes_to_the_trash_and_comes_back(home, name):
    file = home / "Pictures" / name
    file.parent.mkdir()
    file.write_bytes(b"precious")
    trashed = trash.move(file)
    assert not file.exists()
    assert trashed.place.parent == trash_of(home) / "files"
    assert trashed.place.read_bytes() == b"precious"
    found = re.search(r"^Path=(.*)$", note_of(trashed).read_text(), re.MULTILINE)
    assert found is not None
    assert unquote(found[1]) == str(file)
    assert trash.restore(trashed) == file
    assert file.read_bytes() == b"precious"
    assert not note_of(trashed).exists()
    assert not trashed.place.exists()


def test_two_files_of_one_name_are_two_in_the_trash(home):
    file = home / "cat.png"
    trashed = []
    for content in (b"one", b"two"):
        file.write_bytes(content)
        trashed.append(trash.move(file))
    assert [t.place.read_bytes() for t in trashed] == [b"one", b"two"]
    assert trash.restore(trashed[0]).read_bytes() == b"one"
    # Its own name is taken now, and nothing is ever overwritten.
    second = trash.restore(trashed[1])
    assert (second.name, second.read_bytes()) == ("cat-2.png", b"two")
    assert file.read_bytes() == b"one"


def test_the_folder_is_made_again_if_it_went(home):
    file = home / "a" / "b" / "cat.png"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"precious")
    trashed = trash.move(file)
    file.parent.rmdir()
    file.parent.parent.rmdir()
    assert trash.restore(trashed).read_bytes() == b"precious"


def test_what_is_not_there_cannot_be_deleted_or_put_back(home):
    with pytest.raises(FileNotFoundError):
        trash.move(home / "nothing.png")
    file = home / "cat.png"
    file.write_bytes(b"precious")
    trashed = trash.move(file)
    trashed.place.unlink()  # the trash was emptied meanwhile
    with pytest.raises(trash.NotRestored, match="No such file"):
        trash.restore(trashed)


def test_a_link_is_deleted_and_not_what_it_points_to(home):
    target, link = home / "target.png", home / "link.png"
    target.write_bytes(b"precious")
    link.symlink_to(target)
    trashed = trash.move(link)
    assert target.read_bytes() == b"precious"
    assert trashed.place.is_symlink()
    assert not os.path.lexists(link)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_on_another_disk_its_own_trash_is_used_or_the_file_stays(home, tmp_path):
    place = tmp_path / "stick"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "mode=755", "none", str(place)]
    if subprocess.run(words, check=False, capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        file = place / "pictures" / "cat.png"
        file.parent.mkdir()
        file.write_bytes(b"precious")
        trashed = trash.move(file)
        assert trashed.place == place / f".Trash-{os.getuid()}" / "files" / "cat.png"
        assert trash.restore(trashed) == file
        # Read-only, there is no trash: the file stays, and it is said.
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        with pytest.raises(trash.NotTrashed) as caught:
            trash.move(file)
        assert caught.value.strerror
        assert file.read_bytes() == b"precious"
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_the_trash_needs_no_application_object(home):
    file = home / "cat.png"
    file.write_bytes(b"precious")
    code = "import sys, pathlib, desktop.models.trash as t; t.move(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, str(file)], cwd=REPOSITORY, check=True)
    assert (trash_of(home) / "files" / "cat.png").exists()
