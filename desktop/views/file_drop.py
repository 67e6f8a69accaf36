"""Files of some kinds dropped on the window.

Separate from what is done with them, so that each kind has its taker, and files of no known kind
are refused before they are let go.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget


class FileDrop(QObject):
    """Takes one file whose name ends in one of `endings` (small letters, with the dot)."""

    dropped = Signal(object)
    """The file's `Path`."""

    def __init__(self, window: QWidget, endings: Collection[str]) -> None:
        super().__init__(window)
        self._endings = frozenset(endings)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def watch(self, part: QWidget) -> None:
        """Take what is dropped on text fields of `part` too, which would insert its name."""
        for text in part.findChildren(QPlainTextEdit):
            text.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent) and event.type() in (
            QEvent.Type.DragEnter,
            QEvent.Type.DragMove,
            QEvent.Type.Drop,
        ):
            file = self._file(event)
            if file is not None:
                event.acceptProposedAction()
                if event.type() == QEvent.Type.Drop:
                    self.dropped.emit(file)
                return True
        return super().eventFilter(watched, event)

    def _file(self, event: QDropEvent) -> Path | None:
        """The file, unless it is dragged within the program."""
        urls = event.mimeData().urls()
        if event.source() is not None or len(urls) != 1 or not urls[0].isLocalFile():
            return None
        file = Path(urls[0].toLocalFile())
        return file if file.suffix.lower() in self._endings else None
