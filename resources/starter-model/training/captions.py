"""Words a scene in English and in Chinese, as somebody would type it.

Owns the sentence patterns only; what is on the picture was decided in ``scene.py``.  Style words
appear nearly always for the flat, cartoon, pixel and sketch pictures and seldom for 3D, so that a
prompt without a style means the 3D look.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection

from palette import (
    BACKGROUND_COLOURS,
    CHINESE_COLOUR_CHARACTERS,
    COLOUR_WORDS,
    TINTS,
    Colour,
)
from scene import TALL, Scene
from vocabulary import Concept

STYLE_NAMED = {"3d": 0.35, "flat": 0.85, "cartoon": 0.85, "pixel": 1.0, "sketch": 1.0}
MAIN_NAME_SHARE = 0.6
NATURAL_COLOUR_SHARE = 0.4
PRAISE_SHARE = 0.06
USUAL_MEASURE_SHARE = 0.85

SCENE_WORDS = {
    "grass": (("on the grass", "in a meadow", "on a green lawn", "in a field"),
              ("在草地上", "在草坪上", "在草原上")),
    "beach": (("on the beach", "at the beach", "by the sea", "at the seaside"),
              ("在沙滩上", "在海滩上", "在海边")),
    "snow": (("in the snow", "on snow", "in winter"), ("在雪地里", "在雪中", "在雪地上", "在冬天")),
    "night": (("at night", "under the night sky", "under the stars"),
              ("在夜空下", "在夜晚", "在星空下", "在夜里")),
    "space": (("in space", "in outer space", "among the planets"),
              ("在太空中", "在宇宙中", "在太空里")),
    "sea": (("under the sea", "underwater", "under water", "in the ocean", "in the sea"),
            ("在海底", "在水下", "在海里", "在大海里")),
    "desert": (("in the desert", "in a desert"), ("在沙漠里", "在沙漠中")),
    "forest": (
        ("in the forest", "in the woods", "in a forest"),
        ("在森林里", "在树林里", "在森林中"),
    ),
    "city": (("in the city", "on the street", "in a city street", "in a city"),
             ("在城市里", "在街道上", "在街上", "在城市中")),
    "sunset": (("at sunset", "in the sunset", "at dusk"), ("在日落时", "在夕阳下", "在黄昏")),
    "mountain": (("in the mountains", "in front of mountains", "in front of a mountain"),
                 ("在山前", "在山里", "在山中")),
    "table": (("on a table", "on a wooden table", "on the table", "on the desk"),
              ("在桌子上", "在木桌上", "在桌上")),
    "rain": (("in the rain", "on a rainy day"), ("在雨中", "在下雨天", "在雨里")),
    "sky": (("in the sky", "among the clouds", "in the clouds"), ("在天空中", "在云中", "在天上")),
}  # fmt: skip
STYLE_WORDS = {
    "3d": (("3d", "3d render"), ("3d", "3d立体", "立体")),
    "flat": (("flat", "flat design", "flat vector"), ("扁平", "扁平化")),
    "cartoon": (("cartoon",), ("卡通",)),
    "pixel": (("pixel art", "8-bit pixel art", "pixel"), ("像素", "像素艺术")),
    "sketch": (("pencil sketch", "line drawing", "sketch"), ("铅笔素描", "线稿", "素描")),
}
COUNT_WORDS = {
    2: (("two", "2", "a pair of"), ("两", "2", "一对")),
    3: (("three", "3"), ("三", "3")),
    4: (("four", "4"), ("四", "4")),
    5: (("five", "5"), ("五", "5")),
}
POSITION_WORDS = {
    "left": (("on the left", "on the left side"), ("在左边", "在左侧")),
    "right": (("on the right", "on the right side"), ("在右边", "在右侧")),
    "top": (("at the top",), ("在上方", "在上面")),
    "bottom": (("at the bottom",), ("在下方", "在下面")),
}
SIZE_WORDS = {
    "small": (("small", "tiny", "little"), ("小小的", "很小的")),
    "big": (("big", "large", "huge"), ("大大的", "巨大的", "很大的")),
}
PATTERN_WORDS = {
    "stripes": (("striped",), ("条纹",)),
    "dots": (("polka dot", "dotted"), ("波点", "圆点")),
    "checks": (("checkered", "checked"), ("格子",)),
}
PICTURE_WORDS = (
    "a picture of", "an image of", "a drawing of", "a photo of", "an illustration of", "draw",
    "please draw",
)  # fmt: skip
PICTURE_PATTERNS_ZH = ("一张{}的图片", "画{}", "请画{}", "帮我画{}", "一幅{}的画", "{}的照片")
# Words that people add and that change nothing: the model learns to pass over them.
PRAISE = (
    ("cute", "lovely", "beautiful", "nice", "adorable"),
    ("可爱的", "漂亮的", "美丽的", "好看的"),
)
COLOURS_BY_KEY = {c.key: c for c in (*BACKGROUND_COLOURS, *TINTS)}
IRREGULAR_PLURALS = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "mouse": "mice",
    "goose": "geese", "wolf": "wolves", "leaf": "leaves", "knife": "knives", "sheep": "sheep",
    "fish": "fish", "ox": "oxen", "tooth": "teeth", "foot": "feet", "deer": "deer", "dice": "dice",
    "fireman": "firemen", "policeman": "policemen", "tomato": "tomatoes", "potato": "potatoes",
    "mango": "mangoes", "bread": "bread", "rice": "rice",
}  # fmt: skip


def plural(noun: str) -> str:
    """The plural of an English noun phrase."""
    if " of " in noun:
        head, _, rest = noun.partition(" of ")
        return f"{plural(head)} of {rest}"
    if " with " in noun or " in " in noun or " behind " in noun:
        return noun
    *before, last = noun.split(" ")
    if last in IRREGULAR_PLURALS:
        last = IRREGULAR_PLURALS[last]
    elif last.endswith(("x", "ch", "sh", "ss")):
        last += "es"
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        last = last[:-1] + "ies"
    elif not last.endswith("s"):
        last += "s"
    return " ".join([*before, last])


def with_article(noun: str) -> str:
    """'a cat', 'an owl'; nouns that look plural stay bare."""
    last = noun.rsplit(" ", maxsplit=1)[-1]
    if last.endswith("s") and not last.endswith(("ss", "us")) and " of " not in noun:
        return noun
    sounds_like_you = noun.startswith(("uni", "ufo", "euro"))
    return ("an " if noun[0] in "aeiou" and not sounds_like_you else "a ") + noun


class CaptionWriter:
    """Writes captions with one random stream; ``exact`` uses main names and no ornaments.

    ``taken`` are the names of all concepts: a colour is not put before a noun where the two
    together name another concept.
    """

    def __init__(
        self, rng: random.Random, *, exact: bool = False, taken: Collection[str] = ()
    ) -> None:
        self.rng = rng
        self.exact = exact
        self.taken = taken

    def write(self, scene: Scene, language: str) -> str:
        """One caption of a scene, ``language`` 'en' or 'zh'."""
        caption = self._english(scene) if language == "en" else self._chinese(scene)
        if not self.exact and self.rng.random() < 0.06:
            caption += "." if language == "en" else "。"
        return caption

    # words

    def _pick(self, words: tuple[str, ...]) -> str:
        return words[0] if self.exact else self.rng.choice(words)

    def _says(self, share: float) -> bool:
        return not self.exact and self.rng.random() < share

    def _name(self, concept: Concept, language: str, without_colour: bool) -> str:
        names = concept.names[language]
        if without_colour:
            if language == "en":
                plain = [n for n in names if not (COLOUR_WORDS | {"ginger"}) & set(n.split())]
            else:
                plain = [n for n in names if not CHINESE_COLOUR_CHARACTERS & set(n)]
            names = plain or names[:1]
        if self.exact or len(names) == 1 or self.rng.random() < MAIN_NAME_SHARE:
            return names[0]
        return self.rng.choice(names[1:])

    def _colour_of(self, scene: Scene, i: int) -> Colour | None:
        """The colour word an object gets: its tint, or sometimes its natural colour."""
        tint = scene.tints[i]
        if tint is not None:
            return TINTS[tint]
        concept = scene.concepts[i]
        style = "flat" if scene.style == "pixel" else scene.style
        natural = concept.natural_colours.get(style)
        has_word = bool(COLOUR_WORDS & set(concept.names["en"][0].split()))
        if natural and not has_word and self._says(NATURAL_COLOUR_SHARE):
            return COLOURS_BY_KEY[natural]
        return None

    def _style_is_named(self, scene: Scene) -> bool:
        return self.exact or self.rng.random() < STYLE_NAMED[scene.style]

    # English

    def _english(self, scene: Scene) -> str:
        nouns = [self._english_noun(scene, i) for i in range(len(scene.concepts))]
        bare = self._says(0.25)
        determiner: Callable[[str], str] = (lambda noun: noun) if bare else with_article
        if scene.kind == "count":
            subject = f"{self._pick(COUNT_WORDS[scene.count][0])} {plural(nouns[0])}"
        elif scene.kind == "pair":
            subject = self._english_pair(scene, determiner(nouns[0]), determiner(nouns[1]))
        else:
            subject = determiner(nouns[0])
        if scene.position:
            subject += " " + self._pick(POSITION_WORDS[scene.position][0])
        caption = subject + self._english_background(scene)
        if self._style_is_named(scene):
            return self._english_styled(scene, caption)
        if self._says(0.1):
            return f"{self._pick(PICTURE_WORDS)} {caption}"
        return caption

    def _english_noun(self, scene: Scene, i: int) -> str:
        colour = self._colour_of(scene, i)
        without_colour = colour is not None or scene.style == "sketch"
        noun = self._name(scene.concepts[i], "en", without_colour)
        if colour is not None:
            noun = f"{self._pick(colour.english)} {noun}"
        if self._says(PRAISE_SHARE):
            noun = f"{self._pick(PRAISE[0])} {noun}"
        if scene.size:
            noun = f"{self._pick(SIZE_WORDS[scene.size][0])} {noun}"
        return noun

    def _english_pair(self, scene: Scene, first: str, second: str) -> str:
        if scene.arrangement == "beside":
            plain = [f"{first} and {second}"] * 6 + [f"{first} next to {second}"]
            placed = [
                f"{first} on the left and {second} on the right",
                f"{first} to the left of {second}",
                f"{second} to the right of {first}",
            ]
            usual = scene.shape != TALL
        else:
            plain = [f"{first} and {second}"] * 4
            placed = [
                f"{first} above {second}",
                f"{second} below {first}",
                f"{first} at the top and {second} at the bottom",
            ]
            usual = scene.shape == TALL
        return self._pick(tuple(plain + placed if usual else placed))

    def _english_background(self, scene: Scene) -> str:
        background = scene.background
        colours = [self._pick(BACKGROUND_COLOURS[i].english) for i in background.colours]
        if background.kind == "solid":
            name = colours[0]
            patterns = (
                f", {name} background",
                f" on {with_article(name)} background",
                f" with {with_article(name)} background",
                f" on {with_article(name)} background",
                f" against {with_article(name)} background",
            )
            return self._pick(patterns)
        if background.kind == "gradient":
            first, second = colours
            return self._pick(
                (
                    f", {first} to {second} gradient background",
                    f" on a {first} and {second} gradient background",
                )
            )
        if background.kind == "pattern":
            pattern = self._pick(PATTERN_WORDS[background.pattern][0])
            return f" on {with_article(colours[0])} {pattern} background"
        if background.kind == "scene":
            return " " + self._pick(SCENE_WORDS[background.scene][0])
        return ""

    def _english_styled(self, scene: Scene, caption: str) -> str:
        word = self._pick(STYLE_WORDS[scene.style][0])
        patterns = [f"{caption}, {word}", f"{caption}, {word}", f"{word}, {caption}"]
        if scene.style in ("sketch", "cartoon"):
            patterns += [f"{with_article(word)} of {caption}"] * 2
        patterns += [f"{caption}, {word} style", f"{caption} in {word} style"]
        if scene.style in ("pixel", "3d"):
            patterns.append(f"{word} of {caption}")
        return self._pick(tuple(patterns))

    # Chinese

    def _chinese(self, scene: Scene) -> str:
        nouns = [self._chinese_noun(scene, i) for i in range(len(scene.concepts))]
        bare = self._says(0.3)
        if scene.kind == "count":
            number = self._pick(COUNT_WORDS[scene.count][1])
            measure = "" if number == "一对" else self._measure(scene.concepts[0])
            subject = f"{number}{measure}{nouns[0]}"
        else:
            counted = [
                noun if bare else f"一{self._measure(concept)}{noun}"
                for noun, concept in zip(nouns, scene.concepts, strict=True)
            ]
            subject = counted[0]
            if scene.kind == "pair":
                subject = self._chinese_pair(scene, counted[0], counted[1])
        if scene.position:
            subject += self._pick(POSITION_WORDS[scene.position][1])
        caption = self._chinese_background(scene, subject)
        if self._style_is_named(scene):
            word = self._pick(STYLE_WORDS[scene.style][1])
            return self._pick(
                (
                    f"{caption}，{word}风格",
                    f"{caption}，{word}风格",
                    f"{word}风格的{caption}",
                    f"{word}风格，{caption}",
                    f"{caption}，{word}",
                )
            )
        if self._says(0.08):
            return self._pick(PICTURE_PATTERNS_ZH).format(caption)
        return caption

    def _measure(self, concept: Concept) -> str:
        if self.exact:
            return concept.measures[0]
        if self.rng.random() < USUAL_MEASURE_SHARE:
            return self.rng.choice(concept.measures)
        return "个"

    def _chinese_noun(self, scene: Scene, i: int) -> str:
        colour = self._colour_of(scene, i)
        without_colour = colour is not None or scene.style == "sketch"
        noun = self._name(scene.concepts[i], "zh", without_colour)
        if colour is not None:
            word = self._pick(colour.chinese)
            patterns = [f"{word}的{noun}", f"{word}的{noun}", f"{word}{noun}"]
            if colour.short and (short := self._pick(colour.short) + noun) not in self.taken:
                patterns += [short, short]
            noun = self._pick(tuple(patterns))
        if self._says(PRAISE_SHARE):
            noun = self._pick(PRAISE[1]) + noun
        if scene.size:
            noun = self._pick(SIZE_WORDS[scene.size][1]) + noun
        return noun

    def _chinese_pair(self, scene: Scene, first: str, second: str) -> str:
        if scene.arrangement == "beside":
            plain = [f"{first}和{second}"] * 6
            placed = [
                f"左边是{first}，右边是{second}",
                f"左边是{first}，右边是{second}",
                f"{first}在{second}的左边",
                f"{second}在{first}的右边",
            ]
            usual = scene.shape != TALL
        else:
            plain = [f"{first}和{second}"] * 4
            placed = [
                f"上面是{first}，下面是{second}",
                f"{first}在{second}的上面",
                f"{second}在{first}的下面",
            ]
            usual = scene.shape == TALL
        return self._pick(tuple(plain + placed if usual else placed))

    def _chinese_background(self, scene: Scene, subject: str) -> str:
        background = scene.background
        colours = [self._pick(BACKGROUND_COLOURS[i].chinese) for i in background.colours]
        if background.kind == "solid":
            name = colours[0]
            return self._pick(
                (
                    f"{subject}，{name}背景",
                    f"{subject}，{name}背景",
                    f"{subject}在{name}背景上",
                    f"{subject}在{name}的背景上",
                    f"{name}背景上的{subject}",
                    f"{name}背景上的{subject}",
                    f"{name}背景，{subject}",
                    f"{name}背景的{subject}",
                    f"{subject}，背景是{name}",
                )
            )
        if background.kind == "gradient":
            return f"{subject}，{colours[0]}和{colours[1]}渐变背景"
        if background.kind == "pattern":
            pattern = self._pick(PATTERN_WORDS[background.pattern][1])
            described = f"{colours[0]}{pattern}背景"
            return self._pick((f"{subject}，{described}", f"{described}上的{subject}"))
        if background.kind == "scene":
            place = self._pick(SCENE_WORDS[background.scene][1])
            where = place.removeprefix("在")
            return self._pick(
                (
                    f"{subject}{place}",
                    f"{where}的{subject}",
                    f"{where}的{subject}",
                    f"{subject}，{where}",
                )
            )
        return subject
