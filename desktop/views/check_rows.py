"""The list of rows under their headings. Rows keep their place, focus and openness over checks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop import check_texts, theme
from desktop.models.system_report import Group, StepState
from desktop.views import check_words, words
from desktop.widgets.disclosure_row import DisclosureRow, RowText
from engine.port import Report, Verdict

Key = tuple[Hashable, ...]


class RowList(QScrollArea):
    """Headings and rows, each known by a key; scrolls up and down only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("checkRows")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(*(theme.SPACE,) * 4)
        self._column.setSpacing(0)
        self._column.addStretch(1)
        self.setWidget(self._content)
        self.rows: dict[Key, DisclosureRow] = {}
        self._headings: dict[Key, QLabel] = {}

    def show_rows(self, items: Sequence[tuple[Key, str | RowText]]) -> None:
        """Headings (a `str`) and rows, in this order; those with a known key are used again."""
        keys = {key for key, _ in items}
        for known in (self.rows, self._headings):
            for key in [key for key in known if key not in keys]:
                widget = known.pop(key)
                self._column.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        previous: QWidget | None = None
        for place, (key, text) in enumerate(items):
            widget = self._heading(key, text) if isinstance(text, str) else self._row(key, text)
            if self._column.indexOf(widget) != place:
                self._column.removeWidget(widget)
                self._column.insertWidget(place, widget)
            header = widget.header if isinstance(widget, DisclosureRow) else None
            if previous is not None and header is not None:
                QWidget.setTabOrder(previous, header)
            previous = header or previous

    def show_row(self, key: Key) -> bool:
        """Open a row, bring it into view and give it the keyboard; False if there is none."""
        row = self.rows.get(key)
        if row is None:
            return False
        row.open()
        # The layout learns of what opened; only then is known where it is.
        self._column.activate()
        self._content.adjustSize()
        self.ensureWidgetVisible(row, 0, theme.SPACE)
        row.header.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def _row(self, key: Key, text: RowText) -> DisclosureRow:
        if key in self.rows:
            self.rows[key].set_text(text)
        else:
            self.rows[key] = DisclosureRow(text)
        return self.rows[key]

    def _heading(self, key: Key, text: str) -> QLabel:
        label = self._headings.get(key)
        if label is None:
            label = self._headings[key] = QLabel()
            label.setProperty("heading", True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setContentsMargins(theme.SPACE, theme.SPACE, 0, theme.SPACE // 2)
        label.setText(text)
        return label


class CheckRows(RowList):
    """The rows of a report, and the steps of the self-test under theirs."""

    def show_report(
        self, report: Report, groups: Iterable[Group], steps: Sequence[StepState]
    ) -> None:
        names_gpu = len(report.gpus) > 1
        items: list[tuple[Key, str | RowText]] = []
        for group in groups:
            items.append((("heading", group.key), self._group_heading(group)))
            for row in group.rows:
                text = check_words.of_check(row, names_gpu=names_gpu)
                items.append(((row.id, row.gpu), text))
            if group.key == "selftest":
                items += [(("step", s.name), check_words.of_step(s)) for s in steps]
        self.show_rows(items)

    def show_check(self, report: Report, check_id: str) -> bool:
        """Open the gravest row of an id."""
        rows = [row for row in report.checks if row.id == check_id]
        if not rows:
            return False
        worst = min(rows, key=check_texts.in_order)
        return self.show_row((worst.id, worst.gpu))

    def _group_heading(self, group: Group) -> str:
        """`GPU: 1 failed, 2 warnings`."""
        title = QCoreApplication.translate(check_texts.CONTEXT, check_texts.GROUPS[group.key][0])
        bad = (Verdict.FAIL, Verdict.CRASHED)
        failures = sum(row.verdict in bad for row in group.rows)
        warnings = sum(row.verdict is Verdict.WARN for row in group.rows)
        counts = []
        if failures:
            counts.append(self.tr("%n failed", "rows", failures))
        if warnings:
            counts.append(self.tr("%n warning(s)", "rows", warnings))
        if not counts:
            return title
        return self.tr("{group}: {counts}").format(group=title, counts=words.listed(counts))
