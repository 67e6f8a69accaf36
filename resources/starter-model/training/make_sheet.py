"""Draws the everyday prompts with Danqing's own engine, for the model card.

    .venv/bin/python resources/starter-model/training/make_sheet.py FOLDER [--model FOLDER]

Runs in the app's environment: what is judged is what users get.  Writes every picture alone, as
en-01.png ... zh-30.png, for a reader who is shown one at a time, and all on sheet.png with their
prompts.  Settings and seed are those of everyday_prompts.json, fixed before the first training.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))

from engine import bootstrap  # noqa: E402 - after the path

bootstrap.prepare(bootstrap.cores())

from engine.catalog import Catalog  # noqa: E402
from engine.device import CpuDevice  # noqa: E402
from engine.port import (  # noqa: E402
    EngineEvent,
    GenerationRequest,
    ImageCompleted,
    JobId,
    RgbImage,
    Sampler,
    SigmaSchedule,
)
from engine.session import Session  # noqa: E402

COLUMNS, CELL_PX, LABEL_PX = 10, 192, 40


def draw(session: Session, model: str, prompt: str, settings: dict) -> Image.Image:
    events: list[EngineEvent] = []
    request = GenerationRequest(
        prompt=prompt,
        seed=settings["seed"],
        width=settings["width"],
        height=settings["height"],
        steps=settings["steps"],
        guidance_scale=settings["guidance_scale"],
        sampler=Sampler(settings["sampler"]),
        sigma_schedule=SigmaSchedule(settings["sigma_schedule"]),
        model_id=model,  # pyright: ignore[reportArgumentType]
        preview=False,
    )
    session.generate(JobId("sheet"), request, events.append, lambda: None)
    (picture,) = [event.image for event in events if isinstance(event, ImageCompleted)]
    return _image(picture)


def _image(picture: RgbImage) -> Image.Image:
    return Image.frombytes("RGB", (picture.width, picture.height), picture.data)


def font(size: int) -> ImageFont.FreeTypeFont:
    """A font with Chinese glyphs, as fontconfig knows it."""
    found = subprocess.run(
        ["fc-match", "-f", "%{file}", "Noto Sans CJK SC:lang=zh-cn"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return ImageFont.truetype(found, size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--model", type=Path, default=HERE.parent)
    arguments = parser.parse_args()
    settings = json.loads((HERE / "everyday_prompts.json").read_text(encoding="utf-8"))
    prompts = [
        (f"{lang}-{i:02d}", p) for lang in ("en", "zh") for i, p in enumerate(settings[lang], 1)
    ]
    catalog = Catalog(arguments.model, [])
    session = Session(CpuDevice(), catalog)
    model = catalog.models()[0].model_id
    arguments.out.mkdir(parents=True, exist_ok=True)
    rows = -(-len(prompts) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * CELL_PX, rows * (CELL_PX + LABEL_PX)), "white")
    pen, label_font = ImageDraw.Draw(sheet), font(13)
    for index, (name, prompt) in enumerate(prompts):
        picture = draw(session, model, prompt, settings)
        picture.save(arguments.out / f"{name}.png")
        x, y = index % COLUMNS * CELL_PX, index // COLUMNS * (CELL_PX + LABEL_PX)
        sheet.paste(
            picture.resize((CELL_PX - 4, CELL_PX - 4), Image.Resampling.LANCZOS), (x + 2, y)
        )
        pen.multiline_text(
            (x + 4, y + CELL_PX - 2), _wrapped(prompt), "black", label_font, spacing=1
        )
    sheet.save(arguments.out / "sheet.png", optimize=True)


def _wrapped(prompt: str, limit: int = 27) -> str:
    if len(prompt) <= limit:
        return prompt
    cut = prompt.rfind(" ", 0, limit)
    return f"{prompt[:cut]}\n{prompt[cut + 1 :]}"


if __name__ == "__main__":
    main()
