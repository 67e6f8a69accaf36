"""A seed: random or fixed, all 64 bits of it, and the last one within reach.

Separate because Qt's spin boxes end at 32 bits. Typing a number fixes the seed; the die makes it
random again.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRegularExpression, Signal
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QWidget

from desktop import theme


class SeedField(QWidget):
    """Shows what `show_seed` is told and reports what the user does; keeps no state of its own."""

    edited = Signal(str)
    """The user typed a seed."""
    random_toggled = Signal(bool)
    last_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._last_seed: int | None = None
        self.line = QLineEdit()
        digits = QRegularExpression("[0-9]{0,20}")
        self.line.setValidator(QRegularExpressionValidator(digits, self.line))
        self.line.textEdited.connect(self.edited)
        self.random = QToolButton()
        self.random.setCheckable(True)
        self.random.clicked.connect(self.random_toggled)
        self.last = QToolButton()
        self.last.clicked.connect(self.last_wanted)
        self.setFocusProxy(self.line)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.SPACE // 2)
        row.addWidget(self.line, 1)
        row.addWidget(self.random)
        row.addWidget(self.last)
        self.retranslate()
        self._tint()

    def show_seed(self, text: str, *, is_random: bool, last_seed: int | None) -> None:
        """Show a fixed seed, or that it is random, and what the last one was."""
        self._last_seed = last_seed
        self.random.setChecked(is_random)
        shown = "" if is_random else text
        if shown != self.line.text():
            self.line.setText(shown)
        self.last.setEnabled(last_seed is not None and (is_random or text != str(last_seed)))
        self.retranslate()

    def retranslate(self) -> None:
        if not self.random.isChecked():
            placeholder = self.tr("A whole number")
        elif self._last_seed is None:
            placeholder = self.tr("Random")
        else:
            placeholder = self.tr("Random, last {seed}").format(seed=self._last_seed)
        self.line.setPlaceholderText(placeholder)
        self.line.setAccessibleName(self.tr("Seed"))
        self.line.setToolTip(
            self.tr("The same seed and the same settings make the same picture again.")
        )
        for button, text in (
            (self.random, self.tr("A new random seed for each picture")),
            (self.last, self.tr("Use the last seed again")),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def _tint(self) -> None:
        self.random.setIcon(theme.icon("random", self.palette()))
        self.last.setIcon(theme.icon("again", self.palette()))
