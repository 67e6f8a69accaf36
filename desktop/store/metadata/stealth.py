"""Texts in the lowest bits of pixels, where they survive a chat's upload.

Column by column: a signature of 15 letters, the length in bits (32 bits), the text, plain or gzip.
Whether a PNG has the signature is seen in the first pixels of its first rows; only then are its
pixels decoded. That needs a whole decode for a WebP without loss, which is rare.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, BinaryIO

from desktop.store.metadata import bounded
from desktop.store.metadata.containers import Contents
from desktop.store.metadata.record import say
from desktop.store.metadata.texts import MOST_INFLATED, decode

if TYPE_CHECKING:
    import numpy as np

_SIGNATURES = {
    b"stealth_pnginfo": False,
    b"stealth_pngcomp": True,
    b"stealth_rgbinfo": False,
    b"stealth_rgbcomp": True,
}
"""The signatures, and whether the text behind each is compressed."""

_SIGNATURE_BITS = 120
_MOST_PIXELS = 64 * 2**20
_MOST_PROBED = 16 * 2**20
"""Bytes of pixels inflated to see the first rows; more only in pictures of absurd width."""


def read_hidden(stream: BinaryIO, contents: Contents) -> dict[str, str] | None:
    """The texts in the pixels, by keyword; None if there are none."""
    width, height = contents.width or 0, contents.height or 0
    if not 0 < width * height <= _MOST_PIXELS:
        return None
    if contents.format == "png" and height >= _SIGNATURE_BITS and not _has_png_signature(stream):
        return None
    try:
        text = _decode_pixels(stream)
    except (OSError, ValueError, SyntaxError, zlib.error, EOFError):
        contents.texts.note_once(say("The pixels are damaged."))
        return None
    if text is None:
        return None
    packed = bounded.parse_object(text)
    if packed is not None and any(isinstance(value, str) for value in packed.values()):
        inner = {key[:79]: value for key, value in packed.items() if isinstance(value, str)}
        if any(key in inner for key in ("Comment", "prompt", "workflow", "parameters")):
            return inner
    return {"parameters": text}


def _decode_pixels(stream: BinaryIO) -> str | None:
    import numpy as np
    from PIL import Image

    stream.seek(0)
    with Image.open(stream, formats=("PNG", "WEBP")) as picture:
        if picture.mode not in ("RGB", "RGBA"):
            return None
        # Pillow's own limit warns before it refuses; ours was asked before.
        pixels = np.swapaxes(np.asarray(picture), 0, 1)
    planes = [pixels[:, :, :3]] + ([pixels[:, :, 3:]] if pixels.shape[2] == 4 else [])
    for plane in planes:
        text = _text_of(np.packbits(plane.reshape(-1) & 1))
        if text is not None:
            return text
    return None


def _text_of(data: np.ndarray) -> str | None:
    head = data[:19].tobytes()
    is_compressed = _SIGNATURES.get(head[:15])
    if is_compressed is None or len(head) < 19:
        return None
    length = int.from_bytes(head[15:19], "big") // 8
    if not 0 < length <= min(len(data) - 19, MOST_INFLATED):
        return None
    text = data[19 : 19 + length].tobytes()
    if is_compressed:
        text = zlib.decompressobj(wbits=47).decompress(text, MOST_INFLATED)
    return decode(text)


# --- the first column of a PNG --------------------------------------------------------------------


def _has_png_signature(stream: BinaryIO) -> bool:
    """Whether a signature's bits are in the first column; false for damaged files."""
    stream.seek(8)
    header = stream.read(25)
    if len(header) < 25:
        return False
    width, _, _, colour = struct.unpack(">IIBB", header[8:18])
    depth = 4 if colour == 6 else 3
    row = 1 + width * depth
    # Eight rows have the first letter; most pictures end there.
    for count in (8, _SIGNATURE_BITS):
        stream.seek(33)
        rows = _first_rows(stream, min(row * count, _MOST_PROBED))
        column = _first_column(rows, row, depth)
        alpha = [pixel[3] & 1 for pixel in column] if depth == 4 else []
        colours = [value & 1 for pixel in column for value in pixel[:3]]
        wanted = {name[: count // 8] for name in _SIGNATURES}
        if not any(_letters(bits, count) in wanted for bits in (alpha, colours)):
            return False
    return True


def _first_rows(stream: BinaryIO, wanted: int) -> bytes:
    inflater, rows = zlib.decompressobj(), b""
    for _ in range(100_000):
        head = stream.read(8)
        if len(head) < 8 or len(rows) >= wanted:
            break
        length, kind = struct.unpack(">I4s", head)
        if kind == b"IDAT":
            data = stream.read(min(length, 1 << 20))
            try:
                rows += inflater.decompress(data, wanted - len(rows))
            except zlib.error:
                break
            if len(data) < length:
                break
            stream.seek(4, 1)
        elif kind == b"IEND":
            break
        else:
            stream.seek(length + 4, 1)
    return rows


def _first_column(rows: bytes, row: int, depth: int) -> list[bytes]:
    """The first pixel of each row. To its left is nothing, so only the pixel above is needed."""
    column: list[bytes] = []
    above = bytes(depth)
    for start in range(0, len(rows) - depth, row):
        kind, raw = rows[start], rows[start + 1 : start + 1 + depth]
        if kind in (2, 4):  # as the one above, where nothing is at the left
            raw = bytes((value + up) & 255 for value, up in zip(raw, above, strict=True))
        elif kind == 3:  # Average
            raw = bytes((value + up // 2) & 255 for value, up in zip(raw, above, strict=True))
        column.append(raw)
        above = raw
    return column


def _letters(bits: list[int], count: int) -> bytes:
    if len(bits) < count:
        return b""
    return int("".join(map(str, bits[:count])), 2).to_bytes(count // 8, "big")
