"""Why a step of the self-test did not pass: the causes, what each means and what to do about it.

Separate from the steps, which measure and name a cause, and from both processes: the child sends
the cause's name, the parent puts the words to it. English, translated by the desktop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from engine.checks.sentences import say
from engine.port import Sentence


class Cause(StrEnum):
    """What kept a step from passing."""

    NO_GPU = "no_gpu"
    CPU_BUILD = "cpu_build"
    NO_KERNELS = "no_kernels"
    CPU_FALLBACK = "cpu_fallback"
    SHORT_MEMORY = "short_memory"
    CORRUPT_MEMORY = "corrupt_memory"
    CORRUPT_COPY = "corrupt_copy"
    WRONG_RESULT = "wrong_result"
    NOT_FINITE = "not_finite"
    MISSING_KERNEL = "missing_kernel"
    UNSTABLE = "unstable"
    UNIFORM_PICTURE = "uniform_picture"
    OTHER_PICTURE = "other_picture"
    OTHER_WEIGHTS = "other_weights"
    REFERENCE_MISSING = "reference_missing"
    MODEL_UNUSABLE = "model_unusable"
    DEVICE_LOST = "device_lost"
    LIBRARY_ERROR = "library_error"
    LIBRARY_MISSING = "library_missing"
    HUNG = "hung"
    ABORTED = "aborted"
    SEGMENTATION_FAULT = "segmentation_fault"
    ILLEGAL_INSTRUCTION = "illegal_instruction"
    KILLED = "killed"
    ENDED = "ended"
    NOT_STARTED = "not_started"
    NOT_REACHED = "not_reached"
    CANCELLED = "cancelled"
    BUG = "bug"


@dataclass(frozen=True, slots=True)
class Words:
    """What a cause means, and the steps that help, most likely first."""

    meaning: Sentence
    fix: tuple[Sentence, ...] = ()


def _words(meaning: Sentence, *fix: Sentence) -> Words:
    return Words(meaning, fix)


_SEE_CHECK = say("Look at the rows of the system check that are not green; they name the fix.")
_UPDATE = say("Update the kernel, the amdgpu firmware and ROCm, then restart the computer.")
_REPORT = say("If it happens again, save the report and open an issue with it.")
_BUILD = say("Install a PaddlePaddle that was built with ROCm for this GPU.")
_OVERRIDE = say("Unset HSA_OVERRIDE_GFX_VERSION if it is set.")
_REINSTALL = say("Install Danqing again; it brings the starter model and its reference picture.")
_REWRITE = say("In a working copy: python -m engine.checks.golden --write")
_COOL = say("Check cooling and power supply, and undo any overclocking or undervolting.")

WORDS: Mapping[Cause, Words] = {
    Cause.NO_GPU: _words(say("PaddlePaddle sees no GPU with this number."), _SEE_CHECK),
    Cause.CPU_BUILD: _words(
        say("This PaddlePaddle was built for the CPU only; it cannot use a GPU."),
        _BUILD,
    ),
    Cause.NO_KERNELS: _words(
        say("The GPU is there, but this PaddlePaddle has no kernels that run on it."),
        _BUILD,
        _OVERRIDE,
    ),
    Cause.CPU_FALLBACK: _words(
        say("The GPU was asked for, but the results lie in main memory: the CPU computed them."),
        _BUILD,
        _SEE_CHECK,
    ),
    Cause.SHORT_MEMORY: _words(
        say("Less memory could be had than there should be."),
        say("Close other programs that use the device, and run the self-test again."),
        _SEE_CHECK,
    ),
    Cause.CORRUPT_MEMORY: _words(
        say("Memory did not hold what was written to it: it is faulty, or not really there."),
        _COOL,
        say("If it happens again, the memory is defective: have it replaced."),
    ),
    Cause.CORRUPT_COPY: _words(
        say("Data changed on its way to the device and back."),
        say("Seat the card again, without a riser; try a lower PCIe generation in the BIOS."),
        _COOL,
    ),
    Cause.WRONG_RESULT: _words(
        say("The device computed a wrong result: pictures made with it would be wrong too."),
        _OVERRIDE,
        _UPDATE,
        _COOL,
    ),
    Cause.NOT_FINITE: _words(
        say("A result is not a number: pictures made with it would be black."),
        _OVERRIDE,
        _UPDATE,
    ),
    Cause.MISSING_KERNEL: _words(
        say("PaddlePaddle has no kernel for this operation in this number format on this device."),
        _BUILD,
    ),
    Cause.UNSTABLE: _words(
        say("The same computation gave different results under load: heat, power or memory."), _COOL
    ),
    Cause.UNIFORM_PICTURE: _words(
        say("The picture is of one colour, as when a number overflows or a kernel does nothing."),
        _OVERRIDE,
        _UPDATE,
        _REPORT,
    ),
    Cause.OTHER_PICTURE: _words(
        say("The picture is not the one that a sound device makes."), _UPDATE, _COOL, _REPORT
    ),
    Cause.OTHER_WEIGHTS: _words(
        say("The reference picture was made with other weights than the starter model has now."),
        _REINSTALL,
        _REWRITE,
    ),
    Cause.REFERENCE_MISSING: _words(
        say("The reference picture is missing or cannot be read."),
        _REINSTALL,
        _REWRITE,
    ),
    Cause.MODEL_UNUSABLE: _words(
        say("The starter model is missing or cannot be read."),
        _REINSTALL,
    ),
    Cause.DEVICE_LOST: _words(
        say("The device stopped answering."), say("Restart the computer."), _UPDATE, _COOL
    ),
    Cause.LIBRARY_ERROR: _words(say("PaddlePaddle reported an error."), _UPDATE, _REPORT),
    Cause.LIBRARY_MISSING: _words(
        say("PaddlePaddle cannot be loaded."),
        say("Install Danqing again, or PaddlePaddle by itself."),
    ),
    Cause.HUNG: _words(
        say("There was no sign of life for too long; the test was ended."),
        say("Restart the computer before the GPU is used again."),
        _UPDATE,
        _COOL,
    ),
    Cause.ABORTED: _words(
        say("The GPU's software stopped the program (abort), as it does on any fault of the GPU."),
        _OVERRIDE,
        _SEE_CHECK,
        _UPDATE,
    ),
    Cause.SEGMENTATION_FAULT: _words(
        say("The program crashed inside a library."),
        say("Look for libraries of another ROCm in LD_LIBRARY_PATH."),
        _UPDATE,
        _REPORT,
    ),
    Cause.ILLEGAL_INSTRUCTION: _words(
        say("PaddlePaddle uses an instruction that this processor does not have."),
        say("Install a PaddlePaddle that was built for this processor."),
    ),
    Cause.KILLED: _words(
        say("The system ended the test: most often because the computer's memory ran out."),
        say("Close other programs, and run the self-test again."),
    ),
    Cause.ENDED: _words(say("The test's process ended before its work was done."), _REPORT),
    Cause.NOT_STARTED: _words(say("The test's process could not be started."), _REPORT),
    Cause.NOT_REACHED: _words(say("Not run, because an earlier step failed.")),
    Cause.CANCELLED: _words(say("Not run, because the self-test was stopped.")),
    Cause.BUG: _words(say("The test itself failed: a bug in Danqing."), _REPORT),
}
