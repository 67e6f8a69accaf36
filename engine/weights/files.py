"""Opening what may be anything: only regular files, and a look at what stands in their place.

Separate because weight files, their indexes and configurations all arrive by the same downloads and
suffer the same accidents.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from engine.port import ErrorCode
from engine.weights.faults import Reason, corrupt, fault, unreadable

SNIFF_BYTES = 512
"""How much of a file's start `stand_in` wants to see."""

_MAX_JSON_BYTES = 64_000_000


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file for reading; also turns OSErrors from inside the context into faults.

    Raises `EngineFault` MODEL_MISSING or MODEL_UNREADABLE.
    """
    try:
        # Not blocking: a named pipe in a model's place must not hang the engine.
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise fault(ErrorCode.MODEL_UNREADABLE, path, Reason.NOT_A_FILE)
            yield file
    except OSError as error:
        raise unreadable(error, path) from error


def stand_in(start: bytes) -> Reason | None:
    """What lies in a file's place, by its first `SNIFF_BYTES`; None if nothing that is known."""
    if not start:
        return Reason.EMPTY
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith(b"version https://git-lfs"):
        return Reason.LFS_POINTER
    if text.startswith((b"<!doctype", b"<html", b"<head", b"<?xml")):
        return Reason.HTML_PAGE
    return None


def read_json(path: Path, reason: Reason) -> dict[str, Any]:
    """The JSON object in `path`.

    Raises `EngineFault` MODEL_MISSING, MODEL_UNREADABLE, or MODEL_CORRUPT: with `reason` when the
    content is not a JSON object, or with what stands in its place.
    """
    with opened(path) as file:
        content = file.read(_MAX_JSON_BYTES + 1)
    found = stand_in(content[:SNIFF_BYTES])
    if found is not None:
        raise corrupt(path, found)
    if len(content) > _MAX_JSON_BYTES:
        raise corrupt(path, reason, detail=f"more than {_MAX_JSON_BYTES} bytes")
    try:
        value = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise corrupt(path, reason, detail=str(error)) from error
    if not isinstance(value, dict):
        raise corrupt(path, reason, detail="no JSON object")
    return value
