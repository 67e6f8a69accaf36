"""`danqing metadata`, carried out: what pictures say of how they were made.

Separate from `desktop.cli`, which makes pictures: here nothing is loaded but the reader.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from desktop import messages
from desktop.store.metadata import ImageMetadata, read

if TYPE_CHECKING:
    from desktop.arguments import ReadMetadata
    from desktop.terminal import Results

STATUS_FOUND = 0
STATUS_NOT_FOUND = 1
STATUS_COULD_NOT_RUN = 3


def run(command: ReadMetadata, results: Results, human: TextIO) -> int:
    """`danqing metadata`: 0 if every picture says how it was made, 1 if one does not, 3 if a file
    cannot be read.
    """
    status = STATUS_FOUND
    records: list[dict[str, object]] = []
    for file in command.files:
        try:
            found = read(file)
        except OSError as error:
            reason = error.strerror or str(error)
            human.write(f"danqing metadata: {messages.printable(str(file))}: {reason}\n")
            status = STATUS_COULD_NOT_RUN
            records.append(record_of(file, ImageMetadata(), reason))
            continue
        if found.software is None:
            status = max(status, STATUS_NOT_FOUND)
        if command.is_json:
            records.append(record_of(file, found))
        else:
            for line in lines_of(file, found):
                results.line(line)
    if command.is_json:
        # Escapes keep lone surrogates, which have no bytes in UTF-8.
        results.line(json.dumps(records, indent=1, allow_nan=False))
    return status


def record_of(file: Path, found: ImageMetadata, problem: str | None = None) -> dict[str, object]:
    """One picture for `--json`; null stands for "not known"."""
    return {
        "file": str(file),
        "software": found.software,
        "prompt": found.prompt,
        "negative_prompt": found.negative_prompt,
        "width": found.width,
        "height": found.height,
        "seed": found.seed,
        "steps": found.steps,
        "cfg": found.cfg,
        "clipSkip": found.clip_skip,
        "sampler": found.sampler,
        "scheduler": found.scheduler,
        "source": found.source,
        "format": found.format,
        "raw": dict(found.raw) or None,
        "warnings": [*([problem] if problem else []), *map(str, found.warnings)],
    }


def lines_of(file: Path, found: ImageMetadata) -> list[str]:
    """One picture for a terminal: its name, then what is known, a value a line."""
    size = f"{found.width}x{found.height}" if found.width and found.height else None
    values = (
        ("made by", found.software),
        ("prompt", found.prompt),
        ("negative", found.negative_prompt),
        ("seed", found.seed),
        ("size", size),
        ("steps", found.steps),
        ("guidance", None if found.cfg is None else f"{found.cfg:g}"),
        ("sampler", found.sampler),
        ("schedule", found.scheduler),
        ("clip skip", found.clip_skip),
        ("model", found.model),
        ("found in", found.source),
    )
    lines = [messages.printable(str(file))]
    for name, value in values:
        if value is not None:
            first, *rest = str(value).splitlines() or [""]
            lines.append(f"  {name:9}  {messages.printable(first)}")
            lines += [f"             {messages.printable(line)}" for line in rest]
    return [*lines, *(f"  note: {messages.printable(str(note))}" for note in found.warnings)]
