"""The dialog in which the names of new pictures are chosen, with an example of what comes of it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.models import naming

_WIDTH = 560


class FileNamesDialog(QDialog):
    """`pattern_chosen` goes out with a pattern that can be used, or None for the usual names."""

    pattern_chosen = Signal(object)

    def __init__(self, pattern: str | None, prompt: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._prompt = prompt
        self.label = QLabel()
        self.pattern_edit = QLineEdit(pattern or naming.usual_pattern())
        self.label.setBuddy(self.pattern_edit)
        self.example = QLabel()
        self.problem = QLabel()
        self.problem.setProperty("problem", True)
        self.tokens = QLabel()
        self.tokens.setProperty("quiet", True)
        for label in (self.example, self.problem, self.tokens):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.usual_button = QPushButton()
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.addButton(self.usual_button, QDialogButtonBox.ButtonRole.ResetRole)
        self._lay_out()
        self.pattern_edit.textChanged.connect(self._show_outcome)
        self.usual_button.clicked.connect(lambda: self.pattern_edit.setText(naming.usual_pattern()))
        self.buttons.accepted.connect(self._choose)
        self.buttons.rejected.connect(self.reject)
        self.retranslate()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setSpacing(theme.SPACE)
        for widget in (self.label, self.pattern_edit, self.example, self.problem, self.tokens):
            column.addWidget(widget)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self.setMinimumWidth(_WIDTH)

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Names of new pictures"))
        self.label.setText(self.tr("&Pattern"))
        self.usual_button.setText(self.tr("&As usual"))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setText(self.tr("&OK"))
        self.buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(self.tr("&Cancel"))
        self.tokens.setText(
            self.tr("Filled in: {tokens}. A / makes a folder.").format(
                tokens=" ".join(naming.known_tokens())
            )
        )
        self._show_outcome()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def _show_outcome(self) -> None:
        """The name that comes of the pattern, or what is wrong with it."""
        prompt = self._prompt or self.tr("an orange cat")
        try:
            name = naming.example(self.pattern_edit.text(), prompt)
        except naming.BadPattern as problem:
            message = naming.describe(problem, QCoreApplication.translate)
            near = problem.error.near
            hint = self.tr("Did you mean [{token}]?").format(token=near) if near else ""
            self.problem.setText(f"{message.summary} {hint}".rstrip())
        else:
            self.example.setText(self.tr("Example: {name}").format(name=name))
            self.problem.clear()
        has_problem = bool(self.problem.text())
        self.problem.setVisible(has_problem)
        self.example.setVisible(not has_problem)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not has_problem)

    def _choose(self) -> None:
        text = self.pattern_edit.text()
        self.pattern_chosen.emit(None if text == naming.usual_pattern() else text)
        self.accept()
