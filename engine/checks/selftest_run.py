"""One self-test of one device: what each step does, and what to make of an error in it.

Runs in a process of its own (`engine.checks.selftest_child`), since a fault of a GPU ends the
process that meets it. Separate from that process, so that a test can take the steps one by one.
PaddlePaddle is imported by the first step, whose row it is when that fails.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine import bootstrap
from engine.checks import device_table
from engine.checks import selftest_plan as plan
from engine.checks.selftest_messages import (
    Alive,
    Begun,
    Done,
    Message,
    Outcome,
    failed,
    passed,
)
from engine.checks.selftest_words import Cause
from engine.checks.sentences import listed, say
from engine.port import DevicePreference, EngineFault, ErrorCode, Verdict

if TYPE_CHECKING:
    from engine.checks.selftest_device import TestedDevice
    from engine.checks.selftest_load import Studio
    from engine.checks.selftest_sensors import Sensors

Send = Callable[[Message], None]

_DETAIL_CHARACTERS = 1000
_SIGN_INTERVAL_S = 0.5
_LARGE = (plan.MEMORY, plan.FULL_MEMORY, plan.BANDWIDTH)
"""Steps that leave gigabytes behind, freed but kept by the allocator."""

_UNAVAILABLE: Mapping[str, Cause] = {
    "cpu_build": Cause.CPU_BUILD,
    "no_device": Cause.NO_GPU,
    "no_kernels": Cause.NO_KERNELS,
}


class Run:
    """One self-test of one device; `device` is open once its step has passed."""

    def __init__(
        self,
        preference: DevicePreference,
        index: int,
        send: Send,
        amounts: plan.Amounts | None = None,
    ) -> None:
        self._preference = preference
        self._index = index
        self._send = send
        self._given_amounts = amounts
        self._last_sign = 0.0
        self._device: TestedDevice | None = None
        self._studio: Studio | None = None
        self._steps: dict[str, Callable[[], Outcome]] = dict(self._table())

    def steps(self, names: Iterable[str]) -> None:
        """Do these steps in this order and report each; after a lost device, none of the rest."""
        is_lost = False
        for name in names:
            if is_lost or (self._device is None and name not in (plan.ENUMERATE, plan.DEVICE)):
                self._send(_not_reached(name))
                continue
            self._send(Begun(name))
            start = time.perf_counter()
            outcome = self._outcome(name)
            seconds = time.perf_counter() - start
            self._send(_finished(outcome, name, seconds))
            is_lost = outcome.cause is Cause.DEVICE_LOST or (
                name == plan.ENUMERATE and outcome.verdict is not Verdict.PASS
            )
        self._send(Done())

    def open_silently(self) -> None:
        """Open the device for steps that follow in a second process."""
        load_library()
        from engine.checks import selftest_device

        self._device = selftest_device.open_device(self._preference, self._index)

    def _outcome(self, name: str) -> Outcome:
        """What a step found, or what kept it from finding anything."""
        try:
            outcome = self._run_step(name)
        except (ImportError, EngineFault, RuntimeError, ValueError, OSError, MemoryError) as error:
            return self._explained(error)
        except Exception as error:  # noqa: BLE001 - the border: a bug is a row, the rest goes on
            return _failed(Cause.BUG, error, Verdict.CRASHED)
        return outcome

    def _run_step(self, name: str) -> Outcome:
        device = self._device
        if device is None or name in (plan.LOAD, plan.GOLDEN):  # the engine activates by itself
            return self._steps[name]()
        with device.activate():
            outcome = self._steps[name]()
            device.synchronize()
        if name in _LARGE:
            device.release_memory()
        return outcome

    def _explained(self, error: Exception) -> Outcome:
        if isinstance(error, ImportError):
            return _failed(Cause.LIBRARY_MISSING, error)
        from engine import device as devices

        name = self._device.engine_device.info.name if self._device else "gpu"
        fault = (
            error.error
            if isinstance(error, EngineFault)
            else devices.explain(error, name, "selftest")
        )
        if fault is None:
            return _failed(Cause.LIBRARY_ERROR, error)
        match fault.code:
            case ErrorCode.DEVICE_UNAVAILABLE:
                cause = _UNAVAILABLE.get(str(fault.facts.get("reason")), Cause.LIBRARY_ERROR)
            case ErrorCode.OUT_OF_MEMORY:
                cause = Cause.SHORT_MEMORY
            case ErrorCode.DEVICE_LOST:
                cause = Cause.DEVICE_LOST
            case ErrorCode.NON_FINITE_LATENT:
                cause = Cause.NOT_FINITE
            case _:
                cause = Cause.LIBRARY_ERROR
        return _failed(cause, error)

    # --- the steps --------------------------------------------------------------------------------

    def _table(self) -> Iterator[tuple[str, Callable[[], Outcome]]]:
        yield plan.ENUMERATE, self._enumerate
        yield plan.DEVICE, self._open
        yield plan.ALLOCATE, self._allocate
        yield plan.COPY, self._copy
        for operation in plan.OPERATIONS:
            for dtype in plan.DTYPES:
                yield plan.operation_step(operation, dtype), self._operation(operation, dtype)
        yield plan.MEMORY, self._quick_pattern
        yield plan.FULL_MEMORY, self._full_pattern
        yield plan.BANDWIDTH, self._bandwidth
        yield plan.LOAD, self._load
        yield plan.GOLDEN, self._golden

    def _enumerate(self) -> Outcome:
        load_library()
        from engine.checks import selftest_device

        found = selftest_device.library()
        values = {"library": found.name, "build": found.build, "gpus": listed(found.gpus)}
        measured = (
            say("{library}, {build} build; {gpus}", **values)
            if found.gpus
            else say("{library}, {build} build; no GPU", **values)
        )
        if self._preference is not DevicePreference.GPU:
            return passed(measured, say("PaddlePaddle"))
        expected = say("GPU {index}", index=self._index)
        if len(found.gpus) <= self._index:
            cause = Cause.CPU_BUILD if found.build == "CPU" else Cause.NO_GPU
            return failed(cause, measured, expected)
        return passed(measured, expected)

    def _open(self) -> Outcome:
        """Where results lie is looked at, not what was asked for."""
        import numpy as np

        from engine import ops
        from engine.checks import selftest_device

        device = selftest_device.open_device(self._preference, self._index)
        with device.activate():
            new = ops.from_numpy(np.ones((8, 8), np.float32))
            result = ops.linear(new, new)
            device.synchronize()
            said, lies = device.current(), (device.place(new), device.place(result))
        values = {"said": said, "tensor": lies[0], "result": lies[1]}
        if self._preference is DevicePreference.CPU:
            measured = say(
                "CPU, {cores} cores; device {said}, new tensors on {tensor}, results on {result}",
                cores=bootstrap.cores(),
                **values,
            )
        else:
            measured = say(
                "{description}; device {said}, new tensors on {tensor}, results on {result}",
                description=device.engine_device.info.description,
                **values,
            )
        wanted = f"gpu:{self._index}" if self._preference is DevicePreference.GPU else said
        expected = say("everything on {wanted}", wanted=wanted)
        if {said, *lies} != {wanted}:
            is_fallback = "cpu" in {said, *lies}
            cause = Cause.CPU_FALLBACK if is_fallback else Cause.LIBRARY_ERROR
            return failed(cause, measured, expected)
        self._device = device
        return passed(measured, expected)

    def _allocate(self) -> Outcome:
        from engine.checks import selftest_memory

        return selftest_memory.allocate(self._opened, self._amounts)

    def _copy(self) -> Outcome:
        from engine.checks import selftest_memory

        return selftest_memory.copy(self._opened, self._amounts)

    def _operation(self, operation: str, dtype: str) -> Callable[[], Outcome]:
        def compute() -> Outcome:
            from engine.checks import selftest_numbers

            return selftest_numbers.judge_operation(
                operation, dtype, self._amounts, is_gpu=self._opened.is_gpu
            )

        return compute

    def _quick_pattern(self) -> Outcome:
        from engine.checks import selftest_memory

        wanted = selftest_memory.quick_bytes(self._free_bytes(), self._amounts)
        return selftest_memory.pattern(self._opened, wanted, self._amounts.chunk_bytes, self._alive)

    def _full_pattern(self) -> Outcome:
        from engine.checks import selftest_memory

        wanted = selftest_memory.full_bytes(self._opened, self._free_bytes())
        return selftest_memory.pattern(self._opened, wanted, self._amounts.chunk_bytes, self._alive)

    def _bandwidth(self) -> Outcome:
        from engine.checks import selftest_memory, selftest_sensors

        sensors = self._sensors()
        nominal = None
        if isinstance(sensors, selftest_sensors.GpuSensors):
            rows = device_table.find(*sensors.pci_id())
            nominal = rows[0].bandwidth_gbps if rows else None
        return selftest_memory.bandwidth(self._opened, self._amounts, nominal)

    def _load(self) -> Outcome:
        from engine.checks import selftest_load

        return selftest_load.load(
            self._opened, self._opened_studio(), self._sensors(), self._amounts, self._alive
        )

    def _golden(self) -> Outcome:
        from engine.checks import selftest_load

        return selftest_load.golden_picture(self._opened, self._opened_studio())

    # --- what the steps share ---------------------------------------------------------------------

    @property
    def _opened(self) -> TestedDevice:
        assert self._device is not None, "its step came first"
        return self._device

    @property
    def _amounts(self) -> plan.Amounts:
        if self._given_amounts is not None:
            return self._given_amounts
        return plan.GPU_AMOUNTS if self._opened.is_gpu else plan.CPU_AMOUNTS

    def _opened_studio(self) -> Studio:
        if self._studio is None:
            from engine.checks import selftest_load

            self._studio = selftest_load.Studio(self._opened, self._alive)
        return self._studio

    def _sensors(self) -> Sensors:
        from engine.checks import selftest_sensors

        if not self._opened.is_gpu:
            return selftest_sensors.CpuSensors(Path("/"))
        return selftest_sensors.gpu_sensors(self._index) or selftest_sensors.NoSensors()

    def _free_bytes(self) -> int:
        """What is free on the device; the kernel knows of other programs, the library does not."""
        from engine.checks import selftest_sensors

        if self._opened.is_gpu:
            sensors = selftest_sensors.gpu_sensors(self._index)
            free = sensors.free_bytes() if sensors is not None else None
            if free is not None:
                return free
        return self._opened.free_bytes()

    def _alive(self) -> None:
        """A sign of life, twice a second at most."""
        now = time.monotonic()
        if now - self._last_sign >= _SIGN_INTERVAL_S:
            self._last_sign = now
            self._send(Alive())


def _finished(outcome: Outcome, name: str, seconds: float) -> Outcome:
    return dataclasses.replace(outcome, name=name, seconds=round(seconds, 3))


def _not_reached(name: str) -> Outcome:
    return Outcome(
        name=name,
        verdict=Verdict.UNKNOWN,
        measured=say("not run"),
        cause=Cause.NOT_REACHED,
    )


def _failed(cause: Cause, error: Exception, verdict: Verdict = Verdict.FAIL) -> Outcome:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return Outcome(
        verdict=verdict,
        measured=say("ended with an error"),
        cause=cause,
        detail=text[-_DETAIL_CHARACTERS:],
    )


def load_library() -> None:
    """Import PaddlePaddle, and take back the fatal signals that it claims: stacks go to stderr."""
    with bootstrap.quiet_import():
        from engine.checks import selftest_device  # noqa: F401 - for what importing it does
    faulthandler.disable()
    faulthandler.enable()
