"""From a checked machine to the device of a command: recorded machines, real decisions."""

from __future__ import annotations

import pytest

from desktop import check_texts, gpu_gate, messages
from engine.checks.selftest import SelfTest
from engine.port import (
    CheckRecord,
    ChooseDevice,
    DevicePreference,
    EngineFault,
    Gate,
    SelfTestStep,
    Sentence,
    Verdict,
)
from tests.fakes.machines import CARD, HEALTHY, PretendedMachine, healthy, recorded_machine

AUTO, CPU, GPU = DevicePreference
WARNING = healthy(files={f"{CARD}/mem_info_vis_vram_total": str(256 * 2**20)})
"""Resizable BAR is off."""


class Numbered(SelfTest):
    """Knows the GPU by a number."""

    def __init__(self, index: int | None = 0) -> None:
        super().__init__()
        self.index = index

    def index_of(self, gpu):
        return self.index


def step(verdict: Verdict) -> SelfTestStep:
    nothing = Sentence("")
    return SelfTestStep(
        name="device", verdict=verdict, measured=nothing, expected=nothing, seconds=1
    )


def prove(machine: PretendedMachine, verdict: Verdict = Verdict.PASS) -> None:
    report = machine.check()
    machine.record_selftest(gpu_gate.result_of([step(verdict)], SelfTest(), report))


@pytest.fixture
def proved(tmp_path) -> PretendedMachine:
    machine = PretendedMachine(HEALTHY, tmp_path)
    prove(machine)
    return machine


def choose(
    machine, preference=GPU, index=None, *, has_gpu_code=True, number: int | None = 0
) -> ChooseDevice:
    return gpu_gate.choose(
        preference,
        index,
        has_gpu_code=has_gpu_code,
        open_check=lambda: machine,
        open_selftest=lambda: Numbered(number),
    )


def refusal(machine, index=None, number: int | None = 0) -> str:
    with pytest.raises(gpu_gate.Refused) as refused:
        choose(machine, GPU, index, number=number)
    return str(refused.value.message)


def never():
    raise AssertionError("nothing has to be checked")


# --- the CPU --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("preference", "has_gpu_code"), [(CPU, True), (CPU, False), (AUTO, False)])
def test_the_cpu_waits_for_no_check(preference, has_gpu_code):
    chosen = gpu_gate.choose(
        preference, None, has_gpu_code=has_gpu_code, open_check=never, open_selftest=never
    )
    assert chosen == ChooseDevice(preference=preference)


@pytest.mark.parametrize("name", ["49-nvidia-4090-rebar", "11-debian-kfd-render-user-video"])
def test_auto_takes_the_cpu_on_a_machine_that_is_blocked(tmp_path, name):
    chosen = choose(PretendedMachine(recorded_machine(name), tmp_path), AUTO)
    assert not chosen.allows_gpu
    assert chosen.check == CheckRecord(gate=Gate.BLOCKED)


# --- the GPU --------------------------------------------------------------------------------------


@pytest.mark.parametrize("preference", [AUTO, GPU])
def test_an_open_gate_gives_the_chosen_gpu(proved, preference):
    chosen = choose(proved, preference, number=1)
    assert (chosen.preference, chosen.index, chosen.allows_gpu) == (preference, 1, True)


def test_before_the_self_test_the_gpu_is_refused_with_what_to_run(tmp_path):
    said = refusal(PretendedMachine(HEALTHY, tmp_path))
    assert said.startswith("--device gpu: Nothing is in the way.")
    assert "danqing selftest" in said


def test_a_failed_self_test_is_named(tmp_path):
    machine = PretendedMachine(HEALTHY, tmp_path)
    prove(machine, Verdict.FAIL)
    assert "Self-test: The self-test did not pass." in refusal(machine)


def test_the_first_row_in_the_way_is_named(tmp_path):
    machine = PretendedMachine(recorded_machine("11-debian-kfd-render-user-video"), tmp_path)
    assert "Permissions: " in refusal(machine)
    assert not choose(machine, AUTO).allows_gpu


