"""A strip across the window that says calmly what went wrong and what to do: no dialog.

Good news may stand there too, and does not look like a warning.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme


class Banner(QFrame):
    """Hidden until `show_message`; stays until it is closed or `clear` is called."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._mark = QLabel()
        self._summary = _text_label()
        self._remedy = _text_label()
        font = self._summary.font()
        font.setBold(True)
        self._summary.setFont(font)
        self._close = QToolButton()
        self._close.clicked.connect(self._dismiss)
        self._lay_out()
        self.hide()
        self.retranslate()

    def add_buttons(self, *buttons: QPushButton) -> None:
        """Put buttons below the texts, the one that is wanted most first."""
        row = QHBoxLayout()
        row.setContentsMargins(0, theme.SPACE // 2, 0, theme.SPACE // 2)
        row.setSpacing(theme.SPACE)
        for button in buttons:
            row.addWidget(button)
        row.addStretch(1)
        self._texts.addLayout(row)

    def show_message(self, summary: str, remedy: str, *, is_good_news: bool = False) -> None:
        """Say something; replaces what was said before."""
        if bool(self.property("good")) is not is_good_news:
            self.setProperty("good", is_good_news)
            for widget in (self, self._summary, self._remedy):
                # Else the style sheet does not see the change.
                widget.style().unpolish(widget)
                widget.style().polish(widget)
        self._summary.setText(summary)
        self._remedy.setText(remedy)
        self._remedy.setVisible(bool(remedy))
        self.setAccessibleName(f"{summary} {remedy}".strip())
        self.show()
        self._tint()

    def clear(self) -> None:
        self.hide()

    def retranslate(self) -> None:
        self._close.setToolTip(self.tr("Close this message"))
        self._close.setAccessibleName(self.tr("Close this message"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange):
            self._tint()

    def _dismiss(self) -> None:
        self.hide()
        self.closed.emit()

    def _tint(self) -> None:
        if self.isHidden():
            return
        colour = self._summary.palette().color(self._summary.foregroundRole())
        is_good_news = bool(self.property("good"))
        self._mark.setPixmap(
            theme.icon_in("information", colour).pixmap(theme.ICON_SIDE)
            if is_good_news
            else theme.icon_in("warning", colour).pixmap(theme.ICON_SIDE)
        )
        self._close.setIcon(theme.icon_in("close", colour))

    def _lay_out(self) -> None:
        self._texts = texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self._summary)
        texts.addWidget(self._remedy)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.SPACE * 2, theme.SPACE, theme.SPACE, theme.SPACE)
        row.setSpacing(theme.SPACE + theme.SPACE // 2)
        row.addWidget(self._mark, alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(texts, 1)
        row.addWidget(self._close, alignment=Qt.AlignmentFlag.AlignTop)


def _text_label() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
