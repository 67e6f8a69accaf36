"""The window as somebody uses it: real clicks and keys, a pretended engine, real files."""

from __future__ import annotations

import asyncio
import re
import threading
from pathlib import Path
from typing import TypeVar

import pytest
from PIL.PngImagePlugin import PngImageFile
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPushButton,
    QWidget,
)

from desktop import paths, theme
from desktop.app import Desk
from desktop.models.gallery import Picture, PictureState, Role
from desktop.settings import Theme
from engine.port import (
    MAX_SEED,
    CancelWhen,
    EngineError,
    ErrorCode,
    Generate,
    JobCancelled,
    Shutdown,
)
from tests.fakes.fake_engine import FakeCatalog, FakeEngine
from tests.fakes.script import Script
from tests.waiting import painted, until

ENTER, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Escape
CONTROL = Qt.KeyboardModifier.ControlModifier
T = TypeVar("T", bound=QWidget)
OWN_DIALOGS = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")
"""What the offscreen platform says of every dialog."""
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def click(button: QWidget) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def keys(widget: QWidget, text: str) -> None:
    QTest.keyClicks(widget, text)


async def idle(desk: Desk) -> None:
    """Until nothing is drawn and nothing is written."""
    await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
    await desk.background.finish()


async def drawing(desk: Desk) -> None:
    """Until the engine is at a picture."""

    def has_begun() -> bool:
        job = desk.queue.current
        return job is not None and job.progress is not None and job.progress.phase is not None

    await until(desk.queue.changed, has_begun, 10)


def focused() -> QWidget:
    """The widget that keys go to."""
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def settled() -> None:
    """Until what was posted by now has been dealt with, deletions included."""
    QApplication.sendPostedEvents()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def requests(engine: FakeEngine) -> list:
    return [command.request for command in engine.commands if isinstance(command, Generate)]


def type_prompt(desk: Desk, text: str = "a cat on the grass") -> None:
    edit = desk.window.panel.prompt_edit
    edit.selectAll()
    keys(edit, text)


def parameters(path: Path) -> str:
    """The prompt and numbers that a picture's file holds."""
    with PngImageFile(path) as image:
        return str(image.text["parameters"])


def shown(desk: Desk) -> Picture:
    """The picture that is looked at."""
    picture = desk.window.view.picture
    assert picture is not None
    return picture


def last_child(parent: QWidget, kind: type[T]) -> T:
    """The newest child of a kind."""
    return parent.findChildren(kind)[-1]


def pictures_of(desk: Desk) -> list[Path]:
    return sorted(desk.pictures_folder.glob("*.png"))


# --- making pictures ------------------------------------------------------------------------------


