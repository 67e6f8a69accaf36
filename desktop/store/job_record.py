"""One job of the queue as a value, and as a row of the database.

Separate from `jobs`, which moves jobs from state to state, because reading a row must survive
whatever a damaged file holds: `Unreadable`, never another exception. Seeds are text, in rows and in
JSON: SQLite's integers end at 2^63 - 1.
"""

from __future__ import annotations

import dataclasses
import json
import os
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from engine.port import (
    MAX_SEED,
    EngineError,
    ErrorCode,
    GenerationRequest,
    JobId,
    ModelId,
    Sampler,
    SigmaSchedule,
)


class JobState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    """It was running when its process ended without a word."""
    QUARANTINED = "quarantined"
    """That happened twice: not made again until someone says so."""
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_open(self) -> bool:
        """There may still be something to make."""
        return self not in (JobState.FINISHED, JobState.FAILED, JobState.CANCELLED)


class LeftBecause(StrEnum):
    """Why jobs wait that no process makes."""

    CRASH = "crash"
    QUIT = "quit"
    DEVICE_LOST = "device_lost"
    DISK_FULL = "disk_full"
    FOLDER_GONE = "folder_gone"
    NOT_WRITABLE = "not_writable"
    DISK_ERROR = "disk_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """What is put into the queue. `folder` None is the usual one at the time of saving.

    `raw_prompt` is a list's own text before expansion, `line` its line and `group` the line of the
    grid that it belongs to. `name_pattern` None is the usual one.
    """

    request: GenerationRequest
    folder: str | None = None
    name_pattern: str | None = None
    raw_prompt: str | None = None
    group: int | None = None
    line: int | None = None
    job_id: JobId = field(default_factory=lambda: JobId(uuid.uuid4().hex))


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureRow:
    """What is known of one picture's file: `path` is reserved before it is written.

    `digest` is the SHA-256 of the file, `token` names its temporary file. Not saved but with a
    `rescue` path, it is there because its folder could not take it.
    """

    index: int
    path: Path | None
    rescue: Path | None
    token: str
    digest: bytes
    is_saved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job of the queue; `pictures` are those that have been saved, rescued or begun to be."""

    job_id: JobId
    position: int
    state: JobState
    is_held: bool
    left_because: LeftBecause | None
    crashes: int
    batch: int | None
    request: GenerationRequest
    folder: str | None
    name_pattern: str | None
    raw_prompt: str | None
    group: int | None
    line: int | None
    error: EngineError | None
    pictures: tuple[PictureRow, ...] = ()

    @property
    def asked(self) -> GenerationRequest:
        """The request as the list has it, before expansion: what a picture records as asked for."""
        if self.raw_prompt is None:
            return self.request
        return dataclasses.replace(self.request, prompt=self.raw_prompt)

    @property
    def missing(self) -> list[int]:
        """Indices of pictures that are in no file yet."""
        there = {p.index for p in self.pictures if p.is_saved or p.rescue is not None}
        return [index for index in range(self.request.image_count) if index not in there]


class Unreadable(ValueError):
    """A row that does not say what a job needs: the file is damaged."""


COLUMNS = (
    "id, position, state, holder, left_because, crashes, batch, request, folder, name_pattern,"
    " raw_prompt, list_group, line, error"
)
"""What `read_job` takes."""


def write_request(request: GenerationRequest) -> str:
    return json.dumps({**dataclasses.asdict(request), "seed": str(request.seed)})


def write_error(error: EngineError) -> str:
    return json.dumps({"code": error.code, "facts": dict(error.facts), "detail": error.detail})


def read_job(row: Sequence[Any], pictures: Iterable[PictureRow]) -> JobRow:
    """The job in a row of `COLUMNS`. Raises `Unreadable`."""
    (job_id, position, state, holder, because, crashes, batch, request, folder, *rest) = row
    name_pattern, raw_prompt, group, line, error = rest
    try:
        return JobRow(
            job_id=JobId(_text(job_id)),
            position=_of(int, position),
            state=JobState(state),
            is_held=_optional(str, holder) is not None,
            left_because=None if because is None else LeftBecause(because),
            crashes=_of(int, crashes),
            batch=_optional(int, batch),
            request=_read_request(request),
            folder=None if folder is None else os.fsdecode(_of(bytes, folder)),
            name_pattern=_optional(str, name_pattern),
            raw_prompt=_optional(str, raw_prompt),
            group=_optional(int, group),
            line=_optional(int, line),
            error=None if error is None else _read_error(error),
            pictures=tuple(pictures),
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Unreadable(f"a job cannot be read: {error}") from error


def read_picture(row: Sequence[Any]) -> PictureRow:
    """The picture in a row of image_index, path, rescue, token, digest, is_saved."""
    index, path, rescue, token, digest, is_saved = row
    try:
        return PictureRow(
            index=_of(int, index),
            path=None if path is None else Path(os.fsdecode(_of(bytes, path))),
            rescue=None if rescue is None else Path(os.fsdecode(_of(bytes, rescue))),
            token=_text(token),
            digest=_of(bytes, digest),
            is_saved=bool(_of(int, is_saved)),
        )
    except (ValueError, TypeError) as error:
        raise Unreadable(f"a picture cannot be read: {error}") from error


def _read_request(text: object) -> GenerationRequest:
    data = json.loads(_text(text))
    seed = int(_text(data["seed"]))
    if not 0 <= seed <= MAX_SEED:
        raise ValueError("the seed is out of range")
    count = _of(int, data["image_count"])
    if count < 1:
        raise ValueError("no picture is asked for")
    sampler, schedule = data["sampler"], data["sigma_schedule"]
    return GenerationRequest(
        prompt=_text(data["prompt"]),
        seed=seed,
        negative_prompt=_text(data["negative_prompt"]),
        width=_optional(int, data["width"]),
        height=_optional(int, data["height"]),
        steps=_optional(int, data["steps"]),
        guidance_scale=_number(data["guidance_scale"]),
        image_count=count,
        sampler=None if sampler is None else Sampler(sampler),
        sigma_schedule=None if schedule is None else SigmaSchedule(schedule),
        model_id=ModelId(_text(data["model_id"])),
        decode_tile=_optional(int, data["decode_tile"]),
        preview=_of(bool, data["preview"]),
    )


def _read_error(text: object) -> EngineError:
    data = json.loads(_text(text))
    facts = _of(dict, data["facts"])
    return EngineError(code=ErrorCode(data["code"]), facts=facts, detail=_text(data["detail"]))


def _of(kind: type[Any], value: object) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{type(value).__name__} where {kind.__name__} is expected")
    return value


def _text(value: object) -> str:
    return _of(str, value)


def _optional(kind: type[Any], value: object) -> Any:
    return None if value is None else _of(kind, value)


def _number(value: object) -> float | None:
    return float(value) if type(value) is int else _optional(float, value)
