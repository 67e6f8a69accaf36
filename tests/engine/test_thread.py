"""What the engine's thread survives beyond the port's contract."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable

import pytest

import resources
from engine.catalog import Catalog
from engine.port import (
    EngineError,
    EngineEvent,
    EngineFault,
    EngineStopped,
    ErrorCode,
    Generate,
    GenerationRequest,
    JobCancelled,
    JobFailed,
    JobFinished,
    JobId,
    JobStarted,
    ModelId,
    ModelUnloaded,
    Shutdown,
    UnloadModel,
)
from engine.thread import EngineThread
from tests.contract.test_port import ScriptedSession
from tests.fakes.script import Script

WAIT_S = 10.0
ENDS = (JobFinished, JobFailed, JobCancelled)


class Driven:
    """An engine thread whose sessions the test opens."""

    def __init__(self, open_session: Callable[..., ScriptedSession]) -> None:
        catalog = Catalog(resources.path("starter-model"), [])
        self.engine = EngineThread(catalog=catalog, open_session=open_session)
        self.events: list[EngineEvent] = []
        self.arrivals: queue.Queue[EngineEvent] = queue.Queue()
        self.is_deaf = False

    def start(self) -> Driven:
        self.engine.start(self.receive)
        return self

    def receive(self, event: EngineEvent) -> None:
        self.events.append(event)
        self.arrivals.put(event)
        if self.is_deaf:
            raise LookupError("planted in the receiver")

    def generate(self, job_id: str, prompt: str = "a cat") -> None:
        request = GenerationRequest(
            prompt=prompt, seed=1, steps=1, width=8, height=8, model_id=ModelId("starter")
        )
        self.engine.submit(Generate(job_id=JobId(job_id), request=request))

    def end_of(self, job_id: str) -> EngineEvent:
        while True:
            event = self.arrivals.get(timeout=WAIT_S)
            if isinstance(event, ENDS) and event.job_id == job_id:
                return event

    def stop(self) -> None:
        self.engine.submit(Shutdown())
        assert self.engine.join(WAIT_S)
        assert isinstance(self.events[-1], EngineStopped)


def failing_once(error: Exception) -> Callable[..., ScriptedSession]:
    """Opening fails twice (at the start, and for the first job), then works."""
    failures = [error, error]

    def open_session(emit: object) -> ScriptedSession:
        if failures:
            raise failures.pop()
        return ScriptedSession(Script(), {})

    return open_session


@pytest.mark.parametrize(
    ("error", "code", "messages"),
    [
        (ZeroDivisionError("planted"), ErrorCode.BUG, ["a bug in the engine", "cannot open"]),
        (
            EngineFault(EngineError(code=ErrorCode.DEVICE_UNAVAILABLE)),
            ErrorCode.DEVICE_UNAVAILABLE,
            ["cannot open"],
        ),
    ],
)
def test_a_session_that_does_not_open_fails_the_job_and_is_tried_again(
    expect_log, error: Exception, code: ErrorCode, messages: list[str]
):
    for message in messages:
        expect_log(message, logging.WARNING)
    driven = Driven(failing_once(error)).start()
    driven.generate("one")
    end = driven.end_of("one")
    assert isinstance(end, JobFailed)
    assert end.error.code is code
    driven.generate("two")
    assert isinstance(driven.end_of("two"), JobFinished)
    driven.stop()


def test_a_cancelled_id_that_is_used_again_waits_its_turn():
    gate = threading.Event()
    scripts = {"held": Script(gate=gate)}
    driven = Driven(lambda emit: ScriptedSession(Script(), scripts)).start()
    driven.generate("running", prompt="held")
    driven.generate("again")
    driven.generate("between")
    driven.engine.cancel(JobId("again"))
    assert isinstance(driven.end_of("again"), JobCancelled)
    driven.generate("again")
    gate.set()
    driven.end_of("again")
    driven.stop()
    started = [event.job_id for event in driven.events if isinstance(event, JobStarted)]
    assert started == ["running", "between", "again"]


def test_a_receivers_bug_takes_no_job_with_it(expect_log):
    expect_log("the receiver of engine events raised", logging.ERROR)
    driven = Driven(lambda emit: ScriptedSession(Script(), {})).start()
    driven.is_deaf = True
    driven.generate("one")
    assert isinstance(driven.end_of("one"), JobFinished)
    driven.is_deaf = False
    driven.stop()


def test_a_model_that_does_not_unload_is_no_end_of_the_engine(expect_log):
    expect_log("a bug in the engine", logging.ERROR)
    expect_log("did not close cleanly")

    class Stuck(ScriptedSession):
        def unload(self) -> None:
            raise ZeroDivisionError("planted")

    driven = Driven(lambda emit: Stuck(Script(), {})).start()
    driven.engine.submit(UnloadModel())
    driven.generate("one")
    assert isinstance(driven.end_of("one"), JobFinished)
    assert any(isinstance(event, ModelUnloaded) for event in driven.events)
    driven.stop()
