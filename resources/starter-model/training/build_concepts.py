"""Chooses the concepts, names them in both languages, and writes concepts.jsonl and the sprites.

Owns the answer to "what can this model draw": which pictures are kept, under which names, with
which Chinese measure words and which natural colours.  The list is committed, so that nobody needs
the picture packages to read it; this module is the record of how it came about.

A concept is dropped when a role exists apart from its man / woman variant, and when its pictures
can hardly be told from those of a concept already kept (everyday things are kept first).
"""

from __future__ import annotations

import argparse
import io
import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from palette import NATURAL_COLOURS, nearest_natural_colour
from render_sprites import is_candidate

HERE = Path(__file__).parent
GROUP_NAMES = {
    0: "smileys", 1: "people", 3: "animals", 4: "food", 5: "travel", 6: "activities",
    7: "objects", 8: "symbols",
}  # fmt: skip
DROPPED_LABELS = {
    "Mrs. Claus", "Mx Claus", "merperson", "merman", "pregnant man", "pregnant person",
    "breast-feeding", "man feeding baby", "person feeding baby", "middle finger", "love hotel",
    "women holding hands", "men holding hands", "people hugging", "distorted face",
    "fight cloud", "white cane", "briefs", "cigarette", "no smoking",
}  # fmt: skip
# RMS distance (of 255) between 48 px thumbnails on white, below which two pictures count as one.
SAME_PICTURE_RMS = 17.0
NATURAL_COLOUR_SHARE = 0.6
SPOKEN_COLOURS = {*NATURAL_COLOURS, "golden"} - {"skin"}
# Colours that people say of a thing although other colours cover much of its picture.
HAND_COLOURS = {
    "red": (
        "automobile", "oncoming automobile", "strawberry", "fire engine", "crab", "lady beetle",
        "watermelon", "red paper lantern", "octopus", "guitar", "rocket",
    ),
    "orange": ("cat", "carrot", "tangerine", "fox", "jack-o-lantern", "tiger", "peach"),
    "yellow": (
        "banana", "sunflower", "sun", "taxi", "bus", "full moon", "crescent moon", "baby chick",
        "honeybee", "lion", "pineapple", "ear of corn", "star", "glowing star", "light bulb",
    ),
    "golden": ("crown", "trophy", "coin", "bell", "1st place medal", "key", "trumpet"),
    "green": (
        "frog", "turtle", "crocodile", "snake", "dragon", "sauropod", "pear", "lime", "avocado",
        "kiwi fruit", "palm tree", "four leaf clover", "seedling",
    ),
    "white": ("rabbit", "ewe", "dove", "goat", "snowman without snow", "glass of milk", "cloud"),
    "black": ("black cat",),
    "brown": ("hamburger", "package", "teddy bear", "potato", "coconut", "owl", "chocolate bar"),
}  # fmt: skip

# Pictures in between two colours: captions name none, and any tint may be asked for.
NO_COLOUR = {"dog"}

# Measure words by emojibase subgroup, for concepts that everyday_names.txt does not give one.
SUBGROUP_MEASURES = {
    11: "个", 12: "只", 13: "只", 14: "颗", 22: "个", 23: "个", 24: "位", 25: "位", 26: "位",
    27: "位", 28: "位", 29: "位", 31: "个", 34: "只", 35: "只", 36: "只", 37: "条", 38: "只",
    39: "只", 40: "朵", 41: "棵", 42: "个", 43: "个", 44: "份", 45: "份", 46: "个", 47: "杯",
    48: "个", 49: "个", 50: "座", 51: "座", 52: "座", 53: "座", 54: "辆", 55: "艘", 56: "架",
    58: "个", 59: "个", 62: "个", 65: "件", 68: "把", 69: "部", 70: "台", 71: "台", 72: "本",
    73: "张", 75: "支", 78: "把",
}  # fmt: skip


@dataclass(slots=True)
class Concept:
    """One thing the model draws.  ``names[language][0]`` is the name that captions use most."""

    key: str
    group: str
    label: str
    names: dict[str, list[str]]
    measures: list[str]
    styles: list[str] = field(default_factory=list)
    natural_colours: dict[str, str] = field(default_factory=dict)  # by style
    everyday: bool = False


