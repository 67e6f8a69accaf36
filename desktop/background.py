"""Coroutines that run beside the window: saving, reading pictures, looking for models.

Owned here so that no task is garbage while it runs, none fails unseen, and closing the window can
wait for those that must not be lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

Report = Callable[[BaseException, str], None]
"""What is told of an exception that nobody expected, and where it came from."""


class Background:
    """Starts coroutines on the running loop and keeps hold of them."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, coroutine: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        """Run `coroutine` to its end; an exception goes to `report`."""
        task = asyncio.get_running_loop().create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    async def finish(self) -> None:
        """Wait for everything that runs, and for what that starts, but not for the caller."""
        me = asyncio.current_task()
        while others := [task for task in self._tasks if task is not me]:
            await asyncio.wait(others)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._report(error, f"the task “{task.get_name()}”")
