"""What a picture says about how it was made, whoever made it.

Separate from the readers, which fill it in, so that the library, the window and the command line
depend on one small thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.port import Sentence


def say(template: str, /, **facts: str) -> Sentence:
    """Something to know about what was read. Translators find `say("...")` in this folder."""
    return Sentence(template, facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageMetadata:
    """The settings found in one file. None is "not known", and never stands for "" or 0.

    `width` and `height` are the size that was generated, in pixels, before any enlargement;
    `file_width` and `file_height` the file's own. `cfg` is the guidance scale. `sampler`,
    `scheduler` and `model` are the other program's words. `source` names the place in the file
    (`png:parameters`, `exif:UserComment`), `format` the container (`png`, `jpeg`, `webp`), `raw`
    every text found, by its place. `software` is None where no generation data was found.
    """

    software: str | None = None
    prompt: str | None = None
    negative_prompt: str | None = None
    width: int | None = None
    height: int | None = None
    seed: int | None = None
    steps: int | None = None
    cfg: float | None = None
    clip_skip: int | None = None
    sampler: str | None = None
    scheduler: str | None = None
    model: str | None = None
    model_hash: str | None = None
    file_width: int | None = None
    file_height: int | None = None
    source: str | None = None
    format: str | None = None
    raw: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[Sentence, ...] = ()
