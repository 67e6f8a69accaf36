"""A picture's settings, dropped on the window or opened, and taken over whole or in part."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from desktop.app import Desk
from desktop.models.picture_settings import Obstacle, Setting
from desktop.store import images
from desktop.store.metadata import read
from desktop.views.picture_settings_dialog import PictureSettingsDialog
from engine.port import RgbImage, Sampler
from tests.fakes.fake_engine import FakeEngine
from tests.fakes.provenance import history
from tests.waiting import until

SAMPLES = Path(__file__).parents[1] / "store/metadata/samples"
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")


def drop(window: QWidget, *files: Path) -> bool:
    """Whether the window took what was dropped."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    nothing = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(window.rect().center(), copy, mime, left, nothing)
    enter.setAccepted(False)
    QApplication.sendEvent(window, enter)
    if not enter.isAccepted():
        return False
    event = QDropEvent(QPointF(window.rect().center()), copy, mime, left, nothing)
    QApplication.sendEvent(window, event)
    return True


async def dropped(desk: Desk, file: Path) -> PictureSettingsDialog:
    assert drop(desk.window, file)
    await desk.background.finish()
    dialog = desk.window.picture_drop.dialog
    assert dialog is not None
    return dialog


def own_picture(folder: Path) -> Path:
    path = folder / "own.jpg"
    pixels = RgbImage(width=256, height=256, data=bytes(256 * 256 * 3))
    made = history("a fox\nin snow", negative="a hen", seed=2**64 - 1)
    path.write_bytes(images.encode(pixels, ".jpg", made))
    return path


def test_everything_of_our_own_picture_is_taken_over(stage, tmp_path):
    path = own_picture(tmp_path)

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        dialog = await dropped(desk, path)
        assert all(box.isChecked() for box in dialog.boxes.values())
        assert set(dialog.boxes) == set(Setting)
        dialog.apply_button.click()
        values, made = desk.form.values, history()
        assert (values.prompt, values.negative_prompt) == ("a fox\nin snow", "a hen")
        assert (values.is_seed_random, values.seed_text) == (False, str(2**64 - 1))
        assert values.steps == made.resolved.steps
        assert values.guidance_scale == made.resolved.guidance_scale
        assert values.sampler is made.resolved.sampler
        assert desk.form.problems() == frozenset()
        assert desk.window.picture_drop.dialog is None

    stage.play(scenario)


def test_only_what_is_ticked_is_taken_over(stage, tmp_path):
    path = own_picture(tmp_path)

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        desk.form.update(prompt="mine", steps=3)
        dialog = await dropped(desk, path)
        dialog.all_button.click()
        assert not dialog.apply_button.isEnabled()
        dialog.boxes[Setting.SEED].click()
        dialog.apply_button.click()
        values = desk.form.values
        assert (values.prompt, values.steps, values.seed_text) == ("mine", 3, str(2**64 - 1))

    stage.play(scenario)


def test_what_the_model_cannot_do_is_shown_and_cannot_be_ticked(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        before = desk.form.values
        dialog = await dropped(desk, SAMPLES / "png-forge-neo.png")
        obstacles = {
            offer.setting: offer.obstacle for offer in dialog._settings.offers if offer.obstacle
        }
        assert obstacles == {
            Setting.SIZE: Obstacle.SIZE_NOT_OF_MODEL,
            Setting.SAMPLER: Obstacle.SAMPLER_UNKNOWN,
        }
        for setting in obstacles:
            assert not dialog.boxes[setting].isEnabled()
            assert not dialog.boxes[setting].isChecked()
        dialog.apply_button.click()
        values = desk.form.values
        assert (values.size_text, values.sampler) == (before.size_text, before.sampler)
        assert (values.seed_text, values.steps, values.guidance_scale) == ("4179307297", 24, 6)

    stage.play(scenario)


def test_a_sampler_that_is_here_under_another_name(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        dialog = await dropped(desk, SAMPLES / "png-huggingface-space-upscale.png")
        dialog.apply_button.click()
        assert desk.form.values.sampler is Sampler.DPMPP_2M

    stage.play(scenario)


@pytest.mark.parametrize("content", [None, b"no picture"])
def test_nothing_to_take_over_is_said_calmly(stage, tmp_path, content):
    path = SAMPLES / "png-gimp-en.png"
    if content is not None:
        path = tmp_path / "broken.png"
        path.write_bytes(content)

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        dialog = await dropped(desk, path)
        assert dialog.boxes == {}
        assert dialog.headline.text() == "This picture does not say how it was made."
        assert dialog.notes.text()
        assert not dialog.apply_button.isVisibleTo(dialog)
        assert dialog.close_button.text() == "Close"
        dialog.close_button.click()

    stage.play(scenario)


def test_a_file_that_is_gone_is_said(stage, tmp_path):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        dialog = await dropped(desk, tmp_path / "gone.png")
        assert dialog.headline.text() == "The file cannot be read: No such file or directory"
        dialog.reject()

    stage.play(scenario)


def test_a_picture_dropped_on_a_text_field(stage, tmp_path):
    path = own_picture(tmp_path)

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        field = desk.window.panel.prompt_edit
        assert drop(field.viewport(), path)
        await desk.background.finish()
        assert desk.window.picture_drop.dialog is not None
        assert field.toPlainText() == ""
        desk.window.picture_drop.dialog.reject()

    stage.play(scenario)


def test_other_files_and_several_are_not_taken(stage, tmp_path):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        assert not drop(desk.window, tmp_path / "x.pdf")
        assert not drop(desk.window, tmp_path / "a.png", tmp_path / "b.png")

    stage.play(scenario)


@pytest.mark.parametrize("name", ["copy.jpg", "copy.webp", "copy.png"])
def test_a_picture_is_saved_as_other_kinds_with_its_settings(stage, tmp_path, name):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        desk.form.update(prompt="a fox")
        desk.window.commands.generate.trigger()
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        await desk.background.finish()
        desk.window.commands.save_as.trigger()
        chooser = desk.window.findChildren(QFileDialog)[-1]
        chooser.fileSelected.emit(str(tmp_path / name))
        chooser.reject()
        await desk.background.finish()
        found = read(tmp_path / name)
        assert (found.software, found.prompt) == ("danqing", "a fox")
        assert found.format == {"jpg": "jpeg"}.get(name[5:], name[5:])

    stage.play(scenario)


def test_closed_before_it_was_read(stage, tmp_path):
    path = own_picture(tmp_path)

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        assert drop(desk.window, path)
        dialog = desk.window.picture_drop.dialog
        assert dialog is not None
        dialog.reject()
        await desk.background.finish()
        assert desk.form.values.prompt != "a fox\nin snow"

    stage.play(scenario)
