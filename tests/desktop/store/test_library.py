"""The index of the library: what the files say, whatever happens to disks, folders and itself."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from desktop.store import library, library_file, library_scan
from desktop.store.library import Library
from desktop.store.library_scan import ScanResult
from engine.port import PictureSize
from tests.fakes import picture_files

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    for number, prompt in enumerate(("an orange cat", "一只橘猫坐在沙发上", "a rocket")):
        picture_files.write(folder / f"{number}.png", prompt, seed=number, age_s=number)
    picture_files.write(folder / "2026-11-30" / "deep.png", "a deep sea", age_s=9)
    return folder


@pytest.fixture
def index(state: Path, pictures: Path) -> Iterator[Library]:
    with library.opened(state) as opened:
        opened.add_root(pictures)
        yield opened


def names(found) -> list[str]:
    return [picture.path.name for picture in found]


def counts(result: ScanResult) -> tuple[int, int, int, int]:
    return result.seen, result.added, result.changed, result.removed


def test_everything_is_read_from_the_files_alone(index, pictures):
    assert counts(library_scan.scan(index)) == (4, 4, 0, 0)
    newest = index.newest(10)
    assert names(newest) == ["0.png", "1.png", "2.png", "deep.png"]
    assert newest[1] == library.Picture(
        path=pictures / "1.png",
        prompt="一只橘猫坐在沙发上",
        seed="1",
        width=16,
        height=16,
        model="ERNIE 图",
        is_away=False,
    )


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("cat", ["0.png"]),
        ("猫", ["1.png"]),
        ("橘猫", ["1.png"]),
        ("沙发", ["1.png"]),
        ("a", ["0.png", "2.png", "deep.png"]),
        ("deep", ["deep.png"]),
        ("dog", []),
    ],
)
def test_pictures_are_found_by_their_prompts(index, typed, found):
    library_scan.scan(index)
    assert names(index.search(typed)) == found


def test_a_second_scan_reads_only_what_has_changed(index, pictures, monkeypatch):
    library_scan.scan(index)
    picture_files.write(pictures / "0.png", "a green cat", age_s=-5)
    picture_files.write(pictures / "new.png", "a new one")
    (pictures / "2.png").unlink()
    (pictures / "1.png").rename(pictures / "renamed.png")
    read: list[str] = []
    real = library_scan.read
    monkeypatch.setattr(library_scan, "read", lambda path: read.append(path.name) or real(path))
    assert counts(library_scan.scan(index)) == (4, 2, 1, 2)
    assert sorted(read) == ["0.png", "new.png", "renamed.png"]
    assert names(index.search("cat")) == ["0.png"]
    assert names(index.search("green")) == ["0.png"]
    assert index.search("orange") == []
    assert index.search("rocket") == []
    assert names(index.search("橘猫")) == ["renamed.png"]
    read.clear()
    library_scan.scan(index)
    assert read == []
    assert counts(library_scan.scan(index, reads_all=True)) == (4, 0, 0, 0)
    assert len(read) == 4


def test_what_is_no_picture_of_ours_is_in_it_all_the_same(index, pictures):
    Image.new("RGB", (20, 10)).save(pictures / "photo.jpg")
    (pictures / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing more")
    (pictures / "notes.txt").write_text("no picture")
    (pictures / ".danqing-1.part").write_bytes(b"")
    (pictures / "folder.png").mkdir()
    (pictures / "loop").symlink_to(pictures, target_is_directory=True)
    (pictures / "nowhere.png").symlink_to(pictures / "missing")
    assert library_scan.scan(index).seen == 6
    (photo,) = index.search("photo")
    assert (photo.width, photo.height, photo.prompt, photo.seed) == (20, 10, "", None)
    assert names(index.search("broken")) == ["broken.png"]


def test_names_that_are_no_text(index, pictures):
    name = os.fsdecode(b"\xe9t\xe9.png")
    picture_files.write(pictures / name, "latin one")
    library_scan.scan(index)
    assert [p.path for p in index.search("latin")] == [pictures / name]


def test_what_is_saved_is_in_it_at_once(state, index, pictures, tmp_path):
    saved = picture_files.write(pictures / "2026-12-01" / "x.png", "a saved one")
    library.remember(state, saved, [pictures])
    assert [p.path for p in index.search("saved")] == [saved]
    assert library_scan.scan(index).added == 4  # the others: this one is known
    elsewhere = picture_files.write(tmp_path / "elsewhere" / "y.png", "a saved one")
    library.remember(state, elsewhere, [pictures])
    assert len(index.search("saved")) == 1
    library.forget(state, saved)
    assert index.search("saved") == []


def test_one_root_below_another_counts_once(index, pictures):
    index.add_root(pictures / "2026-11-30")
    assert library_scan.scan(index).seen == 4
    assert [(s.path.name, s.pictures) for s in index.status()] == [
        ("pictures", 4),
        ("2026-11-30", 1),
    ]
    index.forget_root(pictures)
    assert names(index.newest(9)) == ["deep.png"]
    index.forget_root(pictures / "2026-11-30")
    assert index.newest(9) == []
    assert index.connection.execute("SELECT count(*) FROM library_texts").fetchone() == (0,)


def test_a_folder_that_was_really_deleted_is_forgotten(index, pictures):
    library_scan.scan(index)
    shutil.rmtree(pictures / "2026-11-30")
    assert library_scan.scan(index).removed == 1
    shutil.rmtree(pictures)
    assert library_scan.scan(index).removed == 3
    assert index.newest(9) == []


class Disks:
    """Pretended disks: the file system of each folder, and of everything below it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.of: dict[Path, str] = {}
        monkeypatch.setattr(library, "file_system_of", self.file_system_of)
        monkeypatch.setattr(library_scan, "file_system_of", self.file_system_of)

    def file_system_of(self, folder: Path) -> str:
        if not folder.exists():
            raise FileNotFoundError(folder)
        own = (self.of[path] for path in (folder, *folder.parents) if path in self.of)
        return next(own, "home")


