"""Text for SQLite's full-text search (FTS5), in languages with and without spaces between words.

FTS5's own tokenizers find words; a run of Chinese is one word to them, and their trigrams miss what
is shorter than three characters, as most Chinese words are. So each character of such a script is
given a space on either side, in what is indexed and in what is looked for; a run of them is then a
phrase, and any part of a prompt is found, a single character too. Pure text in, text out.
"""

from __future__ import annotations

import unicodedata

import regex

TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* N* M* Co So'"
"""With marks, which Indic vowels are, and with So, which emoji are."""

_ALONE = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{So}]"
)
"""What is searched for character by character: scripts without spaces, Korean, and emoji."""

_WORD = regex.compile(r"[\p{L}\p{N}\p{M}\p{Co}\p{So}]+")


def indexed(text: str) -> str:
    """`text` as it goes into the index; wide and narrow forms (Ａ and A) are the same."""
    # SQLite takes neither lone surrogates nor, as text, NUL.
    plain = text.encode("utf-8", errors="replace").decode("utf-8").replace("\0", " ")
    return _ALONE.sub(r" \g<0> ", unicodedata.normalize("NFKC", plain))


def query(text: str) -> str | None:
    """The FTS5 query for what a user typed: all of the words, each as a whole or a beginning.

    None if there is nothing in `text` that can be looked for.
    """
    terms = (_WORD.findall(indexed(term)) for term in text.split())
    phrases = [" ".join(words) for words in terms if words]
    return " ".join(f'"{phrase}" *' for phrase in phrases) or None
