"""The real engine on a tiny checkpoint, and each fault of a GPU on the fake one."""

from __future__ import annotations

import gc
import queue
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import resources
from engine.catalog import Catalog
from engine.device import CpuDevice, FakeGpu
from engine.port import (
    EngineEvent,
    ErrorCode,
    Generate,
    GenerationRequest,
    ImageCompleted,
    JobCancelled,
    JobFailed,
    JobFinished,
    JobId,
    JobWarned,
    ModelId,
    ModelLoading,
    PhaseStarted,
    Shutdown,
    StepCompleted,
    TileDecoded,
)
from engine.session import Session
from engine.thread import EngineThread
from tests.fakes import tiny_model

WAIT_S = 60.0
END_TYPES = (JobFinished, JobCancelled, JobFailed)


class Running:
    """A real engine thread on a small model with a device of the test's choice."""

    def __init__(self, model: Path, make_device: Callable[[], Any]) -> None:
        self.catalog = Catalog(model, [])
        self.device: Any = None
        self.events: list[EngineEvent] = []
        self._arrivals: queue.Queue[EngineEvent] = queue.Queue()

        def open_session(emit: Callable[[EngineEvent], None]) -> Session:
            self.device = make_device()
            return Session(self.device, self.catalog)

        self.engine = EngineThread(catalog=self.catalog, open_session=open_session)
        self.engine.start(self._receive)

    def _receive(self, event: EngineEvent) -> None:
        self.events.append(event)
        self._arrivals.put(event)

    def generate(self, job_id: str, **values: Any) -> None:
        request = {"prompt": "a cat", "seed": 1, "steps": 2} | values
        model_id = values.pop("model_id", self.catalog.models()[0].model_id)
        self.engine.submit(
            Generate(
                job_id=JobId(job_id), request=GenerationRequest(**request | {"model_id": model_id})
            )
        )

    def wait_for(self, is_wanted: Callable[[EngineEvent], bool]) -> EngineEvent:
        while True:
            event = self._arrivals.get(timeout=WAIT_S)
            if is_wanted(event):
                return event

    def end_of(self, job_id: str) -> EngineEvent:
        return self.wait_for(lambda e: isinstance(e, END_TYPES) and e.job_id == job_id)

    def picture_of(self, job_id: str) -> bytes:
        (data,) = [
            event.image.data
            for event in self.events
            if isinstance(event, ImageCompleted) and event.job_id == job_id
        ]
        return data

    def images(self) -> list[ImageCompleted]:
        return [event for event in self.events if isinstance(event, ImageCompleted)]

    def stop(self) -> None:
        self.engine.submit(Shutdown())
        assert self.engine.join(WAIT_S)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.write(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def heavy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its networks are large beside what they work with, as in the real model."""
    folder = tmp_path_factory.mktemp("models") / "heavy"
    return tiny_model.write(
        folder,
        transformer={"ffn_hidden_size": 8192},
        vae={"layers_per_block": 2, "block_out_channels": [8, 8, 64, 96]},
    )


@pytest.fixture
def run(tiny: Path) -> Iterator[Callable[..., Running]]:
    started: list[Running] = []

    def start(make_device: Callable[[], Any], model: Path = tiny) -> Running:
        started.append(Running(model, make_device))
        return started[-1]

    yield start
    for running in started:
        running.stop()


def test_a_job_reports_all_its_phases_steps_and_pieces(run):
    running = run(CpuDevice, model=resources.path("starter-model"))
    running.generate("one", steps=3)
    assert isinstance(running.end_of("one"), JobFinished)
    events = running.events
    phases = [event.phase for event in events if isinstance(event, PhaseStarted)]
    assert phases == ["load", "encode", "denoise", "decode"]
    loaded = {event.component for event in events if isinstance(event, ModelLoading)}
    assert loaded == {"text_encoder", "transformer", "vae"}
    steps = [event for event in events if isinstance(event, StepCompleted)]
    assert [event.step for event in steps] == [1, 2, 3]
    assert steps[-1].sigma == 0.0
    assert all(event.preview is not None for event in steps)
    tiles = [event for event in events if isinstance(event, TileDecoded)]
    done = [event.tile for event in tiles]
    assert done == sorted(set(done))
    assert done[-1] == tiles[-1].tiles


def test_the_same_seed_gives_the_same_bytes_alone_and_in_a_batch(run):
    running = run(CpuDevice)
    running.generate("batch", seed=41, image_count=2)
    running.generate("alone", seed=42)
    running.generate("other", seed=43)
    for job_id in ("batch", "alone", "other"):
        assert isinstance(running.end_of(job_id), JobFinished)
    second = [
        event.image.data
        for event in running.events
        if isinstance(event, ImageCompleted) and event.job_id == "batch"
    ][1]
    assert second == running.picture_of("alone")
    assert second != running.picture_of("other")


def test_the_decode_tile_never_changes_the_picture(run):
    running = run(CpuDevice)
    for tile in (None, 0, 32, 100):
        running.generate(str(tile), decode_tile=tile)
        assert isinstance(running.end_of(str(tile)), JobFinished)
    assert len({running.picture_of(str(tile)) for tile in (None, 0, 32, 100)}) == 1


def test_an_unknown_model_fails_the_job_and_not_the_engine(run):
    running = run(CpuDevice)
    running.generate("bad", model_id=ModelId("nowhere"))
    end = running.end_of("bad")
    assert isinstance(end, JobFailed)
    assert end.error.code is ErrorCode.MODEL_MISSING
    running.generate("good")
    assert isinstance(running.end_of("good"), JobFinished)


def test_cancelling_in_the_middle_leaves_a_working_engine(run):
    running = run(CpuDevice)
    running.generate("one", steps=200)
    running.wait_for(lambda event: isinstance(event, StepCompleted))
    running.engine.cancel(JobId("one"))
    assert isinstance(running.end_of("one"), JobCancelled)
    running.generate("two")
    assert isinstance(running.end_of("two"), JobFinished)


# --- the fake GPU ---------------------------------------------------------------------------------


def test_the_fake_gpu_makes_the_picture_in_bfloat16(run):
    running = run(FakeGpu)
    running.generate("one")
    assert isinstance(running.end_of("one"), JobFinished)
    assert set(running.device.info.dtypes.values()) == {"bfloat16"}


def test_a_gpus_forms_of_the_operations_make_the_cpus_picture(run):
    """In float32 on both sides, so that only the forms differ; then bfloat16 against that.

    One engine at a time: operations are intercepted process-wide, as PaddlePaddle's device is.
    """
    pictures, dtypes = [], []
    without_bfloat16 = frozenset({"linear", "conv2d"})
    for make_device in (CpuDevice, lambda: FakeGpu(missing=without_bfloat16), FakeGpu):
        running = run(make_device)
        running.generate("one")
        assert isinstance(running.end_of("one"), JobFinished)
        pictures.append(np.frombuffer(running.picture_of("one"), np.uint8).astype(int))
        dtypes.append(set(running.device.info.dtypes.values()))
    assert dtypes == [{"float32"}, {"float32"}, {"bfloat16"}]
    assert np.abs(pictures[1] - pictures[0]).max() <= 1
    difference = np.abs(pictures[2] - pictures[0])
    assert difference.max() > 0
    assert difference.mean() < 3


def test_without_bfloat16_convolution_the_vae_computes_in_float32(run):
    running = run(lambda: FakeGpu(missing=frozenset({"conv2d"})))
    running.generate("one")
    assert isinstance(running.end_of("one"), JobFinished)
    assert running.device.info.dtypes == {
        "text_encoder": "bfloat16",
        "transformer": "bfloat16",
        "vae": "float32",
    }


@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_out_of_memory_anywhere_frees_everything_and_the_next_job_works(run, expect_log, share):
    counting = run(FakeGpu)
    counting.generate("count")
    counting.end_of("count")
    allocations = counting.device.allocations

    expect_log("out_of_memory")
    running = run(lambda: FakeGpu(fail_allocation=max(1, int(allocations * share))))
    running.generate("one")
    end = running.end_of("one")
    assert isinstance(end, JobFailed)
    assert end.error.code is ErrorCode.OUT_OF_MEMORY
    assert end.error.facts["device"] == "gpu:0"
    running.generate("two")
    assert isinstance(running.end_of("two"), JobFinished)
    assert running.picture_of("two") == counting.picture_of("count")


def test_after_a_failure_only_the_model_itself_stays_in_memory(run, expect_log):
    expect_log("out_of_memory")
    running = run(FakeGpu)
    running.generate("one")
    running.end_of("one")
    gc.collect()
    loaded = running.device.used_bytes
    running.device.fail_allocation = running.device.allocations + 200
    running.generate("two")
    assert isinstance(running.end_of("two"), JobFailed)
    gc.collect()
    assert running.device.used_bytes <= loaded


def test_a_job_that_cannot_fit_is_refused_before_it_starts(run):
    running = run(lambda: FakeGpu(memory_bytes=100_000))
    running.generate("one")
    end = running.end_of("one")
    assert isinstance(end, JobFailed)
    assert end.error.code is ErrorCode.OUT_OF_MEMORY
    assert int(end.error.facts["needed_bytes"]) > int(end.error.facts["free_bytes"])
    assert not any(isinstance(event, ModelLoading) for event in running.events)


def test_on_a_small_card_each_network_makes_room_for_the_next(run, heavy):
    """Plan 3, for two pictures: the transformer is freed before each decode and comes back."""
    roomy = run(FakeGpu, model=heavy)
    roomy.generate("one", image_count=2)
    assert isinstance(roomy.end_of("one"), JobFinished)
    roomy.stop()
    refused = run(lambda: FakeGpu(memory_bytes=1 << 20), model=heavy)
    refused.generate("one", image_count=2)
    end = refused.end_of("one")
    assert isinstance(end, JobFailed)
    limit = int(end.error.facts["needed_bytes"])
    assert limit < 0.8 * roomy.device.peak_bytes

    small = run(lambda: FakeGpu(memory_bytes=limit), model=heavy)
    small.generate("one", image_count=2)
    assert isinstance(small.end_of("one"), JobFinished)
    assert small.device.peak_bytes <= limit
    assert [event.image.data for event in small.images()] == [
        event.image.data for event in roomy.images()
    ]
    loads = [
        event.component
        for event in small.events
        if isinstance(event, ModelLoading) and event.fraction == 1.0
    ]
    assert loads == ["text_encoder", "transformer", "vae", "transformer", "vae"]


@pytest.mark.parametrize("is_asynchronous", [False, True])
def test_a_lost_device_is_reported_and_the_next_job_opens_it_anew(run, expect_log, is_asynchronous):
    expect_log("device_lost")
    devices = iter([FakeGpu(lose_operation=150, is_asynchronous=is_asynchronous), FakeGpu()])
    running = run(lambda: next(devices))
    running.generate("one")
    end = running.end_of("one")
    assert isinstance(end, JobFailed)
    assert end.error.code is ErrorCode.DEVICE_LOST
    running.generate("two")
    assert isinstance(running.end_of("two"), JobFinished)


def test_a_text_beyond_the_models_limit_is_said_and_drawn_from_its_beginning(run):
    running = run(CpuDevice)
    running.generate("long", prompt="cat " * 2000)
    assert isinstance(running.end_of("long"), JobFinished)
    (warning,) = [event.warning for event in running.events if isinstance(event, JobWarned)]
    assert warning.code is ErrorCode.PROMPT_TRUNCATED
    assert warning.facts == {"tokens": 512}
    running.generate("short")
    running.end_of("short")
    assert len([event for event in running.events if isinstance(event, JobWarned)]) == 1
