"""The commands with a pretended engine: what is printed where, what is saved, the exit status."""

from __future__ import annotations

import errno
import io
import json
import logging
import os
import re
import shlex
import signal
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from PIL import Image

from desktop import arguments, cli, gpu_gate, logs, paths, settings
from desktop.arguments import GeneratePictures, ListModels
from desktop.cli import Backend
from desktop.settings import Settings
from desktop.streams import Outlet
from desktop.terminal import Results
from engine.checks.selftest import SelfTest
from engine.port import (
    MAX_SEED,
    CancelWhen,
    ChooseDevice,
    DevicePreference,
    EngineError,
    EngineEvent,
    ErrorCode,
    Generate,
    ImageCompleted,
    ModelCatalog,
    PhaseStarted,
    PictureSize,
    StepCompleted,
)
from tests.fakes.fake_engine import FakeCatalog, FakeEngine
from tests.fakes.machines import PretendedMachine, recorded_machine
from tests.fakes.script import FAKE_MODEL, Script


@dataclass
class Outcome:
    status: int
    out: str
    human: str
    engines: list[FakeEngine]

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def events(self) -> list[dict]:
        return [json.loads(line) for line in self.lines]


@dataclass
class Bench:
    """Runs commands on fake engines, and keeps those."""

    script: Script = field(default_factory=Script)
    catalog: ModelCatalog = field(default_factory=FakeCatalog)
    engine_type: type[FakeEngine] = FakeEngine
    engines: list[FakeEngine] = field(default_factory=list)
    devices: list[tuple[DevicePreference, int | None]] = field(default_factory=list)
    machine: PretendedMachine | None = None
    """The machine whose check decides about its GPU, with a PaddlePaddle that has GPU code."""

    def backend(self) -> Backend:
        return Backend(
            open_catalog=lambda: self.catalog, open_engine=self._open, choose_device=self._choose
        )

    def _choose(self, preference, index) -> ChooseDevice:
        self.devices.append((preference, index))
        if self.machine is None:
            return ChooseDevice(preference=preference, index=index or 0)
        machine = self.machine
        return gpu_gate.choose(
            preference, index, has_gpu_code=True, open_check=lambda: machine, open_selftest=SelfTest
        )

    def _open(self, catalog, device) -> FakeEngine:
        assert catalog is self.catalog
        self.engines.append(self.engine_type(self.script))
        return self.engines[-1]

    def generate(self, *words: str) -> Outcome:
        command = arguments.parse(["generate", *words])
        assert isinstance(command, GeneratePictures)
        out, human = io.StringIO(), io.StringIO()
        status = cli.generate(command, self.backend(), Results(out), human)
        assert all(engine.join(5) for engine in self.engines)
        return Outcome(status, out.getvalue(), human.getvalue(), self.engines)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def request_of(outcome: Outcome):
    (command,) = [c for c in outcome.engines[-1].commands if isinstance(c, Generate)]
    return command.request


# --- plain ----------------------------------------------------------------------------------------


def test_a_picture_is_made_and_its_path_is_the_last_line(bench, home):
    outcome = bench.generate("a cat")
    assert outcome.status == 0
    path = Path(outcome.lines[-1])
    assert path.parent == home / "Pictures/Danqing"
    assert path.name.endswith("-0001-a cat.png")
    with Image.open(path) as picture:
        assert picture.size == (256, 256)
        assert set(picture.text) == {"parameters", "danqing"}  # pyright: ignore[reportAttributeAccessIssue]


def test_pictures_are_named_as_the_settings_say(bench, home):
    settings.save(Settings(file_name_pattern="[date]/[seed]"), paths.config_folder())
    outcome = bench.generate("a cat", "--seed", "7", "--count", "2")
    names = [Path(line).relative_to(home / "Pictures/Danqing").parts for line in outcome.lines]
    assert [name[1] for name in names] == ["7.png", "8.png"]
    assert names[0][0].count("-") == 2


def test_a_pattern_that_cannot_be_used_is_refused_before_anything_is_drawn(bench):
    settings.save(Settings(file_name_pattern="[sed]"), paths.config_folder())
    outcome = bench.generate("a cat", "--json")
    assert outcome.status == 3
    assert "file_name_pattern in the settings: [sed] is not known" in outcome.human
    assert "Did you mean [seed]? There are: [batch_number] " in outcome.human
    assert outcome.events[-1]["error"]["code"] == "file_name_pattern"
    assert outcome.engines == []


