"""Damaged database and settings files: set aside, never a crash, and a usable one afterwards."""

from __future__ import annotations

import logging
import random
import shutil
import tempfile
from pathlib import Path

import pytest

from desktop import settings
from desktop.store.database import FILE_NAME, DatabaseTrouble
from desktop.store.job_record import NewJob
from desktop.store.jobs import JobStore
from engine.port import GenerationRequest, ModelId
from tests.fuzz.hostile import FULL, attack, damaged

INPUT_COUNTS = [
    pytest.param(100, id="short"),
    pytest.param(FULL, id="full", marks=[pytest.mark.fuzz, pytest.mark.timeout(14400)]),
]


@pytest.fixture
def quiet():
    """That a file is damaged is logged each time; here it is meant to be."""
    loggers = [logging.getLogger(f"desktop.{name}") for name in ("store.database", "settings")]
    for logger in loggers:
        logger.disabled = True
    yield
    for logger in loggers:
        logger.disabled = False


@pytest.fixture
def folder():
    """In memory where the system allows, because each input is flushed to the disk."""
    memory = Path("/dev/shm")  # noqa: S108 - not a name in it
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as made:
        yield Path(made)


def new_job(prompt: str) -> NewJob:
    request = GenerationRequest(prompt=prompt, seed=2**64 - 1, model_id=ModelId("m"))
    return NewJob(request=request, folder="/pictures")


@pytest.mark.parametrize("inputs", INPUT_COUNTS)
def test_damaged_databases(inputs, folder, quiet):
    store = JobStore.open(folder / "sample")
    ids = store.enqueue([new_job(f"picture {n}") for n in range(12)])
    store.begin(ids[0])
    store.reserve(ids[0], 0, Path("/pictures/a.png"), "00", b"data")
    store.close()
    sample = (folder / "sample" / FILE_NAME).read_bytes()

    def read(chance: random.Random) -> None:
        place = folder / "place"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        (place / FILE_NAME).write_bytes(damaged(sample, chance))
        try:
            store = JobStore.open(place)
        except DatabaseTrouble:
            return  # another version, say: told to the user, and the file is left alone
        try:
            store.take_stock()
            store.left_over()
            [added] = store.enqueue([new_job("new")])
            store.begin(added)
            store.finish(added)
        except DatabaseTrouble:
            pass
        finally:
            store.close()

    attack(read, inputs, name="database")


@pytest.mark.parametrize("inputs", INPUT_COUNTS)
def test_damaged_settings(inputs, folder, quiet):
    settings.save(settings.Settings(), folder)
    sample = (folder / settings.FILE_NAME).read_bytes()

    def read(chance: random.Random) -> None:
        for path in folder.iterdir():
            path.unlink()
        (folder / settings.FILE_NAME).write_bytes(damaged(sample, chance))
        found = settings.load(folder)
        settings.save(found, folder)
        assert settings.load(folder) == found

    attack(read, inputs, name="settings")
