"""Deleting pictures and taking that back: the trash, the strip and what is known of both together.

Separate from the gallery, which shows pictures, and from `trash`, which moves files.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from desktop.background import Background
from desktop.models import trash
from desktop.models.gallery import Gallery, Picture, PictureState
from desktop.models.picture_library import PictureLibrary

log = logging.getLogger(__name__)

_KEPT = 100
"""Deletions of this session that can be taken back; the trash itself keeps them all."""


@dataclass(frozen=True, slots=True)
class _Deleted:
    picture: Picture
    row: int
    trashed: trash.Trashed


class Deletion(QObject):
    """Moves pictures of the gallery to the trash, and the last one back out of it."""

    changed = Signal()
    """There is more or less to take back."""
    failed = Signal(object, object)
    """The file's `Path` and the `OSError`: it was not moved, or not put back."""

    def __init__(
        self,
        gallery: Gallery,
        background: Background,
        library: PictureLibrary,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._gallery = gallery
        self._background = background
        self._library = library
        self._deleted: list[_Deleted] = []
        self._moving: set[int] = set()

    @property
    def can_undo(self) -> bool:
        return bool(self._deleted)

    @staticmethod
    def can_delete(picture: Picture | None) -> bool:
        """Whether it is a file, finished, that can be moved."""
        return (
            picture is not None
            and picture.path is not None
            and picture.state in (PictureState.SAVED, PictureState.UNREADABLE)
        )

    def delete(self, picture: Picture) -> None:
        """Move a picture's file to the trash, then take the picture off the strip."""
        if self.can_delete(picture) and id(picture) not in self._moving:
            self._moving.add(id(picture))
            self._background.start(self._delete(picture), "moving a picture to the trash")

    def undo(self) -> None:
        """Put the picture that was deleted last back where it was."""
        if self._deleted:
            last = self._deleted.pop()
            self.changed.emit()
            self._background.start(self._restore(last), "putting a picture back")

    async def _delete(self, picture: Picture) -> None:
        path = picture.path
        if path is None:
            raise AssertionError("only files are deleted")
        try:
            trashed = await asyncio.to_thread(trash.move, path)
        except FileNotFoundError:
            log.info("%s was gone already", path)
            trashed = None
        except OSError as error:
            log.warning("%s cannot be moved to the trash: %s", path, error)
            self.failed.emit(path, error)
            return
        finally:
            self._moving.discard(id(picture))
        row = self._gallery.take_out(picture)
        if trashed is not None:
            self._deleted = [*self._deleted, _Deleted(picture, row, trashed)][-_KEPT:]
            self.changed.emit()
        await asyncio.to_thread(self._library.forget, path)

    async def _restore(self, deleted: _Deleted) -> None:
        try:
            path = await asyncio.to_thread(trash.restore, deleted.trashed)
        except OSError as error:
            log.warning("%s cannot be put back: %s", deleted.trashed.path, error)
            self.failed.emit(deleted.trashed.path, error)
            return
        deleted.picture.path = path
        self._gallery.put_back(deleted.picture, deleted.row)
        await asyncio.to_thread(self._library.remember, path)
