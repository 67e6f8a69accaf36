"""The window under measurement, in a process of its own: prints one JSON line of figures.

    python -m tests.bench.window_child start
    python -m tests.bench.window_child lateness
    python -m tests.bench.window_child stop DELAY_S...

It is the program itself, real engine and starter model included, with eyes and hands added: an
event filter sees the first paint, a timer sees how late the event loop is, and a plain thread
presses Escape while the window's thread may be busy.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal

from desktop import app, cli, paths, settings
from desktop.settings import Settings
from tests.waiting import until

PROMPT = "an orange cat on a blue background"
_TICK_MS = 2


def main() -> int:
    measures: dict[str, Callable[[app.Desk], Coroutine[Any, Any, Any]]] = {
        "start": measure_start,
        "lateness": measure_lateness,
        "stop": lambda desk: measure_stop(desk, [float(text) for text in sys.argv[2:]]),
    }
    measure = measures[sys.argv[1]]
    # As at every start but the first, at which a dialog shows itself; the home folder is made up.
    settings.save(Settings(has_seen_check=True), paths.config_folder())
    open_desk = app.Desk.open

    def open_and_measure(self: app.Desk) -> None:
        shown = _FirstPaint(self.window)
        open_desk(self)
        self.background.start(_measure(self, shown, measure), "measuring")

    app.Desk.open = open_and_measure
    return app.run(
        open_catalog=cli.open_catalog,
        open_engine=lambda catalog: cli.open_engine(catalog, spare_cores=1),
        checks=app.Checks(cli.open_machine_check, cli.open_selftest, cli.has_gpu_code),
        report=_give_up,
    )


async def _measure(
    desk: app.Desk,
    shown: _FirstPaint,
    measure: Callable[[app.Desk], Coroutine[Any, Any, Any]],
) -> None:
    await shown.seen.wait()
    figures = {
        "shown_at_s": shown.at_s,
        "shown_cpu_s": shown.cpu_s,
        "had_paddle": shown.had_paddle,
    }
    figures |= await measure(desk)
    print(json.dumps(figures), flush=True)
    desk.window.close_wanted.emit()


async def measure_start(desk: app.Desk) -> dict[str, Any]:
    """Until the engine is ready, too."""
    await until(desk.queue.changed, lambda: desk.queue.is_engine_ready)
    return {"engine_ready_at_s": time.monotonic()}


async def measure_lateness(desk: app.Desk) -> dict[str, Any]:
    """Of a timer, in milliseconds: while the library loads, at the first picture, at the second.

    The window idles for a moment first, to show what the machine itself adds.
    """
    lateness = _Lateness()
    await until(desk.queue.changed, lambda: desk.queue.is_engine_ready)
    figures = {"loading": lateness.take()}
    await asyncio.sleep(1.0)
    figures["idle"] = lateness.take()
    for name in ("first picture", "second picture"):
        desk.form.update(prompt=PROMPT)
        desk.window.commands.generate.trigger()
        await until(desk.queue.changed, lambda: desk.queue.is_idle)
        await desk.background.finish()
        figures[name] = lateness.take()
    return figures


async def measure_stop(desk: app.Desk, delays_s: list[float]) -> dict[str, Any]:
    """From the key press to the painted answer, for each delay after Generate."""
    answers = []
    for delay_s in delays_s:
        await until(desk.form.models_changed, lambda: bool(desk.form.models))
        desk.form.update(prompt=PROMPT)
        desk.window.commands.generate.trigger()
        hand = _Hand(desk)
        answers.append(await hand.press_stop_after(delay_s))
        await until(desk.queue.changed, lambda: desk.queue.is_idle)
    return {"stop_ms": answers}


class _FirstPaint(QObject):
    """When the window was painted for the first time, by the clock that all processes share."""

    def __init__(self, window: QObject) -> None:
        super().__init__(window)
        self.seen = asyncio.Event()
        self.at_s = 0.0
        self.cpu_s = 0.0
        self.had_paddle = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and not self.at_s:
            self.at_s = time.monotonic()
            self.cpu_s = time.process_time()
            self.had_paddle = "paddle" in sys.modules
            self.seen.set()
        return False


class _Lateness(QObject):
    """How much later than asked for a precise timer fires."""

    def __init__(self) -> None:
        super().__init__()
        self._late_ms: list[float] = []
        self._last_s = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def take(self) -> list[float]:
        """All that was seen since the last call."""
        taken, self._late_ms = self._late_ms, []
        return taken

    def _tick(self) -> None:
        now_s = time.perf_counter()
        self._late_ms.append(max(0.0, (now_s - self._last_s) * 1e3 - _TICK_MS))
        self._last_s = now_s
        self._timer.start()


class _Hand(QObject):
    """Presses Escape at a moment that the window's thread does not choose."""

    _press = Signal()

    def __init__(self, desk: app.Desk) -> None:
        super().__init__()
        self._desk = desk
        self._pressed_at_s = 0.0
        self._answered = asyncio.Event()
        self._answer_ms: float | None = None
        self._press.connect(self._escape)
        from PySide6.QtTest import QTest  # late, because the program itself does not load it

        self._key_click = QTest.keyClick
        desk.window.view.progress.installEventFilter(self)

    async def press_stop_after(self, delay_s: float) -> float | None:
        """Milliseconds until “Stopping…” was painted; None if the job had ended by then."""
        threading.Thread(target=self._wait_and_press, args=(delay_s,), daemon=True).start()
        await asyncio.wait_for(self._answered.wait(), 60)
        self._desk.window.view.progress.removeEventFilter(self)
        return self._answer_ms

    def _wait_and_press(self, delay_s: float) -> None:
        time.sleep(delay_s)
        self._pressed_at_s = time.perf_counter()
        self._press.emit()

    def _escape(self) -> None:
        if self._desk.queue.current is None:
            self._answered.set()
        self._key_click(self._desk.window, Qt.Key.Key_Escape)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._pressed_at_s and not self._answered.is_set():
            if self._desk.window.view.progress.text.startswith(("Stopping", "Stopped")):
                self._answer_ms = (time.perf_counter() - self._pressed_at_s) * 1e3
                self._answered.set()
            elif self._desk.queue.current is None:
                self._answered.set()
        return False


def _give_up(error: BaseException, where: str) -> None:
    """An unexpected exception ends the measurement, visibly."""
    sys.excepthook(type(error), error, error.__traceback__)
    raise SystemExit(f"in {where}")


if __name__ == "__main__":
    sys.exit(main())
