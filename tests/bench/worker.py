"""A process that measures on request: one JSON line in, one out.

The two sides of a comparison live in different environments, so each is a process of its own. They
stay alive between measurements and take turns, so that the machine's moods meet both alike. Used by
both sides: the standard library only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Task = Callable[..., dict[str, Any]]
ROOT = Path(__file__).parents[2]


def serve(tasks: Mapping[str, Task]) -> None:
    """Answer measurement requests until standard input ends. What tasks print goes to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        result = tasks[request.pop("task")](**request)
        print(json.dumps(result), file=answers, flush=True)


class Worker:
    """The asking end: `Worker(python, module).ask("picture", steps=12)`."""

    def __init__(self, python: Path, module: str, threads: int) -> None:
        environment = os.environ | {
            "OMP_NUM_THREADS": str(threads),
            "MKL_NUM_THREADS": str(threads),
            "HF_HUB_OFFLINE": "1",
        }
        self._process = subprocess.Popen(
            [python, "-m", module],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, task: str, **arguments: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"task": task, **arguments}), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker for {task} ended: {self._process.wait()}")
        return json.loads(answer)

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def timed(function: Callable[[], object]) -> dict[str, Any]:
    """Seconds of one call, and bytes by which its peak resident set exceeds the set before it."""
    before = resident_bytes()
    reset_peak()
    start = time.perf_counter()
    function()
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "extra_bytes": max(0, peak_bytes() - before)}


def reset_peak() -> None:
    """Make the kernel forget the highest resident set so far (Linux: proc(5), clear_refs)."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_bytes() -> int:
    return _status("VmHWM")


def resident_bytes() -> int:
    return _status("VmRSS")


def _status(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"no {key} in /proc/self/status")