def read_everyday_names(path: Path) -> dict[str, tuple[list[str], list[str], list[str]]]:
    """Label -> (English names, Chinese names, measure words) of the hand-written table."""
    table = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        label, *fields = [part.strip() for part in line.split(";")]
        lists = [[name.strip().lower() for name in f.split(",") if name.strip()] for f in fields]
        if len(lists) != 3 or label in table:
            raise ValueError(f"everyday names: bad or repeated line {line!r}")
        table[label] = (lists[0], lists[1], lists[2])
    return table


def plain(name: str) -> str:
    """A CLDR name without typographic quotes, in lower case."""
    return name.lower().replace("“", "").replace("”", "").replace("’", "'")


def is_gender_variant(label: str, labels: set[str]) -> bool:
    """True for 'man cook' when 'cook' or 'person cook' is a concept too."""
    first, _, rest = label.partition(" ")
    if first not in {"man", "woman", "men", "women"}:
        return False
    return rest in labels or f"person {rest}" in labels or f"people {rest}" in labels


def candidates(packages: Path) -> list[Concept]:
    """All candidate concepts with their names, before pictures are compared."""
    english = json.loads((packages / "emojibase-data/en/data.json").read_text())
    chinese = {
        entry["hexcode"]: entry["label"]
        for entry in json.loads((packages / "emojibase-data/zh/data.json").read_text())
    }
    everyday = read_everyday_names(HERE / "everyday_names.txt")
    kept = [entry for entry in english if is_candidate(entry)]
    labels = {entry["label"] for entry in kept}
    if unknown := set(everyday) - labels:
        raise ValueError(f"everyday names of no candidate: {sorted(unknown)}")
    concepts = []
    for entry in kept:
        label = entry["label"]
        if label in DROPPED_LABELS or (label not in everyday and is_gender_variant(label, labels)):
            continue
        names_en, names_zh, measures = everyday.get(label, ([], [], []))
        default = SUBGROUP_MEASURES.get(entry["subgroup"], "个")
        concepts.append(
            Concept(
                key=entry["hexcode"].lower(),
                group=GROUP_NAMES[entry["group"]],
                label=label,
                names={
                    "en": names_en or [plain(label)],
                    "zh": names_zh or [plain(chinese[entry["hexcode"]])],
                },
                measures=measures or [default],
                everyday=bool(names_en),
            )
        )
    windmill = Concept(
        key="own-windmill",
        group="travel",
        label="windmill",
        names={"en": ["windmill", "wind mill"], "zh": ["风车", "大风车"]},
        measures=["座", "个"],
        everyday=True,
    )
    return [*concepts, windmill]


class SpritePack:
    """Read access to the rendered sprites: RGBA pictures by (key, style)."""

    def __init__(self, folder: Path) -> None:
        self.blob = (folder / "sprites.bin").read_bytes()
        entries = json.loads((folder / "sprites.json").read_text())
        self.place = {(key, style): (offset, size) for key, style, offset, size in entries}

    def encoded(self, key: str, style: str) -> bytes:
        offset, size = self.place[key, style]
        return self.blob[offset : offset + size]

    def picture(self, key: str, style: str) -> Image.Image:
        return Image.open(io.BytesIO(self.encoded(key, style))).convert("RGBA")


def thumbnail_on_white(sprite: Image.Image) -> np.ndarray:
    """[48 * 48 * 3] float RGB of a sprite over white, 0 to 255."""
    canvas = Image.new("RGBA", sprite.size, "white")
    canvas.alpha_composite(sprite)
    small = canvas.convert("RGB").resize((48, 48), Image.Resampling.BOX)
    return np.asarray(small, dtype=np.float32).ravel()


def colour_name_of(sprite: Image.Image) -> str | None:
    """The colour that most of a sprite's area has, or None if no colour has a clear majority."""
    pixels = np.asarray(sprite.resize((56, 56), Image.Resampling.BOX), dtype=np.float32)
    visible = pixels[pixels[..., 3] > 200][:, :3]
    if len(visible) == 0:
        return None
    names = [nearest_natural_colour(rgb) for rgb in visible]
    shares = {name: names.count(name) / len(names) for name in NATURAL_COLOURS}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= NATURAL_COLOUR_SHARE else None


