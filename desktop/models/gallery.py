"""The strip of pictures: the one being drawn, those of this session, those found on disk.

Owned here: the life of a picture from its first preview to its file, and what is held in memory.
A picture counts as saved when its file is complete on disk, never before. The row that is drawn is
always the first one, so that following the engine is just standing on it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QUrl,
    Signal,
)
from PySide6.QtGui import QImage

from desktop.background import Background
from desktop.models import pixels
from desktop.models.job_queue import FinishedImage, Job
from engine.port import JobId, RgbImage

if TYPE_CHECKING:
    from desktop.store.job_pictures import Saved

log = logging.getLogger(__name__)

LIMIT = 200
"""Pictures shown; the folder holds the rest."""
THUMBNAIL_SIDE = 192
"""Thumbnail pixels along the longer side: 96 on the strip, at twice the density."""
_IMAGES_IN_MEMORY = 6
"""Whole saved pictures kept; others are read again when they are looked at."""

Index = QModelIndex | QPersistentModelIndex
Save = Callable[[FinishedImage], "Saved"]
"""Writes a picture to disk, in a worker thread. Raises `OSError`."""


class PictureState(Enum):
    DRAWING = auto()
    SAVING = auto()
    SAVED = auto()
    NOT_SAVED = auto()
    """It is in memory only: saving failed."""
    UNREADABLE = auto()
    """Its file cannot be shown."""


class Role(IntEnum):
    STATE = Qt.ItemDataRole.UserRole
    PICTURE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """How a picture was made; known for those of this session."""

    prompt: str
    seed: int
    steps: int
    took_s: float


@dataclass(slots=True, eq=False)
class Picture:
    """One row. `image` is None where only the file has it, `unsaved` where the file has it all."""

    state: PictureState
    image: QImage | None = None
    thumbnail: QImage | None = None
    path: Path | None = None
    details: Details | None = None
    unsaved: FinishedImage | None = None
    job: Job | None = None
    is_thumbnail_wanted: bool = False

    @property
    def prompt(self) -> str:
        """What it is made from, if that is known."""
        if self.details is not None:
            return self.details.prompt
        return self.job.request.prompt if self.job is not None else ""


class Gallery(QAbstractListModel):
    """Pictures, newest first."""

    picture_changed = Signal(object)
    """A `Picture` got its image, its file or another state."""
    save_failed = Signal(object, object)
    """The `Picture`, and the `OSError`: it went to the rescue folder if it has a path, else it is
    in memory only."""

    def __init__(self, save: Save, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._save = save
        self._background = background
        self._pictures: list[Picture] = []

    # --- what the engine makes --------------------------------------------------------------------

    def begin(self, job: Job) -> None:
        """Show a row for the job's first picture."""
        self._insert_drawing(job)

    def show_preview(self, preview: RgbImage) -> None:
        """Show how far the picture that is drawn has come."""
        drawing = self.drawing
        if drawing is not None:
            drawing.image = drawing.thumbnail = pixels.to_qimage(preview)
            self._announce(drawing)

    def complete(self, made: FinishedImage) -> None:
        """Turn the drawn row into a picture, save it, and begin the job's next one."""
        drawing = self.drawing
        if drawing is None:
            raise ValueError("no picture is being drawn")
        job = drawing.job
        drawing.image = pixels.to_qimage(made.event.image)
        drawing.thumbnail = pixels.thumbnail(drawing.image, THUMBNAIL_SIDE)
        drawing.details = _details(made)
        drawing.unsaved, drawing.job = made, None
        drawing.state = PictureState.SAVING
        self._announce(drawing)
        self._background.start(self._save_picture(drawing, made), "saving a picture")
        if job is not None and made.event.index + 1 < made.request.image_count:
            self._insert_drawing(job)

    def end(self, job_id: JobId) -> None:
        """Take the drawn row away if its job is the one that has ended."""
        drawing = self.drawing
        if drawing is not None and drawing.job is not None and drawing.job.job_id == job_id:
            self.take_out(drawing)

    def take_out(self, picture: Picture) -> int:
        """Take a picture off the strip; returns the row that it had."""
        row = self._pictures.index(picture)
        self.beginRemoveRows(QModelIndex(), row, row)
        del self._pictures[row]
        self.endRemoveRows()
        return row

    def put_back(self, picture: Picture, row: int) -> None:
        """Show a picture again, near the row that it had."""
        row = min(max(row, int(self.drawing is not None)), len(self._pictures))
        self.beginInsertRows(QModelIndex(), row, row)
        self._pictures.insert(row, picture)
        self.endInsertRows()

    @property
    def drawing(self) -> Picture | None:
        """The picture that the engine is at; always the first row."""
        if self._pictures and self._pictures[0].state is PictureState.DRAWING:
            return self._pictures[0]
        return None

    def _insert_drawing(self, job: Job) -> None:
        picture = Picture(PictureState.DRAWING, job=job)
        self.beginInsertRows(QModelIndex(), 0, 0)
        self._pictures.insert(0, picture)
        self.endInsertRows()
        self._trim()

    async def _save_picture(self, picture: Picture, made: FinishedImage) -> None:
        try:
            saved = await asyncio.to_thread(self._save, made)
        except OSError as error:
            log.warning("a picture could not be saved: %s", error)
            picture.state = PictureState.NOT_SAVED
            self.save_failed.emit(picture, error)
        else:
            picture.path, picture.unsaved = saved.path, None
            picture.state = PictureState.SAVED
            self._forget_images()
            if saved.problem is not None:
                self.save_failed.emit(picture, saved.problem)
        self._announce(picture)

    # --- what is on disk --------------------------------------------------------------------------

    def read_folder(self, folder: Path) -> asyncio.Task[None]:
        """Append the newest pictures of `folder`, in the background."""
        return self._background.start(self._read_folder(folder), "reading the pictures folder")

    async def _read_folder(self, folder: Path) -> None:
        try:
            paths = await asyncio.to_thread(_newest_pictures, folder)
        except OSError as error:
            log.warning("the pictures folder cannot be read: %s", error)
            return
        known = {picture.path for picture in self._pictures}
        room = LIMIT - len(self._pictures)
        found = [Picture(PictureState.SAVED, path=p) for p in paths if p not in known][:room]
        if not found:
            return
        first = len(self._pictures)
        self.beginInsertRows(QModelIndex(), first, first + len(found) - 1)
        self._pictures.extend(found)
        self.endInsertRows()

    def want_thumbnail(self, picture: Picture) -> None:
        """Read a picture's thumbnail in the background, once."""
        if picture.thumbnail is None and picture.path and not picture.is_thumbnail_wanted:
            picture.is_thumbnail_wanted = True
            reading = self._read_thumbnail(picture, picture.path)
            self._background.start(reading, "reading a thumbnail")

    def want_image(self, picture: Picture) -> None:
        """Read a whole picture in the background; `picture_changed` tells when it is there."""
        if picture.image is None and picture.path is not None:
            self._background.start(self._read_image(picture, picture.path), "reading a picture")

    async def _read_thumbnail(self, picture: Picture, path: Path) -> None:
        try:
            picture.thumbnail = await asyncio.to_thread(pixels.read_thumbnail, path, THUMBNAIL_SIDE)
        except (OSError, ValueError) as error:
            self._mark_unreadable(picture, error)
        self._announce(picture)

    async def _read_image(self, picture: Picture, path: Path) -> None:
        try:
            picture.image = await asyncio.to_thread(pixels.read_picture, path)
        except (OSError, ValueError) as error:
            self._mark_unreadable(picture, error)
        else:
            self._forget_images(keep=picture)
        self._announce(picture)

    def _mark_unreadable(self, picture: Picture, error: Exception) -> None:
        log.info("%s cannot be shown: %s", picture.path, error)
        picture.state = PictureState.UNREADABLE

    # --- memory -----------------------------------------------------------------------------------

    def _forget_images(self, keep: Picture | None = None) -> None:
        """Drop whole pictures that a file can give back, all but the newest few."""
        held = [p for p in self._pictures if p.image is not None and p is not keep]
        for picture in held[_IMAGES_IN_MEMORY:]:
            if picture.state is PictureState.SAVED:
                picture.image = None

    def _trim(self) -> None:
        while len(self._pictures) > LIMIT and self._pictures[-1].state is PictureState.SAVED:
            last = len(self._pictures) - 1
            self.beginRemoveRows(QModelIndex(), last, last)
            self._pictures.pop()
            self.endRemoveRows()

    # --- Qt's model interface ---------------------------------------------------------------------

    def picture(self, index: Index) -> Picture | None:
        """The picture in a row; None for no row."""
        return self._pictures[index.row()] if index.isValid() else None

    def index_of(self, picture: Picture) -> QModelIndex:
        """Where a picture is; an invalid index if it has gone."""
        if picture not in self._pictures:
            return QModelIndex()
        return self.index(self._pictures.index(picture))

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._pictures)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        picture = self.picture(index)
        if picture is None:
            return None
        match role:
            case Qt.ItemDataRole.DecorationRole:
                self.want_thumbnail(picture)
                return picture.thumbnail
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleTextRole:
                return picture.prompt or (picture.path.stem if picture.path else "")
            case Role.STATE:
                return picture.state
            case Role.PICTURE:
                return picture
            case _:
                return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        picture = self.picture(index)
        if picture is None:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if picture.path is not None:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags

    def mimeTypes(self) -> list[str]:
        return ["text/uri-list"]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        pictures = [self.picture(index) for index in indexes]
        return mime_of([p for p in pictures if p is not None])

    def supportedDragActions(self) -> Qt.DropAction:
        return Qt.DropAction.CopyAction

    def _announce(self, picture: Picture) -> None:
        index = self.index_of(picture)
        if index.isValid():
            self.dataChanged.emit(index, index)
        self.picture_changed.emit(picture)


def _newest_pictures(folder: Path) -> list[Path]:
    # Late, and in a worker: it brings Pillow, which the first window need not wait for.
    from desktop.store import recent

    return recent.newest_pictures(folder, LIMIT)


def _details(made: FinishedImage) -> Details:
    provenance = made.event.provenance
    return Details(
        prompt=provenance.resolved.prompt,
        seed=provenance.seed,
        steps=provenance.resolved.steps,
        took_s=made.took_s,
    )


def mime_of(pictures: Sequence[Picture]) -> QMimeData:
    """What other programs receive: the files, and the pixels of a single picture."""
    mime = QMimeData()
    files = [picture.path for picture in pictures if picture.path is not None]
    if files:
        mime.setUrls([QUrl.fromLocalFile(str(path)) for path in files])
    if len(pictures) == 1 and pictures[0].image is not None:
        mime.setImageData(pictures[0].image)
    return mime
