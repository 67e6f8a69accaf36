"""The settings while the window is open: one value, changed by many, written shortly after.

Separate from `desktop.settings`, which knows the file and no Qt.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, QTimer

from desktop.background import Background
from desktop.settings import Settings

log = logging.getLogger(__name__)

_QUIET_MS = 800
"""Typing is over when nothing has changed for so long."""

Write = Callable[[Settings], None]
"""Writes the settings, in a worker thread. Raises `OSError`."""


class Preferences(QObject):
    """Holds the `Settings` and saves them by itself."""

    def __init__(
        self,
        settings: Settings,
        write: Write,
        background: Background,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = self._written = settings
        self._write = write
        self._background = background
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_QUIET_MS)
        self._timer.timeout.connect(self.save_now)

    @property
    def settings(self) -> Settings:
        return self._settings

    def update(self, **changes: Any) -> None:
        """Set fields of `Settings` by name."""
        settings = replace(self._settings, **changes)
        if settings != self._settings:
            self._settings = settings
            self._timer.start()

    def save_now(self) -> None:
        """Write what has not been written, in the background."""
        self._timer.stop()
        if self._settings != self._written:
            self._written = self._settings
            self._background.start(self._save(self._settings), "saving the settings")

    async def _save(self, settings: Settings) -> None:
        try:
            await asyncio.to_thread(self._write, settings)
        except OSError as error:
            log.warning("the settings cannot be saved: %s", error)
