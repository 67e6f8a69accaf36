"""How the check speaks: a template that can be translated, and the values in it.

Separate from `engine.port`, which defines `Sentence`, so that every text of the check is written as
`say("...")`: the translators' tool finds texts by that name (CONTRIBUTING.md).
"""

from __future__ import annotations

from engine.port import Sentence

NOTHING = Sentence("")


def say(template: str, /, **values: object) -> Sentence:
    """`template` with its placeholders' values; the template stands here in full, never built."""
    return Sentence(template, {name: str(value) for name, value in values.items()})


def command(text: str) -> Sentence:
    """A command for a terminal, the same in every language."""
    return Sentence.command(text)


def value(text: object) -> Sentence:
    """A measured value, the same in every language."""
    return Sentence.verbatim(str(text))


def listed(items: object) -> str:
    """Values one after another, as in `a, b`."""
    return ", ".join(str(item) for item in items)  # pyright: ignore[reportGeneralTypeIssues]


def gib(amount: int) -> str:
    """Bytes as memory is sold and reported: `31.9 GiB`, `256 MiB`."""
    if amount >= 2**30:
        return f"{amount / 2**30:.1f}".removesuffix(".0") + " GiB"
    return f"{amount / 2**20:.0f} MiB"
