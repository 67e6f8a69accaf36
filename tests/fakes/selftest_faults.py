"""Devices that fail as broken hardware does, for the self-test to find; each fault by its name.

A fault changes what one operation computes, and only for operands as the self-test makes them, so
that exactly the step under test meets it. `python -m tests.fakes.selftest_faults` is the real child
process with the fault of `DANQING_TEST_FAULT` in it; the program itself knows nothing of faults.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from engine import bootstrap
from engine.checks.selftest_plan import MIB, Amounts
from engine.port import DevicePreference, RgbImage

SMALL = Amounts(
    allocate_bytes=32 * MIB,
    copy_bytes=4 * MIB,
    matmul=(128, 128, 160),
    channels=24,
    map_side=32,
    tokens=128,
    pattern_bytes=32 * MIB,
    chunk_bytes=4 * MIB,
    bandwidth_bytes=4 * MIB,
    load_s=0.2,
    load_matmul=96,
)
"""Enough for every step to do what it does, in a second."""

Patches = Iterator[contextlib.AbstractContextManager[Any]]


def _with(module: Any, name: str, wrapper: Callable[..., Any]) -> Any:
    """`module.name` replaced by `wrapper(original, *args)`."""
    original = getattr(module, name)
    return patch.object(module, name, lambda *args, **kwargs: wrapper(original, *args, **kwargs))


def _element(tensor: Any, value: float) -> Any:
    """The tensor with one element of its middle changed by `value`."""
    from engine import ops

    array = ops.to_numpy(tensor)
    array.reshape(-1)[array.size // 2] += value
    return ops.from_numpy(array, ops.dtype_of(tensor))


# --- arithmetic -----------------------------------------------------------------------------------


def wrong_matmul() -> Patches:
    from engine import ops

    def linear(original, x, *rest, **named):
        y = original(x, *rest, **named)
        return _element(y, 1.0) if x.shape == list(SMALL.matmul[:2]) else y

    yield _with(ops, "linear", linear)


def wrong_convolution() -> Patches:
    from engine import ops

    def conv2d(original, x, weight, bias, *rest, **named):
        is_ours = weight.shape == [SMALL.channels, SMALL.channels, 3, 3]
        return original(x, weight, _element(bias, 0.1) if is_ours else bias, *rest, **named)

    yield _with(ops, "conv2d", conv2d)


def wrong_softmax() -> Patches:
    from engine import ops

    def attention(original, queries, *rest, **named):
        y = original(queries, *rest, **named)
        return _element(y, 0.01) if queries.shape[0] == 1 else y

    yield _with(ops, "attention", attention)


def wrong_normalization() -> Patches:
    from engine import ops

    def rms_norm(original, x, weight, *rest, **named):
        is_ours = x.shape == [SMALL.tokens, SMALL.channels]
        return original(x, _element(weight, 0.1) if is_ours else weight, *rest, **named)

    yield _with(ops, "rms_norm", rms_norm)


def nan() -> Patches:
    """One NaN in what attention returns."""
    from engine import ops

    def attention(original, queries, *rest, **named):
        y = original(queries, *rest, **named)
        return _element(y, float("nan")) if queries.shape == [8, SMALL.tokens, 64] else y

    yield _with(ops, "attention", attention)


# --- memory ---------------------------------------------------------------------------------------


def short_memory() -> Patches:
    """Half of what was asked for is really allocated."""
    from engine.checks.selftest_device import TestedDevice

    yield _with(TestedDevice, "allocated_bytes", lambda original, device: original(device) // 2)


def memory_ends() -> Patches:
    """The third chunk of the pattern cannot be allocated."""
    from engine.checks import selftest_device

    calls: list[int] = []

    def marked(original, numbers, word):
        calls.append(word)
        if len(calls) == 3:
            raise RuntimeError("(ResourceExhausted) Out of memory error on GPU 0.")
        return original(numbers, word)

    yield _with(selftest_device, "marked", marked)


def memory_twice() -> Patches:
    """The fourth chunk lies where the third one does: memory that is counted twice."""
    from engine.checks import selftest_device

    chunks: list[Any] = []

    def marked(original, numbers, word):
        chunk = original(numbers, word)
        if len(chunks) == 3:
            chunks[2].copy_(chunk)
            chunk = chunks[2]
        chunks.append(chunk)
        return chunk

    yield _with(selftest_device, "marked", marked)


def stuck_bit() -> Patches:
    """One bit of the pattern's memory that is always 1: only the inverted pass can see it."""
    from engine.checks import selftest_device

    turned: list[int] = []

    def inverted_(original, numbers):
        turned.append(1)
        inverted = original(numbers)
        if len(turned) == 2:
            array = selftest_device.downloaded(inverted)
            array[7] |= 1 << 12
            array[8] |= 1 << 12
            inverted.copy_(selftest_device.uploaded(array))
        return inverted

    yield _with(selftest_device, "inverted_", inverted_)


