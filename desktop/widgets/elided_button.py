"""A button whose text ends in an ellipsis where there is no room for all of it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget


class ElidedButton(QPushButton):
    """Its accessible name, and its tool tip where it is cut, hold the whole text."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._full_text = text
        self._wanted_width = 0
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def set_full_text(self, text: str) -> None:
        """Show another text, as far as there is room."""
        self._full_text = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._elide()

    def want_width(self, width: int) -> None:
        """Ask for more room than the text needs, so that several are equally wide."""
        self._wanted_width = width
        self.updateGeometry()

    def setText(self, text: str) -> None:
        # A single & would be taken for the mark of an access key.
        super().setText(text.replace("&", "&&"))

    def sizeHint(self) -> QSize:
        frame = super().sizeHint().width() - self.fontMetrics().horizontalAdvance(self.text())
        width = self.fontMetrics().horizontalAdvance(self._full_text) + max(frame, 0)
        return QSize(max(width + 2, self._wanted_width), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 12, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        frame = super().sizeHint().width() - self.fontMetrics().horizontalAdvance(self.text())
        shown = self.fontMetrics().elidedText(
            self._full_text, Qt.TextElideMode.ElideRight, self.width() - frame
        )
        self.setText(shown)
        self.setToolTip(self._full_text if shown != self._full_text else "")
