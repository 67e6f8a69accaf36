"""Contact sheets of grids: written beside the pictures when the last one of a grid is finished.

Separate from `desktop.prompts.contact_sheet`, which makes the picture, and from those who run jobs,
which only say that some have ended. A sheet can be made again from its pictures: it is not a job,
and a missing one is no failure of the batch.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from desktop.prompts import contact_sheet
from desktop.prompts.contact_sheet import Cell
from desktop.store import images, job_pictures
from desktop.store.images import Destination
from desktop.store.job_record import JobRow, JobState
from desktop.store.jobs import JobStore

log = logging.getLogger(__name__)


def write_complete(
    store: JobStore, ended: Sequence[JobRow], default_folder: Path
) -> Iterator[Path]:
    """Write the sheet of each grid that one of `ended` belongs to and that is finished by now.

    What cannot be written is logged and passed over. Raises `DatabaseTrouble`.
    """
    grids = dict.fromkeys(
        (job.batch, job.group) for job in ended if job.batch is not None and job.group is not None
    )
    for batch, group in grids:
        members = [job for job in store.of_batch(batch or 0) if job.group == group]
        if any(job.state is not JobState.FINISHED for job in members):
            continue
        folder = job_pictures.folder_of(members[0], default_folder)
        try:
            yield write(members, folder)
        except (OSError, ValueError) as error:
            log.warning("the sheet of line %s cannot be made: %s", group, error)


def write(members: Sequence[JobRow], folder: Path) -> Path:
    """Write the sheet of these finished jobs to `folder`; returns its file.

    Raises `OSError` if a picture is gone or the sheet cannot be written, and `ValueError` if so
    many pictures do not fit on one.
    """
    cells = [
        Cell(job.request, _opened(row.path))
        for job in members
        for row in job.pictures
        if row.path is not None and row.is_saved
    ]
    buffer = io.BytesIO()
    contact_sheet.make(cells).save(buffer, "PNG", compress_level=4)
    place = Destination(folder, stem=f"grid-line-{members[0].group}")
    return images.save(buffer.getvalue(), place, None)


def _opened(path: Path) -> Image.Image:
    with Image.open(path) as image:
        return image.convert("RGB")