def test_a_batch_without_room_is_refused_before_anything_is_drawn(bench, tmp_path):
    outcome = bench.generate("a cat", "--count", str(10**9), "-o", str(tmp_path), "--json")
    assert outcome.status == 3
    assert "has too little room: about" in outcome.human
    assert outcome.events[-1]["error"]["code"] == "unwritable"
    assert outcome.engines == []


def test_standard_output_holds_paths_only_and_the_rest_is_said_elsewhere(bench, tmp_path):
    outcome = bench.generate("a cat", "--count", "3", "--seed", "5", "-o", str(tmp_path))
    assert [Path(line).parent for line in outcome.lines] == [tmp_path] * 3
    assert "256x256, 12 steps of dpmpp_2m, guidance 3.5, seed 5" in outcome.human
    for phase in ("loading the model", "picture 3 of 3: drawing", "picture 3 of 3: developing"):
        assert phase in outcome.human
    assert "\x1b" not in outcome.human


def test_each_picture_has_its_own_seed_inside(bench, tmp_path):
    outcome = bench.generate("x", "--count", "2", "--seed", str(MAX_SEED), "-o", str(tmp_path))
    seeds = []
    for line in outcome.lines:
        with Image.open(line) as picture:
            record = json.loads(picture.text["danqing"])  # pyright: ignore[reportAttributeAccessIssue]
            seeds.append(record["resolved"]["seed"])
    assert seeds == [str(MAX_SEED), "0"]


def test_the_request_is_what_was_asked_for(bench, tmp_path):
    outcome = bench.generate(
        *[
            "cat",
            "--negative",
            "dog",
            "--steps",
            "4",
            "--size",
            "320x192",
            "--guidance",
            "2",
            "--sampler",
            "euler",
        ],
        *["--schedule", "uniform", "--tile", "off", "--device", "gpu:1", "-o"],
        str(tmp_path),
    )
    request = request_of(outcome)
    assert (request.prompt, request.negative_prompt) == ("cat", "dog")
    assert (request.width, request.height, request.steps) == (320, 192, 4)
    assert (request.guidance_scale, request.sampler) == (2.0, "euler")
    assert (request.sigma_schedule, request.decode_tile) == ("uniform", 0)
    assert request.preview is False
    assert bench.devices == [(DevicePreference.GPU, 1)]


def test_what_is_not_said_is_left_to_the_model(bench):
    request = request_of(bench.generate("cat"))
    assert (request.width, request.height, request.steps) == (None, None, None)
    assert (request.guidance_scale, request.sampler, request.sigma_schedule) == (None,) * 3
    assert bench.devices == [(DevicePreference.AUTO, None)]


def test_the_gpu_is_refused_with_the_row_in_the_way(bench, tmp_path):
    bench.machine = PretendedMachine(recorded_machine("11-debian-kfd-render-user-video"), tmp_path)
    outcome = bench.generate("a cat", "--device", "gpu", "--json")
    assert outcome.status == 3
    assert "--device gpu: Pictures cannot be made on the GPU. Permissions: " in outcome.human
    assert outcome.human.count("\n") == 1
    assert outcome.events[-1]["error"]["code"] == "device_unavailable"
    assert outcome.engines == []


def test_auto_draws_on_the_cpu_then_and_says_so(bench, tmp_path):
    bench.machine = PretendedMachine(recorded_machine("11-debian-kfd-render-user-video"), tmp_path)
    outcome = bench.generate("a cat", "-o", str(tmp_path))
    assert outcome.status == 0
    assert outcome.human.startswith("drawing on the CPU: the GPU is off")


def test_seeds_are_random_without_one_and_cover_all_64_bits(bench, tmp_path):
    seeds = {request_of(bench.generate("x", "-o", str(tmp_path))).seed for _ in range(8)}
    assert len(seeds) == 8
    assert max(seeds) > 2**58  # eight uniform draws all below this: one in 10**14
    assert max(seeds) <= MAX_SEED


def test_nothing_is_overwritten_and_the_real_name_is_told(bench, tmp_path):
    target = tmp_path / "cat.png"
    target.write_bytes(b"precious")
    outcome = bench.generate("a cat", "-o", str(target))
    assert outcome.status == 0
    assert outcome.lines == [str(tmp_path / "cat-2.png")]
    assert "cat.png exists, so this one is cat-2.png" in outcome.human
    assert target.read_bytes() == b"precious"


def test_no_metadata_means_none(bench, tmp_path):
    outcome = bench.generate("secret", "--no-metadata", "-o", str(tmp_path / "x.png"))
    assert b"secret" not in Path(outcome.lines[-1]).read_bytes()


