"""One sitting in front of the window: goes through its states and grabs each of them."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from dataclasses import replace
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox, QWidget

from desktop import app, cli, paths, settings
from desktop.models.job_queue import Job
from desktop.settings import Settings, Theme
from engine.port import EngineError, EnginePort, ErrorCode, ModelCatalog
from tests.fakes.fake_engine import FakeCatalog, FakeEngine
from tests.fakes.script import FAKE_MODEL, Script
from tests.screenshots import checks, lists, picture_settings, waiting
from tests.waiting import painted, until, until_next

log = logging.getLogger(__name__)

EXAMPLES = {
    "en": (
        "a red apple on a wooden table",
        "two cats under an umbrella",
        "a lighthouse by the sea at night",
        "a snowy mountain, watercolour",
        "a bowl of noodles",
        "a yellow banana on a blue background",
    ),
    "zh": (
        "木桌上的一个红苹果",
        "雨伞下的两只猫",
        "夜晚海边的灯塔",
        "雪山，水彩画",
        "一碗面条",
        "蓝色背景上的黄色香蕉",
    ),
}
MODEL = replace(FAKE_MODEL, example_prompts=EXAMPLES)
PROMPTS = {"en": "a lighthouse by the sea at night", "zh_CN": "夜晚海边的灯塔，水彩画"}
SIZES = {"small": (800, 520), "720p": (1280, 720), "1080p": (1920, 1080)}


def take(out: Path, *, scale: int, is_real: bool, only: str) -> int:
    """Write `STATE-LANGUAGE-THEME-SIZE-SCALEx.png` files into `out`."""
    logging.basicConfig(level=logging.WARNING)
    application = app.make_application()
    errors: list[BaseException] = []
    sys.excepthook = lambda kind, error, trace: errors.append(error)
    with asyncio.Runner(loop_factory=lambda: qasync.QEventLoop(application)) as runner:
        sitting = _Real if is_real else _Pretended
        runner.run(sitting(application, out, scale, only, errors).run())
    for error in errors:
        log.error("while taking pictures", exc_info=error)
    return 1 if errors else 0


class Sitting:
    def __init__(
        self,
        application: QApplication,
        out: Path,
        scale: int,
        only: str,
        errors: list[BaseException],
    ) -> None:
        self.out, self.scale, self.only = out, scale, only
        settings.save(Settings(has_seen_check=True), paths.config_folder())
        self.desk = app.Desk(
            application,
            open_catalog=self.open_catalog,
            open_engine=self.open_engine,
            checks=app.Checks(cli.open_machine_check, cli.open_selftest, cli.has_gpu_code),
            report=lambda error, where: errors.append(error),
        )

    def open_catalog(self) -> ModelCatalog:
        raise NotImplementedError

    def open_engine(self, catalog: ModelCatalog) -> EnginePort:
        raise NotImplementedError

    async def go_through(self) -> None:
        raise NotImplementedError

    async def run(self) -> None:
        self.desk.open()
        try:
            await until(self.desk.form.models_changed, lambda: bool(self.desk.form.models))
            await self.go_through()
        finally:
            self.desk.close()
            await self.desk.closed.wait()

    async def in_all_looks(self, state: str, sizes: tuple[str, ...]) -> None:
        for size in sizes:
            for language in PROMPTS:
                for theme in (Theme.LIGHT, Theme.DARK):
                    await self.grab(state, language, theme, size)

    async def grab(self, state: str, language: str, theme: Theme, size: str) -> None:
        name = f"{state}-{language}-{theme}-{size}-{self.scale}x"
        if self.only not in name:
            return
        self.desk.window.resize(*SIZES[size])
        await self.wear(language, theme)
        self.desk.window.grab().save(str(self.out / f"{name}.png"))

    async def wear(self, language: str, theme: Theme) -> None:
        """Have the window look so."""
        desk, window = self.desk, self.desk.window
        window.language_chosen.emit(language)
        window.theme_chosen.emit(theme)
        window.show_choices(language, theme)
        if desk.form.values.prompt in PROMPTS.values():
            desk.form.update(prompt=PROMPTS[language])
        await painted(window)

    def save(self, widget: QWidget, name: str) -> None:
        """A picture of one widget."""
        name = f"{name}-{self.scale}x"
        if self.only in name:
            widget.adjustSize()
            widget.grab().save(str(self.out / f"{name}.png"))

    def save_as_is(self, widget: QWidget, name: str) -> None:
        """A picture of one widget in the size that it has."""
        name = f"{name}-{self.scale}x"
        if self.only in name:
            widget.grab().save(str(self.out / f"{name}.png"))


class _Pretended(Sitting):
    """Stops in the middle of a job: the gate holds the engine at a step."""

    def open_catalog(self) -> ModelCatalog:
        return FakeCatalog(MODEL)

    def open_engine(self, catalog: ModelCatalog) -> EnginePort:
        self.gate = StepGate()
        self.engine = FakeEngine(Script(gate=self.gate))
        return self.engine

    async def go_through(self) -> None:
        desk = self.desk
        await until(desk.queue.changed, lambda: desk.queue.is_engine_ready)
        await self.in_all_looks("first", tuple(SIZES))
        desk.form.update(prompt=PROMPTS["en"], image_count=2)
        await self._drawing()
        await self.in_all_looks("drawing", tuple(SIZES))
        self.gate.is_stuck = True
        await asyncio.to_thread(self.gate.has_stuck.wait, 10)
        desk.queue.stop()
        await self.in_all_looks("stopping", ("720p",))
        desk.queue.clear_waiting()
        self.gate.open()
        await until(desk.queue.changed, lambda: desk.queue.is_idle)
        await self._finished()
        await self.in_all_looks("finished", tuple(SIZES))
        desk.form.update(
            size_text="300 × 300", is_seed_random=False, seed_text="99999999999999999999"
        )
        desk.window.show_error(
            EngineError(
                code=ErrorCode.OUT_OF_MEMORY,
                facts={
                    "device": "cpu",
                    "phase": "decode",
                    "needed_bytes": 9_600_000_000,
                    "free_bytes": 2_100_000_000,
                },
            )
        )
        await self.in_all_looks("problems", tuple(SIZES))
        await self._menus_and_boxes()
        await waiting.take(self)
        await picture_settings.take(self)
        await checks.take(self)
        await lists.take(self)

    async def _menus_and_boxes(self) -> None:
        """What is no part of the window's own picture."""
        window = self.desk.window
        for language in PROMPTS:
            for theme in (Theme.LIGHT, Theme.DARK):
                await self.wear(language, theme)
                for number, menu in enumerate(window.menuBar().findChildren(QMenu)):
                    self.save(menu, f"menu{number}-{language}-{theme}")
                window.commands.about.trigger()
                self.save(window.findChildren(QMessageBox)[-1], f"about-{language}-{theme}")
                window.findChildren(QMessageBox)[-1].reject()

    async def _drawing(self) -> None:
        desk = self.desk
        for _ in range(3):
            desk.window.commands.generate.trigger()
        await until(desk.queue.changed, lambda: desk.queue.current is not None)
        while not _is_at(desk.queue.current, image_index=1, step=4):
            self.gate.steps.release()
            await until_next(desk.queue.changed)

    async def _finished(self) -> None:
        desk = self.desk
        for size in ("320 × 192", "192 × 320", "256 × 256"):
            desk.form.update(size_text=size, image_count=2)
            desk.window.commands.generate.trigger()
        await until(desk.queue.changed, lambda: desk.queue.is_idle)
        await desk.background.finish()


