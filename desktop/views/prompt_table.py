"""The rows of a prompt list: an editable table, wrong cells marked, everything by keyboard too.

Separate from the dialog around it. Space leaves the selected rows out or takes them in again, F2 or
typing edits, F8 goes to the next row with a problem.
"""

from __future__ import annotations

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from desktop import theme
from desktop.models.prompt_list import FIELDS, Column, PictureTable, Role

Index = QModelIndex | QPersistentModelIndex
_NARROW = {
    Column.LINE: 72,
    Column.SIZE: 76,
    Column.STEPS: 56,
    Column.GUIDANCE: 78,
    Column.SAMPLER: 86,
    Column.SEED: 100,
}
_NEGATIVE_WIDTH = 110
_NOTE_WIDTH = 220


class PromptTable(QTableView):
    """Shows a `PictureTable`, all of it or the rows with problems."""

    def __init__(self, table: PictureTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("promptTable")
        self._table = table
        self._shown = _Shown(self)
        self._shown.setSourceModel(table)
        self.setModel(self._shown)
        self.setItemDelegate(_Cells(self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
            | QAbstractItemView.EditTrigger.DoubleClicked
        )
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().lineSpacing() + 10)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in _NARROW.items():
            self.setColumnWidth(column, width)
        self.setColumnWidth(Column.NEGATIVE_PROMPT, _NEGATIVE_WIDTH)
        self.setColumnWidth(Column.NOTE, _NOTE_WIDTH)
        header.setSectionResizeMode(Column.PROMPT, QHeaderView.ResizeMode.Stretch)
        self.setAccessibleName(self.tr("Pictures of the list"))

    def show_notes_only(self, is_only_notes: bool) -> None:
        self._shown.show_notes_only(is_only_notes)

    def go_to_next_note(self) -> None:
        """Bring the next row with a problem into view, its wrong cell current."""
        here = self._shown.mapToSource(self.currentIndex()).row() if self._has_current() else -1
        row = self._table.next_note(here)
        if row is None:
            return
        columns = (*FIELDS, Column.NOTE)
        culprit = next(
            (c for c in columns if self._table.index(row, c).data(Role.IS_CULPRIT)), Column.NOTE
        )
        index = self._shown.mapFromSource(self._table.index(row, culprit))
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def current_note(self) -> str:
        """What is wrong with the current row; empty if nothing is."""
        index = self.currentIndex()
        return index.sibling(index.row(), Column.NOTE).data() or "" if index.isValid() else ""

    def leave_out_or_take_in(self) -> None:
        """The selected rows: all in again if all are out, else all out."""
        rows = sorted({self._shown.mapToSource(index).row() for index in self.selectedIndexes()})
        self._table.set_included(rows, not any(self._table.is_included(row) for row in rows))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.leave_out_or_take_in()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            if self.state() != QAbstractItemView.State.EditingState:
                self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._shown.invalidate()

    def _has_current(self) -> bool:
        return self.currentIndex().isValid()


class _Shown(QSortFilterProxyModel):
    """All rows, or those with problems; and the names of the columns."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._is_only_notes = False

    def show_notes_only(self, is_only_notes: bool) -> None:
        self._is_only_notes = is_only_notes
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        if not self._is_only_notes:
            return True
        return bool(self.sourceModel().index(row, 0, parent).data(Role.HAS_NOTE))

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _names()[Column(section)]
        return super().headerData(section, orientation, role)


class _Cells(QStyledItemDelegate):
    """Wrong cells in the colour of problems, rows that are not drawn in that of what is off."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        colours = theme.colours()
        is_out = index.sibling(index.row(), Column.LINE).data(Qt.ItemDataRole.CheckStateRole)
        colour = None
        if index.data(Role.IS_CULPRIT) or (
            index.column() == Column.NOTE and index.data(Role.IS_WRONG)
        ):
            colour = colours.problem
            font = QFont(option.font)
            font.setUnderline(index.column() != Column.NOTE)
            option.font = font
        elif index.data(Role.IS_WRONG) or is_out == Qt.CheckState.Unchecked:
            colour = colours.muted
        elif index.column() == Column.NOTE:
            colour = colours.caution
        if is_out == Qt.CheckState.Unchecked:
            font = QFont(option.font)
            font.setStrikeOut(True)
            option.font = font
        if colour is not None:
            option.palette.setColor(QPalette.ColorRole.Text, QColor(colour))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        editor.setObjectName("cellEditor")
        editor.setAccessibleName(_names()[Column(index.column())])
        return editor


def _names() -> dict[Column, str]:
    translate = QCoreApplication.translate
    return {
        Column.LINE: translate("PromptTable", "Line"),
        Column.PROMPT: translate("PromptTable", "Prompt"),
        Column.NEGATIVE_PROMPT: translate("PromptTable", "Negative"),
        Column.SIZE: translate("PromptTable", "Size"),
        Column.STEPS: translate("PromptTable", "Steps"),
        Column.GUIDANCE: translate("PromptTable", "Guidance"),
        Column.SAMPLER: translate("PromptTable", "Sampler"),
        Column.SEED: translate("PromptTable", "Seed"),
        Column.NOTE: translate("PromptTable", "Problem"),
    }
