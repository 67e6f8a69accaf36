"""The answer above the rows: may pictures be made on the GPU, why not, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from desktop import check_texts, theme
from desktop.models.system_report import SystemReport
from desktop.views import check_words, words
from desktop.widgets.disclosure_row import Tone, breakable
from desktop.widgets.elided_button import ElidedButton
from engine.port import CheckResult, Gate, Report

_MARK_SIDE = 28
_MOST_LINKS = 4


class SystemVerdict(QFrame):
    """Emits what its buttons ask for; the dialog does it."""

    row_wanted = Signal(str)
    """The id of a check whose row is to be shown."""
    acknowledged = Signal()
    override_wanted = Signal()
    override_unwanted = Signal()

    def __init__(self, report: SystemReport, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("verdict")
        self._report = report
        self._tone = check_words.GATE_TONES[Gate.NEEDS_SELFTEST]
        self._mark = QLabel()
        self._answer, self._gpu, self._changed, self._override = (_text() for _ in range(4))
        font = self._answer.font()
        font.setPointSizeF(font.pointSizeF() * 1.2)
        font.setBold(True)
        self._answer.setFont(font)
        self._gpu.setProperty("quiet", True)
        self._changed.setProperty("caution", True)
        self._override.setProperty("caution", True)
        self.links: list[ElidedButton] = []
        self._links = QVBoxLayout()
        self._links.setSpacing(0)
        self._shown_links: list[tuple[str, str]] = []
        self.acknowledge_button = QPushButton()
        self.override_button = QPushButton()
        self.take_back_button = QPushButton()
        self._buttons = (self.acknowledge_button, self.override_button, self.take_back_button)
        self._lay_out()
        self.acknowledge_button.clicked.connect(self.acknowledged)
        self.override_button.clicked.connect(self.override_wanted)
        self.take_back_button.clicked.connect(self.override_unwanted)
        report.changed.connect(self.show_state)
        self.show_state()

    @property
    def answer(self) -> str:
        return self._answer.text()

    def show_state(self) -> None:
        """Say what is known now, in the language of now."""
        self.acknowledge_button.setText(self.tr("I have read these warnings"))
        self.override_button.setText(self.tr("Use the GPU against this advice…"))
        self.take_back_button.setText(self.tr("Follow the check again"))
        shown = self._report.shown
        if shown is None:
            self._say(Tone("information", "focus"), self.tr("Checking this machine…"))
            self._show_links([])
            return
        is_own = self._report.recording is None
        is_waiting = is_own and not self._report.is_complete and shown.gate is not Gate.BLOCKED
        if is_waiting:
            tone = Tone("information", "focus")
            self._say(tone, self.tr("Asking PaddlePaddle what it can do…"))
        else:
            answer = check_texts.answer(shown, QCoreApplication.translate)
            self._say(check_words.GATE_TONES[shown.gate], answer)
        _fill(self._gpu, check_words.gpu_line(shown))
        _fill(self._changed, self._changed_text(shown) if is_own else "")
        _fill(
            self._override,
            self.tr("You have opened it against the advice of the check. Every picture records it.")
            if shown.is_overridden and is_own
            else "",
        )
        self._show_links(_rows_behind(shown))
        asks = is_own and shown.gate is Gate.NEEDS_ACKNOWLEDGEMENT and self._report.is_complete
        self.acknowledge_button.setVisible(asks)
        self.override_button.setVisible(self._report.may_override)
        self.take_back_button.setVisible(is_own and shown.is_overridden)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.show_state()
        elif event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def _changed_text(self, report: Report) -> str:
        parts = check_texts.changed_parts(report, QCoreApplication.translate)
        if not parts:
            return ""
        named = [
            self.tr("{part} (now {value})").format(part=part, value=breakable(value))
            for part, value in parts
        ]
        return self.tr("Changed since the self-test last passed: {parts}").format(
            parts=words.listed(named)
        )

    def _say(self, tone: Tone, answer: str) -> None:
        self._tone = tone
        _fill(self._answer, answer)
        self.setAccessibleName(answer)
        self._tint()

    def _show_links(self, rows: list[CheckResult]) -> None:
        links = [(row.id, _link_text(row)) for row in rows[:_MOST_LINKS]]
        if links == self._shown_links:
            return
        self._shown_links = links
        for link in self.links:
            self._links.removeWidget(link)
            link.hide()
            link.deleteLater()
        self.links = []
        for check_id, text in links:
            link = ElidedButton(text)
            link.setProperty("link", True)
            link.setAutoDefault(False)
            link.setCursor(Qt.CursorShape.PointingHandCursor)
            link.clicked.connect(lambda _=False, wanted=check_id: self.row_wanted.emit(wanted))
            self.links.append(link)
            self._links.addWidget(link, alignment=Qt.AlignmentFlag.AlignLeft)

    def _tint(self) -> None:
        colour = QColor(getattr(theme.colours(), self._tone.colour))
        self._mark.setPixmap(theme.icon_in(self._tone.icon, colour).pixmap(_MARK_SIDE))

    def _lay_out(self) -> None:
        texts = QVBoxLayout()
        texts.setSpacing(theme.SPACE // 2)
        for label in (self._answer, self._gpu, self._changed, self._override):
            texts.addWidget(label)
        texts.addLayout(self._links)
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.SPACE)
        for button in self._buttons:
            button.setAutoDefault(False)
            button.hide()
            buttons.addWidget(button)
        buttons.addStretch(1)
        texts.addLayout(buttons)
        row = QHBoxLayout(self)
        row.setContentsMargins(*(theme.SPACE + theme.SPACE // 2,) * 4)
        row.setSpacing(theme.SPACE + theme.SPACE // 2)
        row.addWidget(self._mark, alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(texts, 1)


def _rows_behind(report: Report) -> list[CheckResult]:
    """The gravest row of each id that keeps the gate where it is."""
    found = []
    for check_id in (*report.blocked_by, *report.acknowledge):
        rows = [row for row in report.checks if row.id == check_id]
        if rows:
            found.append(min(rows, key=check_texts.in_order))
    return found


def _link_text(row: CheckResult) -> str:
    return QCoreApplication.translate(check_texts.CONTEXT, "{title}: {summary}").format(
        title=check_texts.title(row.id, QCoreApplication.translate),
        summary=check_words.sentence(row.summary),
    )


def _text() -> QLabel:
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.hide()
    return label


def _fill(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))
