"""Draws many scenes with captions, on all cores, into one compressed file for training.

Apart from training itself because it needs no torch: processes start at once, and the pool of one
seed is the same on every machine.
"""

from __future__ import annotations

import argparse
import random
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from captions import CaptionWriter
from scene import MOST_OBJECTS, Scene, SceneDrawer
from vocabulary import STYLES, Vocabulary

CAPTIONS_PER_SCENE = 4  # English and Chinese in turn
TEXT_LENGTH = 32
PAD_ID = 3
SCENES_PER_TASK = 2000


def encode_captions(tokenizer: Tokenizer, captions: list[str]) -> np.ndarray:
    """[n, TEXT_LENGTH + 1] int16: token ids padded with PAD_ID, then the length."""
    table = np.full((len(captions), TEXT_LENGTH + 1), PAD_ID, np.int16)
    for row, encoding in zip(table, tokenizer.encode_batch(captions), strict=True):
        ids = encoding.ids[:TEXT_LENGTH]
        row[: len(ids)] = ids
        row[TEXT_LENGTH] = len(ids)
    return table


def scene_arrays(drawer: SceneDrawer, scene: Scene) -> dict[str, np.ndarray]:
    """The numbers that compose.py needs, for one scene."""
    concept = np.full(MOST_OBJECTS, -1, np.int16)
    place = np.zeros((MOST_OBJECTS, 3), np.float32)
    tint = np.full(MOST_OBJECTS, -1, np.int8)
    for i, placed in enumerate(drawer.layout(scene)):
        concept[i] = placed.concept.index
        place[i] = (placed.x, placed.y, placed.size)
        tint[i] = -1 if placed.tint is None else placed.tint
    return {
        "concept": concept,
        "place": place,
        "tint": tint,
        "style": np.int8(STYLES.index(scene.style)),
        "shape": np.int8(scene.shape),
        "ground": np.bool_(scene.has_ground),
        "background": np.array(drawer.background_code(scene), np.float32),
    }


def draw_chunk(task: tuple[int, int, str, int | None]) -> dict[str, np.ndarray]:
    """The arrays of ``count`` scenes drawn from one seed."""
    seed, count, tokenizer_file, limit = task
    rng = random.Random(seed)
    vocabulary = Vocabulary(limit=limit)
    drawer = SceneDrawer(vocabulary, rng)
    writer = CaptionWriter(rng, taken=vocabulary.all_names)
    rows, captions = [], []
    for _ in range(count):
        scene = drawer.draw()
        rows.append(scene_arrays(drawer, scene))
        captions += [writer.write(scene, ("en", "zh")[i % 2]) for i in range(CAPTIONS_PER_SCENE)]
    arrays = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
    tokens = encode_captions(Tokenizer.from_file(tokenizer_file), captions)
    arrays["tokens"] = tokens.reshape(count, CAPTIONS_PER_SCENE, TEXT_LENGTH + 1)
    return arrays


def draw_pool(
    count: int, seed: int, tokenizer_file: Path, processes: int, limit: int | None = None
) -> dict[str, np.ndarray]:
    """Arrays of ``count`` scenes; the same for a seed whatever the number of processes."""
    tasks = [
        (seed * 1_000_003 + i, min(SCENES_PER_TASK, count - start), str(tokenizer_file), limit)
        for i, start in enumerate(range(0, count, SCENES_PER_TASK))
    ]
    with ProcessPoolExecutor(processes) as pool:
        chunks = list(pool.map(draw_chunk, tasks))
    return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--limit", type=int, help="use the first N concepts only (dry runs)")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    pool = draw_pool(
        arguments.count,
        arguments.seed,
        arguments.tokenizer,
        arguments.processes,
        arguments.limit,
    )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    unfinished = arguments.out.with_suffix(".unfinished.npz")
    np.savez(unfinished, **pool)  # type: ignore[arg-type]  # numpy's stub takes arrays only by name
    unfinished.rename(arguments.out)


if __name__ == "__main__":
    main()
