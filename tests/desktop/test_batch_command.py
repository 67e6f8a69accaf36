from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from desktop import arguments, batch_command, gpu_gate, paths, terminal
from desktop.cli import Backend
from desktop.messages import Message
from desktop.store.jobs import JobState, JobStore
from engine.port import ChooseDevice, DevicePreference, EngineError, ErrorCode
from tests.fakes.fake_engine import FakeCatalog, FakeEngine
from tests.fakes.script import Script


@dataclass
class Bench:
    """`danqing batch` on pretended engines."""

    folder: Path
    scripts: dict[str, Script] = field(default_factory=dict)
    is_refusing: bool = False
    """The GPU is asked for and may not be used."""

    def batch(self, *words: str) -> tuple[int, list[str], str]:
        """Exit status, lines of standard output, and what was said."""
        command = arguments.parse(["batch", *words])
        assert isinstance(command, arguments.DrawBatch)
        backend = Backend(
            open_catalog=FakeCatalog,
            open_engine=lambda catalog, device: FakeEngine(scripts=self.scripts),
            choose_device=self._choose_device,
        )
        out, human = io.StringIO(), io.StringIO()
        status = batch_command.batch(command, backend, terminal.Results(out), human)
        return status, out.getvalue().splitlines(), human.getvalue()

    def _choose_device(self, preference: DevicePreference, index: int | None) -> ChooseDevice:
        if self.is_refusing:
            raise gpu_gate.Refused(Message(summary="not checked", remedy="Run danqing selftest."))
        return ChooseDevice(preference=preference)

    def list(self, text: str) -> str:
        path = self.folder / "list.txt"
        path.write_text(text, encoding="utf-8")
        return str(path)

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def left_over(self) -> list[JobState]:
        store = JobStore.open(paths.state_folder())
        states = [job.state for job in store.left_over()]
        store.close()
        return states


@pytest.fixture
def bench(tmp_path) -> Bench:
    return Bench(tmp_path)


def test_each_line_becomes_a_picture_in_order(bench):
    status, paths_said, said = bench.batch(bench.list("a\nb\nc\n"), "--out", str(bench.out))
    assert status == 0, said
    assert paths_said == [str(path) for path in sorted(bench.out.iterdir())]
    assert [path[-5] for path in paths_said] == ["a", "b", "c"]
    assert "3 made" in said
    assert bench.left_over() == []


def test_a_refused_device_leaves_nothing_in_the_queue(bench):
    bench.is_refusing = True
    status, _, said = bench.batch(bench.list("a\nb\n"), "--device", "gpu")
    assert status != 0
    assert "not checked" in said
    assert bench.left_over() == []


def test_a_dry_run_shows_the_list_and_does_nothing(bench):
    status, lines, _ = bench.batch(bench.list("a cat\na dog\n"), "--dry-run", "--json")
    assert status == 0
    assert "a dog" in lines[0]
    assert not paths.state_folder().joinpath("queue.db").exists()


def test_a_wrong_line_refuses_the_whole_list_before_anything_is_drawn(bench):
    wrong = bench.list('a cat\n--prompt "a dog" --steps none\n')
    status, lines, said = bench.batch(wrong, "--out", str(bench.out))
    assert status == 2
    assert lines == []
    assert ":2" in said or "line 2" in said
    assert bench.left_over() == []


@pytest.mark.logs("a job failed")
def test_a_failed_job_never_stops_the_others(bench):
    error = EngineError(code=ErrorCode.OUT_OF_MEMORY, facts={"device": "cpu", "phase": "decode"})
    bench.scripts["b"] = Script(error=error)
    status, lines, said = bench.batch(bench.list("a\nb\nc\n"), "--out", str(bench.out))
    assert status == 1
    assert len(lines) == 2
    assert "line 2: " in said
    assert "2 made, 1 failed" in said
    again, _, said = bench.batch(bench.list("a\nb\nc\n"), "--out", str(bench.out), "--resume")
    assert again == 1
    assert "2 made, 1 failed" in said


