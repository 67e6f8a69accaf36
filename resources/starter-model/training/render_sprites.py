"""Renders every candidate concept of the picture packages to 224 px sprites, on this machine.

Owns the way from the npm packages (Fluent Emoji 3D and flat, Noto Emoji, see README.md) and our own
drawings to ``candidates/sprites.bin`` + ``sprites.json``.  It is apart from ``build_concepts.py``
because rendering takes minutes and the choice of concepts, which reads its result, seconds.

A sprite is an RGBA WebP: the picture cropped to its alpha box, scaled so that the longer side is
220 px, centred in 224 x 224.
"""

from __future__ import annotations

import argparse
import io
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import resvg_py
from PIL import Image

from sitting_animals import BODIES, sitting

SPRITE_SIZE_PX = 224
MARGIN_PX = 2
SMALLEST_ALPHA = 8
OWN_DRAWINGS = Path(__file__).parent / "own_drawings"
RENDERED_STYLES = ("3d", "flat", "cartoon")

PEOPLE_GROUP, FLAGS_GROUP, COMPONENTS_GROUP, SYMBOLS_GROUP = 1, 9, 2, 8
FAMILY_SUBGROUP, GEOMETRIC_SUBGROUP, CLOCK_SUBGROUP = 30, 96, 58
KEPT_SIGNS = {
    "warning", "recycling symbol", "no entry", "prohibited", "radioactive", "biohazard",
    "check mark button", "cross mark", "red question mark", "red exclamation mark", "yin yang",
    "trident emblem", "star of David", "heavy dollar sign", "infinity", "peace symbol",
    "medical symbol", "fleur-de-lis", "star and crescent", "latin cross",
}  # fmt: skip
KEPT_FAMILIES = {"family", "woman and man holding hands", "couple with heart", "kiss"}


@dataclass(frozen=True, slots=True)
class Source:
    """One picture to render: SVG text, or the path of a raster file."""

    key: str
    style: str
    svg: str | None
    file: Path | None
    sitting: str = ""  # the picture is the head of this animal (sitting_animals.py)


def is_candidate(entry: dict) -> bool:
    """True for the emojibase entries that may become a concept (no flags, skin tones, buttons)."""
    group, subgroup, label = entry.get("group"), entry.get("subgroup"), entry["label"]
    if group in (None, COMPONENTS_GROUP, FLAGS_GROUP):
        return False
    if group == SYMBOLS_GROUP:
        return subgroup == GEOMETRIC_SUBGROUP or label in KEPT_SIGNS
    if "facing right" in label or "’clock" in label or "-thirty" in label:
        return False
    if group == PEOPLE_GROUP:
        if subgroup == FAMILY_SUBGROUP:
            return label in KEPT_FAMILIES
        return ": " not in label
    return True


def icon_svg(collection: dict, name: str) -> str | None:
    """A stand-alone SVG document of one icon of an Iconify collection, or None if it has none."""
    icon = collection["icons"].get(name)
    if icon is None:
        alias = collection.get("aliases", {}).get(name)
        if alias is None:
            return None
        icon = collection["icons"][alias["parent"]]
    width = icon.get("width", collection.get("width", 16))
    height = icon.get("height", collection.get("height", 16))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{icon.get("left", 0)} {icon.get("top", 0)} {width} {height}" '
        f'width="{SPRITE_SIZE_PX}" height="{SPRITE_SIZE_PX}">{icon["body"]}</svg>'
    )


def name_of(characters: dict[str, str], code_points: str) -> str | None:
    """The icon name of a code point sequence, with or without the variation selector."""
    bare = code_points.replace("-fe0f", "")
    for key in (code_points, bare, bare + "-fe0f"):
        if key in characters:
            return characters[key]
    return None


def list_sources(packages: Path) -> list[Source]:
    """All pictures to render, in the order of emojibase; our own drawings last."""
    entries = json.loads((packages / "emojibase-data/en/data.json").read_text())
    raster_folder = packages / "@lobehub/fluent-emoji-3d/assets"
    raster = {p.stem.replace("-fe0f", ""): p for p in raster_folder.iterdir()}
    vector = {}
    for style, package in (("flat", "fluent-emoji-flat"), ("cartoon", "noto")):
        folder = packages / "@iconify-json" / package
        vector[style] = (
            json.loads((folder / "icons.json").read_text()),
            json.loads((folder / "chars.json").read_text()),
        )
    key_of = {entry["label"]: entry["hexcode"].lower() for entry in entries}
    sources = []
    for entry in filter(is_candidate, entries):
        key, label = entry["hexcode"].lower(), entry["label"]
        body = BODIES.get(label)
        heads = dict.fromkeys(body.styles, key_of[body.head]) if body else {}
        sits = dict.fromkeys(heads, label)
        shown = heads.get("3d", key)
        if (file := raster.get(shown.replace("-fe0f", ""))) is not None:
            sources.append(Source(key, "3d", None, file, sits.get("3d", "")))
        for style, (collection, characters) in vector.items():
            name = name_of(characters, heads.get(style, key))
            svg = icon_svg(collection, name) if name else None
            if svg:
                sources.append(Source(key, style, svg, None, sits.get(style, "")))
    for file in sorted(OWN_DRAWINGS.glob("*.svg")):
        subject, style = file.stem.rsplit("-", 1)
        sources.append(Source(f"own-{subject}", style, file.read_text(), None))
    return sources


def centred(picture: Image.Image) -> Image.Image:
    """The picture cropped to its visible part and centred in a square sprite."""
    rgba = picture.convert("RGBA")
    rows, columns = np.where(np.asarray(rgba)[..., 3] > SMALLEST_ALPHA)
    box = (int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
    cropped = rgba.crop(box)
    scale = (SPRITE_SIZE_PX - 2 * MARGIN_PX) / max(cropped.size)
    size = tuple(max(1, round(side * scale)) for side in cropped.size)
    cropped = cropped.resize(size, Image.Resampling.LANCZOS)
    sprite = Image.new("RGBA", (SPRITE_SIZE_PX, SPRITE_SIZE_PX))
    corner = ((SPRITE_SIZE_PX - size[0]) // 2, (SPRITE_SIZE_PX - size[1]) // 2)
    sprite.paste(cropped, corner)
    return sprite


def render(source: Source) -> bytes:
    """The sprite of one source as WebP bytes."""
    if source.svg is not None:
        picture = Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=source.svg))))
    else:
        assert source.file is not None
        picture = Image.open(source.file)
    if source.sitting:
        picture = sitting(source.sitting, source.style, picture.convert("RGBA"))
    buffer = io.BytesIO()
    centred(picture).save(buffer, "WEBP", quality=90, alpha_quality=90, method=4)
    return buffer.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True, help="a node_modules folder")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    sources = list_sources(arguments.packages)
    blob, index = bytearray(), []
    with ProcessPoolExecutor() as pool:
        for source, sprite in zip(sources, pool.map(render, sources, chunksize=32), strict=True):
            index.append((source.key, source.style, len(blob), len(sprite)))
            blob += sprite
    (arguments.out / "sprites.bin").write_bytes(blob)
    (arguments.out / "sprites.json").write_text(json.dumps(index))
    print(f"{len(index)} sprites, {len(blob) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
