"""A command for a terminal, with a button that copies it as it is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from desktop import theme


class CommandLine(QFrame):
    """Long commands wrap where they have spaces."""

    def __init__(self, command: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("command")
        self._command = command
        text = QLabel(command)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setWordWrap(True)
        text.setFont(theme.fixed_font())
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy_button = QToolButton()
        self.copy_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.copy_button.clicked.connect(self._copy)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.SPACE, 2, 2, 2)
        row.addWidget(text, 1)
        row.addWidget(self.copy_button, alignment=Qt.AlignmentFlag.AlignTop)
        self._tint()
        self.retranslate()

    def retranslate(self) -> None:
        self.copy_button.setToolTip(self.tr("Copy this command"))
        self.copy_button.setAccessibleName(
            self.tr("Copy the command {command}").format(command=self._command)
        )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._command)

    def _tint(self) -> None:
        self.copy_button.setIcon(theme.icon("copy", self.palette()))
