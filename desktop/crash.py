"""The last resort: every exception that nothing else caught ends in the log and in one line.

Owned here for all threads, so that a bug is never silent and never shown as a traceback to
somebody who only wanted a picture. Expected problems do not come here: they are `EngineFault`s and
`OSError`s with their own words. Crashes of native code (a segmentation fault, an abort in a driver)
leave the threads' stacks in `crash.log`, kept as `crash-previous.log` at the next start.
"""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TextIO

log = logging.getLogger(__name__)

STACKS_FILE = "crash.log"
PREVIOUS_STACKS_FILE = "crash-previous.log"


class CrashHandler:
    """Logs exceptions that nobody caught and tells the user in one line.

    `log_file` is where `desktop.logs` writes; when it is None the traceback goes to `say`, because
    losing it would hide the bug.
    """

    def __init__(self, log_file: Path | None, say: Callable[[str], None]) -> None:
        self._log_file = log_file
        self._say = say

    def install(self) -> None:
        """Handle the main thread, every other thread, and errors in destructors."""
        sys.excepthook = self._main_thread
        threading.excepthook = self._other_thread
        sys.unraisablehook = self._unraisable

    def report(self, error: BaseException, where: str) -> None:
        """Log `error` with its traceback and tell the user."""
        log.critical(
            "unhandled exception in %s", where, exc_info=(type(error), error, error.__traceback__)
        )
        name = type(error).__name__
        if self._log_file is None:
            self._say("".join(traceback.format_exception(error)).rstrip())
            self._say(f"Danqing is broken here ({name}); please report the text above.")
        else:
            self._say(f"Danqing is broken here ({name}); the details are in {self._log_file}")

    def _main_thread(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self.report(error.with_traceback(trace), "the main thread")

    def _other_thread(self, arguments: threading.ExceptHookArgs) -> None:
        name = arguments.thread.name if arguments.thread else "a thread"
        if arguments.exc_value is not None:
            self.report(arguments.exc_value, f"thread {name}")

    def _unraisable(self, arguments: sys.UnraisableHookArgs) -> None:
        if arguments.exc_value is not None:
            self.report(arguments.exc_value, f"{arguments.object!r}")


class NativeStacks:
    """The file that faulthandler writes to when native code crashes; one for the process."""

    def __init__(self) -> None:
        self._file: TextIO | None = None

    def keep_in(self, folder: Path) -> None:
        """Have native crashes write the stacks of all threads into `folder`.

        Only logs it when the folder cannot be written.
        """
        path = folder / STACKS_FILE
        try:
            if path.exists() and path.stat().st_size > 0:
                path.replace(folder / PREVIOUS_STACKS_FILE)
                log.warning("the last run crashed in native code: see %s", PREVIOUS_STACKS_FILE)
            self._file = path.open("a", encoding="utf-8")
        except OSError as error:
            log.warning("stacks of native crashes are not kept: %s", error)
            return
        faulthandler.enable(self._file)

    def reclaim(self) -> None:
        """Take the fatal signals back from PaddlePaddle, which claims them when it is imported.

        Call after the import, from any thread. Does nothing where stacks are not kept.
        """
        if self._file is not None:
            faulthandler.disable()
            faulthandler.enable(self._file)


native_stacks = NativeStacks()
