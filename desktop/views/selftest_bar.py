"""Starting, following and stopping the self-test: one line under the rows."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from desktop import check_texts, theme
from desktop.models.job_queue import JobQueue
from desktop.models.system_report import SystemReport
from engine.port import DevicePreference


class SelfTestBar(QWidget):
    """Emits `started`; the dialog runs the coroutine and says what went wrong."""

    started = Signal()

    def __init__(
        self, report: SystemReport, queue: JobQueue, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._report = report
        self._queue = queue
        self.run_button, self.stop_button = QPushButton(), QPushButton()
        for button in (self.run_button, self.stop_button):
            button.setAutoDefault(False)
        self._text = QLabel()
        self._text.setProperty("quiet", True)
        self._text.setWordWrap(True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._bar.setSizePolicy(policy)
        self._lay_out()
        self.run_button.clicked.connect(self._start)
        self.stop_button.clicked.connect(report.stop_selftest)
        for signal in (report.changed, report.steps_changed, queue.changed):
            signal.connect(self.show_state)
        self.retranslate()

    @property
    def text(self) -> str:
        """What is said of the self-test."""
        return self._text.text()

    def retranslate(self) -> None:
        self.run_button.setText(self.tr("Run self-test"))
        self.stop_button.setText(self.tr("Stop"))
        self.stop_button.setAccessibleName(self.tr("Stop the self-test"))
        self._bar.setAccessibleName(self.tr("Progress of the self-test"))
        self.show_state()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def show_state(self) -> None:
        report = self._report
        steps, is_testing = report.steps, report.is_testing
        can_run = report.is_complete and report.recording is None and self._queue.current is None
        had_focus = self.run_button.hasFocus(), self.stop_button.hasFocus()
        self.run_button.setEnabled(can_run and not is_testing)
        self.stop_button.setEnabled(is_testing)
        if had_focus[0] and is_testing:
            self.stop_button.setFocus()
        elif had_focus[1] and not is_testing:
            self.run_button.setFocus()
        done = sum(step.result is not None for step in steps)
        self._bar.setVisible(is_testing)
        self._bar.setRange(0, max(1, len(steps)))
        self._bar.setValue(done)
        self._text.setText(self._words(done))

    def _words(self, done: int) -> str:
        report = self._report
        if report.is_testing:
            running = next((step for step in report.steps if step.is_running), None)
            if running is None:
                return self.tr("Beginning…")
            return self.tr("{step} ({number} of {count})").format(
                step=check_texts.step_title(running.name, QCoreApplication.translate),
                number=min(done + 1, len(report.steps)),
                count=len(report.steps),
            )
        if report.recording is not None:
            return self.tr("The self-test is for this machine only.")
        if self._queue.current is not None:
            return self.tr("The self-test can run when no picture is being drawn.")
        if report.steps and report.target[0] is DevicePreference.CPU:
            return self.tr("The last one tested the CPU, which is no proof for a GPU.")
        return self.tr(
            "Proves that the GPU computes rightly; takes about a minute. Without a GPU it tests "
            "the CPU."
        )

    def _start(self) -> None:
        self.started.emit()

    def _lay_out(self) -> None:
        texts = QVBoxLayout()
        texts.setSpacing(theme.SPACE // 2)
        texts.addWidget(self._text)
        texts.addWidget(self._bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.SPACE)
        row.addLayout(texts, 1)
        row.addWidget(self.run_button)
        row.addWidget(self.stop_button)
