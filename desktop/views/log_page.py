"""The page on which a log is pasted: what its lines mean, or honestly that nothing is known."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from desktop import theme
from desktop.views import check_words
from desktop.views.check_rows import RowList
from engine.port import Explanation

_MAX_CHARACTERS = 16 * 2**20


class LogPage(QWidget):
    """Emits `explain_wanted` with the text; the dialog answers with `show_known`."""

    explain_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: Sequence[Explanation] | None = None
        self._hint, self._answer = QLabel(), QLabel()
        for label in (self._hint, self._answer):
            label.setWordWrap(True)
        self._hint.setProperty("quiet", True)
        self.edit = QPlainTextEdit()
        self.edit.setTabChangesFocus(True)
        self.edit.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.explain_button = QPushButton()
        self.explain_button.setAutoDefault(False)
        self.results = RowList()
        self._lay_out()
        self.explain_button.clicked.connect(self._ask)
        self.edit.textChanged.connect(self._forget)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(self._ask)
        self.retranslate()

    @property
    def answer(self) -> str:
        return self._answer.text()

    def show_known(self, known: Sequence[Explanation]) -> None:
        """What is known of the text, the worst first; each opened, because they are few."""
        self._known = known
        self._show_answer()
        for row in self.results.rows.values():
            row.open()

    def retranslate(self) -> None:
        self._hint.setText(
            self.tr(
                "Paste lines of dmesg, rocminfo, lspci, PaddlePaddle or another program that did "
                "not work. They stay on this computer."
            )
        )
        self.edit.setAccessibleName(self.tr("Text of a log"))
        self.edit.setPlaceholderText(self.tr("Paste a log here"))
        self.explain_button.setText(self.tr("Explain"))
        self.explain_button.setToolTip(self.tr("Explain (Ctrl+Enter)"))
        self._show_answer()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def _ask(self) -> None:
        text = self.edit.toPlainText()[:_MAX_CHARACTERS]
        if text.strip():
            self.explain_wanted.emit(text)

    def _forget(self) -> None:
        self.explain_button.setEnabled(bool(self.edit.toPlainText().strip()))
        if self._known is not None:
            self._known = None
            self._show_answer()

    def _show_answer(self) -> None:
        known = self._known
        self.explain_button.setEnabled(bool(self.edit.toPlainText().strip()))
        if known is None:
            self._answer.clear()
        elif known:
            self._answer.setText(self.tr("%n thing(s) known in here:", "", len(known)))
        else:
            self._answer.setText(
                self.tr(
                    "Nothing known in here. That is no sign that nothing is wrong: Danqing knows "
                    "the messages of the driver, ROCm and PaddlePaddle that it was taught."
                )
            )
        self._answer.setVisible(bool(self._answer.text()))
        self.results.setVisible(bool(known))
        self.results.show_rows(
            [
                ((number, item.signature), check_words.of_explanation(item))
                for number, item in enumerate(known or ())
            ]
        )

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.SPACE, 0, 0)
        column.setSpacing(theme.SPACE)
        row = QHBoxLayout()
        row.addWidget(self._answer, 1)
        row.addWidget(self.explain_button, alignment=Qt.AlignmentFlag.AlignRight)
        column.addWidget(self._hint)
        column.addWidget(self.edit, 2)
        column.addLayout(row)
        column.addWidget(self.results, 3)
