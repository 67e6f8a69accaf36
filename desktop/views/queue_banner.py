"""What waits without being drawn, and the buttons that decide about it.

Separate from the window's other notices, which the next click on Generate takes away: this one
stays until the user has said whether to go on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.messages import QT_TRANSLATE_NOOP
from desktop.models.job_queue import JobQueue, JobRow, JobState, LeftBecause
from desktop.widgets.banner import Banner

_REASONS: Mapping[LeftBecause, str] = {
    LeftBecause.CRASH: QT_TRANSLATE_NOOP(
        "QueueBanner", "Danqing ended unexpectedly. Nothing that was finished is lost."
    ),
    LeftBecause.QUIT: QT_TRANSLATE_NOOP("QueueBanner", "Danqing was closed before they were made."),
    LeftBecause.DEVICE_LOST: QT_TRANSLATE_NOOP(
        "QueueBanner", "The device that draws cannot be used. The system check tells more."
    ),
    LeftBecause.DISK_FULL: QT_TRANSLATE_NOOP("QueueBanner", "The disk is full: free some space."),
    LeftBecause.FOLDER_GONE: QT_TRANSLATE_NOOP(
        "QueueBanner", "The pictures folder is not there: if it is on another disk, connect it."
    ),
    LeftBecause.NOT_WRITABLE: QT_TRANSLATE_NOOP(
        "QueueBanner", "The pictures folder cannot be written: check its permissions."
    ),
    LeftBecause.DISK_ERROR: QT_TRANSLATE_NOOP("QueueBanner", "The disk reports an error."),
}


class QueueBanner(Banner):
    """Shown while the queue is paused, or while an earlier run's jobs are left over."""

    def __init__(self, queue: JobQueue, parent: QWidget | None = None) -> None:
        self.go_on_button = QPushButton()
        self.discard_button = QPushButton()
        self._queue = queue
        super().__init__(parent)
        self.add_buttons(self.go_on_button, self.discard_button)
        self.go_on_button.clicked.connect(self._go_on)
        self.discard_button.clicked.connect(self._discard)
        queue.left_over_changed.connect(self.refresh)
        queue.pause_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Say what waits now."""
        pause, ordinary, quarantined = self._queue.pause, self._ordinary(), self._quarantined()
        self.discard_button.setVisible(pause is None)
        is_retrying = pause is None and not ordinary and bool(quarantined)
        self.go_on_button.setText(self.tr("Try again") if is_retrying else self.tr("Go on"))
        self.discard_button.setText(self.tr("Discard"))
        if pause is not None:
            self.show_message(self.tr("The queue is paused."), self._reason(pause.because))
        elif ordinary:
            reason = ordinary[0].left_because or LeftBecause.QUIT
            count = sum(len(job.missing) for job in ordinary)
            summary = self.tr("%n picture(s) of an earlier run are not made yet.", "", count)
            self.show_message(summary, self._reason(reason))
        elif quarantined:
            self.show_message(
                self.tr("%n job(s) are left out.", "", len(quarantined)),
                self.tr("Danqing ended unexpectedly twice while drawing: “{prompt}”").format(
                    prompt=_shortened(quarantined[0].request.prompt)
                ),
            )
        else:
            self.clear()

    def retranslate(self) -> None:
        super().retranslate()
        self.refresh()

    def _go_on(self) -> None:
        is_about_quarantined = self._queue.pause is None and not self._ordinary()
        self.clear()
        self._queue.go_on(retries_quarantined=is_about_quarantined)

    def _discard(self) -> None:
        self.clear()
        self._queue.discard_left_over(self._ordinary() or self._quarantined())

    def _reason(self, because: LeftBecause) -> str:
        return QCoreApplication.translate("QueueBanner", _REASONS[because])

    def _ordinary(self) -> Sequence[JobRow]:
        return [job for job in self._queue.left_over if job.state is not JobState.QUARANTINED]

    def _quarantined(self) -> Sequence[JobRow]:
        return [job for job in self._queue.left_over if job.state is JobState.QUARANTINED]


def _shortened(prompt: str) -> str:
    first = " ".join(prompt.split())
    return first if len(first) <= 80 else f"{first[:79]}…"
