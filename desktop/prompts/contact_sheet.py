"""A grid's pictures on one sheet, with what differs between them written beside them.

Pure: finished pictures and their requests in, one picture out. What the axes are is seen from the
requests, so nothing else has to be kept about a grid. Separate from whoever knows when a grid is
complete and where its sheet goes.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from desktop.messages import printable
from engine.port import GenerationRequest

MAX_SIDE = 8192
"""Pixels: what most viewers show. A larger grid is made of smaller pictures."""

_SMALLEST_CELL = 48
_MARGIN = 12
_INK, _PAPER = (28, 28, 28), (255, 255, 255)
_FONTS = ("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Micro Hei")


@dataclass(frozen=True, slots=True)
class Cell:
    """One finished picture of a grid."""

    request: GenerationRequest
    picture: Image.Image


_AXES: tuple[tuple[str, Callable[[GenerationRequest], str]], ...] = (
    ("prompt", lambda request: request.prompt),
    ("negative", lambda request: request.negative_prompt),
    ("seed", lambda request: str(request.seed)),
    ("steps", lambda request: str(request.steps)),
    ("guidance", lambda request: f"{request.guidance_scale:g}"),
)


def make(cells: Sequence[Cell]) -> Image.Image:
    """The sheet: the axis with most values goes across, the others down; missing cells stay blank.

    Raises ValueError for no cells, or for more than fit on a sheet.
    """
    if not cells:
        raise ValueError("a sheet needs a picture")
    across, down = _axes(cells)
    columns = list(dict.fromkeys(_label(cell, across) for cell in cells))
    rows = list(dict.fromkeys(_label(cell, down) for cell in cells))
    font = _font(max(12, min(28, cells[0].picture.width // 12)))
    left = _label_width(rows, font)
    width, height = _cell_size(cells, len(columns), len(rows), left)
    top = _text_height(columns, font, width) + 2 * _MARGIN if across else _MARGIN
    sheet = Image.new(
        "RGB",
        (left + len(columns) * (width + _MARGIN) + _MARGIN, top + len(rows) * (height + _MARGIN)),
        _PAPER,
    )
    pen = ImageDraw.Draw(sheet)
    for column, label in enumerate(columns):
        _write(pen, label, (left + _MARGIN + column * (width + _MARGIN), _MARGIN), font, width)
    for row, label in enumerate(rows):
        _write(pen, label, (_MARGIN, top + row * (height + _MARGIN)), font, left - _MARGIN)
    for cell in cells:
        column, row = columns.index(_label(cell, across)), rows.index(_label(cell, down))
        place = (left + _MARGIN + column * (width + _MARGIN), top + row * (height + _MARGIN))
        fitted = cell.picture.copy()
        fitted.thumbnail((width, height), Image.Resampling.LANCZOS)
        sheet.paste(fitted, place)
    return sheet


def _axes(cells: Sequence[Cell]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the axes across and down."""
    counts = {name: len({read(cell.request) for cell in cells}) for name, read in _AXES}
    varying = [name for name, _ in _AXES if counts[name] > 1]
    if not varying:
        return (), ()
    across = max(reversed(varying), key=lambda name: counts[name])
    return (across,), tuple(name for name in varying if name != across)


def _label(cell: Cell, axes: tuple[str, ...]) -> str:
    """`steps 20, guidance 3`; a prompt without its name."""
    texts = [(name, printable(read(cell.request))) for name, read in _AXES if name in axes]
    return "\n".join(text if name == "prompt" else f"{name} {text}" for name, text in texts)


def _cell_size(cells: Sequence[Cell], columns: int, rows: int, left: int) -> tuple[int, int]:
    width = max(cell.picture.width for cell in cells)
    height = max(cell.picture.height for cell in cells)
    room = (MAX_SIDE - left) / columns - _MARGIN, (MAX_SIDE * 0.9) / rows - _MARGIN
    scale = min(1.0, room[0] / width, room[1] / height)
    if scale * max(width, height) < _SMALLEST_CELL:
        raise ValueError(f"{columns} by {rows} pictures do not fit on a sheet")
    return max(1, int(width * scale)), max(1, int(height * scale))


# --- text -----------------------------------------------------------------------------------------

_Font = ImageFont.FreeTypeFont | ImageFont.ImageFont
_MAX_LINES = 4


def _label_width(labels: Sequence[str], font: _Font) -> int:
    longest = max(
        (font.getlength(line) for label in labels for line in label.split("\n")), default=0
    )
    return int(min(longest, 220)) + 2 * _MARGIN if longest else 0


def _text_height(labels: Sequence[str], font: _Font, width: int) -> int:
    return max(len(_wrapped(label, font, width)) for label in labels) * _line_height(font)


def _line_height(font: _Font) -> int:
    return int(font.getbbox("Ág猫")[3]) + 4


def _write(
    pen: ImageDraw.ImageDraw, text: str, place: tuple[int, int], font: _Font, width: int
) -> None:
    for number, line in enumerate(_wrapped(text, font, width)):
        pen.text((place[0], place[1] + number * _line_height(font)), line, fill=_INK, font=font)


def _wrapped(text: str, font: _Font, width: int) -> list[str]:
    """At most `_MAX_LINES` lines that fit; cut at a space, or anywhere in Chinese without one."""
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for character in part[:400]:
            if line and font.getlength(line + character) > width:
                cut = line.rfind(" ") + 1 if " " in line[len(line) // 2 :] else len(line)
                lines.append(line[:cut].rstrip())
                line = (line[cut:] + character).lstrip()
            else:
                line += character
        lines.append(line)
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES - 1], lines[_MAX_LINES - 1][:-1] + "…"]
    return lines


@lru_cache(maxsize=4)
def _font(size: int) -> _Font:
    """A font with Chinese glyphs if fontconfig knows one, else Pillow's own, which has none."""
    found = _font_file()
    if found is None:
        return ImageFont.load_default(size)
    file, index = found
    return ImageFont.truetype(file, size, index=index)


def _font_file() -> tuple[str, int] | None:
    fc_match = shutil.which("fc-match")
    if fc_match is None:
        return None
    pattern = f"{','.join(_FONTS)}:lang=zh-cn"
    try:
        found = subprocess.run(
            [fc_match, "--format=%{file}\n%{index}", pattern],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        ).stdout.split("\n")
        ImageFont.truetype(found[0], 12, index=int(found[1]) & 0xFFFF)
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return None
    return found[0], int(found[1]) & 0xFFFF
