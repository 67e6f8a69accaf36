"""How far a job is and how long it will take: events in, a fraction and seconds out.

Pure arithmetic over the engine's events and the clock, shared by the terminal and the window. Times
are learnt from the job itself: a step costs what the steps so far cost, a decode what the decode
before cost. Until the first decode was seen it counts as a few steps, which keeps the bar honest:
it does not stand at its end while the picture is still being developed.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.port import (
    ImageCompleted,
    JobEvent,
    JobStarted,
    Phase,
    PhaseStarted,
    StepCompleted,
    TileDecoded,
)

_DECODE_IN_STEPS = 3.0
"""A decode in units of one step, before one was measured."""

_STEPS_FOR_ETA = 2
"""The first step of a job pays for warming up, so one step is no measure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """`fraction` of the whole job, 0 .. 1; `remaining_s` is None until there is a measure."""

    phase: Phase | None
    fraction: float
    remaining_s: float | None
    image_index: int
    image_count: int
    step: int
    steps: int
    tile: int
    tiles: int


class ProgressEstimate:
    """Follows one job. `now_s` is any clock that only goes forward."""

    def __init__(self) -> None:
        self._phase: Phase | None = None
        self._image_count = 1
        self._image_index = 0
        self._step = 0
        self._steps = 0
        self._tile = 0
        self._tiles = 0
        self._phase_since_s = 0.0
        self._event_at_s = 0.0
        self._step_times_s: list[float] = []
        self._decode_times_s: list[float] = []

    def follow(self, event: JobEvent, now_s: float) -> Progress:
        """Take in the job's next event."""
        match event:
            case JobStarted(resolved=resolved):
                self._image_count = resolved.image_count
                self._steps = resolved.steps
            case PhaseStarted(phase=phase, image_index=index):
                self._start_phase(phase, index, now_s)
            case StepCompleted(step=step, steps=steps):
                self._step, self._steps = step, steps
                self._step_times_s.append(now_s - self._event_at_s)
            case TileDecoded(tile=tile, tiles=tiles):
                self._tile, self._tiles = tile, tiles
            case ImageCompleted(index=index):
                self._decode_times_s.append(now_s - self._phase_since_s)
                self._start_phase(None, index + 1, now_s)
            case _:
                pass
        self._event_at_s = now_s
        return self._progress()

    def _start_phase(self, phase: Phase | None, image_index: int, now_s: float) -> None:
        self._phase = phase
        self._image_index = image_index
        self._phase_since_s = now_s
        self._tile = self._tiles = 0
        if phase is not Phase.DECODE:
            self._step = 0

    def _progress(self) -> Progress:
        done, total = self._work()
        return Progress(
            phase=self._phase,
            fraction=min(1.0, done / total) if total else 0.0,
            remaining_s=self._remaining_s(total - done),
            image_index=min(self._image_index, self._image_count - 1),
            image_count=self._image_count,
            step=self._step,
            steps=self._steps,
            tile=self._tile,
            tiles=self._tiles,
        )

    def _work(self) -> tuple[float, float]:
        """Done and total, in units of one step."""
        decode = self._decode_in_steps()
        per_image = self._steps + decode
        done = self._image_index * per_image
        if self._phase is Phase.DENOISE:
            done += self._step
        elif self._phase is Phase.DECODE:
            done += self._steps + (decode * self._tile / self._tiles if self._tiles else 0.0)
        return done, self._image_count * per_image

    def _step_s(self) -> float | None:
        """Seconds for a step: the mean without the first one."""
        if len(self._step_times_s) < _STEPS_FOR_ETA:
            return None
        times = self._step_times_s[1:]
        return sum(times) / len(times)

    def _decode_in_steps(self) -> float:
        step_s = self._step_s()
        if not self._decode_times_s or not step_s:
            return _DECODE_IN_STEPS
        return sum(self._decode_times_s) / len(self._decode_times_s) / step_s

    def _remaining_s(self, work: float) -> float | None:
        step_s = self._step_s()
        return None if step_s is None else max(0.0, work * step_s)


def duration(seconds: float) -> str:
    """A duration for people: `4 s`, `1 min 05 s`, `2 h 03 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
