"""Asks the installed PaddlePaddle what it is, through a child process, once per installation.

Separate from `probe`, which runs in that process. The answer is the text of `commands/paddle.json`
in a snapshot. It is kept in the cache folder under the identity of the wheel, so that a check takes
seconds only after an installation has changed.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

from engine.checks import decisions
from engine.checks.facts.software import VISIBILITY
from engine.port import EngineFault

log = logging.getLogger(__name__)

TIMEOUT_S = 60.0
"""A cold start from a slow disk takes half of it; more is a hang, and an answer."""

FILE_NAME = "paddle-probe.json"

_PACKAGES = (
    "paddlepaddle", "paddlepaddle-gpu", "paddlepaddle-rocm", "paddlepaddle-dcu", "paddlenlp",
)  # fmt: skip
_VARIABLES = (*VISIBILITY, "LD_LIBRARY_PATH", "HSA_OVERRIDE_GFX_VERSION")
_MAX_BYTES = 2**20


def identity() -> str:
    """A digest that changes with the installed wheels, the kernel and the visible devices."""
    parts: list[str] = [sys.executable, sys.version, os.uname().release]
    for name in _PACKAGES:
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        record = Path(str(package.locate_file(""))) / f"{name.replace('-', '_')}-{package.version}"
        stamp = _stamp(record.with_name(record.name + ".dist-info") / "RECORD")
        parts += [name, package.version, stamp]
    parts += [f"{name}={os.environ.get(name)}" for name in _VARIABLES]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _stamp(file: Path) -> str:
    try:
        status = file.stat()
    except OSError:
        return "?"
    return f"{file} {status.st_size} {status.st_mtime_ns}"


def answer(cache_folder: Path, timeout_s: float = TIMEOUT_S) -> str:
    """The probe's JSON text, from the cache or from a fresh process."""
    known = identity()
    file = cache_folder / FILE_NAME
    if (kept := _kept(file, known)) is not None:
        return kept
    text, is_lasting = _ask(timeout_s)
    if is_lasting:
        content = json.dumps({"identity": known, "answer": text}).encode()
        try:
            decisions.write_whole(file, content)
        except EngineFault as fault:  # a cache that cannot be written costs time only
            log.warning("the probe's answer is not kept: %s", fault)
    return text


def _kept(file: Path, known: str) -> str | None:
    try:
        with file.open("rb") as stream:
            found = json.loads(stream.read(_MAX_BYTES))
        return str(found["answer"]) if found["identity"] == known else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _ask(timeout_s: float) -> tuple[str, bool]:
    """The child's answer, and whether it will be the same next time."""
    command = [sys.executable, "-P", "-m", "engine.checks.probe"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        return json.dumps({"error": f"no answer within {timeout_s:.0f} s"}), False
    text = done.stdout.decode("utf-8", errors="replace").strip()
    if done.returncode == 0 and text.startswith("{"):
        return text, True
    last = done.stderr.decode("utf-8", errors="replace").strip().splitlines()[-1:]
    reason = f"ended with {done.returncode}: {''.join(last)}"[:500]
    return json.dumps({"error": reason}), False
