"""The digest that names a model in a picture's metadata, and a cache so that it is computed once.

Separate from reading: sixteen gigabytes take half a minute to hash, and a picture needs the digest
only when it is finished.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.weights.component import weight_files
from engine.weights.faults import unreadable
from engine.weights.files import opened

CACHE_NAME = "model-digests.json"

_FORMAT = {"format": "danqing-digests", "version": 1}
_CHUNK_BYTES = 4 << 20

log = logging.getLogger(__name__)


def transformer_sha256(
    folder: Path, cache_folder: Path | None = None, checkpoint: Callable[[], None] | None = None
) -> str:
    """SHA-256, in hexadecimal, over the transformer's weight files in name order.

    For a single file this is what `sha256sum` prints. The result is kept in `cache_folder`, and
    believed while every file's size and modification time stay as they were. `checkpoint` is called
    between pieces of 4 MB and may raise to cancel.

    Raises `EngineFault` as `component.weight_files` does.
    """
    files = weight_files(folder / "transformer")
    state = _state(files)
    key = str((folder / "transformer").resolve())
    entries = _load(cache_folder) if cache_folder is not None else {}
    entry = entries.get(key)
    if isinstance(entry, dict) and entry.get("files") == state and _is_digest(entry.get("sha256")):
        return entry["sha256"]
    sha256 = _hash(files, checkpoint)
    if cache_folder is not None:
        _save(cache_folder, {**entries, key: {"files": state, "sha256": sha256}})
    return sha256


def _state(files: list[Path]) -> list[list[Any]]:
    state = []
    for file in files:
        try:
            status = file.stat()
        except OSError as error:
            raise unreadable(error, file) from error
        state.append([file.name, status.st_size, status.st_mtime_ns])
    return state


def _hash(files: list[Path], checkpoint: Callable[[], None] | None) -> str:
    sha256 = hashlib.sha256()
    for path in files:
        with opened(path) as file:
            while chunk := file.read(_CHUNK_BYTES):
                sha256.update(chunk)
                if checkpoint is not None:
                    checkpoint()
    return sha256.hexdigest()


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


def _load(cache_folder: Path) -> dict[str, Any]:
    """The cache's entries; an unusable cache counts as empty, because it can be remade."""
    path = cache_folder / CACHE_NAME
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if {key: content[key] for key in _FORMAT} == _FORMAT and isinstance(
            content["models"], dict
        ):
            return content["models"]
        log.warning("ignoring %s: not a digest cache of this version", path)
    except FileNotFoundError:
        pass
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        log.warning("ignoring %s: %s", path, error)
    return {}


def _save(cache_folder: Path, entries: dict[str, Any]) -> None:
    """Replace the cache in one step; without it the digest is computed again next time."""
    text = json.dumps({**_FORMAT, "models": entries}, indent=1)
    try:
        cache_folder.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=cache_folder, prefix=f".{CACHE_NAME}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).replace(cache_folder / CACHE_NAME)
        except OSError:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        log.warning("the digest cache could not be written: %s", error)
