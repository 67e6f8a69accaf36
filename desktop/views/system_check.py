"""The dialog of the system check: the answer, its rows, the self-test, and what can be passed on.

It does not keep the window from being used: pictures can be drawn while it is read. Owned here: the
questions that it asks (an override twice, a file to write or to read) and where its errors are
said; everything else is its parts' own.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, QStandardPaths, Qt
from PySide6.QtGui import (
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from desktop import messages, theme
from desktop.background import Background
from desktop.messages import Message
from desktop.models.job_queue import JobQueue
from desktop.models.system_report import SystemReport
from desktop.views.check_rows import CheckRows
from desktop.views.log_page import LogPage
from desktop.views.selftest_bar import SelfTestBar
from desktop.views.system_verdict import SystemVerdict
from desktop.widgets.banner import Banner
from engine.port import EngineFault

_SIZE = (880, 720)
_SMALLEST_SIZE = (600, 460)
_DOCUMENTS = QStandardPaths.StandardLocation.DocumentsLocation
_BUNDLE_NAME = "danqing-report.zip"

Work = Callable[[], Coroutine[Any, Any, None]]


class SystemCheck(QDialog):
    """Checks again each time it is shown; before the engine is ready it only glances."""

    def __init__(
        self,
        report: SystemReport,
        queue: JobQueue,
        background: Background,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._report = report
        self._queue = queue
        self._background = background
        self._notice: Callable[[], Message] | None = None
        self._is_notice_good = False
        self._wanted: str | None = None
        self._opened_by_itself: set[str] = set()
        self._has_copied = False
        self.setModal(False)
        self.setAcceptDrops(True)
        self.banner = Banner()
        self.recording = QFrame()
        self.recording.setObjectName("banner")
        self._recording_text = QLabel()
        self._recording_text.setTextFormat(Qt.TextFormat.PlainText)
        self._recording_text.setWordWrap(True)
        self.own_button = QPushButton()
        self.verdict = SystemVerdict(report)
        self.rows = CheckRows()
        self.bar = SelfTestBar(report, queue)
        self.log = LogPage()
        self.tabs = QTabWidget()
        self.save_button, self.copy_button = QPushButton(), QPushButton()
        self.open_button, self.again_button = QPushButton(), QPushButton()
        self.close_button = QPushButton()
        self._lay_out()
        self._connect()
        self.retranslate()

    def show_check(self, check_id: str | None = None) -> None:
        """Show the dialog, at a row if one is named; the row may still have to be judged."""
        self._wanted = check_id
        self.tabs.setCurrentIndex(0)
        if self.isVisible():
            self.raise_()
        else:
            self.show()
        self.activateWindow()
        self._go_to_wanted()

    def show_beside(self, panel: QWidget) -> None:
        """Show it without hiding a panel at the left of its window, where the screen has room."""
        taken = QRect(panel.mapToGlobal(QPoint(0, 0)), panel.size())
        place = place_beside(taken, panel.window().width(), panel.screen().availableGeometry())
        self.resize(place.size())
        self.move(place.topLeft())
        self.show_check()

    # --- what its buttons do ----------------------------------------------------------------------

    def _run(self, work: Work, name: str) -> None:
        """Do something of the report's; an expected problem is said in the banner."""

        async def guarded() -> None:
            try:
                await work()
            except EngineFault as fault:
                error = fault.error
                self._say(lambda: messages.describe(error, QCoreApplication.translate))

        self._hush()
        self._background.start(guarded(), name)

    def _save(self) -> None:
        dialog = QFileDialog(self, self.tr("Save report"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(self.tr("Report (*.zip)"))
        dialog.setDefaultSuffix("zip")
        dialog.setDirectory(QStandardPaths.writableLocation(_DOCUMENTS))
        dialog.selectFile(_BUNDLE_NAME)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._write)
        dialog.open()

    def _write(self, name: str) -> None:
        file = Path(name)

        async def write() -> None:
            await self._report.save_bundle(file)
            self._say(
                lambda: Message(
                    summary=self.tr("The report is saved: {file}").format(file=file),
                    remedy=self.tr("There is nothing personal in it, so it can be shown."),
                ),
                is_good_news=True,
            )

        self._run(write, "saving a report")

    def _open(self) -> None:
        dialog = QFileDialog(self, self.tr("Open a report"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(self.tr("Report (*.zip)"))
        dialog.setDirectory(QStandardPaths.writableLocation(_DOCUMENTS))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self._open_recording(Path(name)))
        dialog.open()

    def _open_recording(self, place: Path) -> None:
        self.tabs.setCurrentIndex(0)
        self._run(lambda: self._report.open_recording(place), "opening a report")

    def _copy(self) -> None:
        async def copy() -> None:
            QGuiApplication.clipboard().setText(await self._report.issue_text())
            self._has_copied = True
            self._name_copy_button()

        self._run(copy, "copying a report")

    def _explain(self, text: str) -> None:
        async def explain() -> None:
            self.log.show_known(await self._report.explain(text))

        self._run(explain, "explaining a log")

    def _check(self) -> None:
        self._run(self._report.check, "checking the machine")

    # --- the override -----------------------------------------------------------------------------

    def _ask_to_override(self) -> None:
        self._ask(
            self.tr("Use the GPU although the check advises against it?"),
            self.tr(
                "What failed makes crashes, a frozen desktop or wrong pictures likely. The rows "
                "say how to fix it."
            ),
            self.tr("Continue…"),
            self._ask_again,
        )

    def _ask_again(self) -> None:
        self._ask(
            self.tr("Really use the GPU?"),
            self.tr(
                "It holds until something in this machine changes or you take it back here. Every "
                "picture will record it."
            ),
            self.tr("Use the GPU"),
            lambda: self._run(lambda: self._report.override(is_on=True), "overriding the check"),
        )

    def _ask(self, question: str, more: str, answer: str, then: Callable[[], None]) -> None:
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setWindowTitle(self.windowTitle())
        box.setText(question)
        box.setInformativeText(more)
        go_on = box.addButton(answer, QMessageBox.ButtonRole.DestructiveRole)
        leave = box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(leave)
        box.setEscapeButton(leave)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.finished.connect(lambda _: then() if box.clickedButton() is go_on else None)
        box.open()

    def _take_back(self) -> None:
        self._run(lambda: self._report.override(is_on=False), "taking an override back")

    # --- showing ----------------------------------------------------------------------------------

    def _show_report(self) -> None:
        report = self._report
        shown = report.shown
        is_other = report.recording is not None
        self.recording.setVisible(is_other)
        if report.recording is not None:
            self._recording_text.setText(
                self.tr("This is a recorded machine, from {name}.").format(
                    name=report.recording.name
                )
            )
        for button in (self.save_button, self.copy_button):
            button.setEnabled(shown is not None)
        self.again_button.setEnabled(not report.is_checking and not is_other)
        self._has_copied = False
        self._name_copy_button()
        self._show_rows()
        self._open_the_worst()
        self._go_to_wanted()

    def _show_rows(self) -> None:
        shown = self._report.shown
        if shown is not None:
            self.rows.show_report(shown, self._report.groups(), self._report.steps)

    def _open_the_worst(self) -> None:
        """What keeps the gate shut is open from the start, but closed again only by the user."""
        shown = self._report.shown
        if shown is None:
            return
        place = str(self._report.recording)
        for row in shown.checks:
            is_behind = row.id in (*shown.blocked_by, *shown.acknowledge)
            mark = f"{place} {row.id} {row.gpu}"
            if is_behind and mark not in self._opened_by_itself:
                self._opened_by_itself.add(mark)
                self.rows.rows[(row.id, row.gpu)].open()

    def _go_to_wanted(self) -> None:
        shown = self._report.shown
        if self._wanted is not None and shown is not None and self.isVisible():
            self.rows.show_check(shown, self._wanted)
            self._wanted = None

    def _say(self, notice: Callable[[], Message], *, is_good_news: bool = False) -> None:
        self._notice, self._is_notice_good = notice, is_good_news
        message = notice()
        self.banner.show_message(message.summary, message.remedy, is_good_news=is_good_news)

    def _hush(self) -> None:
        self._notice = None
        self.banner.clear()

    # --- building ---------------------------------------------------------------------------------

    def _connect(self) -> None:
        report, verdict = self._report, self.verdict
        report.changed.connect(self._show_report)
        report.steps_changed.connect(self._show_rows)
        verdict.row_wanted.connect(self.show_check)
        verdict.acknowledged.connect(lambda: self._run(report.acknowledge, "acknowledging"))
        verdict.override_wanted.connect(self._ask_to_override)
        verdict.override_unwanted.connect(self._take_back)
        self.own_button.clicked.connect(report.show_own)
        self.bar.started.connect(lambda: self._run(report.run_selftest, "the self-test"))
        self.log.explain_wanted.connect(self._explain)
        self.banner.closed.connect(self._hush)
        self.save_button.clicked.connect(self._save)
        self.copy_button.clicked.connect(self._copy)
        self.open_button.clicked.connect(self._open)
        self.again_button.clicked.connect(self._check)
        self.close_button.clicked.connect(self.close)

    def _lay_out(self) -> None:
        strip = QHBoxLayout(self.recording)
        strip.setContentsMargins(2 * theme.SPACE, theme.SPACE, theme.SPACE, theme.SPACE)
        strip.addWidget(self._recording_text, 1)
        strip.addWidget(self.own_button)
        self.recording.hide()
        page = QWidget()
        checks = QVBoxLayout(page)
        checks.setContentsMargins(0, theme.SPACE, 0, 0)
        checks.setSpacing(theme.SPACE)
        checks.addWidget(self.verdict)
        checks.addWidget(self.rows, 1)
        checks.addWidget(self.bar)
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(page, "")
        self.tabs.addTab(self.log, "")
        buttons = QHBoxLayout()
        buttons.setSpacing(theme.SPACE)
        for button in (self.save_button, self.copy_button, self.open_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for button in (self.again_button, self.close_button):
            buttons.addWidget(button)
        inner = QVBoxLayout()
        inner.setContentsMargins(*(theme.SPACE + theme.SPACE // 2,) * 4)
        inner.setSpacing(theme.SPACE)
        inner.addWidget(self.tabs, 1)
        inner.addLayout(buttons)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.banner)
        outer.addWidget(self.recording)
        outer.addLayout(inner, 1)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)
        self.setMinimumSize(*_SMALLEST_SIZE)
        self.resize(*_SIZE)

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("System check"))
        self.tabs.setTabText(0, self.tr("&Check"))
        self.tabs.setTabText(1, self.tr("&Paste a log"))
        self.save_button.setText(self.tr("&Save report…"))
        self.open_button.setText(self.tr("&Open a report…"))
        self.open_button.setToolTip(
            self.tr("A saved report, yours or somebody else's; it can also be dropped here")
        )
        self.again_button.setText(self.tr("Check &again"))
        self.close_button.setText(self.tr("Close"))
        self.own_button.setText(self.tr("Show this machine"))
        self.rows.setAccessibleName(self.tr("Rows of the check"))
        self._keep_copy_button_wide()
        self._show_report()
        if self._notice is not None:
            self._say(self._notice, is_good_news=self._is_notice_good)

    def _name_copy_button(self) -> None:
        usual, done = self.tr("Copy for an &issue"), self.tr("Copied")
        self.copy_button.setText(done if self._has_copied else usual)

    def _keep_copy_button_wide(self) -> None:
        """As wide as the wider of its two texts, so that the buttons beside it stay in place."""
        widths = []
        for self._has_copied in (True, False):
            self._name_copy_button()
            widths.append(self.copy_button.sizeHint().width())
        self.copy_button.setMinimumWidth(max(widths))

    # --- events -----------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if event.spontaneous():
            return
        if self._report.recording is not None:
            self._report.show_own()
        if self._report.is_checking:
            return
        if self._queue.is_engine_ready or self._report.own is not None:
            self._check()
        else:  # the rest follows when the engine has loaded its library
            self._run(self._report.glance, "looking at the machine")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the button that has the keyboard; there is no other default."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = self.focusWidget()
            if isinstance(focused, QAbstractButton):
                focused.click()
            return
        super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        place = _dropped(event)
        if place is not None:
            event.acceptProposedAction()
            self._open_recording(place)


def place_beside(taken: QRect, window_width: int, screen: QRect) -> QRect:
    """Where the dialog goes so that what is `taken` at the left of its window stays in sight.

    Wayland lets no program place its windows and puts a dialog in the middle of its window, so that
    it is also narrow enough for that, down to its smallest width.
    """
    width = max(_SMALLEST_SIZE[0], min(_SIZE[0], window_width - 2 * taken.width()))
    height = max(_SMALLEST_SIZE[1], min(_SIZE[1], taken.height()))
    place = QRect(taken.right() + 1 + theme.SPACE, taken.top(), width, height)
    place.moveRight(min(place.right(), screen.right()))
    place.moveBottom(min(place.bottom(), screen.bottom()))
    return place


def _dropped(event: QDropEvent) -> Path | None:
    """The one local file or folder that is dropped."""
    urls = event.mimeData().urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    return Path(urls[0].toLocalFile())
