"""Measures a trained model: does the picture show what the prompt names?

Owns the measure.  A made picture is compared with the rendered originals of *all* concepts in the
same place, style and background: 48 px thumbnails, RGB distance, the least over five small
shifts.  'top-1' means that the nearest original is the concept that was asked for.  Settings and
sample sizes are in evaluation_settings.json, fixed before training.

Tests are dealt to the processes of torchrun; ``--merge`` prints the table.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from diffusers import AutoencoderKLFlux2
from PIL import Image
from tokenizers import Tokenizer

from captions import CaptionWriter
from compose import Composer
from draw_scenes import scene_arrays
from networks import (
    TrainingTransformer,
    decode_latents,
    encode_pictures,
    make_text_encoder,
    transformer_block,
)
from palette import BACKGROUND_COLOURS, TINTS
from ranks import start_ranks
from sampling import PictureMaker
from scene import SQUARE, TALL, WIDE, Background, Scene, SceneDrawer
from vocabulary import RENDERED_STYLES, Concept, Vocabulary
from weights import read_weights

HERE = Path(__file__).parent
SETTINGS = json.loads((HERE / "evaluation_settings.json").read_text(encoding="utf-8"))
COLOUR_INDEX = {colour.key: i for i, colour in enumerate(BACKGROUND_COLOURS)}
MEASURED_TINTS = 10  # those of the palette when the test was fixed; black and white came later
LARGE_GROUPS = ("animals", "food", "travel", "objects")
Result = dict[str, float | int | str]


class Undisturbed(random.Random):
    """A random source that always answers the middle, for originals without disorder."""

    def random(self) -> float:
        return 0.9

    def uniform(self, a: float, b: float) -> float:
        return (a + b) / 2


def single(
    concept: Concept, style: str, colour: str, shape: int = SQUARE, tint: int | None = None
) -> Scene:
    """A scene of one concept on a plain background."""
    background = Background("solid", (COLOUR_INDEX[colour],))
    return Scene("single", 1, (concept,), style, (tint,), background, shape)


def pair(first: Concept, second: Concept) -> Scene:
    """Two 3D concepts side by side on white."""
    background = Background("solid", (COLOUR_INDEX["white"],))
    return Scene("pair", 2, (first, second), "3d", (None, None), background, arrangement="beside")


@dataclass
class Evaluation:
    """The model, the originals and the draws of one run."""

    maker: PictureMaker
    composer: Composer
    vocabulary: Vocabulary
    out: Path
    scale: float = 1.0  # of all sample sizes, for dry runs
    measured_groups: tuple[str, ...] = tuple(SETTINGS["groups"])  # in the group tests

    def __post_init__(self) -> None:
        self.drawer = SceneDrawer(self.vocabulary, Undisturbed())
        self.features: dict[tuple[str, str, int], torch.Tensor] = {}

    # pictures and originals

    def size(self, name: str) -> int:
        return max(2, round(SETTINGS[name] * self.scale))

    def originals(self, scenes: Sequence[Scene]) -> torch.Tensor:
        parts = []
        for start in range(0, len(scenes), 200):
            chosen = scenes[start : start + 200]
            rows = [scene_arrays(self.drawer, scene) for scene in chosen]
            arrays = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
            parts.append(self.composer.compose(arrays, chosen[0].shape))
        return torch.cat(parts)

    def made(self, scenes: Sequence[Scene], language: str) -> torch.Tensor:
        writer = CaptionWriter(random.Random(0), exact=True)
        captions = [writer.write(scene, language) for scene in scenes]
        return self.maker.make(captions, SETTINGS["noise_seed"], scenes[0].shape)

    def thumbnail(self, pictures: torch.Tensor) -> torch.Tensor:
        return F.adaptive_avg_pool2d(pictures, SETTINGS["thumbnail_px"]).flatten(1)

    def _gallery(self, style: str, colour: str, shape: int) -> torch.Tensor:
        """Thumbnails of all concepts' originals in one style on one colour."""
        key = (style, colour, shape)
        if key not in self.features:
            scenes = [single(c, style, colour, shape) for c in self.vocabulary.concepts]
            parts = [scenes[i : i + 200] for i in range(0, len(scenes), 200)]
            self.features[key] = torch.cat([self.thumbnail(self.originals(p)) for p in parts])
        return self.features[key]

    def ranks_of_truth(self, scenes: Sequence[Scene], pictures: torch.Tensor) -> list[int]:
        """For each picture, how many other concepts are nearer than the one asked for."""
        ranks = [0] * len(scenes)
        batches: dict[tuple[str, str, int], list[int]] = defaultdict(list)
        for i, scene in enumerate(scenes):
            colour = BACKGROUND_COLOURS[scene.background.colours[0]].key
            batches[scene.style, colour, scene.shape].append(i)
        step = SETTINGS["shift_px"]
        for (style, colour, shape), members in batches.items():
            gallery = self._gallery(style, colour, shape)
            drawn = torch.tensor(
                [style in c.styles for c in self.vocabulary.concepts], device=gallery.device
            )
            shifts = [(0, 0), (0, step), (0, -step), (step, 0), (-step, 0)]
            distance = torch.stack(
                [
                    torch.cdist(self.thumbnail(torch.roll(pictures[members], s, (2, 3))), gallery)
                    for s in shifts
                ]
            ).amin(0)
            distance[:, ~drawn] = torch.inf
            for row, i in zip(distance, members, strict=True):
                ranks[i] = int((row < row[scenes[i].concepts[0].index]).sum())
        return ranks

    def background_share(self, scenes: Sequence[Scene], pictures: torch.Tensor) -> float:
        """Share of pictures whose corners have the colour asked for."""
        e = 10
        corners = [pictures[..., :e, :e], pictures[..., :e, -e:], pictures[..., -e:, :e]]
        corners.append(pictures[..., -e:, -e:])
        median = torch.cat([corner.flatten(2) for corner in corners], 2).median(2)[0]
        palette = torch.tensor([c.rgb for c in BACKGROUND_COLOURS], device=median.device) / 255
        nearest = torch.cdist(median, palette).argmin(1).tolist()
        right = [n == s.background.colours[0] for n, s in zip(nearest, scenes, strict=True)]
        return sum(right) / len(right)

    def save_grid(self, name: str, pictures: torch.Tensor) -> None:
        if len(pictures) == 0:
            return
        shown = (pictures[:60].clamp(0, 1) * 255).byte().permute(0, 2, 3, 1).cpu().numpy()
        height, width = shown.shape[1:3]
        grid = np.full((height * ((len(shown) + 9) // 10), width * 10, 3), 255, np.uint8)
        for i, picture in enumerate(shown):
            top, left = i // 10 * height, i % 10 * width
            grid[top : top + height, left : left + width] = picture
        half = Image.fromarray(grid)
        half.resize((half.width // 2, half.height // 2)).save(self.out / f"{name}.jpg", quality=85)

    # tests

    def draw(self, name: str) -> random.Random:
        return random.Random(SETTINGS["draw_seed"] + zlib.crc32(name.encode()))

    def by_group(self, scenes: Sequence[Scene], hits: Sequence[int]) -> Result:
        """Means over the whole list and over each group; every group counts the same in 'mean'."""
        groups: dict[str, list[bool]] = defaultdict(list)
        for scene, rank in zip(scenes, hits, strict=True):
            groups[scene.concepts[0].group].append(rank == 0)
        means = {group: sum(found) / len(found) for group, found in groups.items()}
        members = {g: sum(c.group == g for c in self.vocabulary.concepts) for g in means}
        weighted = sum(means[g] * members[g] for g in means) / sum(members.values())
        return {
            "pictures": len(scenes),
            "top1": sum(r == 0 for r in hits) / len(hits),
            "top5": sum(r < 5 for r in hits) / len(hits),
            "top1_by_list_share": weighted,
            **{f"top1_{group}": mean for group, mean in sorted(means.items())},
        }

    def _held_out_scenes(self) -> list[Scene]:
        rng, scenes = self.draw("held-out background"), []
        for group in SETTINGS["groups"]:
            members = [c for c in self.vocabulary.concepts if c.group == group]
            found = 0
            while members and found < self.size("held_out_background_per_group"):
                concept, style = rng.choice(members), rng.choice(RENDERED_STYLES)
                colour = rng.choice(SETTINGS["background_colours"])
                if style in concept.trained_styles and concept.is_background_held_out(colour):
                    scenes.append(single(concept, style, colour))
                    found += 1
        return scenes

    def held_out_background(self, language: str) -> Result:
        scenes = self._held_out_scenes()
        pictures = self.made(scenes, language)
        self.save_grid(f"held_out_{language}", pictures[:: max(1, len(pictures) // 60)])
        result = self.by_group(scenes, self.ranks_of_truth(scenes, pictures))
        return result | {"background_colour": self.background_share(scenes, pictures)}

    def ceiling(self, _: str) -> Result:
        """The same test on the originals themselves, sent through the autoencoder."""
        scenes = self._held_out_scenes()
        pictures = self.originals(scenes)
        latents = torch.cat([encode_pictures(self.maker.vae, p) for p in pictures.split(64)])
        pictures = decode_latents(self.maker.vae, latents)
        return self.by_group(scenes, self.ranks_of_truth(scenes, pictures))

    def groups(self, language: str) -> Result:
        """'3d, white background', concepts of each group drawn without repetition."""
        rng, scenes = self.draw("groups"), []
        for group in SETTINGS["groups"]:
            members = [c for c in self.vocabulary.concepts if c.group == group]
            count = self.size("group_test_per_group")
            chosen = rng.sample(members, min(count, len(members)))
            chosen += rng.choices(members, k=count - len(chosen)) if members else []
            if group in self.measured_groups:
                scenes += [single(concept, "3d", "white") for concept in chosen]
        pictures = self.made(scenes, language)
        self.save_grid(f"groups_{language}", pictures[:: max(1, len(pictures) // 60)])
        objects = [i for i, s in enumerate(scenes) if s.concepts[0].group == "objects"]
        self.save_grid(f"objects_{language}", pictures[objects])
        result = self.by_group(scenes, self.ranks_of_truth(scenes, pictures))
        means = [float(result[f"top1_{g}"]) for g in LARGE_GROUPS if f"top1_{g}" in result]
        result["mean_of_animals_food_travel_objects"] = sum(means) / len(means)
        return result | {"background_colour": self.background_share(scenes, pictures)}

    def held_out_style(self, language: str) -> Result:
        rng, scenes = self.draw("held-out style"), []
        while len(scenes) < self.size("held_out_style"):
            concept = rng.choice(self.vocabulary.concepts)
            style, colour = rng.choice(RENDERED_STYLES), rng.choice(SETTINGS["background_colours"])
            if style in concept.styles and concept.is_style_held_out(style):
                scenes.append(single(concept, style, colour))
        pictures = self.made(scenes, language)
        ranks = self.ranks_of_truth(scenes, pictures)
        return {
            "pictures": len(scenes),
            "top1": sum(r == 0 for r in ranks) / len(ranks),
            "top5": sum(r < 5 for r in ranks) / len(ranks),
        }

    def other_shape(self, language: str, shape: int) -> Result:
        """'3d' on the six colours in a shape that is not square; concepts of the whole list."""
        rng = self.draw(f"shape {shape}")
        scenes = [
            single(
                rng.choice(self.vocabulary.concepts),
                "3d",
                rng.choice(SETTINGS["background_colours"]),
                shape,
            )
            for _ in range(self.size("other_shapes"))
        ]
        pictures = self.made(scenes, language)
        self.save_grid(f"shape_{shape}", pictures)
        ranks = self.ranks_of_truth(scenes, pictures)
        return {
            "pictures": len(scenes),
            "top1": sum(r == 0 for r in ranks) / len(ranks),
            "top5": sum(r < 5 for r in ranks) / len(ranks),
            "background_colour": self.background_share(scenes, pictures),
        }

    def wide(self, language: str) -> Result:
        return self.other_shape(language, WIDE)

    def tall(self, language: str) -> Result:
        return self.other_shape(language, TALL)

    def tint(self, language: str) -> Result:
        """Held-out (concept, tint), 3D on white: is the mean colour that of the right tint?"""
        rng, scenes = self.draw("tint"), []
        while len(scenes) < self.size("held_out_tint"):
            concept = rng.choice(self.vocabulary.concepts)
            tint = rng.randrange(MEASURED_TINTS)
            allowed = tint in self.vocabulary.tints[concept.index]
            if allowed and concept.is_tint_held_out(TINTS[tint].key):
                scenes.append(single(concept, "3d", "white", tint=tint))
        pictures = self.made(scenes, language)
        self.save_grid(f"tint_{language}", pictures)
        right = 0
        for scene, picture in zip(scenes, pictures, strict=True):
            variants = [
                single(scene.concepts[0], "3d", "white", tint=i) for i in range(MEASURED_TINTS)
            ]
            colours = torch.stack([_mean_colour(p) for p in self.originals(variants)])
            nearest = int((colours - _mean_colour(picture)).norm(dim=1).argmin())
            right += nearest == scene.tints[0]
        return {"pictures": len(scenes), "right_colour": right / len(scenes)}

    def pairs(self, language: str) -> Result:
        """Two random concepts side by side: nearest original in each half."""
        rng = self.draw("pairs")
        concepts = self.vocabulary.concepts
        scenes = [pair(*rng.sample(concepts, 2)) for _ in range(self.size("pairs"))]
        pictures = self.made(scenes, language)
        self.save_grid(f"pairs_{language}", pictures)
        twins = [pair(concept, concept) for concept in concepts]
        halves = _halves(self.originals(twins))
        ours = _halves(pictures)
        result: Result = {"pictures": len(scenes)}
        for side, name in enumerate(("left", "right")):
            nearest = torch.cdist(ours[side], halves[side]).argmin(1).tolist()
            right = [n == s.concepts[side].index for n, s in zip(nearest, scenes, strict=True)]
            result[f"{name}_top1"] = sum(right) / len(right)
        return result


def _mean_colour(picture: torch.Tensor) -> torch.Tensor:
    """Mean RGB of all that is not white."""
    pixels = picture.flatten(1)
    drawn = pixels.amin(0) < 0.9
    return pixels[:, drawn].mean(1) if bool(drawn.any()) else pixels.mean(1)


def _halves(pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    small = F.adaptive_avg_pool2d(pictures, 64)
    return small[..., :32].flatten(1), small[..., 32:].flatten(1)


def load_maker(
    weights: Path, vae: Path, pack: Path, device: str, *, bfloat16: bool | None = None
) -> PictureMaker:
    """The networks from weights of train.py or a checkpoint, with the fixed settings.

    They compute in bfloat16 on a GPU and in float32 on the CPU unless ``bfloat16`` says otherwise.
    """
    transformer, text_encoder = TrainingTransformer(), make_text_encoder()
    tensors = read_weights(weights)
    for prefix, module in (("transformer.", transformer.model), ("text_encoder.", text_encoder)):
        own = {
            k.removeprefix(prefix): v.float() for k, v in tensors.items() if k.startswith(prefix)
        }
        module.load_state_dict(own)
    return PictureMaker(
        transformer=transformer.to(device).eval(),
        text_encoder=text_encoder.to(device).eval(),
        vae=AutoencoderKLFlux2.from_pretrained(vae).to(device).eval(),
        tokenizer=Tokenizer.from_file(str(pack / "tokenizer/tokenizer.json")),
        device=device,
        steps=SETTINGS["steps"],
        guidance_scale=SETTINGS["guidance_scale"],
        sigma_shift=SETTINGS["sigma_shift"],
        bfloat16=device != "cpu" if bfloat16 is None else bfloat16,
    )


def merge(out: Path) -> None:
    """Joins the processes' results into results.json and prints it."""
    results: dict[str, Result] = {}
    for file in sorted(out.glob("results-*.json")):
        results |= json.loads(file.read_text())
    (out / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    for name, result in results.items():
        cells = [f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in result.items()]
        print(f"{name}: {', '.join(cells)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument(
        "--weights", type=Path, required=True, help="averaged weights, or a checkpoint folder"
    )
    parser.add_argument("--vae", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tests", nargs="*", help="names such as groups-en; all by default")
    parser.add_argument("--scale", type=float, default=1.0, help="of the sample sizes (dry runs)")
    parser.add_argument("--limit", type=int, help="use the first N concepts only (dry runs)")
    parser.add_argument("--wait-for", type=Path, help="start when this file is there")
    parser.add_argument(
        "--groups", nargs="*", help="measure these in the group tests; all by default"
    )
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument(
        "--bfloat16", action="store_true", help="compute in bfloat16 on the CPU too"
    )
    parser.add_argument("--compile", action="store_true", help="compile the transformer's layers")
    parser.add_argument("--merge", action="store_true", help="only join results")
    arguments = parser.parse_args()
    if arguments.merge:
        merge(arguments.out)
        return
    ranks = start_ranks(arguments.cpu)
    arguments.out.mkdir(parents=True, exist_ok=True)
    vocabulary = Vocabulary(limit=arguments.limit)
    composer = Composer(arguments.pack, vocabulary, ranks.device)
    while arguments.wait_for and not arguments.wait_for.exists():
        time.sleep(0.5)
    maker = load_maker(
        arguments.weights,
        arguments.vae,
        arguments.pack,
        ranks.device,
        bfloat16=True if arguments.bfloat16 else None,
    )
    if arguments.compile:
        maker.transformer.block = torch.compile(transformer_block, dynamic=True)
    evaluation = Evaluation(maker, composer, vocabulary, arguments.out, arguments.scale)
    evaluation.measured_groups = tuple(arguments.groups or SETTINGS["groups"])
    tests: list[tuple[str, Callable[[str], Result], str]] = [
        ("held_out_background-en", evaluation.held_out_background, "en"),
        ("held_out_background-zh", evaluation.held_out_background, "zh"),
        ("groups-en", evaluation.groups, "en"),
        ("groups-zh", evaluation.groups, "zh"),
        ("pairs-en", evaluation.pairs, "en"),
        ("pairs-zh", evaluation.pairs, "zh"),
        ("tint-en", evaluation.tint, "en"),
        ("tint-zh", evaluation.tint, "zh"),
        ("ceiling", evaluation.ceiling, "en"),
        ("wide-en", evaluation.wide, "en"),
        ("tall-zh", evaluation.tall, "zh"),
        ("held_out_style-en", evaluation.held_out_style, "en"),
    ]
    chosen = [t for t in tests if not arguments.tests or t[0] in arguments.tests]
    results: dict[str, Result] = {}
    for name, test, language in chosen[ranks.rank :: ranks.count]:
        results[name] = test(language)
        (arguments.out / f"results-{ranks.rank}.json").write_text(json.dumps(results))
    ranks.wait_for_all()


if __name__ == "__main__":
    main()
