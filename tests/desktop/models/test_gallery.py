from __future__ import annotations

import asyncio
import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngImageFile
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from desktop.background import Background
from desktop.models import saving
from desktop.models.gallery import Gallery, PictureState, Role, mime_of
from desktop.models.job_queue import FinishedImage, Job
from desktop.store.jobs import JobStore
from engine.port import GenerationRequest, ImageCompleted, JobId
from tests.fakes.script import FAKE_MODEL, Script, picture, play

REQUEST = GenerationRequest(
    prompt="a cat", seed=7, width=64, height=48, image_count=2, model_id=FAKE_MODEL.model_id
)
JOB = Job(job_id=JobId("job"), request=REQUEST, folder=Path(), name_pattern=None)


def finished(index: int = 0, request: GenerationRequest = REQUEST) -> FinishedImage:
    events: list = []
    play(Script(), JobId("job"), request, events.append, lambda: None)
    images = [event for event in events if isinstance(event, ImageCompleted)]
    return FinishedImage(
        event=images[index], request=request, folder=Path(), name_pattern=None, took_s=1.5
    )


class Shelf:
    """A gallery that saves into a folder."""

    def __init__(self, folder: Path, rescue: Path) -> None:
        self.errors: list[BaseException] = []
        self.background = Background(lambda error, where: self.errors.append(error))
        self.store = JobStore.in_memory()
        self.gallery = Gallery(
            lambda made: saving.save_picture(self.store, replace(made, folder=folder), rescue),
            self.background,
        )
        self.tester = QAbstractItemModelTester(
            self.gallery, QAbstractItemModelTester.FailureReportingMode.Warning
        )
        self.save_failures: list = []
        self.gallery.save_failed.connect(lambda *facts: self.save_failures.append(facts))

    def states(self) -> list[PictureState]:
        return [
            self.gallery.data(self.gallery.index(row), Role.STATE)
            for row in range(self.gallery.rowCount())
        ]

    def picture(self, row: int) -> Any:
        return self.gallery.picture(self.gallery.index(row))


@pytest.fixture
def shelf(qapp, tmp_path):
    (tmp_path / "pictures").mkdir()
    return Shelf(tmp_path / "pictures", tmp_path / "rescue")


def test_a_picture_is_drawn_then_saving_then_saved(shelf, run, tmp_path):
    async def scenario():
        gallery = shelf.gallery
        gallery.begin(JOB)
        assert shelf.states() == [PictureState.DRAWING]
        gallery.show_preview(picture(16, 16, 1))
        assert shelf.picture(0).thumbnail.width() == 16
        gallery.complete(finished(0))
        # The job has another picture: its row is first.
        assert shelf.states() == [PictureState.DRAWING, PictureState.SAVING]
        assert not list((tmp_path).glob("pictures/*.png"))
        await shelf.background.finish()
        assert shelf.states() == [PictureState.DRAWING, PictureState.SAVED]
        gallery.complete(finished(1))
        gallery.end(JOB.job_id)
        await shelf.background.finish()
        assert shelf.states() == [PictureState.SAVED, PictureState.SAVED]
        assert shelf.errors == []

    run(scenario())
    files = sorted((tmp_path / "pictures").iterdir())
    assert len(files) == 2
    with PngImageFile(files[0]) as image:
        assert image.size == (64, 48)
        assert "a cat" in image.text["parameters"]
    assert shelf.picture(1).path == files[0]
    assert shelf.picture(1).details.prompt == "a cat"
    assert shelf.picture(1).details.seed == 7
    assert shelf.picture(0).details.seed == 8


def test_the_drawn_row_goes_with_its_job_and_no_other(shelf):
    shelf.gallery.begin(JOB)
    shelf.gallery.end(JobId("another"))
    assert shelf.states() == [PictureState.DRAWING]
    shelf.gallery.end(JOB.job_id)
    assert shelf.states() == []


def test_a_folder_that_refuses_sends_the_picture_to_the_rescue(qapp, run, tmp_path, expect_log):
    expect_log("takes no picture")
    (tmp_path / "pictures").write_text("a file, not a folder")
    shelf = Shelf(tmp_path / "pictures", tmp_path / "rescue")

    async def scenario():
        shelf.gallery.begin(JOB)
        shelf.gallery.complete(finished(0))
        await shelf.background.finish()

    run(scenario())
    saved, error = shelf.save_failures[0]
    assert saved.path.parent == tmp_path / "rescue"
    assert saved.state is PictureState.SAVED
    assert error.errno in (errno.ENOTDIR, errno.EEXIST)


