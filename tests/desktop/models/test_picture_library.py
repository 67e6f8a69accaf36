"""The index while the window is open: kept up to date, and made again when it is damaged."""

from __future__ import annotations

import threading

from desktop.models.picture_library import PictureLibrary
from desktop.store import library, library_file
from tests.fakes import picture_files


def test_an_index_that_turns_out_to_be_damaged_is_made_again(tmp_path, expect_log):
    state, pictures = tmp_path / "state", tmp_path / "pictures"
    for number in range(300):
        picture_files.write(pictures / f"{number}.png", f"cat number {number}")
    shelf = PictureLibrary(state, lambda: [pictures])
    shelf.update()
    with library.opened(state) as index:
        assert len(index.newest(999)) == 300
        index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    file = state / library_file.FILE_NAME
    content = bytearray(file.read_bytes())
    # The first pages, by which it is known, stay: the damage is met only in use.
    for begin in range(10 * 4096, len(content), 4096):
        content[begin : begin + 100] = b"\xff" * 100
    file.write_bytes(content)
    picture_files.write(pictures / "0.png", "a dog", age_s=-9)
    expect_log("the index of the library: ")
    expect_log("set aside")
    shelf.update()
    with library.opened(state) as index:
        assert len(index.search("cat")) == 299
        assert len(index.search("dog")) == 1
    assert library_file.set_aside_if_damaged(state) is None


def test_an_update_ends_when_the_window_closes(tmp_path):
    state, pictures = tmp_path / "state", tmp_path / "pictures"
    for number in range(600):
        picture_files.write(pictures / f"{number}.png")
    shelf = PictureLibrary(state, lambda: [pictures])
    shelf.end()
    thread = threading.Thread(target=shelf.update)
    thread.start()
    thread.join(30)
    with library.opened(state) as index:
        assert len(index.newest(999)) == 500


def test_an_index_that_cannot_be_written_is_told(tmp_path, expect_log):
    (tmp_path / "state").write_text("a file where the folder should be")
    expect_log("cannot be brought up to date")
    PictureLibrary(tmp_path / "state", lambda: [tmp_path]).update()
