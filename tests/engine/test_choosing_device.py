"""An engine that is told to compute elsewhere, as when the gate opens: the fake GPU's real path."""

from __future__ import annotations

import os
import queue
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import device as devices
from engine.catalog import Catalog
from engine.device import FakeGpu
from engine.port import (
    CheckRecord,
    ChooseDevice,
    DeviceChosen,
    DevicePreference,
    EngineEvent,
    Gate,
    Generate,
    GenerationRequest,
    ImageCompleted,
    JobFailed,
    JobFinished,
    JobId,
    ModelLoading,
    Shutdown,
)
from engine.thread import EngineThread
from tests.fakes import tiny_model

WAIT_S = 60.0
OPEN = CheckRecord(gate=Gate.OPEN, acknowledged=("iommu",))
OVERRIDDEN = CheckRecord(gate=Gate.OPEN, is_overridden=True)
BLOCKED = CheckRecord(gate=Gate.BLOCKED)


class Told:
    """A real engine thread with the real choice of the device."""

    def __init__(self, model: Path, device: ChooseDevice | None = None) -> None:
        self.catalog = Catalog(model, [])
        threads = int(os.environ["OMP_NUM_THREADS"])
        self.engine = EngineThread(catalog=self.catalog, device=device, threads=threads)
        self.events: list[EngineEvent] = []
        self.ends: queue.Queue[EngineEvent] = queue.Queue()
        self.engine.start(self._receive)

    def _receive(self, event: EngineEvent) -> None:
        self.events.append(event)
        if isinstance(event, JobFinished | JobFailed):
            self.ends.put(event)

    def draw(self, job_id: str) -> EngineEvent:
        model_id = self.catalog.models()[0].model_id
        request = GenerationRequest(prompt="a cat", seed=1, steps=2, model_id=model_id)
        self.engine.submit(Generate(job_id=JobId(job_id), request=request))
        return self.ends.get(timeout=WAIT_S)

    def choose(self, check: CheckRecord | None, **values) -> None:
        self.engine.submit(ChooseDevice(check=check, **values))

    def devices(self) -> list[tuple[str, str]]:
        return [(e.device.name, e.reason) for e in self.events if isinstance(e, DeviceChosen)]

    def histories(self) -> list[tuple[str, CheckRecord | None]]:
        pictures = [e.provenance for e in self.events if isinstance(e, ImageCompleted)]
        return [(history.device.name, history.check) for history in pictures]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    return tiny_model.write(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def one_gpu(monkeypatch):
    """A PaddlePaddle with GPU code, and one GPU: the fake one."""
    monkeypatch.setattr(devices.paddle, "is_compiled_with_rocm", lambda: True)
    monkeypatch.setattr(devices.paddle.device.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(devices, "GpuDevice", lambda index: FakeGpu())


@pytest.fixture
def told(tiny) -> Iterator[Told]:
    engine = Told(tiny)
    yield engine
    engine.engine.submit(Shutdown())
    assert engine.engine.join(WAIT_S)


@pytest.mark.usefixtures("one_gpu")
def test_the_gpu_is_used_once_the_gate_is_open_and_no_longer(told):
    assert isinstance(told.draw("unchecked"), JobFinished)
    told.choose(OPEN)
    assert isinstance(told.draw("open"), JobFinished)
    told.choose(BLOCKED)
    assert isinstance(told.draw("blocked"), JobFinished)
    assert told.devices() == [
        ("cpu", "gpu_unusable"), ("gpu:0", "gpu_usable"), ("cpu", "gpu_unusable"),
    ]  # fmt: skip
    assert told.histories() == [("cpu", None), ("gpu:0", OPEN), ("cpu", BLOCKED)]


@pytest.mark.usefixtures("one_gpu")
def test_an_override_is_in_every_picture_made_under_it(told):
    told.choose(OVERRIDDEN)
    told.draw("first")
    told.draw("second")
    assert told.histories() == [("gpu:0", OVERRIDDEN)] * 2


@pytest.mark.parametrize("preference", [DevicePreference.AUTO, DevicePreference.CPU])
def test_where_the_same_device_follows_the_model_stays_loaded(told, preference):
    told.draw("unchecked")
    told.choose(BLOCKED, index=3, preference=preference)
    loads = sum(isinstance(e, ModelLoading) for e in told.events)
    told.draw("checked")
    assert told.devices() == [("cpu", "only_device")]
    assert sum(isinstance(e, ModelLoading) for e in told.events) == loads
    assert told.histories() == [("cpu", None), ("cpu", BLOCKED)]


@pytest.mark.usefixtures("one_gpu")
@pytest.mark.parametrize("check", [None, BLOCKED, CheckRecord(gate=Gate.NEEDS_SELFTEST)])
@pytest.mark.logs("cannot open its device yet")
def test_a_gpu_that_was_asked_for_is_refused_while_the_gate_is_shut(told, check):
    told.choose(check, preference=DevicePreference.GPU)
    end = told.draw("refused")
    assert isinstance(end, JobFailed)
    assert end.error.facts == {"device": "gpu:0", "reason": "not_checked"}


@pytest.mark.logs("cannot open its device yet")
def test_an_override_does_not_give_the_library_gpu_code(told):
    told.choose(OVERRIDDEN, preference=DevicePreference.GPU)
    end = told.draw("refused")
    assert isinstance(end, JobFailed)
    assert end.error.facts["reason"] == "cpu_build"
