"""The window's figures: how soon it is there, how late its event loop is, how fast Stop answers.

    python -m tests.bench.window [--runs N] [--platform offscreen|xcb]

Each measurement is a process of its own (`window_child`) with an empty home folder. Bounds are
those that the project has set itself; nothing is asserted, the table is read by people. With `xcb`
a window manager must run: without one no window is active, and none receives keys.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from rich.console import Console
from rich.table import Table

STOP_DELAYS_LOADING_S = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)
"""After Generate, pressed as soon as the window is there: the library is being loaded."""
STOPS_WHILE_DRAWING = 20


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.window", description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--platform", default="offscreen")
    options = parser.parse_args()
    table = Table("figure", "min", "median", "p99", "max", "bound")
    for measure in (measure_start, measure_lateness, measure_stop):
        for row in measure(options.platform, options.runs):
            table.add_row(*row)
    Console().print(table)
    return 0


def measure_start(platform: str, runs: int) -> list[tuple[str, ...]]:
    """Seconds from the start of the process to the first paint, and to a ready engine.

    Processor time says what a machine that does nothing else would need.
    """
    shown, cpu, ready = [], [], []
    for _ in range(runs):
        began_s = time.monotonic()
        figures = _child(platform, "start")
        if figures["had_paddle"]:
            raise SystemExit("PaddlePaddle was imported before the window was on screen")
        shown.append(figures["shown_at_s"] - began_s)
        cpu.append(figures["shown_cpu_s"])
        ready.append(figures["engine_ready_at_s"] - began_s)
    return [
        _row("window shown, s", shown, "<= 1.0", digits=2),
        _row("processor time until then, s", cpu, "", digits=2),
        _row("engine ready, s", ready, "", digits=2),
    ]


def measure_lateness(platform: str, runs: int) -> list[tuple[str, ...]]:
    """Milliseconds by which the event loop is late, all runs together."""
    together: dict[str, list[float]] = {}
    for _ in range(runs):
        figures = _child(platform, "lateness")
        for phase in ("loading", "idle", "first picture", "second picture"):
            together.setdefault(phase, []).extend(figures[phase])
    bounds = {
        "loading": "max <= 300, once",
        "idle": "",
        "first picture": "p99 <= 16, max <= 60",
        "second picture": "p99 <= 16, max <= 60",
    }
    return [
        _row(f"event loop late, {phase}, ms", late, bounds[phase])
        for phase, late in together.items()
    ]


def measure_stop(platform: str, runs: int) -> list[tuple[str, ...]]:
    """Milliseconds from Escape to the painted answer, at moments all over a job."""
    loading = [_child(platform, "stop", delay_s)["stop_ms"][0] for delay_s in STOP_DELAYS_LOADING_S]
    moments = random.Random(1)
    delays_s = [2.5, *(moments.uniform(0.0, 2.5) for _ in range(STOPS_WHILE_DRAWING))]
    drawing = _child(platform, "stop", *delays_s)["stop_ms"]
    return [
        _row("Stop answered, while loading, ms", loading, "<= 100"),
        _row("Stop answered, while drawing, ms", drawing, "<= 100"),
    ]


def _child(platform: str, *arguments: object) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="danqing-home-") as home:
        environment = {name: text for name, text in os.environ.items() if "XDG_" not in name}
        environment |= {"HOME": home, "QT_QPA_PLATFORM": platform}
        command = [sys.executable, "-m", "tests.bench.window_child", *map(str, arguments)]
        result = subprocess.run(
            command, env=environment, check=True, stdout=subprocess.PIPE, text=True, timeout=300
        )
    return json.loads(result.stdout)


def _row(
    name: str, figures: list[float | None] | list[float], bound: str, digits: int = 1
) -> tuple[str, ...]:
    values = sorted(value for value in figures if value is not None)
    p99 = values[min(len(values) - 1, int(0.99 * len(values)))]
    numbers = (values[0], statistics.median(values), p99, values[-1])
    return (name, *(f"{number:.{digits}f}" for number in numbers), bound)


if __name__ == "__main__":
    sys.exit(main())
