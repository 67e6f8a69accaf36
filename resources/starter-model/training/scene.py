"""Draws the plan of one training picture: what is on it, where, on which backdrop.

Owns the distribution of the training data.  A ``Scene`` holds the meaning (captions read it); a
``Layout`` the numbers (composition reads it).  Standard library only: it runs in many processes.
"""

from __future__ import annotations

import colorsys
import random
from bisect import bisect
from dataclasses import dataclass
from itertools import accumulate

from palette import BACKGROUND_COLOURS, TINTS
from vocabulary import SCENES, STYLE_WEIGHTS, STYLES, Concept, Vocabulary

SHAPES = ((256, 256), (320, 192), (192, 320))  # width, height in pixels
SHAPE_WEIGHTS = (0.72, 0.14, 0.14)
SQUARE, WIDE, TALL = range(3)
MOST_OBJECTS = 5
BACKDROP_VARIANTS = 40
GROUND_SCENES = {
    "grass", "beach", "snow", "desert", "forest", "city", "sunset", "mountain", "table", "rain",
    "night",
}  # fmt: skip
AFLOAT = {"sailboat", "canoe", "speedboat", "passenger ship", "ferry", "motor boat", "ship"}
PATTERNS = ("stripes", "dots", "checks")
WHITE = next(i for i, c in enumerate(BACKGROUND_COLOURS) if c.key == "white")

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Background:
    """``kind``: unnamed, solid, gradient, pattern or scene; ``colours`` are indices."""

    kind: str
    colours: tuple[int, ...] = ()
    pattern: str = ""
    scene: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """The meaning of a picture.  ``tints`` index TINTS; ``arrangement``: beside, stacked or ''."""

    kind: str  # single, pair, count
    count: int
    concepts: tuple[Concept, ...]
    style: str
    tints: tuple[int | None, ...]
    background: Background
    shape: int = SQUARE
    position: str = ""
    size: str = ""
    arrangement: str = ""

    @property
    def has_ground(self) -> bool:
        return self.background.scene in GROUND_SCENES and not self.is_on_water

    @property
    def is_on_water(self) -> bool:
        """True for boats at sunset: they get the sea, everything else the hills."""
        afloat = any(concept.label in AFLOAT for concept in self.concepts)
        return self.background.scene == "sunset" and afloat


@dataclass(frozen=True, slots=True)
class Placed:
    """An object: centre as fractions of width and height, size as a fraction of the short side."""

    concept: Concept
    style: str
    x: float
    y: float
    size: float
    tint: int | None


SINGLE_SIZE = (0.70, 0.80, 0.80)
# Places of several objects by shape: (centres, size).
PAIR_BESIDE = (
    (((0.26, 0.5), (0.74, 0.5)), 0.45),
    (((0.26, 0.5), (0.74, 0.5)), 0.72),
    (((0.26, 0.5), (0.74, 0.5)), 0.46),
)
PAIR_STACKED = (
    (((0.5, 0.26), (0.5, 0.74)), 0.45),
    (((0.5, 0.26), (0.5, 0.74)), 0.46),
    (((0.5, 0.26), (0.5, 0.74)), 0.72),
)
QUINCUNX = ((0.22, 0.22), (0.78, 0.22), (0.5, 0.5), (0.22, 0.78), (0.78, 0.78))
FOUR_CORNERS = ((0.28, 0.28), (0.72, 0.28), (0.28, 0.72), (0.72, 0.72))
TRIANGLE = ((0.5, 0.27), (0.27, 0.72), (0.73, 0.72))
ROW_OF_THREE = ((0.19, 0.5), (0.5, 0.5), (0.81, 0.5))
COLUMN_OF_THREE = ((0.5, 0.19), (0.5, 0.5), (0.5, 0.81))
COUNTS = {
    2: (PAIR_BESIDE[SQUARE], PAIR_BESIDE[WIDE], PAIR_STACKED[TALL]),
    3: ((TRIANGLE, 0.41), (ROW_OF_THREE, 0.48), (COLUMN_OF_THREE, 0.48)),
    4: ((FOUR_CORNERS, 0.40), (FOUR_CORNERS, 0.42), (FOUR_CORNERS, 0.42)),
    5: ((QUINCUNX, 0.32), (QUINCUNX, 0.34), (QUINCUNX, 0.34)),
}
POSITIONS: dict[str, Point] = {
    "left": (0.26, 0.5), "right": (0.74, 0.5), "top": (0.5, 0.26), "bottom": (0.5, 0.74),
}  # fmt: skip
POSITION_SIZE = (0.46, 0.46, 0.46)


