"""A prompt list that is about to be put into the queue: how it is read, and its rows as a table.

Owned here: the reading on a worker thread, the choices it is read with, and editing. A row that was
edited is judged like one of the list. Separate from the dialog, which only shows it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from desktop import check_texts, paths
from desktop.background import Background
from desktop.models.prompt_form import SIZE_PROBLEMS, PromptForm, parse_seed
from desktop.prompts import (
    Expansion,
    Field,
    ListFormat,
    Picture,
    PlannedPicture,
    Problem,
    SeedPolicy,
    Terms,
    Wildcards,
    WrongEntry,
    expand_file,
    expand_text,
    with_text,
)
from desktop.store import free_space, library
from desktop.store.free_space import Room
from engine.port import GenerationRequest, ModelInfo, PictureSize

log = logging.getLogger(__name__)

Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Column(IntEnum):
    LINE = 0
    PROMPT = 1
    NEGATIVE_PROMPT = 2
    SIZE = 3
    STEPS = 4
    GUIDANCE = 5
    SAMPLER = 6
    SEED = 7
    NOTE = 8


FIELDS: Mapping[Column, Field] = {
    Column.PROMPT: Field.PROMPT,
    Column.NEGATIVE_PROMPT: Field.NEGATIVE_PROMPT,
    Column.SIZE: Field.SIZE,
    Column.STEPS: Field.STEPS,
    Column.GUIDANCE: Field.GUIDANCE,
    Column.SAMPLER: Field.SAMPLER,
    Column.SEED: Field.SEED,
}
_COLUMNS = {field: column for column, field in FIELDS.items()}


class Role(IntEnum):
    IS_WRONG = Qt.ItemDataRole.UserRole
    """The row cannot be drawn."""
    IS_CULPRIT = Qt.ItemDataRole.UserRole + 1
    """This cell is why."""
    HAS_NOTE = Qt.ItemDataRole.UserRole + 2
    """The row is wrong, or there is a warning about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """How a list is read. None is "as the list says"."""

    list_format: ListFormat | None = None
    encoding: str | None = None
    seeds: SeedPolicy = SeedPolicy.COUNT_UP
    is_matrix: bool = False


