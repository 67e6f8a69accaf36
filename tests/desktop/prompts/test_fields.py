"""Values of lists: the same limits as the engine's, and A1111's ranges."""

from __future__ import annotations

import pytest

from desktop.prompts import fields
from engine import resolve


def test_the_limits_are_the_engines():
    assert fields.MAX_STEPS == resolve.MAX_STEPS
    assert fields.MAX_GUIDANCE_SCALE == resolve.MAX_GUIDANCE_SCALE
    assert fields.MAX_IMAGES == resolve.MAX_IMAGE_COUNT


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("7", (7,)),
        ("1-5 (+2)", (1, 3, 5)),
        ("1-10 [5]", (1, 3, 5, 7, 10)),
        ("5-1", (5, 4, 3, 2, 1)),
        ("5-1 (-2)", (5, 3, 1)),
        ('"3", 4,  6-7', (3, 4, 6, 7)),
        ("１０，２０", (10, 20)),
        ("20.0", (20,)),
        ("1-3 [1]", (1,)),
    ],
)
def test_axes(text, values):
    assert fields.axis(text, fields.steps) == values


def test_fractions_are_exact():
    assert fields.axis("0.1-0.5 (+0.1)", fields.guidance) == (0.1, 0.2, 0.3, 0.4, 0.5)
    assert fields.axis("7,5", fields.guidance) == (7.0, 5.0)
    assert fields.axis("-1,-1,3", fields.seed) == (-1, -1, 3)


@pytest.mark.parametrize(
    "text", ["", "x", "1-", "1-2-3", "5-1 (+1)", "1-9 (0)", "1-201", "1,,2", "1-5 [0]", "1e2",
             "9" * 30, '"1', "nan", "1-100000000000000000000000"]
)  # fmt: skip
def test_what_is_no_axis(text):
    with pytest.raises(fields.NotAllowed):
        fields.axis(text, fields.steps)
