"""What every engine behind the port must keep, whoever it is: the fake and the real thread.

The real thread runs twice: with a scripted session, where each moment can be held still, and (in
tests/engine/test_session.py) with the networks. A test that needs a moment uses a closed gate.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator

import pytest

import resources
from engine.catalog import Catalog
from engine.port import (
    CancelWhen,
    CheckRecord,
    ChooseDevice,
    EngineError,
    EngineEvent,
    EngineFault,
    EnginePort,
    EngineStopped,
    ErrorCode,
    Gate,
    Generate,
    GenerationRequest,
    ImageCompleted,
    JobCancelled,
    JobFailed,
    JobFinished,
    JobId,
    JobStarted,
    ModelId,
    PhaseStarted,
    Shutdown,
    StepCompleted,
)
from engine.thread import EngineThread
from tests.fakes.fake_engine import FakeEngine
from tests.fakes.script import Script, play

WAIT_S = 10.0
END_TYPES = (JobFinished, JobCancelled, JobFailed)


class ScriptedSession:
    """A session whose jobs go as their scripts say, for `EngineThread`."""

    def __init__(self, script: Script, scripts: dict[str, Script]) -> None:
        self._script, self._scripts = script, scripts

    def generate(self, job_id, request, emit, checkpoint) -> None:
        play(self._scripts.get(request.prompt, self._script), job_id, request, emit, checkpoint)

    def load(self, model_id, emit, checkpoint) -> None: ...

    def unload(self) -> None: ...

    def explain(self, error: Exception) -> EngineError | None:
        return None

    def recover(self) -> None: ...


class Observed:
    """An engine under test and the events it has sent."""

    def __init__(self, engine: EnginePort) -> None:
        self.engine = engine
        self.events: list[EngineEvent] = []
        self.threads: set[str] = set()
        self._arrivals: queue.Queue[EngineEvent] = queue.Queue()
        engine.start(self._receive)

    def _receive(self, event: EngineEvent) -> None:
        self.threads.add(threading.current_thread().name)
        self.events.append(event)
        self._arrivals.put(event)

    def wait_for(self, is_wanted: Callable[[EngineEvent], bool]) -> EngineEvent:
        while True:
            event = self._arrivals.get(timeout=WAIT_S)
            if is_wanted(event):
                return event

    def wait_for_end(self, job_id: str) -> EngineEvent:
        return self.wait_for(lambda event: isinstance(event, END_TYPES) and event.job_id == job_id)

    def of(self, job_id: str) -> list[EngineEvent]:
        return [event for event in self.events if getattr(event, "job_id", None) == job_id]

    def generate(self, job_id: str, **values) -> None:
        request = {"prompt": "a cat", "seed": 1, "steps": 3, "width": 8, "height": 8} | values
        self.engine.submit(
            Generate(
                job_id=JobId(job_id),
                request=GenerationRequest(model_id=ModelId("starter"), **request),
            )
        )

    def stop(self) -> None:
        self.engine.submit(Shutdown())
        assert self.engine.join(WAIT_S), "the engine's thread did not end"


Start = Callable[..., Observed]


def announce_bug(request: pytest.FixtureRequest) -> None:
    """The real thread logs the traceback of a bug; the fake has no log."""
    if "[thread]" in request.node.name:
        request.getfixturevalue("expect_log")("a bug in the engine", logging.ERROR)


@pytest.fixture(params=["fake", "thread"])
def start(request: pytest.FixtureRequest) -> Iterator[Start]:
    started: list[Observed] = []

    def make(script: Script | None = None, **scripts: Script) -> Observed:
        if request.param == "fake":
            engine: EnginePort = FakeEngine(script, scripts)
        else:
            catalog = Catalog(resources.path("starter-model"), [])
            session = ScriptedSession(script or Script(), scripts)
            engine = EngineThread(catalog=catalog, open_session=lambda emit: session)
        started.append(Observed(engine))
        return started[-1]

    yield make
    for observed in started:
        observed.stop()


def test_a_job_finishes_with_its_events_in_order(start: Start):
    observed = start()
    observed.generate("one", image_count=2)
    assert isinstance(observed.wait_for_end("one"), JobFinished)
    observed.stop()
    events = observed.of("one")
    assert isinstance(events[0], JobStarted)
    assert isinstance(events[-1], JobFinished)
    assert [e.index for e in events if isinstance(e, ImageCompleted)] == [0, 1]
    steps = [(e.image_index, e.step) for e in events if isinstance(e, StepCompleted)]
    assert steps == [(image, step) for image in (0, 1) for step in (1, 2, 3)]
    phases = [e.phase for e in events if isinstance(e, PhaseStarted)]
    assert phases == ["load", "encode", "denoise", "decode", "denoise", "decode"]


def test_each_job_has_exactly_one_end_and_nothing_after_it(
    start: Start, request: pytest.FixtureRequest
):
    announce_bug(request)
    error = EngineError(code=ErrorCode.OUT_OF_MEMORY)
    observed = start(bad=Script(error=error), bug=Script(bug=ZeroDivisionError("planted")))
    names = []
    for index, prompt in enumerate(["good", "bad", "bug", "good", "bad"] * 4):
        names.append(f"{prompt}-{index}")
        observed.generate(names[-1], prompt=prompt)
        if index % 3 == 0:
            observed.engine.cancel(JobId(names[-1]))
    observed.wait_for_end(names[-1])
    observed.stop()
    for name in names:
        events = observed.of(name)
        assert sum(isinstance(event, END_TYPES) for event in events) == 1, name
        assert isinstance(events[-1], END_TYPES), name


def test_jobs_run_in_the_order_of_submission(start: Start):
    observed = start()
    for name in "abc":
        observed.generate(name)
    observed.wait_for_end("c")
    started = [event.job_id for event in observed.events if isinstance(event, JobStarted)]
    assert started == ["a", "b", "c"]


def test_every_event_comes_from_one_thread(start: Start):
    gate = threading.Event()
    observed = start(Script(gate=gate))
    observed.generate("running")
    observed.generate("waiting")
    observed.engine.cancel(JobId("waiting"))
    observed.wait_for_end("waiting")
    gate.set()
    observed.wait_for_end("running")
    observed.stop()
    assert len(observed.threads) == 1
    assert threading.current_thread().name not in observed.threads


def test_cancelling_the_running_job(start: Start):
    observed = start(Script(gate=threading.Event()))
    observed.generate("one", image_count=2)
    observed.wait_for(lambda event: isinstance(event, PhaseStarted) and event.phase == "denoise")
    observed.engine.cancel(JobId("one"))
    end = observed.wait_for_end("one")
    assert isinstance(end, JobCancelled)
    assert end.completed_images == 0


def test_cancelling_a_waiting_job_does_not_wait_for_the_running_one(start: Start):
    observed = start(held=Script(gate=threading.Event()))
    observed.generate("running", prompt="held")
    observed.wait_for(lambda event: isinstance(event, JobStarted))
    observed.generate("waiting", prompt="free")
    observed.engine.cancel(JobId("waiting"))
    end = observed.wait_for_end("waiting")
    assert isinstance(end, JobCancelled)
    assert observed.of("waiting") == [end]
    assert not any(isinstance(event, END_TYPES) for event in observed.of("running"))


def test_cancelling_after_the_picture_keeps_that_picture(start: Start):
    gate = threading.Event()
    observed = start(Script(gate=gate))
    observed.generate("one", image_count=3)
    observed.wait_for(lambda event: isinstance(event, PhaseStarted) and event.phase == "denoise")
    observed.engine.cancel(JobId("one"), CancelWhen.AFTER_IMAGE)
    gate.set()
    end = observed.wait_for_end("one")
    assert isinstance(end, JobCancelled)
    assert end.completed_images == 1


def test_stopping_after_the_last_picture_is_finishing(start: Start):
    gate = threading.Event()
    observed = start(Script(gate=gate))
    observed.generate("one", image_count=1)
    observed.wait_for(lambda event: isinstance(event, PhaseStarted) and event.phase == "denoise")
    observed.engine.cancel(JobId("one"), CancelWhen.AFTER_IMAGE)
    gate.set()
    assert isinstance(observed.wait_for_end("one"), JobFinished)


def test_now_overrides_after_image_but_not_the_other_way_round(start: Start):
    observed = start(Script(gate=threading.Event()))
    observed.generate("one")
    observed.wait_for(lambda event: isinstance(event, PhaseStarted) and event.phase == "denoise")
    observed.engine.cancel(JobId("one"), CancelWhen.AFTER_IMAGE)
    observed.engine.cancel(JobId("one"), CancelWhen.NOW)
    observed.engine.cancel(JobId("one"), CancelWhen.AFTER_IMAGE)
    assert isinstance(observed.wait_for_end("one"), JobCancelled)


def test_cancelling_unknown_and_ended_jobs_is_ignored(start: Start):
    observed = start()
    observed.engine.cancel(JobId("nobody"))
    observed.generate("one")
    observed.wait_for_end("one")
    observed.engine.cancel(JobId("one"))
    observed.generate("two")
    assert isinstance(observed.wait_for_end("two"), JobFinished)
    assert len([event for event in observed.of("one") if isinstance(event, END_TYPES)]) == 1


def test_an_expected_problem_fails_the_job_and_not_the_next_one(start: Start):
    error = EngineError(code=ErrorCode.NON_FINITE_LATENT, facts={"step": 2})
    observed = start(bad=Script(error=error, fail_after_steps=2))
    observed.generate("bad", prompt="bad")
    observed.generate("good", prompt="good")
    end = observed.wait_for_end("bad")
    assert isinstance(end, JobFailed)
    assert end.error == error
    assert isinstance(observed.wait_for_end("good"), JobFinished)


def test_a_bug_fails_the_job_as_a_bug_and_the_thread_lives_on(
    start: Start, request: pytest.FixtureRequest
):
    announce_bug(request)
    observed = start(bug=Script(bug=ZeroDivisionError("planted")))
    observed.generate("bug", prompt="bug")
    observed.generate("good", prompt="good")
    end = observed.wait_for_end("bug")
    assert isinstance(end, JobFailed)
    assert end.error.code is ErrorCode.BUG
    assert end.error.facts["exception"] == "ZeroDivisionError"
    assert isinstance(observed.wait_for_end("good"), JobFinished)


def test_shutdown_cancels_the_running_and_the_waiting_jobs(start: Start):
    observed = start(Script(gate=threading.Event()))
    observed.generate("running")
    observed.generate("waiting")
    observed.wait_for(lambda event: isinstance(event, JobStarted))
    observed.stop()
    for name in ("running", "waiting"):
        assert isinstance(observed.of(name)[-1], JobCancelled)
    assert isinstance(observed.events[-1], EngineStopped)
    assert observed.events[-1].error is None
    assert sum(isinstance(event, EngineStopped) for event in observed.events) == 1


def test_commands_after_the_shutdown_are_refused(start: Start):
    observed = start()
    observed.stop()
    with pytest.raises(EngineFault) as refusal:
        observed.generate("late")
    assert refusal.value.error.code is ErrorCode.ENGINE_STOPPED
    observed.engine.submit(Shutdown())  # asking twice is no error


def test_a_job_id_may_be_used_again_only_after_its_end(start: Start):
    gate = threading.Event()
    observed = start(Script(gate=gate))
    observed.generate("one")
    with pytest.raises(ValueError, match="one"):
        observed.generate("one")
    gate.set()
    observed.wait_for_end("one")
    observed.generate("one")
    assert isinstance(observed.wait_for_end("one"), JobFinished)


def test_the_seed_of_each_picture_follows_from_the_first(start: Start):
    observed = start()
    observed.generate("one", seed=2**64 - 1, image_count=2)
    observed.wait_for_end("one")
    seeds = [
        event.provenance.seed for event in observed.of("one") if isinstance(event, ImageCompleted)
    ]
    assert seeds == [2**64 - 1, 0]


def test_pictures_carry_what_the_check_said_when_the_device_was_chosen(start: Start):
    observed = start()
    record = CheckRecord(gate=Gate.BLOCKED, acknowledged=("iommu",))
    observed.generate("a")
    observed.engine.submit(ChooseDevice(check=record))
    observed.generate("b")
    observed.wait_for_end("b")
    checks = [e.provenance.check for e in observed.events if isinstance(e, ImageCompleted)]
    assert checks == [None, record]
