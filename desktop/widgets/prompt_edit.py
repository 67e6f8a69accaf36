"""A box for a few lines of prose: plain text, Tab moves on, and as high as it is asked to be."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QPlainTextEdit, QWidget


class PromptEdit(QPlainTextEdit):
    """Asks for `lines`, takes up to `most_lines` where there is room, and scrolls beyond."""

    def __init__(self, *, lines: int, most_lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = lines
        self._most_lines = most_lines
        self.setTabChangesFocus(True)
        self._limit()

    def set_text(self, text: str) -> None:
        """Show `text`, unless it is shown already: then cursor and undo history stay."""
        if text != self.toPlainText():
            self.setPlainText(text)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height(self._lines))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self._height(min(self._lines, 2)))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._limit()

    def _limit(self) -> None:
        self.setMaximumHeight(self._height(self._most_lines))

    def _height(self, lines: int) -> int:
        margins = 2 * (self.frameWidth() + round(self.document().documentMargin()))
        return self.fontMetrics().lineSpacing() * lines + margins
