"""File names: readable, valid everywhere, cut where a reader would cut them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.store import names


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("../../etc/passwd", "etc passwd"),
        ('a/b\\c:d*e?f"g<h>i|j', "a b c d e f g h i j"),
        ("line\nbreak\ttab\x00nul", "line break tab nul"),
        ("ends with dots...", "ends with dots"),
        ("  spaces  ", "spaces"),
        ("con", "_con"),
        ("Aux.txt", "_Aux.txt"),
        ("CONIN$", "_CONIN$"),
        ("nul .txt", "_nul .txt"),
        ("consider", "consider"),
        ("evil\u202egnp.exe", "evil gnp.exe"),
        ("e\u0301te\u0301", "été"),
        ("👩\u200d🚀 in space", "👩\u200d🚀 in space"),
        ("...", ""),
        ("猫", "猫"),
    ],
)
def test_a_prompt_becomes_a_name(prompt, name):
    assert names.safe_name(prompt, 120) == name


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("abcdef", 4, "abcd"),
        ("abc", 4, "abc"),
        ("猫猫", 5, "猫"),
        ("a👩\u200d🚀", 11, "a"),  # the astronaut is 11 bytes and does not fit behind the a
        ("a👩\u200d🚀", 12, "a👩\u200d🚀"),
        ("a👍🏽", 8, "a"),  # the skin tone belongs to the hand
        ("x\u0323\u0308y", 4, ""),  # marks belong to the letter before
        ("🇩🇪🇫🇷", 12, "🇩🇪"),
        ("🇩🇪🇫🇷", 8, "🇩🇪"),
        ("a❤\ufe0f", 5, "a"),
        ("क्षि", 9, ""),  # an Indic conjunct is one grapheme
        ("\u1100\u1161\u11a8" * 2, 14, "\u1100\u1161\u11a8"),  # jamo make syllables
    ],
)
def test_no_grapheme_is_split(text, limit, kept):
    assert names.cut(text, limit) == kept


@given(st.text(), st.integers(0, 255))
def test_names_are_always_valid(prompt, limit):
    name = names.safe_name(prompt, limit)
    assert len(name.encode("utf-8")) <= limit
    assert not set(name) & set('/\\<>:"|?*\x00\n')
    assert name == name.strip(" .")
    assert names.safe_name(name, 255) == name or name.startswith("_")
