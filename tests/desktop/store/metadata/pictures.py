"""Picture files put together byte by byte, for texts that no program of ours would write."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path

from PIL import Image

from desktop.store.metadata import ImageMetadata, exif, read

PNG = b"\x89PNG\r\n\x1a\n"
SIDE = 16


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(*chunks: bytes, width: int = SIDE, height: int = SIDE) -> bytes:
    """A grey PNG with `chunks` before its pixels."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    pixels = zlib.compress(bytes((width + 1) * height))
    return PNG + header + b"".join(chunks) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def text(keyword: str, value: str | bytes) -> bytes:
    data = value if isinstance(value, bytes) else value.encode()
    return chunk(b"tEXt", keyword.encode("latin-1") + b"\x00" + data)


def compressed(keyword: str, data: bytes) -> bytes:
    return chunk(b"zTXt", keyword.encode() + b"\x00\x00" + zlib.compress(data))


def jpeg(*segments: tuple[int, bytes]) -> bytes:
    """A small JPEG with `segments` (marker, data) in it."""
    buffer = io.BytesIO()
    Image.new("RGB", (SIDE, SIDE)).save(buffer, "JPEG")
    whole = b"".join(
        struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data for marker, data in segments
    )
    return buffer.getvalue()[:2] + whole + buffer.getvalue()[2:]


def commented(value: str) -> bytes:
    """A JPEG with `value` in EXIF's UserComment."""
    return jpeg((0xE1, b"Exif\x00\x00" + exif.user_comment(value)))


def read_bytes(folder: Path, data: bytes) -> ImageMetadata:
    path = folder / "picture"
    path.write_bytes(data)
    return read(path)


def read_texts(folder: Path, texts: Iterable[tuple[str, str | bytes]]) -> ImageMetadata:
    """What a PNG with these texts says."""
    return read_bytes(folder, png(*(text(keyword, value) for keyword, value in texts)))
