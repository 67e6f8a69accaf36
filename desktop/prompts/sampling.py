"""Dynamic prompts, drawn: from a tree and a seed to the text of a picture.

What is drawn depends on the tree, the seed and the wildcard files alone. Groups that ask for every
alternative are gone through by repetition: each drawing takes the decisions that it is given, and
tells how many ways there were, so that one piece of code draws and enumerates. Everything is
bounded, since a few lines of text can ask for more than a machine can do.
"""

from __future__ import annotations

import math
import random
from bisect import bisect
from collections.abc import Iterator
from typing import assert_never

from desktop.prompts.problems import ListFault, say
from desktop.prompts.reading import MAX_LINE
from desktop.prompts.template import (
    Access,
    Assignment,
    Choice,
    How,
    Node,
    Option,
    Series,
    Wildcard,
    Wrap,
)
from desktop.prompts.wildcards import Wildcards

MAX_DEPTH = 100
"""Nodes within nodes while drawing, wildcards and variables included; Python's own limit is far."""

_DOTS = ("...", "…")


class Effort:
    """Nodes that may still be drawn for a list: what bounds the time that it can take."""

    def __init__(self, nodes: int = 3_000_000) -> None:
        self.left = nodes

    def spend(self, nodes: int = 1) -> None:
        self.left -= nodes
        if self.left < 0:
            raise ListFault(say("Expanding this list takes too long; it ends here."))


class Drawing:
    """One text drawn; `sizes` are then the numbers of ways of the decisions it came upon."""

    def __init__(
        self, seed: int, decisions: tuple[int, ...], wildcards: Wildcards, effort: Effort
    ) -> None:
        # random() is the one method whose sequence Python promises to keep.
        self._random = random.Random(seed).random  # noqa: S311 - pictures, no secrets
        self._seed = seed
        self._decisions = decisions
        self._wildcards = wildcards
        self._effort = effort
        self._variables: dict[str, Node] = {}
        self._names: list[str] = []
        self._depth = 0
        self._deciding = 0
        self.sizes: list[int] = []
        self.ways = 1
        """How many texts there are at the least: decisions within decisions do not count."""

    def draw(self, node: Node) -> str:
        """The text of `node`. Raises `ListFault`."""
        self._variables = {}
        return self._text(node, True)

    def _text(self, node: Node, may_decide: bool) -> str:
        if isinstance(node, str):
            return node
        self._effort.spend()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ListFault(say("Wildcards and variables lead into each other too deeply."))
        text = self._text_of(node, may_decide)
        if len(text) > MAX_LINE:
            raise ListFault(say("This expands to more than {most} characters.", most=MAX_LINE))
        self._depth -= 1
        return text

    def _text_of(self, node: Node, may_decide: bool) -> str:  # noqa: PLR0911 - a case each
        match node:
            case str():
                return node
            case Series(parts):
                return "".join(self._pieces(parts, may_decide))
            case Choice():
                return self._choice(node, may_decide)
            case Wildcard():
                return self._wildcard(node, may_decide)
            case Wrap(wrapper, inner):
                around = self._text(wrapper, may_decide)
                dots = next((d for d in _DOTS if d in around), "")
                before, _, after = around.partition(dots) if dots else (around, "", "")
                return before + self._text(inner, may_decide) + after
            case Assignment(name, value, is_immediate, is_default):
                if not (is_default and name in self._variables):
                    self._variables[name] = self._text(value, False) if is_immediate else value
                return ""
            case Access(name, default):
                value = self._variables.get(name, default)
                if value is None:
                    raise ListFault(say("There is no value for “{name}”.", name=f"${{{name}}}"))
                return self._text(value, may_decide)
            case _:
                assert_never(node)

    def _pieces(self, parts: tuple[Node, ...], may_decide: bool) -> Iterator[str]:
        """The parts' texts; ends as soon as they are too long together."""
        length = 0
        for part in parts:
            piece = self._text(part, may_decide)
            length += len(piece)
            if length > MAX_LINE:
                raise ListFault(say("This expands to more than {most} characters.", most=MAX_LINE))
            yield piece

    def _choice(self, choice: Choice, may_decide: bool) -> str:
        options = choice.options
        if choice.how is How.EVERY and may_decide:
            chosen = self._decided(len(options), choice.least, choice.most)
            self._deciding += 1
            pieces = self._pieces(tuple(options[index].value for index in chosen), True)
            text = choice.joiner.join(pieces)
            self._deciding -= 1
            return text
        count = choice.least
        if choice.most > choice.least:
            count += int(self._random() * (choice.most - choice.least + 1))
        if choice.how is How.IN_TURN:
            first = self._seed % len(options)
            picked = [options[(first + i) % len(options)] for i in range(count)]
        else:
            picked = self._picked(choice, count)
        return choice.joiner.join(self._pieces(tuple(option.value for option in picked), False))

    def _decided(self, options: int, least: int, most: int) -> list[int]:
        """The indices of the decision that is due: one of all ordered selections."""
        sizes = [math.perm(options, count) for count in range(least, most + 1)]
        index = self._decision(sum(sizes))
        count = least
        while index >= sizes[count - least]:
            index -= sizes[count - least]
            count += 1
        free = list(range(options))
        chosen = []
        for place in range(count):
            block = math.perm(options - place - 1, count - place - 1)
            chosen.append(free.pop(index // block))
            index %= block
        return chosen

    def _decision(self, size: int) -> int:
        due = len(self.sizes)
        if not self._deciding:
            self.ways *= size
        self.sizes.append(size)
        return self._decisions[due] if due < len(self._decisions) else 0

    def _picked(self, choice: Choice, count: int) -> list[Option]:
        """`count` options by their weights, none twice."""
        rising = choice.rising_weights
        if count == 1:
            point = self._random()
            if rising is None:
                return [choice.options[int(point * len(choice.options))]]
            return [choice.options[bisect(rising, point * rising[-1], hi=len(rising) - 1)]]
        free = [option for option in choice.options if option.weight]
        picked: list[Option] = []
        while free and len(picked) < count:
            self._effort.spend(1 + len(free) // 8)
            point = self._random() * sum(option.weight for option in free)
            for at, option in enumerate(free):
                point -= option.weight
                if point < 0 or at == len(free) - 1:
                    picked.append(free.pop(at))
                    break
        return picked

    def _wildcard(self, wildcard: Wildcard, may_decide: bool) -> str:
        name = self._text(wildcard.name, False).strip()
        if name in self._names:
            chain = " → ".join([*self._names, name])
            raise ListFault(say("The wildcard leads back to itself: {chain}.", chain=chain))
        choice = self._wildcards.choice(name, wildcard.how)
        kept = self._variables
        self._variables = {**kept, **dict(wildcard.variables)}
        self._names.append(name)
        text = self._choice(choice, may_decide)
        self._names.pop()
        self._variables = kept
        return text


def next_decisions(decisions: tuple[int, ...], sizes: list[int]) -> tuple[int, ...] | None:
    """The decisions for the next drawing of the same tree; None after the last. The last decision
    changes fastest.
    """
    taken = [*decisions, *(0 for _ in sizes)][: len(sizes)]
    while taken:
        if taken[-1] + 1 < sizes[len(taken) - 1]:
            return (*taken[:-1], taken[-1] + 1)
        taken.pop()
    return None
