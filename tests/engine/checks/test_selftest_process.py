"""Whatever happens to the self-test's process: every step is reported once, and nothing is left."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.checks import selftest_plan as plan
from engine.checks.selftest import SelfTest, step_of
from engine.checks.selftest_messages import Alive, Begun, Done, Outcome, decode, encode
from engine.checks.selftest_words import WORDS, Cause
from engine.checks.sentences import say
from engine.port import DevicePreference, SelfTestStep, Verdict
from tests.fakes import selftest_faults, tiny_model

SCRIPTED = "tests.fakes.scripted_selftest_child"
STEPS = plan.steps(full_memory=False)
AT = "softmax.float32"
BEFORE, AFTER = STEPS[: STEPS.index(AT)], STEPS[STEPS.index(AT) + 1 :]


@pytest.fixture
def follow(monkeypatch):
    """Runs a scripted child; the steps by name."""

    def follow(script, *, limit_s=20.0, **options) -> dict[str, SelfTestStep]:
        monkeypatch.setenv("DANQING_TEST_SCRIPT", json.dumps(script))
        test = SelfTest(child=SCRIPTED, silence_limit_s=lambda step: limit_s)
        steps = list(test.run(DevicePreference.CPU, **options))
        assert sorted(step.name for step in steps) == sorted(
            plan.steps(full_memory=options.get("full_memory", False))
        )
        return {step.name: step for step in steps}

    return follow


def cause_of(step: SelfTestStep) -> Cause | None:
    if step.summary is None:
        return None
    (cause,) = (cause for cause, words in WORDS.items() if words.meaning == step.summary)
    return cause


def verdicts(steps: dict[str, SelfTestStep], names) -> set[Verdict]:
    return {steps[name].verdict for name in names}


def test_all_steps_in_order_and_announced(follow):
    begun: list[str] = []
    steps = follow({}, on_begin=begun.append)
    assert tuple(steps) == tuple(begun) == STEPS
    assert verdicts(steps, STEPS) == {Verdict.PASS}
    assert {step.seconds for step in steps.values()} == {0.5}


def test_the_full_pass_is_a_step_more(follow):
    assert set(follow({}, full_memory=True)) - set(STEPS) == {plan.FULL_MEMORY}


@pytest.mark.parametrize(
    ("action", "cause"),
    [
        ("abort", Cause.ABORTED),
        (f"signal:{signal.SIGSEGV}", Cause.SEGMENTATION_FAULT),
        (f"signal:{signal.SIGBUS}", Cause.SEGMENTATION_FAULT),
        (f"signal:{signal.SIGILL}", Cause.ILLEGAL_INSTRUCTION),
        (f"signal:{signal.SIGKILL}", Cause.KILLED),
        (f"signal:{signal.SIGTERM}", Cause.ENDED),
    ],
)
def test_a_signal_is_the_outcome_of_its_step_and_the_rest_is_tried(follow, action, cause):
    steps = follow({AT: action})
    assert steps[AT].verdict is Verdict.FAIL
    assert cause_of(steps[AT]) is cause
    assert "signal SIG" in str(steps[AT].measured)
    assert f"about to {action}" in steps[AT].detail
    assert verdicts(steps, BEFORE + AFTER) == {Verdict.PASS}


@pytest.mark.parametrize(("action", "status"), [("exit:0", "0"), ("exit:7", "7")])
def test_an_early_end_is_no_success(follow, action, status):
    steps = follow({AT: action})
    assert cause_of(steps[AT]) is Cause.ENDED
    assert f"status {status}" in str(steps[AT].measured)
    assert verdicts(steps, BEFORE) == {Verdict.PASS}
    assert {cause_of(steps[name]) for name in AFTER} == {Cause.NOT_REACHED}
    assert verdicts(steps, AFTER) == {Verdict.UNKNOWN}


def test_a_hang_is_ended_and_the_rest_not_tried(follow):
    start = time.monotonic()
    steps = follow({AT: "hang"}, limit_s=1.5)
    assert time.monotonic() - start < 10
    assert cause_of(steps[AT]) is Cause.HUNG
    assert verdicts(steps, BEFORE) == {Verdict.PASS}
    assert {cause_of(steps[name]) for name in AFTER} == {Cause.NOT_REACHED}


def test_signs_of_life_are_no_hang(follow):
    steps = follow({AT: "slow"}, limit_s=1.2)  # longer than that in all
    assert verdicts(steps, STEPS) == {Verdict.PASS}


def test_a_process_that_closes_its_output_and_stays(follow, monkeypatch):
    monkeypatch.setattr("engine.checks.selftest._GRACE_S", 0.3)
    steps = follow({AT: "close"}, limit_s=0.5)
    assert steps[AT].verdict is Verdict.FAIL


def test_a_gpu_that_kills_every_process_is_left_alone(follow):
    steps = follow(dict.fromkeys(STEPS, "abort"))
    assert [cause_of(step) for step in steps.values()] == [
        *[Cause.ABORTED] * 3,
        *[Cause.NOT_REACHED] * (len(STEPS) - 3),
    ]


def test_a_death_at_the_very_end_loses_nothing(follow):
    assert verdicts(follow({"end": "abort"}), STEPS) == {Verdict.PASS}


def test_what_libraries_print_is_no_message(follow):
    assert verdicts(follow({AT: "chatter"}), STEPS) == {Verdict.PASS}


def test_a_child_that_cannot_be_imported():
    steps = list(SelfTest(child="engine.checks.no_such_module").run(DevicePreference.CPU))
    assert [step.name for step in steps] == list(STEPS)
    assert steps[0].verdict is Verdict.FAIL
    assert "no_such_module" in steps[0].detail


def test_a_child_that_cannot_be_started(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    steps = list(SelfTest().run(DevicePreference.CPU))
    assert [step.name for step in steps] == list(STEPS)
    assert cause_of(steps[0]) is Cause.NOT_STARTED
    assert {cause_of(step) for step in steps[1:]} == {Cause.NOT_REACHED}


def test_stopping_ends_the_process_and_says_so(follow, tmp_path):
    begun: list[str] = []
    script = {AT: f"wait-for:{tmp_path / 'running'}"}
    steps = follow(script, on_begin=begun.append, is_cancelled=lambda: AT in begun)
    assert verdicts(steps, BEFORE) == {Verdict.PASS}
    assert {cause_of(steps[name]) for name in (AT, *AFTER)} == {Cause.CANCELLED}


def test_closing_the_generator_ends_the_process(monkeypatch, tmp_path):
    file = tmp_path / "running"
    monkeypatch.setenv("DANQING_TEST_SCRIPT", json.dumps({STEPS[1]: f"wait-for:{file}"}))
    with contextlib.closing(SelfTest(child=SCRIPTED).run(DevicePreference.CPU)) as steps:
        next(steps)
        process = wait_for_number(file)
    assert_gone(process)


def test_the_child_ends_with_its_parent(tmp_path):
    """The real child, whose parent is killed while a step hangs."""
    model, reference = tmp_path / "tiny", tmp_path / "golden"
    tiny_model.write(model)
    selftest_faults.write_reference(reference, model)
    environment = {
        **os.environ,
        "DANQING_TEST_FAULT": "hang",
        "DANQING_TEST_MODEL": str(model),
        "DANQING_TEST_REFERENCE": str(reference),
    }
    parent = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-m', 'tests.fakes.selftest_faults',"
        " '--device', 'cpu'], stdin=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(1000)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent],
        stdout=subprocess.PIPE,
        env=environment,
        cwd=Path(__file__).parents[3],
    ) as started:
        assert started.stdout is not None
        process = int(started.stdout.readline())
        for line in started.stdout:
            if decode(line.decode()) == Begun(plan.COPY):
                break
        started.kill()
    assert_gone(process)


def wait_for_number(file: Path) -> int:
    for _ in range(200):
        if file.exists() and (text := file.read_text()):
            return int(text)
        time.sleep(0.05)
    raise AssertionError("the child did not come so far")


def assert_gone(process: int) -> None:
    for _ in range(200):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        if "Z" in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:1]:
            return
        time.sleep(0.05)
    os.kill(process, signal.SIGKILL)
    raise AssertionError("the child lives on")


# --- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        Begun("copy"),
        Alive(),
        Done(),
        Outcome(
            name="copy",
            verdict=Verdict.FAIL,
            measured=say("{count} of {all} words differ", count=1, all=2),
            expected=say("a kernel"),
            seconds=1.25,
            cause=Cause.CORRUPT_COPY,
            detail="图",
        ),
    ],
    ids=lambda message: type(message).__name__,
)
def test_messages_come_through(message):
    assert decode(encode(message)) == message


@pytest.mark.parametrize(
    "line",
    ["", "x", "[]", "3", "null", '{"event": 3}', '{"event": "begun"}', "[" * 100_000,
     '{"event": "outcome", "name": "copy", "verdict": "good"}'],
)  # fmt: skip
def test_anything_else_is_no_message(line):
    assert decode(line) is None


def test_a_test_passes_only_if_every_step_does():
    harmless = (Verdict.PASS, Verdict.NOT_APPLICABLE, Verdict.INFO)
    for pair in itertools.product(Verdict, repeat=2):
        steps = [step_of(Outcome(name="copy", verdict=verdict)) for verdict in pair]
        found = SelfTest().verdict_of(steps)
        assert (found is Verdict.PASS) == all(verdict in harmless for verdict in pair)
        if Verdict.FAIL in pair or Verdict.CRASHED in pair:
            assert found is Verdict.FAIL
    assert SelfTest().verdict_of([]) is Verdict.UNKNOWN


# --- the real child -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("selftest")
    model = tiny_model.write(folder / "tiny")
    selftest_faults.write_reference(folder / "golden", model)
    return {
        "DANQING_TEST_MODEL": str(model),
        "DANQING_TEST_REFERENCE": str(folder / "golden"),
    }


@pytest.fixture
def real(monkeypatch, places):
    """The real child process, small amounts, with a fault in it."""

    def real(fault: str, device: DevicePreference) -> dict[str, SelfTestStep]:
        for name, value in {**places, "DANQING_TEST_FAULT": fault}.items():
            monkeypatch.setenv(name, value)
        test = SelfTest(
            child="tests.fakes.selftest_faults",
            silence_limit_s=lambda step: 4.0 if step == plan.COPY else 60.0,
        )
        steps = list(test.run(device))
        assert [step.name for step in steps] == list(STEPS)
        return {step.name: step for step in steps}

    return real


def failed(steps: dict[str, SelfTestStep]) -> dict[str, Cause | None]:
    return {
        name: cause_of(step)
        for name, step in steps.items()
        if step.verdict in (Verdict.FAIL, Verdict.CRASHED)
    }


def test_the_real_child_passes_on_the_processor(real):
    steps = real("sound", DevicePreference.CPU)
    assert SelfTest().verdict_of(list(steps.values())) is Verdict.PASS


@pytest.mark.parametrize(
    ("fault", "device", "expected"),
    [
        ("abort", DevicePreference.CPU, {plan.COPY: Cause.ABORTED}),
        ("segmentation_fault", DevicePreference.CPU, {plan.COPY: Cause.SEGMENTATION_FAULT}),
        ("killed", DevicePreference.CPU, {plan.COPY: Cause.KILLED}),
        ("hang", DevicePreference.CPU, {plan.COPY: Cause.HUNG}),
        ("cpu_fallback", DevicePreference.GPU, {plan.DEVICE: Cause.CPU_FALLBACK}),
        ("wrong_matmul", DevicePreference.CPU, {"matmul.float32": Cause.WRONG_RESULT}),
        ("nan", DevicePreference.CPU, {"attention.float32": Cause.NOT_FINITE}),
        ("short_memory", DevicePreference.CPU, {plan.ALLOCATE: Cause.SHORT_MEMORY}),
        ("black_picture", DevicePreference.CPU, {plan.GOLDEN: Cause.UNIFORM_PICTURE}),
    ],
)
@pytest.mark.slow
def test_a_fault_in_the_real_child(real, fault, device, expected):
    steps = real(fault, device)
    assert failed(steps) == expected
    if fault not in ("hang", "cpu_fallback"):  # after which nothing more is tried
        assert Verdict.UNKNOWN not in verdicts(steps, STEPS)


@pytest.mark.slow
def test_the_whole_self_test_passes_here_within_a_minute():
    start = time.monotonic()
    steps = list(SelfTest().run(DevicePreference.CPU))
    assert time.monotonic() - start < 60
    assert SelfTest().verdict_of(steps) is Verdict.PASS
