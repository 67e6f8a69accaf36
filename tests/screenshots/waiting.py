"""What the window says of jobs that wait without being drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop.models.job_queue import Pause
from desktop.store.job_record import JobRow, JobState, LeftBecause
from engine.port import GenerationRequest, JobId
from tests.fakes.script import FAKE_MODEL

if TYPE_CHECKING:
    from tests.screenshots.session import Sitting


def left_over(number: int, state: JobState) -> JobRow:
    request = GenerationRequest(
        prompt="a cat on a red roof, in the rain", seed=number, model_id=FAKE_MODEL.model_id
    )
    return JobRow(
        job_id=JobId(str(number)), position=number, state=state, is_held=False,
        left_because=LeftBecause.CRASH, crashes=1, batch=None, request=request, folder=None,
        name_pattern=None, raw_prompt=None, group=None, line=None, error=None,
    )  # fmt: skip


async def take(sitting: Sitting) -> None:
    queue = sitting.desk.queue
    for name, states in (
        ("left-over", [JobState.INTERRUPTED, JobState.WAITING, JobState.WAITING]),
        ("left-out", [JobState.QUARANTINED]),
    ):
        queue.left_over = [left_over(number, state) for number, state in enumerate(states)]
        queue.left_over_changed.emit()
        await sitting.in_all_looks(name, ("720p",))
    queue.left_over = ()
    queue.pause = Pause(because=LeftBecause.DISK_FULL, waiting=3)
    queue.pause_changed.emit()
    await sitting.in_all_looks("paused", ("720p",))
    queue.pause = None
    queue.pause_changed.emit()
