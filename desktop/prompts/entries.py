"""The four ways to write a prompt list down, each read into entries: a line and its named texts.

Owned here: A1111's grammar of options in a line (`scripts/prompts_from_file.py`) with its repairs:
apostrophes and backslashes are themselves, an unknown option is an error and not a prompt, and a
line that does not begin with an option has none. A1111 cuts such lines with `shlex`, which makes an
apostrophe an open quote and eats backslashes; the rule here is one regular expression. What the
texts mean is not known here.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from desktop.prompts import fields
from desktop.prompts.fields import Field
from desktop.prompts.problems import ListFault, Problem, say
from desktop.prompts.reading import MAX_LINE, ListFormat

BLOCK_END = "###"

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | --(?P<option>[^\W\d][\w-]*)(?:=|(?=\s|$))
      | "(?P<double>(?:[^"\\]|\\.)*)"(?=\s|$)
      | '(?P<single>[^']*)'(?=\s|$)
      | (?P<word>\S+)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r'\\(["\\])')
_LATE_OPTION = re.compile(r"(?<!\S)--([a-zA-Z][\w-]*)")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
"""Characters that no prompt can want: control characters and halves of characters."""


@dataclass(slots=True)
class Entry:
    """What a list says about one or more pictures, as text. `line` is where it begins.

    `fault` keeps it from being drawn; `warnings` do not.
    """

    line: int
    texts: dict[Field, str] = field(default_factory=dict[Field, str])
    warnings: list[Problem] = field(default_factory=list[Problem])
    fault: Problem | None = None
    is_heading: bool = False
    """A table's first row: it is no picture, and may still be wrong."""
    literal: frozenset[Field] = frozenset()
    """Texts that were expanded before, and mean themselves."""
    reread: Callable[[int, str], Entry] | None = None
    """How to read it anew, if its text as a whole could not be read: `texts[PROMPT]` holds that."""

    def warn(self, problem: ListFault) -> None:
        self.warnings.append(
            Problem(line=self.line, message=problem.message, is_error=False, field=problem.field)
        )


def parse(text: str, list_format: ListFormat) -> Iterator[Entry]:
    """The entries of a list, in order; empty lines are passed over. Raises nothing."""
    return _PARSERS[list_format](text)


# --- text -----------------------------------------------------------------------------------------


def _lines(text: str) -> Iterator[Entry]:
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped and not _is_comment(stripped):
            yield _text_entry(number, stripped)


def _is_comment(line: str) -> bool:
    """`# so`, and `###`; but not `#ff8800` or `#3`, which a prompt may begin with."""
    return line.startswith("#") and line.lstrip("#")[:1] in ("", " ", "\t")


def _blocks(text: str) -> Iterator[Entry]:
    block: list[str] = []
    start = 1
    for number, line in enumerate([*text.split("\n"), BLOCK_END], start=1):
        if line.strip() != BLOCK_END:
            if not block and not line.strip():
                start = number + 1
            else:
                block.append(line)
            continue
        if block:
            yield _text_entry(start, "\n".join(block).strip())
        block, start = [], number + 1


def _text_entry(number: int, text: str) -> Entry:
    entry = Entry(number)
    if len(text) > MAX_LINE:
        _refuse_long(entry, text)
    elif not text.startswith("--"):
        _put(entry, Field.PROMPT, text)
        _warn_of_late_options(entry, text)
    else:
        _take(entry, _options, text)
        entry.reread = _text_entry if entry.fault else None
    return entry


def _warn_of_late_options(entry: Entry, text: str) -> None:
    if "--" not in text:
        return
    for match in _LATE_OPTION.finditer(text):
        name = match[1]
        if fields.field_named(name) is not None or fields.canonical(name) in fields.FOREIGN:
            entry.warn(
                ListFault(
                    say(
                        "“--{name}” is read as part of the prompt: "
                        "a line with options begins with one, such as --prompt.",
                        name=name,
                    ),
                    field=Field.PROMPT,
                )
            )
            return


def _options(entry: Entry, text: str) -> None:
    """A1111: a value is all words up to the next option, with one space between them."""
    name: str | None = None
    words: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, value = match.lastgroup, match[match.lastgroup or 0]
        if kind == "space":
            continue
        if kind == "option":
            _set_option(entry, name, words)
            name, words = value, []
            continue
        if kind == "word" and value.startswith('"'):
            column = match.start() + 1
            raise ListFault(
                say(
                    "A quote is opened in column {column} and not closed at the end of a word.",
                    column=column,
                ),
                column=column,
            )
        words.append(_ESCAPED.sub(r"\1", value) if kind == "double" else value)
    _set_option(entry, name, words)


def _set_option(entry: Entry, name: str | None, words: list[str]) -> None:
    if name is None:
        return
    canonical = fields.canonical(name)
    known = fields.field_named(name)
    if known is None and canonical not in fields.FOREIGN:
        _refuse_unknown(name)
    if not words and known is not Field.MATRIX and canonical not in fields.FLAGS:
        raise ListFault(say("--{name}: a value is missing.", name=name), field=known)
    if known is None:
        entry.warn(ListFault(say("Danqing does not have “{name}”: it is left aside.", name=name)))
        return
    if known in entry.texts:
        entry.warn(
            ListFault(say("“{name}” is given twice; the last one counts.", name=name), field=known)
        )
    _put(entry, known, " ".join(words))


