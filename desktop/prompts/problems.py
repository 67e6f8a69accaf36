"""What is wrong in a prompt list, and where: said as sentences that can be translated.

Separate so that every reader says it alike. The sentences are English templates with values, as the
check's are; `desktop.check_texts.sentence` translates them.
"""

from __future__ import annotations

from dataclasses import dataclass

from desktop.messages import printable
from desktop.prompts.fields import Field
from engine.port import Sentence

_LONGEST_QUOTATION = 60
"""Characters of a list that a sentence repeats: enough to find them, too few to flood a screen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An error, or a warning about something that is not done as the list may mean it.

    `line` and `column` count from 1; a `line` of None is the list as a whole. `field` is the value
    that is wrong, when it is one value.
    """

    line: int | None
    message: Sentence
    is_error: bool = True
    column: int | None = None
    field: Field | None = None


class ListFault(Exception):
    """An error, mostly inside one entry, whose reader knows the line and makes the `Problem`."""

    def __init__(
        self,
        message: Sentence,
        *,
        field: Field | None = None,
        column: int | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(str(message))
        self.message = message
        self.field = field
        self.column = column
        self.line = line

    def at(self, line: int) -> Problem:
        return Problem(line=line, message=self.message, field=self.field, column=self.column)


def say(template: str, /, **values: object) -> Sentence:
    """`template` with its values, which come from the list: shortened, and safe for a terminal."""
    return Sentence(template, {name: quotation(str(value)) for name, value in values.items()})


def quotation(text: str) -> str:
    """As much of `text` as a sentence can repeat."""
    if len(text) > _LONGEST_QUOTATION:
        text = text[: _LONGEST_QUOTATION - 1] + "…"
    return printable(text)
