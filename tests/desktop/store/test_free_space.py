"""Room for a batch: asked of real file systems, before anything is drawn."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop import destination, messages
from desktop.store import free_space
from desktop.store.free_space import RESERVE_BYTES, Room
from desktop.store.images import Destination
from engine.port import PictureSize

SMALL, LARGE = PictureSize(width=320, height=192), PictureSize(width=1024, height=1024)


def room(**changes) -> Room:
    facts = {
        "folder": Path("/pictures"),
        "pictures": 10,
        "needed_bytes": 10_000_000,
        "free_bytes": 10_000_000 + RESERVE_BYTES,
        "free_files": None,
    }
    return Room(**{**facts, **changes})


def test_a_batch_of_several_sizes_is_added_up(tmp_path):
    found = free_space.check(tmp_path / "not" / "yet", {SMALL: 3, LARGE: 2})
    assert found.pictures == 5
    assert found.needed_bytes == 3 * (320 * 192 * 3 + 20_000) + 2 * (1024 * 1024 * 3 + 20_000)
    assert found.folder == tmp_path / "not" / "yet"
    disk = os.statvfs(tmp_path)
    assert abs(found.free_bytes - disk.f_bavail * disk.f_frsize) < 2**30
    assert found.is_enough


def test_what_earlier_pictures_of_that_size_took_counts(tmp_path):
    found = free_space.check(tmp_path, {LARGE: 10, SMALL: 1}, {LARGE: 1_500_000.0}.get)
    assert found.needed_bytes == 10 * 1_650_000 + 320 * 192 * 3 + 20_000


def test_the_last_byte_and_the_last_file_decide():
    assert room().is_enough
    assert not room(free_bytes=10_000_000 + RESERVE_BYTES - 1).is_enough
    assert room(free_files=10).is_enough
    assert not room(free_files=9).is_enough


def test_how_many_fit():
    assert room().fits == 10
    assert room(free_bytes=4_500_000 + RESERVE_BYTES).fits == 4
    assert room(free_bytes=5).fits == 0
    assert room(free_files=3).fits == 3
    assert room(pictures=0, needed_bytes=0).fits == 0


def test_the_message_has_the_figures():
    full = messages.describe_no_room(room(free_bytes=4_500_000 + RESERVE_BYTES))
    assert full.summary == (
        "The disk of /pictures has too little room: about 10 MB needed, 21 MB free."
    )
    assert full.remedy.endswith("there is room for 4.")
    many = messages.describe_no_room(room(free_files=3))
    assert many.summary == "The disk of /pictures takes only 3 more files."


def test_a_batch_that_is_larger_than_the_disk_is_refused(tmp_path):
    place = Destination(tmp_path)
    destination.check_room(place, {SMALL: 1})
    with pytest.raises(destination.Unwritable) as caught:
        destination.check_room(place, {LARGE: 10**9})
    assert str(tmp_path) in caught.value.message.summary
