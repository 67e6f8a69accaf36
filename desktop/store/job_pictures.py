"""A queue's pictures and their files: saved, kept elsewhere, found again after a crash.

The order is always the same: the name into the database, the file on the disk, the database again.
So at any moment what is known of a picture, together with the file of that name, tells whether it
was made; nothing is ever read from pictures to find that out.
"""

from __future__ import annotations

import errno
import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path

from desktop.store import images
from desktop.store.images import Destination
from desktop.store.job_record import JobRow, PictureRow
from desktop.store.jobs import JobStore
from desktop.store.name_pattern import Facts
from engine.port import GenerationRequest, ImageCompleted, JobId

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Saved:
    """Where a picture is; `problem` says why it is not in the folder that it was made for."""

    path: Path
    problem: OSError | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring pictures of a job that are still to be made: `count` of them from `first` on."""

    first: int
    request: GenerationRequest


def next_piece(job: JobRow) -> Piece | None:
    """What to ask the engine for next; None if all pictures of the job are in files."""
    missing = job.missing
    if not missing:
        return None
    first = missing[0]
    count = next((n for n, index in enumerate(missing) if index != first + n), len(missing))
    whole = job.request
    seed = (whole.seed + first) % 2**64
    return Piece(first, replace(whole, seed=seed, image_count=count))


def as_of_whole_job(
    event: ImageCompleted, piece: Piece, request: GenerationRequest
) -> ImageCompleted:
    """The picture as it would be had the job never been interrupted."""
    resolved = event.provenance.resolved
    whole = replace(resolved, seed=request.seed, image_count=request.image_count)
    provenance = replace(event.provenance, resolved=whole)
    return replace(event, index=piece.first + event.index, provenance=provenance)


def save(
    store: JobStore,
    job_id: JobId,
    index: int,
    data: bytes,
    facts: Facts,
    place: Destination,
    rescue_folder: Path,
) -> Saved:
    """Write a picture where it belongs or, if that folder refuses, into the rescue folder.

    A folder that is not there is not made: it may be on a disk that comes back. Raises `OSError` if
    neither takes it, `DatabaseTrouble` if its name cannot be kept.
    """
    token = ""

    def reserve(path: Path, new_token: str) -> None:
        nonlocal token
        token = new_token
        store.reserve(job_id, index, path, token, data)

    def reserve_rescue(path: Path, new_token: str) -> None:
        nonlocal token
        token = new_token
        store.reserve_rescue(job_id, index, path, token, data)

    try:
        _require(place.folder)
        path = images.save(data, place, facts, reserve).absolute()
    except OSError as problem:
        log.warning("%s takes no picture: %s", place.folder, problem)
        try:
            rescue = images.save(data, Destination(rescue_folder), facts, reserve_rescue)
        except OSError:
            if token:
                store.forget_rescue(job_id, index, token)
            raise problem from None
        return Saved(rescue, problem)
    store.mark_saved(job_id, index, path, token)
    return Saved(path)


def settle(store: JobStore, job: JobRow, root: Path) -> JobRow:
    """Look at the files of an interrupted job, and note what is there. `root` is its folder.

    Raises `OSError` if the folder is away: then nobody can tell.
    """
    for picture in store.unsettled(job.job_id):
        if picture.path is not None and _is_there(picture, picture.path, root):
            if picture.rescue is not None:
                picture.rescue.unlink(missing_ok=True)
            store.mark_saved(job.job_id, picture.index, picture.path, picture.token)
        elif picture.rescue is not None:
            rescue_root = picture.rescue.parent
            if not rescue_root.is_dir() or not _is_there(picture, picture.rescue, rescue_root):
                store.forget_rescue(job.job_id, picture.index, picture.token)
    return store.job(job.job_id)


def _is_there(picture: PictureRow, path: Path, root: Path) -> bool:
    return images.complete(path, picture.token, picture.digest, root)


def bring_home(store: JobStore, job: JobRow, root: Path) -> list[Path]:
    """Move a job's rescued pictures to where they belong; returns where they are.

    Raises `OSError`, `DatabaseTrouble`.
    """
    waiting = [p for p in job.pictures if p.rescue is not None and not p.is_saved]
    if waiting:
        _require(root)
    return [_move_home(store, job, picture, root) for picture in waiting]


def _move_home(store: JobStore, job: JobRow, picture: PictureRow, root: Path) -> Path:
    rescue = picture.rescue
    if rescue is None:
        raise ValueError("the picture is not in the rescue folder")
    data = rescue.read_bytes()
    wanted = picture.path or root / rescue.name
    token = ""

    def reserve(path: Path, new_token: str) -> None:
        nonlocal token
        token = new_token
        store.reserve(job.job_id, picture.index, path, token, data)

    path = images.save(data, Destination(wanted.parent, wanted.stem), None, reserve).absolute()
    rescue.unlink(missing_ok=True)
    store.mark_saved(job.job_id, picture.index, path, token)
    return path


def look_after_crash(store: JobStore, default_folder: Path) -> None:
    """Find left-over jobs, and note which of their pictures are there. Raises `DatabaseTrouble`."""
    store.take_stock()
    for job in store.left_over():
        try:
            row = settle(store, job, folder_of(job, default_folder))
        except OSError as error:
            log.info("the folder of a job cannot be looked at: %s", error)
            continue
        if not row.missing and all(picture.is_saved for picture in row.pictures):
            store.close_made(job.job_id)


def folder_of(job: JobRow, default: Path) -> Path:
    return default if job.folder is None else Path(job.folder)


def _require(folder: Path) -> None:
    if not folder.is_dir():
        number = errno.ENOTDIR if folder.exists() else errno.ENOENT
        raise OSError(number, os.strerror(number), str(folder))