def corrupt_copy() -> Patches:
    from engine.checks import selftest_device

    def downloaded(original, tensor):
        array = original(tensor).copy()
        if array.dtype == np.int32:
            array[12345] ^= 1 << 30
        return array

    yield _with(selftest_device, "downloaded", downloaded)


# --- pictures -------------------------------------------------------------------------------------


def black_picture() -> Patches:
    from engine import text_to_image

    def to_rgb(original, pixels):
        image = original(pixels)
        return RgbImage(width=image.width, height=image.height, data=bytes(len(image.data)))

    yield _with(text_to_image, "to_rgb", to_rgb)


def wrong_picture() -> Patches:
    """Red and blue exchanged."""
    from engine import text_to_image

    yield _with(text_to_image, "to_rgb", lambda original, pixels: original(pixels[:, ::-1]))


def unstable_picture() -> Patches:
    """The second picture is made upside down."""
    from engine import text_to_image

    made: list[int] = []

    def to_rgb(original, pixels):
        made.append(1)
        return original(pixels[:, :, ::-1] if len(made) == 2 else pixels)

    yield _with(text_to_image, "to_rgb", to_rgb)


# --- devices --------------------------------------------------------------------------------------


def lost_device() -> Patches:
    from engine.checks import selftest_device

    def uploaded(original, array):
        raise RuntimeError("(External) HIP error(700), hipErrorIllegalAddress.")

    yield _with(selftest_device, "uploaded", uploaded)


def _gpu(place: str) -> Patches:
    """A library that sees a GPU, and a pretended one whose tensors lie in `place`."""
    from engine.checks import selftest_device
    from engine.device import FakeGpu

    class Pretended(selftest_device.TestedDevice):
        def current(self) -> str:
            return "gpu:0"

        def place(self, tensor: Any) -> str:
            return place

        def allocated_bytes(self) -> int:
            return self.engine_device.used_bytes  # pyright: ignore[reportAttributeAccessIssue]

        def free_bytes(self) -> int:
            return 1 << 28

    def open_device(preference: DevicePreference, index: int) -> Pretended:
        assert preference is DevicePreference.GPU
        return Pretended(FakeGpu(), index)

    seen = selftest_device.Library(name="paddle", build="ROCm", gpus=("Pretended GPU",))
    yield patch.object(selftest_device, "library", lambda: seen)
    yield patch.object(selftest_device, "open_device", open_device)


def sound_gpu() -> Patches:
    yield from _gpu("gpu:0")


def cpu_fallback() -> Patches:
    """The GPU is there and is said to compute, and the CPU does."""
    yield from _gpu("cpu")


# --- ends of the process --------------------------------------------------------------------------


def _at_copy(end: Callable[[], object]) -> Patches:
    from engine.checks import selftest_device

    def uploaded(original, array):
        if array.dtype == np.int32:
            end()
        return original(array)

    yield _with(selftest_device, "uploaded", uploaded)


def hang() -> Patches:
    yield from _at_copy(lambda: time.sleep(1000))


def abort() -> Patches:
    yield from _at_copy(os.abort)


def segmentation_fault() -> Patches:
    yield from _at_copy(lambda: os.kill(os.getpid(), signal.SIGSEGV))


def killed() -> Patches:
    yield from _at_copy(lambda: os.kill(os.getpid(), signal.SIGKILL))


def sound() -> Patches:
    yield contextlib.nullcontext()


@contextlib.contextmanager
def injected(fault: Callable[[], Patches], reference: Path, model: Path) -> Iterator[None]:
    """Within this context the device has the fault; `reference` is a picture of `model`."""
    with bootstrap.quiet_import():
        from engine.checks import golden
    with contextlib.ExitStack() as stack:
        stack.enter_context(patch.object(golden, "folder", lambda: reference))
        stack.enter_context(patch.object(golden, "starter", lambda: model))
        for change in fault():
            stack.enter_context(change)
        yield


def write_reference(place: Path, model: Path) -> None:
    """A golden picture of `model`, in `place`."""
    from engine.checks import golden

    golden.write(place, model, golden.model_defaults(model, "red", 3))


def main() -> int:
    bootstrap.prepare(bootstrap.cores())
    from engine.checks import selftest_child

    fault = globals()[os.environ["DANQING_TEST_FAULT"]]
    places = Path(os.environ["DANQING_TEST_REFERENCE"]), Path(os.environ["DANQING_TEST_MODEL"])
    with injected(fault, *places):
        return selftest_child.main(amounts=SMALL)


if __name__ == "__main__":
    sys.exit(main())
