"""Real picture files with our metadata in them, made quickly."""

from __future__ import annotations

import os
from pathlib import Path

from desktop.store import images
from engine.port import RgbImage
from tests.fakes.pictures import provenance


def write(
    path: Path, prompt: str = "a cat", *, seed: int = 7, age_s: int = 0, side: int = 16
) -> Path:
    """A small PNG, as old as asked for."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = RgbImage(width=side, height=side, data=bytes(3 * side * side))
    made = provenance(prompt, seed=seed, width=side, height=side)
    path.write_bytes(images.encode_png(image, made))
    changed_s = 1_800_000_000 - age_s
    os.utime(path, (changed_s, changed_s))
    return path
