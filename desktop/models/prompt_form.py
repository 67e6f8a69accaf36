"""The prompt form's state: what was typed, what the model can do with it, and the request it makes.

Owned here: every rule about a value's validity and the drawing of random seeds. Separate from the
panel that shows it, which only binds widgets and puts the problems into words.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.settings import FormValues
from engine.port import (
    MAX_SEED,
    GenerationRequest,
    ModelId,
    ModelInfo,
    PictureSize,
    Sampler,
)

MAX_STEPS = 200
MAX_GUIDANCE_SCALE = 30.0
MAX_IMAGES = 100

_RANDOM_SEED_BITS = 32
"""Random seeds stay short enough to read out; typed ones may have 64 bits."""

_SIZE = re.compile(r"\s*(\d{1,6})\s*[x×*,\s]\s*(\d{1,6})\s*", re.IGNORECASE)


class Problem(Enum):
    """Why the form cannot be drawn; the panel has the words."""

    NO_MODEL = auto()
    PROMPT_EMPTY = auto()
    SIZE_UNREADABLE = auto()
    SIZE_NOT_OF_MODEL = auto()
    SIZE_NOT_MULTIPLE = auto()
    SIZE_OUT_OF_RANGE = auto()
    SEED_UNREADABLE = auto()


SIZE_PROBLEMS = frozenset(
    {
        Problem.SIZE_UNREADABLE,
        Problem.SIZE_NOT_OF_MODEL,
        Problem.SIZE_NOT_MULTIPLE,
        Problem.SIZE_OUT_OF_RANGE,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The numbers to show: what was chosen, else the model's defaults."""

    size_text: str
    steps: int
    guidance_scale: float
    sampler: Sampler


