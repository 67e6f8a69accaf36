"""The files that wildcards stand for: `__animals/cats__` is `animals/cats.txt` in one folder.

Owned here: which names there are. The folder is listed once, and a name is only ever compared with
that list, so that no name can lead anywhere else. A file has one alternative a line, with a weight
before it if it is to come more often (`3::red`); `#` begins a comment.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from desktop.prompts import template
from desktop.prompts.problems import ListFault, say
from desktop.prompts.template import Choice, How, Node, Option

log = logging.getLogger(__name__)

MAX_FILES = 50_000
MAX_FILE_BYTES = 16 * 2**20
MAX_VALUES = 200_000
"""Alternatives that one pattern may bring together."""

_WEIGHT = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?)::")
_COMMENT = re.compile(r"(?:^|\s)#(?:\s.*)?$")


@dataclass(frozen=True, slots=True)
class Value:
    """One line of a file: its text, and where it stands, for messages."""

    text: str
    weight: float
    place: str


class Wildcards:
    """The wildcards of a folder, read when they are asked for and kept then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, Path] | None = None
        self._values: dict[str, tuple[Value, ...]] = {}
        self._choices: dict[tuple[str, How], Choice] = {}

    def names(self) -> tuple[str, ...]:
        """Every wildcard, in order."""
        return tuple(self._listing())

    def choice(self, name: str, how: How = How.RANDOM) -> Choice:
        """What `name` stands for: a file's name without its ending, or a pattern of such names.

        `*` is any part of a name, `**` goes through folders; a bare name is looked for in all
        folders if it is not there itself. Raises `ListFault`.
        """
        if (name, how) not in self._choices:
            options = tuple(Option(_parsed(value), value.weight) for value in self._find(name))
            self._choices[name, how] = Choice(
                options, how=how, rising_weights=template.rising_weights(options)
            )
        return self._choices[name, how]

    def _find(self, name: str) -> list[Value]:
        found = [value for file in self._matching(name) for value in self._read(file)]
        if not found:
            raise ListFault(say("The wildcard __{name}__ is empty.", name=name))
        if not any(value.weight for value in found):
            raise ListFault(say("All weights of the wildcard __{name}__ are 0.", name=name))
        if len(found) > MAX_VALUES:
            raise ListFault(say("The wildcard __{name}__ has too many lines.", name=name))
        return found

    def _matching(self, name: str) -> list[str]:
        wanted = name.strip().strip("/")
        files = self._listing()
        if wanted in files:
            return [wanted]
        for pattern in (wanted, f"**/{wanted}"):
            expression = _expression(pattern)
            if found := [file for file in files if expression.fullmatch(file)]:
                return found
        raise ListFault(
            say(
                "There is no wildcard __{name}__ in {folder}. (For these signs themselves: \\__)",
                name=name,
                folder=self.folder,
            )
        )

    def _listing(self) -> dict[str, Path]:
        if self._files is None:
            self._files = dict(sorted(_text_files(self.folder)))
        return self._files

    def _read(self, file: str) -> tuple[Value, ...]:
        if file not in self._values:
            self._values[file] = tuple(_values(file, _text(file, self._listing()[file])))
        return self._values[file]


def _text_files(folder: Path) -> Iterator[tuple[str, Path]]:
    count = 0
    for place, _, files in os.walk(folder, onerror=_tell_unreadable):
        for file in files:
            path = Path(place, file)
            if path.suffix.lower() == ".txt":
                count += 1
                if count > MAX_FILES:
                    log.warning("%s has more files than wildcards may: the rest is unseen", folder)
                    return
                yield path.relative_to(folder).with_suffix("").as_posix(), path


def _tell_unreadable(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        log.warning("a folder of wildcards cannot be read: %s", error)


def _expression(pattern: str) -> re.Pattern[str]:
    """A file's name as a pattern: bounded, so that many stars cost no time."""
    parts = re.split(r"(\*\*/?|\*)", re.sub(r"\*{3,}", "**", pattern))
    if len(parts) > 9:
        raise ListFault(say("The wildcard __{name}__ has too many stars.", name=pattern))
    words = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*"}
    return re.compile("".join(words.get(part) or re.escape(part) for part in parts))


def _text(name: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ListFault(
            say(
                "The wildcard __{name}__ cannot be read: {reason}.",
                name=name,
                reason=error.strerror or error,
            )
        ) from None
    if len(data) > MAX_FILE_BYTES:
        raise ListFault(
            say(
                "The wildcard __{name}__ is larger than {size} MB.",
                name=name,
                size=MAX_FILE_BYTES >> 20,
            )
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ListFault(
            say(
                "The wildcard __{name}__ is not UTF-8 text (line {line}): save it as UTF-8.",
                name=name,
                line=line,
            )
        ) from None


def _values(file: str, text: str) -> Iterator[Value]:
    for number, line in enumerate(text.splitlines(), start=1):
        if value := _COMMENT.sub("", line).strip():
            weight = _WEIGHT.match(value)
            yield Value(
                text=value[weight.end() :] if weight else value,
                weight=float(weight[1]) if weight else 1.0,
                place=f"{file}.txt:{number}",
            )


def _parsed(value: Value) -> Node:
    if not template.is_template(value.text):
        return value.text
    try:
        return template.parse(value.text)
    except ListFault as fault:
        raise ListFault(
            say("{place}: {reason}", place=value.place, reason=str(fault.message))
        ) from None
