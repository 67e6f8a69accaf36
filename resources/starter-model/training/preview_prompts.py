"""Makes the 60 everyday prompts with the networks in training form, as one sheet, to look at."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from evaluate import load_maker

HERE = Path(__file__).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--vae", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cpu", action="store_true")
    arguments = parser.parse_args()
    maker = load_maker(
        arguments.weights, arguments.vae, arguments.pack, "cpu" if arguments.cpu else "cuda"
    )
    chosen = json.loads((HERE / "everyday_prompts.json").read_text(encoding="utf-8"))
    maker.steps, maker.guidance_scale = chosen["steps"], chosen["guidance_scale"]
    prompts = chosen["en"] + chosen["zh"]
    pictures = torch.cat([maker.make([p], chosen["seed"]) for p in prompts])
    values = (pictures * 255).byte().permute(0, 2, 3, 1).cpu().numpy()
    rows = [np.concatenate(list(values[i : i + 10]), axis=1) for i in range(0, len(values), 10)]
    sheet = Image.fromarray(np.concatenate(rows))
    sheet.resize((1600, 160 * len(rows)), Image.Resampling.BOX).save(arguments.out, quality=88)


if __name__ == "__main__":
    main()
