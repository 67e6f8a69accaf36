"""The line under Generate: where pictures are drawn, why not on the GPU, and the way to the row."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtWidgets import QWidget

from desktop import check_texts
from desktop.models.system_report import SystemReport
from desktop.widgets.elided_button import ElidedButton
from engine.port import Gate, Report


class GateNote(ElidedButton):
    """Empty until the machine has been judged; its place is kept, so that nothing jumps."""

    row_wanted = Signal(str)
    """The id of the check whose row says more."""
    reason_changed = Signal()

    def __init__(self, report: SystemReport, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._report = report
        self._row = ""
        self.reason = ""
        self.setProperty("link", True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        self.clicked.connect(lambda: self.row_wanted.emit(self._row))
        report.judged.connect(lambda _: self.show_state())
        self.show_state()

    def show_state(self) -> None:
        """Say what the last complete report of this machine says, in the language of now."""
        report = self._report.own
        if report is None or not self._report.is_complete:
            self.hide()
            return
        is_lost = report.allowed and not self._report.is_number_known
        self._row = "env.vars" if is_lost else _row(report)
        self.reason = check_texts.gate_reason(report, QCoreApplication.translate)
        words = self._words(report)
        if is_lost:
            words = self.tr("GPU off: its number is not known")
            self.reason = self.tr(
                "Drawn on the CPU, because the number of the checked GPU cannot be told. Unset "
                "GPU_DEVICE_ORDINAL, and all but one of HIP_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES "
                "and CUDA_VISIBLE_DEVICES."
            )
        self.set_full_text(words)
        self.setToolTip(self.reason)
        self.setAccessibleDescription(self.reason)
        self.show()
        self.reason_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.show_state()

    def _words(self, report: Report) -> str:
        match report.gate:
            case Gate.OPEN:
                if report.is_overridden:
                    return self.tr("GPU on, against the advice of the check")
                return self.tr("GPU on")
            case Gate.BLOCKED if self._row == "gpu.present":
                return self.tr("Drawn on the CPU: there is no AMD GPU")
            case Gate.BLOCKED:
                return self.tr("GPU off: {row}").format(
                    row=check_texts.title(self._row, QCoreApplication.translate)
                )
            case Gate.NEEDS_SELFTEST:
                return self.tr("GPU off until the self-test passes")
            case Gate.NEEDS_ACKNOWLEDGEMENT:
                return self.tr("GPU off until its warnings are read")


def _row(report: Report) -> str:
    return next(iter((*report.blocked_by, *report.acknowledge)), "selftest")
