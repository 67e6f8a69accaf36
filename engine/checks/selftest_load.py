"""The self-test's sustained load, and the golden picture: the engine itself at work.

Separate from the single operations, since this is the program as the artist uses it: the starter
model through `engine.session`. The load runs long enough to warm the device, and everything it
computes must come out as it did at first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine import ops
from engine.catalog import Catalog
from engine.checks import golden
from engine.checks.selftest_device import TestedDevice
from engine.checks.selftest_messages import Outcome, failed, passed
from engine.checks.selftest_numbers import LARGEST_ERROR
from engine.checks.selftest_plan import Amounts
from engine.checks.selftest_sensors import Sensors, Watch
from engine.checks.selftest_words import Cause
from engine.checks.sentences import say
from engine.memory import Component
from engine.port import EngineEvent, EngineFault, ErrorCode, ModelId, Sentence, Verdict
from engine.session import Session

Alive = Callable[[], None]

_MODEL_CODES = frozenset(
    {
        ErrorCode.MODEL_MISSING,
        ErrorCode.MODEL_UNREADABLE,
        ErrorCode.MODEL_CORRUPT,
        ErrorCode.MODEL_UNSUPPORTED,
        ErrorCode.MODEL_UNSAFE,
    }
)
_ROUNDS_BETWEEN_LOOKS = 8
"""Matrix products between two looks at the clock: a look waits for the device."""


class Studio:
    """The starter model on the tested device, and the reference for it; opened at first use."""

    def __init__(self, device: TestedDevice, alive: Alive) -> None:
        self._device = device
        self._alive = alive
        self._catalog = Catalog(starter_folder=golden.starter(), model_folders=())
        self._session: Session | None = None

    def reference(self) -> golden.Reference:
        """Raises `golden.Unreadable`."""
        return golden.read(golden.folder())

    def digests(self) -> dict[str, str]:
        """Of the weights that are installed. Raises `EngineFault` of the model."""
        return golden.digests(self._catalog.folder(self._model_id()))

    def draw(self, reference: golden.Reference) -> golden.Pixels:
        """The picture of the reference's settings, made here and now."""
        if self._session is None:
            self._session = Session(self._device.engine_device, self._catalog)
        return golden.draw(self._session, reference.request(self._model_id()), self._hear)

    def _model_id(self) -> ModelId:
        return self._catalog.find(str(golden.starter())).model_id

    def _hear(self, event: EngineEvent) -> None:
        self._alive()


def _unusable(error: Exception) -> Outcome | None:
    """The outcome when model or reference is not there to judge by: nobody's fault but ours."""
    if isinstance(error, golden.Unreadable):
        cause = Cause.REFERENCE_MISSING
    elif isinstance(error, EngineFault) and error.error.code in _MODEL_CODES:
        cause = Cause.MODEL_UNUSABLE
    else:
        return None
    return Outcome(
        verdict=Verdict.UNKNOWN,
        measured=say("could not be judged"),
        cause=cause,
        detail=str(error),
    )


# --- load -----------------------------------------------------------------------------------------


def load(
    device: TestedDevice, studio: Studio, sensors: Sensors, amounts: Amounts, alive: Alive
) -> Outcome:
    """Matrix products, then pictures, each for half of the time; all must repeat the first one."""
    try:
        reference = studio.reference()
        first = studio.draw(reference)  # compiles and loads what pictures need
    except (golden.Unreadable, EngineFault) as error:
        if outcome := _unusable(error):
            return outcome
        raise
    with Watch(sensors) as heating, device.activate():
        products = _multiply(device, amounts, alive)
    if not products.is_steady:
        return _unsteady(say("a matrix product changed under load"))
    with Watch(sensors) as drawing:
        start = time.perf_counter()
        count = 0
        while count == 0 or time.perf_counter() - start < amounts.load_s / 2:
            likeness = golden.compare(studio.draw(reference), first)
            count += 1
            if not likeness.is_enough(compute_dtype(device)):
                psnr = f"{likeness.psnr_db:.0f}"
                return _unsteady(
                    say("picture {number} changed: {psnr} dB", number=count, psnr=psnr)
                )
        rate = count / (time.perf_counter() - start)
    return passed(summary(rate, products.tflops, heating, drawing), _STEADY)


_STEADY = say("every result as the first one")


def _unsteady(measured: Sentence) -> Outcome:
    return failed(Cause.UNSTABLE, measured, _STEADY)


@dataclass(frozen=True, slots=True)
class _Products:
    is_steady: bool
    tflops: float