def test_a_prompt_from_standard_input(bench, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\ufeff猫\nzwei\n".encode())))
    assert request_of(bench.generate("-")).prompt == "猫\nzwei"


@pytest.mark.parametrize(("data", "problem"), [(b"\xff\xfe", "not UTF-8"), (b" \n", "is empty")])
def test_a_bad_standard_input_is_a_mistake(bench, monkeypatch, data, problem):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    outcome = bench.generate("-")
    assert outcome.status == 2
    assert problem in outcome.human


# --- json -----------------------------------------------------------------------------------------


def test_json_tells_every_event_and_ends_with_the_images(bench, tmp_path):
    words = ["a cat", "--json", "--steps", "2", "--seed", str(2**60 + 1)]
    outcome = bench.generate(*words, "-o", str(tmp_path / "c.png"))
    names = [event["event"] for event in outcome.events]
    assert names == [
        "device", "started", "phase", "phase", "phase", "step", "step", "phase", "tile", "tile",
        "image", "finished",
    ]  # fmt: skip
    image = {
        "path": str(tmp_path / "c.png"),
        "seed": str(2**60 + 1),
        "width": 256,
        "height": 256,
    }
    assert outcome.events[-1] == {"event": "finished", "images": [image], "error": None}
    assert outcome.events[-2] == {"event": "image", "image": 0, **image}
    assert outcome.events[1]["seed"] == str(2**60 + 1)
    assert outcome.out.isascii()


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (["x", "--size", "100x100"], "size_not_allowed", 2),
        (["x", "--model", "nowhere"], "model_missing", 3),
        (["x", "-o", "a.gif"], "usage", 2),
    ],
)
def test_json_ends_with_a_failure_also_when_nothing_ran(bench, words, code, status):
    outcome = bench.generate(*words, "--json")
    assert outcome.status == status
    (end,) = outcome.events
    assert (end["event"], end["images"], end["error"]["code"]) == ("failed", [], code)
    assert outcome.engines == []


# --- mistakes and failures ------------------------------------------------------------------------


def test_a_size_that_the_model_does_not_know_is_refused_before_anything_loads(bench):
    outcome = bench.generate("x", "--size", "100x100")
    assert outcome.status == 2
    assert outcome.human == (
        "danqing generate: --size: This model cannot draw 100x100. "
        "Allowed: 256x256, 320x192, 192x320.\n"
    )
    assert outcome.engines == []


def test_an_unknown_model_is_one_line_that_names_those_there_are(bench):
    outcome = bench.generate("x", "--model", "nowhere")
    assert outcome.status == 3
    assert outcome.human == (
        "danqing generate: There is no model “nowhere”. "
        "Known models: starter. A folder works too.\n"
    )


def test_a_value_that_the_engine_refuses_is_told_with_the_option_s_name(bench, expect_log):
    facts = {"name": "guidance", "value": 99, "allowed": "0 to 30"}
    bench.script = Script(error=EngineError(code=ErrorCode.VALUE_NOT_ALLOWED, facts=facts))
    expect_log("the job failed: value_not_allowed")
    outcome = bench.generate("x", "--guidance", "99")
    assert outcome.status == 2
    assert "danqing generate: --guidance: 99 is not allowed. Allowed: 0 to 30.\n" in outcome.human


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (ErrorCode.OUT_OF_MEMORY, 1),
        (ErrorCode.NON_FINITE_LATENT, 1),
        (ErrorCode.DEVICE_LOST, 1),
        (ErrorCode.MODEL_CORRUPT, 3),
        (ErrorCode.MODEL_UNSAFE, 3),
        (ErrorCode.DEVICE_UNAVAILABLE, 3),
        (ErrorCode.LIBRARY_MISSING, 3),
    ],
)
def test_failed_jobs_have_their_exit_status(bench, expect_log, code, status):
    bench.script = Script(error=EngineError(code=code))
    expect_log(f"the job failed: {code}")
    outcome = bench.generate("x")
    assert (outcome.status, outcome.out) == (status, "")
    assert "Traceback" not in outcome.human


def test_a_bug_in_the_engine_is_a_failed_job(bench, expect_log):
    bench.script = Script(bug=TypeError("oops"))
    expect_log("the job failed: bug")
    outcome = bench.generate("x", "--json")
    assert outcome.status == 1
    assert outcome.events[-1]["error"]["code"] == "bug"
    assert "TypeError" in outcome.human
    assert "oops" not in outcome.human
    assert "the details are in" not in outcome.human  # there is no log here


def test_a_bug_names_the_log_where_there_is_one(bench, expect_log):
    log_file = logs.start(paths.state_folder(), say=print)
    bench.script = Script(bug=TypeError("oops"))
    expect_log("the job failed: bug")
    assert f"the details are in {log_file}\n" in bench.generate("x").human
    logging.captureWarnings(False)