def test_without_any_folder_the_picture_stays_in_memory(qapp, run, tmp_path, expect_log):
    expect_log("takes no picture")
    expect_log("could not be saved")
    for name in ("pictures", "rescue"):
        (tmp_path / name).write_text("a file, not a folder")
    shelf = Shelf(tmp_path / "pictures", tmp_path / "rescue")

    async def scenario():
        shelf.gallery.begin(JOB)
        shelf.gallery.complete(finished(0))
        await shelf.background.finish()

    run(scenario())
    kept, _ = shelf.save_failures[0]
    assert kept.state is PictureState.NOT_SAVED
    assert kept.path is None
    assert saving.encode(kept.unsaved).startswith(b"\x89PNG")


def test_earlier_pictures_come_newest_first_and_are_read_when_wanted(shelf, run, tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    for age, name in enumerate(("newest.png", "older.png", "oldest.png")):
        Image.new("RGB", (400, 300), (age * 50, 0, 0)).save(folder / name)
        os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))
    (folder / ".danqing-1.part").write_bytes(b"")
    (folder / "notes.txt").write_text("no picture")

    async def scenario():
        await shelf.gallery.read_folder(folder)
        names = [shelf.picture(row).path.name for row in range(shelf.gallery.rowCount())]
        assert names == ["newest.png", "older.png", "oldest.png"]
        first: Any = shelf.picture(0)
        assert shelf.gallery.data(shelf.gallery.index(0), Qt.ItemDataRole.DecorationRole) is None
        await shelf.background.finish()
        assert (first.thumbnail.width(), first.thumbnail.height()) == (192, 144)
        assert first.image is None
        shelf.gallery.want_image(first)
        await shelf.background.finish()
        assert shelf.picture(0).image.size().toTuple() == (400, 300)

    run(scenario())


def test_a_file_that_is_no_picture_is_shown_as_such(shelf, run, tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing more")

    async def scenario():
        await shelf.gallery.read_folder(folder)
        shelf.gallery.want_thumbnail(shelf.picture(0))
        await shelf.background.finish()

    run(scenario())
    assert shelf.states() == [PictureState.UNREADABLE]


def test_a_folder_that_is_not_there_is_no_problem(shelf, run, tmp_path):
    async def scenario():
        await shelf.gallery.read_folder(tmp_path / "nowhere")

    run(scenario())
    assert shelf.states() == []


def test_few_whole_pictures_stay_in_memory(shelf, run):
    request = GenerationRequest(
        prompt="a cat",
        seed=1,
        width=16,
        height=16,
        steps=1,
        image_count=12,
        model_id=FAKE_MODEL.model_id,
    )

    async def scenario():
        shelf.gallery.begin(replace(JOB, request=request))
        for index in range(12):
            shelf.gallery.complete(finished(index, request))
            await shelf.background.finish()

    run(scenario())
    held = [shelf.picture(row).image is not None for row in range(12)]
    assert held == [True] * 6 + [False] * 6
    assert all(shelf.picture(row).unsaved is None for row in range(12))


def test_what_is_dragged_out_is_the_file(shelf, run):
    async def scenario():
        shelf.gallery.begin(JOB)
        assert not shelf.gallery.flags(shelf.gallery.index(0)) & Qt.ItemFlag.ItemIsDragEnabled
        shelf.gallery.complete(finished(1))
        await shelf.background.finish()

    run(scenario())
    index = shelf.gallery.index(0)
    assert shelf.gallery.flags(index) & Qt.ItemFlag.ItemIsDragEnabled
    mime = shelf.gallery.mimeData([index])
    assert [Path(url.toLocalFile()) for url in mime.urls()] == [shelf.picture(0).path]
    assert mime_of([shelf.picture(0)]).hasImage()


def test_writing_a_copy_replaces_whole_files_only(qapp, tmp_path):
    target = tmp_path / "copy.png"
    target.write_bytes(b"before")
    saving.write_copy(b"after", target)
    assert target.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(OSError, match=r"copy\.png"):
        saving.write_copy(b"after", tmp_path / "nowhere" / "copy.png")


def test_a_read_of_a_picture_does_not_hold_up_the_loop(shelf, run, tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    Image.effect_noise((1500, 1500), 80).convert("RGB").save(folder / "large.png")

    async def scenario():
        await shelf.gallery.read_folder(folder)
        shelf.gallery.want_image(shelf.picture(0))
        turns = 0
        while shelf.picture(0).image is None:
            await asyncio.sleep(0)
            turns += 1
        assert turns > 3

    run(scenario())