def _multiply(device: TestedDevice, amounts: Amounts, alive: Alive) -> _Products:
    """Large matrix products, over and over, each compared with the first on the device."""
    dtype, side = compute_dtype(device, Component.TRANSFORMER), amounts.load_matmul
    rng = np.random.default_rng(7)
    x, weight = (
        ops.from_numpy(rng.standard_normal((side, side), dtype=np.float32), dtype) for _ in range(2)
    )
    first = ops.linear(x, weight)
    scale = _square_sum(first)
    device.synchronize()
    start = time.perf_counter()
    rounds, is_steady = 0, True
    while is_steady and (rounds == 0 or time.perf_counter() - start < amounts.load_s / 2):
        again = ops.linear(x, weight)
        for _ in range(_ROUNDS_BETWEEN_LOOKS - 1):
            again = ops.linear(x, weight)
        rounds += _ROUNDS_BETWEEN_LOOKS
        difference = _square_sum(ops.add_(ops.scale_(again, -1.0), first))
        is_steady = bool(difference <= scale * (LARGEST_ERROR[dtype] / 10) ** 2)  # not if it is NaN
        alive()
    seconds = time.perf_counter() - start
    return _Products(is_steady, 2 * side**3 * rounds / seconds / 1e12)


def _square_sum(x: ops.Tensor) -> float:
    """The sum of squares: on the device up to one number for each row."""
    wide = ops.cast_to(x, "float32")
    ones = ops.from_numpy(np.ones((1, x.shape[1]), np.float32))
    return float(ops.to_numpy(ops.linear(ops.multiply(wide, wide), ones)).sum(dtype=np.float64))


def summary(rate: float, tflops: float, heating: Watch, drawing: Watch) -> Sentence:
    """What the load measured; sensors that are not there are left out."""
    values = {"rate": f"{rate:.2f}", "tflops": f"{tflops:.2f}"}
    sensors = ", ".join(_sensors(heating))
    power = drawing.mean(lambda reading: reading.power_w)
    if power:
        return say(
            "{rate} pictures/s, {efficiency} pictures/s per watt, {tflops} TFLOP/s; {sensors}",
            **values,
            efficiency=f"{rate / power:.4f}",
            sensors=sensors,
        )
    if sensors:
        return say("{rate} pictures/s, {tflops} TFLOP/s; {sensors}", **values, sensors=sensors)
    return say("{rate} pictures/s, {tflops} TFLOP/s; no sensors to be read", **values)


def _sensors(watch: Watch) -> Iterator[str]:
    """The hottest temperature, the highest power, the mean clocks: units that need no words."""
    for value, unit in (
        (watch.highest(lambda reading: reading.temperature_c), "°C"),
        (watch.highest(lambda reading: reading.power_w), "W"),
        (watch.mean(lambda reading: reading.core_mhz), "MHz"),
        (watch.mean(lambda reading: reading.memory_mhz), "MHz (mem)"),
    ):
        if value is not None:
            yield f"{value:.0f} {unit}"


# --- golden picture -------------------------------------------------------------------------------


def golden_picture(device: TestedDevice, studio: Studio) -> Outcome:
    """The reference's picture, made here, compared with the reference."""
    dtype = compute_dtype(device)
    expected = say(
        "at least {psnr} dB, channel means at most {mean} of 255 off",
        psnr=f"{golden.LEAST_PSNR_DB[dtype]:.0f}",
        mean=f"{golden.LARGEST_MEAN_DIFFERENCE:.0f}",
    )
    try:
        reference = studio.reference()
        if studio.digests() != reference.sha256:
            return Outcome(
                verdict=Verdict.UNKNOWN,
                measured=say("the reference and the weights do not belong together"),
                expected=expected,
                cause=Cause.OTHER_WEIGHTS,
            )
        picture = studio.draw(reference)
    except (golden.Unreadable, EngineFault) as error:
        if outcome := _unusable(error):
            return outcome
        raise
    likeness = golden.compare(picture, reference.pixels)
    measured = say(
        "{psnr} dB, channel means at most {mean} of 255 off",
        psnr=f"{likeness.psnr_db:.1f}",
        mean=f"{likeness.mean_difference:.2f}",
    )
    if likeness.is_enough(dtype):
        return passed(measured, expected)
    cause = Cause.UNIFORM_PICTURE if likeness.is_uniform else Cause.OTHER_PICTURE
    return failed(cause, measured, expected)


def compute_dtype(device: TestedDevice, *components: Component) -> str:
    """The coarsest format that these networks (all of them, if none is named) compute in."""
    formats = device.engine_device.info.dtypes
    used = {formats[component] for component in components or tuple(Component)}
    return next(iter(used - {"float32"}), "float32")
