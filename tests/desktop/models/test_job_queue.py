from __future__ import annotations

import threading

import pytest

from desktop.engine_bridge import EngineBridge
from desktop.models.job_queue import FinishedImage, JobQueue
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

    def __init__(self, engine: FakeEngine) -> None:
        self.engine = engine
        self.bridge = EngineBridge()
        self.queue = JobQueue(self.bridge)
        self.ends: list[object] = []
        self.images: list[FinishedImage] = []
        self.errors: list[EngineError] = []
        self.phases: list[Phase] = []
        self.queue.job_ended.connect(self.ends.append)
        self.queue.image_completed.connect(self.images.append)
        self.queue.failed.connect(self.errors.append)
        self.queue.changed.connect(self._watch)

    def _watch(self) -> None:
        job = self.queue.current
        phase = job.progress.phase if job is not None and job.progress is not None else None
        if phase is not None and phase not in self.phases:
            self.phases.append(phase)


@pytest.fixture
def gate():
    return threading.Event()


@pytest.fixture
def bench(qapp, gate):
    bench = Bench(FakeEngine(Script(gate=gate)))
    yield bench
    bench.engine.submit(Shutdown())
    assert bench.engine.join(5)


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
    qtbot.waitUntil(lambda: bench.queue.current.progress is not None)
    bench.queue.stop()
    assert bench.queue.current.stopping is CancelWhen.NOW
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert isinstance(bench.ends[0], JobCancelled)
    assert bench.queue.current is None


def test_stop_after_the_picture_may_become_stop_now(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request(count=3))
    qtbot.waitUntil(lambda: bench.queue.current.progress is not None)
    bench.queue.stop(CancelWhen.AFTER_IMAGE)
    bench.queue.stop(CancelWhen.NOW)
    assert [when for _, when in bench.engine.cancels] == [CancelWhen.AFTER_IMAGE, CancelWhen.NOW]
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert bench.ends[0].completed_images == 0


def test_stop_after_the_picture_keeps_the_picture(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request(count=3))
    qtbot.waitUntil(lambda: bench.queue.current.progress is not None)
    bench.queue.stop(CancelWhen.AFTER_IMAGE)
    gate.set()
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert bench.ends[0].completed_images == 1
    assert len(bench.images) == 1


def test_others_wait_and_go_on_when_the_first_is_stopped(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    first = bench.queue.enqueue(request("one"))
    bench.queue.enqueue(request("two"))
    bench.queue.enqueue(request("three"))
    assert bench.queue.waiting_count == 2
    bench.queue.stop()
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert bench.ends[0].job_id == first
    assert bench.queue.waiting_count == 1
    gate.set()
    qtbot.waitUntil(lambda: bench.queue.current is None)
    assert [image.request.prompt for image in bench.images] == ["two", "three"]


def test_waiting_jobs_are_taken_back_at_once(bench, gate, qtbot):
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request("one"))
    bench.queue.enqueue(request("two"))
    bench.queue.enqueue(request("three"))
    bench.queue.clear_waiting()
    assert bench.queue.waiting_count == 0
    gate.set()
    qtbot.waitUntil(lambda: bench.queue.current is None)
    assert [image.request.prompt for image in bench.images] == ["one"]


def test_jobs_may_come_before_the_engine(bench, gate, qtbot):
    gate.set()
    kept = bench.queue.enqueue(request("kept"))
    bench.queue.enqueue(request("taken back"))
    assert bench.queue.current.job_id == kept
    assert not bench.queue.is_engine_ready
    bench.queue.clear_waiting()
    qtbot.waitUntil(lambda: len(bench.ends) == 1)
    bench.bridge.start(bench.engine)
    qtbot.waitUntil(lambda: bench.queue.current is None)
    assert [image.request.prompt for image in bench.images] == ["kept"]


def test_a_job_that_the_engine_never_heard_of_can_be_stopped(bench, qtbot):
    bench.queue.enqueue(request())
    bench.queue.stop()
    qtbot.waitUntil(lambda: bool(bench.ends))
    assert isinstance(bench.ends[0], JobCancelled)
    bench.bridge.start(bench.engine)
    qtbot.waitUntil(lambda: bench.queue.is_engine_ready)
    assert bench.engine.commands == []


def test_a_failure_is_told_and_the_next_job_runs(qapp, qtbot):
    error = EngineError(code=ErrorCode.OUT_OF_MEMORY, facts={"device": "cpu", "phase": "decode"})
    bench = Bench(FakeEngine(scripts={"bad": Script(error=error, fail_after_steps=2)}))
    bench.bridge.start(bench.engine)
    bench.queue.enqueue(request("bad"))
    bench.queue.enqueue(request("good"))
    qtbot.waitUntil(lambda: bench.queue.current is None)
    assert isinstance(bench.ends[0], JobFailed)
    assert bench.errors == [error]
    assert [image.request.prompt for image in bench.images] == ["good"]
    bench.engine.submit(Shutdown())
    assert bench.engine.join(5)


def test_an_engine_that_has_stopped_takes_no_job_and_says_so(qapp, qtbot):
    bench = Bench(FakeEngine())
    bench.bridge.start(bench.engine)
    bench.engine.submit(Shutdown())
    assert bench.engine.join(5)
    assert bench.queue.enqueue(request()) is None
    assert [error.code for error in bench.errors] == [ErrorCode.ENGINE_STOPPED]
    assert bench.queue.current is None
