"""Dynamic prompts, understood: from text with `{a|b}`, `__name__` and `${v}` to a tree.

The grammar is that of the library dynamicprompts (its docs/SYNTAX.md), which was looked at first
and is not used: its last release is of March 2024; it takes 7 ms for a line, 70 s for a list; it
refuses prompts such as “50% off” or “$ 5”, drops what stands behind a `#`, overrides what `${v?=a}`
should keep, leaves unknown wildcards in the prompt with a warning in a log, and bounds nothing.
`tests/desktop/prompts/test_sampling.py` compares the results with what it says.

Here stray signs are themselves, and a backslash keeps `{`, `}`, `|`, `${`, `%{` and `__` from
meaning anything. Separate from `sampling`, which chooses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate
from typing import NoReturn

from desktop.prompts.problems import ListFault, say
from engine.port import Sentence

MAX_DEPTH = 40
"""Groups within groups; deeper ones are an attack or an accident."""


class How(Enum):
    """Which of the alternatives: any one, each of them in a picture of its own, or in turn."""

    RANDOM = auto()
    EVERY = auto()
    IN_TURN = auto()


@dataclass(frozen=True, slots=True)
class Series:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Option:
    value: Node
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Choice:
    """`least` to `most` of the options, without repetition, with `joiner` between them."""

    options: tuple[Option, ...]
    least: int = 1
    most: int = 1
    joiner: str = ","
    how: How = How.RANDOM

    rising_weights: tuple[float, ...] | None = None
    """Each option's weight and those before it; None if all weigh the same."""


@dataclass(frozen=True, slots=True)
class Wildcard:
    """One of the lines of the files that `name` (a pattern) stands for; `variables` hold in it."""

    name: Node
    variables: tuple[tuple[str, Node], ...] = ()
    how: How = How.RANDOM


@dataclass(frozen=True, slots=True)
class Assignment:
    """`is_immediate`: the value is drawn once, now, and not anew at each use."""

    name: str
    value: Node
    is_immediate: bool
    is_default: bool


@dataclass(frozen=True, slots=True)
class Access:
    name: str
    default: Node | None


@dataclass(frozen=True, slots=True)
class Wrap:
    """`inner` in the place of the dots in `wrapper`."""

    wrapper: Node
    inner: Node


Node = str | Series | Choice | Wildcard | Assignment | Access | Wrap

_SIGNS = re.compile(
    r"""\\(?P<escaped>[{}|]|[$%]\{|__)
      | (?P<tag><[^\W\d]\w*:[^<>{}]*>|(?<!\w)_{3,}(?!\w))
      | (?P<wrap>%\{)
      | \$\{\s*(?P<variable>[^\W\d][\w-]*)\s*(?P<relation>\?=!?|=!?|:|\})
      | (?P<choice>\{)
      | __(?P<how>[~@!]?)(?P<name>(?:(?!__)[\w\-./* ]|\{[^{}]*\}|\$\{[^{}]*\}){1,200}?)
        (?:\((?P<variables>[^()]*)\))?__
      | (?P<end>\}) | (?P<bar>\|) | (?P<dollars>\$\$)""",
    re.VERBOSE,
)
_HEAD = re.compile(
    r"\s*(?P<how>[~@!]?)"
    r"(?:(?P<range>(?P<least>[0-9]{0,4})-(?P<most>[0-9]{0,4})|(?P<exact>[0-9]{1,4}))\$\$"
    r"(?:(?P<joiner>[^${}]*)\$\$)?)?"
)
_PLAIN_CHOICE = re.compile(r"[^{}\\$%<_:~!@]*\}")
"""What stands behind the `{` of a group whose options hold nothing special: most groups, by far."""
_WEIGHT = re.compile(r"\s*([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})::")
_SPACE = re.compile(r"\s*")
_HOW = {"": How.RANDOM, "~": How.RANDOM, "!": How.EVERY, "@": How.IN_TURN}


def rising_weights(options: tuple[Option, ...]) -> tuple[float, ...] | None:
    """`Choice.rising_weights` of these options."""
    first = options[0].weight
    if all(option.weight == first for option in options):
        return None
    return tuple(accumulate(option.weight for option in options))


def is_template(text: str) -> bool:
    """Whether anything in `text` may be expanded, or has a backslash that expanding takes away."""
    return "{" in text or "__" in text or "\\}" in text or "\\|" in text


