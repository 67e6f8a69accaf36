"""`danqing selftest` as a user calls it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from desktop import arguments, check_texts, selftest_command, terminal
from desktop.arguments import RunSelfTest, ShowText, UsageError
from engine.checks import judge
from engine.checks.machine_check import MachineChecker
from engine.checks.selftest import SelfTest, step_of
from engine.checks.selftest_messages import Outcome
from engine.checks.selftest_words import Cause
from engine.checks.sentences import say
from engine.port import DevicePreference, EngineError, EngineFault, ErrorCode, Gate, Verdict
from tests.fakes.machines import HEALTHY

REPOSITORY = Path(__file__).parents[2]


def passed(name: str) -> Outcome:
    return Outcome(name=name, verdict=Verdict.PASS, measured=say("no kernel"), seconds=0.25)


FAILED = Outcome(
    name="matmul.float16",
    verdict=Verdict.FAIL,
    measured=say("largest error {error}", error="0.3"),
    expected=say("largest error at most {limit}", limit="2e-02"),
    seconds=0.5,
    cause=Cause.WRONG_RESULT,
)
UNJUDGED = Outcome(
    name="golden",
    verdict=Verdict.UNKNOWN,
    measured=say("the reference and the weights do not belong together"),
    cause=Cause.OTHER_WEIGHTS,
)


@dataclass
class Pretended(SelfTest):
    """A self-test with given outcomes; `asked` is what it was asked to test."""

    outcomes: tuple[Outcome, ...] = (passed("device"),)
    index: int | None = 0
    asked: list[tuple[DevicePreference, int, bool]] = field(default_factory=list)

    def run(self, device, index=0, *, full_memory=False, on_begin=None, is_cancelled=None):
        self.asked.append((device, index, full_memory))
        for outcome in self.outcomes:
            yield step_of(outcome)

    def index_of(self, gpu):
        return self.index


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """The check of a healthy machine in the place of this one."""
    checker = MachineChecker(state_folder=tmp_path / "state", cache_folder=tmp_path / "cache")
    decisions = checker._decisions
    monkeypatch.setattr(checker, "check", lambda: judge.judge(HEALTHY, decisions))
    return checker


def run(test, machine, command=None) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    out, human = io.StringIO(), io.StringIO()
    command = command or RunSelfTest()
    status = selftest_command.run(command, test, machine, terminal.Results(out), human)
    return status, out.getvalue(), human.getvalue()


# --- words ----------------------------------------------------------------------------------------


def test_words():
    assert arguments.parse(["selftest"]) == RunSelfTest()
    words = ["selftest", "--device", "gpu:1", "--full-memory", "--json"]
    assert arguments.parse(words) == RunSelfTest(
        device=DevicePreference.GPU, device_index=1, has_full_memory=True, is_json=True
    )
    unnumbered = arguments.parse(["selftest", "--device", "gpu"])
    assert unnumbered == RunSelfTest(device=DevicePreference.GPU, device_index=None)
    answer = arguments.parse(["selftest", "--help"])
    assert isinstance(answer, ShowText)
    assert "90 %" in answer.text


@pytest.mark.parametrize("words", [["selftest", "x"], ["selftest", "--device", "rocm"]])
def test_mistakes(words):
    with pytest.raises(UsageError):
        arguments.parse(words)


# --- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", [DevicePreference.AUTO, DevicePreference.GPU])
def test_a_gpu_whose_number_is_not_known_is_not_tested(machine, device):
    test = Pretended(index=None)
    for is_json in (False, True):
        command = RunSelfTest(device=device, device_index=None, is_json=is_json)
        status, out, human = run(test, machine, command)
        assert status == 3
        assert "Unset GPU_DEVICE_ORDINAL" in human
        assert ("Unset GPU_DEVICE_ORDINAL" in out) == is_json
    assert not test.asked


def test_an_interrupted_one_says_that_it_stopped_and_keeps_nothing(machine):
    class Interrupted(Pretended):
        def run(self, *words, **more):
            yield from super().run(*words, **more)
            raise KeyboardInterrupt

    human = io.StringIO()
    with pytest.raises(KeyboardInterrupt):
        selftest_command.run(
            RunSelfTest(), Interrupted(), machine, terminal.Results(io.StringIO()), human
        )
    assert human.getvalue().endswith("danqing selftest: stopped, nothing is kept\n")
    assert machine.last_selftest(machine.check()) is None


def test_passing(machine):
    status, out, human = run(Pretended(), machine)
    assert status == 0
    assert out == "self-test of gpu:0 passed in 0 s\n"
    assert human == "testing gpu:0\npass  Where it computes: no kernel (0.2 s)\n"


def test_failing_says_what_it_means_and_what_to_do(machine):
    status, out, human = run(Pretended(outcomes=(passed("device"), FAILED)), machine)
    assert status == 1
    assert "failed" in out
    assert "FAIL  Matrix product, float16: largest error 0.3 (0.5 s)" in human
    assert "needed: largest error at most 2e-02" in human
    assert "computed a wrong result" in human
    assert "> Unset HSA_OVERRIDE_GFX_VERSION if it is set." in human


def test_not_everything_could_be_run(machine):
    status, out, human = run(Pretended(outcomes=(passed("device"), UNJUDGED)), machine)
    assert status == 3
    assert "could not be run completely" in out
    assert "engine.checks.golden --write" in human


def test_json(machine):
    command = RunSelfTest(is_json=True)
    status, out, human = run(Pretended(outcomes=(passed("device"), FAILED)), machine, command)
    first, second, last = map(json.loads, out.splitlines())
    assert (status, human) == (1, "")
    assert (first["event"], first["name"], first["verdict"]) == ("step", "device", "pass")
    assert first["summary"] is None
    assert second["fix"]
    assert (last["event"], last["verdict"], last["device"]) == ("finished", "fail", "gpu:0")
    assert last["error"] is None


def test_every_step_has_a_title():
    for name in SelfTest().steps(full_memory=True):
        assert check_texts.step_title(name) != name
    assert check_texts.step_title("something.new") == "something.new"


# --- which device, and whether the result counts --------------------------------------------------


def test_a_pass_on_the_chosen_gpu_opens_the_gate(machine):
    assert machine.check().gate is Gate.NEEDS_SELFTEST
    run(Pretended(), machine)
    assert machine.check().gate is Gate.OPEN


def test_a_failure_is_kept_too_with_its_words(machine):
    run(Pretended(outcomes=(passed("device"), FAILED)), machine)
    report = machine.check()
    assert report.gate is not Gate.OPEN
    kept = machine.last_selftest(report)
    assert kept is not None
    assert kept.verdict is Verdict.FAIL
    assert kept.steps[1] == step_of(FAILED)


@pytest.mark.parametrize(
    ("command", "index"),
    [
        pytest.param(RunSelfTest(device=DevicePreference.CPU), 0, id="cpu"),
        pytest.param(RunSelfTest(device=DevicePreference.GPU, device_index=1), 0, id="other-gpu"),
        pytest.param(RunSelfTest(device=DevicePreference.GPU, device_index=0), 2, id="not-first"),
        pytest.param(RunSelfTest(device=DevicePreference.GPU, device_index=1), None, id="unsure"),
    ],
)
def test_a_pass_elsewhere_opens_nothing(machine, command, index):
    status, _, _ = run(Pretended(index=index), machine, command)
    assert status == 0
    assert machine.check().gate is Gate.NEEDS_SELFTEST


@pytest.mark.parametrize(
    ("command", "index", "asked"),
    [
        (RunSelfTest(), 0, (DevicePreference.GPU, 0, False)),
        (RunSelfTest(), 2, (DevicePreference.GPU, 2, False)),
        (RunSelfTest(device=DevicePreference.GPU), 2, (DevicePreference.GPU, 2, False)),
        (RunSelfTest(device=DevicePreference.GPU, device_index=0), 2,
         (DevicePreference.GPU, 0, False)),
        (RunSelfTest(has_full_memory=True), 0, (DevicePreference.GPU, 0, True)),
        (RunSelfTest(device=DevicePreference.CPU), 2, (DevicePreference.CPU, 0, False)),
    ],
)  # fmt: skip
def test_what_is_tested(machine, command, index, asked):
    test = Pretended(index=index)
    run(test, machine, command)
    assert test.asked == [asked]


def test_without_a_gpu_the_processor_is_tested(machine, monkeypatch):
    report = replace(machine.check(), chosen_gpu=None, gpus=())
    monkeypatch.setattr(machine, "check", lambda: report)
    test = Pretended()
    status, out, _ = run(test, machine)
    assert status == 0
    assert "self-test of cpu passed" in out
    assert test.asked == [(DevicePreference.CPU, 0, False)]


def test_a_result_that_cannot_be_kept_is_said(machine, monkeypatch):
    def full(result):
        facts = {"file": "decisions.json", "reason": "No space left on device"}
        raise EngineFault(EngineError(code=ErrorCode.FILE_NOT_WRITTEN, facts=facts))

    monkeypatch.setattr(machine, "record_selftest", full)
    status, out, human = run(Pretended(), machine)
    assert status == 3
    assert "passed" in out
    assert "No space left on device" in human


def test_a_gpu_that_is_not_there_fails_for_real(home):
    done = subprocess.run(
        [sys.executable, "-m", "desktop", "selftest", "--device", "gpu:3", "--json"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    first, *rest, last = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 1
    assert (first["name"], first["verdict"]) == ("enumerate", "fail")
    assert {step["verdict"] for step in rest} == {"unknown"}
    assert last["verdict"] == "fail"
