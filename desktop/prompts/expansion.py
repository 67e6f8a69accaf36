"""A prompt list, expanded: entries become requests, each checked, before anything is drawn.

Owned here: how ranges, matrices, wildcards and counts multiply, which seed each picture gets, and
the bounds of a list. What comes out depends on the list, the base request and the wildcard files
alone: the same again gives the same pictures. A picture's text depends on its template and its own
seed, so that it can be told again from what its file records.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from desktop.prompts import fields, judging, template
from desktop.prompts.entries import Entry
from desktop.prompts.fields import Field
from desktop.prompts.plan import Picture, PlannedPicture, SeedPolicy, Terms, WrongEntry
from desktop.prompts.problems import ListFault, Problem, say
from desktop.prompts.sampling import Drawing, Effort, next_decisions
from desktop.prompts.template import Node
from engine.port import MAX_SEED, GenerationRequest, PictureSize, Sampler, SigmaSchedule

MAX_PICTURES = 100_000
"""Pictures of one list: days of drawing even at a second each."""

MAX_TEXT = 64 * 2**20
"""Characters of all expanded prompts together."""


@dataclass(frozen=True, slots=True)
class _Settings:
    """An entry's values. `seeds` are None if it names none."""

    size: PictureSize
    steps: tuple[int, ...]
    guidance: tuple[float, ...]
    sampler: Sampler
    schedule: SigmaSchedule | None
    seeds: tuple[int, ...] | None
    count: int

    @property
    def picture_count(self) -> int:
        return len(self.steps) * len(self.guidance) * len(self.seeds or (0,)) * self.count