@pytest.fixture
def disks(monkeypatch: pytest.MonkeyPatch) -> Disks:
    return Disks(monkeypatch)


@pytest.mark.parametrize("leaves_mount_point", [True, False])
@pytest.mark.parametrize("root", ["pictures", "."])
@pytest.mark.parametrize("reads_all", [True, False])
def test_a_disk_that_is_not_mounted_keeps_its_pictures(
    state, pictures, disks, tmp_path, leaves_mount_point, root, reads_all
):
    disks.of[pictures] = "usb stick"
    with library.opened(state) as index:
        index.add_root(tmp_path / root)
        library_scan.scan(index)
        pictures.rename(tmp_path / ".elsewhere")
        del disks.of[pictures]
        if leaves_mount_point:
            pictures.mkdir()
        result = library_scan.scan(index, reads_all=reads_all)
        assert counts(result) == (0, 0, 0, 0)
        assert sorted(result.away) == [pictures, pictures / "2026-11-30"]
        assert [p.is_away for p in index.newest(9)] == [True] * 4
        assert names(index.search("橘猫")) == ["1.png"]
        assert [(s.pictures, s.away) for s in index.status()] == [(0, 4)]
        # Back again, and nothing has to be read.
        if leaves_mount_point:
            pictures.rmdir()
        (tmp_path / ".elsewhere").rename(pictures)
        disks.of[pictures] = "usb stick"
        assert counts(library_scan.scan(index)) == (4, 0, 0, 0)
        assert [p.is_away for p in index.newest(9)] == [False] * 4


def test_two_disks_at_one_place_are_two_folders(state, pictures, disks, tmp_path):
    disks.of[pictures] = "stick one"
    with library.opened(state) as index:
        index.add_root(pictures)
        library_scan.scan(index)
        pictures.rename(tmp_path / "one")
        picture_files.write(pictures / "0.png", "another cat", age_s=77)
        disks.of[pictures] = "stick two"
        assert counts(library_scan.scan(index)) == (1, 1, 0, 0)
        assert [(p.prompt, p.is_away) for p in index.search("cat")] == [
            ("an orange cat", True),
            ("another cat", False),
        ]


def test_a_file_system_may_change_its_number(state, pictures, disks, expect_log):
    disks.of[pictures] = "device 41"
    with library.opened(state) as index:
        index.add_root(pictures)
        library_scan.scan(index)
        disks.of[pictures] = "device 57"
        assert counts(library_scan.scan(index)) == (4, 0, 0, 0)
        assert [(s.pictures, s.away) for s in index.status()] == [(4, 0)]