class PictureTable(QAbstractTableModel):
    """The rows of an expansion; makes texts only for the cells that are looked at."""

    included_changed = Signal()
    """Rows were left out or taken in again, or edited."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Picture] = []
        self._left_out: set[int] = set()  # by id(): rows come and go around them
        self._warnings: dict[int, list[Problem]] = {}
        self._terms: Terms | None = None

    def show(self, expansion: Expansion, terms: Terms) -> None:
        self.beginResetModel()
        self._rows = list(expansion.rows)
        self._left_out = set()
        self._terms = terms
        self._warnings = {}
        for problem in expansion.problems:
            if not problem.is_error and problem.line is not None:
                self._warnings.setdefault(problem.line, []).append(problem)
        self.endResetModel()
        self.included_changed.emit()

    @property
    def pictures(self) -> list[PlannedPicture]:
        """What would be put into the queue now."""
        return [
            row
            for row in self._rows
            if isinstance(row, PlannedPicture) and id(row) not in self._left_out
        ]

    @property
    def wrong_count(self) -> int:
        return sum(isinstance(row, WrongEntry) for row in self._rows)

    @property
    def left_out_count(self) -> int:
        return len(self._left_out)

    def next_note(self, after: int) -> int | None:
        """The next row with a problem, from the top again after the last one; None if none has."""
        count = len(self._rows)
        order = (row % count for row in range(after + 1, after + 1 + count))
        return next((row for row in order if self._has_note(row)), None)

    def set_included(self, rows: list[int], is_included: bool) -> None:
        """Take rows in or leave them out; wrong ones are out anyway."""
        for row in rows:
            if isinstance(self._rows[row], WrongEntry):
                continue
            if is_included:
                self._left_out.discard(id(self._rows[row]))
            else:
                self._left_out.add(id(self._rows[row]))
            index = self.index(row, Column.LINE)
            self.dataChanged.emit(index, index, [Qt.ItemDataRole.CheckStateRole])
        self.included_changed.emit()

    def is_included(self, row: int) -> bool:
        picture = self._rows[row]
        return isinstance(picture, PlannedPicture) and id(picture) not in self._left_out

    # --- Qt ---------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(Column)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() in FIELDS:
            flags |= Qt.ItemFlag.ItemIsEditable
        elif index.column() == Column.LINE and isinstance(self._rows[index.row()], PlannedPicture):
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def data(  # noqa: PLR0911 - a role each
        self, index: Index, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if not index.isValid():
            return None
        row, column = index.row(), Column(index.column())
        picture = self._rows[row]
        is_wrong = isinstance(picture, WrongEntry)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return self._text(picture, column, role == Qt.ItemDataRole.EditRole)
            case Qt.ItemDataRole.CheckStateRole if column is Column.LINE and not is_wrong:
                return Qt.CheckState.Checked if self.is_included(row) else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.ToolTipRole:
                return self._note(picture) or self._text(picture, column, False)
            case Role.IS_WRONG:
                return is_wrong
            case Role.IS_CULPRIT:
                return is_wrong and _culprit(picture.problem) is column
            case Role.HAS_NOTE:
                return self._has_note(row)
            case _:
                return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = index.row()
        if role == Qt.ItemDataRole.CheckStateRole:
            is_included = Qt.CheckState(value) is Qt.CheckState.Checked
            self.set_included([row], is_included)
            return True
        column = Column(index.column())
        if column not in FIELDS or self._terms is None or value == index.data(role):
            return False
        found = with_text(self._rows[row], FIELDS[column], str(value), self._terms)
        self._replace(row, found)
        return True

    def _replace(self, row: int, found: Expansion) -> None:
        first, *more = found.rows or (self._rows[row],)
        was_left_out = id(self._rows[row]) in self._left_out
        self._left_out.discard(id(self._rows[row]))
        self._rows[row] = first
        self._warnings[first.line] = [p for p in found.problems if not p.is_error]
        if was_left_out and isinstance(first, PlannedPicture):
            self._left_out.add(id(first))
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(Column) - 1))
        if more:
            self.beginInsertRows(QModelIndex(), row + 1, row + len(more))
            self._rows[row + 1 : row + 1] = more
            self.endInsertRows()
        self.included_changed.emit()

    def _has_note(self, row: int) -> bool:
        picture = self._rows[row]
        return isinstance(picture, WrongEntry) or bool(self._warnings.get(picture.line))

    def _note(self, picture: Picture) -> str:
        problems = [picture.problem] if isinstance(picture, WrongEntry) else []
        problems += self._warnings.get(picture.line, [])
        return "\n".join(sentence(problem) for problem in problems)

    def _text(self, picture: Picture, column: Column, is_for_editing: bool) -> str:
        if column is Column.LINE:
            return str(picture.line)
        if column is Column.NOTE:
            return self._note(picture).replace("\n", " ")
        if isinstance(picture, WrongEntry):
            text = picture.texts.get(FIELDS[column], "")
        else:
            text = _text_of(picture.request, column)
        return text if is_for_editing else text.replace("\n", " ⏎ ")


class PromptList(QObject):
    """One list while its dialog is open. `table` is what it comes to."""

    reading_started = Signal()
    changed = Signal()
    """It was read, or rows were edited or left out."""

    def __init__(
        self, form: PromptForm, model: ModelInfo, background: Background, parent: QObject | None
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._model = model
        self._base = base_request(form, model)
        self._source: Path | str = ""
        self._reading = 0
        self.choices = Choices()
        self.expansion = Expansion()
        self.is_reading = False
        self.table = PictureTable(self)
        self.table.included_changed.connect(self.changed)

    @property
    def source(self) -> Path | str:
        """The file, or the text that was pasted."""
        return self._source

    def load(self, source: Path | str) -> None:
        self._source = source
        self._read()

    def give_up(self) -> None:
        """Nobody wants to see the list any more: what is still being read is forgotten."""
        self._reading += 1

    def choose(self, **changes: Any) -> None:
        """Read the list with other choices; what was edited is lost."""
        choices = replace(self.choices, **changes)
        if choices != self.choices:
            self.choices = choices
            self._read()

    def sizes(self) -> Mapping[PictureSize, int]:
        """How many pictures of each size would be made."""
        requests = (picture.request for picture in self.table.pictures)
        return Counter(
            PictureSize(width=request.width or 0, height=request.height or 0)
            for request in requests
        )

    def room(self, folder: Path) -> Room | None:
        """What the pictures need of the disk of `folder`; None if that does not say."""
        state = paths.state_folder()
        try:
            return free_space.check(
                folder, self.sizes(), lambda size: library.typical_bytes(state, size)
            )
        except OSError as error:
            log.info("the free space of %s is not known: %s", folder, error)
            return None

    @property
    def notices(self) -> list[Problem]:
        """Problems that are not about a row that is shown."""
        lines = {row.line for row in self.expansion.rows}
        return [problem for problem in self.expansion.problems if problem.line not in lines]

    def _read(self) -> None:
        self._reading += 1
        self.is_reading = True
        self.reading_started.emit()
        self._background.start(self._read_now(self._reading), "reading a prompt list")

    async def _read_now(self, number: int) -> None:
        terms = Terms(
            model=self._model,
            base=self._base,
            wildcards=Wildcards(paths.wildcards_folder()),
            seeds=self.choices.seeds,
            is_matrix=self.choices.is_matrix,
        )
        expansion = await asyncio.to_thread(_expand, self._source, self.choices, terms)
        if number == self._reading:  # else other choices were made meanwhile
            self.is_reading = False
            self.expansion = expansion
            self.table.show(expansion, terms)


def base_request(form: PromptForm, model: ModelInfo) -> GenerationRequest:
    """What entries of a list have that say nothing else: the form's settings, without its prompt.

    A size or seed of the form that cannot be used is passed over here, for the model's own size
    and a random seed: the form itself says so.
    """
    resolved, size, values = form.resolved(), form.size(), form.values
    fits = size is not None and not form.problems() & SIZE_PROBLEMS
    seed = None if values.is_seed_random else parse_seed(values.seed_text)
    return GenerationRequest(
        prompt="",
        negative_prompt=values.negative_prompt.strip(),
        seed=secrets.randbits(32) if seed is None else seed,
        width=size.width if size is not None and fits else None,
        height=size.height if size is not None and fits else None,
        steps=resolved.steps if resolved else None,
        guidance_scale=resolved.guidance_scale if resolved else None,
        sampler=resolved.sampler if resolved else None,
        model_id=model.model_id,
    )


def sentence(problem: Problem) -> str:
    """What is wrong, in the user's language."""
    return check_texts.sentence(problem.message, QCoreApplication.translate)


