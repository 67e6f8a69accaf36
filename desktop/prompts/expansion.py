"""A prompt list, expanded: entries become requests, each checked, before anything is drawn.

Owned here: how ranges, matrices, wildcards and counts multiply, which seed each picture gets, and
the bounds of a list. What comes out depends on the list, the base request and the wildcard files
alone: the same again gives the same pictures. A picture's text depends on its template and its own
seed, so that it can be told again from what its file records.
"""

from __future__ import annotations

import hashlib
import itertools
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import TypeVar

from desktop import paths
from desktop.prompts import entries, fields, reading, template
from desktop.prompts.entries import Entry
from desktop.prompts.fields import Field, NotAllowed
from desktop.prompts.problems import ListFault, Problem, say
from desktop.prompts.reading import ListFormat
from desktop.prompts.sampling import Drawing, Effort, next_decisions
from desktop.prompts.template import Node
from desktop.prompts.wildcards import Wildcards
from engine.port import (
    MAX_SEED,
    GenerationRequest,
    ModelInfo,
    PictureSize,
    Sampler,
    Sentence,
    SigmaSchedule,
)

MAX_PICTURES = 100_000
"""Pictures of one list: days of drawing even at a second each."""

MAX_TEXT = 64 * 2**20
"""Characters of all expanded prompts together."""

Value = TypeVar("Value")
Number = TypeVar("Number", int, float)


class SeedPolicy(Enum):
    """Seeds of entries that name none, from the base request's seed."""

    COUNT_UP = auto()
    SAME = auto()
    RANDOM = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPicture:
    """One picture to be made: a request for one, with every value filled in.

    `raw_prompt` is what the list says, before expansion. Pictures of one grid have the same
    `group`, the line that asks for it; others have None.
    """

    request: GenerationRequest
    raw_prompt: str
    line: int
    group: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongEntry:
    """An entry that cannot be drawn as it is: its texts, and why."""

    entry: Entry
    problem: Problem
    group: int | None = None

    @property
    def line(self) -> int:
        return self.entry.line

    @property
    def texts(self) -> dict[Field, str]:
        return self.entry.texts


