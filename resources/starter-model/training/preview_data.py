"""Writes a sheet of random training pictures with their captions, to look at before training."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
from PIL import Image

from captions import CaptionWriter
from compose import Composer
from draw_scenes import scene_arrays
from scene import SHAPES, SceneDrawer
from vocabulary import Vocabulary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    vocabulary = Vocabulary(limit=arguments.limit)
    rng = random.Random(arguments.seed)
    drawer, writer = SceneDrawer(vocabulary, rng), CaptionWriter(rng)
    composer = Composer(arguments.pack, vocabulary, "cpu", threads=2)
    sheet = Image.new("RGB", (10 * 160, 6 * 160), "gray")
    for i in range(60):
        scene = drawer.draw()
        rows = {name: value[None] for name, value in scene_arrays(drawer, scene).items()}
        picture = composer.compose(rows, scene.shape)[0].permute(1, 2, 0).numpy()
        small = Image.fromarray((picture * 255).astype(np.uint8))
        small.thumbnail((160, 160))
        sheet.paste(small, (160 * (i % 10), 160 * (i // 10)))
        print(i, SHAPES[scene.shape], writer.write(scene, "en"), "|", writer.write(scene, "zh"))
    sheet.save(arguments.out)


if __name__ == "__main__":
    main()
