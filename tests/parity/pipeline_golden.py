"""The reference's pictures for whole-pipeline parity; runs in `.venv-reference`.

    .venv-reference/bin/python -m tests.parity.pipeline_golden FOLDER

writes one PNG per case and `cases.json`, made by the unmodified `ErnieImagePipeline` on the starter
weights, with our own initial noise in place of torch's. `tests/golden/pipeline` holds the result
for the weights in the repository; make it anew when those change.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from diffusers import ErnieImagePipeline

from engine.sampling import noise

ROOT = Path(__file__).parents[2]
STARTER = ROOT / "resources" / "starter-model"
SIZE = 256
PIXELS_PER_LATENT = 16

PROMPTS = (
    "an orange cat on a blue background",
    "一只橘猫在蓝色背景上",
    "a rocket in space, 3d",
    "雪地里的一只企鹅",
    "a panda",
    "一个西瓜，浅绿色背景",
    "a dog and a cat",
    "左边是太阳，右边是月亮",
    "three red balloons",
    "像素风格的爱心",
)


def cases() -> list[dict[str, object]]:
    """Every sort of request: with and without guidance and negative prompt, several lengths."""
    return [
        {
            "file": f"{index:02d}.png",
            "prompt": prompt,
            "negative_prompt": "a dog" if index in (4, 5) else "",
            "seed": 1000 + index,
            "steps": 4 + index % 5,
            "guidance_scale": 1.0 if index in (2, 3) else 3.5,
        }
        for index, prompt in enumerate(PROMPTS)
    ]


def main(folder: Path) -> None:
    torch.set_grad_enabled(False)
    pipeline = ErnieImagePipeline.from_pretrained(STARTER, dtype=torch.float32)
    pipeline.set_progress_bar_config(disable=True)
    channels = pipeline.transformer.config.in_channels
    side = SIZE // PIXELS_PER_LATENT
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases():
        start = noise.standard_normal(int(str(case["seed"])), (1, channels, side, side))
        picture = pipeline(
            case["prompt"],
            negative_prompt=case["negative_prompt"],
            height=SIZE,
            width=SIZE,
            num_inference_steps=case["steps"],
            guidance_scale=case["guidance_scale"],
            latents=torch.from_numpy(start),
            use_pe=False,
        ).images[0]
        picture.save(folder / str(case["file"]), optimize=True)
    text = json.dumps(cases(), ensure_ascii=False, indent=1)
    (folder / "cases.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
