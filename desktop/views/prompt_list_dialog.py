"""The dialog of a prompt list: how it is read, its pictures as a table, what they will cost.

Owned here: the words around the table. Nothing is queued before `accepted`, and then the rows that
are right and were not left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop import messages, theme
from desktop.models.picture_times import PictureTimes
from desktop.models.prompt_list import PromptList, sentence
from desktop.prompts import ListFormat, PlannedPicture, SeedPolicy
from desktop.views import words
from desktop.views.prompt_table import PromptTable
from desktop.widgets.elided_label import ElidedLabel

_SIZE = (1080, 700)
_SMALLEST_SIZE = (720, 460)
_NOTICES = 3
_ENCODINGS = ("utf-8", "utf-16", "gb18030", "big5", "cp932", "cp949", "cp1252", "cp1251")


class PromptListDialog(QDialog):
    """Shows `prompt_list` while it is read, chosen from and edited."""

    def __init__(
        self,
        prompt_list: PromptList,
        times: PictureTimes,
        pictures_folder: Path,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._list = prompt_list
        self._times = times
        self._folder = pictures_folder
        self.source = ElidedLabel()
        self.format_label, self.format_box = QLabel(), QComboBox()
        self.encoding_label, self.encoding_box = QLabel(), QComboBox()
        self.seeds_label, self.seeds_box = QLabel(), QComboBox()
        self.matrix_box = QCheckBox()
        self.notice = QLabel()
        self.notice.setObjectName("listNotice")
        self.notice.setTextFormat(Qt.TextFormat.PlainText)
        self.notice.setWordWrap(True)
        self.table = PromptTable(prompt_list.table)
        self.detail = QLabel()
        self.detail.setTextFormat(Qt.TextFormat.PlainText)
        self.detail.setWordWrap(True)
        self.summary, self.cost = QLabel(), QLabel()
        self.only_notes = QCheckBox()
        self.next_button = QPushButton()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.enqueue_button = QPushButton()
        self.buttons.addButton(self.enqueue_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out()
        self._connect()
        self.retranslate()

    @property
    def prompt_list(self) -> PromptList:
        return self._list

    @property
    def pictures(self) -> list[PlannedPicture]:
        """What to put into the queue."""
        return self._list.table.pictures

    def _lay_out(self) -> None:
        choices = QGridLayout()
        choices.setHorizontalSpacing(theme.SPACE)
        for column, (label, box) in enumerate(
            (
                (self.format_label, self.format_box),
                (self.encoding_label, self.encoding_box),
                (self.seeds_label, self.seeds_box),
            )
        ):
            label.setBuddy(box)
            choices.addWidget(label, 0, 2 * column)
            choices.addWidget(box, 0, 2 * column + 1)
        choices.addWidget(self.matrix_box, 0, 6)
        choices.setColumnStretch(7, 1)
        below = QHBoxLayout()
        below.addWidget(self.summary)
        below.addStretch(1)
        below.addWidget(self.only_notes)
        below.addWidget(self.next_button)
        column = QVBoxLayout(self)
        column.setSpacing(theme.SPACE)
        column.addWidget(self.source)
        column.addLayout(choices)
        column.addWidget(self.notice)
        column.addWidget(self.table, 1)
        column.addWidget(self.detail)
        column.addLayout(below)
        last = QHBoxLayout()
        last.addWidget(self.cost, 1)
        last.addWidget(self.buttons)
        column.addLayout(last)
        self.setMinimumSize(*_SMALLEST_SIZE)
        self.resize(*_SIZE)

    def _connect(self) -> None:
        reading = self._list
        reading.reading_started.connect(self._show_state)
        reading.changed.connect(self._show_state)
        self.format_box.activated.connect(
            lambda: reading.choose(list_format=self.format_box.currentData())
        )
        self.encoding_box.activated.connect(
            lambda: reading.choose(encoding=self.encoding_box.currentData())
        )
        self.seeds_box.activated.connect(lambda: reading.choose(seeds=self.seeds_box.currentData()))
        self.matrix_box.clicked.connect(lambda checked: reading.choose(is_matrix=checked))
        self.only_notes.toggled.connect(self.table.show_notes_only)
        self.next_button.clicked.connect(self.table.go_to_next_note)
        # Not the button's own shortcut, which its access key takes the place of.
        QShortcut(QKeySequence("F8"), self).activated.connect(self.next_button.click)
        self.table.selectionModel().currentChanged.connect(self._show_detail)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.enqueue_button.click)

    # --- what it says -----------------------------------------------------------------------------

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Import prompt list"))
        self.format_label.setText(self.tr("&Read as"))
        self.encoding_label.setText(self.tr("&Encoding"))
        self.seeds_label.setText(self.tr("&Seeds"))
        self.matrix_box.setText(self.tr("“|” makes a prompt &matrix"))
        self.only_notes.setText(self.tr("Only rows with &problems"))
        self.next_button.setText(self.tr("&Next problem (F8)"))
        _fill(
            self.format_box,
            {
                None: self.tr("As the list looks"),
                ListFormat.LINES: self.tr("One prompt a line"),
                ListFormat.BLOCKS: self.tr("Blocks between ###"),
                ListFormat.CSV: self.tr("Table (CSV)"),
                ListFormat.JSONL: self.tr("JSON lines"),
            },
            self._list.choices.list_format,
        )
        _fill(
            self.seeds_box,
            {
                SeedPolicy.COUNT_UP: self.tr("One more each time"),
                SeedPolicy.SAME: self.tr("The same for all"),
                SeedPolicy.RANDOM: self.tr("Random"),
            },
            self._list.choices.seeds,
        )
        self._show_state()

    def _show_state(self) -> None:
        reading = self._list
        is_file = isinstance(reading.source, Path)
        self.source.set_full_text(
            messages.printable(str(reading.source)) if is_file else self.tr("Pasted text")
        )
        self._show_encodings(is_file)
        notices = [] if reading.is_reading else reading.notices
        texts = [self._with_line(problem.line, sentence(problem)) for problem in notices]
        if len(texts) > _NOTICES:
            texts = [*texts[:_NOTICES], self.tr("… and %n more", "", len(texts) - _NOTICES)]
        self.notice.setText("\n".join(texts))
        self.notice.setVisible(bool(texts))
        self.table.setEnabled(not reading.is_reading)
        self._show_counts()
        self._show_detail()

    def _with_line(self, line: int | None, text: str) -> str:
        if line is None:
            return text
        return self.tr("Line {line}: {text}").format(line=line, text=text)

    def _show_detail(self) -> None:
        """The whole problem of the current row, which its cell may have no room for."""
        self.detail.setText(self.table.current_note())
        self.detail.setVisible(bool(self.detail.text()))

    def _show_encodings(self, is_file: bool) -> None:
        offers = self._list.expansion.encodings
        chosen = self._list.choices.encoding
        is_shown = is_file and bool(offers or chosen)
        self.encoding_label.setVisible(is_shown)
        self.encoding_box.setVisible(is_shown)
        if is_shown and (offers or not self.encoding_box.count()):
            names = dict.fromkeys((*offers, *_ENCODINGS))
            entries: dict[object, str] = {None: self.tr("Not known: choose")}
            _fill(self.encoding_box, entries | {name: name for name in names}, chosen)

    def _show_counts(self) -> None:
        table = self._list.table
        pictures = table.pictures
        if self._list.is_reading:
            parts = [self.tr("Reading…")]
        else:
            parts = [self.tr("%n picture(s)", "", len(pictures))]
            if table.wrong_count:
                parts.append(self.tr("%n wrong row(s), not drawn", "", table.wrong_count))
            if table.left_out_count:
                parts.append(self.tr("%n left out", "", table.left_out_count))
        self.summary.setText(" · ".join(parts))
        can_enqueue = bool(pictures) and not self._list.is_reading
        self.enqueue_button.setEnabled(can_enqueue)
        self.enqueue_button.setText(self.tr("En&queue %n picture(s)", "", len(pictures)))
        self.enqueue_button.setDefault(False)
        self.cost.setText(self._cost(pictures) if can_enqueue else "")

    def _cost(self, pictures: list[PlannedPicture]) -> str:
        seconds = self._times.estimate_s(picture.request for picture in pictures)
        time = (
            self.tr("Time: not known before a picture has been drawn")
            if seconds is None
            else self.tr("Time: about {duration}").format(duration=words.duration(seconds))
        )
        room = self._list.room(self._folder)
        if room is None:
            return time
        disk = self.tr("Disk: about {needed} of {free} free").format(
            needed=messages.byte_size(room.needed_bytes), free=messages.byte_size(room.free_bytes)
        )
        if not room.is_enough:
            disk = self.tr("Disk: {needed} are needed, and only {free} are free").format(
                needed=messages.byte_size(room.needed_bytes),
                free=messages.byte_size(room.free_bytes),
            )
        return f"{time}\n{disk}"

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


def _fill(box: QComboBox, entries: Mapping[object, str], chosen: object) -> None:
    """Show `entries`, data and text, without telling anybody that another one is chosen."""
    with QSignalBlocker(box):
        box.clear()
        for data, text in entries.items():
            box.addItem(text, data)
        box.setCurrentIndex(list(entries).index(chosen) if chosen in entries else 0)
