"""Which failures stop the whole queue, and which only the job that met them.

Pure, and shared by the window and `danqing batch`: one failed job never stops the others, but where
every other job would fail by the same cause, going on would only use the queue up.
"""

from __future__ import annotations

import errno

from desktop.store.database import DatabaseTrouble, Trouble
from desktop.store.job_record import LeftBecause
from engine.port import EngineError, ErrorCode

_OF_ENGINE = {
    ErrorCode.DEVICE_LOST: LeftBecause.DEVICE_LOST,
    ErrorCode.DEVICE_UNAVAILABLE: LeftBecause.DEVICE_LOST,
    ErrorCode.LIBRARY_MISSING: LeftBecause.DEVICE_LOST,
    ErrorCode.ENGINE_STOPPED: LeftBecause.DEVICE_LOST,
}

_OF_SYSTEM = {
    errno.ENOSPC: LeftBecause.DISK_FULL,
    errno.EDQUOT: LeftBecause.DISK_FULL,
    errno.EFBIG: LeftBecause.DISK_FULL,
    errno.ENOENT: LeftBecause.FOLDER_GONE,
    errno.ENOTDIR: LeftBecause.FOLDER_GONE,
    errno.ENODEV: LeftBecause.FOLDER_GONE,
    errno.ESTALE: LeftBecause.FOLDER_GONE,
    errno.EACCES: LeftBecause.NOT_WRITABLE,
    errno.EPERM: LeftBecause.NOT_WRITABLE,
    errno.EROFS: LeftBecause.NOT_WRITABLE,
}

_OF_DATABASE = {
    Trouble.DISK_FULL: LeftBecause.DISK_FULL,
    Trouble.READ_ONLY: LeftBecause.NOT_WRITABLE,
    Trouble.NOT_PERMITTED: LeftBecause.NOT_WRITABLE,
}


def because_of(problem: EngineError | OSError | DatabaseTrouble) -> LeftBecause | None:
    """Why the queue has to pause after `problem`; None if the next job may go well."""
    if isinstance(problem, EngineError):
        return _OF_ENGINE.get(problem.code)
    if isinstance(problem, DatabaseTrouble):
        return _OF_DATABASE.get(problem.trouble, LeftBecause.DISK_ERROR)
    return _OF_SYSTEM.get(problem.errno or 0, LeftBecause.DISK_ERROR)
