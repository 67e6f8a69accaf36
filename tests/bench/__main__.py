"""`make bench`: every figure that Danqing promises, as one table.

    python -m tests.bench [--rounds N] [--threads N] [--only NAME]

Ratios come from two processes that take turns (see `worker`); each row shows the minimum and the
median of both sides and their ratios. Needs `.venv` and `.venv-reference`. Nothing is asserted: the
table is read by people, and its figures go into release notes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from engine import bootstrap
from tests.bench.worker import ROOT, Worker

STARTER = ROOT / "resources" / "starter-model"
REFERENCE_PYTHON = ROOT / ".venv-reference" / "bin" / "python"
PROMPT = "an orange cat on a blue background"
PICTURE = {"model": str(STARTER), "steps": 12, "guidance_scale": 3.5, "prompt": PROMPT}
TRANSFORMER = {
    "config": {
        "hidden_size": 2048,
        "num_attention_heads": 16,
        "num_layers": 2,
        "ffn_hidden_size": 6144,
        "in_channels": 128,
        "out_channels": 128,
        "patch_size": 1,
        "text_in_dim": 3072,
        "rope_theta": 256,
        "rope_axes_dim": [32, 48, 48],
        "eps": 1e-6,
        "qk_layernorm": True,
    },
    "height": 32,
    "width": 32,
    "text": 64,
}
VAE = {
    "config": {
        "block_out_channels": [128, 256, 512, 512],
        "layers_per_block": 2,
        "latent_channels": 32,
        "norm_num_groups": 32,
        "down_block_types": ["DownEncoderBlock2D"] * 4,
        "up_block_types": ["UpDecoderBlock2D"] * 4,
    },
    "height": 64,
    "width": 64,
}


class Bench:
    """Runs the rows and collects the table."""

    def __init__(self, rounds: int, threads: int) -> None:
        self.rounds = rounds
        self.threads = threads
        self.table = Table(title=f"{threads} compute threads, {rounds} rounds, interleaved")
        for column in ("figure", "ours", "reference", "ratio of minima", "ratio of medians"):
            self.table.add_column(column, justify="left" if column == "figure" else "right")

    def row(self, figure: str, ours: list[float], theirs: list[float], unit: str) -> None:
        self.table.add_row(
            figure,
            _both(ours, unit),
            _both(theirs, unit),
            f"{min(ours) / min(theirs):.2f}",
            f"{statistics.median(ours) / statistics.median(theirs):.2f}",
        )

    def compare(self, figure: str, task: str, arguments: dict) -> None:
        """One task on both sides: a warm-up each, then `rounds` turns."""
        ours, theirs = self._ours(), self._reference()
        results: tuple[list[dict], list[dict]] = ([], [])
        for turn in range(self.rounds + 1):
            for worker, collected in zip((ours, theirs), results, strict=True):
                answer = worker.ask(task, **arguments)
                if turn:
                    collected.append(answer)
                time.sleep(0.3)  # until the worker threads of the side that ran stop spinning
        ours.close()
        theirs.close()
        mine, other = ([answer["seconds"] for answer in side] for side in results)
        self.row(figure, mine, other, "s")

    def compare_memory(self, figure: str, task: str, arguments: dict) -> None:
        """The extra memory of a task's first run in a fresh process, which keeps what it frees."""
        sides: tuple[list[float], list[float]] = ([], [])
        for _ in range(2):
            for make, collected in zip((self._ours, self._reference), sides, strict=True):
                worker = make()
                collected.append(worker.ask(task, **arguments)["extra_bytes"] / 1e6)
                worker.close()
        self.row(figure, *sides, "MB")

    def picture(self) -> None:
        self.compare("picture 256², 12 steps, euler", "picture", PICTURE)

    def transformer(self) -> None:
        self.compare(
            "transformer 2048 wide, 2 layers, 1024 tokens",
            "transformer",
            TRANSFORMER,
        )

    def vae(self) -> None:
        self.compare("VAE decoder, 64² latent", "vae", VAE)
        self.compare_memory("VAE decoder, 64² latent: extra memory", "vae", VAE)

    def memory(self) -> None:
        """A fresh process for each side and round: what one picture costs from the start."""
        sides: tuple[list[dict], list[dict]] = ([], [])
        for _ in range(min(3, self.rounds)):
            for make, collected in zip((self._ours, self._reference), sides, strict=True):
                worker = make()
                collected.append(worker.ask("picture_memory", **PICTURE))
                worker.close()
        for key, figure in (
            ("process_bytes", "one picture: whole process"),
            ("growth_bytes", "one picture: growth after import"),
        ):
            mine, other = ([answer[key] / 1e6 for answer in side] for side in sides)
            self.row(figure, mine, other, "MB")

    def cancel(self) -> None:
        worker = self._ours()
        answers = [
            worker.ask("cancel_latency", model=str(STARTER), seed=seed) for seed in range(100)
        ]
        worker.close()
        latencies = [1000 * a["seconds"] for a in answers if a["end"] == "JobCancelled"]
        self.table.add_row(
            f"cancel to terminal event, {len(latencies)} of 100 random moments",
            f"worst {max(latencies):.0f} ms, median {statistics.median(latencies):.0f} ms",
        )

    def start(self) -> None:
        """Start-up of the light commands, and what they must not load."""
        for figure, code in (
            ("danqing --version", "import sys; sys.argv = ['danqing', '--version']\n" + _MAIN),
            ("import engine.port", "import engine.port\n" + _REPORT),
        ):
            times: list[float] = []
            output = ""
            for _ in range(max(5, self.rounds)):
                start = time.perf_counter()
                output = subprocess.run(
                    [sys.executable, "-c", code],
                    cwd=ROOT,
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
                times.append(time.perf_counter() - start)
            loaded = json.loads(output.splitlines()[-1])
            self.table.add_row(f"{figure}; heavy modules: {loaded or 'none'}", _both(times, "s"))

    def _ours(self) -> Worker:
        return Worker(Path(sys.executable), "tests.bench.ours", self.threads)

    def _reference(self) -> Worker:
        return Worker(REFERENCE_PYTHON, "tests.bench.reference", self.threads)


_REPORT = """
import json, sys
print(json.dumps([name for name in ("paddle", "numpy", "PySide6") if name in sys.modules]))
"""
_MAIN = (
    """
from desktop.__main__ import main
try:
    main()
except SystemExit:
    pass
"""
    + _REPORT
)


def _both(values: list[float], unit: str) -> str:
    digits = 0 if unit == "MB" else 3
    return f"{min(values):.{digits}f} / {statistics.median(values):.{digits}f} {unit}"


def main() -> None:
    rows: dict[str, Callable[[Bench], None]] = {
        name: getattr(Bench, name)
        for name in ("start", "picture", "transformer", "vae", "memory", "cancel")
    }
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=bootstrap.cores())
    parser.add_argument("--only", choices=list(rows), action="append")
    arguments = parser.parse_args()
    bench = Bench(arguments.rounds, arguments.threads)
    console = Console(width=150)
    for name in arguments.only or rows:
        console.print(f"{name} ...", style="dim")
        rows[name](bench)
    console.print(bench.table)


if __name__ == "__main__":
    main()
