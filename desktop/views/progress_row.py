"""One line that says what the engine is doing, how long it will take, and what Stop waits for."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from desktop import theme
from desktop.models.job_queue import Job, JobQueue
from desktop.progress import Progress
from desktop.views import words
from desktop.widgets.elided_label import ElidedLabel
from engine.port import CancelWhen, JobEnd, JobFinished, Phase

_SCALE = 1000


class ProgressRow(QFrame):
    """Always there and always as high, so that nothing jumps when a picture begins."""

    def __init__(self, queue: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("progressRow")
        self._queue = queue
        self._has_finished = False
        self._has_stopped = False
        self._text = ElidedLabel()
        self._remaining = QLabel()
        self._remaining.setProperty("quiet", True)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._bar.setRange(0, _SCALE)
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._bar.setSizePolicy(policy)
        texts = QHBoxLayout()
        texts.setSpacing(theme.SPACE)
        texts.addWidget(self._text, 1)
        texts.addWidget(self._remaining)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * theme.SPACE, theme.SPACE, 2 * theme.SPACE, theme.SPACE)
        column.setSpacing(theme.SPACE // 2)
        column.addLayout(texts)
        column.addWidget(self._bar)
        queue.changed.connect(self._show)
        queue.job_ended.connect(self._remember_end)
        self.retranslate()

    @property
    def text(self) -> str:
        """What is said, in full."""
        return self._text.accessibleName()

    def retranslate(self) -> None:
        self._bar.setAccessibleName(self.tr("Progress"))
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def _remember_end(self, event: JobEnd) -> None:
        self._has_finished = isinstance(event, JobFinished)
        self._has_stopped = not self._has_finished

    def _show(self) -> None:
        job = self._queue.current
        self._bar.setVisible(job is not None)
        if job is None:
            self._text.set_full_text(self._idle_text())
            self._remaining.clear()
            return
        self._text.set_full_text(self._stopping(job) if job.stopping else self._doing(job))
        self._remaining.setText(self._remaining_text(job))
        self._show_fraction(job)

    def _idle_text(self) -> str:
        if self._has_finished:
            return self.tr("Done")
        if self._has_stopped:
            return self.tr("Stopped")
        return self.tr("Ready") if self._queue.is_engine_ready else self.tr("Starting the engine…")

    def _show_fraction(self, job: Job) -> None:
        fraction = _fraction(job)
        if fraction is None:
            self._bar.setRange(0, 0)
        else:
            self._bar.setRange(0, _SCALE)
            self._bar.setValue(round(fraction * _SCALE))

    def _doing(self, job: Job) -> str:
        progress = job.progress
        if not self._queue.is_engine_ready:
            return self.tr("Waiting for the engine to start…")
        if progress is None or progress.phase is None:
            return self.tr("Beginning…")
        text = self._phase_text(job, progress, progress.phase)
        if progress.image_count > 1:
            text = self.tr("Picture {number} of {count}: {doing}").format(
                number=progress.image_index + 1, count=progress.image_count, doing=text
            )
        return text

    def _phase_text(self, job: Job, progress: Progress, phase: Phase) -> str:
        match phase:
            case Phase.LOAD:
                if job.loading is None:
                    return self.tr("Loading the model…")
                return self.tr("Loading the model, {part}: {percent} %").format(
                    part=self._part(job.loading.component),
                    percent=round(100 * job.loading.fraction),
                )
            case Phase.ENCODE:
                return self.tr("Reading the prompt…")
            case Phase.DENOISE:
                return self.tr("Drawing, step {step} of {steps}").format(
                    step=min(progress.step + 1, progress.steps), steps=progress.steps
                )
            case Phase.DECODE:
                if progress.tiles:
                    return self.tr("Developing, part {part} of {parts}").format(
                        part=progress.tile, parts=progress.tiles
                    )
                return self.tr("Developing…")

    def _part(self, component: str) -> str:
        parts = {
            "text_encoder": self.tr("text encoder"),
            "transformer": self.tr("transformer"),
            "vae": self.tr("decoder"),
        }
        return parts.get(component, component)

    def _stopping(self, job: Job) -> str:
        if job.stopping is CancelWhen.AFTER_IMAGE:
            return self.tr("{doing}. Stops after this picture.").format(doing=self._doing(job))
        phase = job.progress.phase if job.progress is not None else None
        if not self._queue.is_engine_ready:
            return self.tr("Stopping… waiting for the engine to finish starting")
        if phase is Phase.LOAD:
            return self.tr("Stopping… waiting for the part of the model being read")
        if phase is Phase.DECODE:
            return self.tr("Stopping… waiting for the part being developed")
        return self.tr("Stopping… waiting for the current step to end")

    def _remaining_text(self, job: Job) -> str:
        if job.stopping is CancelWhen.NOW or job.progress is None:
            return ""
        remaining_s = job.progress.remaining_s
        if remaining_s is None:
            return ""
        return self.tr("about {duration} left").format(duration=words.duration(remaining_s))


def _fraction(job: Job) -> float | None:
    """None while there is nothing to measure by."""
    progress = job.progress
    if progress is None or job.stopping is CancelWhen.NOW:
        return None
    if progress.phase is Phase.LOAD and progress.fraction == 0.0:
        return job.loading.fraction if job.loading is not None else None
    if progress.phase in (None, Phase.ENCODE) and progress.fraction == 0.0:
        return None
    return progress.fraction