Picture = PlannedPicture | WrongEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """What a list comes to. `rows` are in its order, right and wrong ones; `problems` are all that
    was found, warnings too.

    `list_format` is how it was read, None if it could not be. `encodings` are offered where only
    the user can say what the bytes mean; nothing was read then.
    """

    rows: tuple[Picture, ...] = ()
    problems: tuple[Problem, ...] = ()
    list_format: ListFormat | None = None
    encodings: tuple[str, ...] = ()

    @property
    def pictures(self) -> tuple[PlannedPicture, ...]:
        """What can be drawn."""
        return tuple(row for row in self.rows if isinstance(row, PlannedPicture))

    @property
    def has_errors(self) -> bool:
        return any(problem.is_error for problem in self.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a list is read with: model, base request, wildcards, seeds, and whether `|` in a prompt
    makes a matrix without being asked by the entry.
    """

    model: ModelInfo
    base: GenerationRequest
    wildcards: Wildcards
    seeds: SeedPolicy = SeedPolicy.COUNT_UP
    is_matrix: bool = False


def expand_file(
    path: Path,
    *,
    model: ModelInfo,
    base: GenerationRequest,
    encoding: str | None = None,
    list_format: ListFormat | None = None,
    seeds: SeedPolicy = SeedPolicy.COUNT_UP,
    is_matrix: bool = False,
    wildcards: Wildcards | None = None,
) -> Expansion:
    """The pictures that the list in the file `path` asks for; see `expand_text`.

    `encoding` is a name that Python knows, None for UTF-8 or what a byte order mark says. Raises
    nothing that a file can cause: one that cannot be read is a problem without a line.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ListFault(say("{file} is no file.", file=path))
        text = reading.decode(reading.read(path), encoding)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return _unread(say("{file} cannot be read: {reason}.", file=path, reason=reason))
    except reading.Undecodable as unknown:
        offers = ", ".join(unknown.offers)
        message = say("This file is not UTF-8. It may be: {offers}.", offers=offers)
        return replace(_unread(message), encodings=unknown.offers)
    except ListFault as fault:
        return _unread(fault.message, fault.line)
    return expand_text(
        text,
        model=model,
        base=base,
        list_format=list_format or reading.guess_format(text, path.suffix),
        seeds=seeds,
        is_matrix=is_matrix,
        wildcards=wildcards,
    )


def expand_text(
    text: str,
    *,
    model: ModelInfo,
    base: GenerationRequest,
    list_format: ListFormat | None = None,
    seeds: SeedPolicy = SeedPolicy.COUNT_UP,
    is_matrix: bool = False,
    wildcards: Wildcards | None = None,
) -> Expansion:
    """The pictures that the list `text` asks for. What an entry does not say is `base`'s.

    A `list_format` of None is found out from the text; `wildcards` of None are the user's own.
    """
    text = reading.unified(text)
    list_format = list_format or reading.guess_format(text, "")
    wildcards = wildcards or Wildcards(paths.wildcards_folder())
    terms = Terms(model=model, base=base, wildcards=wildcards, seeds=seeds, is_matrix=is_matrix)
    rows, problems = Expander(terms).expand(entries.parse(text, list_format))
    if not rows and not problems:
        problems = [Problem(line=None, message=say("The list is empty."))]
    return Expansion(rows=tuple(rows), problems=tuple(problems), list_format=list_format)


def with_text(picture: Picture, field: Field, text: str, terms: Terms) -> Expansion:
    """What `picture` becomes when one of its texts is replaced: usually one picture, right or
    wrong; several if the text is a template or a range that asks for them.
    """
    entry = entry_of(picture)
    if entry.reread is not None and field is Field.PROMPT:
        entry = entry.reread(entry.line, text)
    else:
        texts = {**entry.texts, field: text}
        entry = Entry(entry.line, texts, literal=entry.literal - {field})
    rows, problems = Expander(terms).expand([entry])
    if len(rows) == 1:
        row = replace(rows[0], group=picture.group)
        if isinstance(row, PlannedPicture) and isinstance(picture, PlannedPicture):
            raw = picture.raw_prompt if field is not Field.PROMPT else row.raw_prompt
            row = replace(row, raw_prompt=raw)
        rows = [row]
    return Expansion(rows=tuple(rows), problems=tuple(problems))


def entry_of(picture: Picture) -> Entry:
    """The entry that asks for exactly this picture."""
    if isinstance(picture, WrongEntry):
        return picture.entry
    request = picture.request
    schedule = request.sigma_schedule
    texts = {
        Field.PROMPT: request.prompt,
        Field.NEGATIVE_PROMPT: request.negative_prompt,
        Field.SIZE: f"{request.width}x{request.height}",
        Field.STEPS: str(request.steps),
        Field.GUIDANCE: f"{request.guidance_scale:g}",
        Field.SAMPLER: str(request.sampler),
        **({Field.SCHEDULE: str(schedule)} if schedule is not None else {}),
        Field.SEED: str(request.seed),
        Field.COUNT: "1",
        Field.MATRIX: "false",
    }
    literal = frozenset({Field.PROMPT, Field.NEGATIVE_PROMPT})
    return Entry(picture.line, texts, literal=literal)


def _unread(message: Sentence, line: int | None = None) -> Expansion:
    return Expansion(problems=(Problem(line=line, message=message),))


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
            self._terms.is_matrix if asked is None else _judged(Field.MATRIX, asked, fields.flag)
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
            sampler, schedule = _judged(Field.SAMPLER, texts[Field.SAMPLER], fields.sampler)
            if schedule:
                message = say(
                    "Danqing does not have the schedule “{name}”: the usual one is used.",
                    name=schedule,
                )
                entry.warn(ListFault(message, field=Field.SAMPLER))
        count = self._terms.base.image_count
        given = [texts[f] for f in (Field.COUNT, Field.BATCH_SIZE) if f in texts]
        for index, text in enumerate(given):
            factor = _judged(Field.COUNT, text, _count)
            count = factor if index == 0 else count * factor
        return _Settings(
            size=self._chosen_size(texts),
            steps=_axis(texts, Field.STEPS, fields.steps) or self._default_steps,
            guidance=_axis(texts, Field.GUIDANCE, fields.guidance) or self._default_guidance,
            sampler=sampler,
            schedule=(
                _judged(Field.SCHEDULE, texts[Field.SCHEDULE], fields.schedule)
                if Field.SCHEDULE in texts
                else self._terms.base.sigma_schedule
            ),
            seeds=self._seeds(texts),
            count=count,
        )

    def _chosen_size(self, texts: dict[Field, str]) -> PictureSize:
        text = texts.get(Field.SIZE)
        if text is None:
            return self._size
        model = self._terms.model
        try:
            return fields.size(text, model)
        except NotAllowed:
            message = say(
                "The model cannot draw the size “{value}”; allowed: {allowed}.",
                value=text,
                allowed=fields.allowed_sizes(model),
            )
            raise ListFault(message, field=Field.SIZE) from None

    def _seeds(self, texts: dict[Field, str]) -> tuple[int, ...] | None:
        found = _axis(texts, Field.SEED, fields.seed)
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


def _count(text: str) -> int:
    return fields.whole(text, 1, fields.MAX_IMAGES)


def _axis(
    texts: dict[Field, str], field: Field, one: Callable[[str], Number]
) -> tuple[Number, ...] | None:
    if field not in texts:
        return None
    return _judged(field, texts[field], lambda text: fields.axis(text, one))


def _judged(field: Field, text: str, judge: Callable[[str], Value]) -> Value:
    try:
        return judge(text)
    except NotAllowed:
        raise ListFault(_not_allowed(field, text), field=field) from None


def _not_allowed(field: Field, text: str) -> Sentence:  # noqa: PLR0911 - a case each
    match field:
        case Field.STEPS:
            return say(
                "Steps: “{value}” is not allowed; whole numbers from 1 to {most} are.",
                value=text,
                most=fields.MAX_STEPS,
            )
        case Field.GUIDANCE:
            return say(
                "Guidance: “{value}” is not allowed; numbers from 0 to {most} are.",
                value=text,
                most=f"{fields.MAX_GUIDANCE_SCALE:g}",
            )
        case Field.SEED:
            return say(
                "Seed: “{value}” is not allowed; whole numbers from 0 to {most} are, and -1 for a "
                "random one.",
                value=text,
                most=MAX_SEED,
            )
        case Field.SAMPLER:
            return say(
                "There is no sampler “{value}”; there are {allowed}.",
                value=text,
                allowed=", ".join(Sampler),
            )
        case Field.SCHEDULE:
            return say(
                "There is no schedule “{value}”; there are {allowed}.",
                value=text,
                allowed=", ".join(SigmaSchedule),
            )
        case Field.COUNT:
            return say(
                "Count: “{value}” is not allowed; whole numbers from 1 to {most} are.",
                value=text,
                most=fields.MAX_IMAGES,
            )
        case _:
            return say("“{value}” is not allowed; true or false are.", value=text)
