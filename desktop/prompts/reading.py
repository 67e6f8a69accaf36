"""From the bytes of a prompt list to its text: size, encoding, and which of the formats it is.

Owned here: the refusal to guess. UTF-8 and whatever a byte order mark announces are read; other
encodings are offered, likely ones first, and the user says which. Separate from the formats, which
see text only.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from desktop.prompts.problems import ListFault, say

MAX_BYTES = 32 * 2**20
"""A list of 10,000 long prompts has a tenth of it."""

MAX_LINE = 100_000
"""Characters of one line, table row or block: five times the longest prompt worth writing."""

LIST_ENDINGS = (".txt", ".csv", ".tsv", ".jsonl", ".ndjson")
"""Names of files that may be lists."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16's, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_COMMON = ("gb18030", "big5", "cp932", "cp949", "cp1252", "cp1251")
"""What text files of our users' systems are in, besides UTF-8; offered after what looks likely."""

_SAMPLE = 64 * 1024
"""Bytes that are enough to judge an encoding by."""


class ListFormat(StrEnum):
    """How a list is written down."""

    LINES = "lines"
    """One prompt a line, in A1111's grammar."""
    BLOCKS = "blocks"
    """Prompts of several lines, with `###` between them."""
    CSV = "csv"
    JSONL = "jsonl"


@dataclass(frozen=True, slots=True)
class Undecodable(Exception):
    """Bytes that are not UTF-8. `offers` are encodings in which they could be text."""

    offers: tuple[str, ...]


def read(path: Path) -> bytes:
    """The file's content, at most `MAX_BYTES`.

    Raises `OSError`, and `ListFault` for a longer file.
    """
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        line = data.count(b"\n") + 1
        raise ListFault(
            say(
                "The list is larger than {size} MB; it was read no further than line {line}.",
                size=MAX_BYTES >> 20,
                line=line,
            ),
            line=line,
        )
    return data


def decode(data: bytes, encoding: str | None = None) -> str:
    """The text, with one newline character between its lines.

    Raises `Undecodable` where only the user can say what it is, and `ListFault` for bytes that are
    no text, or not in the `encoding` that was asked for.
    """
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    try:
        text = data.decode(encoding or marked or "utf-8")
    except (UnicodeDecodeError, LookupError):
        if encoding is not None:
            raise ListFault(
                say("This is not text in the encoding {encoding}.", encoding=encoding)
            ) from None
        if marked is None and (offers := _offers(data)):
            raise Undecodable(offers) from None
        raise _not_text(data) from None
    if "\0" in text:
        if marked is None and encoding is None and (offers := _offers_with_zeros(data)):
            raise Undecodable(offers)
        raise _not_text(data)
    return unified(text.removeprefix("\ufeff"))


def unified(text: str) -> str:
    """`text` with one kind of line end. Other separators, such as U+2028, are ordinary text."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_encoding(name: str) -> bool:
    """Whether `name` is an encoding of text that can be asked for."""
    try:
        return "\n".encode(name) is not None
    except (LookupError, ValueError):
        return False


def guess_format(text: str, suffix: str) -> ListFormat:
    """The format that a file's ending announces; for others, blocks if a line is `###` alone."""
    if suffix.lower() in (".csv", ".tsv"):
        return ListFormat.CSV
    if suffix.lower() in (".jsonl", ".ndjson"):
        return ListFormat.JSONL
    return (
        ListFormat.BLOCKS
        if "###" in (line.strip() for line in text.split("\n"))
        else (ListFormat.LINES)
    )


def _not_text(data: bytes) -> ListFault:
    at = data.find(b"\0")
    if at < 0:
        return ListFault(say("This file is no text."))
    line = data.count(b"\n", 0, at) + 1
    return ListFault(
        say("This file is no text: line {line} holds a zero byte.", line=line), line=line
    )


def _offers(data: bytes) -> tuple[str, ...]:
    if b"\0" in data:
        return _offers_with_zeros(data)
    import charset_normalizer  # late: only lists in old encodings need it

    likely = [match.encoding for match in charset_normalizer.from_bytes(data[:_SAMPLE])][:3]
    return _readable(data, dict.fromkeys((*likely, *_COMMON)))


def _offers_with_zeros(data: bytes) -> tuple[str, ...]:
    """Text in UTF-16 without a mark has zero bytes, all of them on one side of each pair."""
    sides = (("utf-16-be", data[:_SAMPLE:2]), ("utf-16-le", data[1:_SAMPLE:2]))
    zeros = [side.count(0) for _, side in sides]
    if min(zeros) or max(zeros) < 4:
        return ()
    likely = [name for name, side in sides if side.count(0)]
    return _readable(data, likely)


def _readable(data: bytes, names: Sequence[str] | dict[str, None]) -> tuple[str, ...]:
    found = []
    for name in names:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            found.append(name)
    return tuple(found)
