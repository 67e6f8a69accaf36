"""Waiting in coroutines for what Qt does: for signals and paints, never for a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject


async def until(signal: Any, condition: Callable[[], bool], timeout_s: float = 120.0) -> None:
    """Wait for a signal until a condition holds."""
    changed = asyncio.Event()
    signal.connect(changed.set)
    try:
        while not condition():
            changed.clear()
            await asyncio.wait_for(changed.wait(), timeout_s)
    finally:
        signal.disconnect(changed.set)


async def until_next(signal: Any) -> None:
    """Wait for a signal's next emission."""
    emitted = asyncio.Event()
    signal.connect(emitted.set)
    try:
        await asyncio.wait_for(emitted.wait(), 10)
    finally:
        signal.disconnect(emitted.set)


class _PaintWatch(QObject):
    def __init__(self, window: QObject) -> None:
        super().__init__(window)
        self.painted = asyncio.Event()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.painted.set()
        return False


async def painted(window: Any) -> None:
    """Wait until the window has dealt with its events and painted itself."""
    watch = _PaintWatch(window)
    window.update()
    await asyncio.wait_for(watch.painted.wait(), 10)
    await asyncio.sleep(0)
    window.removeEventFilter(watch)
