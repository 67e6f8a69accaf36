"""The golden picture: one picture of the starter model, committed, that every device must repeat.

What catches black and grey pictures, and wrong numbers that no single operation shows. The
reference belongs to the weights that made it; their digests stand beside it, so that a new starter
model is not mistaken for a broken device. After replacing the model:

    python -m engine.checks.golden --write
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import resources
from engine.catalog import Catalog
from engine.port import (
    DevicePreference,
    EngineEvent,
    GenerationRequest,
    ImageCompleted,
    JobId,
    ModelId,
    Sampler,
    SigmaSchedule,
)
from engine.session import Session
from engine.weights.component import weight_files

Pixels = np.ndarray
"""uint8 [H, W, 3]."""

LEAST_PSNR_DB: Mapping[str, float] = {"float32": 45.0, "float16": 30.0, "bfloat16": 30.0}
LARGEST_MEAN_DIFFERENCE = 2.0
"""Of 255, for each colour channel's mean."""

_COMPONENTS = ("transformer", "text_encoder", "vae")
_FORMAT = {"format": "danqing-golden", "version": 1}
_UNIFORM_DEVIATION = 2.0
"""Of 255: below it a picture is one colour to the eye."""


class Unreadable(Exception):
    """The reference is missing or damaged."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The picture, how to make it again, and the digests of the weights that made it."""

    settings: Mapping[str, Any]
    sha256: Mapping[str, str]
    pixels: Pixels

    def request(self, model_id: ModelId) -> GenerationRequest:
        return _request(self.settings, model_id)


def folder() -> Path:
    """Where the reference lies."""
    return resources.path("golden")


def starter() -> Path:
    """The folder of the model that must repeat it."""
    return resources.path("starter-model")


def read(place: Path) -> Reference:
    """The reference in the folder `place`. Raises `Unreadable`."""
    try:
        record = json.loads((place / "starter.json").read_text(encoding="utf-8"))
        if {key: record[key] for key in _FORMAT} != _FORMAT:
            raise Unreadable("starter.json is not of this version")
        with Image.open(place / "starter.png") as image:
            pixels = np.asarray(image.convert("RGB"))
        return Reference(record["settings"], record["sha256"], pixels)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unreadable(str(error)) from error


def digests(model_folder: Path) -> dict[str, str]:
    """SHA-256 over the weight files of each network. Raises `EngineFault` as `weight_files`."""
    found = {}
    for component in _COMPONENTS:
        sha256 = hashlib.sha256()
        for file in weight_files(model_folder / component):
            with file.open("rb") as stream:
                while chunk := stream.read(1 << 22):
                    sha256.update(chunk)
        found[component] = sha256.hexdigest()
    return found


def draw(
    session: Session, request: GenerationRequest, on_event: Callable[[EngineEvent], None]
) -> Pixels:
    """The first picture of a request, made as the engine makes every picture."""
    pictures: list[Pixels] = []

    def receive(event: EngineEvent) -> None:
        on_event(event)
        if isinstance(event, ImageCompleted):
            data = np.frombuffer(event.image.data, np.uint8)
            pictures.append(data.reshape(event.image.height, event.image.width, 3))

    session.generate(JobId("selftest"), request, receive, _never)
    return pictures[0]


# --- comparing ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How near a picture is to the reference: decibels, and the worst channel mean (of 255)."""

    psnr_db: float
    mean_difference: float
    is_uniform: bool

    def is_enough(self, dtype: str) -> bool:
        """Near enough for a device that computes in `dtype`."""
        return (
            self.psnr_db >= LEAST_PSNR_DB[dtype] and self.mean_difference <= LARGEST_MEAN_DIFFERENCE
        )


def compare(picture: Pixels, reference: Pixels) -> Likeness:
    """PSNR, the largest difference of a channel's mean, and whether there is a picture at all.

    Pictures of different sizes are as unlike as can be.
    """
    if picture.shape != reference.shape:
        return Likeness(psnr_db=0.0, mean_difference=255.0, is_uniform=False)
    left, right = picture.astype(np.float64), reference.astype(np.float64)
    error = float(np.mean((left - right) ** 2))
    means = np.abs(left.mean(axis=(0, 1)) - right.mean(axis=(0, 1)))
    return Likeness(
        psnr_db=float("inf") if error == 0 else 10 * float(np.log10(255**2 / error)),
        mean_difference=float(means.max()),
        is_uniform=bool(left.std(axis=(0, 1)).max() < _UNIFORM_DEVIATION),
    )


# --- making the reference -------------------------------------------------------------------------


def write(place: Path, model: Path, settings: Mapping[str, Any]) -> None:
    """Make the reference of these settings with the model in `model`, on the CPU in float32."""
    catalog = Catalog(starter_folder=model, model_folders=())
    session = Session.open(
        catalog=catalog,
        preference=DevicePreference.CPU,
        index=0,
        gpu_allowed=False,
        cache_folder=None,
        emit=_ignore,
    )
    pixels = draw(session, _request(settings, catalog.find(str(model)).model_id), _ignore)
    record = {**_FORMAT, "settings": settings, "sha256": digests(model)}
    place.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(place / "starter.png", optimize=True)
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    (place / "starter.json").write_text(text, encoding="utf-8")


def model_defaults(model: Path, prompt: str, seed: int) -> dict[str, Any]:
    """The settings that the model's own defaults make of a prompt and a seed."""
    defaults = Catalog(starter_folder=model, model_folders=()).find(str(model)).defaults
    return {
        "prompt": prompt,
        "seed": str(seed),
        "width": defaults.size.width,
        "height": defaults.size.height,
        "steps": defaults.steps,
        "guidance_scale": defaults.guidance_scale,
        "sampler": defaults.sampler,
        "sigma_schedule": defaults.sigma_schedule,
    }


def _request(settings: Mapping[str, Any], model_id: ModelId) -> GenerationRequest:
    return GenerationRequest(
        prompt=settings["prompt"],
        seed=int(settings["seed"]),
        width=settings["width"],
        height=settings["height"],
        steps=settings["steps"],
        guidance_scale=settings["guidance_scale"],
        sampler=Sampler(settings["sampler"]),
        sigma_schedule=SigmaSchedule(settings["sigma_schedule"]),
        model_id=model_id,
        preview=False,
    )


def _never() -> None:
    """The self-test is ended from outside, with its process."""


def _ignore(event: EngineEvent) -> None:
    """Nobody watches."""


def main() -> int:
    """`python -m engine.checks.golden --write`; returns its exit status."""
    parser = argparse.ArgumentParser(description="Make the golden picture of the self-test anew.")
    parser.add_argument("--write", action="store_true", required=True)
    parser.add_argument("--prompt", default="an orange cat on a blue background")
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args()
    write(folder(), starter(), model_defaults(starter(), options.prompt, options.seed))
    sys.stdout.write(f"{folder() / 'starter.png'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
