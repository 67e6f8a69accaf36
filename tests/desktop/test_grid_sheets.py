"""The sheet of a grid is written once its last picture is, and never before."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from desktop import grid_sheets
from desktop.prompts import Wildcards, expand_text
from desktop.store.job_record import NewJob
from desktop.store.jobs import JobStore, NewBatch
from engine.port import GenerationRequest
from tests.fakes.script import FAKE_MODEL


@pytest.fixture
def store():
    made = JobStore.in_memory()
    yield made
    made.close()


def put(store: JobStore, folder: Path, text: str) -> list:
    base = GenerationRequest(prompt="", seed=1, model_id=FAKE_MODEL.model_id)
    found = expand_text(text, model=FAKE_MODEL, base=base, wildcards=Wildcards(folder))
    jobs = [
        NewJob(request=p.request, folder=str(folder), group=p.group, line=p.line)
        for p in found.pictures
    ]
    return store.enqueue(jobs, NewBatch(source=folder / "list.txt", digest="digest", last=None))


def make(store: JobStore, folder: Path, job_id) -> None:
    path = folder / f"{job_id}.png"
    Image.new("RGB", (64, 64), (200, 30, 30)).save(path)
    store.begin(job_id)
    store.reserve(job_id, 0, path, "token", b"data")
    store.mark_saved(job_id, 0, path, "token")
    store.finish(job_id)


def test_a_sheet_for_each_complete_grid(store, tmp_path):
    ids = put(store, tmp_path, "alone\n--prompt a --steps 1-3\n--prompt b --steps 4,5")
    for job_id in ids[:-1]:
        make(store, tmp_path, job_id)
    jobs = [store.job(job_id) for job_id in ids]
    (sheet,) = grid_sheets.write_complete(store, jobs, tmp_path)
    assert sheet.name == "grid-line-2.png"
    with Image.open(sheet) as image:
        assert image.width > 3 * 64
    make(store, tmp_path, ids[-1])
    again = list(grid_sheets.write_complete(store, [store.job(ids[-1])], tmp_path))
    assert [path.name for path in again] == ["grid-line-3.png"]


@pytest.mark.logs("sheet of line 1 cannot be made")
def test_a_picture_that_is_gone_costs_the_sheet_alone(store, tmp_path):
    ids = put(store, tmp_path, "--prompt a --steps 1,2")
    for job_id in ids:
        make(store, tmp_path, job_id)
    (tmp_path / f"{ids[0]}.png").unlink()
    jobs = [store.job(job_id) for job_id in ids]
    assert list(grid_sheets.write_complete(store, jobs, tmp_path)) == []
