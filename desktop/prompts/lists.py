"""Prompt lists from files, pasted text and edited cells: the ways in.

Separate from `expansion`, which knows neither files nor tables.
"""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

from desktop import paths
from desktop.prompts import entries, reading
from desktop.prompts.entries import Entry
from desktop.prompts.expansion import Expander
from desktop.prompts.fields import Field
from desktop.prompts.plan import Expansion, Picture, PlannedPicture, SeedPolicy, Terms, WrongEntry
from desktop.prompts.problems import ListFault, Problem, say
from desktop.prompts.reading import ListFormat
from desktop.prompts.wildcards import Wildcards
from engine.port import GenerationRequest, ModelInfo, Sentence


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