class SceneDrawer:
    """Draws scenes from one vocabulary with one random stream."""

    def __init__(self, vocabulary: Vocabulary, rng: random.Random) -> None:
        self.vocabulary = vocabulary
        self.rng = rng
        self._cumulative = list(accumulate(c.weight for c in vocabulary.concepts))

    def draw(self) -> Scene:
        """A random scene none of whose combinations is held out."""
        while True:
            scene = self._propose()
            if scene is not None:
                return scene

    def _concept(self) -> Concept:
        mark = self.rng.random() * self._cumulative[-1]
        return self.vocabulary.concepts[bisect(self._cumulative, mark)]

    def _propose(self) -> Scene | None:
        rng = self.rng
        kind = rng.choices(("single", "pair", "count"), (0.57, 0.27, 0.16))[0]
        count = {"single": 1, "pair": 2}.get(kind) or rng.choice((2, 2, 3, 3, 4, 5))
        concepts = tuple(self._concept() for _ in range(2 if kind == "pair" else 1))
        if kind == "pair" and concepts[0] is concepts[1]:
            return None
        styles = [s for s in STYLES if all(s in c.trained_styles for c in concepts)]
        style = rng.choices(styles, [STYLE_WEIGHTS[s] for s in styles])[0]
        background = self._background()
        if is_held_out(concepts, background):
            return None
        shape = rng.choices(range(3), SHAPE_WEIGHTS)[0]
        position = size = arrangement = ""
        if kind == "single":
            if background.kind != "scene" and rng.random() < 0.15:
                position = rng.choice(list(POSITIONS))
            elif rng.random() < 0.14:
                size = rng.choice(("small", "big"))
        elif kind == "pair":
            usual, other = ("stacked", "beside") if shape == TALL else ("beside", "stacked")
            may_vary = background.kind != "scene"
            arrangement = other if may_vary and rng.random() < 0.15 else usual
        return Scene(
            kind=kind,
            count=count,
            concepts=concepts,
            style=style,
            tints=tuple(self._tint(c, style, kind) for c in concepts),
            background=background,
            shape=shape,
            position=position,
            size=size,
            arrangement=arrangement,
        )

    def _tint(self, concept: Concept, style: str, kind: str) -> int | None:
        choices = self.vocabulary.tints[concept.index]
        if (
            style == "sketch"
            or not choices
            or self.rng.random() > (0.12 if kind == "pair" else 0.18)
        ):
            return None
        tint = self.rng.choice(choices)
        return None if concept.is_tint_held_out(TINTS[tint].key) else tint

    def _background(self) -> Background:
        rng = self.rng
        kinds = ("unnamed", "solid", "gradient", "pattern", "scene")
        kind = rng.choices(kinds, (0.34, 0.28, 0.05, 0.07, 0.26))[0]
        colours = range(len(BACKGROUND_COLOURS))
        if kind == "solid":
            return Background(kind, (rng.choice(colours),))
        if kind == "gradient":
            return Background(kind, tuple(rng.sample(colours, 2)))
        if kind == "pattern":
            colour = rng.choice([i for i in colours if i != WHITE])
            return Background(kind, (colour,), pattern=rng.choice(PATTERNS))
        if kind == "scene":
            return Background(kind, scene=rng.choice(SCENES))
        return Background(kind)

    def layout(self, scene: Scene) -> list[Placed]:
        """Where the objects stand, with a little disorder."""
        centres, size = places(scene)
        disorder = 0.012 if scene.kind == "count" else 0.02
        wobble = self.rng.uniform
        common = size * (1 + wobble(-0.05, 0.05))
        several = len(scene.concepts) > 1
        return [
            Placed(
                concept=scene.concepts[i if several else 0],
                style=scene.style,
                x=x + wobble(-disorder, disorder),
                y=y + wobble(-disorder, disorder),
                size=common * (1 + wobble(-0.03, 0.03)),
                tint=scene.tints[i if several else 0],
            )
            for i, (x, y) in enumerate(centres)
        ]

    def background_code(self, scene: Scene) -> list[float]:
        """Ten numbers for composition: kind, two RGB colours of 1, and a parameter (compose.py)."""
        background = scene.background
        if background.kind == "unnamed":
            return self._unnamed_code()
        if background.kind == "scene":
            variant = self.rng.randrange(BACKDROP_VARIANTS)
            if background.scene == "sunset":  # every other one is over the sea (backdrops.py)
                variant = variant // 2 * 2 + scene.is_on_water
            place = SCENES.index(background.scene) * BACKDROP_VARIANTS + variant
            return [5, float(place), float(self.rng.random() < 0.5), *[0.0] * 7]
        first = self._jittered(background.colours[0])
        if background.kind == "solid":
            return [0, *first, *[0.0] * 6]
        if background.kind == "gradient":
            return [1, *first, *self._jittered(background.colours[1]), 1.0, 0.0, 0.0]
        pale = [0.45 * value + 0.55 for value in first]
        return [2 + PATTERNS.index(background.pattern), *first, *pale, 0.0, 0.0, 0.0]

    def _unnamed_code(self) -> list[float]:
        """White, or a pale vertical gradient of any hue."""
        rng = self.rng
        if rng.random() < 0.5:
            return [1, *[1.0] * 6, 0.0, 0.0, 0.0]
        hue, saturation = rng.random(), rng.uniform(0.08, 0.26)
        top = colorsys.hsv_to_rgb(hue, saturation, 1.0)
        bottom = colorsys.hsv_to_rgb(
            (hue + rng.uniform(-0.06, 0.06)) % 1,
            saturation * rng.uniform(0.4, 1.5),
            rng.uniform(0.92, 1.0),
        )
        return [1, *top, *bottom, 0.0, 0.0, 0.0]

    def _jittered(self, colour: int) -> list[float]:
        rgb = BACKGROUND_COLOURS[colour].rgb
        return [min(1.0, max(0.0, v / 255 + self.rng.uniform(-0.03, 0.03))) for v in rgb]


