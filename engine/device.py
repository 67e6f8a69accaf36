"""The device that computes: choosing it, its number formats, its memory, what its errors mean.

The only caller of `paddle.set_device`. Everything here runs on the engine's thread. Beside the CPU
and the GPU there is `FakeGpu`, a GPU simulated on the CPU with a memory limit and faults on demand,
so that every recovery path of a GPU runs on machines that have none.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import re
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import paddle
import psutil

from engine import bootstrap, ops
from engine.memory import Component
from engine.port import DeviceInfo, DevicePreference, EngineError, EngineFault, ErrorCode

LOW_PRECISION = "bfloat16"
FULL_PRECISION = "float32"
_SYSTEM_RESERVE_BYTES = 512 << 20

_OUT_OF_MEMORY = re.compile(
    r"ResourceExhausted|out of memory|hipErrorOutOfMemory|Cannot allocate|bad_alloc", re.IGNORECASE
)
_DEVICE_LOST = re.compile(
    r"device lost|hipErrorNoDevice|hipErrorIllegalAddress|hipErrorLaunchFailure|hipErrorUnknown|"
    r"an illegal memory access|unspecified launch failure|GPU is lost|HSA_STATUS_ERROR",
    re.IGNORECASE,
)

_NO_KERNEL = (RuntimeError, ValueError, NotImplementedError, OSError)
"""What PaddlePaddle raises where a kernel is not registered or its library refuses: errors of HIP,
MIOpen and rocBLAS ("External") arrive as OSError."""

_VAE_ONLY = frozenset({"conv2d", "conv1x1", "upsample_conv2d", "group_norm"})

log = logging.getLogger(__name__)


class Device(Protocol):
    """What the rest of the engine knows of a device."""

    info: DeviceInfo

    def activate(self) -> contextlib.AbstractContextManager[None]:
        """Operations inside the context run on this device."""
        ...

    def budget_bytes(self) -> int:
        """Bytes that a job may use now, what the engine holds already included."""
        ...

    def synchronize(self) -> None:
        """Wait until everything asked for is computed; raises what went wrong meanwhile."""
        ...

    def release_memory(self) -> None:
        """Give freed memory back, after networks were dropped."""
        ...


def library() -> str:
    """Name and version of the array library, as recorded in pictures."""
    return f"paddle {paddle.__version__}"


def choose(preference: DevicePreference, index: int, *, gpu_allowed: bool) -> tuple[Device, str]:
    """The device for this engine, and why (a reason of `DeviceChosen`).

    `gpu_allowed` is false until the system check has passed for this machine: `AUTO` then takes the
    CPU, and `GPU` is refused. A GPU that was asked for is never replaced by the CPU silently.

    Raises `EngineFault` DEVICE_UNAVAILABLE with reason `cpu_build`, `no_device`, `not_checked` or
    `no_kernels`.
    """
    if preference is DevicePreference.CPU:
        return CpuDevice(), "requested"
    reason = _why_no_gpu(index, gpu_allowed=gpu_allowed)
    if reason is None:
        return GpuDevice(index), "requested" if preference is DevicePreference.GPU else "gpu_usable"
    if preference is DevicePreference.GPU:
        raise _unavailable(f"gpu:{index}", reason)
    return CpuDevice(), "only_device" if reason == "cpu_build" else "gpu_unusable"


def _why_no_gpu(index: int, *, gpu_allowed: bool) -> str | None:
    """None if GPU `index` can be used, else the reason."""
    if not (paddle.is_compiled_with_rocm() or paddle.is_compiled_with_cuda()):
        return "cpu_build"
    if paddle.device.cuda.device_count() <= index:
        return "no_device"
    return None if gpu_allowed else "not_checked"


def _unavailable(device: str, reason: str, detail: str = "") -> EngineFault:
    facts = {"device": device, "reason": reason}
    return EngineFault(EngineError(code=ErrorCode.DEVICE_UNAVAILABLE, facts=facts, detail=detail))


def explain(error: BaseException, device: str, phase: str) -> EngineError | None:
    """The expected problem behind an exception of the array library, or None for a bug."""
    text = f"{type(error).__name__}: {error}"
    facts = {"device": device, "phase": phase}
    if isinstance(error, MemoryError) or _OUT_OF_MEMORY.search(text):
        return EngineError(code=ErrorCode.OUT_OF_MEMORY, facts=facts, detail=text)
    if _DEVICE_LOST.search(text):
        return EngineError(code=ErrorCode.DEVICE_LOST, facts=facts, detail=text)
    return None


def choose_dtypes(missing: frozenset[str]) -> Mapping[str, str]:
    """The number format of each network on a GPU, from the operations that bfloat16 lacks there.

    The transformer and the text encoder were trained in bfloat16 and need no convolution; the VAE
    does, and ROCm builds are known to lack it in bfloat16 (ENGINE.md F), so that it falls back to
    float32 by itself. A GPU without bfloat16 altogether computes in float32: float16's range has
    not been shown to be enough for these networks.
    """
    sequence = FULL_PRECISION if missing - _VAE_ONLY else LOW_PRECISION
    vae = FULL_PRECISION if missing else LOW_PRECISION
    return {
        Component.TEXT_ENCODER: sequence,
        Component.TRANSFORMER: sequence,
        Component.VAE: vae,
    }


def missing_operations(dtype: str) -> frozenset[str]:
    """Which of the operations that the networks use fail on the active device in `dtype`.

    Small operands, real kernels: "not registered" shows at the first call, whatever the size.
    """
    rng = np.random.default_rng(0)

    def sample(*shape: int) -> ops.Tensor:
        return ops.from_numpy(rng.standard_normal(shape, dtype=np.float32), dtype)

    def feature_map() -> ops.FeatureMap:
        return ops.unpacked(sample(1, 32, 8, 8), None)

    def norm() -> ops.ChannelNorm:
        return ops.group_norm(feature_map(), 4, sample(8), sample(8), 1e-6, _never)

    def attend() -> ops.Tensor:
        memory = ops.attention_memory([sample(2, 8, 64)], [sample(2, 8, 64)])
        return ops.attention(sample(2, 8, 64), memory, _never)

    def convolve() -> ops.Tensor:
        return ops.image(ops.conv2d(feature_map(), sample(8, 8, 3, 3), sample(8), _never))

    def rotate() -> ops.Tensor:
        table = ops.rotary_table(np.zeros((8, 64), np.float32), dtype)
        return ops.rotated_heads(sample(8, 128), 2, table, sample(64), 1e-6)

    def attend_to_the_past() -> ops.Tensor:
        memory = ops.attention_memory([sample(2, 8, 64)], [sample(2, 8, 64)])
        return ops.attention(sample(2, 8, 64), memory, _never, causal_from=0)

    def upsample() -> ops.Tensor:
        doubled = ops.upsample_conv2d(feature_map(), sample(8, 8, 3, 3), sample(8), _never)
        return ops.image(doubled)

    probes: Mapping[str, Callable[[], ops.Tensor]] = {
        "embedding": lambda: ops.embedding(sample(16, 64), [1, 2, 3]),
        "layer_norm": lambda: ops.layer_norm(sample(8, 64), sample(64), sample(64), 1e-6),
        "rotated_heads": rotate,
        "causal attention": attend_to_the_past,
        "add_scaled_last_": lambda: ops.add_scaled_last_(sample(8, 64), sample(64), sample(8, 64)),
        "silu_gated_": lambda: ops.silu_gated_(sample(8, 64), sample(8, 64)),
        "upsample_conv2d": upsample,
        "conv1x1": lambda: ops.image(ops.conv1x1(feature_map(), sample(8, 8, 1, 1), sample(8))),
        "linear": lambda: ops.linear(sample(8, 64), sample(32, 64)),
        "rms_norm": lambda: ops.rms_norm(sample(8, 64), sample(64), 1e-6),
        "attention": attend,
        "gelu_gated_": lambda: ops.gelu_gated_(sample(8, 64), sample(8, 64)),
        "silu": lambda: ops.silu(sample(8, 64)),
        "conv2d": convolve,
        "group_norm": lambda: ops.tokens(feature_map(), norm()),
    }
    missing = set()
    for name, probe in probes.items():
        try:
            ops.to_numpy(probe())
        except _NO_KERNEL as error:
            if explain(error, "gpu", "open") is not None:
                raise  # out of memory, or the device is lost: says nothing of the kernel
            log.info("no %s in %s: %s", name, dtype, error)
            missing.add(name)
    return frozenset(missing)


@dataclass(slots=True)
class CpuDevice:
    """The processor, in float32: PaddlePaddle's CPU build has no other kernels (ENGINE.md C)."""

    info: DeviceInfo = field(
        default_factory=lambda: DeviceInfo(
            name="cpu",
            description=f"CPU, {bootstrap.cores()} cores",
            dtypes=dict.fromkeys(Component, FULL_PRECISION),
        )
    )

    @contextlib.contextmanager
    def activate(self) -> Iterator[None]:
        paddle.set_device("cpu")
        yield

    def budget_bytes(self) -> int:
        """What is free and what this process has, less a reserve for the rest of the desktop."""
        available = psutil.virtual_memory().available
        return max(0, available + psutil.Process().memory_info().rss - _SYSTEM_RESERVE_BYTES)

    def synchronize(self) -> None:
        """Nothing to wait for: operations on the CPU are complete when they return."""

    def release_memory(self) -> None:
        gc.collect()
        bootstrap.return_freed_memory()