def _expand(source: Path | str, choices: Choices, terms: Terms) -> Expansion:
    settings: dict[str, Any] = {
        "model": terms.model,
        "base": terms.base,
        "wildcards": terms.wildcards,
        "seeds": terms.seeds,
        "is_matrix": terms.is_matrix,
        "list_format": choices.list_format,
    }
    if isinstance(source, Path):
        return expand_file(source, encoding=choices.encoding, **settings)
    return expand_text(source, **settings)


def _culprit(problem: Problem) -> Column:
    """The cell to blame; the prompt's where the whole entry could not be read."""
    if problem.field in (Field.WIDTH, Field.HEIGHT):
        return Column.SIZE
    return _COLUMNS.get(problem.field or Field.PROMPT, Column.PROMPT)


def _text_of(request: GenerationRequest, column: Column) -> str:  # noqa: PLR0911 - a column each
    match column:
        case Column.PROMPT:
            return request.prompt
        case Column.NEGATIVE_PROMPT:
            return request.negative_prompt
        case Column.SIZE:
            return f"{request.width}x{request.height}"
        case Column.STEPS:
            return str(request.steps)
        case Column.GUIDANCE:
            return f"{request.guidance_scale:g}"
        case Column.SAMPLER:
            return str(request.sampler)
        case _:
            return str(request.seed)
