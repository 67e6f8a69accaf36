"""A whole window on a pretended engine, for tests that click and type in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import qasync
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from desktop import app, paths, settings
from engine.port import EnginePort, ModelCatalog
from tests.fakes.fake_engine import FakeCatalog, FakeEngine
from tests.fakes.machines import HEALTHY, PretendedMachine, PretendedSelfTest
from tests.fakes.script import Script
from tests.waiting import until, until_next

_SPENT_LOOPS: list[asyncio.AbstractEventLoop] = []
"""Kept: timers of a loop must not be destroyed on a worker thread, which may collect garbage."""


@pytest.fixture
def run(qapp: QApplication) -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Runs a coroutine on a loop that is Qt's too."""
    qapp.setQuitOnLastWindowClosed(False)
    with asyncio.Runner(loop_factory=lambda: qasync.QEventLoop(qapp)) as runner:
        _SPENT_LOOPS.append(runner.get_loop())
        yield runner.run


@dataclass
class Stage:
    """Opens windows and closes them again; `errors` is what nobody expected."""

    qapp: QApplication
    machine: PretendedMachine
    run: Callable[[Coroutine[Any, Any, Any]], Any]
    errors: list[BaseException] = field(default_factory=list)

    def play(
        self,
        scenario: Callable[[app.Desk, FakeEngine], Coroutine[Any, Any, None]],
        script: Script | None = None,
        catalog: ModelCatalog | None = None,
        open_engine: Callable[[ModelCatalog], EnginePort] | None = None,
        waits_for_engine: bool = True,
        is_first_start: bool = False,
        has_gpu_code: bool = False,
    ) -> None:
        """Run a scenario in an open window, then close the window as the program does."""
        engine = FakeEngine(script)
        config = paths.config_folder()
        if not is_first_start:
            settings.save(replace(settings.load(config), has_seen_check=True), config)

        async def whole() -> None:
            desk = app.Desk(
                self.qapp,
                open_catalog=lambda: catalog or FakeCatalog(),
                open_engine=open_engine or (lambda _: engine),
                checks=app.Checks(lambda: self.machine, PretendedSelfTest, lambda: has_gpu_code),
                report=lambda error, where: self.errors.append(error),
            )
            desk.open()
            try:
                await until_next(desk.form.models_changed)
                if waits_for_engine:
                    await until(desk.queue.changed, lambda: desk.queue.is_engine_ready, 10)
                await scenario(desk, engine)
            finally:
                desk.close()
                await asyncio.wait_for(desk.closed.wait(), 20)
                desk.translations.remove()
                desk.window.deleteLater()
                QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

        self.run(whole())
        assert self.errors == []


@pytest.fixture
def stage(
    qapp: QApplication, run: Callable[[Coroutine[Any, Any, Any]], Any], tmp_path: Path
) -> Stage:
    return Stage(qapp, PretendedMachine(HEALTHY, tmp_path / "pretended"), run)