class GpuDevice:
    """A GPU that PaddlePaddle's ROCm (or CUDA) build can drive. Not measured on an AMD card yet."""

    def __init__(self, index: int) -> None:
        self._name = f"gpu:{index}"
        self._index = index
        with self.activate():
            missing = missing_operations(LOW_PRECISION)
            if missing and missing_operations(FULL_PRECISION):
                raise _unavailable(self._name, "no_kernels", ", ".join(sorted(missing)))
        self.info = DeviceInfo(
            name=self._name,
            description=paddle.device.cuda.get_device_name(index),
            dtypes=choose_dtypes(missing),
            missing_operations=tuple(sorted(missing)),
        )

    @contextlib.contextmanager
    def activate(self) -> Iterator[None]:
        paddle.set_device(self._name)
        yield

    def budget_bytes(self) -> int:
        """The card's memory less a tenth, for the driver, the display and fragmentation."""
        total = paddle.device.cuda.get_device_properties(self._index).total_memory
        return int(total * 0.9)

    def synchronize(self) -> None:
        paddle.device.synchronize(self._name)

    def release_memory(self) -> None:
        gc.collect()
        paddle.device.cuda.empty_cache()


class FakeGpu:
    """A GPU for tests, simulated on the CPU.

    bfloat16 tensors are stored as such and computed in float32, rounded after each operation, so
    that the number formats of a GPU run are exercised. Faults are what a real one does:

    - `memory_bytes`: an operation whose output would exceed it runs out of memory;
    - `fail_allocation`: the n-th output (1-based) runs out of memory;
    - `lose_operation`: the device is lost at the n-th operation and stays lost until `reset`;
    - `is_asynchronous`: a lost device shows only at the next synchronization or read-back;
    - `missing`: names of operations that have no bfloat16 kernel.
    """

    def __init__(
        self,
        *,
        memory_bytes: int = 1 << 40,
        fail_allocation: int | None = None,
        lose_operation: int | None = None,
        is_asynchronous: bool = False,
        missing: frozenset[str] = frozenset(),
    ) -> None:
        self.memory_bytes = memory_bytes
        self.fail_allocation: int | None = None
        self.lose_operation: int | None = None
        self.is_asynchronous = is_asynchronous
        self.missing = missing
        self.used_bytes = 0
        self.peak_bytes = 0
        self.operations = 0
        self.allocations = 0
        self.is_lost = False
        self._blocks: dict[int, tuple[int, int]] = {}
        """Address -> how many tensors share it (reshaped, or changed in place), and its bytes."""
        with self.activate():
            found = missing_operations(LOW_PRECISION)
        self.operations = self.allocations = 0  # faults are counted from here, past the probes
        self.fail_allocation = fail_allocation
        self.lose_operation = lose_operation
        self.info = DeviceInfo(
            name="gpu:0",
            description="fake",
            dtypes=choose_dtypes(found),
            missing_operations=tuple(sorted(found)),
        )

    @contextlib.contextmanager
    def activate(self) -> Iterator[None]:
        paddle.set_device("cpu")
        with ops.gpu_forms(), ops.intercept(self._run):
            yield

    def budget_bytes(self) -> int:
        return self.memory_bytes

    def synchronize(self) -> None:
        if self.is_lost:
            raise OSError("(External) HIP error(101), hipErrorNoDevice: device lost")

    def release_memory(self) -> None:
        gc.collect()

    def reset(self) -> None:
        """As after a driver's recovery: the device answers again."""
        self.is_lost = False
        self.lose_operation = None

    def _run(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """The interceptor under `ops`: count, inject the faults, emulate bfloat16."""
        self.operations += 1
        if self.operations == self.lose_operation:
            self.is_lost = True
        if self.is_lost and (not self.is_asynchronous or function.__name__ == "to_numpy"):
            self.synchronize()
        if not _is_low((*args, *kwargs.values())):
            return self._account(function(*args, **kwargs))
        if function.__name__ in self.missing:
            raise RuntimeError(
                f"(NotFound) The kernel with key (GPU, NCHW, bfloat16) of kernel "
                f"`{function.__name__}` is not registered."
            )
        if function.__name__ in ("to_numpy", "cast_to"):
            return self._account(function(*args, **kwargs))
        wide = {key: _cast(value, paddle.bfloat16, "float32") for key, value in kwargs.items()}
        result = function(*_cast(args, paddle.bfloat16, "float32"), **wide)
        return self._account(_cast(result, paddle.float32, "bfloat16"))

    def _account(self, result: Any) -> Any:
        for tensor in _tensors(result):
            self._allocate(tensor)
        return result

    def _allocate(self, tensor: Any) -> None:
        size = tensor.size * tensor.element_size()
        address = tensor.data_ptr()
        users, known = self._blocks.get(address, (0, size))
        self.allocations += 1
        is_full = not users and self.used_bytes + size > self.memory_bytes
        if self.allocations == self.fail_allocation or is_full:
            raise MemoryError(
                f"(ResourceExhausted) Out of memory error on GPU 0. Cannot allocate {size} bytes."
            )
        if not users:
            self.used_bytes += size
            self.peak_bytes = max(self.peak_bytes, self.used_bytes)
        self._blocks[address] = (users + 1, known)
        weakref.finalize(tensor, self._free, address)

    def _free(self, address: int) -> None:
        users, size = self._blocks.pop(address)
        if users > 1:
            self._blocks[address] = (users - 1, size)
        else:
            self.used_bytes -= size


def _tensors(value: Any) -> list[paddle.Tensor]:
    """Every tensor inside an operation's argument or result."""
    found: list[paddle.Tensor] = []
    ops.map_tensors(lambda leaf: found.append(leaf) or leaf if _is_tensor(leaf) else leaf, value)
    return found


def _is_tensor(leaf: Any) -> bool:
    return isinstance(leaf, paddle.Tensor)


def _is_low(value: Any) -> bool:
    return any(tensor.dtype == paddle.bfloat16 for tensor in _tensors(value))


def _cast(value: Any, before: Any, after: str) -> Any:
    def change(leaf: Any) -> Any:
        return leaf.astype(after) if _is_tensor(leaf) and leaf.dtype == before else leaf

    return ops.map_tensors(change, value)


def _never() -> None:
    """A probe is over before anybody could cancel it."""