class Expander:
    """Goes through a list once, and counts seeds, pictures and effort over all of it."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        base, defaults = terms.base, terms.model.defaults
        self._size = PictureSize(
            width=base.width or defaults.size.width, height=base.height or defaults.size.height
        )
        self._default_steps = (base.steps or defaults.steps,)
        scale = base.guidance_scale
        self._default_guidance = (defaults.guidance_scale if scale is None else scale,)
        self._default_sampler = base.sampler or defaults.sampler
        self._effort = Effort()
        self._pictures_left = MAX_PICTURES
        self._text_left = MAX_TEXT
        self._seeds_given = 0
        self._random_seeds = 0

    def expand(self, found: Iterable[Entry]) -> tuple[list[Picture], list[Problem]]:
        """Everything the entries ask for. Ends early, with an error, where a bound is met."""
        rows: list[Picture] = []
        problems: list[Problem] = []
        for entry in found:
            try:
                made = self._rows(entry)
            except _ListFull as full:
                problems.append(full.fault.at(entry.line))
                break
            problems.extend(entry.warnings)
            problems.extend(row.problem for row in made if isinstance(row, WrongEntry))
            if entry.is_heading and entry.fault is not None:
                problems.append(entry.fault)
            rows.extend(made)
        return rows, problems

    def _rows(self, entry: Entry) -> list[Picture]:
        if entry.is_heading:
            return []
        first = self._next_seed()
        try:
            if entry.fault is not None:
                return self._wrong(entry, entry.fault, first)
            settings = self._settings(entry)
            made = list(self._pictures(entry, settings, first))
        except ListFault as fault:
            return self._wrong(entry, fault.at(entry.line), first)
        self._pictures_left -= len(made)
        self._seeds_given += settings.count
        return [*made]

    def _wrong(self, entry: Entry, problem: Problem, first_seed: int) -> list[Picture]:
        """An entry keeps the seed that it would have had, for when it is put right."""
        if self._pictures_left <= 0:
            raise _list_full()
        if entry.reread is None:
            entry.texts.setdefault(Field.SEED, str(first_seed))
        self._pictures_left -= 1
        self._seeds_given += 1
        return [WrongEntry(entry=entry, problem=problem)]

    # --- pictures ---------------------------------------------------------------------------------

    def _pictures(
        self, entry: Entry, settings: _Settings, first_seed: int
    ) -> Iterator[PlannedPicture]:
        raw = entry.texts.get(Field.PROMPT, "") or self._terms.base.prompt
        if not raw.strip():
            raise ListFault(say("There is no prompt."), field=Field.PROMPT)
        prompts = self._matrix(entry, raw)
        self._check_room(len(prompts) * settings.picture_count)
        negative = entry.texts.get(Field.NEGATIVE_PROMPT, self._terms.base.negative_prompt)
        seeds = settings.seeds or (first_seed,)
        drawn = [
            pair
            for prompt in prompts
            for pair in self._drawn(entry, prompt, negative, seeds, settings)
        ]
        self._check_room(len(drawn) * len(settings.steps) * len(settings.guidance))
        is_grid = len(drawn) * len(settings.steps) * len(settings.guidance) > settings.count
        for (text, unwanted, seed), steps, guidance in itertools.product(
            drawn, settings.steps, settings.guidance
        ):
            yield PlannedPicture(
                request=self._request(text, unwanted, seed, settings, steps, guidance),
                raw_prompt=raw,
                line=entry.line,
                group=entry.line if is_grid else None,
            )

    def _request(
        self,
        prompt: str,
        negative: str,
        seed: int,
        settings: _Settings,
        steps: int,
        guidance: float,
    ) -> GenerationRequest:
        base = self._terms.base
        return GenerationRequest(
            prompt=prompt,
            negative_prompt=negative,
            seed=seed,
            width=settings.size.width,
            height=settings.size.height,
            steps=steps,
            guidance_scale=guidance,
            sampler=settings.sampler,
            sigma_schedule=settings.schedule,
            model_id=base.model_id,
            decode_tile=base.decode_tile,
            preview=base.preview,
        )

    def _drawn(
        self, entry: Entry, prompt: str, negative: str, seeds: tuple[int, ...], settings: _Settings
    ) -> list[tuple[str, str, int]]:
        """Prompt, negative prompt and seed of each picture, but for what other axes add."""
        trees = (
            _tree(entry, Field.PROMPT, prompt),
            _tree(entry, Field.NEGATIVE_PROMPT, negative),
        )
        count = range(settings.count)
        numbers = [(seed + index) % (MAX_SEED + 1) for seed in seeds for index in count]
        if isinstance(trees[0], str) and isinstance(trees[1], str):
            texts = (_stated(trees[0]), trees[1].strip())
            return [(*texts, seed) for seed in numbers]
        made: dict[tuple[str, str, int], None] = {}  # an ordered set
        decisions: tuple[int, ...] | None = ()
        while decisions is not None:
            sizes: list[int] = []
            for seed in numbers:
                drawing = Drawing(seed, decisions, self._terms.wildcards, self._effort)
                texts = (_stated(drawing.draw(trees[0])), drawing.draw(trees[1]).strip())
                self._text_left -= len(texts[0]) + len(texts[1])
                made[(*texts, seed)] = None
                sizes = drawing.sizes
                self._check_room(max(drawing.ways, len(made)))
            decisions = next_decisions(decisions, sizes)
        return list(made)

    def _matrix(self, entry: Entry, raw: str) -> list[str]:
        """A1111's prompt matrix: the first part with each choice of the others."""
        asked = entry.texts.get(Field.MATRIX)
        is_matrix = (
            self._terms.is_matrix
            if asked is None
            else judging.judged(Field.MATRIX, asked, fields.flag)
        )
        if not is_matrix or Field.PROMPT in entry.literal:
            return [raw]
        first, *others = (part.strip().strip(",") for part in _parts(raw))
        if len(others) > MAX_PICTURES.bit_length():
            raise ListFault(say("A matrix of {count} parts is too large.", count=len(others)))
        self._check_room(2 ** len(others))
        return [
            ", ".join([first, *(other for n, other in enumerate(others) if number >> n & 1)])
            for number in range(2 ** len(others))
        ]

    def _check_room(self, count: int) -> None:
        if count > self._pictures_left:
            raise _list_full()
        if self._text_left < 0:
            message = say("The prompts of the list are too long together; it ends here.")
            raise _ListFull(ListFault(message))

    # --- values -----------------------------------------------------------------------------------

    def _settings(self, entry: Entry) -> _Settings:
        texts = entry.texts
        if Field.WIDTH in texts or Field.HEIGHT in texts:
            width = texts.pop(Field.WIDTH, str(self._size.width)).strip()
            height = texts.pop(Field.HEIGHT, str(self._size.height)).strip()
            texts[Field.SIZE] = f"{width}x{height}"
        sampler = self._default_sampler
        if Field.SAMPLER in texts:
            sampler, schedule = judging.judged(Field.SAMPLER, texts[Field.SAMPLER], fields.sampler)
            if schedule:
                message = say(
                    "Danqing does not have the schedule “{name}”: the usual one is used.",
                    name=schedule,
                )
                entry.warn(ListFault(message, field=Field.SAMPLER))
        count = self._terms.base.image_count
        given = [texts[f] for f in (Field.COUNT, Field.BATCH_SIZE) if f in texts]
        for index, text in enumerate(given):
            factor = judging.judged(Field.COUNT, text, judging.count)
            count = factor if index == 0 else count * factor
        return _Settings(
            size=self._chosen_size(texts),
            steps=judging.axis(texts, Field.STEPS, fields.steps) or self._default_steps,
            guidance=judging.axis(texts, Field.GUIDANCE, fields.guidance) or self._default_guidance,
            sampler=sampler,
            schedule=(
                judging.judged(Field.SCHEDULE, texts[Field.SCHEDULE], fields.schedule)
                if Field.SCHEDULE in texts
                else self._terms.base.sigma_schedule
            ),
            seeds=self._seeds(texts),
            count=count,
        )

    def _chosen_size(self, texts: dict[Field, str]) -> PictureSize:
        text = texts.get(Field.SIZE)
        return self._size if text is None else judging.size(text, self._terms.model)

    def _seeds(self, texts: dict[Field, str]) -> tuple[int, ...] | None:
        found = judging.axis(texts, Field.SEED, fields.seed)
        if found is None or fields.RANDOM_SEED not in found:
            return found
        return tuple(self._random_seed() if s == fields.RANDOM_SEED else s for s in found)

    def _next_seed(self) -> int:
        policy = self._terms.seeds
        if policy is SeedPolicy.RANDOM:
            return self._random_seed()
        step = self._seeds_given if policy is SeedPolicy.COUNT_UP else 0
        return (self._terms.base.seed + step) % (MAX_SEED + 1)

    def _random_seed(self) -> int:
        """The next of the numbers that follow from the base seed: short ones, as the form's."""
        self._random_seeds += 1
        text = f"{self._terms.base.seed}/{self._random_seeds}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest())


class _ListFull(Exception):
    """A bound of the whole list is met: it is read no further."""

    def __init__(self, fault: ListFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def _list_full() -> _ListFull:
    message = say(
        "With this the list has more than {most} pictures; it was read no further.",
        most=MAX_PICTURES,
    )
    return _ListFull(ListFault(message))


def _tree(entry: Entry, field: Field, text: str) -> Node:
    if field in entry.literal or not template.is_template(text):
        return text
    try:
        return template.parse(text)
    except ListFault as fault:
        fault.field = field
        raise


def _stated(prompt: str) -> str:
    text = prompt.strip()
    if not text:
        raise ListFault(say("The prompt expands to nothing."), field=Field.PROMPT)
    return text


def _parts(text: str) -> list[str]:
    """`text` cut at each `|` that is in no bracket."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        if sign in "{[":
            depth += 1
        elif sign in "}]":
            depth = max(0, depth - 1)
        elif sign == "|" and depth == 0 and text[at - 1 : at] != "\\":
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
