"""Texts of an entry, judged: its values, or a sentence that says what would be allowed.

Separate from `fields`, which knows no sentences, and from `expansion`, which multiplies the values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from desktop.prompts import fields
from desktop.prompts.fields import Field, NotAllowed
from desktop.prompts.problems import ListFault, say
from engine.port import MAX_SEED, ModelInfo, PictureSize, Sampler, Sentence, SigmaSchedule

Value = TypeVar("Value")
Number = TypeVar("Number", int, float)


def count(text: str) -> int:
    return fields.whole(text, 1, fields.MAX_IMAGES)


def axis(
    texts: dict[Field, str], field: Field, one: Callable[[str], Number]
) -> tuple[Number, ...] | None:
    """The values of a field that may be a range; None if it is not given."""
    if field not in texts:
        return None
    return judged(field, texts[field], lambda text: fields.axis(text, one))


def judged(field: Field, text: str, judge: Callable[[str], Value]) -> Value:
    """What `judge` makes of `text`. Raises `ListFault` in its stead."""
    try:
        return judge(text)
    except NotAllowed:
        raise ListFault(_not_allowed(field, text), field=field) from None


def size(text: str, model: ModelInfo) -> PictureSize:
    """A size that the model can draw. Raises `ListFault`."""
    try:
        return fields.size(text, model)
    except NotAllowed:
        message = say(
            "The model cannot draw the size “{value}”; allowed: {allowed}.",
            value=text,
            allowed=fields.allowed_sizes(model),
        )
        raise ListFault(message, field=Field.SIZE) from None


def _not_allowed(field: Field, text: str) -> Sentence:  # noqa: PLR0911 - a case each
    match field:
        case Field.STEPS:
            return say(
                "Steps: “{value}” is not allowed; whole numbers from 1 to {most} are.",
                value=text,
                most=fields.MAX_STEPS,
            )
        case Field.GUIDANCE:
            return say(
                "Guidance: “{value}” is not allowed; numbers from 0 to {most} are.",
                value=text,
                most=f"{fields.MAX_GUIDANCE_SCALE:g}",
            )
        case Field.SEED:
            return say(
                "Seed: “{value}” is not allowed; whole numbers from 0 to {most} are, and -1 for a "
                "random one.",
                value=text,
                most=MAX_SEED,
            )
        case Field.SAMPLER:
            return say(
                "There is no sampler “{value}”; there are {allowed}.",
                value=text,
                allowed=", ".join(Sampler),
            )
        case Field.SCHEDULE:
            return say(
                "There is no schedule “{value}”; there are {allowed}.",
                value=text,
                allowed=", ".join(SigmaSchedule),
            )
        case Field.COUNT:
            return say(
                "Count: “{value}” is not allowed; whole numbers from 1 to {most} are.",
                value=text,
                most=fields.MAX_IMAGES,
            )
        case _:
            return say("“{value}” is not allowed; true or false are.", value=text)
