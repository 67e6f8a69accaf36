"""What the picture area says before there is a picture: what to do, and prompts to begin with."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from desktop import theme
from desktop.views import words
from desktop.widgets.elided_button import ElidedButton
from engine.port import ModelInfo

_MAX_EXAMPLES = 6
_ICON_SIDE = 72


class EmptyState(QWidget):
    """Emits `example_chosen` with a prompt."""

    example_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyState")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._model: ModelInfo | None = None
        self._icon = QLabel()
        self._icon.setPixmap(theme.application_icon().pixmap(_ICON_SIDE, _ICON_SIDE))
        self._heading = QLabel()
        font = self._heading.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        self._heading.setFont(font)
        self._note, self._try = QLabel(), QLabel()
        for label in (self._note, self._try):
            label.setProperty("quiet", True)
        for label in (self._heading, self._note):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._examples = QGridLayout()
        self._examples.setSpacing(theme.SPACE)
        for column in (0, 1):
            self._examples.setColumnStretch(column, 1)
        self._buttons: list[ElidedButton] = []
        self._lay_out()
        self.retranslate()

    def show_model(self, model: ModelInfo | None, prompts: tuple[str, ...]) -> None:
        """Say what to expect of a model, and offer prompts that it does well."""
        self._model = model
        for button in self._buttons:
            self._examples.removeWidget(button)
            button.deleteLater()
        self._buttons = [self._example(prompt) for prompt in prompts[:_MAX_EXAMPLES]]
        widest = max((button.sizeHint().width() for button in self._buttons), default=0)
        for place, button in enumerate(self._buttons):
            button.want_width(widest)
            self._examples.addWidget(button, place // 2, place % 2)
        self.retranslate()

    def retranslate(self) -> None:
        self._heading.setText(self.tr("Describe a picture, then press Generate"))
        model = self._model
        is_demo = model is not None and model.is_demo
        self._note.setText(words.demo_note(model.defaults.size) if model and is_demo else "")
        self._note.setVisible(bool(self._note.text()))
        self._try.setText(self.tr("Or begin with one of these:"))
        self._try.setVisible(bool(self._buttons))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def _example(self, prompt: str) -> ElidedButton:
        button = ElidedButton(prompt)
        button.setProperty("example", True)
        button.clicked.connect(lambda: self.example_chosen.emit(prompt))
        return button

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*(3 * theme.SPACE,) * 4)
        column.setSpacing(theme.SPACE)
        column.addStretch(2)
        column.addWidget(self._icon, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(theme.SPACE)
        column.addWidget(self._heading)
        column.addWidget(self._note)
        column.addSpacing(2 * theme.SPACE)
        column.addWidget(self._try, alignment=Qt.AlignmentFlag.AlignHCenter)
        holder = QWidget()
        holder.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        holder.setLayout(self._examples)
        self._examples.setContentsMargins(0, 0, 0, 0)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(holder, 1000)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(3)
