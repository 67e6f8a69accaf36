"""The window's life: in which order things start, and in which they end. Owns nothing visual.

Start: settings, language and looks; the window; once it is on screen, the engine, which loads its
library on its own thread, and the lists of models and pictures. End: the engine, then what is still
being written, then the window.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_API", "pyside6")  # qasync would take the first binding that it finds

import qasync
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from desktop import crash, i18n, paths, settings, theme
from desktop.background import Background, Report
from desktop.engine_bridge import EngineBridge
from desktop.models import saving
from desktop.models.deletion import Deletion
from desktop.models.gallery import Gallery
from desktop.models.job_ledger import JobLedger
from desktop.models.job_queue import FinishedImage, JobQueue, Place
from desktop.models.picture_library import PictureLibrary
from desktop.models.preferences import Preferences
from desktop.models.prompt_form import PromptForm
from desktop.models.system_report import OpenCheck, OpenSelfTest, SystemReport
from desktop.settings import Theme
from desktop.signals import EndingSignals
from desktop.views.main_window import MainWindow
from engine.port import (
    ChooseDevice,
    EngineError,
    EngineFault,
    EnginePort,
    ErrorCode,
    JobEnd,
    ModelCatalog,
    StepCompleted,
    UnloadModel,
)

if TYPE_CHECKING:
    from desktop.store.job_pictures import Saved

log = logging.getLogger(__name__)

_ENGINE_END_S = 15.0
"""How long the end may wait for the engine: nothing interrupts its start."""

_LATEST_START_MS = 2000
_LATEST_CHECK_MS = 20_000
"""An engine that cannot open its device is never ready; the check may say why."""

OpenCatalog = Callable[[], ModelCatalog]
OpenEngine = Callable[[ModelCatalog], EnginePort]


@dataclass(frozen=True, slots=True)
class Checks:
    """What judges this machine, opened in worker threads.

    `has_gpu_code`: the installed PaddlePaddle may compute on a GPU, so that the engine has to wait
    for the check; without, it starts at once, on the CPU.
    """

    open_check: OpenCheck
    open_selftest: OpenSelfTest
    has_gpu_code: Callable[[], bool]


def run(
    *, open_catalog: OpenCatalog, open_engine: OpenEngine, checks: Checks, report: Report
) -> int:
    """Show the window until it is closed; returns the exit status.

    `open_engine` is called once the window is on screen, so what it imports delays nothing.
    `report` is told of exceptions that nobody expected.
    """
    application = make_application()
    with asyncio.Runner(loop_factory=lambda: qasync.QEventLoop(application)) as runner:
        desk = runner.run(_open_and_wait(application, open_catalog, open_engine, checks, report))
    if not desk.has_engine_ended:
        # A library that is torn down under a thread that uses it may crash on the way out.
        log.warning("the engine did not end in time; leaving without it")
        logging.shutdown()
        os._exit(0)
    return 0


def make_application() -> QApplication:
    """Qt's application object, with our name, icon and manners."""
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Danqing")
    QGuiApplication.setDesktopFileName("danqing")
    # The end takes longer than the last window: see Desk.close.
    application.setQuitOnLastWindowClosed(False)
    application.setWindowIcon(theme.application_icon())
    return application


async def _open_and_wait(
    application: QApplication,
    open_catalog: OpenCatalog,
    open_engine: OpenEngine,
    checks: Checks,
    report: Report,
) -> Desk:
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: report(
            context.get("exception") or RuntimeError(context["message"]), "the event loop"
        )
    )
    desk = Desk(
        application,
        open_catalog=open_catalog,
        open_engine=open_engine,
        checks=checks,
        report=report,
    )
    endings = EndingSignals(desk.close)
    desk.bridge.library_loaded.connect(endings.claim)
    desk.open()
    await desk.closed.wait()
    endings.release()
    return desk


