"""The log file: in the state folder, bounded in size and number, written by every thread.

Separate from `desktop.crash`, which only uses it. A state folder that is missing, read-only or full
costs the log and nothing else: the program says so once and goes on. Prompts are logged at debug
level only, which `DANQING_LOG=debug` turns on.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from logging.handlers import RotatingFileHandler
from pathlib import Path

FILE_NAME = "danqing.log"
LEVEL_VARIABLE = "DANQING_LOG"
MAX_BYTES = 1_000_000
OLD_FILES = 4
_LINE = "%(asctime)s %(process)d %(threadName)s %(levelname)s %(name)s: %(message)s"

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}

Say = Callable[[str], None]
"""Shows one line to the user."""


class _LogFile(RotatingFileHandler):
    """A rotating file that gives up, with one line to the user, at its first failure."""

    def __init__(self, path: Path, say: Say) -> None:
        super().__init__(
            path,
            maxBytes=MAX_BYTES,
            backupCount=OLD_FILES,
            encoding="utf-8",
            errors="backslashreplace",
        )
        self._say = say
        self._broken = False

    def emit(self, record: logging.LogRecord) -> None:
        if not self._broken:
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        self._broken = True
        self._say(_no_log(Path(self.baseFilename), error))


def start(folder: Path, *, say: Say, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Send every log record to a file in `folder`; returns the file, or None if there is none.

    The folder is made if need be, for the user alone. Call once, from the main thread.
    """
    root = logging.getLogger()
    root.setLevel(_LEVELS.get(environment.get(LEVEL_VARIABLE, "").lower(), logging.INFO))
    logging.captureWarnings(True)
    path = folder / FILE_NAME
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = _LogFile(path, say)
    except OSError as error:
        # Without any handler, logging would print warnings to the terminal.
        root.addHandler(logging.NullHandler())
        say(_no_log(path, error))
        return None
    handler.setFormatter(logging.Formatter(_LINE))
    root.addHandler(handler)
    return path


def _no_log(path: Path, error: OSError) -> str:
    return f"No log is kept: {path}: {error.strerror or error}."
