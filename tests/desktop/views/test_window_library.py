"""The window and its files: how pictures are named, and what happens to those on disk."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QLabel, QWidget

from desktop import paths, settings
from desktop.app import Desk
from desktop.models import trash
from desktop.settings import Settings
from desktop.store import library
from desktop.views.file_names_dialog import FileNamesDialog
from tests.fakes import picture_files
from tests.fakes.script import Script
from tests.waiting import until

OWN_DIALOGS = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
CONTROL = Qt.KeyboardModifier.ControlModifier


async def draw(desk: Desk, prompt: str) -> None:
    """Draw and save one picture."""
    gallery = desk.gallery

    def is_saved() -> bool:
        rows = range(gallery.rowCount())
        shown = [gallery.picture(gallery.index(row)) for row in rows]
        return any(p is not None and p.prompt == prompt and p.path is not None for p in shown)

    desk.form.update(prompt=prompt)
    QTest.keyClick(desk.window, Qt.Key.Key_Return, CONTROL)
    await until(gallery.picture_changed, is_saved, 10)
    await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
    await desk.background.finish()


def notices(desk: Desk) -> str:
    return "\n".join(label.text() for label in desk.window.view.banner.findChildren(QLabel))


def test_pictures_are_named_as_the_settings_say(stage):
    settings.save(Settings(file_name_pattern="[prompt]/[seed_first]"), paths.config_folder())

    async def scenario(desk: Desk, engine) -> None:
        await draw(desk, "a cat")
        (file,) = paths.pictures_folder().rglob("*.png")
        assert file.parent.name == "a_cat"
        assert file.stem.isdecimal()
        assert not desk.window.view.banner.isVisible()

    stage.play(scenario)


def test_all_pictures_of_a_job_have_its_own_time(stage):
    pattern = "[job_timestamp]/[batch_number] of [batch_size]"
    settings.save(Settings(file_name_pattern=pattern), paths.config_folder())

    async def scenario(desk: Desk, engine) -> None:
        desk.form.update(image_count=3)
        await draw(desk, "a cat")
        files = sorted(paths.pictures_folder().rglob("*.png"))
        assert [file.name for file in files] == ["1 of 3.png", "2 of 3.png", "3 of 3.png"]
        assert len({file.parent for file in files}) == 1

    stage.play(scenario, script=Script(step_s=0.05))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_pattern_that_cannot_be_used_is_told_and_pictures_are_saved_all_the_same(stage, language):
    wrong = Settings(file_name_pattern="[sed]", language=language)
    settings.save(wrong, paths.config_folder())

    async def scenario(desk: Desk, engine) -> None:
        await desk.background.finish()
        assert desk.window.view.banner.isVisible()
        assert "[sed]" in notices(desk)
        assert "[seed]" in notices(desk)
        assert ("改正之前" in notices(desk)) is (language == "zh_CN")
        await draw(desk, "a cat")
        (file,) = paths.pictures_folder().iterdir()
        assert file.name.endswith("-0001-a cat.png")

    stage.play(scenario)


def press(widget: QWidget, key: Qt.Key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(widget, key, modifier)


def test_delete_moves_to_the_trash_and_control_z_puts_back(stage, home):
    async def scenario(desk: Desk, engine) -> None:
        for prompt in ("first", "second", "third"):
            await draw(desk, prompt)
        strip, view = desk.window.view.strip, desk.window.view
        undo = desk.window.commands.undo_delete
        assert not undo.isEnabled()
        strip.setFocus()
        strip.step(1)
        second = view.picture
        assert second is not None
        assert second.prompt == "second"
        path = second.path
        assert path is not None
        press(strip, Qt.Key.Key_Delete)
        await desk.background.finish()
        assert not path.exists()
        assert [p.name for p in (home / ".local/share/Trash/files").iterdir()] == [path.name]
        assert desk.gallery.rowCount() == 2
        assert view.picture is not None
        assert view.picture.prompt in ("first", "third")
        assert undo.isEnabled()
        with library.opened(paths.state_folder()) as index:
            assert index.search("second") == []
        press(strip, Qt.Key.Key_Z, CONTROL)
        await desk.background.finish()
        assert path.exists()
        assert desk.gallery.picture(desk.gallery.index(1)) is second
        assert not undo.isEnabled()
        with library.opened(paths.state_folder()) as index:
            assert [p.path for p in index.search("second")] == [path]

    stage.play(scenario)


def test_delete_in_the_prompt_deletes_a_character(stage):
    async def scenario(desk: Desk, engine) -> None:
        await draw(desk, "a cat")
        prompt = desk.window.panel.prompt_edit
        prompt.setFocus()
        prompt.moveCursor(QTextCursor.MoveOperation.Start)
        press(prompt, Qt.Key.Key_Delete)
        assert prompt.toPlainText() == " cat"
        press(prompt, Qt.Key.Key_Z, CONTROL)
        assert prompt.toPlainText() == "a cat"
        await desk.background.finish()
        assert len(list(paths.pictures_folder().iterdir())) == 1

    stage.play(scenario)


def test_what_the_trash_does_not_take_stays_and_is_told(stage, expect_log, monkeypatch):
    def refuse(path):
        raise trash.NotTrashed(0, "no trash here", str(path))

    monkeypatch.setattr(trash, "move", refuse)
    expect_log("cannot be moved to the trash")

    async def scenario(desk: Desk, engine) -> None:
        await draw(desk, "a cat")
        desk.window.view.strip.setFocus()
        desk.window.commands.delete.trigger()
        await desk.background.finish()
        (file,) = paths.pictures_folder().iterdir()
        assert f"{file} cannot be moved to the trash: no trash here." in notices(desk)
        assert "still where it was" in notices(desk)
        assert desk.gallery.rowCount() == 1

    stage.play(scenario)


def test_the_last_picture_deleted_leaves_an_empty_window(stage):
    async def scenario(desk: Desk, engine) -> None:
        await draw(desk, "a cat")
        desk.window.commands.delete.trigger()
        await desk.background.finish()
        assert desk.window.view.picture is None
        assert desk.window.view.empty.isVisible()
        assert not desk.window.commands.delete.isEnabled()
        desk.window.commands.undo_delete.trigger()
        await desk.background.finish()
        assert desk.window.view.picture is not None
        assert desk.window.view.picture.prompt == "a cat"

    stage.play(scenario)


def test_pictures_are_in_the_library_as_soon_as_they_are_saved(stage):
    old = picture_files.write(paths.pictures_folder() / "2025" / "old.png", "一只橘猫")

    async def scenario(desk: Desk, engine) -> None:
        await draw(desk, "a rocket")
        await desk.background.finish()
        with library.opened(paths.state_folder()) as index:
            assert [p.path for p in index.search("橘猫")] == [old]
            assert len(index.search("rocket")) == 1
        # The strip shows folders within the pictures folder too.
        assert desk.gallery.rowCount() == 2

    stage.play(scenario)


async def names_dialog(desk: Desk) -> FileNamesDialog:
    desk.window.commands.file_names.trigger()
    (dialog,) = desk.window.findChildren(FileNamesDialog)
    return dialog


@OWN_DIALOGS
def test_names_are_chosen_in_a_dialog_with_an_example(stage):
    async def scenario(desk: Desk, engine) -> None:
        desk.form.update(prompt="a rocket")
        dialog = await names_dialog(desk)
        assert dialog.example.text().endswith("-0001-a rocket.png")
        dialog.pattern_edit.clear()
        QTest.keyClicks(dialog.pattern_edit, "cats/[sed]")
        ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
        assert not ok.isEnabled()
        assert "[sed] is not known" in dialog.problem.text()
        assert "Did you mean [seed]?" in dialog.problem.text()
        dialog.pattern_edit.setText("cats/[seed_first]")
        assert dialog.example.text() == "Example: cats/12345.png"
        QTest.mouseClick(ok, Qt.MouseButton.LeftButton)
        await draw(desk, "a cat")
        (file,) = paths.pictures_folder().rglob("*.png")
        assert file.parent.name == "cats"

    stage.play(scenario)
    assert settings.load(paths.config_folder()).file_name_pattern == "cats/[seed_first]"


@OWN_DIALOGS
def test_the_usual_names_come_back_with_a_click_and_cancel_changes_nothing(stage):
    settings.save(Settings(file_name_pattern="[seed]"), paths.config_folder())

    async def scenario(desk: Desk, engine) -> None:
        dialog = await names_dialog(desk)
        assert dialog.pattern_edit.text() == "[seed]"
        dialog.pattern_edit.setText("[steps]")
        dialog.reject()
        assert desk.preferences.settings.file_name_pattern == "[seed]"
        dialog = FileNamesDialog("[seed]", "")
        chosen: list = []
        dialog.pattern_chosen.connect(chosen.append)
        dialog.usual_button.click()
        assert dialog.example.text().endswith("-0001-an orange cat.png")
        dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
        assert chosen == [None]

    stage.play(scenario)
