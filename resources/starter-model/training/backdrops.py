"""Draws the 14 backdrops (grass, beach, ... sky) in every shape, many variants each, with Pillow.

They are our own drawings, so that scenes need no pictures of others.  Apart from composition
because they are drawn once, on this machine, and packed as ``backdrops.bin`` + ``backdrops.json``.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from scene import BACKDROP_VARIANTS, SHAPES
from vocabulary import SCENES

SUPERSAMPLING = 2

Rgb = tuple[int, int, int]
WHITE: Rgb = (255, 255, 255)


def mixed(first: Rgb, second: Rgb, share: float) -> Rgb:
    """``first`` with ``share`` of ``second`` in it."""
    r, g, b = (round(x + (y - x) * share) for x, y in zip(first, second, strict=True))
    return r, g, b


class Canvas:
    """A drawing surface with one random stream.

    Lengths are in units of 1/512 of the picture's height, so that drawers read the same for every
    shape; ``self.width`` is in these units too and ``self.height`` is 512.
    """

    height = 512.0

    def __init__(self, size: tuple[int, int], rng: random.Random, top: Rgb, bottom: Rgb) -> None:
        self.rng = rng
        self.final_size = size
        width_px, height_px = (side * SUPERSAMPLING for side in size)
        self.unit = height_px / self.height
        self.width = width_px / self.unit
        self.horizon = self.height * rng.uniform(0.52, 0.62)
        top, bottom = self.varied(top), self.varied(bottom)
        share = np.linspace(0, 1, height_px)[:, None, None]
        column = np.array(top) * (1 - share) + np.array(bottom) * share
        self.image = Image.fromarray(column.repeat(width_px, axis=1).astype("uint8"))
        self.draw = ImageDraw.Draw(self.image)

    def varied(self, colour: Rgb, by: int = 10) -> Rgb:
        r, g, b = (min(255, max(0, v + self.rng.randint(-by, by))) for v in colour)
        return r, g, b

    def somewhere(self, top: float, bottom: float) -> tuple[float, float]:
        return self.rng.uniform(0, self.width), self.rng.uniform(top, bottom)

    def near_an_edge(self, low: float, high: float) -> float:
        """An x at the left or right edge, where objects seldom stand."""
        offset = self.rng.uniform(low, high)
        return self.rng.choice((offset, self.width - offset))

    def _scaled(self, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [(x * self.unit, y * self.unit) for x, y in points]

    def disc(self, x: float, y: float, rx: float, colour: Rgb, ry: float | None = None) -> None:
        ry = rx if ry is None else ry
        self.draw.ellipse(self._scaled([(x - rx, y - ry), (x + rx, y + ry)]), fill=colour)

    def box(
        self, x0: float, y0: float, x1: float, y1: float, colour: Rgb, round_by: float = 0
    ) -> None:
        corners = self._scaled([(x0, y0), (x1, y1)])
        self.draw.rounded_rectangle(corners, round_by * self.unit, fill=colour)

    def polygon(self, points: list[tuple[float, float]], colour: Rgb) -> None:
        self.draw.polygon(self._scaled(points), fill=colour)

    def line(self, points: list[tuple[float, float]], colour: Rgb, width: float) -> None:
        self.draw.line(self._scaled(points), fill=colour, width=max(1, round(width * self.unit)))

    def hill(self, y: float, amplitude: float, colour: Rgb) -> None:
        """Everything below a gently waving line."""
        waves = [
            (
                self.rng.uniform(0.5, 1.6) * (i + 1),
                self.rng.uniform(0, math.tau),
                amplitude / (i + 1),
            )
            for i in range(2)
        ]
        points = [
            (x, y + sum(a * math.sin(f * x / 512 * math.tau + p) for f, p, a in waves))
            for x in np.arange(0, self.width + 8, 8)
        ]
        self.polygon([*points, (self.width, self.height), (0, self.height)], colour)

    def cloud(self, x: float, y: float, size: float, colour: Rgb = WHITE) -> None:
        for _ in range(5):
            dx, dy = self.rng.uniform(-1, 1) * size, self.rng.uniform(-0.25, 0.25) * size
            radius = size * self.rng.uniform(0.35, 0.6)
            self.disc(x + dx, y + dy, radius, colour, radius * 0.7)

    def clouds(self, least: int, most: int, bottom: float, colour: Rgb = WHITE) -> None:
        for _ in range(self.rng.randint(least, most)):
            x, y = self.somewhere(40, bottom)
            self.cloud(x, y, self.rng.uniform(30, 60), colour)

    def dots(
        self, count: int, top: float, bottom: float, sizes: tuple[float, float], colour: Rgb
    ) -> None:
        for _ in range(round(count * self.width / 512)):
            x, y = self.somewhere(top, bottom)
            self.disc(x, y, self.rng.uniform(*sizes), colour)

    def finished(self) -> Image.Image:
        return self.image.resize(self.final_size, Image.Resampling.LANCZOS)


Drawer = Callable[[tuple[int, int], random.Random], Canvas]


def grass(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (120, 195, 245), (215, 240, 255))
    c.clouds(1, 3, 170)
    c.hill(c.horizon, 18, c.varied((120, 195, 90)))
    c.hill(c.horizon + 60, 14, c.varied((95, 175, 70)))
    for _ in range(60):
        x, y = c.somewhere(c.horizon + 80, c.height)
        tip = (x + rng.uniform(-4, 4), y - rng.uniform(8, 16))
        c.line([(x, y), tip], c.varied((70, 145, 50)), 3)
    for _ in range(rng.randint(4, 10)):
        x, y = c.somewhere(c.horizon + 80, c.height)
        c.disc(x, y, 5, rng.choice((WHITE, (255, 220, 80), (250, 140, 170))))
    return c


def beach(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (110, 200, 250), (225, 245, 255))
    c.clouds(1, 2, 140)
    shore = c.horizon - 30
    c.box(0, shore, c.width, c.height, c.varied((40, 150, 205)))
    c.box(0, shore + 40, c.width, c.height, c.varied((75, 190, 215)))
    c.hill(shore + 82, 7, WHITE)
    c.hill(shore + 92, 8, c.varied((245, 220, 160)))
    c.dots(30, shore + 120, c.height, (2, 2), (225, 195, 130))
    return c


def snow(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (150, 180, 215), (220, 232, 245))
    c.hill(c.horizon, 22, (232, 240, 250))
    c.hill(c.horizon + 50, 15, (250, 252, 255))
    c.dots(110, 0, c.height, (2, 6), WHITE)
    return c


def night(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (12, 16, 50), (50, 60, 120))
    c.dots(80, 0, c.horizon + 60, (1, 3.2), (255, 250, 210))
    c.disc(c.near_an_edge(50, 110), rng.uniform(50, 110), rng.uniform(28, 40), (255, 240, 180))
    c.hill(c.horizon + 70, 14, c.varied((25, 40, 60), 6))
    return c


def space(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (8, 6, 24), (38, 16, 70))
    c.dots(130, 0, c.height, (1, 3), (235, 235, 250))
    planets = ((220, 120, 80), (110, 160, 220), (200, 170, 110), (150, 110, 200))
    for _ in range(rng.randint(1, 2)):
        x = c.near_an_edge(20, 100)
        y = rng.choice((rng.uniform(30, 110), c.height - rng.uniform(30, 110)))
        radius, colour = rng.uniform(28, 52), rng.choice(planets)
        c.disc(x, y, radius, colour)
        c.disc(x + radius * 0.3, y + radius * 0.35, radius * 0.5, mixed(colour, (0, 0, 0), 0.2))
    return c


def sea(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (70, 190, 225), (10, 60, 130))
    for _ in range(26):
        x, y = c.somewhere(0, c.height * 0.85)
        radius = rng.uniform(3, 11)
        c.disc(x, y, radius, (200, 240, 255))
        c.disc(x, y, radius * 0.75, mixed((70, 190, 225), (10, 60, 130), y / c.height))
    c.hill(c.height * 0.88, 10, c.varied((225, 200, 140)))
    weeds = ((40, 150, 90), (30, 120, 80), (230, 100, 110), (240, 150, 80))
    for _ in range(rng.randint(4, 7)):
        x, length = c.near_an_edge(0, 130), rng.uniform(50, 120)
        stem = [
            (x + 10 * math.sin(i / 6 + x), c.height * 0.92 - length * i / 20) for i in range(21)
        ]
        c.line(stem, rng.choice(weeds), 9)
    return c


def desert(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (250, 200, 130), (255, 235, 190))
    c.disc(rng.uniform(80, c.width - 80), rng.uniform(50, 110), 34, (255, 245, 205))
    c.hill(c.horizon - 10, 24, c.varied((230, 175, 100)))
    c.hill(c.horizon + 50, 20, c.varied((215, 155, 80)))
    green = (75, 140, 75)
    for _ in range(rng.randint(1, 3)):
        x, h = c.near_an_edge(20, 90), rng.uniform(50, 90)
        foot = c.horizon + rng.uniform(30, 60)
        c.box(x - 9, foot - h, x + 9, foot, green, 9)
        for side, low, high in ((-1, 0.48, 0.7), (1, 0.58, 0.8)):
            arm = sorted((x + side * 20, x + side * 32))
            c.box(arm[0], foot - h * high, arm[1], foot - h * (low - 0.08), green, 6)
            reach = sorted((x, x + side * 30))
            c.box(reach[0], foot - h * low, reach[1], foot - h * (low - 0.08), green)
    return c


def forest(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (175, 220, 200), (225, 240, 210))
    for colour, lower, count in (((110, 165, 120), 0, 9), ((60, 125, 75), 35, 7)):
        number = max(3, round(count * c.width / 512))
        for i in range(number):
            x = (i + rng.uniform(0.1, 0.9)) * c.width / number
            h = rng.uniform(150, 260)
            half, y = h * 0.28, c.horizon + lower
            c.box(x - 6, y - 20, x + 6, y + 25, (100, 70, 45))
            for tier in range(3):
                w, base = half * (1 - tier * 0.22), y - h * tier * 0.27
                tip = (x, y - h * (0.45 + tier * 0.27))
                c.polygon([(x - w, base), (x + w, base), tip], c.varied(colour, 6))
    c.hill(c.horizon + 55, 10, c.varied((95, 150, 70)))
    return c


def city(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (150, 200, 240), (235, 240, 245))
    street = c.horizon + 60
    for front, colour, heights in (
        (False, (165, 185, 205), (170, 300)),
        (True, (105, 125, 155), (90, 220)),
    ):
        x = -20.0
        while x < c.width:
            w, h = rng.uniform(45, 85), rng.uniform(*heights)
            c.box(x, street - h, x + w, c.height, c.varied(colour))
            if front:
                _windows(c, x, w, street - h, street)
            x += w + rng.uniform(0, 10)
    c.box(0, street, c.width, c.height, c.varied((120, 122, 128), 6))
    for x in np.arange(-20, c.width, 90):
        c.box(x, street + 85, x + 50, street + 93, (240, 240, 240))
    return c


def _windows(c: Canvas, x: float, width: float, roof: float, street: float) -> None:
    for y in np.arange(roof + 15, street - 20, 24):
        for left in np.arange(x + 8, x + width - 10, 18):
            if c.rng.random() < 0.7:
                c.box(left, y, left + 8, y + 12, (255, 235, 160))


def sunset(size: tuple[int, int], rng: random.Random, over_sea: bool = False) -> Canvas:
    c = Canvas(size, rng, (95, 60, 140), (255, 165, 90))
    x, radius = rng.uniform(120, c.width - 120), rng.uniform(50, 70)
    c.disc(x, c.horizon + 5, radius, (255, 225, 140))
    if over_sea:
        c.box(0, c.horizon, c.width, c.height, c.varied((90, 70, 135), 8))
        for i in range(22):
            y = c.horizon + 8 + i * 10
            reach = radius * rng.uniform(0.5, 1.1) * (1 - i / 40)
            c.line(
                [(x - reach, y), (x + reach, y)], mixed((255, 190, 120), (90, 70, 135), i / 26), 4
            )
        for _ in range(16):
            left, y = c.somewhere(c.horizon + 20, c.height)
            c.line([(left - 25, y), (left + 25, y)], (125, 95, 160), 3)
        return c
    c.hill(c.horizon + 20, 16, c.varied((120, 60, 90)))
    c.hill(c.horizon + 75, 12, c.varied((70, 35, 65), 8))
    return c


def mountain(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (130, 190, 240), (225, 240, 252))
    number = max(2, round(3 * c.width / 512))
    for i in range(number):
        x = (i + rng.uniform(0.2, 0.8)) * c.width / number
        h = rng.uniform(180, 280)
        w, y = h * 0.8, c.horizon + 30
        c.polygon([(x - w, y), (x + w, y), (x, y - h)], c.varied((115, 130, 155)))
        cap = ((-0.28, 0.72), (-0.1, 0.66), (0, 0.75), (0.12, 0.64), (0.28, 0.72), (0, 1))
        c.polygon([(x + w * dx, y - h * dy) for dx, dy in cap], (250, 252, 255))
    c.hill(c.horizon + 20, 12, c.varied((120, 180, 100)))
    c.hill(c.horizon + 80, 10, c.varied((95, 160, 80)))
    return c


def table(size: tuple[int, int], rng: random.Random) -> Canvas:
    wall = rng.choice(((240, 225, 205), (215, 230, 235), (235, 215, 220), (222, 232, 215)))
    c = Canvas(size, rng, wall, mixed(wall, WHITE, 0.3))
    wood, edge = c.varied((180, 125, 75)), c.horizon + 30
    c.box(0, edge, c.width, c.height, wood)
    c.box(0, edge, c.width, edge + 10, mixed(wood, WHITE, 0.25))
    for i in range(9):
        y = edge + 20 + i * 26 + rng.uniform(-4, 4)
        grain = [(0.0, y), (c.width, y + rng.uniform(-4, 4))]
        c.line(grain, mixed(wood, (60, 30, 10), 0.25), 2)
    return c


def rain(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (105, 120, 140), (165, 178, 190))
    for _ in range(4):
        x, y = c.somewhere(20, 80)
        c.cloud(x, y, rng.uniform(50, 80), c.varied((80, 92, 110), 8))
    c.hill(c.horizon + 50, 8, c.varied((95, 110, 115)))
    for _ in range(round(110 * c.width / 512)):
        x, y = c.somewhere(60, c.height)
        length = rng.uniform(16, 30)
        c.line([(x, y), (x - length * 0.25, y + length)], (205, 222, 240), 2)
    return c


def sky(size: tuple[int, int], rng: random.Random) -> Canvas:
    c = Canvas(size, rng, (85, 165, 235), (190, 225, 252))
    for _ in range(rng.randint(5, 8)):
        x, y = c.somewhere(30, c.height)
        c.cloud(x, y, rng.uniform(35, 75))
    return c


DRAWERS: dict[str, Drawer] = {
    "grass": grass, "beach": beach, "snow": snow, "night": night, "space": space, "sea": sea,
    "desert": desert, "forest": forest, "city": city, "sunset": sunset, "mountain": mountain,
    "table": table, "rain": rain, "sky": sky,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True, help="the folder of the sprite pack")
    parser.add_argument("--preview", type=Path, help="a picture of one variant of each")
    arguments = parser.parse_args()
    blob, index = bytearray(), []
    for shape, size in enumerate(SHAPES):
        for scene in SCENES:
            for variant in range(BACKDROP_VARIANTS):
                rng = random.Random(f"{scene} {variant} {shape}")
                buffer = io.BytesIO()
                if scene == "sunset":
                    canvas = sunset(size, rng, over_sea=variant % 2 == 1)
                else:
                    canvas = DRAWERS[scene](size, rng)
                canvas.finished().save(buffer, "WEBP", quality=88)
                index.append((len(blob), buffer.tell()))
                blob += buffer.getvalue()
    (arguments.pack / "backdrops.bin").write_bytes(blob)
    (arguments.pack / "backdrops.json").write_text(json.dumps(index))
    print(f"{len(index)} backdrops, {len(blob) / 1e6:.1f} MB")
    if arguments.preview:
        preview = Image.new("RGB", (256 * 7, 512 + 192 * 2))
        for i, scene in enumerate(SCENES):
            picture = DRAWERS[scene](SHAPES[0], random.Random(f"{scene} 0 0")).finished()
            preview.paste(picture, (256 * (i % 7), 256 * (i // 7)))
            wide = DRAWERS[scene](SHAPES[1], random.Random(f"{scene} 0 1")).finished()
            preview.paste(wide.resize((256, 154)), (256 * (i % 7), 512 + 160 * (i // 7)))
        preview.save(arguments.preview)


if __name__ == "__main__":
    main()
