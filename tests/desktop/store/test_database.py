from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from desktop.store import database, schema
from desktop.store.database import DatabaseTrouble, Trouble, open_database
from desktop.store.job_record import JobState, NewJob
from desktop.store.jobs import JobStore, NotHeld
from engine.port import MAX_SEED, GenerationRequest, ModelId, Sampler, SigmaSchedule


def new_job(prompt: str = "a cat", **values) -> NewJob:
    request = GenerationRequest(prompt=prompt, seed=MAX_SEED, model_id=ModelId("m"), **values)
    return NewJob(request=request, folder="/pictures/\udce9", raw_prompt="raw", line=3)


def damage(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def test_a_job_comes_back_as_it_went_in(tmp_path):
    request = GenerationRequest(
        prompt='猫 "\n\0', negative_prompt="x", seed=MAX_SEED, width=64, height=32, steps=3,
        guidance_scale=1.5, image_count=2, sampler=Sampler.EULER,
        sigma_schedule=SigmaSchedule.UNIFORM, model_id=ModelId("m"), decode_tile=0, preview=False,
    )  # fmt: skip
    job = NewJob(
        request=request, folder="/a/\udce9", name_pattern="[seed]", raw_prompt="r", group=2, line=9
    )
    store = JobStore.open(tmp_path)
    store.enqueue([job])
    store.close()
    store = JobStore.open(tmp_path)
    [found] = store.left_over()
    store.close()
    assert found.request == request
    assert (found.folder, found.name_pattern, found.raw_prompt) == ("/a/\udce9", "[seed]", "r")
    assert (found.group, found.line) == (2, 9)


def test_the_journal_is_flushed_with_every_commit(tmp_path):
    opened = open_database(tmp_path)
    pragmas = [
        opened.connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "user_version")
    ]
    opened.close()
    assert pragmas == ["wal", 2, len(schema.MIGRATIONS)]


def test_every_version_is_brought_up_to_date(tmp_path):
    for version in range(1, len(schema.MIGRATIONS) + 1):
        folder = tmp_path / str(version)
        folder.mkdir()
        old = sqlite3.connect(folder / database.FILE_NAME, isolation_level=None)
        for migration in schema.MIGRATIONS[:version]:
            assert migration.__doc__
            for statement in schema.statements(migration()):
                old.execute(statement)
        old.execute(f"PRAGMA user_version = {version}")
        old.execute(f"PRAGMA application_id = {database._APPLICATION_ID}")
        old.close()
        opened = open_database(folder)
        assert opened.set_aside is None
        opened.close()


def test_a_newer_database_is_left_alone(tmp_path):
    open_database(tmp_path).close()
    other = sqlite3.connect(tmp_path / database.FILE_NAME)
    other.execute("PRAGMA user_version = 99")
    other.close()
    with pytest.raises(DatabaseTrouble) as caught:
        open_database(tmp_path)
    assert caught.value.trouble is Trouble.NEWER


@pytest.mark.logs("database is damaged")
@pytest.mark.logs("set aside")
def test_a_damaged_database_is_set_aside_and_jobs_are_recovered(tmp_path):
    store = JobStore.open(tmp_path)
    store.enqueue([new_job(f"{n} " + "x" * 900) for n in range(40)])
    store.close()
    path = tmp_path / database.FILE_NAME
    damage(path, path.stat().st_size * 2 // 3, b"\xa5" * 4096)
    store = JobStore.open(tmp_path)
    set_aside = store.database.set_aside
    assert set_aside is not None
    assert set_aside.path.exists()
    assert set_aside.path.name.startswith("queue-damaged-20")
    store.take_stock()
    recovered = store.left_over()
    assert len(recovered) == set_aside.recovered_jobs
    assert 20 <= len(recovered) < 40
    assert all(job.request.seed == MAX_SEED for job in recovered)
    store.close()


def test_a_damaged_database_in_use_is_not_moved(tmp_path, expect_log):
    expect_log("database is damaged")
    first = open_database(tmp_path)
    first.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    damage(tmp_path / database.FILE_NAME, 0, b"no database at all")
    with pytest.raises(DatabaseTrouble) as caught:
        open_database(tmp_path)
    assert caught.value.trouble is Trouble.DAMAGED
    first.close()


def test_our_own_mistakes_are_no_trouble(tmp_path):
    opened = open_database(tmp_path)
    with pytest.raises(sqlite3.OperationalError), opened.writing() as connection:
        connection.execute("INSERT INTO nowhere VALUES (1)")
    opened.close()


def test_a_job_is_made_by_one_process_at_a_time(tmp_path):
    first, second = JobStore.open(tmp_path), JobStore.open(tmp_path)
    [job_id] = first.enqueue([new_job()])
    second.take_stock()
    assert second.left_over() == []
    assert second.go_on([job_id]) == []
    with pytest.raises(NotHeld):
        second.begin(job_id)
    first.begin(job_id)
    second.take_stock()
    assert second.job(job_id).state is JobState.RUNNING
    first.close()
    assert [job.job_id for job in second.go_on([job_id])] == [job_id]
    second.begin(job_id)
    second.finish(job_id)
    second.close()
    assert list((tmp_path / "holders").iterdir()) == []