def is_held_out(concepts: tuple[Concept, ...], background: Background) -> bool:
    """True when a concept must never be trained on this background."""
    if background.kind == "solid":
        key = BACKGROUND_COLOURS[background.colours[0]].key
        return any(concept.is_background_held_out(key) for concept in concepts)
    if background.kind == "scene":
        return any(concept.is_scene_held_out(background.scene) for concept in concepts)
    return False


def places(scene: Scene) -> tuple[tuple[Point, ...], float]:
    """The undisturbed centres and the size of a scene's objects."""
    ground = scene.has_ground
    if scene.kind == "pair":
        table = PAIR_BESIDE if scene.arrangement == "beside" else PAIR_STACKED
        centres, size = table[scene.shape]
        lower = 0.12 if scene.arrangement == "beside" and scene.shape != WIDE else 0.05
        return tuple((x, y + lower * ground) for x, y in centres), size
    if scene.kind == "count":
        centres, size = COUNTS[scene.count][scene.shape]
        lower = 0.08 if scene.count == 2 and scene.shape != TALL else 0.03
        return tuple((x, y + lower * ground) for x, y in centres), size
    if scene.position:
        return (POSITIONS[scene.position],), POSITION_SIZE[scene.shape]
    size = SINGLE_SIZE[scene.shape] * {"": 1.0, "small": 0.5, "big": 1.25}[scene.size]
    y = 0.5
    if scene.background.kind == "scene":
        size *= 0.86
        if ground:
            y = {"": 0.60, "small": 0.68, "big": 0.55}[scene.size]
    return ((0.5, y),), size