def _refuse_unknown(name: str) -> None:
    near = fields.near(name)
    if near is None:
        raise ListFault(
            say(
                "There is no option --{name}; text that holds “--” needs quotes around it.",
                name=name,
            )
        )
    raise ListFault(say("There is no option --{name}; is --{near} meant?", name=name, near=near))


# --- tables and JSON ------------------------------------------------------------------------------


def _table(text: str) -> Iterator[Entry]:
    """Rows below a row of names; the delimiter is the one that the row of names has most of."""
    head = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    # A quote that stays open is found by its length, which is bounded here for all of the process.
    csv.field_size_limit(MAX_LINE)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[Field | None] | None = None
    while True:
        entry = Entry(rows.line_num + 1)
        try:
            row = next(rows, None)
        except csv.Error as error:
            entry.is_heading = columns is None
            entry.fault = ListFault(
                say("This row cannot be read ({reason}); nothing below it was read.", reason=error)
            ).at(entry.line)
            yield entry
            return
        if row is None:
            return
        if not any(cell.strip() for cell in row):
            continue
        if columns is None:
            entry.is_heading = True
            columns = _columns(entry, row)
            if entry.warnings or entry.fault:
                yield entry
            if entry.fault:
                return
            continue
        try:
            _fill(entry, columns, row)
        except ListFault as fault:
            entry.fault = fault.at(entry.line)
        yield entry


def _columns(entry: Entry, names: list[str]) -> list[Field | None]:
    """What each column holds; None for one that has no meaning here."""
    columns = [fields.field_named(name) for name in names]
    for name, known in zip(names, columns, strict=True):
        if known is None and name.strip():
            entry.warn(ListFault(say("The column “{name}” is left aside.", name=name.strip())))
    given = [known for known in columns if known is not None]
    twice = next((known for known in given if given.count(known) > 1), None)
    if Field.PROMPT not in given:
        entry.fault = ListFault(
            say("The first row names the columns, and one of them has to be “prompt”.")
        ).at(entry.line)
    elif twice is not None:
        entry.fault = ListFault(say("Two columns are named “{name}”.", name=twice), field=twice).at(
            entry.line
        )
    return columns


def _fill(entry: Entry, columns: list[Field | None], row: list[str]) -> None:
    for known, cell in zip(columns, row, strict=False):
        if known is not None and cell.strip():
            _put(entry, known, cell.strip())
    if len(row) > len(columns):
        raise ListFault(
            say(
                "This row has {found} cells, and there are {columns} columns.",
                found=len(row),
                columns=len(columns),
            )
        )


def _json_lines(text: str) -> Iterator[Entry]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _json_entry(number, line)


def _json_entry(number: int, line: str) -> Entry:
    entry = Entry(number)
    if len(line) > MAX_LINE:
        _refuse_long(entry, line)
    else:
        _take(entry, _json_object, line)
        entry.reread = _json_entry if entry.fault else None
    return entry


def _json_object(entry: Entry, line: str) -> None:
    try:
        found = json.loads(line, parse_constant=_refuse_constant)
    except RecursionError:
        raise ListFault(say("This JSON is nested too deeply.")) from None
    except json.JSONDecodeError as error:
        raise ListFault(
            say(
                "This is no JSON object: column {column}, {reason}.",
                column=error.colno,
                reason=error.msg,
            ),
            column=error.colno,
        ) from None
    except ValueError:  # a number too long for Python's own limit
        raise ListFault(say("A number here is too long.")) from None
    if not isinstance(found, dict):
        raise ListFault(say('This is no JSON object: a line looks like {{"prompt": "…"}}.'))
    for name, value in found.items():
        _put_json(entry, name, value)


def _put_json(entry: Entry, name: str, value: object) -> None:
    known = fields.field_named(name)
    if value is None:
        return
    if known is None:
        entry.warn(ListFault(say("Danqing does not have “{name}”: it is left aside.", name=name)))
    elif known in (Field.PROMPT, Field.NEGATIVE_PROMPT) and not isinstance(value, str):
        raise ListFault(say("“{name}” has to be text.", name=name), field=known)
    elif isinstance(value, bool):
        _put(entry, known, "true" if value else "false")
    elif isinstance(value, str | int | float):
        _put(entry, known, str(value).strip())
    else:
        raise ListFault(say("“{name}” has to be text or a number.", name=name), field=known)


def _refuse_constant(name: str) -> float:
    raise ListFault(say("{name} is no number.", name=name))


# --- all of them ----------------------------------------------------------------------------------


def _take(entry: Entry, read: Callable[[Entry, str], None], text: str) -> None:
    try:
        read(entry, text)
    except ListFault as fault:
        entry.fault = fault.at(entry.line)
        entry.texts = {Field.PROMPT: text}


def _refuse_long(entry: Entry, text: str) -> None:
    entry.fault = ListFault(
        say(
            "This is too long: {length} characters, and {most} are allowed.",
            length=len(text),
            most=MAX_LINE,
        )
    ).at(entry.line)
    entry.texts[Field.PROMPT] = text[:200] + "…"


def _put(entry: Entry, known: Field, text: str) -> None:
    if _UNSEEN.search(text):
        text = _UNSEEN.sub(" ", text).strip()
        entry.warn(
            ListFault(
                say("Control characters in “{name}” were replaced by spaces.", name=known),
                field=known,
            )
        )
    entry.texts[known] = text


_PARSERS: dict[ListFormat, Callable[[str], Iterator[Entry]]] = {
    ListFormat.LINES: _lines,
    ListFormat.BLOCKS: _blocks,
    ListFormat.CSV: _table,
    ListFormat.JSONL: _json_lines,
}
