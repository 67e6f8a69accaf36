"""What the self-test needs of PaddlePaddle beyond the operations of `engine.ops`.

The places of tensors, the bytes that are really allocated, whole numbers for memory patterns, and
what the library sees of the machine. Separate so that the steps themselves know no library, and so
that a test can put a faulty device in the place of a sound one. Runs in the self-test's child
process only.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import numpy as np
import paddle
import psutil

from engine import device as devices
from engine import ops
from engine.port import DevicePreference


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """What PaddlePaddle is and sees: `build` is `ROCm`, `CUDA` or `CPU`, `gpus` are names."""

    name: str
    build: str
    gpus: tuple[str, ...]


def library() -> Library:
    """The installed PaddlePaddle; asks it for its GPUs."""
    build = "CPU"
    if paddle.is_compiled_with_rocm():
        build = "ROCm"
    elif paddle.is_compiled_with_cuda():
        build = "CUDA"
    gpus: tuple[str, ...] = ()
    if build != "CPU":
        count = paddle.device.cuda.device_count()
        gpus = tuple(paddle.device.cuda.get_device_name(index) for index in range(count))
    return Library(name=devices.library(), build=build, gpus=gpus)


class TestedDevice:
    """A device of the engine, opened, with what the self-test asks of it besides."""

    __test__ = False  # its name is no test's

    def __init__(self, device: devices.Device, index: int) -> None:
        self.engine_device = device
        self.index = index

    @property
    def is_gpu(self) -> bool:
        return self.engine_device.info.name.startswith("gpu")

    def activate(self) -> contextlib.AbstractContextManager[None]:
        return self.engine_device.activate()

    def synchronize(self) -> None:
        self.engine_device.synchronize()

    def release_memory(self) -> None:
        self.engine_device.release_memory()

    def current(self) -> str:
        """The device that PaddlePaddle says it computes on."""
        return paddle.device.get_device()

    def place(self, tensor: ops.Tensor) -> str:
        """Where a tensor really lies: `cpu` or `gpu:N`."""
        place = tensor.place
        if place.is_gpu_place():
            return f"gpu:{place.gpu_device_id()}"
        return "cpu" if place.is_cpu_place() else str(place)

    def allocated_bytes(self) -> int:
        """Bytes in use on the GPU by this process; on the CPU its resident memory."""
        if self.is_gpu:
            return paddle.device.cuda.memory_allocated(self.index)
        return psutil.Process().memory_info().rss

    def total_bytes(self) -> int:
        """The memory that the library says the device has."""
        if self.is_gpu:
            return paddle.device.cuda.get_device_properties(self.index).total_memory
        return psutil.virtual_memory().total

    def free_bytes(self) -> int:
        """Bytes that are free by the library's account; on a GPU other programs' are not known."""
        if self.is_gpu:
            return self.total_bytes() - self.allocated_bytes()
        return psutil.virtual_memory().available


def open_device(preference: DevicePreference, index: int) -> TestedDevice:
    """The device as the engine opens it. Raises `EngineFault` DEVICE_UNAVAILABLE.

    The gate does not apply: this is the test that opens it.
    """
    device, _ = devices.choose(preference, index, gpu_allowed=True)
    return TestedDevice(device, index)


def is_missing_kernel(error: BaseException) -> bool:
    """Whether PaddlePaddle says that it lacks a kernel, not that one failed."""
    text = str(error)
    return "is not registered" in text or "not supported" in text or "(Unimplemented)" in text


# --- memory patterns ------------------------------------------------------------------------------


@ops.operation
def counting(count: int) -> ops.Tensor:
    """0, 1, ... as int32."""
    return paddle.arange(count, dtype="int32")


@ops.operation
def marked(numbers: ops.Tensor, word: int) -> ops.Tensor:
    """A new tensor of `numbers` XOR the 32 bits of `word`."""
    return paddle.bitwise_xor(numbers, _word(word))


@ops.operation
def inverted_(numbers: ops.Tensor) -> ops.Tensor:
    """Every bit turned over, in the same memory."""
    return paddle.bitwise_not_(numbers)


@ops.operation
def count_unlike(numbers: ops.Tensor, base: ops.Tensor, word: int) -> int:
    """How many of `numbers` are not `base` XOR `word`; waits for the device."""
    is_wrong = paddle.not_equal(paddle.bitwise_xor(numbers, base), _word(word))
    if not bool(is_wrong.any()):
        return 0
    return int(is_wrong.astype("int64").sum())


def _word(word: int) -> ops.Tensor:
    signed = np.uint32(word & 0xFFFFFFFF).astype(np.int32)
    return paddle.to_tensor(signed.reshape(1))


# --- copies ---------------------------------------------------------------------------------------


@ops.operation
def uploaded(array: np.ndarray) -> ops.Tensor:
    """A copy of `array` on the current device, in its own dtype."""
    return paddle.to_tensor(array)


@ops.operation
def downloaded(tensor: ops.Tensor) -> np.ndarray:
    """A copy in the computer's memory, in the tensor's own dtype; waits for the device."""
    return tensor.numpy()


@ops.operation
def duplicated(tensor: ops.Tensor) -> ops.Tensor:
    """A copy on the same device."""
    return tensor.clone()


@ops.operation
def filled(count: int, value: float) -> ops.Tensor:
    """`count` float32 numbers of one value."""
    return paddle.full([count], value, dtype="float32")


@ops.operation
def total(tensor: ops.Tensor) -> float:
    """The sum in float64; waits for the device."""
    return float(tensor.astype("float64").sum())
