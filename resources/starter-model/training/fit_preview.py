"""Fits the preview factors of a model and writes them into its manifest.

Run it whenever the model's VAE has changed, with the program's own environment:

    python resources/starter-model/training/fit_preview.py

It draws a few pictures through the engine and keeps, at several steps of each, the denoised latent
and what the decoder makes of it. Least squares then gives the linear map from one latent element to
`cell` x `cell` averaged pixels (engine/preview.py). Every fourth picture is held out; the figure
printed at the end is measured on those.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from engine import bootstrap  # noqa: E402

bootstrap.prepare(bootstrap.cores())
with bootstrap.quiet_import():
    from engine.loaded_model import LoadedModel

from engine.catalog import Catalog  # noqa: E402
from engine.device import CpuDevice  # noqa: E402
from engine.manifest import NAME  # noqa: E402
from engine.sampling import dpm_solver, guidance, noise, schedule  # noqa: E402

PROMPTS = (
    "an orange cat on a blue background",
    "a red apple on a green background",
    "一只粉色的大象，黄色背景",
    "a purple octopus on an orange background",
    "雪地里的一只企鹅",
    "a rocket in space, 3d",
    "海底的一只海豚",
    "a palm tree on the beach",
    "一座房子在山前，日落",
    "an owl at night",
    "一个西瓜，浅绿色背景",
    "a birthday cake on a table",
    "a black cat, white background",
    "白色的兔子，黑色背景",
    "a brown bear in the forest",
    "a sunflower on a pink striped background",
    "蓝色波点背景上的吉他",
    "a green frog, cartoon",
    "太空中的飞碟，扁平风格",
    "a yellow duck, pixel art",
    "沙漠里的仙人掌",
    "a gray elephant in the rain",
    "皇冠，紫色背景",
    "a red car in the city",
)
STEPS = 12
KEPT_STEPS = (4, 8, 12)
GUIDANCE_SCALE = 3.5

Pair = tuple[np.ndarray, np.ndarray]


def pairs(model: LoadedModel, shift: float, side: int) -> Iterator[list[Pair]]:
    """For each prompt: (denoised latent (C, h, w), picture 0 .. 1 (3, H, W)) at the kept steps."""
    size = side // model.pixels_per_latent
    negative = model.encode("", _never)
    for seed, prompt in enumerate(PROMPTS):
        texts = [model.encode(prompt, _never), negative]
        velocities = model.velocities(texts, size, size, _never)
        velocity = guidance.guided_velocity(velocities, GUIDANCE_SCALE)
        latent = noise.standard_normal(seed, (1, model.latent_channels, size, size))
        steps = dpm_solver.dpmpp_2m(velocity, latent, schedule.flow_sigmas(STEPS, shift))
        kept = [step.denoised for step in steps if step.step in KEPT_STEPS]
        pictures = [model.decode(x, None, _never, lambda piece, pieces: None) for x in kept]
        print(f"{seed + 1}/{len(PROMPTS)} {prompt}", flush=True)
        yield [
            (x[0], np.clip(picture[0] * 0.5 + 0.5, 0.0, 1.0))
            for x, picture in zip(kept, pictures, strict=True)
        ]


def rows(pair: Pair, cell: int) -> Pair:
    """(h * w, C + 1) latent elements with a one, and (h * w, 3 * cell**2) averaged colours."""
    latent, picture = pair
    channels, height, width = latent.shape
    block = picture.shape[1] // (height * cell)
    small = picture.reshape(3, height * cell, block, width * cell, block).mean((2, 4))
    colours = small.reshape(3, height, cell, width, cell).transpose(1, 3, 0, 2, 4)
    elements = np.vstack([latent.reshape(channels, -1), np.ones((1, height * width))]).T
    return elements, colours.reshape(height * width, 3 * cell**2)


def fit(pictures: list[list[Pair]], cell: int) -> tuple[np.ndarray, float]:
    """The factors (C + 1, 3 * cell**2), bias last, and the PSNR in dB on held-out pictures."""

    def stacked(chosen: list[list[Pair]]) -> Pair:
        parts = [rows(pair, cell) for picture in chosen for pair in picture]
        return np.vstack([x for x, _ in parts]), np.vstack([y for _, y in parts])

    held_out = pictures[::4]
    x, y = stacked([picture for index, picture in enumerate(pictures) if index % 4])
    factors, *_ = np.linalg.lstsq(x, y, rcond=None)
    x, y = stacked(held_out)
    error = np.mean((np.clip(x @ factors, 0.0, 1.0) - y) ** 2)
    return factors, float(-10.0 * np.log10(error))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--model", type=Path, default=ROOT / "resources" / "starter-model")
    parser.add_argument("--cell", type=int, default=4, help="preview pixels per latent element")
    parser.add_argument("--dry-run", action="store_true", help="measure, change nothing")
    arguments = parser.parse_args()
    catalog = Catalog(arguments.model, [])
    info = catalog.find(str(arguments.model))
    configuration = catalog.configuration(info.model_id)
    device = CpuDevice()
    with device.activate():
        model = LoadedModel(info, configuration, arguments.model, device, None)
        pictures = list(pairs(model, configuration.shift, info.defaults.size.width))
    for cell in sorted({1, 2, 4, 8, arguments.cell}):
        print(f"cell {cell}: {fit(pictures, cell)[1]:.1f} dB on held-out pictures")
    factors, _ = fit(pictures, arguments.cell)
    if not arguments.dry_run:
        path = arguments.model / NAME
        manifest = json.loads(path.read_text(encoding="utf-8"))
        *weights, bias = np.round(factors, 4).tolist()
        manifest["preview"] = {"weights": weights, "bias": bias}
        path.write_text(_written(manifest), encoding="utf-8")


def _written(manifest: dict) -> str:
    """JSON with one line for each row of numbers."""
    preview = manifest.pop("preview")
    head = json.dumps(manifest, ensure_ascii=False, indent=2).removesuffix("\n}")
    weights = ",\n".join(f"      {json.dumps(row)}" for row in preview["weights"])
    bias = json.dumps(preview["bias"])
    numbers = f'{{\n    "weights": [\n{weights}\n    ],\n    "bias": {bias}\n  }}'
    return f'{head},\n  "preview": {numbers}\n}}\n'


def _never() -> None:
    """Nobody cancels this."""


if __name__ == "__main__":
    main()