def parse(text: str) -> Node:
    """The tree of `text`. Raises `ListFault` with the column of what is wrong."""
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        return self._sequence(frozenset())[0]

    def _sequence(self, ends: frozenset[str]) -> tuple[Node, str | None]:
        """Everything up to one of the signs `ends`, and that sign; None at the text's end."""
        parts: list[Node] = []
        literal: list[str] = []
        while match := _SIGNS.search(self._text, self._at):
            literal.append(self._text[self._at : match.start()])
            self._at = match.end()
            sign = _sign(match)
            if sign in ends:
                return _joined(parts, literal), sign
            if (node := self._node(match, sign)) is None:
                literal.append(match[0])
            elif isinstance(node, str):
                literal.append(node)
            else:
                parts.extend(text for text in ("".join(literal),) if text)
                literal = []
                parts.append(node)
        literal.append(self._text[self._at :])
        self._at = len(self._text)
        return _joined(parts, literal), None

    def _node(self, match: re.Match[str], sign: str) -> Node | None:
        """What a sign begins; None for one that is only itself."""
        if sign == "escaped":
            return match["escaped"]
        if sign in ("end", "bar", "dollars", "tag"):
            return None
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ListFault(
                say("Groups are nested more than {most} deep.", most=MAX_DEPTH),
                column=match.start() + 1,
            )
        node = self._group(match, sign)
        self._depth -= 1
        return node

    def _group(self, match: re.Match[str], sign: str) -> Node:
        if sign == "choice":
            return self._choice(match.start())
        if sign == "wrap":
            wrapper, end = self._sequence(frozenset({"dollars", "end"}))
            if end != "dollars":
                self._fail(
                    say(
                        "“%{{” in column {column} needs “$$” and “}}” behind it.",
                        column=match.start() + 1,
                    ),
                    match.start(),
                )
            return Wrap(wrapper, self._closed(match.start()))
        if sign == "variable":
            return self._variable(match)
        return Wildcard(
            name=parse(match["name"]),
            variables=tuple(self._wildcard_variables(match)),
            how=_HOW[match["how"]],
        )

    def _choice(self, start: int) -> Choice:
        if plain := _PLAIN_CHOICE.match(self._text, self._at):
            self._at = plain.end()
            return Choice(tuple(Option(text.lstrip()) for text in plain[0][:-1].split("|")))
        head = _HEAD.match(self._text, self._at)
        assert head is not None, "every part of a head can be missing"
        self._at = head.end()
        options: list[Option] = []
        end: str | None = "bar"
        while end == "bar":
            weight = _WEIGHT.match(self._text, self._at)
            if weight is not None:
                self._at = weight.end()
            self._skip_space()
            value, end = self._sequence(frozenset({"bar", "end"}))
            options.append(Option(value, float(weight[1]) if weight is not None else 1.0))
        if end is None:
            self._fail(say("“{{” in column {column} is never closed.", column=start + 1), start)
        if not any(option.weight for option in options):
            self._fail(
                say("All weights of the group in column {column} are 0.", column=start + 1), start
            )
        least, most = _bounds(head, len(options))
        joiner = head["joiner"]
        return Choice(
            options=tuple(options),
            rising_weights=rising_weights(tuple(options)),
            least=least,
            most=most,
            joiner="," if joiner is None else joiner,
            how=_HOW[head["how"]],
        )

    def _variable(self, match: re.Match[str]) -> Node:
        name, relation = match["variable"], match["relation"]
        if relation == "}":
            return Access(name, None)
        self._skip_space()
        value = self._closed(match.start())
        if relation == ":":
            return Access(name, value)
        return Assignment(name, value, relation.endswith("!"), relation.startswith("?"))

    def _closed(self, start: int) -> Node:
        value, end = self._sequence(frozenset({"end"}))
        if end is None:
            self._fail(
                say("The “{{” of the group in column {column} is never closed.", column=start + 1),
                start,
            )
        return value

    def _wildcard_variables(self, match: re.Match[str]) -> list[tuple[str, Node]]:
        given = match["variables"]
        if not given:
            return []
        found: list[tuple[str, Node]] = []
        for part in re.split(r",(?![^{]*\})", given):
            name, equals, value = part.partition("=")
            if not equals or not name.strip():
                column = match.start() + 1
                raise ListFault(
                    say(
                        "“{part}” in column {column} has to look like name=value.",
                        part=part.strip(),
                        column=column,
                    ),
                    column=column,
                )
            found.append((name.strip(), parse(value.strip())))
        return found

    def _skip_space(self) -> None:
        space = _SPACE.match(self._text, self._at)
        assert space is not None, "no space is space too"
        self._at = space.end()

    def _fail(self, sentence: Sentence, start: int) -> NoReturn:
        raise ListFault(sentence, column=start + 1)


def _sign(match: re.Match[str]) -> str:
    if match["relation"] is not None:
        return "variable"
    if match["name"] is not None:
        return "wildcard"
    return match.lastgroup or ""


def _joined(parts: list[Node], literal: list[str]) -> Node:
    if text := "".join(literal):
        parts.append(text)
    if not parts:
        return ""
    return parts[0] if len(parts) == 1 else Series(tuple(parts))


def _bounds(head: re.Match[str], count: int) -> tuple[int, int]:
    """As many as asked for, at most all of them."""
    if head["range"] is None:
        return 1, 1
    if head["exact"]:
        least = most = int(head["exact"])
    else:
        least, most = int(head["least"] or 1), int(head["most"] or count)
    least, most = sorted((least, most))
    return min(least, count), min(most, count)
