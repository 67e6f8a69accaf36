"""Texts as parts of file names: readable, valid on every file system, never longer than fits.

Pure text in, text out; whether a name is free is asked in `desktop.store.images`, and what a name
is made of is said by `desktop.store.name_pattern`. Separate because cutting a name is its own small
science: limits count bytes, and what people see are graphemes.
"""

from __future__ import annotations

import re
import unicodedata

import regex

RESERVED = frozenset('<>:"/\\|?*')
"""What Windows or Linux allows in no name."""

_ZERO_WIDTH_JOINERS = "\u200c\u200d"  # Persian spelling and joined emoji need them
_DEVICE_NAME = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\..*)?", re.IGNORECASE
)
_GRAPHEME = regex.compile(r"\X")


def safe_name(text: str, limit_bytes: int) -> str:
    """`text` as a part of a file name of at most `limit_bytes` bytes in UTF-8; may be empty.

    NFC; reserved and invisible characters become spaces; no space or dot at either end; no Windows
    device name. Never holds a path separator, so that a name cannot climb out of its folder.
    """
    normal = unicodedata.normalize("NFC", text)
    visible = "".join(character if is_allowed(character) else " " for character in normal)
    return no_device(cut(" ".join(visible.split()).strip(" ."), limit_bytes), limit_bytes)


def no_device(name: str, limit_bytes: int) -> str:
    """`name` without spaces and dots at its ends, and with a `_` before a Windows device name."""
    name = name.strip(" .")
    if _DEVICE_NAME.fullmatch(name):
        name = cut(f"_{name}", limit_bytes).strip(" .")
    return name


def cut(text: str, limit_bytes: int) -> str:
    """The longest beginning of `text` with at most `limit_bytes` bytes that splits no grapheme.

    Graphemes are UAX 29's extended grapheme clusters.
    """
    if len(text.encode("utf-8")) <= limit_bytes:
        return text
    end = room = 0
    for grapheme in _GRAPHEME.finditer(text):
        room += len(grapheme[0].encode("utf-8"))
        if room > limit_bytes:
            break
        end = grapheme.end()
    return text[:end]


def is_allowed(character: str) -> bool:
    """Whether every file system takes the character, and people can see it."""
    if character in RESERVED:
        return False
    if character in _ZERO_WIDTH_JOINERS:
        return True
    # Control, format (right-to-left overrides disguise names), surrogate, private use, unassigned.
    return not unicodedata.category(character).startswith("C")
