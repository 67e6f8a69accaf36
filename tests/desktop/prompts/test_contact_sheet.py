"""The sheet of a grid: each picture in its cell, labels drawn, sizes bounded."""

from __future__ import annotations

import pytest
from PIL import Image

from desktop.prompts import contact_sheet
from desktop.prompts.contact_sheet import Cell


def cells_of(expand, line, size=(96, 64)):
    found = expand(line)
    assert not found.has_errors
    colours = [((n * 37) % 200, (n * 91) % 200, 200) for n in range(len(found.pictures))]
    return [
        Cell(picture.request, Image.new("RGB", size, colour))
        for picture, colour in zip(found.pictures, colours, strict=True)
    ]


def test_every_picture_is_on_the_sheet(expand):
    cells = cells_of(expand, "--prompt 一只猫 --steps 10-30 (+5) --cfg_scale 1-3")
    sheet = contact_sheet.make(cells)
    colours = {colour for _, colour in sheet.getcolors(100_000) or ()}
    assert {cell.picture.getpixel((0, 0)) for cell in cells} <= colours
    assert sheet.width > 5 * 96
    assert sheet.height > 3 * 64
    assert sheet.width > sheet.height  # five steps across, three guidances down


def test_a_matrix_has_its_prompts_as_labels(expand):
    cells = cells_of(expand, '--prompt "a cat|很长的提示词|blue" --matrix --seed 1,2')
    plain = contact_sheet.make(
        [Cell(c.request, Image.new("RGB", (96, 64), "white")) for c in cells]
    )
    assert min(plain.convert("L").tobytes()) < 80  # ink


def test_a_large_grid_is_made_smaller_and_a_huge_one_refused(expand):
    cells = cells_of(expand, "--prompt a --seed 1-60", size=(512, 512))
    sheet = contact_sheet.make(cells)
    assert max(sheet.size) <= contact_sheet.MAX_SIDE
    many = [Cell(cells[0].request, cells[0].picture)]
    assert contact_sheet.make(many).size[0] < 600
    huge = cells_of(expand, "--prompt a --seed 1-900", size=(8, 8))
    with pytest.raises(ValueError, match="do not fit"):
        contact_sheet.make(huge)
    with pytest.raises(ValueError, match="needs a picture"):
        contact_sheet.make([])
