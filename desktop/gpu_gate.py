"""What the check of the machine means for making pictures: on which device, and why not the GPU.

Owned here: the way from a report to what the engine is told, and which device the self-test takes,
so that the window and the command line cannot answer differently. Qt-free; the rule of the gate
itself is the engine's.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Sequence

from desktop import check_texts
from desktop.messages import Message
from engine.port import (
    ChooseDevice,
    DevicePreference,
    EngineError,
    EngineFault,
    ErrorCode,
    Gate,
    MachineCheck,
    Report,
    SelfTest,
    SelfTestResult,
    SelfTestStep,
)

log = logging.getLogger(__name__)

_REMEDIES = {
    Gate.BLOCKED: "danqing check says what to do; --device cpu works on every machine.",
    Gate.NEEDS_SELFTEST: "Run danqing selftest, or use --device cpu.",
    Gate.NEEDS_ACKNOWLEDGEMENT: "Read them with danqing check, then: danqing check --acknowledge",
}


class Refused(Exception):
    """The GPU was asked for and may not be used; `message` says why and what to do."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


def choose(
    preference: DevicePreference,
    index: int | None,
    *,
    has_gpu_code: bool,
    open_check: Callable[[], MachineCheck],
    open_selftest: Callable[[], SelfTest],
) -> ChooseDevice:
    """The device for a command; an `index` of None is the GPU that the check has chosen.

    The machine is checked only where the answer depends on it: not for the CPU, nor for `AUTO` with
    a PaddlePaddle that has no GPU code. Raises `Refused`.
    """
    if preference is DevicePreference.CPU:
        return ChooseDevice(preference=preference)
    if preference is DevicePreference.AUTO and not has_gpu_code:
        return ChooseDevice()
    try:
        report = open_check().check()
    except Exception:
        if preference is not DevicePreference.AUTO:
            raise
        log.exception("the machine could not be checked: the CPU is used")  # it is never gated
        return ChooseDevice(preference=DevicePreference.CPU)
    test = open_selftest()
    if preference is DevicePreference.AUTO:
        return of_report(report, test)
    if not report.allowed:
        reason = check_texts.gate_reason(report)
        raise Refused(Message(summary=f"--device gpu: {reason}", remedy=_REMEDIES[report.gate]))
    proved = proved_index(report, test)
    if index is None:
        if proved is None:
            raise Refused(_which_gpu("which of the GPUs was checked cannot be told"))
        index = proved
    elif index != proved:  # an override, too, is given for the chosen GPU
        which = f"the check stands for GPU {proved}" if proved is not None else "it was not checked"
        raise Refused(_which_gpu(f"gpu:{index} may not be used: {which}"))
    return ChooseDevice(preference=preference, index=index, check=report.record)


def _which_gpu(problem: str) -> Message:
    return Message(
        summary=f"--device gpu: {problem}.",
        remedy="Use --device gpu, or make one GPU visible only.",
    )


def of_report(report: Report, test: SelfTest) -> ChooseDevice:
    """What the engine is told of a report where nobody has asked for a device."""
    index = proved_index(report, test)
    if index is not None:
        return ChooseDevice(index=index, check=report.record)
    if report.allowed:
        log.warning("the GPU is not used: its number cannot be told (%s)", report.chosen_gpu)
    return ChooseDevice(preference=DevicePreference.CPU, check=report.record)


def proved_index(report: Report, test: SelfTest) -> int | None:
    """The engine's number of the GPU that the report is about; None if that cannot be told.

    With an override and no GPU chosen, the first: whoever opened the gate wants to see it fail.
    """
    if report.chosen_gpu is None:
        return 0 if report.is_overridden else None
    return test.index_of(report.chosen_gpu)


# --- the self-test --------------------------------------------------------------------------------


def selftest_target(report: Report, test: SelfTest) -> tuple[DevicePreference, int]:
    """The chosen GPU if nothing speaks against it, else the CPU.

    Raises `EngineFault` DEVICE_UNAVAILABLE if the chosen GPU's number cannot be told: a test of
    another one proves nothing.
    """
    usable = any(gpu.key == report.chosen_gpu and gpu.is_usable for gpu in report.gpus)
    if not usable:
        return DevicePreference.CPU, 0
    return DevicePreference.GPU, index_to_test(report, test)


def index_to_test(report: Report, test: SelfTest) -> int:
    """The number of the chosen GPU, 0 where none is chosen. Raises as `selftest_target` does."""
    index = proved_index(report, test)
    if index is None and report.chosen_gpu is not None:
        facts = {"device": f"GPU {report.chosen_gpu}", "reason": "number_unknown"}
        raise EngineFault(EngineError(code=ErrorCode.DEVICE_UNAVAILABLE, facts=facts))
    return index or 0


def is_about(report: Report, test: SelfTest, device: DevicePreference, index: int) -> bool:
    """Whether this is the GPU that the report is about: another's result must not open its gate."""
    return (
        device is DevicePreference.GPU
        and report.chosen_gpu is not None
        and proved_index(report, test) == index
    )


def result_of(steps: Sequence[SelfTestStep], test: SelfTest, report: Report) -> SelfTestResult:
    """What is kept of a self-test that is over, for the report's combination."""
    return SelfTestResult(
        verdict=test.verdict_of(steps),
        finished=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        combination=report.combination,
        steps=tuple(steps),
    )
