"""The colour words of the captions and what they mean in RGB.

Apart from everything else because captions, composition, the concept list and the evaluation must
agree on it to the last digit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Colour:
    """A named colour: English words, Chinese words (the first is usual), RGB of 255.

    ``short`` are the single characters that Chinese puts straight before a noun (橘猫, 红苹果).
    """

    key: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]
    rgb: tuple[int, int, int]
    short: tuple[str, ...] = ()


BACKGROUND_COLOURS = (
    Colour("red", ("red",), ("红色",), (222, 50, 50)),
    Colour("orange", ("orange",), ("橙色", "橘色"), (245, 145, 40)),
    Colour("yellow", ("yellow",), ("黄色",), (250, 215, 60)),
    Colour("green", ("green",), ("绿色",), (70, 170, 80)),
    Colour("blue", ("blue",), ("蓝色",), (50, 110, 220)),
    Colour("purple", ("purple",), ("紫色",), (135, 75, 190)),
    Colour("pink", ("pink",), ("粉色", "粉红色"), (250, 165, 195)),
    Colour("brown", ("brown",), ("棕色",), (130, 85, 55)),
    Colour("black", ("black",), ("黑色",), (25, 25, 28)),
    Colour("white", ("white",), ("白色",), (255, 255, 255)),
    Colour("gray", ("gray", "grey"), ("灰色",), (150, 152, 156)),
    Colour("cyan", ("cyan", "turquoise"), ("青色",), (70, 200, 205)),
    Colour("light blue", ("light blue",), ("浅蓝色", "天蓝色"), (165, 215, 250)),
    Colour("dark blue", ("dark blue", "navy blue"), ("深蓝色",), (22, 40, 100)),
    Colour("light green", ("light green",), ("浅绿色",), (170, 225, 160)),
    Colour("beige", ("beige",), ("米色",), (240, 225, 195)),
)

TINTS = (
    Colour("red", ("red",), ("红色",), (225, 40, 45), ("红",)),
    Colour("orange", ("orange",), ("橙色", "橘色", "橘黄色"), (250, 140, 30), ("橘", "橙")),
    Colour("yellow", ("yellow",), ("黄色",), (250, 215, 40), ("黄",)),
    Colour("green", ("green",), ("绿色",), (60, 170, 70), ("绿",)),
    Colour("blue", ("blue",), ("蓝色",), (40, 110, 230), ("蓝",)),
    Colour("purple", ("purple",), ("紫色",), (140, 70, 200), ("紫",)),
    Colour("pink", ("pink",), ("粉色", "粉红色"), (250, 130, 180), ("粉",)),
    Colour("golden", ("golden", "gold"), ("金色",), (232, 170, 38), ("金",)),
    Colour("gray", ("gray", "grey"), ("灰色",), (150, 150, 155), ("灰",)),
    Colour("brown", ("brown",), ("棕色", "褐色"), (140, 90, 55), ("棕",)),
    Colour("black", ("black",), ("黑色",), (52, 52, 58), ("黑",)),
    Colour("white", ("white",), ("白色",), (246, 246, 250), ("白",)),
)

# What a pixel of a picture may be called; broader than the tints, since shading counts as well.
NATURAL_COLOURS: dict[str, tuple[tuple[int, int, int], ...]] = {
    "red": ((225, 40, 45), (170, 25, 45), (250, 80, 80), (248, 49, 47)),
    "orange": ((250, 140, 30), (225, 110, 20), (255, 160, 70)),
    "yellow": ((250, 210, 40), (255, 230, 110), (252, 213, 63)),
    "green": ((60, 170, 70), (0, 110, 60), (120, 200, 80), (0, 210, 106)),
    "blue": ((40, 110, 230), (0, 70, 170), (70, 160, 240), (0, 166, 237)),
    "purple": ((140, 70, 200), (100, 50, 140), (180, 120, 220)),
    "pink": ((250, 130, 180), (255, 100, 170), (250, 180, 210)),
    "gray": ((150, 150, 155), (110, 110, 115), (185, 185, 190)),
    "brown": ((140, 90, 55), (100, 60, 40), (165, 105, 80)),
    "black": ((25, 25, 28), (55, 50, 55)),
    "white": ((255, 255, 255), (230, 230, 235)),
    "skin": ((255, 205, 160), (225, 180, 150)),
}
_NATURAL = [(name, rgb) for name, shades in NATURAL_COLOURS.items() for rgb in shades]
_NATURAL_RGB = np.array([rgb for _, rgb in _NATURAL], dtype=np.float32)


def nearest_natural_colour(rgb: np.ndarray) -> str:
    """The natural colour word nearest to an RGB triple of 255."""
    return _NATURAL[int(((_NATURAL_RGB - rgb) ** 2).sum(1).argmin())][0]


COLOUR_WORDS = {
    "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white",
    "gray", "grey", "golden", "gold", "cyan", "light", "dark",
}  # fmt: skip
CHINESE_COLOUR_CHARACTERS = set("红橙橘黄绿青蓝紫粉棕褐黑白灰金")
