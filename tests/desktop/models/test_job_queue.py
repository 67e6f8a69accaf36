from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import QCoreApplication

from desktop.engine_bridge import EngineBridge
from desktop.models.job_ledger import JobLedger
from desktop.models.job_queue import FinishedImage, JobQueue, Pause, Place
from desktop.prompts import PlannedPicture
from desktop.store.database import DatabaseTrouble
from desktop.store.job_record import JobRow, JobState, LeftBecause, NewJob
from desktop.store.jobs import JobStore
from engine.port import (
    CancelWhen,
    EngineError,
    ErrorCode,
    GenerationRequest,
    JobCancelled,
    JobFailed,
    JobFinished,
    Phase,
    Shutdown,
)
from tests.fakes.fake_engine import FakeEngine
from tests.fakes.script import FAKE_MODEL, Script


def request(prompt: str = "a cat", count: int = 1) -> GenerationRequest:
    return GenerationRequest(
        prompt=prompt, seed=7, steps=3, image_count=count, model_id=FAKE_MODEL.model_id
    )


class Bench:
    """A queue on a pretended engine, and everything that the queue said."""

    def __init__(self, engine: FakeEngine, folder: Path) -> None:
        self.engine = engine
        self.folder = folder
        self.bridge = EngineBridge()
        self.bugs: list[BaseException] = []
        self.ledger = JobLedger(
            folder / "state", folder / "rescued", lambda error, where: self.bugs.append(error)
        )
        self.queue = JobQueue(self.bridge, self.ledger, lambda: Place(folder / "pictures"))
        self.ends: list[object] = []
        self.images: list[FinishedImage] = []
        self.errors: list[EngineError] = []
        self.pauses: list[Pause] = []
        self.phases: list[Phase] = []
        self.queue.job_ended.connect(self.ends.append)
        self.queue.image_completed.connect(self._save)
        self.queue.failed.connect(self.errors.append)
        self.queue.pause_changed.connect(self._note_pause)
        self.queue.changed.connect(self._watch)

    def _note_pause(self) -> None:
        if self.queue.pause is not None:
            self.pauses.append(self.queue.pause)

    def _save(self, made: FinishedImage) -> None:
        self.images.append(made)
        with suppress(OSError):
            self.ledger.save(made)

    def saved(self) -> list[str]:
        return sorted(path.name for path in (self.folder / "pictures").iterdir())

    def close(self) -> None:
        """End in order, as the window does."""
        self.queue.end()
        self.engine.submit(Shutdown())
        assert self.engine.join(5)
        QCoreApplication.sendPostedEvents()
        self.ledger.close()
        assert self.bugs == []

    def _watch(self) -> None:
        job = self.queue.current
        phase = job.progress.phase if job is not None and job.progress is not None else None
        if phase is not None and phase not in self.phases:
            self.phases.append(phase)


def is_drawing(bench: Bench) -> bool:
    return bench.queue.current is not None and bench.queue.current.progress is not None


@pytest.fixture
def gate():
    return threading.Event()


@pytest.fixture
def bench(qapp, gate, tmp_path):
    bench = Bench(FakeEngine(Script(gate=gate)), tmp_path)
    yield bench
    bench.close()


def test_a_job_goes_through_its_phases_and_ends(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    gate.set()
    bench.queue.enqueue(request(count=2))
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert isinstance(bench.ends[0], JobFinished)
    assert [image.event.index for image in bench.images] == [0, 1]
    assert all(image.took_s >= 0 for image in bench.images)
    assert Phase.ENCODE in bench.phases
    assert Phase.DENOISE in bench.phases
    assert Phase.DECODE in bench.phases
    assert bench.queue.current is None
    assert bench.errors == []


def test_stop_is_shown_before_the_engine_has_heard_of_it(bench, qtbot):
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request())
    qtbot.waitUntil(lambda: is_drawing(bench))
    bench.queue.stop()
    assert bench.queue.current.stopping is CancelWhen.NOW
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert isinstance(bench.ends[0], JobCancelled)
    assert bench.queue.current is None


