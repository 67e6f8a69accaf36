"""Choosing a device, what its errors mean, and which number formats it gets."""

from __future__ import annotations

import pytest

from engine import device as devices
from engine.device import CpuDevice, FakeGpu, choose, choose_dtypes, explain, missing_operations
from engine.memory import Component
from engine.port import DevicePreference, EngineFault, ErrorCode

ALL_LOW = dict.fromkeys(Component, "bfloat16")


def test_a_gpu_that_was_asked_for_is_never_replaced_by_the_cpu():
    """This build has no GPU kernels, as PyPI's has not."""
    with pytest.raises(EngineFault) as refusal:
        choose(DevicePreference.GPU, 0, gpu_allowed=True)
    assert refusal.value.error.code is ErrorCode.DEVICE_UNAVAILABLE
    assert refusal.value.error.facts == {"device": "gpu:0", "reason": "cpu_build"}


@pytest.mark.parametrize(
    ("preference", "reason"),
    [(DevicePreference.AUTO, "only_device"), (DevicePreference.CPU, "requested")],
)
def test_the_cpu_is_taken_with_the_reason(preference: DevicePreference, reason: str):
    device, why = choose(preference, 0, gpu_allowed=False)
    assert device.info.name == "cpu"
    assert why == reason


@pytest.mark.parametrize(
    ("is_built", "count", "allowed", "reason"),
    [
        (False, 0, True, "cpu_build"),
        (True, 0, True, "no_device"),
        (True, 1, False, "not_checked"),
        (True, 1, True, None),
    ],
)
def test_why_a_gpu_cannot_be_used(monkeypatch, is_built, count, allowed, reason):
    monkeypatch.setattr(devices.paddle, "is_compiled_with_rocm", lambda: is_built)
    monkeypatch.setattr(devices.paddle.device.cuda, "device_count", lambda: count)
    assert devices._why_no_gpu(0, gpu_allowed=allowed) == reason


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MemoryError("(ResourceExhausted) Out of memory"), ErrorCode.OUT_OF_MEMORY),
        (RuntimeError("hipErrorOutOfMemory"), ErrorCode.OUT_OF_MEMORY),
        (OSError("(External) HIP error(101), hipErrorNoDevice"), ErrorCode.DEVICE_LOST),
        (RuntimeError("HSA_STATUS_ERROR_INVALID_ISA"), ErrorCode.DEVICE_LOST),
    ],
)
def test_errors_of_the_library_that_are_expected(error: Exception, code: ErrorCode):
    explained = explain(error, "gpu:0", "decode")
    assert explained is not None
    assert explained.code is code
    assert explained.facts == {"device": "gpu:0", "phase": "decode"}
    assert str(error) in explained.detail


def test_any_other_error_is_a_bug():
    assert explain(RuntimeError("shapes do not match"), "gpu:0", "decode") is None


def test_the_cpu_has_every_operation_in_float32_and_the_probes_find_what_it_lacks():
    """PaddlePaddle's CPU build has no bfloat16 matrix product or convolution (ENGINE.md C)."""
    with CpuDevice().activate():
        assert missing_operations("float32") == frozenset()
        assert {"linear", "conv2d", "rms_norm", "attention"} <= missing_operations("bfloat16")


@pytest.mark.parametrize("name", ["conv2d", "conv1x1", "upsample_conv2d", "group_norm"])
def test_what_only_the_vae_needs_leaves_the_others_in_bfloat16(name: str):
    assert choose_dtypes(frozenset({name})) == ALL_LOW | {Component.VAE: "float32"}


def test_without_a_matrix_product_everything_is_float32():
    assert set(choose_dtypes(frozenset({"linear"})).values()) == {"float32"}


def test_the_missing_operations_are_told():
    assert FakeGpu(missing=frozenset({"conv2d"})).info.missing_operations == ("conv2d",)


def test_running_out_of_memory_in_a_probe_says_nothing_of_the_kernel():
    with pytest.raises(MemoryError):
        FakeGpu(memory_bytes=100)
