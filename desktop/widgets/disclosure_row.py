"""A line that opens: a mark, a title and a short text; below it, when open, the whole story.

Knows nothing of checks: it is given words. What is inside is made when it is first opened, because
most lines of a long list never are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.widgets.command_line import CommandLine
from desktop.widgets.elided_label import ElidedLabel

_TITLE_WIDTH = 190
_MARK_SIDE = 18
_LONGEST_PIECE = 24


@dataclass(frozen=True, slots=True)
class Tone:
    """How grave a line is: its mark's icon, and the field of `theme.Colours` it is drawn in."""

    icon: str
    colour: str


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do; a command can be copied."""

    text: str
    is_command: bool = False


@dataclass(frozen=True, slots=True)
class RowText:
    """A line in words. `facts` are pairs of label and text; `steps` stand under `steps_label`."""

    tone: Tone
    title: str
    verdict: str
    summary: str
    facts: tuple[tuple[str, str], ...] = ()
    steps_label: str = ""
    steps: tuple[Step, ...] = ()


class DisclosureRow(QWidget):
    """Its header takes the keyboard: Space and Enter open it, Up and Down go to the next line."""

    def __init__(self, text: RowText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = text
        self._details: QWidget | None = None
        self.header = RowHeader()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.header)
        self.header.toggled.connect(self._show_details)
        self.header.show_text(text, is_open=False)

    @property
    def text(self) -> RowText:
        return self._text

    @property
    def is_open(self) -> bool:
        return self.header.isChecked()

    def open(self, *, is_open: bool = True) -> None:
        self.header.setChecked(is_open)

    def set_text(self, text: RowText) -> None:
        """Say something else; open stays open."""
        if text == self._text:
            return
        self._text = text
        self.header.show_text(text, is_open=self.is_open)
        if self._details is not None:
            self._column.removeWidget(self._details)
            self._details.hide()
            self._details.deleteLater()
            self._details = None
            self._show_details(self.is_open)

    def _show_details(self, is_open: bool) -> None:
        if is_open and self._details is None:
            self._details = _details(self._text)
            self._column.addWidget(self._details)
        if self._details is not None:
            self._details.setVisible(is_open)
        self.header.show_text(self._text, is_open=is_open)


class RowHeader(QPushButton):
    """The line itself: a button that stays down while the row is open."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rowHeader")
        self.setCheckable(True)
        self.setAutoDefault(False)
        # A push button's own policy would not let the text be elided.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._text: RowText | None = None
        self._look: tuple[str, ...] = ()
        self._mark, self._arrow = QLabel(), QLabel()
        self._title, self._verdict = QLabel(), QLabel()
        self._summary = ElidedLabel()
        self._summary.setProperty("quiet", True)
        self._verdict.setProperty("quiet", True)
        font = self._title.font()
        font.setBold(True)
        self._title.setFont(font)
        self._title.setMinimumWidth(_TITLE_WIDTH)
        for label in (self._mark, self._arrow, self._title, self._verdict, self._summary):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(theme.SPACE, theme.SPACE // 2, theme.SPACE, theme.SPACE // 2)
        row.setSpacing(theme.SPACE)
        row.addWidget(self._mark)
        row.addWidget(self._title)
        row.addWidget(self._summary, 1)
        row.addWidget(self._verdict)
        row.addWidget(self._arrow)

    def show_text(self, text: RowText, *, is_open: bool) -> None:
        self._text = text
        self._title.setText(text.title)
        self._verdict.setText(text.verdict)
        self._summary.set_full_text("" if is_open else text.summary)
        self.setAccessibleName(f"{text.title}, {text.verdict}: {text.summary}")
        self._tint()

    def sizeHint(self) -> QSize:
        return self._row.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._row.minimumSize()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.click()
            case Qt.Key.Key_Down:
                self.focusNextChild()
            case Qt.Key.Key_Up:
                self.focusPreviousChild()
            case _:
                super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def _tint(self) -> None:
        if self._text is None:
            return
        tone = self._text.tone
        colours = theme.colours()
        arrow = "arrow-up" if self.isChecked() else "arrow-down"
        look = (tone.icon, getattr(colours, tone.colour), arrow, colours.muted)
        if look != self._look:  # palettes change several times before a row is first shown
            self._look = look
            self._mark.setPixmap(theme.mark(look[0], QColor(look[1]), _MARK_SIDE))
            self._arrow.setPixmap(theme.mark(arrow, QColor(colours.muted), _MARK_SIDE))


def _details(text: RowText) -> QWidget:
    holder = QWidget()
    grid = QGridLayout(holder)
    left = 2 * theme.SPACE + _MARK_SIDE + 2
    grid.setContentsMargins(left, 0, theme.SPACE, theme.SPACE + theme.SPACE // 2)
    grid.setHorizontalSpacing(theme.SPACE * 2)
    grid.setVerticalSpacing(theme.SPACE // 2)
    grid.setColumnStretch(1, 1)
    for label, fact in text.facts:
        _add(grid, label, wrapping_label(fact))
    for number, step in enumerate(text.steps):
        shown = CommandLine(step.text) if step.is_command else wrapping_label(step.text)
        _add(grid, text.steps_label if number == 0 else "", shown)
    return holder


def _add(grid: QGridLayout, label: str, content: QWidget) -> None:
    row = grid.rowCount()
    if label:
        name = QLabel(label)
        name.setProperty("quiet", True)
        name.setTextFormat(Qt.TextFormat.PlainText)
        grid.addWidget(name, row, 0, alignment=Qt.AlignmentFlag.AlignTop)
    grid.addWidget(content, row, 1)


def wrapping_label(text: str) -> QLabel:
    """A text of any length that can be selected; nothing in it is too long to break."""
    label = QLabel(breakable(text))
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def breakable(text: str) -> str:
    """The text with places for line breaks inside words that would be wider than the window."""
    return re.sub(
        rf"\S{{{_LONGEST_PIECE}}}(?=\S)",
        lambda piece: f"{piece[0]}\N{ZERO WIDTH SPACE}",
        text,
    )
