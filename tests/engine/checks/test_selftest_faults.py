"""Each injected fault makes exactly its row fail; a sound device passes every row.

Here the steps run in the tests' own process; `test_selftest_process` has them in the real child.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

import resources
from engine.checks import golden
from engine.checks import selftest_plan as plan
from engine.checks.selftest import SelfTest, step_of
from engine.checks.selftest_messages import Message, Outcome
from engine.checks.selftest_run import Run
from engine.checks.selftest_words import WORDS, Cause
from engine.port import DevicePreference, Verdict
from tests.fakes import selftest_faults as faults
from tests.fakes import tiny_model

BAD = (Verdict.FAIL, Verdict.CRASHED, Verdict.UNKNOWN)
STEPS = plan.steps(full_memory=False)
PICTURE = (plan.ENUMERATE, plan.DEVICE, plan.GOLDEN)


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return tiny_model.write(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def reference(tmp_path_factory, model) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    faults.write_reference(folder, model)
    return folder


@pytest.fixture
def run(model, reference):
    """Runs steps on a device with a fault; the outcome of each."""

    def run(fault, *, steps=STEPS, reference=reference) -> dict[str, Outcome]:
        is_gpu = fault in (faults.sound_gpu, faults.cpu_fallback)
        sent: list[Message] = []
        preference = DevicePreference.GPU if is_gpu else DevicePreference.CPU
        with faults.injected(fault, reference, model):
            Run(preference, 0, sent.append, faults.SMALL).steps(steps)
        outcomes = [message for message in sent if isinstance(message, Outcome)]
        assert [outcome.name for outcome in outcomes] == list(steps)
        return {outcome.name: outcome for outcome in outcomes}

    return run


def bad(outcomes: dict[str, Outcome]) -> dict[str, Cause | None]:
    return {name: found.cause for name, found in outcomes.items() if found.verdict in BAD}


def test_a_sound_processor_passes(run):
    outcomes = run(faults.sound)
    assert bad(outcomes) == {}
    lacking = {name for name, found in outcomes.items() if found.verdict is Verdict.NOT_APPLICABLE}
    assert lacking == {f"{o}.{d}" for o in plan.OPERATIONS for d in ("float16", "bfloat16")}
    assert outcomes[plan.BANDWIDTH].verdict is Verdict.INFO
    for name in lacking:
        assert "float32" in str(outcomes[name].measured)
    assert SelfTest().verdict_of([step_of(found) for found in outcomes.values()]) is Verdict.PASS


def test_a_sound_gpu_passes_in_its_formats(run):
    outcomes = run(faults.sound_gpu)
    assert bad(outcomes) == {}
    for operation in plan.OPERATIONS:
        assert outcomes[f"{operation}.bfloat16"].verdict is Verdict.PASS
    assert str(outcomes[plan.GOLDEN].expected).startswith("at least 30 dB")


@pytest.mark.parametrize(
    ("fault", "step", "cause"),
    [
        (faults.wrong_matmul, "matmul.float32", Cause.WRONG_RESULT),
        (faults.wrong_convolution, "convolution.float32", Cause.WRONG_RESULT),
        (faults.wrong_softmax, "softmax.float32", Cause.WRONG_RESULT),
        (faults.wrong_normalization, "normalization.float32", Cause.WRONG_RESULT),
        (faults.nan, "attention.float32", Cause.NOT_FINITE),
        (faults.short_memory, plan.ALLOCATE, Cause.SHORT_MEMORY),
        (faults.memory_ends, plan.MEMORY, Cause.SHORT_MEMORY),
        (faults.memory_twice, plan.MEMORY, Cause.CORRUPT_MEMORY),
        (faults.stuck_bit, plan.MEMORY, Cause.CORRUPT_MEMORY),
        (faults.corrupt_copy, plan.COPY, Cause.CORRUPT_COPY),
        (faults.black_picture, plan.GOLDEN, Cause.UNIFORM_PICTURE),
        (faults.wrong_picture, plan.GOLDEN, Cause.OTHER_PICTURE),
        (faults.unstable_picture, plan.LOAD, Cause.UNSTABLE),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_fault_fails_its_row_and_no_other(run, fault, step, cause):
    outcomes = run(fault)
    assert bad(outcomes) == {step: cause}
    assert outcomes[step].verdict is Verdict.FAIL
    row = step_of(outcomes[step])
    assert str(row.measured)
    assert str(row.expected)
    assert row.summary is not None
    assert row.fix


@pytest.mark.parametrize(
    ("fault", "step", "cause"),
    [
        (faults.cpu_fallback, plan.DEVICE, Cause.CPU_FALLBACK),
        (faults.lost_device, plan.COPY, Cause.DEVICE_LOST),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_without_a_device_the_rest_is_not_judged(run, fault, step, cause):
    outcomes = run(fault)
    after = STEPS[STEPS.index(step) + 1 :]
    assert bad(outcomes) == {step: cause, **dict.fromkeys(after, Cause.NOT_REACHED)}
    assert [name for name, found in outcomes.items() if found.verdict is Verdict.FAIL] == [step]


def test_a_gpu_that_this_library_cannot_have():
    sent: list[Message] = []
    Run(DevicePreference.GPU, 0, sent.append, faults.SMALL).steps(STEPS)
    outcomes = [message for message in sent if isinstance(message, Outcome)]
    assert outcomes[0].cause is Cause.CPU_BUILD
    assert {found.cause for found in outcomes[1:]} == {Cause.NOT_REACHED}


def test_other_weights_are_no_broken_device(run, reference, tmp_path):
    record = json.loads((reference / "starter.json").read_text())
    record["sha256"]["vae"] = "0" * 64
    (tmp_path / "starter.json").write_text(json.dumps(record))
    (tmp_path / "starter.png").write_bytes((reference / "starter.png").read_bytes())
    outcomes = run(faults.sound, steps=PICTURE, reference=tmp_path)
    assert bad(outcomes) == {plan.GOLDEN: Cause.OTHER_WEIGHTS}
    assert outcomes[plan.GOLDEN].verdict is Verdict.UNKNOWN
    row = step_of(outcomes[plan.GOLDEN])
    assert any("engine.checks.golden --write" in str(fix) for fix in row.fix)
    assert SelfTest().verdict_of([row]) is Verdict.UNKNOWN


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"format": "danqing-golden"}'])
def test_without_its_reference_the_picture_is_not_judged(run, tmp_path, content):
    (tmp_path / "starter.json").write_bytes(content)
    outcomes = run(faults.sound, steps=PICTURE, reference=tmp_path)
    assert bad(outcomes) == {plan.GOLDEN: Cause.REFERENCE_MISSING}


def test_the_full_pass_takes_most_of_what_is_free(run):
    steps = (plan.ENUMERATE, plan.DEVICE, plan.FULL_MEMORY)
    outcomes = run(faults.sound_gpu, steps=steps)
    assert bad(outcomes) == {}
    assert str(outcomes[plan.FULL_MEMORY].measured).startswith("228 MiB hold")  # of 256 free


def test_the_committed_reference_belongs_to_the_committed_weights():
    committed = golden.read(golden.folder())
    assert committed.sha256 == golden.digests(resources.path("starter-model")), (
        "the starter model was replaced: python -m engine.checks.golden --write"
    )


def test_every_cause_has_its_words():
    assert set(WORDS) == set(Cause)
    without_fix = {cause for cause, words in WORDS.items() if not words.fix}
    assert without_fix == {Cause.NOT_REACHED, Cause.CANCELLED}


def test_the_usual_amounts_are_those_of_the_specification():
    usual = plan.GPU_AMOUNTS
    assert (usual.pattern_bytes, usual.load_s) == (2 * plan.GIB, 20.0)
    assert dataclasses.replace(plan.CPU_AMOUNTS, load_s=20.0, load_matmul=4096) == usual
