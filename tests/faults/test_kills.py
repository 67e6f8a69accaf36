"""Batches killed at any moment, and gone on with: nothing lost, nothing twice, nothing half."""

from __future__ import annotations

import random
import subprocess
import time
from pathlib import Path

import pytest

from tests.fakes import tiny_model
from tests.faults.harness import REAL, Desk

BATCH = 40


class Killer:
    """Kills the batch at random moments. The longest wait follows how fast the machine is now."""

    def __init__(self, seed: int, longest_s: float) -> None:
        self._chance = random.Random(seed)
        self._longest_s = longest_s
        self.kills = 0

    def kill_and_resume(self, desk: Desk, most: int) -> None:
        """Until `most` kills are used up, all batches counted, or this one is made."""
        known: set[Path] = set()
        while self.kills < most:
            process = desk.start("--resume", "--retry-quarantined")
            try:
                _, said = process.communicate(timeout=self._chance.uniform(0.05, self._longest_s))
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.kills += 1
                self._longest_s *= 1.02
                desk.check_whole(known)
                continue
            assert process.returncode == 0, said
            self._longest_s *= 0.7
            return


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_batch_killed_at_random_moments_is_made_completely(tmp_path):
    whole = Desk(tmp_path / "whole", BATCH)
    began = time.monotonic()
    assert whole.run()[0] == 0
    took_s = time.monotonic() - began
    reference = whole.check_complete()
    killer, batches = Killer(1, took_s), 0
    while killer.kills < 15:
        desk = Desk(tmp_path / str(batches), BATCH)
        killer.kill_and_resume(desk, 15)
        desk.finish()
        assert desk.check_complete() == reference
        batches += 1


@pytest.mark.fault
@pytest.mark.timeout(3600)
def test_the_real_engine_killed_at_200_random_moments(tmp_path, capsys):
    settings = {"program": REAL, "steps": 2, "size": "64x64", "model": "tiny"}
    whole = desk_with_model(tmp_path / "whole", **settings)
    began = time.monotonic()
    assert whole.run()[0] == 0
    took_s = time.monotonic() - began
    reference = whole.check_complete()
    killer, batches = Killer(2, took_s), 0
    while killer.kills < 200:
        desk = desk_with_model(tmp_path / str(batches), **settings)
        killer.kill_and_resume(desk, 200)
        desk.finish()
        assert desk.check_complete() == reference
        batches += 1
    spent_s = time.monotonic() - began
    with capsys.disabled():
        print(
            f"\n{killer.kills} kills in {batches} batches of {BATCH},"
            f" {took_s:.1f} s each if undisturbed,"
            f" {spent_s:.0f} s: every picture once, whole, in order, and to the bit the same"
        )


def desk_with_model(home: Path, **settings) -> Desk:
    desk = Desk(home, BATCH, **settings)
    models = home / "data" / "danqing" / "models"
    models.mkdir(parents=True)
    tiny_model.write(models / "tiny")
    return desk