def natural_colours_of(concept: Concept, pack: SpritePack) -> dict[str, str]:
    """Style -> colour word for the styles whose picture has one, by hand or by majority of area."""
    if concept.label in NO_COLOUR:
        return {}
    by_hand = {label: word for word, labels in HAND_COLOURS.items() for label in labels}
    if concept.label in by_hand:
        return dict.fromkeys(concept.styles, by_hand[concept.label])
    words = {s: colour_name_of(pack.picture(concept.key, s)) for s in concept.styles}
    return {style: word for style, word in words.items() if word in SPOKEN_COLOURS}


def without_lookalikes(concepts: list[Concept], pack: SpritePack) -> list[Concept]:
    """Drops concepts whose 3D or flat picture nearly equals that of one kept before."""
    kept: dict[str, list[np.ndarray]] = defaultdict(list)
    kept_labels: dict[str, list[str]] = defaultdict(list)
    chosen = set()
    for concept in sorted(concepts, key=lambda c: not c.everyday):
        features = {
            style: thumbnail_on_white(pack.picture(concept.key, style))
            for style in ("3d", "flat")
            if style in concept.styles
        }
        twin = None
        for style, feature in features.items():
            if kept[style]:
                rms = np.sqrt(((np.stack(kept[style]) - feature) ** 2).mean(1))
                if rms.min() < SAME_PICTURE_RMS:
                    twin = f"{style}: {kept_labels[style][int(rms.argmin())]} {rms.min():.1f}"
        if twin and not concept.everyday:
            print(f"dropped {concept.label!r}, looks like {twin}")
            continue
        if twin:
            print(f"kept {concept.label!r} although it looks like {twin}")
        chosen.add(concept.key)
        for style, feature in features.items():
            kept[style].append(feature)
            kept_labels[style].append(concept.label)
    return [concept for concept in concepts if concept.key in chosen]


def settle_names(concepts: list[Concept]) -> None:
    """Makes names unique: everyday names come first, a later bearer of a taken name loses it.

    Raises ValueError when two everyday concepts share a name or a concept is left without one.
    """
    for language in ("en", "zh"):
        owner: dict[str, Concept] = {}
        for concept in sorted(concepts, key=lambda c: not c.everyday):
            free = []
            for name in concept.names[language]:
                if name not in owner:
                    owner[name] = concept
                    free.append(name)
                elif concept.everyday and owner[name].everyday and owner[name] is not concept:
                    raise ValueError(f"{name!r}: {concept.label} and {owner[name].label}")
            concept.names[language] = free


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="a node_modules folder")
    parser.add_argument("--candidates", type=Path, required=True, help="from render_sprites.py")
    parser.add_argument("--pack", type=Path, required=True, help="the sprite pack to write")
    arguments = parser.parse_args()
    pack = SpritePack(arguments.candidates)
    concepts = candidates(arguments.packages)
    for concept in concepts:
        concept.styles = [s for s in ("3d", "flat", "cartoon") if (concept.key, s) in pack.place]
    concepts = [c for c in concepts if {"3d", "flat"} <= set(c.styles)]
    concepts = without_lookalikes(concepts, pack)
    settle_names(concepts)
    nameless = [c.label for c in concepts if not (c.names["en"] and c.names["zh"])]
    print("dropped for want of a name of their own:", nameless)
    concepts = [c for c in concepts if c.names["en"] and c.names["zh"]]
    for concept in concepts:
        concept.natural_colours = natural_colours_of(concept, pack)

    lines = [json.dumps(asdict(c), ensure_ascii=False) for c in concepts]
    (HERE / "concepts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments.pack.mkdir(parents=True, exist_ok=True)
    blob, index = bytearray(), []
    for concept in concepts:
        for style in concept.styles:
            sprite = pack.encoded(concept.key, style)
            index.append((concept.key, style, len(blob), len(sprite)))
            blob += sprite
    (arguments.pack / "sprites.bin").write_bytes(blob)
    (arguments.pack / "sprites.json").write_text(json.dumps(index))
    sizes = {g: sum(c.group == g for c in concepts) for g in GROUP_NAMES.values()}
    print(f"{len(concepts)} concepts {sizes}, {len(index)} sprites, {len(blob) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