def test_a_first_picture_takes_two_clicks(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        window = desk.window
        example = next(
            b for b in window.view.empty.findChildren(QPushButton) if "cat" in b.accessibleName()
        )
        assert not window.panel.generate_button.isEnabled()
        click(example)
        assert window.panel.prompt_edit.toPlainText() == "a cat on the grass"
        click(window.panel.generate_button)
        await idle(desk)
        assert requests(engine)[0].prompt == "a cat on the grass"
        [path] = pictures_of(desk)
        assert "a cat on the grass" in parameters(path)
        assert shown(desk).path == path
        assert window.view.canvas.isVisible()
        assert window.view.canvas.image.width() == 256
        assert window.view.strip.isVisible()
        assert window.view.progress.text == "Done"

    stage.play(scenario)


def test_control_and_enter_generates_from_within_the_prompt(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        QTest.keyClick(desk.window.panel.prompt_edit, ENTER, CONTROL)
        await idle(desk)
        assert len(requests(engine)) == 1
        assert desk.window.panel.prompt_edit.toPlainText() == "a cat on the grass"
        QTest.keyClick(desk.window.panel.prompt_edit, Qt.Key.Key_Enter, CONTROL)
        await idle(desk)
        assert len(requests(engine)) == 2

    stage.play(scenario)


def test_enter_alone_makes_a_new_line(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk, "one")
        QTest.keyClick(desk.window.panel.prompt_edit, ENTER)
        keys(desk.window.panel.prompt_edit, "two")
        assert desk.form.values.prompt == "one\ntwo"
        assert requests(engine) == []

    stage.play(scenario)


@pytest.mark.parametrize("where", ["prompt_edit", "steps_box", "size_box", "generate_button"])
def test_escape_stops_wherever_the_focus_is_and_says_so_at_once(stage, where):
    gate = threading.Event()

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await drawing(desk)
        target = getattr(desk.window.panel, where)
        target.setFocus()
        QTest.keyClick(target, ESCAPE)
        # No event was dealt with in between: the answer is the key press's own.
        assert desk.window.view.progress.text.startswith("Stopping…")
        assert not desk.window.panel.stop_button.isEnabled()
        await idle(desk)
        assert engine.cancels[0][1] is CancelWhen.NOW
        assert pictures_of(desk) == []
        assert desk.window.view.progress.text == "Stopped"
        assert desk.gallery.rowCount() == 0

    stage.play(scenario, Script(gate=gate))


def test_stop_is_answered_while_the_engine_is_starting(stage):
    may_open = threading.Event()

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        ends: list = []
        desk.queue.job_ended.connect(ends.append)
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await until(desk.queue.changed, lambda: desk.queue.is_with_engine, 10)
        assert desk.window.view.progress.text == "Waiting for the engine to start…"
        QTest.keyClick(desk.window, ESCAPE)
        assert isinstance(ends[0], JobCancelled)
        may_open.set()
        await until(desk.queue.changed, lambda: desk.queue.is_engine_ready, 10)
        assert desk.window.view.progress.text == "Stopped"

    def open_engine(_):
        may_open.wait(10)
        return FakeEngine()

    stage.play(scenario, open_engine=open_engine, waits_for_engine=False)


def test_generate_while_drawing_lets_the_next_one_wait(stage):
    gate = threading.Event()

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        panel = desk.window.panel
        for prompt in ("one", "two", "three"):
            type_prompt(desk, prompt)
            click(panel.generate_button)
        await drawing(desk)
        assert "2 waiting" in [label.text() for label in panel.findChildren(QLabel)]
        desk.window.commands.clear_waiting.trigger()
        assert "2 waiting" not in [label.text() for label in panel.findChildren(QLabel)]
        gate.set()
        await idle(desk)
        assert len(pictures_of(desk)) == 1

    stage.play(scenario, Script(gate=gate))


def test_several_pictures_and_stop_after_the_first(stage):
    gate = threading.Event()

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        desk.window.panel.count_box.setValue(4)
        click(desk.window.panel.generate_button)
        await drawing(desk)
        assert desk.window.view.progress.text.startswith("Picture 1 of 4: ")
        desk.window.commands.stop_after_picture.trigger()
        assert "Stops after this picture" in desk.window.view.progress.text
        assert desk.window.panel.stop_button.isEnabled()
        gate.set()
        await idle(desk)
        assert len(pictures_of(desk)) == 1

    stage.play(scenario, Script(gate=gate))


# --- the form -------------------------------------------------------------------------------------


def test_a_size_that_the_model_cannot_draw_is_explained_where_it_is_typed(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        panel = desk.window.panel
        type_prompt(desk)
        edit = last_child(panel.size_box, QLineEdit)
        edit.selectAll()
        keys(edit, "300x300")
        said = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
        note = next(text for text in said if text.startswith("This model can draw"))
        assert "320\u00a0×\u00a0192" in note
        assert not panel.generate_button.isEnabled()
        QTest.keyClick(edit, ENTER, CONTROL)
        assert requests(engine) == []
        edit.selectAll()
        keys(edit, "320x192")
        assert panel.generate_button.isEnabled()
        click(panel.generate_button)
        await idle(desk)
        assert (requests(engine)[0].width, requests(engine)[0].height) == (320, 192)
        click(panel.swap_button)
        assert panel.size_box.currentText() == "192 × 320"

    stage.play(scenario)


def test_seeds_random_typed_and_used_again(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        panel, field = desk.window.panel, desk.window.panel.seed_field
        type_prompt(desk)
        assert field.random.isChecked()
        assert not field.last.isEnabled()
        click(panel.generate_button)
        await idle(desk)
        first = requests(engine)[0].seed
        assert str(first) in field.line.placeholderText()
        click(field.last)
        assert field.line.text() == str(first)
        assert not field.random.isChecked()
        click(panel.generate_button)
        field.line.selectAll()
        keys(field.line, str(MAX_SEED))
        click(panel.generate_button)
        click(field.random)
        assert field.line.text() == ""
        click(panel.generate_button)
        await idle(desk)
        seeds = [request.seed for request in requests(engine)]
        assert seeds[:3] == [first, first, MAX_SEED]
        assert seeds[3] not in (first, MAX_SEED)
        field.line.selectAll()
        keys(field.line, str(MAX_SEED + 1))
        assert not panel.generate_button.isEnabled()

    stage.play(scenario)


def test_the_numbers_reach_the_engine(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        panel = desk.window.panel
        type_prompt(desk)
        keys(panel.negative_edit, "blur")
        panel.steps_box.selectAll()
        keys(panel.steps_box, "9")
        panel.guidance_box.selectAll()
        keys(panel.guidance_box, "2.5")
        keys(panel.sampler_box, "E")
        panel.sampler_box.activated.emit(panel.sampler_box.currentIndex())
        click(panel.generate_button)
        await idle(desk)
        request = requests(engine)[0]
        assert (request.steps, request.guidance_scale) == (9, 2.5)
        assert request.negative_prompt == "blur"
        assert request.sampler == "euler"
        panel.guidance_box.setValue(1.0)
        assert not panel.negative_edit.isEnabled()

    stage.play(scenario)


def test_what_was_typed_is_there_again_after_a_restart(stage):
    async def first(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk, "a red apple")
        desk.window.panel.steps_box.setValue(5)
        desk.window.language_chosen.emit("zh_CN")
        desk.window.theme_chosen.emit(Theme.DARK)

    async def second(desk: Desk, engine: FakeEngine) -> None:
        assert desk.window.panel.prompt_edit.toPlainText() == "a red apple"
        assert desk.window.panel.steps_box.value() == 5
        assert desk.window.panel.generate_button.text() == "生成"
        assert desk.preferences.settings.theme is Theme.DARK

    stage.play(first)
    stage.play(second)


# --- looking at pictures --------------------------------------------------------------------------


def test_earlier_pictures_are_there_again_after_a_restart(stage):
    async def first(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await idle(desk)

    async def second(desk: Desk, engine: FakeEngine) -> None:
        await desk.background.finish()
        assert desk.gallery.rowCount() == 1
        assert shown(desk).path == pictures_of(desk)[0]
        assert desk.window.view.canvas.image.width() == 256

    stage.play(first)
    stage.play(second)


def test_an_earlier_picture_that_was_picked_stays_while_the_next_is_drawn(stage):
    gate = threading.Event()

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        view = desk.window.view
        type_prompt(desk)
        gate.set()
        for _ in range(2):
            click(desk.window.panel.generate_button)
            await idle(desk)
        gate.clear()
        click(desk.window.panel.generate_button)
        await drawing(desk)
        older = desk.gallery.picture(desk.gallery.index(2))
        place = view.strip.visualRect(desk.gallery.index(2)).center()
        QTest.mouseClick(view.strip.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert view.picture is older
        gate.set()
        await idle(desk)
        assert view.picture is older
        place = view.strip.visualRect(desk.gallery.index(0)).center()
        QTest.mouseClick(view.strip.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert shown(desk).path == pictures_of(desk)[-1]

    stage.play(scenario, Script(gate=gate))


def test_previews_fill_the_place_of_the_picture(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        seen: list = []
        canvas = desk.window.view.canvas
        desk.queue.previewed.connect(
            lambda _: seen.append((canvas.image.width(), round(canvas.picture_rect().width())))
        )
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await idle(desk)
        assert seen[-1][0] == 16
        assert seen[-1][1] == round(canvas.picture_rect().width())

    stage.play(scenario)


def test_keys_step_through_the_pictures_and_zoom(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        view = desk.window.view
        type_prompt(desk)
        for _ in range(3):
            click(desk.window.panel.generate_button)
            await idle(desk)
        newest = view.picture
        QTest.keyClick(view.canvas, Qt.Key.Key_Right)
        assert view.picture is desk.gallery.picture(desk.gallery.index(1))
        QTest.keyClick(view.canvas, Qt.Key.Key_Left)
        QTest.keyClick(view.canvas, Qt.Key.Key_Left)
        assert shown(desk) is newest
        assert desk.window.commands.fit.isChecked()
        QTest.keyClick(desk.window, Qt.Key.Key_1, CONTROL)
        assert view.canvas.is_actual_size
        assert desk.window.commands.actual_size.isChecked()
        assert not desk.window.commands.fit.isChecked()

    stage.play(scenario)


@OWN_DIALOGS
def test_a_picture_is_copied_and_saved_elsewhere(stage, tmp_path):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        window = desk.window
        assert not window.commands.save_as.isEnabled()
        assert not window.commands.copy.isEnabled()
        type_prompt(desk)
        click(window.panel.generate_button)
        await idle(desk)
        window.commands.copy.trigger()
        assert QGuiApplication.clipboard().image().size().toTuple() == (256, 256)
        window.commands.save_as.trigger()
        dialog = last_child(window, QFileDialog)
        dialog.fileSelected.emit(str(tmp_path / "copy.png"))
        dialog.reject()
        await desk.background.finish()
        assert (tmp_path / "copy.png").read_bytes() == pictures_of(desk)[0].read_bytes()

    stage.play(scenario)


def test_a_picture_is_dragged_out_as_a_file(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await idle(desk)
        wanted: list = []
        canvas = desk.window.view.canvas
        canvas.drag_wanted.disconnect()  # a drag has a loop of its own, which no test can leave
        canvas.drag_wanted.connect(lambda: wanted.append(True))
        start = canvas.rect().center()
        QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=start)
        QTest.mouseMove(canvas, start + QPoint(40, 0))
        QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(40, 0))
        assert wanted == [True]

    stage.play(scenario)


# --- what goes wrong ------------------------------------------------------------------------------

NO_MEMORY = EngineError(code=ErrorCode.OUT_OF_MEMORY, facts={"device": "cpu", "phase": "decode"})


def test_an_expected_failure_is_said_calmly_with_a_remedy_in_the_language_of_now(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        banner = desk.window.view.banner
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        assert banner.isVisible()
        english = [label.text() for label in banner.findChildren(QLabel)]
        assert any("Not enough memory" in text for text in english)
        assert any("smaller" in text for text in english)
        assert not any("Traceback" in text for text in english)
        desk.window.language_chosen.emit("zh_CN")
        settled()
        chinese = [label.text() for label in banner.findChildren(QLabel)]
        assert any("内存不足" in text for text in chinese)
        click(banner.findChildren(QAbstractButton)[0])
        assert not banner.isVisible()
        click(desk.window.panel.generate_button)
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        assert banner.isVisible()

    stage.play(scenario, Script(error=NO_MEMORY, fail_after_steps=3))


def test_a_bug_in_the_engine_is_no_traceback(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        texts = [label.text() for label in desk.window.view.banner.findChildren(QLabel)]
        assert any("broken" in text for text in texts)
        assert not any("Traceback" in text for text in texts)
        assert desk.gallery.rowCount() == 0

    stage.play(scenario, Script(bug=RuntimeError("x"), fail_after_steps=1))


def test_a_new_try_takes_the_old_message_away(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        desk.window.show_error(NO_MEMORY)
        assert desk.window.view.banner.isVisible()
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        assert not desk.window.view.banner.isVisible()
        await idle(desk)

    stage.play(scenario)


def test_a_pictures_folder_that_refuses_is_told_and_the_picture_rescued(stage, expect_log):
    expect_log("takes no picture")
    expect_log("queue pauses")
    folder = paths.pictures_folder()
    folder.parent.mkdir(parents=True)
    folder.write_text("a file, not a folder")

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await idle(desk)
        texts = "\n".join(label.text() for label in desk.window.view.banner.findChildren(QLabel))
        [rescued] = paths.rescue_folder().glob("*.png")
        assert str(rescued) in texts
        assert shown(desk).path == rescued

    # That it cannot be read either is what the log says a second time.
    expect_log("cannot be read")
    stage.play(scenario)


# --- language, theme, access ----------------------------------------------------------------------

SAME_IN_EVERY_LANGUAGE = re.compile(
    r"Danqing Starter|English|简体中文|DPM-Solver\+\+ \(2M\)|Euler|[\d ×.,x-]*"
)


def spoken(window: QWidget) -> list[str]:
    """Every text of buttons, labels and menus, and every accessible name."""
    texts = [label.text() for label in window.findChildren(QLabel)]
    texts += [button.text() for button in window.findChildren(QAbstractButton)]
    texts += [action.text() for action in window.findChildren(QAction)]
    texts += [widget.accessibleName() for widget in window.findChildren(QWidget)]
    texts += [widget.toolTip() for widget in window.findChildren(QWidget)]
    return [text for text in texts if text.strip() and not SAME_IN_EVERY_LANGUAGE.fullmatch(text)]


def test_the_whole_window_changes_its_language_while_it_runs(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        english = spoken(desk.window)
        assert not [text for text in english if CHINESE.search(text)]
        desk.window.language_chosen.emit("zh_CN")
        settled()
        chinese = spoken(desk.window)
        assert not [text for text in chinese if not CHINESE.search(text)]
        assert len(chinese) > 80
        assert "雪地里的一只企鹅" in chinese
        desk.window.language_chosen.emit("en")
        settled()
        assert sorted(spoken(desk.window)) == sorted(english)

    stage.play(scenario)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_no_two_controls_share_an_access_key(stage, language):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        desk.window.language_chosen.emit(language)
        settled()
        menus = [action.text() for action in desk.window.menuBar().actions()]
        labels = [label.text() for label in desk.window.findChildren(QLabel) if label.buddy()]
        inside = [
            [action.text() for action in menu.actions() if action.text()]
            for menu in desk.window.menuBar().findChildren(QMenu)
        ]
        for group in (menus + labels, *inside):
            marks = re.findall(r"&(\w)", " ".join(group).lower())
            assert len(marks) == len(set(marks)), group

    stage.play(scenario)


def test_every_control_has_a_name_for_screen_readers(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await idle(desk)
        nameless = []
        for widget in desk.window.findChildren(QWidget):
            if widget.focusPolicy() is Qt.FocusPolicy.NoFocus or widget.focusProxy():
                continue
            interface = QAccessible.queryAccessibleInterface(widget)
            if interface is None or not widget.isVisible():
                continue
            name = interface.text(QAccessible.Text.Name)
            is_part = widget.objectName().startswith("qt_")
            is_part |= widget.parent() is desk.window.panel.size_box
            if not name and not is_part:
                nameless.append((type(widget).__name__, widget.objectName()))
        assert nameless == []

    stage.play(scenario)


def test_everything_is_reached_with_the_tab_key(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await idle(desk)
        panel, view = desk.window.panel, desk.window.view
        panel.prompt_edit.setFocus()
        reached = []
        for _ in range(60):
            QTest.keyClick(focused(), Qt.Key.Key_Tab)
            widget = focused()
            if widget is panel.prompt_edit:
                break
            reached.append(widget)
        else:
            pytest.fail("Tab does not come round")
        for control in (
            panel.negative_edit,
            panel.model_box,
            panel.swap_button,
            panel.steps_box,
            panel.guidance_box,
            panel.sampler_box,
            panel.seed_field.line,
            panel.seed_field.random,
            panel.count_box,
            panel.generate_button,
            view.canvas,
            view.strip,
        ):
            assert control in reached, control
        # In the order of reading: fields, then Generate, then pictures.
        assert reached.index(panel.negative_edit) < reached.index(panel.model_box)
        assert reached.index(panel.count_box) < reached.index(panel.generate_button)
        assert reached.index(panel.generate_button) < reached.index(view.canvas)

    stage.play(scenario)


def test_themes_change_while_the_window_is_open(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        window = desk.window

        def ground() -> str:
            return window.grab().toImage().pixelColor(4, window.height() - 4).name()

        window.theme_chosen.emit(Theme.DARK)
        settled()
        assert ground() == theme.DARK.window
        window.theme_chosen.emit(Theme.LIGHT)
        settled()
        assert ground() == theme.LIGHT.window

    stage.play(scenario)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("size", [(800, 520), (1280, 720)])
def test_no_text_is_cut_off(stage, language, size):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        window = desk.window
        window.language_chosen.emit(language)
        window.resize(*size)
        type_prompt(desk)
        click(window.panel.generate_button)
        await idle(desk)
        desk.form.update(size_text="1x1")
        settled()
        cut = []
        for label in window.findChildren(QLabel):
            if not label.isVisible() or not label.text() or label.text().endswith("…"):
                continue
            needed = label.heightForWidth(label.width()) if label.wordWrap() else 0
            width = (
                0
                if label.wordWrap()
                else label.fontMetrics().horizontalAdvance(label.text().replace("&", ""))
            )
            if label.height() < needed or label.width() < width:
                cut.append(label.text())
        cut += [
            button.text()
            for button in window.findChildren(QPushButton)
            if button.isVisible() and button.width() < button.sizeHint().width()
        ]
        assert cut == []

    stage.play(scenario)


# --- the end --------------------------------------------------------------------------------------


@OWN_DIALOGS
def test_closing_while_drawing_asks_first(stage):
    gate = threading.Event()

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        click(desk.window.panel.generate_button)
        await drawing(desk)
        desk.window.close()
        assert desk.window.isVisible()
        question = last_child(desk.window, QMessageBox)
        stay = question.escapeButton()
        assert question.defaultButton() is stay
        click(stay)
        assert desk.queue.current is not None
        desk.window.close()
        question = last_child(desk.window, QMessageBox)
        leave = next(b for b in question.buttons() if b is not question.escapeButton())
        click(leave)
        await asyncio.wait_for(desk.closed.wait(), 10)
        assert isinstance(engine.commands[-1], Shutdown)
        assert engine.join(0)
        assert pictures_of(desk) == []

    stage.play(scenario, Script(gate=gate))


def test_closing_waits_for_the_picture_that_is_being_written(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        type_prompt(desk)
        desk.window.panel.count_box.setValue(3)
        click(desk.window.panel.generate_button)
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        desk.window.close()
        await asyncio.wait_for(desk.closed.wait(), 10)
        assert len(pictures_of(desk)) == 3
        states = {
            desk.gallery.data(desk.gallery.index(row), Role.STATE)
            for row in range(desk.gallery.rowCount())
        }
        assert states == {PictureState.SAVED}
        assert not list(desk.pictures_folder.glob(".*"))

    stage.play(scenario)


def test_closing_before_the_engine_was_opened_never_starts_it(stage):
    is_opening, may_open = threading.Event(), threading.Event()
    engines: list[FakeEngine] = []

    def open_engine(_) -> FakeEngine:
        is_opening.set()
        may_open.wait(10)
        engines.append(FakeEngine())
        return engines[0]

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        await asyncio.to_thread(is_opening.wait, 10)
        desk.window.close()
        may_open.set()
        await asyncio.wait_for(desk.closed.wait(), 10)
        assert desk.has_engine_ended
        assert engines[0].commands == []
        assert engines[0]._thread.ident is None

    stage.play(scenario, open_engine=open_engine, waits_for_engine=False)


def test_without_any_model_the_window_says_what_to_do(stage):
    class NoModels(FakeCatalog):
        def models(self):
            return ()

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        texts = [label.text() for label in desk.window.view.banner.findChildren(QLabel)]
        assert "The model is not there." in texts
        assert not desk.window.panel.generate_button.isEnabled()

    stage.play(scenario, catalog=NoModels())


def test_the_window_is_shown_before_the_engine_is_asked_for(stage):
    seen: list[bool] = []
    windows: list[Desk] = []

    def open_engine(_):
        seen.append(any(w.isVisible() for w in QApplication.topLevelWidgets()))
        return FakeEngine()

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        windows.append(desk)

    stage.play(scenario, open_engine=open_engine)
    assert seen == [True]


def test_the_panel_keeps_its_width_and_its_margins_in_every_language(stage):
    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        window, panel = desk.window, desk.window.panel

        def right_edges() -> set[int]:
            return {
                panel.width() - widget.mapTo(panel, widget.rect().topRight()).x() - 1
                for widget in (
                    panel.prompt_edit,
                    panel.guidance_box,
                    panel.seed_field,
                    panel.stop_button,
                )
            }

        width = panel.width()
        for language in ("zh_CN", "en", "zh_CN"):
            for chosen in (Theme.DARK, Theme.LIGHT):
                window.language_chosen.emit(language)
                window.theme_chosen.emit(chosen)
                settled()
                assert (panel.width(), right_edges()) == (width, {2 * theme.SPACE})
        panel.guidance_box.setMinimumWidth(160)  # as a much larger font would
        await painted(window)
        assert panel.width() > width
        assert right_edges() == {2 * theme.SPACE}

    stage.play(scenario)
