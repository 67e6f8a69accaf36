"""Batches that are ended badly and gone on with, and what must hold afterwards."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from desktop.store.database import FILE_NAME

ROOT = Path(__file__).parents[2]
FAKE = ("-m", "tests.faults.child")
REAL = ("-m", "desktop", "batch")

NAMED = re.compile(r"\d{4}-\d{2}-\d{2}-(\d{4})-picture (\d{3})\.png")


@dataclass
class Desk:
    """A home of its own with a list of `count` pictures."""

    home: Path
    count: int
    program: tuple[str, ...] = FAKE
    steps: int = 1
    size: str = "256x256"
    model: str | None = None
    variables: dict[str, str] = field(default_factory=dict)
    out: Path = field(init=False)

    def __post_init__(self) -> None:
        self.out = self.home / "pictures"
        self.home.mkdir(parents=True, exist_ok=True)
        width, height = self.size.split("x")
        lines = [
            f'--prompt "picture {n:03d}" --seed {n + 1} --steps {self.steps}'
            f" --width {width} --height {height}\n"
            for n in range(self.count)
        ]
        self.list.write_text("".join(lines), encoding="utf-8")

    @property
    def list(self) -> Path:
        return self.home / "list.txt"

    @property
    def state(self) -> Path:
        return self.home / "state" / "danqing"

    @property
    def rescue(self) -> Path:
        return self.state / "rescued-pictures"

    def start(self, *options: str, **variables: str) -> subprocess.Popen[str]:
        folders = {
            "HOME": self.home,
            "XDG_STATE_HOME": self.home / "state",
            "XDG_CONFIG_HOME": self.home / "config",
            "XDG_DATA_HOME": self.home / "data",
            "XDG_CACHE_HOME": self.home / "cache",
        }
        environment = {
            **os.environ, **{k: str(v) for k, v in folders.items()}, **self.variables, **variables,
        }  # fmt: skip
        model = () if self.model is None else ("--model", self.model)
        words = (str(self.list), "--out", str(self.out), *model, *options)
        return subprocess.Popen(
            [sys.executable, *self.program, *words],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *options: str, **variables: str) -> tuple[int, str]:
        """Exit status and what was said."""
        process = self.start(*options, **variables)
        out, err = process.communicate(timeout=120)
        return process.returncode, out + err

    def finish(self) -> None:
        """Go on until everything is made; several times, because a lost device pauses."""
        status, said = self.run("--resume", "--retry-quarantined")
        assert status == 0, said

    # --- what must hold ---------------------------------------------------------------------------

    def pictures(self) -> list[Path]:
        return sorted(self.out.glob("*.png")) if self.out.is_dir() else []

    def check_whole(self, known: set[Path]) -> None:
        """Every file with a picture's name is a whole picture; `known` ones were looked at."""
        for path in self.pictures():
            if path not in known:
                with Image.open(path) as picture:
                    picture.load()
                known.add(path)

    def check_complete(self) -> dict[str, str]:
        """Nothing lost, nothing twice, nothing left lying about, order kept.

        Returns the digest of each picture by its prompt.
        """
        self.check_whole(set())
        found = [NAMED.fullmatch(path.name) for path in self.pictures()]
        assert all(found), self.pictures()
        numbers = [(int(m[1]), int(m[2])) for m in found if m]
        assert sorted(n for _, n in numbers) == list(range(self.count))
        assert [n for _, n in sorted(numbers)] == list(range(self.count)), "the order was not kept"
        for folder in (self.out, self.rescue):
            left = [p.name for p in folder.glob(".*")] if folder.is_dir() else []
            assert left == [], "a temporary file was left"
        assert not self.rescue.is_dir() or not list(self.rescue.iterdir())
        self.check_database({"finished": self.count})
        return {
            f"{m[2]}": hashlib.sha256(path.read_bytes()).hexdigest()
            for m, path in zip(found, self.pictures(), strict=True)
            if m
        }

    def check_database(self, states: dict[str, int]) -> None:
        connection = sqlite3.connect(self.state / FILE_NAME)
        try:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            rows = connection.execute("SELECT state, count(*) FROM jobs GROUP BY state").fetchall()
            assert dict(rows) == states
        finally:
            connection.close()
