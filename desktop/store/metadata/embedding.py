"""Puts our two texts into JPEG and WebP: the A1111 text into EXIF, the exact record into XMP.

Separate from the writer, which makes the texts and knows no container but PNG. A JPEG keeps both
in segments of at most 64 KB: a longer A1111 text is cut, and says so; the record never is, since
XMP can go on in further segments (XMP specification, part 3, 1.1.3.1).
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass

from desktop.store.metadata import exif, xmp

TRUNCATED = "… [truncated: the whole text is in the XMP data]"

_MOST_IN_SEGMENT = 65_533
_EXIF = b"Exif\x00\x00"
_XMP = b"http://ns.adobe.com/xap/1.0/\x00"
_EXTENSION = b"http://ns.adobe.com/xmp/extension/\x00"
_EXTENSION_PART = 65_400
_EXIF_OVERHEAD = len(exif.user_comment("")) + len(_EXIF)


@dataclass(frozen=True, slots=True)
class PictureTexts:
    """The A1111 text and the record, as in a PNG's chunks."""

    parameters: str
    record: str


def webp_options(texts: PictureTexts) -> dict[str, bytes]:
    """What Pillow's WebP writer takes; a WebP has room for everything."""
    packet = xmp.packet(_ascii(texts.record))
    return {"exif": exif.user_comment(texts.parameters), "xmp": packet}


def add_to_jpeg(jpeg: bytes, texts: PictureTexts) -> bytes:
    """The JPEG file with the texts in it, behind its first segment (JFIF)."""
    comment = _shortened(texts.parameters)
    segments = [_EXIF + exif.user_comment(comment), *_xmp_segments(_ascii(texts.record))]
    begin = 2
    if jpeg[2:4] == b"\xff\xe0":
        begin = 4 + int.from_bytes(jpeg[4:6], "big")
    return jpeg[:begin] + b"".join(map(_segment, segments)) + jpeg[begin:]


def _segment(data: bytes) -> bytes:
    return struct.pack(">HH", 0xFFE1, len(data) + 2) + data


def _shortened(text: str) -> str:
    """The text, or as much as a segment holds: the end, with the settings, is what is kept."""
    room = (_MOST_IN_SEGMENT - _EXIF_OVERHEAD) // 2 - 8
    if len(text.encode("utf-16-be")) <= 2 * room:
        return text
    head, _, settings = text.rpartition("\n")
    settings = f"\n{settings}"
    left = 2 * room - len(f"{TRUNCATED}{settings}".encode("utf-16-be"))
    kept = head.encode("utf-16-be")[: max(left, 0)].decode("utf-16-be", errors="ignore")
    return f"{kept}{TRUNCATED}{settings}"


def _xmp_segments(record: str) -> list[bytes]:
    packet = xmp.packet(record)
    if len(_XMP) + len(packet) <= _MOST_IN_SEGMENT:
        return [_XMP + packet]
    digest = hashlib.md5(packet, usedforsecurity=False).hexdigest().upper()
    segments = [_XMP + xmp.packet("", extended=digest)]
    for offset in range(0, len(packet), _EXTENSION_PART):
        head = digest.encode() + struct.pack(">II", len(packet), offset)
        segments.append(_EXTENSION + head + packet[offset : offset + _EXTENSION_PART])
    return segments


def _ascii(record: str) -> str:
    """The record with escapes for all but ASCII: XML has no place for some characters."""
    return json.dumps(json.loads(record), ensure_ascii=True, allow_nan=False)