def test_a_warning_has_to_be_read_first(tmp_path):
    machine = PretendedMachine(WARNING, tmp_path)
    prove(machine)
    assert "Resizable BAR: " in refusal(machine)
    machine.acknowledge(machine.check(), ["pcie.rebar"])
    chosen = choose(machine)
    assert chosen.check == CheckRecord(gate=Gate.OPEN, acknowledged=("pcie.rebar",))


@pytest.mark.parametrize(
    "change",
    [
        {"files": {"/proc/cmdline": "BOOT_IMAGE=/vmlinuz amdgpu.cwsr_enable=0"}},
        {"files": {"/sys/class/dmi/id/bios_version": "9999"}},
        {"release": "6.17.0-1"},
        {"files": {"/sys/module/amdgpu/version": "6.16.6"}},
    ],
    ids=["command line", "bios", "kernel", "driver"],
)
def test_a_changed_machine_has_to_prove_itself_again(proved, change, request):
    assert choose(proved).allows_gpu
    proved.snapshot = healthy(**change)
    report = proved.check()
    assert report.gate is Gate.NEEDS_SELFTEST
    assert request.node.callspec.id in report.changed
    names = [name for name, _ in check_texts.changed_parts(report)]
    assert check_texts.PARTS[request.node.callspec.id] in names
    assert "danqing selftest" in refusal(proved)


def test_the_check_stands_for_one_gpu_only(proved):
    assert choose(proved, GPU, 0).index == 0
    assert "the check stands for GPU 0" in refusal(proved, index=1)


def test_a_gpu_whose_number_cannot_be_told_is_not_guessed(tmp_path, expect_log):
    machine = PretendedMachine(recorded_machine("31-r9700-plus-igpu-30576mb"), tmp_path)
    prove(machine)
    machine.acknowledge(machine.check(), machine.check().acknowledge)
    assert machine.check().allowed
    assert "which of the GPUs" in refusal(machine, number=None)
    expect_log("its number cannot be told")
    assert choose(machine, AUTO, number=None).preference is CPU
    assert choose(machine, AUTO, number=1).index == 1


def test_an_override_opens_a_blocked_gate_and_is_recorded(tmp_path):
    machine = PretendedMachine(recorded_machine("11-debian-kfd-render-user-video"), tmp_path)
    machine.override(machine.check(), is_on=True)
    chosen = choose(machine)
    assert chosen.check == CheckRecord(gate=Gate.OPEN, is_overridden=True)
    assert "the check stands for GPU 0" in refusal(machine, index=7)
    machine.override(machine.check(), is_on=False)
    assert "Permissions" in refusal(machine)


def test_auto_takes_the_cpu_where_the_check_itself_fails(expect_log):
    class Broken:
        def check(self):
            raise RuntimeError("no luck")

    expect_log("the machine could not be checked")
    assert choose(Broken(), AUTO).preference is CPU
    with pytest.raises(RuntimeError, match="no luck"):
        choose(Broken(), GPU)


# --- the self-test --------------------------------------------------------------------------------


def test_the_self_test_takes_the_chosen_gpu_or_the_cpu(tmp_path):
    good = PretendedMachine(HEALTHY, tmp_path).check()
    assert gpu_gate.selftest_target(good, Numbered(1)) == (GPU, 1)
    assert gpu_gate.is_about(good, Numbered(1), GPU, 1)
    assert not gpu_gate.is_about(good, Numbered(1), GPU, 0)
    assert not gpu_gate.is_about(good, Numbered(0), CPU, 0)
    assert gpu_gate.proved_index(good, Numbered(None)) is None, "not even the only one is guessed"
    with pytest.raises(EngineFault) as refused:
        gpu_gate.selftest_target(good, Numbered(None))
    assert "Unset GPU_DEVICE_ORDINAL" in str(messages.describe(refused.value.error))
    none = PretendedMachine(recorded_machine("49-nvidia-4090-rebar"), tmp_path).check()
    assert gpu_gate.selftest_target(none, Numbered(1)) == (CPU, 0)