class StepGate(threading.Event):
    """Lets one step pass for each release of `steps`, all of them after `open`.

    While it `is_stuck`, not even a cancelled job gets on: a layer that takes its time.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_stuck = False
        self.has_stuck = threading.Event()
        self.steps = threading.Semaphore(0)

    def open(self) -> None:
        self.is_stuck = False
        self.set()
        self.steps.release(1000)

    def wait(self, timeout: float | None = None) -> bool:
        while self.is_stuck:
            self.has_stuck.set()
            super().wait(0.01)
        return self.is_set() or self.steps.acquire(timeout=timeout)


def _is_at(job: Job | None, *, image_index: int, step: int) -> bool:
    progress = job.progress if job is not None else None
    return progress is not None and progress.image_index == image_index and progress.step == step


class _Real(Sitting):
    """The engine and the starter model: what goes into the README."""

    def open_catalog(self) -> ModelCatalog:
        import resources
        from engine.catalog import Catalog

        return Catalog(starter_folder=resources.path("starter-model"), model_folders=())

    def open_engine(self, catalog: ModelCatalog) -> EnginePort:
        from engine.catalog import Catalog
        from engine.thread import EngineThread

        assert isinstance(catalog, Catalog)
        return EngineThread(catalog=catalog, threads=1)

    async def go_through(self) -> None:
        desk = self.desk
        await until(desk.queue.changed, lambda: desk.queue.is_engine_ready)
        await self.in_all_looks("real-first", ("720p",))
        model = desk.form.model
        assert model is not None
        prompts = [*model.example_prompts.get("en", ()), *model.example_prompts.get("zh", ())]
        for prompt in prompts or list(PROMPTS.values()):
            desk.form.update(prompt=prompt)
            desk.window.commands.generate.trigger()
            await until(desk.queue.changed, lambda: desk.queue.is_idle)
            await desk.background.finish()
        await self.in_all_looks("real", tuple(SIZES))
