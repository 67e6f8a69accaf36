"""Texts in EXIF data: a small TIFF reader, and the one tag that our own pictures have.

Written here because Pillow's decodes the whole picture's header first, is slow to import for a
library of 50,000 files, and gives UserComment as bytes in an encoding that it does not tell.
"""

from __future__ import annotations

import struct

from desktop.store.metadata.texts import Texts, decode

_TAGS = {
    0x010D: "DocumentName",
    0x010E: "ImageDescription",
    0x010F: "Make",
    0x0110: "Model",
    0x0131: "Software",
    0x013B: "Artist",
    0x8298: "Copyright",
    0x927C: "MakerNote",
    0x9286: "UserComment",
    0x9C9B: "XPTitle",
    0x9C9C: "XPComment",
    0x9C9E: "XPKeywords",
    0x9C9F: "XPSubject",
}
_EXIF_IFD = 0x8769
_MOST_ENTRIES = 500
_USER_COMMENT = 0x9286
_UNICODE = b"UNICODE\x00"
_SAMPLE = 4096


def read_exif(data: bytes, texts: Texts) -> None:
    """Take the texts of a TIFF structure (`II*...`, `MM...`, with or without EXIF's own prefix)."""
    data = data.removeprefix(b"Exif\x00\x00")
    order = {b"II": "<", b"MM": ">"}.get(data[:2])
    if order is None or len(data) < 8:
        return
    (offset,) = struct.unpack_from(f"{order}I", data, 4)
    for start in (offset, _read_directory(data, order, offset, texts)):
        if start is not None and start != offset:
            _read_directory(data, order, start, texts)


def _read_directory(data: bytes, order: str, offset: int, texts: Texts) -> int | None:
    """Take the texts of one directory; returns where the EXIF directory is, if it says so."""
    if offset + 2 > len(data):
        return None
    (entries,) = struct.unpack_from(f"{order}H", data, offset)
    exif_offset = None
    for index in range(min(entries, _MOST_ENTRIES)):
        at = offset + 2 + 12 * index
        if at + 12 > len(data):
            break
        tag, kind, length = struct.unpack_from(f"{order}HHI", data, at)
        if tag == _EXIF_IFD:
            (exif_offset,) = struct.unpack_from(f"{order}I", data, at + 8)
        elif tag in _TAGS and kind in (1, 2, 7, 129):
            start = at + 8 if length <= 4 else struct.unpack_from(f"{order}I", data, at + 8)[0]
            name = _TAGS[tag]
            texts.add(f"exif:{name}", _decode_tag(name, data[start : start + length], order))
    return exif_offset


def _decode_tag(name: str, data: bytes, order: str) -> str:
    if name == "UserComment":
        return decode_user_comment(data, order)
    if name.startswith("XP"):
        return data.decode("utf-16-le", errors="replace").rstrip("\x00")
    return decode(data.strip(b"\x00"))


def decode_user_comment(data: bytes, order: str = ">") -> str:
    """UserComment by its eight-byte prefix. UTF-16 of either byte order, whatever EXIF's own is."""
    prefix, text = data[:8], data[8:]
    if prefix == _UNICODE:
        return _decode_unicode(text, order)
    if prefix in (b"ASCII\x00\x00\x00", b"\x00" * 8):
        return decode(text.strip(b"\x00"))
    if prefix.startswith(b"JIS\x00"):
        return text.decode("iso2022_jp", errors="replace")
    return decode(data.strip(b"\x00"))


def _decode_unicode(text: bytes, order: str) -> str:
    if text[:2] in (b"\xfe\xff", b"\xff\xfe"):
        return text.decode("utf-16", errors="replace")
    sample = text[:_SAMPLE]
    # The upper half of nearly every character of code, digits and spaces is zero.
    big, little = sample[0::2].count(0), sample[1::2].count(0)
    if not big and not little:
        try:
            return text.decode("utf-8")
        except UnicodeDecodeError:
            pass
    if big == little:
        return text.decode("utf-16-be" if order == ">" else "utf-16-le", errors="replace")
    return text.decode("utf-16-be" if big > little else "utf-16-le", errors="replace")


def user_comment(text: str) -> bytes:
    """EXIF data that holds `text` as its UserComment, and nothing else."""
    comment = _UNICODE + text.encode("utf-16-be")
    header = struct.pack(">2sHI", b"MM", 42, 8)
    pointer = struct.pack(">HHHIII", 1, _EXIF_IFD, 4, 1, 26, 0)
    entry = struct.pack(">HHHIII", 1, _USER_COMMENT, 7, len(comment), 44, 0)
    return header + pointer + entry + comment
