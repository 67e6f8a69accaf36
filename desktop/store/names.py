"""File names for pictures: readable, valid on every file system, never longer than fits.

Pure text in, text out; whether a name is free is asked in `desktop.store.images`. Separate because
cutting a name is its own small science: limits count bytes, and what people see are graphemes.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date

PROMPT_BYTES = 120
"""Room for the prompt in a name: with date, number, ending and a counter it stays below the 143
bytes that encrypted home folders (eCryptfs) allow, and far below the 255 of other file systems."""

_RESERVED = frozenset('<>:"/\\|?*')
_ZERO_WIDTH_JOINERS = "\u200c\u200d"  # Persian spelling and joined emoji need them
_DEVICE_NAME = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)


def picture_stem(day: date, number: int, prompt: str) -> str:
    """`2026-11-30-0007-an orange cat`: the default name of a picture, without its ending."""
    words = safe_name(prompt, PROMPT_BYTES)
    return f"{number_prefix(day)}{number:04d}" + (f"-{words}" if words else "")


def number_prefix(day: date) -> str:
    """What the names of all pictures of `day` begin with; the number follows."""
    return f"{day.isoformat()}-"


def safe_name(text: str, limit_bytes: int) -> str:
    """`text` as a part of a file name of at most `limit_bytes` bytes in UTF-8; may be empty.

    NFC; reserved and invisible characters become spaces; no space or dot at either end; no Windows
    device name. Never holds a path separator, so that a name cannot climb out of its folder.
    """
    normal = unicodedata.normalize("NFC", text)
    visible = "".join(character if _is_allowed(character) else " " for character in normal)
    name = cut(" ".join(visible.split()).strip(" ."), limit_bytes).strip(" .")
    if _DEVICE_NAME.fullmatch(name):
        name = cut(f"_{name}", limit_bytes).strip(" .")
    return name


def cut(text: str, limit_bytes: int) -> str:
    """The longest beginning of `text` with at most `limit_bytes` bytes that splits no grapheme."""
    if len(text.encode("utf-8")) <= limit_bytes:
        return text
    end = len(text.encode("utf-8")[:limit_bytes].decode("utf-8", errors="ignore"))
    while end > 0 and not _is_boundary(text, end):
        end -= 1
    return text[:end]


def _is_allowed(character: str) -> bool:
    if character in _RESERVED:
        return False
    if character in _ZERO_WIDTH_JOINERS:
        return True
    # Control, format (right-to-left overrides disguise names), surrogate, private use, unassigned.
    return not unicodedata.category(character).startswith("C")


def _is_boundary(text: str, index: int) -> bool:
    """Whether a grapheme ends before `text[index]`: the rules of UAX 29 that matter in NFC text."""
    before, after = text[index - 1], text[index]
    if before == "\u200d" or after in _ZERO_WIDTH_JOINERS:
        return False
    if unicodedata.category(after).startswith("M") or "\U0001f3fb" <= after <= "\U0001f3ff":
        return False
    if _is_flag_half(before) and _is_flag_half(after):
        halves = 0
        while halves < index and _is_flag_half(text[index - 1 - halves]):
            halves += 1
        return halves % 2 == 0
    return True


def _is_flag_half(character: str) -> bool:
    """A regional indicator: two of them make one flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"
