"""Saving: a whole file under a name of its own, or no file at all, whatever the disk does."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from PIL import Image

from desktop.store import images
from desktop.store.images import Destination
from desktop.store.name_pattern import Pattern
from tests.fakes.pictures import facts
from tests.fakes.script import picture

REPOSITORY = Path(__file__).parents[3]
DATA = images.encode_png(picture(32, 16, 3))


def save(place: Destination, data: bytes = DATA, prompt: str = "a cat") -> Path:
    return images.save(data, place, facts(prompt=prompt))


def files_in(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_the_pixels_are_those_of_the_picture():
    image = picture(32, 16, 3)
    with Image.open(io.BytesIO(images.encode_png(image))) as read:
        assert (read.mode, read.size) == ("RGB", (32, 16))
        assert read.tobytes() == image.data


def test_pictures_of_a_day_are_numbered(tmp_path):
    place = Destination(tmp_path / "made" / "as needed")
    saved = [save(place).name, save(place, prompt="一只猫").name, save(place).name]
    assert saved == [
        "2026-11-30-0001-a cat.png",
        "2026-11-30-0002-一只猫.png",
        "2026-11-30-0003-a cat.png",
    ]
    assert files_in(place.folder) == set(saved)


def test_numbers_go_on_after_the_largest(tmp_path):
    (tmp_path / "2026-11-30-0041.png").touch()
    (tmp_path / "2026-11-29-0099-x.png").touch()
    (tmp_path / "2026-11-30-holiday.png").touch()
    assert save(Destination(tmp_path)).name == "2026-11-30-0042-a cat.png"


def test_a_chosen_name_is_never_overwritten(tmp_path):
    place = Destination(tmp_path, "cat")
    (tmp_path / "cat.png").write_bytes(b"precious")
    assert save(place).name == "cat-2.png"
    assert save(place).name == "cat-3.png"
    assert (tmp_path / "cat.png").read_bytes() == b"precious"


def test_a_pattern_names_pictures_and_their_folders(tmp_path):
    place = Destination(tmp_path, pattern=Pattern("[date]/[seed]"))
    saved = [save(place), save(place), images.save(DATA, place, facts(seed=8))]
    assert [str(path.relative_to(tmp_path)) for path in saved] == [
        "2026-11-30/7.png",
        "2026-11-30/7-2.png",
        "2026-11-30/8.png",
    ]


def test_each_folder_of_a_pattern_counts_for_itself(tmp_path):
    place = Destination(tmp_path, pattern=Pattern("[seed]/cat [number]"))
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "cat 0041.png").touch()
    assert save(place).name == "cat 0042.png"
    assert images.save(DATA, place, facts(seed=8)).name == "cat 0001.png"


def test_names_fit_a_file_system_of_short_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "pathconf", lambda folder, name: 143)
    place = Destination(tmp_path, pattern=Pattern("[prompt]-[prompt_spaces]-[seed]"))
    name = save(place, prompt="猫" * 200).name
    assert 120 < len(name.encode()) <= 143
    assert name.endswith("-7.png")


def test_a_link_to_nowhere_is_not_followed(tmp_path):
    (tmp_path / "cat.png").symlink_to(tmp_path / "elsewhere.png")
    assert save(Destination(tmp_path, "cat")).name == "cat-2.png"
    assert not (tmp_path / "elsewhere.png").exists()


def test_the_umask_decides_who_may_read_it(tmp_path):
    before = os.umask(0o027)
    try:
        path = save(Destination(tmp_path))
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("has_hard_links", [True, False])
def test_many_at_once_each_get_a_file(tmp_path, monkeypatch, has_hard_links):
    if not has_hard_links:
        refuse_links(monkeypatch)
    place = Destination(tmp_path, "cat")
    saved: list[Path] = []
    threads = [
        threading.Thread(target=lambda n=n: saved.append(save(place, DATA + bytes([n]))))
        for n in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(saved)) == 12
    assert {path.read_bytes()[-1] for path in saved} == set(range(12))
    assert files_in(tmp_path) == {path.name for path in saved}


def refuse_links(monkeypatch):
    def link(source, target):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", link)


def test_without_hard_links_nothing_is_overwritten_either(tmp_path, monkeypatch):
    refuse_links(monkeypatch)
    (tmp_path / "cat.png").write_bytes(b"precious")
    path = save(Destination(tmp_path, "cat"))
    assert path.name == "cat-2.png"
    assert path.read_bytes() == DATA
    assert (tmp_path / "cat.png").read_bytes() == b"precious"
    assert files_in(tmp_path) == {"cat.png", "cat-2.png"}


def test_without_hard_links_a_failed_rename_leaves_nothing(tmp_path, monkeypatch):
    refuse_links(monkeypatch)

    def replace(self, target):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match="Input/output"):
        save(Destination(tmp_path, "cat"))
    assert files_in(tmp_path) == set()


@pytest.mark.parametrize("call", ["write", "fsync", "link"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_failing_disk_leaves_nothing_behind(tmp_path, monkeypatch, call, code):
    def fail(*arguments):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match=os.strerror(code)) as caught:
        save(Destination(tmp_path, "cat"))
    assert caught.value.errno == code
    assert files_in(tmp_path) == set()


def test_a_really_full_device_is_an_error(tmp_path, monkeypatch):
    open_file = os.open

    def open_full(path, flags, mode=0o777):
        if str(path).endswith(".part"):
            open_file(path, flags, mode)
            return open_file("/dev/full", os.O_WRONLY)
        return open_file(path, flags, mode)

    monkeypatch.setattr(os, "open", open_full)
    with pytest.raises(OSError, match="No space left") as caught:
        save(Destination(tmp_path))
    assert caught.value.errno == errno.ENOSPC
    assert files_in(tmp_path) == set()


def test_short_writes_are_continued(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:100]))
    assert save(Destination(tmp_path)).read_bytes() == DATA


def test_the_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    happened: list[str] = []
    fsync, link = os.fsync, os.link
    monkeypatch.setattr(os, "fsync", lambda f: happened.append("fsync") or fsync(f))
    monkeypatch.setattr(os, "link", lambda a, b: happened.append("link") or link(a, b))
    save(Destination(tmp_path))
    assert happened == ["fsync", "link", "fsync"]  # the file, its name, the folder


def test_a_folder_that_is_a_file_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        save(Destination(tmp_path / "file"))
    with pytest.raises(NotADirectoryError):
        save(Destination(tmp_path / "file" / "below"))


def test_a_name_that_is_too_long_is_an_error(tmp_path):
    with pytest.raises(OSError, match="too long"):
        save(Destination(tmp_path, "x" * 252))
    assert files_in(tmp_path) == set()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_an_error(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError):
            save(Destination(tmp_path))
    finally:
        tmp_path.chmod(0o700)


def test_killed_at_any_moment_every_named_file_is_whole(tmp_path):
    code = (
        "import sys, os\n"
        "from pathlib import Path\n"
        "from desktop.store import images\n"
        "from tests.fakes.pictures import facts\n"
        "from tests.fakes.script import picture\n"
        "data = images.encode_png(picture(64, 64, 1))\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    images.save(data, images.Destination(Path(sys.argv[1])), facts())\n"
    )
    whole = images.encode_png(picture(64, 64, 1))
    for delay_s in (0.0, 0.011, 0.023, 0.037, 0.05):
        with subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=REPOSITORY,
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            time.sleep(delay_s)
            process.send_signal(signal.SIGKILL)
    named = list(tmp_path.glob("*.png"))
    assert named
    assert all(path.read_bytes() == whole for path in named)