class Desk:
    """Everything that lives while the window is open, wired together."""

    def __init__(
        self,
        application: QApplication,
        *,
        open_catalog: OpenCatalog,
        open_engine: OpenEngine,
        checks: Checks,
        report: Report,
    ) -> None:
        self._open_catalog = open_catalog
        self._open_engine = open_engine
        self._checks = checks
        self._told: ChooseDevice | None = None
        self._has_checked = False
        self._has_started = False
        self._is_closing = False
        self.closed = asyncio.Event()
        self.has_engine_ended = True
        self.background = Background(report)
        set_aside: list[Path] = []
        self.preferences = Preferences(
            settings.load(paths.config_folder(), set_aside.append),
            lambda changed: settings.save(changed, paths.config_folder()),
            self.background,
        )
        self.appearance = theme.Appearance(application)
        self.appearance.choose(self.preferences.settings.theme)
        self.translations = i18n.Translations(application, paths.cache_folder())
        self._translate(self.preferences.settings.language)
        self.bridge = EngineBridge()
        self.ledger = JobLedger(paths.state_folder(), paths.rescue_folder(), report)
        self.queue = JobQueue(self.bridge, self.ledger, self._place)
        self.gallery = Gallery(self._save_picture, self.background)
        self.library = PictureLibrary(
            paths.state_folder(), lambda: [self.pictures_folder, paths.rescue_folder()]
        )
        self.deletion = Deletion(self.gallery, self.background, self.library)
        self.system = SystemReport(checks.open_check, checks.open_selftest)
        self.form = PromptForm(self.preferences.settings.form)
        self.window = MainWindow(
            form=self.form,
            queue=self.queue,
            system=self.system,
            gallery=self.gallery,
            deletion=self.deletion,
            background=self.background,
            pictures_folder=self.pictures_folder,
            geometry_file=paths.state_folder() / "window.ini",
        )
        self._connect()
        for aside in set_aside:
            self.window.show_settings_set_aside(aside)

    @property
    def pictures_folder(self) -> Path:
        """Where finished pictures go."""
        chosen = self.preferences.settings.pictures_folder
        return Path(chosen) if chosen else paths.pictures_folder()

    def _place(self) -> Place:
        return Place(self.pictures_folder, self.preferences.settings.file_name_pattern)

    def open(self) -> None:
        """Show the window; everything slow begins after it is on screen."""
        self.window.file_name_pattern = self.preferences.settings.file_name_pattern
        self.window.show_choices(
            self.preferences.settings.language, self.preferences.settings.theme
        )
        # After the first paint; a window that starts minimized is not painted.
        self.window.first_painted.connect(lambda: QTimer.singleShot(0, self._start))
        QTimer.singleShot(_LATEST_START_MS, self._start)
        self.window.show()

    def close(self) -> None:
        """End everything in order; `closed` is set at the end."""
        if not self._is_closing:
            self._is_closing = True
            self.system.stop_selftest()
            if self.window.system_check is not None:
                self.window.system_check.hide()
            self.window.hide()
            self._closing = asyncio.get_running_loop().create_task(self._close())

    async def _close(self) -> None:
        try:
            self.queue.end()
            self.has_engine_ended = await self.bridge.stop(_ENGINE_END_S)
            self.preferences.save_now()
            self.library.end()
            await self.background.finish()
            await asyncio.to_thread(self.ledger.close)
        finally:
            self.window.close_now()
            self.closed.set()

    def _start(self) -> None:
        if self._has_started or self._is_closing:
            return
        self._has_started = True
        self.background.start(self._start_engine(), "starting the engine")
        self.background.start(self._check_pattern(), "reading the pattern of file names")
        self.queue.look_for_left_over()
        self.gallery.read_folder(self.pictures_folder)
        self.background.start(self._update_library(), "updating the library")
        QTimer.singleShot(_LATEST_CHECK_MS, self._check_at_last)
        if not self.preferences.settings.has_seen_check:
            self.preferences.update(has_seen_check=True)
            self.window.show_first_check()

    async def _start_engine(self) -> None:
        try:
            catalog = await asyncio.to_thread(self._open_catalog)
            models = await asyncio.to_thread(catalog.models)
        except EngineFault as fault:
            self.window.show_error(fault.error)
            return
        self.form.set_models(models)
        if not models:
            self.window.show_error(EngineError(code=ErrorCode.MODEL_MISSING))
        engine = await asyncio.to_thread(self._open_engine, catalog)
        device = await self._first_device()
        if not self._is_closing:  # else nobody would stop it
            self._told = device
            self.bridge.start(engine, device)

    # --- the check and the engine -----------------------------------------------------------------

    async def _first_device(self) -> ChooseDevice | None:
        """What the first picture must know. Where no GPU can be used, nobody waits for a check."""
        if not await asyncio.to_thread(self._checks.has_gpu_code):
            return None
        await asyncio.wait([self._check()])  # whatever goes wrong there: the CPU is never gated
        return await self.system.device()

    def _check(self) -> asyncio.Task[None]:
        self._has_checked = True
        return self.background.start(self.system.check(), "checking the machine")

    def _check_after_the_engine(self) -> None:
        """Once the engine is ready, so that its start is not slowed down."""
        if self.queue.is_engine_ready:
            self._check_at_last()

    def _check_at_last(self) -> None:
        if not self._has_checked and not self._is_closing:
            self._check()

    def _tell_engine(self) -> None:
        self.background.start(self._choose_device(), "choosing the device")

    async def _choose_device(self) -> None:
        device = await self.system.device()
        if self._is_closing or not self.bridge.has_engine or device == self._told:
            return
        self._told = device
        try:
            self.bridge.submit(device)
        except EngineFault as fault:  # it has ended by itself, and said so
            log.info("the engine hears of no device any more: %s", fault)

    def _make_room(self) -> None:
        """For the self-test: the engine gives its model back, and reads it again when needed."""
        if self.bridge.has_engine and not self._is_closing:
            try:
                self.bridge.submit(UnloadModel())
            except EngineFault as fault:  # it has ended by itself, and said so
                log.info("the engine has no model to give back any more: %s", fault)

    async def _update_library(self) -> None:
        await asyncio.to_thread(self.library.update)

    async def _check_pattern(self) -> None:
        pattern = self.preferences.settings.file_name_pattern
        _, problem = await asyncio.to_thread(saving.usable_pattern, pattern)
        if problem is not None:
            self.window.show_pattern_problem(problem)

    def _connect(self) -> None:
        queue, gallery, window = self.queue, self.gallery, self.window
        self.bridge.library_loaded.connect(crash.native_stacks.reclaim)
        queue.job_started.connect(gallery.begin)
        queue.previewed.connect(self._show_preview)
        queue.image_completed.connect(gallery.complete)
        queue.job_ended.connect(self._end_job)
        self.form.changed.connect(lambda: self.preferences.update(form=self.form.values))
        queue.changed.connect(self._check_after_the_engine)
        self.system.judged.connect(self._tell_engine)
        self.system.selftest_started.connect(self._make_room)
        window.language_chosen.connect(self._speak)
        window.theme_chosen.connect(self._look)
        window.pattern_chosen.connect(
            lambda pattern: self.preferences.update(file_name_pattern=pattern)
        )
        window.close_wanted.connect(self.close)
        self.ledger.troubled.connect(window.show_database_trouble)
        self.ledger.replaced.connect(window.show_set_aside)

    def _show_preview(self, event: StepCompleted) -> None:
        if event.preview is not None:
            self.gallery.show_preview(event.preview)

    def _end_job(self, event: JobEnd) -> None:
        self.gallery.end(event.job_id)

    def _speak(self, language: str) -> None:
        self.preferences.update(language=language)
        self._translate(language)

    def _translate(self, language: str) -> None:
        resolved = i18n.resolve(language)
        self.translations.install(resolved)
        self.appearance.speak(resolved)

    def _look(self, chosen: Theme) -> None:
        self.preferences.update(theme=chosen)
        self.appearance.choose(chosen)

    def _save_picture(self, made: FinishedImage) -> Saved:
        saved = self.ledger.save(made)
        self.library.remember(saved.path)
        return saved