def test_pictures_before_the_failure_are_kept(bench, expect_log, tmp_path):
    class FailsLater(FakeEngine):
        def start(self, on_event):
            def spoil(event: EngineEvent):
                if isinstance(event, StepCompleted) and event.image_index == 1:
                    raise TypeError
                on_event(event)

            super().start(spoil)

    bench.engine_type = FailsLater
    expect_log("the job failed: bug")
    outcome = bench.generate("x", "--count", "3", "--json", "-o", str(tmp_path))
    assert outcome.status == 1
    assert [image["path"] for image in outcome.events[-1]["images"]] == [
        str(path) for path in tmp_path.iterdir()
    ]


def test_an_engine_that_stops_by_itself_fails_the_job(bench, expect_log):
    class Stops(FakeEngine):
        def _generate(self, command):
            self._open.clear()
            self._is_stopped = True

    bench.engine_type = Stops
    expect_log("the job failed: engine_stopped")
    outcome = bench.generate("x")
    assert outcome.status == 1
    assert "The engine stopped before the picture was made." in outcome.human


# --- saving fails ---------------------------------------------------------------------------------


def refuse_folder(monkeypatch, *folders: Path, code: int = errno.ENOSPC):
    """Opening a file for writing fails in these folders, as on a full disk."""
    open_file = os.open

    def refuse(path, flags, *rest, **others):
        if flags & os.O_CREAT and any(folder in Path(path).parents for folder in folders):
            raise OSError(code, os.strerror(code), str(path))
        return open_file(path, flags, *rest, **others)

    monkeypatch.setattr(os, "open", refuse)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_picture_that_cannot_be_saved_is_rescued(bench, expect_log, tmp_path, monkeypatch, code):
    refuse_folder(monkeypatch, tmp_path, code=code)
    expect_log("cannot be saved")
    outcome = bench.generate("a cat", "--json", "-o", str(tmp_path))
    assert outcome.status == 1
    end = outcome.events[-1]
    rescued = Path(end["images"][0]["path"])
    assert rescued.parent == paths.rescue_folder()
    assert rescued.exists()
    assert (end["event"], end["error"]["code"]) == ("failed", "save_failed")
    assert str(tmp_path) in outcome.human
    assert f"The picture is not lost: it is {rescued}" in outcome.human
    assert list(tmp_path.iterdir()) == []


def test_when_nothing_can_be_saved_no_more_is_drawn(bench, expect_log, tmp_path, monkeypatch, home):
    refuse_folder(monkeypatch, tmp_path, paths.state_folder())
    expect_log(f"cannot be saved in {tmp_path}")
    expect_log(f"cannot be saved in {paths.rescue_folder()}")
    bench.script = Script(step_s=0.01)
    outcome = bench.generate("a cat", "--count", "50", "-o", str(tmp_path))
    assert outcome.status == 1
    assert outcome.out == ""
    assert outcome.human.count("The picture is lost") < 4  # it was cancelled, not ignored
    assert outcome.engines[-1].cancels != []


def test_a_folder_that_goes_away_meanwhile_is_made_again(bench, tmp_path):
    class Removes(FakeEngine):
        def start(self, on_event):
            def remove(event: EngineEvent):
                if isinstance(event, PhaseStarted) and (tmp_path / "out").exists():
                    (tmp_path / "out").rmdir()
                on_event(event)

            super().start(remove)

    (tmp_path / "out").mkdir()
    bench.engine_type = Removes
    outcome = bench.generate("x", "-o", str(tmp_path / "out"))
    assert outcome.status == 0
    assert Path(outcome.lines[-1]).parent == tmp_path / "out"


