"""The committed concept list as training sees it: weights, styles and the held-out rules.

Owns every decision about *which* combinations may be drawn, apart from how they are laid out
(``scene.py``) or worded (``captions.py``).  Standard library only: it runs in many processes.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path

from palette import COLOUR_WORDS, TINTS

STYLES = ("3d", "flat", "cartoon", "pixel", "sketch")
RENDERED_STYLES = ("3d", "flat", "cartoon")  # pixel and sketch are computed from 'flat'
STYLE_WEIGHTS = {"3d": 1.9, "flat": 0.9, "cartoon": 0.9, "pixel": 0.4, "sketch": 0.4}
GROUP_WEIGHTS = {
    "smileys": 0.9, "people": 0.8, "animals": 1.5, "food": 1.4, "travel": 1.3,
    "activities": 1.1, "objects": 1.4, "symbols": 0.6,
}  # fmt: skip
EVERYDAY_WEIGHT = 1.4
# What people type first is drawn more often; the labels are CLDR's.
MOST_ASKED_WEIGHT = 2.5
MOST_ASKED = {
    "dog", "rabbit", "bird", "horse", "fish", "panda", "bear", "tiger", "lion", "elephant", "fox",
    "wolf", "koala", "penguin", "owl", "duck", "chicken", "cow", "pig", "ewe", "monkey", "mouse",
    "frog", "turtle", "snake", "whale", "dolphin", "shark", "octopus", "butterfly", "honeybee",
    "dragon", "sauropod", "unicorn", "black cat", "blossom", "rose", "sunflower", "tulip",
    "deciduous tree", "palm tree", "cactus", "mushroom", "red apple", "banana", "strawberry",
    "watermelon", "grapes", "tangerine", "lemon", "carrot", "pizza", "hamburger", "birthday cake",
    "ice cream", "bread", "egg", "hot beverage", "house", "castle", "automobile", "bus", "bicycle",
    "locomotive", "airplane", "rocket", "sailboat", "flying saucer", "balloon", "soccer ball",
    "basketball", "guitar", "umbrella", "crown", "key", "books", "closed book", "robot", "ghost",
    "alien", "girl", "boy", "man", "woman", "baby", "sun", "crescent moon", "star", "rainbow",
    "cloud", "snowman without snow", "red heart", "Christmas tree", "wrapped gift", "windmill",
}  # fmt: skip
CAT_WEIGHT = 10.0
SCENES = (
    "grass", "beach", "snow", "night", "space", "sea", "desert", "forest", "city", "sunset",
    "mountain", "table", "rain", "sky",
)  # fmt: skip


def _bucket(*parts: str) -> int:
    return zlib.crc32("|".join(parts).encode())


@dataclass(frozen=True, slots=True)
class Concept:
    """One drawable thing; see build_concepts.py for the fields."""

    index: int
    key: str
    group: str
    label: str
    names: dict[str, list[str]]
    measures: list[str]
    styles: tuple[str, ...]
    natural_colours: dict[str, str]
    everyday: bool

    def is_background_held_out(self, colour_key: str) -> bool:
        """10 % of (concept, background colour) are never trained."""
        return _bucket("background", self.key, colour_key) % 10 == 0

    def is_scene_held_out(self, scene: str) -> bool:
        """10 % of (concept, scene) are never trained."""
        return _bucket("scene", self.key, scene) % 10 == 0

    def is_tint_held_out(self, colour_key: str) -> bool:
        """One sixth of (concept, tint) are never trained."""
        return _bucket("tint", self.key, colour_key) % 6 == 0

    def is_style_held_out(self, style: str) -> bool:
        """One style, never 3D, of one eighth of the concepts is never trained."""
        if _bucket("style", self.key) % 8:
            return False
        others = sorted(set(self.styles) - {"3d"})
        return others[_bucket("which style", self.key) % len(others)] == style

    @property
    def trained_styles(self) -> list[str]:
        return [style for style in self.styles if not self.is_style_held_out(style)]

    @property
    def weight(self) -> float:
        weight = GROUP_WEIGHTS[self.group] * (EVERYDAY_WEIGHT if self.everyday else 1.0)
        if self.label == "cat":
            return weight * CAT_WEIGHT
        return weight * (MOST_ASKED_WEIGHT if self.label in MOST_ASKED else 1.0)


class Vocabulary:
    """All concepts, with the lookups that drawing scenes needs."""

    def __init__(self, path: Path | None = None, limit: int | None = None) -> None:
        path = path or Path(__file__).parent / "concepts.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines()
        self.concepts = [self._concept(i, json.loads(line)) for i, line in enumerate(lines)]
        self.concepts = self.concepts[:limit]
        self.all_names = {n for c in self.concepts for names in c.names.values() for n in names}
        self.tints = [self._tints_of(concept) for concept in self.concepts]

    @staticmethod
    def _concept(index: int, fields: dict) -> Concept:
        return Concept(
            index=index,
            key=fields["key"],
            group=fields["group"],
            label=fields["label"],
            names=fields["names"],
            measures=fields["measures"],
            styles=(*fields["styles"], "pixel", "sketch"),
            natural_colours=fields["natural_colours"],
            everyday=fields["everyday"],
        )

    def _tints_of(self, concept: Concept) -> list[int]:
        """Tints that make sense for a concept: not its natural colour, not another one's name.

        Faces and people are never tinted: nobody asks for a blue grin.
        """
        if concept.group == "people" or "face" in concept.label:
            return []
        name_en, name_zh = concept.names["en"][0], concept.names["zh"][0]
        if COLOUR_WORDS & set(name_en.replace("-", " ").split()):
            return []
        natural = set(concept.natural_colours.values())
        if "golden" in natural or "yellow" in natural:
            natural |= {"golden", "yellow"}
        taken = self.all_names
        return [
            i
            for i, tint in enumerate(TINTS)
            if tint.key not in natural
            and f"{tint.key} {name_en}" not in taken
            and not {f"{word}{name_zh}" for word in (*tint.chinese, *tint.short)} & taken
            and not {f"{word}的{name_zh}" for word in tint.chinese} & taken
        ]