class PromptForm(QObject):
    """Holds `values`; every change goes through `update`."""

    changed = Signal()
    """Any value, the model, or the last seed."""
    models_changed = Signal()
    """The list of models was read; `changed` follows."""

    def __init__(self, values: FormValues | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._values = values or FormValues()
        self._models: tuple[ModelInfo, ...] = ()
        self._last_seed: int | None = None

    @property
    def values(self) -> FormValues:
        return self._values

    @property
    def models(self) -> tuple[ModelInfo, ...]:
        """What the catalog knows; empty until it was read."""
        return self._models

    @property
    def model(self) -> ModelInfo | None:
        """The chosen model; the first one if the chosen one is gone."""
        for model in self._models:
            if model.model_id == self._values.model_id:
                return model
        return self._models[0] if self._models else None

    @property
    def last_seed(self) -> int | None:
        """The seed of the last request made in this session."""
        return self._last_seed

    def set_models(self, models: Sequence[ModelInfo]) -> None:
        self._models = tuple(models)
        self.models_changed.emit()
        self.changed.emit()

    def update(self, **changes: Any) -> None:
        """Set fields of `FormValues` by name; emits `changed` if any differs."""
        values = replace(self._values, **changes)
        if values != self._values:
            self._values = values
            self.changed.emit()

    def choose_model(self, model_id: ModelId) -> None:
        """Take another model, with its own defaults: numbers made for one mislead with another."""
        if self.model is not None and self.model.model_id == model_id:
            self.update(model_id=model_id)
            return
        self.update(model_id=model_id, size_text="", steps=None, guidance_scale=None, sampler=None)

    def use_last_seed(self) -> None:
        """Pin the seed of the last request."""
        if self._last_seed is not None:
            self.update(is_seed_random=False, seed_text=str(self._last_seed))

    def swap_sides(self) -> None:
        """Portrait to landscape and back; nothing if the size cannot be read."""
        size = self.size()
        if size is not None:
            self.update(size_text=size_text(PictureSize(width=size.height, height=size.width)))

    def resolved(self) -> Resolved | None:
        """The values with the model's defaults filled in; None without a model."""
        if self.model is None:
            return None
        defaults, values = self.model.defaults, self._values
        return Resolved(
            size_text=values.size_text or size_text(defaults.size),
            steps=defaults.steps if values.steps is None else values.steps,
            guidance_scale=(
                defaults.guidance_scale if values.guidance_scale is None else values.guidance_scale
            ),
            sampler=values.sampler or defaults.sampler,
        )

    def is_negative_prompt_used(self) -> bool:
        """Without guidance above 1 there is nothing for a negative prompt to act on."""
        resolved = self.resolved()
        return resolved is None or resolved.guidance_scale > 1.0

    def size(self) -> PictureSize | None:
        """The size as typed or by default; None if it cannot be read."""
        resolved = self.resolved()
        return None if resolved is None else parse_size(resolved.size_text)

    def presets(self) -> tuple[PictureSize, ...]:
        """The sizes to offer."""
        if self.model is None:
            return ()
        return self.model.sizes or self.model.recommended_sizes or (self.model.defaults.size,)

    def problems(self) -> frozenset[Problem]:
        """Everything that stands between the form and a picture."""
        if self.model is None:
            return frozenset({Problem.NO_MODEL})
        found: set[Problem | None] = {self._size_problem(self.model)}
        if not self._values.prompt.strip():
            found.add(Problem.PROMPT_EMPTY)
        if not self._values.is_seed_random and parse_seed(self._values.seed_text) is None:
            found.add(Problem.SEED_UNREADABLE)
        return frozenset(problem for problem in found if problem is not None)

    def make_request(self) -> GenerationRequest:
        """The request for what the form says now; draws the seed if it is random.

        Raises ValueError while there are problems.
        """
        model, resolved, size = self.model, self.resolved(), self.size()
        problems = self.problems()
        if problems or model is None or resolved is None or size is None:
            raise ValueError(f"the form has problems: {sorted(p.name for p in problems)}")
        values = self._values
        seed = None if values.is_seed_random else parse_seed(values.seed_text)
        if seed is None:
            seed = secrets.randbits(_RANDOM_SEED_BITS)
        self._last_seed = seed
        self.changed.emit()
        return GenerationRequest(
            prompt=values.prompt.strip(),
            negative_prompt=(
                values.negative_prompt.strip() if self.is_negative_prompt_used() else ""
            ),
            seed=seed,
            width=size.width,
            height=size.height,
            steps=resolved.steps,
            guidance_scale=resolved.guidance_scale,
            image_count=values.image_count,
            sampler=resolved.sampler,
            model_id=model.model_id,
        )

    def _size_problem(self, model: ModelInfo) -> Problem | None:
        size = self.size()
        return Problem.SIZE_UNREADABLE if size is None else size_problem(model, size)


def size_problem(model: ModelInfo, size: PictureSize) -> Problem | None:
    """Why `model` cannot draw at `size`; None if it can."""
    if model.sizes:
        return None if size in model.sizes else Problem.SIZE_NOT_OF_MODEL
    sides = (size.width, size.height)
    if not all(model.min_side <= side <= model.max_side for side in sides):
        return Problem.SIZE_OUT_OF_RANGE
    if any(side % model.size_multiple for side in sides):
        return Problem.SIZE_NOT_MULTIPLE
    return None


def parse_size(text: str) -> PictureSize | None:
    """`320x192`, `320 × 192`, `320*192`, `320 192`; None for anything else."""
    match = _SIZE.fullmatch(text)
    return None if match is None else PictureSize(width=int(match[1]), height=int(match[2]))


def size_text(size: PictureSize) -> str:
    """How a size is shown: `320 × 192`."""
    return f"{size.width} × {size.height}"


def parse_seed(text: str) -> int | None:
    """A whole number from 0 to 2**64 - 1; None for anything else."""
    digits = text.strip()
    if not re.fullmatch(r"[0-9]{1,20}", digits):
        return None
    seed = int(digits)
    return seed if seed <= MAX_SEED else None