def test_a_folder_known_to_refuse_is_refused_before_anything_runs(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    outcome = bench.generate("x", "-o", str(tmp_path / "below"))
    assert outcome.status == 3
    assert f"Writing to {tmp_path} is not permitted." in outcome.human
    assert outcome.engines == []


# --- interrupts -----------------------------------------------------------------------------------


def interrupting(number: int, times: int = 1) -> type[FakeEngine]:
    """An engine at whose first step this process gets a signal."""

    class Interrupts(FakeEngine):
        def start(self, on_event):
            left = times

            def interrupt(event: EngineEvent):
                nonlocal left
                on_event(event)
                if isinstance(event, StepCompleted) and event.image_index == 1 and left:
                    left -= 1
                    os.kill(os.getpid(), number)

            super().start(interrupt)

    return Interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_cancels_and_keeps_what_is_done(bench, tmp_path, number):
    bench.engine_type = interrupting(number)
    bench.script = Script(step_s=0.01)
    before = signal.getsignal(number)
    outcome = bench.generate("x", "--count", "9", "--json", "-o", str(tmp_path))
    assert outcome.status == 130
    end = outcome.events[-1]
    assert (end["event"], end["error"]) == ("cancelled", None)
    assert [image["path"] for image in end["images"]] == [str(p) for p in tmp_path.iterdir()]
    assert len(end["images"]) == 1
    assert "stopping" in outcome.human
    assert signal.getsignal(number) is before


def test_a_second_interrupt_does_not_wait(bench, tmp_path):
    class Deaf(interrupting(signal.SIGINT, times=2)):
        def cancel(self, job_id, when=CancelWhen.NOW):
            """Ignore it, as native code would that does not look."""

    bench.engine_type = Deaf
    bench.script = Script(step_s=0.05)
    with pytest.raises(KeyboardInterrupt):
        bench.generate("x", "--count", "9", "-o", str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1


# --- other commands -------------------------------------------------------------------------------


def test_the_first_picture_is_an_example_of_the_first_model(bench, home):
    out, human = io.StringIO(), io.StringIO()
    assert cli.first_picture(bench.backend(), Results(out), human) == 0
    path = Path(out.getvalue().splitlines()[-1])
    assert path.parent == home / "Pictures/Danqing"
    assert path.name.endswith("a cat on the grass.png")
    assert "drawing “a cat on the grass”" in human.getvalue()


def test_models_are_listed_a_line_each(bench):
    out = io.StringIO()
    assert cli.list_models(ListModels(), bench.backend(), Results(out)) == 0
    assert out.getvalue() == "starter\tDanqing Starter (demo)\t256x256, 320x192, 192x320\n"


def test_a_models_name_cannot_play_with_the_terminal(bench):
    bench.catalog = FakeCatalog(replace(FAKE_MODEL, name="a\x1b[31mb\nc\td\u202ee\u3000猫"))
    out = io.StringIO()
    assert cli.list_models(ListModels(), bench.backend(), Results(out)) == 0
    (line,) = out.getvalue().splitlines()
    assert line.split("\t")[1] == r"a\x1b[31mb\nc\td\u202ee" + "\u3000猫 (demo)"


def test_the_examples_in_the_help_work_whatever_the_models_sizes(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    only = PictureSize(width=64, height=64)
    defaults = replace(FAKE_MODEL.defaults, size=only)
    bench.catalog = FakeCatalog(replace(FAKE_MODEL, sizes=(only,), defaults=defaults))
    text = arguments.parse(["generate", "--help"])
    assert isinstance(text, arguments.ShowText)
    examples = re.findall(r"^  danqing generate (.+)$", text.text, re.MULTILINE)
    assert len(examples) >= 3
    for example in examples:
        assert bench.generate(*shlex.split(example)).status == 0


def test_models_are_listed_as_json(bench):
    out = io.StringIO()
    assert cli.list_models(ListModels(is_json=True), bench.backend(), Results(out)) == 0
    (model,) = json.loads(out.getvalue())
    assert model["id"] == "starter"
    assert model["sizes"] == ["256x256", "320x192", "192x320"]
    assert model["defaults"]["steps"] == 12


def test_a_reader_that_went_away_costs_no_picture(bench, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    command = arguments.parse(["generate", "x", "--json", "-o", str(tmp_path)])
    assert isinstance(command, GeneratePictures)
    with Outlet(os.fdopen(writing, "wb"), encoding="utf-8") as stream:
        assert cli.generate(command, bench.backend(), Results(stream), io.StringIO()) == 0
    assert len(list(tmp_path.iterdir())) == 1
    assert stream.failure is None


def test_the_recorded_request_is_the_one_that_was_made(bench, tmp_path):
    outcome = bench.generate("a cat", "--steps", "4", "-o", str(tmp_path))
    with Image.open(outcome.lines[-1]) as picture:
        record = json.loads(picture.text["danqing"])  # pyright: ignore[reportAttributeAccessIssue]
    assert record["request"]["steps"] == 4
    assert record["request"]["guidance"] is None
    assert record["resolved"]["guidance"] == 3.5


def test_the_file_is_the_picture_that_the_engine_made(bench, tmp_path):
    kept = []

    class Keeps(FakeEngine):
        def start(self, on_event):
            def keep(event: EngineEvent):
                if isinstance(event, ImageCompleted):
                    kept.append(event.image)
                on_event(event)

            super().start(keep)

    bench.engine_type = Keeps
    outcome = bench.generate("a cat", "-o", str(tmp_path))
    (image,) = kept
    with Image.open(outcome.lines[-1]) as picture:
        assert picture.tobytes() == image.data