def test_a_folder_that_cannot_be_read_keeps_its_pictures(index, pictures, monkeypatch):
    library_scan.scan(index)
    scandir = os.scandir

    def refuse(path):
        if Path(path) == pictures:
            raise PermissionError(13, os.strerror(13), str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    result = library_scan.scan(index)
    assert result.unreadable == [pictures]
    assert counts(result) == (0, 0, 0, 0)
    assert [(s.pictures, s.away) for s in index.status()] == [(0, 4)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_a_real_file_system_that_is_mounted_and_not(state, tmp_path):
    place = tmp_path / "stick"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "none", str(place)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting is not permitted here")
    try:
        picture_files.write(place / "a.png", "a cat on a stick")
        with library.opened(state) as index:
            index.add_root(place)
            assert library_scan.scan(index).added == 1
    finally:
        subprocess.run(["umount", str(place)], check=True)
    with library.opened(state) as index:
        assert list(place.iterdir()) == []
        assert library_scan.scan(index).removed == 0
        assert [p.is_away for p in index.search("stick")] == [True]
        place.rmdir()
        assert library_scan.scan(index).removed == 0
        assert [p.is_away for p in index.search("stick")] == [True]


@pytest.mark.logs("set aside")
@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b"this is no database, however long it may be" * 99),
        lambda file: sqlite3.connect(file).execute("PRAGMA user_version = 99"),
        lambda file: sqlite3.connect(file).execute("DROP TABLE library_roots"),
    ],
    ids=["garbage", "newer", "another"],
)
def test_a_damaged_index_is_set_aside_and_made_again(state, pictures, damage):
    with library.opened(state) as index:
        index.add_root(pictures)
        library_scan.scan(index)
    damage(state / library_file.FILE_NAME)
    with library.opened(state) as index:
        assert index.newest(9) == []
        index.add_root(pictures)
        assert library_scan.scan(index).added == 4
    assert len(list(state.glob("pictures.db.damaged-*[0-9]"))) == 1


def test_damage_deep_inside_is_found_by_looking_through(state, pictures, expect_log):
    with library.opened(state) as index:
        index.add_root(pictures)
        library_scan.scan(index)
        index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert library_file.set_aside_if_damaged(state) is None
    file = state / library_file.FILE_NAME
    content = bytearray(file.read_bytes())
    for begin in range(3 * 4096, len(content), 4096):
        content[begin : begin + 60] = b"\xff" * 60
    file.write_bytes(content)
    expect_log("set aside")
    aside = library_file.set_aside_if_damaged(state)
    assert aside is not None
    assert aside.read_bytes() == content
    assert not file.exists()


def test_a_picture_is_not_lost_over_an_index_that_fails(state, pictures, expect_log):
    state.write_text("a file where the folder should be")
    expect_log("is saved, but not in the index")
    library.remember(state, pictures / "0.png", [pictures])
    expect_log("still in the index")
    library.forget(state, pictures / "0.png")


def test_what_pictures_of_a_size_take(index):
    library_scan.scan(index)
    size = PictureSize(width=16, height=16)
    typical = index.typical_bytes(size)
    assert typical is not None
    assert 500 < typical < 3000
    assert index.typical_bytes(PictureSize(width=17, height=16)) is None


def test_a_scan_that_is_broken_off_loses_nothing(index, pictures):
    result = library_scan.scan(index, progress=lambda so_far: False)
    assert 0 < result.read < 4
    before = result.read
    assert library_scan.scan(index).read == 4 - before
    assert len(index.newest(9)) == 4


def test_several_processes_may_begin_it_at_once(state, pictures):
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from desktop.store import library, library_scan\n"
        "with library.opened(Path(sys.argv[1])) as index:\n"
        "    index.add_root(Path(sys.argv[2]))\n"
        "    library_scan.scan(index, reads_all=True)\n"
    )
    words = [sys.executable, "-c", code, str(state), str(pictures)]
    processes = [subprocess.Popen(words, cwd=REPOSITORY) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    with library.opened(state) as index:
        assert len(index.newest(99)) == 4
        assert names(index.search("橘猫")) == ["1.png"]
    assert library_file.set_aside_if_damaged(state) is None


def test_many_threads_save_while_a_scan_runs(state, pictures):
    def save(number: int) -> None:
        path = picture_files.write(pictures / f"saved {number}.png", f"thread {number}")
        library.remember(state, path, [pictures])

    threads = [threading.Thread(target=save, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    with library.opened(state) as index:
        index.add_root(pictures)
        library_scan.scan(index)
        for thread in threads:
            thread.join()
        library_scan.scan(index)
        assert len(index.search("thread")) == 8