@pytest.mark.logs("a job failed")
@pytest.mark.logs("queue pauses")
def test_a_lost_device_pauses_and_resume_goes_on_where_it_was(bench):
    error = EngineError(code=ErrorCode.DEVICE_LOST, facts={"device": "gpu:0", "phase": "denoise"})
    bench.scripts["b"] = Script(error=error)
    file = bench.list("a\nb\nc\n")
    status, lines, said = bench.batch(file, "--out", str(bench.out), "--json")
    assert status == 1, said
    last = json.loads(lines[-1])
    assert (last["event"], last["error"]["code"]) == ("paused", "device_lost")
    assert bench.left_over() == [JobState.INTERRUPTED, JobState.WAITING]
    status, _, said = bench.batch(file, "--out", str(bench.out))
    assert status == 1
    assert "--resume" in said  # never a second time by accident
    bench.scripts.clear()
    status, lines, said = bench.batch("--resume")
    assert status == 0, said
    assert [path[-5] for path in lines] == ["b", "c"]
    assert len(list(bench.out.iterdir())) == 3


@pytest.mark.logs("a job failed")
@pytest.mark.logs("queue pauses")
@pytest.mark.parametrize("is_elsewhere", [True, False])
def test_another_folder_for_what_was_left_over_is_not_passed_over_in_silence(bench, is_elsewhere):
    error = EngineError(code=ErrorCode.DEVICE_LOST, facts={"device": "gpu:0", "phase": "denoise"})
    bench.scripts["b"] = Script(error=error)
    file = bench.list("a\nb\nc\n")
    assert bench.batch(file, "--out", str(bench.out))[0] == 1
    bench.scripts.clear()
    place = bench.out.with_name("elsewhere") if is_elsewhere else bench.out
    status, lines, said = bench.batch(file, "--out", str(place), "--resume")
    assert status == 0, said
    assert {Path(path).parent for path in lines} == {bench.out}
    assert ("--out is for new lists" in said) == is_elsewhere


@pytest.mark.logs("a job failed")
@pytest.mark.logs("queue pauses")
def test_discard_starts_anew(bench):
    error = EngineError(code=ErrorCode.DEVICE_LOST, facts={"device": "gpu:0", "phase": "denoise"})
    bench.scripts["a"] = Script(error=error)
    file = bench.list("a\nb\n")
    assert bench.batch(file, "--out", str(bench.out))[0] == 1
    bench.scripts.clear()
    status, lines, said = bench.batch(file, "--out", str(bench.out), "--discard")
    assert status == 0, said
    assert len(lines) == 2
    assert bench.left_over() == []


def test_nothing_left_is_no_failure(bench):
    assert bench.batch("--resume")[0] == 0
    file = bench.list("a\n")
    assert bench.batch(file, "--out", str(bench.out), "--resume")[0] == 0
    status, lines, said = bench.batch(file, "--out", str(bench.out), "--resume")
    assert (status, lines) == (0, [])
    assert "1 made" in said


def test_a_file_as_the_folder_is_a_mistake(bench):
    status, _, said = bench.batch(bench.list("a\n"), "--out", str(bench.folder / "a.png"))
    assert status == 2
    assert "folder" in said


@pytest.mark.logs("database is damaged")
@pytest.mark.logs("set aside")
def test_a_damaged_queue_is_told_and_the_batch_is_made(bench):
    paths.state_folder().mkdir(parents=True)
    (paths.state_folder() / "queue.db").write_bytes(b"x" * 5000)
    status, lines, said = bench.batch(bench.list("a\n"), "--out", str(bench.out))
    assert status == 0
    assert len(lines) == 1
    assert "was damaged" in said


def test_without_a_place_for_the_queue_nothing_is_drawn(bench):
    paths.state_folder().parent.mkdir(parents=True)
    paths.state_folder().write_text("a file")
    status, lines, said = bench.batch(bench.list("a\n"), "--out", str(bench.out))
    assert (status, lines) == (3, [])
    assert "queue cannot be kept" in said
