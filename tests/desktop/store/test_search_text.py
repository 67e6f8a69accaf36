"""What is typed finds what was drawn, in languages with and without spaces."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.store import search_text


def is_found(text: str, typed: str) -> bool:
    with sqlite3.connect(":memory:") as connection:
        connection.execute(
            f'CREATE VIRTUAL TABLE texts USING fts5 (text, tokenize = "{search_text.TOKENIZER}")'
        )
        connection.execute("INSERT INTO texts VALUES (?)", (search_text.indexed(text),))
        query = search_text.query(typed)
        return query is not None and bool(
            connection.execute("SELECT 1 FROM texts WHERE texts MATCH ?", (query,)).fetchall()
        )


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("an orange cat on a sofa", "cat"),
        ("an orange cat on a sofa", "Cat ORANGE"),
        ("an orange cat on a sofa", "ora"),
        ("cats", "cat"),
        ("一只橘猫坐在沙发上", "猫"),
        ("一只橘猫坐在沙发上", "橘猫"),
        ("一只橘猫坐在沙发上", "猫坐"),
        ("一只橘猫坐在沙发上", "沙发 橘猫"),
        ("一只橘猫坐在沙发上，4K画质", "4K画质"),
        ("a cat, 一只猫", "cat 猫"),
        ("ソファーの上の猫", "ファー"),
        ("고양이가 소파에", "양이"),
        ("แมวส้ม", "ส้ม"),
        ("हिन्दी में बिल्ली", "बिल्ली"),
        ("Café in Zürich", "cafe zurich"),
        ("ＡＢＣ", "abc"),
        ("a 🐈 in space", "🐈"),
        ("don't panic", "don't"),
        ('a "quoted" word', '"quoted"'),
        ("NEAR the sea AND sky OR not", "AND OR NEAR"),
        ("seed:7 (masterpiece:1.2)", "(masterpiece:1.2)"),
    ],
)
def test_what_is_typed_is_found(text, typed):
    assert is_found(text, typed)


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("一只橘猫坐在沙发上", "猫橘"),
        ("一只橘猫坐在沙发上", "橘坐"),
        ("一只橘猫坐在沙发上", "狗"),
        ("concatenate", "cat"),
        ("an orange cat", "cat dog"),
        ("a cat", ""),
        ("a cat", " -*() \" ' "),
    ],
)
def test_what_is_not_there_is_not_found(text, typed):
    assert not is_found(text, typed)


@given(st.text(alphabet=st.characters(), max_size=40), st.text(max_size=20))
def test_any_text_may_be_typed(text, typed):
    is_found(text, typed)
    word = "猫" + text
    assert is_found(word, "猫")
