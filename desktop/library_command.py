"""`danqing library`: the index of pictures made again, counted and searched.

Separate from `desktop.cli`, whose commands meet the engine; this one meets files only.
"""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path
from typing import TextIO, assert_never

from desktop import paths, settings
from desktop.arguments import LibraryAction, UsageError, UseLibrary
from desktop.messages import printable
from desktop.store import library, library_file, library_scan
from desktop.store.library import Library
from desktop.store.library_scan import ScanResult
from desktop.terminal import Results

STATUS_DONE = 0
STATUS_FAILED = 1
STATUS_COULD_NOT_RUN = 3

_PROGRESS_S = 2.0


def run(command: UseLibrary, results: Results, human: TextIO) -> int:
    """Carry out the command; returns the exit status. Raises `UsageError`."""
    state = paths.state_folder()
    try:
        if command.action is LibraryAction.REBUILD:
            return _rebuild(command, state, results, human)
        with library.opened(state) as index:
            match command.action:
                case LibraryAction.STATUS:
                    return _status(command, index, results, human)
                case LibraryAction.SEARCH:
                    return _search(command, index, results)
                case LibraryAction.FORGET:
                    return _forget(command, index, human)
                case _:
                    assert_never(command.action)
    except (sqlite3.Error, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        place = printable(str(state / library_file.FILE_NAME))
        human.write(f"danqing library: {place} cannot be used: {reason}\n")
        return STATUS_COULD_NOT_RUN


# --- rebuild --------------------------------------------------------------------------------------


def _rebuild(command: UseLibrary, state: Path, results: Results, human: TextIO) -> int:
    for folder in command.folders:
        if not folder.is_dir():
            raise UsageError(f"danqing library rebuild: {folder} is not a folder")
    aside = library_file.set_aside_if_damaged(state)
    if aside is not None:
        human.write(f"the index was damaged; it is kept as {printable(str(aside))}\n")
    began_s = time.monotonic()
    with library.opened(state) as index:
        for root in (_pictures_folder(), paths.rescue_folder(), *command.folders):
            index.add_root(root)
        result = library_scan.scan(index, reads_all=True, progress=_Progress(human))
        pictures = sum(status.pictures for status in index.status())
    took_s = time.monotonic() - began_s
    _tell(result, took_s, human)
    if command.is_json:
        record = {
            "pictures": pictures,
            "read": result.read,
            "added": result.added,
            "changed": result.changed,
            "removed": result.removed,
            "away": [str(path) for path in result.away],
            "unreadable": [str(path) for path in result.unreadable],
            "seconds": round(took_s, 3),
        }
        results.line(json.dumps(record))
    else:
        results.line(str(result.seen))
    return STATUS_FAILED if result.unreadable else STATUS_DONE


class _Progress:
    """Says how far a scan is, now and then."""

    def __init__(self, human: TextIO) -> None:
        self._human = human
        self._next_s = time.monotonic() + _PROGRESS_S

    def __call__(self, result: ScanResult) -> bool:
        if time.monotonic() >= self._next_s:
            self._next_s += _PROGRESS_S
            self._human.write(f"{result.read} pictures read\n")
            self._human.flush()
        return True


def _tell(result: ScanResult, took_s: float, human: TextIO) -> None:
    human.write(
        f"{result.seen} pictures in {took_s:.1f} s: {result.added} new, {result.changed} changed, "
        f"{result.removed} gone\n"
    )
    kept = [("not there now", result.away), ("cannot be read", result.unreadable)]
    human.writelines(
        f"{why}, kept in the index: {printable(str(path))}\n" for why, some in kept for path in some
    )


def _pictures_folder() -> Path:
    chosen = settings.load(paths.config_folder()).pictures_folder
    return Path(chosen) if chosen else paths.pictures_folder()


# --- the others -----------------------------------------------------------------------------------


def _status(command: UseLibrary, index: Library, results: Results, human: TextIO) -> int:
    found = index.status()
    if command.is_json:
        folders = [
            {"path": str(root.path), "pictures": root.pictures, "away": root.away} for root in found
        ]
        results.line(json.dumps({"folders": folders}))
    else:
        for root in found:
            away = f" ({root.away} more are not there now)" if root.away else ""
            results.line(f"{root.pictures}\t{printable(str(root.path))}{away}")
    if not found:
        human.write("the index is empty; to fill it: danqing library rebuild\n")
    return STATUS_DONE


def _search(command: UseLibrary, index: Library, results: Results) -> int:
    found = index.search(command.text)
    for picture in found:
        if command.is_json:
            record = {
                "path": str(picture.path),
                "prompt": picture.prompt,
                "seed": picture.seed,
                "width": picture.width,
                "height": picture.height,
                "model": picture.model,
                "away": picture.is_away,
            }
            results.line(json.dumps(record))
        else:
            results.line(str(picture.path))
    return STATUS_DONE if found else STATUS_FAILED


def _forget(command: UseLibrary, index: Library, human: TextIO) -> int:
    for folder in command.folders:
        if folder.absolute() not in index.roots():
            known = ", ".join(map(str, index.roots())) or "none"
            raise UsageError(
                f"danqing library forget: {folder} is not in the library; there are: {known}"
            )
    for folder in command.folders:
        index.forget_root(folder.absolute())
        human.write(f"forgotten; its files are as they were: {printable(str(folder))}\n")
    return STATUS_DONE
