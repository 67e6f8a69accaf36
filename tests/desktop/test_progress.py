"""Progress and remaining time, on a clock that the test moves."""

from __future__ import annotations

import pytest

from desktop.progress import Progress, ProgressEstimate, duration
from engine.port import GenerationRequest, JobId, JobProgress, ModelId, StepCompleted
from tests.fakes.script import Script, play

STEP_S, TILE_S = 2.0, 1.5


def follow(image_count: int, steps: int) -> list[tuple[JobProgress, float, Progress]]:
    """Every event of a job with even steps and tiles, the time of it, and the progress after it."""
    estimate, now_s, seen = ProgressEstimate(), 100.0, []

    def emit(event):
        nonlocal now_s
        name = type(event).__name__
        now_s += {"StepCompleted": STEP_S, "TileDecoded": TILE_S}.get(name, 0.0)
        seen.append((event, now_s, estimate.follow(event, now_s)))

    request = GenerationRequest(
        prompt="x", seed=1, image_count=image_count, steps=steps, model_id=ModelId("starter")
    )
    play(Script(), JobId("1"), request, emit, lambda: None)
    return seen


@pytest.mark.parametrize("image_count", [1, 3])
def test_the_fraction_only_grows_from_nothing_to_all(image_count):
    fractions = [progress.fraction for _, _, progress in follow(image_count, 8)]
    assert fractions == sorted(fractions)
    assert fractions[0] == 0.0
    assert fractions[-1] == 1.0


def test_the_bar_is_not_full_while_the_picture_is_developed():
    before = [p for e, _, p in follow(1, 8) if isinstance(e, StepCompleted)][-1]
    assert before.fraction < 0.9


def test_there_is_no_guess_before_there_is_a_measure():
    seen = follow(1, 8)
    remaining = [p.remaining_s for e, _, p in seen if isinstance(e, StepCompleted)]
    assert remaining[0] is None
    assert all(value is not None for value in remaining[1:])


def test_with_a_decode_measured_the_time_left_is_right():
    seen = follow(3, 8)
    end_s = seen[-1][1]
    later = [(at, p) for _, at, p in seen if p.image_index >= 1]
    assert len(later) > 20
    for at_s, progress in later:
        assert progress.remaining_s == pytest.approx(end_s - at_s, abs=TILE_S)


def test_the_last_word_is_that_nothing_is_left():
    assert follow(2, 8)[-1][2].remaining_s == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(-1, "0 s"), (4.4, "4 s"), (59.6, "1 min 00 s"), (65, "1 min 05 s"), (7380, "2 h 03 min")],
)
def test_durations_for_people(seconds, text):
    assert duration(seconds) == text
