"""Importing lists in the real window: file, drop and paste, keyboard, languages, the queue."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit

from desktop.models.prompt_list import Column
from tests.waiting import until

LIST = "a cat\n--prompt x --steps 999\n--prompt b --steps 9 --seed 5\n{c|c} --steps 4\n"


async def opened(desk, source):
    desk.window.list_import.open(source)
    dialog = desk.window.list_import.dialog
    reading = dialog.prompt_list
    await until(reading.changed, lambda: not reading.is_reading)
    return dialog


def test_a_list_is_drawn_as_its_table_says(stage, tmp_path):
    file = tmp_path / "list.txt"
    file.write_text(LIST)

    async def scenario(desk, engine):
        dialog = await opened(desk, file)
        assert "3 pictures" in dialog.summary.text()
        assert "1 wrong row" in dialog.summary.text()
        assert "not known" in dialog.cost.text()
        dialog.table.selectRow(0)
        dialog.table.setCurrentIndex(dialog.table.model().index(0, Column.PROMPT))
        QTest.keyClick(dialog.table, Qt.Key.Key_Space)
        QTest.keyClick(dialog, Qt.Key.Key_F8)
        assert dialog.table.currentIndex().data() == "999"
        QTest.keyClick(dialog.table, Qt.Key.Key_F2)
        assert "999" in dialog.detail.text()
        editor = dialog.table.findChild(QLineEdit, "cellEditor")
        editor.selectAll()
        QTest.keyClicks(editor, "8")
        QTest.keyClick(editor, Qt.Key.Key_Tab)
        assert "3 pictures" in dialog.summary.text()
        QTest.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert desk.window.list_import.dialog is None
        made = []
        desk.queue.image_completed.connect(made.append)
        await until(desk.queue.image_completed, lambda: len(made) == 3)
        assert [(m.request.prompt, m.request.steps) for m in made] == [
            ("x", 8),
            ("b", 9),
            ("{c|c} --steps 4", 12),
        ]
        assert made[2].event.provenance.resolved.prompt == "c --steps 4"

    stage.play(scenario)


def test_unknown_encodings_are_chosen(stage, tmp_path):
    file = tmp_path / "list.txt"
    file.write_bytes("一只橙色的猫，蓝色背景\n".encode("gb18030"))

    async def scenario(desk, engine):
        dialog = await opened(desk, file)
        assert dialog.encoding_box.isVisibleTo(dialog)
        assert not dialog.enqueue_button.isEnabled()
        assert "gb18030" in dialog.notice.text()
        dialog.encoding_box.setCurrentIndex(dialog.encoding_box.findData("gb18030"))
        dialog.encoding_box.activated.emit(dialog.encoding_box.currentIndex())
        await until(dialog.prompt_list.changed, lambda: not dialog.prompt_list.is_reading)
        assert dialog.table.model().index(0, Column.PROMPT).data() == "一只橙色的猫，蓝色背景"
        assert dialog.enqueue_button.isEnabled()
        dialog.reject()

    stage.play(scenario)


def test_pasted_and_dropped_lists(stage, tmp_path):
    file = tmp_path / "list.csv"
    file.write_text("prompt,steps\na,5\n")

    async def scenario(desk, engine):
        window = desk.window
        QGuiApplication.clipboard().setText("a\n###\nb\nc")
        window.commands.paste_list.trigger()
        dialog = window.list_import.dialog
        await until(dialog.prompt_list.changed, lambda: not dialog.prompt_list.is_reading)
        assert "2 pictures" in dialog.summary.text()
        dialog.reject()
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(file))])
        field = window.panel.findChild(QPlainTextEdit).viewport()
        for event in (_enter(data), _drop(data)):
            QApplication.sendEvent(field, event)
            assert event.isAccepted()
        assert desk.form.values.prompt == ""
        window.list_import.dialog.reject()
        for event in (_enter(data), _drop(data)):
            QApplication.sendEvent(window, event)
            assert event.isAccepted()
        dialog = window.list_import.dialog
        await until(dialog.prompt_list.changed, lambda: not dialog.prompt_list.is_reading)
        assert "1 picture" in dialog.summary.text()
        desk._speak("zh_CN")
        await asyncio.sleep(0)
        QApplication.sendPostedEvents()
        assert "1 张图片" in dialog.summary.text()
        headers = dialog.table.model()
        assert headers.headerData(Column.PROMPT, Qt.Orientation.Horizontal) == "提示词"
        dialog.reject()
        data.setUrls([QUrl.fromLocalFile(str(tmp_path / "picture.gif"))])
        event = _enter(data)
        QApplication.sendEvent(window, event)
        assert window.list_import.dialog is None

    stage.play(scenario)


def test_ten_thousand_rows_stay_quick(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk, "\n".join(f"a cat {n}" for n in range(10_000)))
        before = asyncio.get_running_loop().time()
        dialog.table.scrollToBottom()
        dialog.grab()
        dialog.table.go_to_next_note()
        assert asyncio.get_running_loop().time() - before < 2
        assert "10000" in dialog.summary.text().replace(",", "")
        dialog.reject()

    stage.play(scenario)


def test_escape_queues_nothing(stage):
    async def scenario(desk, engine):
        dialog = await opened(desk, "a\nb")
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        assert desk.window.list_import.dialog is None
        assert desk.queue.current is None

    stage.play(scenario)


def _enter(data: QMimeData) -> QDragEnterEvent:
    return QDragEnterEvent(
        QPoint(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )


def _drop(data: QMimeData) -> QDropEvent:
    return QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
