"""What a prompt list comes to: planned pictures and wrong entries, and what it is read with.

Values only; separate so that readers of an expansion need not know how it is made.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from desktop.prompts.entries import Entry
from desktop.prompts.fields import Field
from desktop.prompts.problems import Problem
from desktop.prompts.reading import ListFormat
from desktop.prompts.wildcards import Wildcards
from engine.port import GenerationRequest, ModelInfo


class SeedPolicy(Enum):
    """Seeds of entries that name none, from the base request's seed."""

    COUNT_UP = auto()
    SAME = auto()
    RANDOM = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPicture:
    """One picture to be made: a request for one, with every value filled in.

    `raw_prompt` is what the list says, before expansion. Pictures of one grid have the same
    `group`, the line that asks for it; others have None.
    """

    request: GenerationRequest
    raw_prompt: str
    line: int
    group: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongEntry:
    """An entry that cannot be drawn as it is: its texts, and why."""

    entry: Entry
    problem: Problem
    group: int | None = None

    @property
    def line(self) -> int:
        return self.entry.line

    @property
    def texts(self) -> dict[Field, str]:
        return self.entry.texts


Picture = PlannedPicture | WrongEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """What a list comes to. `rows` are in its order, right and wrong ones; `problems` are all that
    was found, warnings too.

    `list_format` is how it was read, None if it could not be. `encodings` are offered where only
    the user can say what the bytes mean; nothing was read then.
    """

    rows: tuple[Picture, ...] = ()
    problems: tuple[Problem, ...] = ()
    list_format: ListFormat | None = None
    encodings: tuple[str, ...] = ()

    @property
    def pictures(self) -> tuple[PlannedPicture, ...]:
        """What can be drawn."""
        return tuple(row for row in self.rows if isinstance(row, PlannedPicture))

    @property
    def has_errors(self) -> bool:
        return any(problem.is_error for problem in self.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a list is read with: model, base request, wildcards, seeds, and whether `|` in a prompt
    makes a matrix without being asked by the entry.
    """

    model: ModelInfo
    base: GenerationRequest
    wildcards: Wildcards
    seeds: SeedPolicy = SeedPolicy.COUNT_UP
    is_matrix: bool = False
