"""The window and its files: how pictures are named, and what happens to those on disk."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from desktop import paths, settings
from desktop.app import Desk
from desktop.settings import Settings
from tests.waiting import until

CONTROL = Qt.KeyboardModifier.ControlModifier


async def draw(desk: Desk, prompt: str) -> None:
    """Draw and save one picture."""
    desk.form.update(prompt=prompt)
    QTest.keyClick(desk.window, Qt.Key.Key_Return, CONTROL)
    await until(desk.queue.changed, lambda: desk.queue.current is None, 10)
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