def test_stop_after_the_picture_may_become_stop_now(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request(count=3))
    qtbot.waitUntil(lambda: is_drawing(bench))
    bench.queue.stop(CancelWhen.AFTER_IMAGE)
    bench.queue.stop(CancelWhen.NOW)
    assert [when for _, when in bench.engine.cancels] == [CancelWhen.AFTER_IMAGE, CancelWhen.NOW]
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert bench.ends[0].completed_images == 0


def test_stop_after_the_picture_keeps_the_picture(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request(count=3))
    qtbot.waitUntil(lambda: is_drawing(bench))
    bench.queue.stop(CancelWhen.AFTER_IMAGE)
    gate.set()
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert bench.ends[0].completed_images == 1
    assert len(bench.images) == 1


def test_others_wait_and_go_on_when_the_first_is_stopped(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    for prompt in ("one", "two", "three"):
        bench.queue.enqueue(request(prompt))
    qtbot.waitUntil(lambda: bench.queue.waiting_count == 2 and is_drawing(bench))
    first = bench.queue.current.job_id
    bench.queue.stop()
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert bench.ends[0].job_id == first
    assert bench.queue.waiting_count == 1
    gate.set()
    qtbot.waitUntil(lambda: len(bench.images) == 2)
    assert [image.request.prompt for image in bench.images] == ["two", "three"]


def test_waiting_jobs_are_taken_back_at_once(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    for prompt in ("one", "two", "three"):
        bench.queue.enqueue(request(prompt))
    qtbot.waitUntil(lambda: bench.queue.waiting_count == 2 and is_drawing(bench))
    bench.queue.clear_waiting()
    assert bench.queue.waiting_count == 0
    gate.set()
    qtbot.waitUntil(lambda: bench.queue.current is None)
    assert [image.request.prompt for image in bench.images] == ["one"]


def test_jobs_may_come_before_the_engine(bench, gate, qtbot):
    gate.set()
    bench.queue.enqueue(request("kept"))
    bench.queue.enqueue(request("taken back"))
    qtbot.waitUntil(lambda: bench.queue.waiting_count == 1)
    assert bench.queue.current.request.prompt == "kept"
    assert not bench.queue.is_engine_ready
    bench.queue.clear_waiting()
    qtbot.waitUntil(lambda: len(bench.ends) == 1)
    bench.bridge.start(bench.engine)
    qtbot.waitUntil(lambda: bench.queue.current is None)
    assert [image.request.prompt for image in bench.images] == ["kept"]


def test_a_job_that_the_engine_never_heard_of_can_be_stopped(bench, qtbot):
    bench.queue.enqueue(request())
    qtbot.waitUntil(lambda: bench.queue.current is not None)
    bench.queue.stop()
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert isinstance(bench.ends[0], JobCancelled)
    bench.bridge.start(bench.engine)
    qtbot.waitUntil(lambda: bench.queue.is_engine_ready)
    assert bench.engine.commands == []


def test_a_failure_is_told_and_the_next_job_runs(qapp, qtbot, tmp_path):
    error = EngineError(code=ErrorCode.OUT_OF_MEMORY, facts={"device": "cpu", "phase": "decode"})
    script = Script(error=error, fail_after_steps=2)
    bench = Bench(FakeEngine(scripts={"bad": script}), tmp_path)
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request("bad"))
    bench.queue.enqueue(request("good"))
    qtbot.waitUntil(lambda: len(bench.ends) == 2)
    assert isinstance(bench.ends[0], JobFailed)
    assert bench.errors == [error]
    assert [image.request.prompt for image in bench.images] == ["good"]
    bench.close()


def test_an_engine_that_has_stopped_pauses_the_queue_and_loses_nothing(qapp, qtbot, tmp_path):
    bench = Bench(FakeEngine(), tmp_path)
    bench.bridge.start(bench.engine)
    bench.engine.submit(Shutdown())
    assert bench.engine.join(5)
    bench.queue.enqueue(request())
    qtbot.waitUntil(lambda: bool(bench.pauses))
    assert [error.code for error in bench.errors] == [ErrorCode.ENGINE_STOPPED]
    qtbot.waitUntil(lambda: bench.queue.current is not None)  # it waits for the next time
    bench.close()
    assert [job.state for job in left_over(tmp_path)] == [JobState.WAITING]


# --- what outlives the window ---------------------------------------------------------------------


def left_over(folder: Path) -> list[JobRow]:
    store = JobStore.open(folder / "state")
    store.take_stock()
    jobs = store.left_over()
    store.close()
    return jobs


def crash(folder: Path, *jobs: NewJob, running: int = 0, times: int = 1) -> None:
    """Leave the queue as a process leaves it that is killed while it draws the first jobs."""
    store = JobStore.open(folder / "state")
    store.enqueue(jobs)
    for time in range(times):
        for job in jobs[:running]:
            store.begin(job.job_id)
        store._holder.close()
        store.database.close()
        if time + 1 < times:
            store = JobStore.open(folder / "state")
            store.take_stock()
            store.go_on([job.job_id for job in jobs])


def new_job(folder: Path, prompt: str, count: int = 1) -> NewJob:
    return NewJob(request=request(prompt, count), folder=str(folder / "pictures"))


def test_what_waits_when_the_window_closes_waits_the_next_time(qapp, gate, qtbot, tmp_path):
    first = Bench(FakeEngine(Script(gate=gate)), tmp_path)
    first.bridge.start(first.engine)
    for prompt in ("one", "two"):
        first.queue.enqueue(request(prompt))
    qtbot.waitUntil(lambda: first.queue.waiting_count == 1 and is_drawing(first))
    first.close()
    second = Bench(FakeEngine(), tmp_path)
    second.bridge.start(second.engine)
    second.queue.look_for_left_over()
    qtbot.waitUntil(lambda: len(second.queue.left_over) == 2)
    assert {job.left_because for job in second.queue.left_over} == {LeftBecause.QUIT}
    assert second.queue.current is None  # nothing begins by itself
    second.queue.go_on()
    qtbot.waitUntil(lambda: len(second.ends) == 2)
    assert [image.request.prompt for image in second.images] == ["one", "two"]
    assert second.queue.left_over == []
    second.close()
    assert left_over(tmp_path) == []


def test_after_a_crash_the_running_job_was_interrupted_and_the_rest_waits(bench, gate, qtbot):
    crash(bench.folder, new_job(bench.folder, "a"), new_job(bench.folder, "b"), running=1)
    bench.queue.look_for_left_over()
    qtbot.waitUntil(lambda: len(bench.queue.left_over) == 2)
    states = [(job.state, job.left_because) for job in bench.queue.left_over]
    assert states == [
        (JobState.INTERRUPTED, LeftBecause.CRASH),
        (JobState.WAITING, LeftBecause.CRASH),
    ]
    bench.queue.discard_left_over(bench.queue.left_over)
    qtbot.waitUntil(lambda: bench.queue.left_over == [])
    assert left_over(bench.folder) == []


def test_a_job_that_was_running_at_two_crashes_waits_to_be_asked_for(bench, gate, qtbot):
    gate.set()
    crash(bench.folder, new_job(bench.folder, "bad"), running=1, times=2)
    bench.bridge.start(bench.engine)
    bench.queue.look_for_left_over()
    qtbot.waitUntil(lambda: len(bench.queue.left_over) == 1)
    assert bench.queue.left_over[0].state is JobState.QUARANTINED
    with qtbot.waitSignal(bench.queue.left_over_changed):
        bench.queue.go_on()
    assert len(bench.queue.left_over) == 1
    assert bench.queue.current is None
    bench.queue.go_on(retries_quarantined=True)
    qtbot.waitUntil(lambda: len(bench.ends) == 1)
    assert len(bench.saved()) == 1


def test_an_interrupted_job_makes_only_the_missing_pictures(bench, gate, qtbot):
    gate.set()
    job = new_job(bench.folder, "a", count=3)
    crash(bench.folder, job, running=1)
    store = JobStore.open(bench.folder / "state")
    path = bench.folder / "pictures" / "made.png"
    path.parent.mkdir()
    path.write_bytes(b"made before the crash")
    store.reserve(job.job_id, 1, path, "00", b"made before the crash")
    store.close()
    bench.bridge.start(bench.engine)
    bench.queue.look_for_left_over()
    qtbot.waitUntil(lambda: len(bench.queue.left_over) == 1)
    bench.queue.go_on()
    qtbot.waitUntil(lambda: len(bench.ends) == 2)
    assert [image.event.index for image in bench.images] == [0, 2]
    assert [image.event.provenance.seed for image in bench.images] == [7, 9]
    assert {image.event.provenance.resolved.seed for image in bench.images} == {7}
    assert len(bench.saved()) == 3


@pytest.mark.logs("queue pauses")
@pytest.mark.logs("takes no picture")
def test_a_missing_folder_pauses_the_queue_and_the_picture_is_kept(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request("one"))
    bench.queue.enqueue(request("two"))
    qtbot.waitUntil(lambda: bench.queue.waiting_count == 1 and is_drawing(bench))
    (bench.folder / "pictures").rmdir()
    gate.set()
    qtbot.waitUntil(lambda: bool(bench.pauses))
    assert bench.pauses[0].because is LeftBecause.FOLDER_GONE
    qtbot.waitUntil(lambda: bench.queue.waiting_count == 1)
    assert len(list((bench.folder / "rescued").iterdir())) == 1
    bench.queue.go_on()
    qtbot.waitUntil(lambda: len(bench.images) == 2 and bench.queue.current is None)
    assert [image.request.prompt for image in bench.images] == ["one", "two"]
    assert len(bench.saved()) == 2
    assert list((bench.folder / "rescued").iterdir()) == []


def test_a_lost_device_pauses_the_queue(qapp, qtbot, tmp_path):
    error = EngineError(code=ErrorCode.DEVICE_LOST, facts={"device": "gpu:0", "phase": "denoise"})
    bench = Bench(FakeEngine(scripts={"bad": Script(error=error, fail_after_steps=1)}), tmp_path)
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request("bad"))
    bench.queue.enqueue(request("good"))
    qtbot.waitUntil(lambda: bool(bench.pauses))
    assert bench.pauses[0].because is LeftBecause.DEVICE_LOST
    bench.close()
    states = [job.state for job in left_over(tmp_path)]
    assert states == [JobState.INTERRUPTED, JobState.WAITING]


