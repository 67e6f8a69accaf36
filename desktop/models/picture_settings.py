"""What a picture's settings come to in the prompt form: each value, and whether it can be had here.

Separate from the dialog that shows it, which only makes rows and check boxes. Other programs name
samplers and sizes that the chosen model may not have; that is said per value and never repaired.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtGui import QImage

from desktop import check_texts
from desktop.background import Background
from desktop.models import pixels
from desktop.models.prompt_form import (
    MAX_GUIDANCE_SCALE,
    MAX_STEPS,
    PromptForm,
    size_problem,
    size_text,
)
from engine.port import MAX_SEED, ModelInfo, PictureSize, Sampler

if TYPE_CHECKING:
    from desktop.store.metadata import ImageMetadata

log = logging.getLogger(__name__)

PICTURE_ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
THUMBNAIL_SIDE = 320

_SAMPLERS = {
    "euler": Sampler.EULER,
    "dpmpp_2m": Sampler.DPMPP_2M,
    "dpm++ 2m": Sampler.DPMPP_2M,
    "dpm-solver++ (2m)": Sampler.DPMPP_2M,
}
_SCHEDULES = (" karras", "_karras", " exponential", " simple", " normal")
"""What older programs put behind a sampler's name."""


class Setting(Enum):
    """One row of the dialog."""

    PROMPT = auto()
    NEGATIVE_PROMPT = auto()
    SEED = auto()
    SIZE = auto()
    STEPS = auto()
    SAMPLER = auto()
    GUIDANCE = auto()


class Obstacle(Enum):
    """Why a value cannot be had here; the dialog has the words."""

    SEED_OUT_OF_RANGE = auto()
    SIZE_NOT_OF_MODEL = auto()
    SAMPLER_UNKNOWN = auto()
    OUT_OF_RANGE = auto()


@dataclass(frozen=True, slots=True)
class Offer:
    """A value that was found: how it reads, and what it changes in the form."""

    setting: Setting
    text: str
    changes: Mapping[str, Any]
    obstacle: Obstacle | None = None


class PictureSettings(QObject):
    """Reads one picture; `read` is told once there is an answer."""

    read = Signal()

    def __init__(self, form: PromptForm, background: Background) -> None:
        # Without a parent: it lives as long as its dialog or its reading, whichever is longer.
        super().__init__()
        self._form = form
        self._background = background
        self.path = Path()
        self.found: ImageMetadata | None = None
        self.thumbnail: QImage | None = None
        self.problem: OSError | None = None

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The values that were found, for the model that is chosen now."""
        model = self._form.model
        if self.found is None or self.found.software is None or model is None:
            return ()
        return offers(self.found, model)

    @property
    def notes(self) -> tuple[str, ...]:
        """What else to know, in the user's language."""
        sentences = self.found.warnings if self.found is not None else ()
        return tuple(check_texts.sentence(each, QCoreApplication.translate) for each in sentences)

    def load(self, path: Path) -> None:
        self.path = path
        self._background.start(self._load(path), "reading a picture's settings")

    def apply(self, chosen: tuple[Offer, ...]) -> None:
        """Put values into the form; the others stay as they are."""
        changes: dict[str, Any] = {}
        for offer in chosen:
            changes.update(offer.changes)
        self._form.update(**changes)

    async def _load(self, path: Path) -> None:
        try:
            self.found, self.thumbnail = await asyncio.to_thread(_read, path)
        except OSError as error:
            log.info("no settings from a picture: %s", error)
            self.problem = error
        self.read.emit()


def _read(path: Path) -> tuple[ImageMetadata, QImage | None]:
    from desktop.store.metadata import read

    found = read(path)
    try:
        return found, pixels.read_thumbnail(path, THUMBNAIL_SIDE)
    except (OSError, ValueError, SyntaxError) as error:
        # Settings can be read from a picture whose pixels are damaged.
        log.info("no thumbnail: %s", error)
        return found, None


def offers(found: ImageMetadata, model: ModelInfo) -> tuple[Offer, ...]:
    """Every value that `found` has, judged for `model`; in the form's order."""
    candidates = (
        _text_offer(Setting.PROMPT, "prompt", found.prompt),
        _text_offer(Setting.NEGATIVE_PROMPT, "negative_prompt", found.negative_prompt),
        _seed_offer(found.seed),
        _size_offer(found, model),
        _number_offer(Setting.STEPS, "steps", found.steps, 1, MAX_STEPS),
        _sampler_offer(found),
        _number_offer(Setting.GUIDANCE, "guidance_scale", found.cfg, 0, MAX_GUIDANCE_SCALE),
    )
    return tuple(offer for offer in candidates if offer is not None)


def _text_offer(setting: Setting, name: str, text: str | None) -> Offer | None:
    if text is None:
        return None
    # Text fields of Qt hold no lone surrogates.
    shown = text.encode("utf-8", "replace").decode("utf-8")
    return Offer(setting, shown, {name: shown})


def _seed_offer(seed: int | None) -> Offer | None:
    if seed is None:
        return None
    is_possible = 0 <= seed <= MAX_SEED
    changes = {"is_seed_random": False, "seed_text": str(seed)} if is_possible else {}
    obstacle = None if is_possible else Obstacle.SEED_OUT_OF_RANGE
    return Offer(Setting.SEED, str(seed), changes, obstacle)


def _size_offer(found: ImageMetadata, model: ModelInfo) -> Offer | None:
    if found.width is None or found.height is None:
        return None
    size = PictureSize(width=found.width, height=found.height)
    text = size_text(size)
    if size_problem(model, size) is not None:
        return Offer(Setting.SIZE, text, {}, Obstacle.SIZE_NOT_OF_MODEL)
    return Offer(Setting.SIZE, text, {"size_text": text})


def _number_offer(
    setting: Setting, name: str, value: float | None, smallest: float, largest: float
) -> Offer | None:
    if value is None:
        return None
    if not smallest <= value <= largest:
        return Offer(setting, f"{value:g}", {}, Obstacle.OUT_OF_RANGE)
    return Offer(setting, f"{value:g}", {name: value})


def _sampler_offer(found: ImageMetadata) -> Offer | None:
    if found.sampler is None:
        return None
    name = found.sampler.strip().lower().removeprefix("k_")
    for ending in _SCHEDULES:
        name = name.removesuffix(ending)
    sampler = _SAMPLERS.get(name)
    if sampler is None:
        return Offer(Setting.SAMPLER, found.sampler, {}, Obstacle.SAMPLER_UNKNOWN)
    return Offer(Setting.SAMPLER, found.sampler, {"sampler": sampler})
