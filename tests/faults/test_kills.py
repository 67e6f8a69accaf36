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


def kill_and_resume(desk: Desk, kills: int, seed: int, longest_s: float) -> int:
    """Kill the batch at random moments until `kills` are used up or it is made; how many were."""
    chance = random.Random(seed)
    known: set[Path] = set()
    for done in range(kills):
        process = desk.start("--resume", "--retry-quarantined")
        try:
            _, said = process.communicate(timeout=chance.uniform(0.05, longest_s))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            desk.check_whole(known)
            continue
        assert process.returncode == 0, said
        return done
    return kills


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_batch_killed_at_random_moments_is_made_completely(tmp_path):
    whole = Desk(tmp_path / "whole", BATCH)
    began = time.monotonic()
    assert whole.run()[0] == 0
    took_s = time.monotonic() - began
    reference = whole.check_complete()
    used = 0
    batch = 0
    while used < 15:
        desk = Desk(tmp_path / str(batch), BATCH)
        used += max(1, kill_and_resume(desk, 15 - used, batch, took_s))
        desk.finish()
        assert desk.check_complete() == reference
        batch += 1


@pytest.mark.fault
@pytest.mark.timeout(3600)
def test_the_real_engine_killed_at_200_random_moments(tmp_path, capsys):
    settings = {"program": REAL, "steps": 2, "size": "64x64", "model": "tiny"}
    whole = desk_with_model(tmp_path / "whole", **settings)
    began = time.monotonic()
    assert whole.run()[0] == 0
    took_s = time.monotonic() - began
    reference = whole.check_complete()
    kills, batches = 0, 0
    while kills < 200:
        desk = desk_with_model(tmp_path / str(batches), **settings)
        kills += kill_and_resume(desk, 200 - kills, batches, took_s)
        desk.finish()
        assert desk.check_complete() == reference
        batches += 1
    spent_s = time.monotonic() - began
    with capsys.disabled():
        print(
            f"\n{kills} kills in {batches} batches of {BATCH} ({took_s:.1f} s each undisturbed),"
            f" {spent_s:.0f} s: every picture once, whole, in order, and to the bit the same"
        )


def desk_with_model(home: Path, **settings) -> Desk:
    desk = Desk(home, BATCH, **settings)
    models = home / "data" / "danqing" / "models"
    models.mkdir(parents=True)
    tiny_model.write(models / "tiny")
    return desk