@pytest.mark.logs("kept in memory only")
def test_without_a_place_for_the_queue_pictures_are_made_all_the_same(bench, gate, qtbot):
    gate.set()
    (bench.folder / "state").write_text("a file where the folder should be")
    troubles: list[DatabaseTrouble] = []
    bench.ledger.troubled.connect(troubles.append)
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request())
    qtbot.waitUntil(lambda: len(bench.ends) == 1)
    assert len(bench.saved()) == 1
    assert len(troubles) == 1


def test_a_finished_grid_of_a_list_gets_its_sheet(bench, gate, qtbot):
    whole = replace(request(), width=64, height=64, guidance_scale=3.0)
    pictures = [
        PlannedPicture(request=replace(whole, seed=seed), raw_prompt="a cat", line=3, group=3)
        for seed in (1, 2)
    ]
    sheets: list[Path] = []
    bench.queue.sheet_written.connect(sheets.append)
    gate.set()
    bench.bridge.start(bench.engine)
    bench.queue.enqueue_list(pictures)
    qtbot.waitUntil(lambda: bool(sheets))
    assert [path.name for path in sheets] == ["grid-line-3.png"]
    with Image.open(sheets[0]) as sheet:
        assert sheet.width > 2 * bench.images[0].event.image.width
    assert len(bench.saved()) == 3
