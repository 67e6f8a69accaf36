"""The system check as somebody uses it: real clicks and keys, recorded machines, real decisions."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

import pytest
from PIL.PngImagePlugin import PngImageFile
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QLabel,
    QMessageBox,
    QToolButton,
    QWidget,
)

from desktop import paths, settings, theme
from desktop.app import Desk
from desktop.views.system_check import SystemCheck, place_beside
from desktop.widgets.disclosure_row import DisclosureRow, breakable
from engine.port import CheckRecord, ChooseDevice, Gate, Generate, UnloadModel
from tests.fakes import machines
from tests.fakes.machines import CARD, RECORDED, healthy, recorded_machine
from tests.fakes.script import Script
from tests.waiting import painted, until

PERMISSION = "11-debian-kfd-render-user-video"
SMALL_BAR = healthy(files={f"{CARD}/mem_info_vis_vram_total": str(256 * 2**20)})
CHINESE = re.compile(r"[\u4e00-\u9fff]")
CONTROL = Qt.KeyboardModifier.ControlModifier
pytestmark = pytest.mark.qt_log_ignore(
    "This plugin does not support (propagateSizeHints|raise)", extend=True
)
"""What the offscreen platform says of every dialog."""


@pytest.fixture(autouse=True)
def script(monkeypatch):
    """What happens in the process of the self-test; nothing but passing where nothing is said."""

    def write(**steps: str) -> None:
        monkeypatch.setenv("DANQING_TEST_SCRIPT", json.dumps(steps))

    write()
    return write


def click(button: QWidget) -> None:
    assert button.isVisible()
    assert button.isEnabled()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


async def opened(desk: Desk) -> SystemCheck:
    """The dialog, opened by its shortcut, with everything judged."""
    desk.window.activateWindow()
    QTest.keyClick(desk.window, Qt.Key.Key_I, CONTROL)
    dialog = desk.window.system_check
    assert dialog is not None
    await judged(desk)
    return dialog


async def judged(desk: Desk) -> None:
    """Until nothing is checked or tested, and the engine has been told."""
    system = desk.system
    await until(system.changed, lambda: system.is_complete and not system.is_checking, 20)
    await desk.background.finish()


async def run_selftest(desk: Desk, dialog: SystemCheck) -> None:
    click(dialog.bar.run_button)
    await desk.background.finish()


def row(dialog: SystemCheck, check_id: str) -> DisclosureRow:
    return next(row for key, row in dialog.rows.rows.items() if key[0] == check_id)


def texts(widget: QWidget) -> str:
    """Everything that is written in a widget and can be seen."""
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def told(engine) -> list[ChooseDevice]:
    return [command for command in engine.commands if isinstance(command, ChooseDevice)]


def newest_box(dialog: SystemCheck) -> QMessageBox:
    return [box for box in dialog.findChildren(QMessageBox) if box.isVisible()][-1]


def answer(dialog: SystemCheck, text: str) -> None:
    (button,) = [b for b in newest_box(dialog).buttons() if b.text().replace("&", "") == text]
    click(button)


# --- opening --------------------------------------------------------------------------------------


def test_it_shows_itself_at_the_first_start_only(stage):
    async def first(desk, engine):
        dialog = desk.window.system_check
        assert dialog is not None
        assert dialog.isVisible()
        await judged(desk)
        assert "self-test has to pass" in dialog.verdict.answer

    async def second(desk, engine):
        assert desk.window.system_check is None

    stage.play(first, is_first_start=True)
    assert settings.load(paths.config_folder()).has_seen_check
    stage.play(second)


@pytest.mark.parametrize(("left", "width"), [(360, 1200), (0, 1920), (700, 1200)])
def test_the_first_one_leaves_the_panel_in_sight(left, width):
    panel, screen = QRect(left, 160, 352, 730), QRect(0, 0, 1920, 1080)
    placed = place_beside(panel, width, screen)
    assert screen.contains(placed)
    assert not placed.intersects(panel)
    # In the middle of the window, where Wayland puts it: most of the panel is free, with Generate.
    assert (width - placed.width()) // 2 >= panel.width() * 3 // 4
    narrow = QRect(0, 0, 800, 600)
    assert narrow.contains(place_beside(QRect(0, 30, 352, 500), 800, narrow))


def test_the_shortcut_opens_it_and_escape_closes_it(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        assert dialog.isVisible()
        assert not dialog.isModal()
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert not dialog.isVisible()
        probes = stage.machine.probes
        desk.window.commands.check.trigger()
        await judged(desk)
        assert stage.machine.probes == probes + 1

    stage.play(scenario)


def test_the_line_under_generate_leads_to_the_very_row(stage):
    stage.machine.snapshot = recorded_machine(PERMISSION)

    async def scenario(desk, engine):
        await judged(desk)
        note = desk.window.panel.gate_note
        assert note.text() == "GPU off: Permissions"
        assert "/dev/kfd may not be opened" in desk.window.panel.generate_button.toolTip()
        assert desk.window.panel.generate_button.isEnabled() == bool(desk.form.values.prompt)
        click(note)
        await judged(desk)
        dialog = desk.window.system_check
        permission = row(dialog, "dev.perm")
        assert permission.is_open
        assert dialog.focusWidget() is permission.header
        await painted(dialog)
        area = dialog.rows.viewport()
        assert area.rect().contains(permission.header.mapTo(area, QPoint(0, 0)))

    stage.play(scenario)


# --- rows -----------------------------------------------------------------------------------------


def test_a_row_opens_to_what_was_found_why_and_how_to_fix_it(stage):
    stage.machine.snapshot = recorded_machine(PERMISSION)

    async def scenario(desk, engine):
        dialog = await opened(desk)
        permission = row(dialog, "dev.perm")
        assert permission.is_open, "what blocks is open from the start"
        shown = texts(permission)
        for text in ("EACCES", "open for reading and writing", "may not be opened", "/dev/kfd"):
            assert text in shown
        (copy,) = permission.findChildren(QToolButton)
        click(copy)
        assert QGuiApplication.clipboard().text() == "sudo usermod -aG render $USER"
        assert "sudo usermod" in copy.accessibleName()
        click(permission.header)
        assert not permission.is_open
        assert not copy.isVisible()
        click(dialog.again_button)
        await judged(desk)
        assert not permission.is_open, "what was closed stays closed"
        assert row(dialog, "dev.perm") is permission

    stage.play(scenario)


def test_rows_are_reached_and_opened_by_keys(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        rows = list(dialog.rows.rows.values())
        by_place = sorted(rows, key=lambda r: r.y())
        by_place[0].header.setFocus()
        QTest.keyClick(by_place[0].header, Qt.Key.Key_Down)
        assert dialog.focusWidget() is by_place[1].header
        QTest.keyClick(by_place[1].header, Qt.Key.Key_Up)
        assert dialog.focusWidget() is by_place[0].header
        for key, is_open in ((Qt.Key.Key_Return, True), (Qt.Key.Key_Space, False)):
            QTest.keyClick(by_place[0].header, key)
            assert by_place[0].is_open is is_open
        reached = set()
        for _ in range(200):
            QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
            reached.add(dialog.focusWidget())
        wanted = {b for b in dialog.findChildren(QAbstractButton) if b.isVisible()}
        wanted -= set(dialog.banner.findChildren(QAbstractButton))
        assert {b for b in wanted if b.isEnabled() and b.focusPolicy()} <= reached

    stage.play(scenario)


def test_enter_presses_the_button_that_has_the_keyboard(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        dialog.close_button.setFocus()
        QTest.keyClick(dialog.close_button, Qt.Key.Key_Return)
        assert not dialog.isVisible()

    stage.play(scenario)


def test_everything_has_a_name_in_both_languages(stage):
    stage.machine.snapshot = recorded_machine("31-r9700-plus-igpu-30576mb")

    async def scenario(desk, engine):
        dialog = await opened(desk)
        for header in (r.header for r in dialog.rows.rows.values()):
            assert header.accessibleName()
        desk.window.language_chosen.emit("zh_CN")
        await painted(dialog)
        assert dialog.windowTitle() == "系统检查"
        for button in dialog.findChildren(QAbstractButton):
            if button.isVisible() and not isinstance(button.parent(), DisclosureRow):
                assert CHINESE.search(button.text() or button.accessibleName())
        for shown in dialog.rows.rows.values():
            assert CHINESE.search(shown.header.accessibleName()), shown.header.accessibleName()
        assert CHINESE.search(desk.window.panel.gate_note.text())

    stage.play(scenario)


def test_nothing_is_wider_than_the_narrowest_window(stage):
    stage.machine.snapshot = recorded_machine("71-r9700-x4-rccl")

    async def scenario(desk, engine):
        dialog = await opened(desk)
        for shown in dialog.rows.rows.values():
            shown.open()
        dialog.resize(dialog.minimumSize())
        await painted(dialog)
        area = dialog.rows.viewport()
        for label in dialog.rows.findChildren(QLabel):
            if label.isVisible():
                right = label.mapTo(area, label.rect().topRight()).x()
                assert right <= area.width(), label.text()

    stage.play(scenario)


def test_long_words_can_be_broken():
    assert breakable("short words stay") == "short words stay"
    long = "x" * 100
    assert max(map(len, breakable(long).split("\u200b"))) <= 24
    assert breakable(long).replace("\u200b", "") == long


# --- the gate and the engine ----------------------------------------------------------------------


def test_a_passed_self_test_turns_the_gpu_on_and_pictures_say_so(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        assert told(engine)[-1].check == CheckRecord(gate=Gate.NEEDS_SELFTEST)
        await run_selftest(desk, dialog)
        assert any(isinstance(command, UnloadModel) for command in engine.commands)
        assert dialog.verdict.answer == "Pictures can be made on the GPU."
        assert told(engine)[-1].allows_gpu
        assert desk.window.panel.gate_note.text() == "GPU on"
        desk.form.update(prompt="a cat")
        desk.window.commands.generate.trigger()
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        await desk.background.finish()
        (file,) = desk.pictures_folder.rglob("*.png")
        with PngImageFile(file) as image:
            record = json.loads(str(image.text["danqing"]))
        assert record["check"] == {"gate": "open", "acknowledged": [], "override": False}

    stage.play(scenario)


@pytest.mark.logs("its number cannot be told")
def test_a_gpu_whose_number_is_not_known_is_neither_on_nor_tested(stage, monkeypatch):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        await run_selftest(desk, dialog)
        note = desk.window.panel.gate_note
        assert note.text() == "GPU on"
        monkeypatch.setattr(machines.PretendedSelfTest, "index_of", lambda *_: None)
        click(dialog.again_button)
        await judged(desk)
        assert note.text() == "GPU off: its number is not known"
        assert "Unset GPU_DEVICE_ORDINAL" in note.reason
        assert not told(engine)[-1].allows_gpu or told(engine)[-1].preference == "cpu"
        await run_selftest(desk, dialog)
        assert "Unset GPU_DEVICE_ORDINAL" in texts(dialog.banner)
        desk.window.language_chosen.emit("zh_CN")
        await painted(dialog)
        assert note.text() == "显卡未启用：无法确定其编号"
        assert "请取消设置 GPU_DEVICE_ORDINAL" in note.reason

    stage.play(scenario)


def test_the_engine_waits_for_the_check_only_where_a_gpu_could_be_used(stage):
    async def scenario(desk, engine):
        desk.form.update(prompt="a cat")
        desk.window.commands.generate.trigger()
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        kinds = [type(c) for c in engine.commands if isinstance(c, ChooseDevice | Generate)]
        assert kinds[0] is ChooseDevice
        assert stage.machine.probes

    async def without(desk, engine):
        assert engine.commands == []

    stage.play(scenario, waits_for_engine=False, has_gpu_code=True)
    stage.play(without)


def test_a_failing_step_is_shown_with_what_it_means(stage, script):
    script(**{"matmul.float16": "abort"})

    async def scenario(desk, engine):
        dialog = await opened(desk)
        await run_selftest(desk, dialog)
        assert dialog.verdict.answer == "Pictures cannot be made on the GPU."
        assert desk.window.panel.gate_note.text() == "GPU off: Self-test"
        failed = dialog.rows.rows[("step", "matmul.float16")]
        click_row(dialog, failed)
        assert "SIGABRT" in texts(failed)

    stage.play(scenario)


def click_row(dialog: SystemCheck, shown: DisclosureRow) -> None:
    dialog.rows.ensureWidgetVisible(shown.header)
    click(shown.header)


def test_the_self_test_can_be_stopped(stage, script, tmp_path):
    script(copy=f"wait-for:{tmp_path / 'mark'}")

    async def scenario(desk, engine):
        dialog = await opened(desk)
        dialog.bar.run_button.setFocus()
        QTest.keyClick(dialog.bar.run_button, Qt.Key.Key_Space)
        await until(desk.system.steps_changed, lambda: "Copy there and back" in dialog.bar.text)
        assert re.fullmatch(r".* \(4 of \d+\)", dialog.bar.text)
        icons = {row.text.tone.icon for key, row in dialog.rows.rows.items() if key[0] == "step"}
        assert icons == {"passed", "running", "waiting"}
        assert dialog.focusWidget() is dialog.bar.stop_button
        QTest.keyClick(dialog.bar.stop_button, Qt.Key.Key_Space)
        await desk.background.finish()
        assert not desk.system.is_testing
        assert "self-test has to pass" in dialog.verdict.answer
        assert dialog.bar.run_button.isEnabled()

    stage.play(scenario)


def test_closing_the_window_ends_the_self_test(stage, script, tmp_path):
    script(copy=f"wait-for:{tmp_path / 'mark'}")

    async def scenario(desk, engine):
        dialog = await opened(desk)
        click(dialog.bar.run_button)
        await until(desk.system.steps_changed, lambda: "Copy there and back" in dialog.bar.text)

    stage.play(scenario)


def test_the_self_test_waits_while_a_picture_is_drawn(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        desk.form.update(prompt="a cat")
        desk.window.commands.generate.trigger()
        await until(desk.queue.changed, lambda: desk.queue.current is not None, 10)
        assert not dialog.bar.run_button.isEnabled()
        assert "no picture is being drawn" in dialog.bar.text
        desk.queue.stop()
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        assert dialog.bar.run_button.isEnabled()

    stage.play(scenario, Script(step_s=0.05))


def test_warnings_are_read_and_then_acknowledged(stage):
    stage.machine.snapshot = SMALL_BAR

    async def scenario(desk, engine):
        dialog = await opened(desk)
        await run_selftest(desk, dialog)
        assert "warnings have to be read" in dialog.verdict.answer
        assert desk.window.panel.gate_note.text() == "GPU off until its warnings are read"
        (link,) = dialog.verdict.links
        click(link)
        assert dialog.focusWidget() is row(dialog, "pcie.rebar").header
        click(dialog.verdict.acknowledge_button)
        await desk.background.finish()
        assert told(engine)[-1].check == CheckRecord(gate=Gate.OPEN, acknowledged=("pcie.rebar",))
        assert not dialog.verdict.acknowledge_button.isVisible()

    stage.play(scenario)


def test_an_override_is_asked_for_twice_and_can_be_taken_back(stage):
    stage.machine.snapshot = recorded_machine(PERMISSION)

    async def scenario(desk, engine):
        dialog = await opened(desk)
        for answers in (["Cancel"], ["Continue…", "Cancel"]):
            click(dialog.verdict.override_button)
            for text in answers:
                answer(dialog, text)
            await desk.background.finish()
            assert not told(engine)[-1].allows_gpu
        click(dialog.verdict.override_button)
        answer(dialog, "Continue…")
        answer(dialog, "Use the GPU")
        await desk.background.finish()
        assert told(engine)[-1].check == CheckRecord(gate=Gate.OPEN, is_overridden=True)
        assert "against the advice" in texts(dialog.verdict)
        assert "against the advice" in desk.window.panel.gate_note.text()
        click(dialog.verdict.take_back_button)
        await desk.background.finish()
        assert told(engine)[-1].check == CheckRecord(gate=Gate.BLOCKED)

    stage.play(scenario)


def test_an_override_is_not_offered_where_there_is_no_gpu(stage):
    stage.machine.snapshot = recorded_machine("49-nvidia-4090-rebar")

    async def scenario(desk, engine):
        dialog = await opened(desk)
        assert not dialog.verdict.override_button.isVisible()

    stage.play(scenario)


def test_what_has_changed_is_said(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        await run_selftest(desk, dialog)
        stage.machine.snapshot = healthy(
            release="6.17.0-1", files={"/sys/class/dmi/id/bios_version": "9999"}
        )
        click(dialog.again_button)
        await judged(desk)
        assert "self-test last passed: kernel (now 6.17.0-1), BIOS (now" in texts(dialog.verdict)
        assert not told(engine)[-1].allows_gpu

    stage.play(scenario)


# --- files and texts ------------------------------------------------------------------------------


def test_the_report_is_saved_and_asked_about_before_it_replaces_another(stage, tmp_path):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        click(dialog.save_button)
        file_dialog = dialog.findChildren(QFileDialog)[-1]
        assert file_dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
        assert not file_dialog.testOption(QFileDialog.Option.DontConfirmOverwrite)
        file_dialog.fileSelected.emit(str(tmp_path / "mine.zip"))
        file_dialog.close()
        await desk.background.finish()
        assert "is saved" in texts(dialog.banner)
        assert dialog.banner.property("good")
        ground = dialog.banner.grab().toImage().pixelColor(1, 1).name()
        assert ground == theme.LIGHT.base
        with zipfile.ZipFile(tmp_path / "mine.zip") as archive:
            assert "report.txt" in archive.namelist()

    stage.play(scenario)


def test_a_report_that_cannot_be_written_is_said(stage, tmp_path):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        (tmp_path / "file").touch()
        dialog._write(str(tmp_path / "file" / "mine.zip"))
        await desk.background.finish()
        assert "mine.zip" in texts(dialog.banner)

    stage.play(scenario)


def test_the_text_for_an_issue_is_copied(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        before = dialog.copy_button.geometry(), dialog.open_button.geometry()
        click(dialog.copy_button)
        await desk.background.finish()
        assert QGuiApplication.clipboard().text().startswith("**Danqing")
        assert dialog.copy_button.text() == "Copied"
        QApplication.sendPostedEvents()
        assert (dialog.copy_button.geometry(), dialog.open_button.geometry()) == before

    stage.play(scenario)


def test_a_dropped_report_is_shown_as_a_recorded_machine(stage):
    stage.machine.snapshot = recorded_machine(PERMISSION)

    async def scenario(desk, engine):
        dialog = await opened(desk)
        before = len(told(engine))
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(RECORDED / "01-r9700-rebar-on" / "snapshot"))])
        where, copy = QPoint(5, 5), Qt.DropAction.CopyAction
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(where, copy, data, left, none)
        QApplication.sendEvent(dialog, enter)
        assert enter.isAccepted()
        QApplication.sendEvent(dialog, QDropEvent(QPointF(where), copy, data, left, none))
        await desk.background.finish()
        assert "a recorded machine" in texts(dialog.recording)
        assert "R9700" in texts(dialog.verdict)
        assert not dialog.verdict.override_button.isVisible()
        assert not dialog.bar.run_button.isEnabled()
        assert len(told(engine)) == before
        assert desk.window.panel.gate_note.text() == "GPU off: Permissions"
        click(dialog.own_button)
        assert not dialog.recording.isVisible()
        assert dialog.verdict.override_button.isVisible()

    stage.play(scenario)


def test_what_is_no_report_is_said(stage, tmp_path):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        bad = tmp_path / "holiday.zip"
        bad.write_bytes(b"no zip")
        dialog._open_recording(bad)
        await desk.background.finish()
        assert "holiday.zip" in texts(dialog.banner)
        assert not dialog.recording.isVisible()

    stage.play(scenario)


def test_after_a_recording_the_dialog_opens_with_this_machine(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        dialog._open_recording(Path(RECORDED / PERMISSION / "snapshot"))
        await desk.background.finish()
        assert dialog.recording.isVisible()
        click(dialog.close_button)
        desk.window.commands.check.trigger()
        await judged(desk)
        assert dialog.isVisible()
        assert not dialog.recording.isVisible()
        assert desk.system.shown is desk.system.own

    stage.play(scenario)


def test_a_pasted_log_is_explained_or_honestly_not(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk)
        dialog.tabs.setCurrentIndex(1)
        log = dialog.log
        assert not log.explain_button.isEnabled()
        QTest.keyClicks(log.edit, "all is well")
        click(log.explain_button)
        await desk.background.finish()
        assert log.answer.startswith("Nothing known in here.")
        log.edit.setPlainText("rocBLAS error: Cannot read TensileLibrary.dat\n" * 2)
        assert log.answer == "", "an answer to another text is taken back"
        QTest.keyClick(log.edit, Qt.Key.Key_Return, CONTROL)
        await desk.background.finish()
        assert log.answer == "1 thing known in here:"
        (known,) = log.results.rows.values()
        assert "no kernels" in texts(known)
        assert known.text.verdict == "2 ×"

    stage.play(scenario)


def test_the_check_names_no_file_of_the_user(stage):
    """The dialog of a machine whose report was opened shows the file's name, never its folder."""

    async def scenario(desk, engine):
        dialog = await opened(desk)
        dialog._open_recording(Path(RECORDED / PERMISSION / "snapshot"))
        await desk.background.finish()
        assert str(RECORDED) not in texts(dialog.recording)

    stage.play(scenario)
