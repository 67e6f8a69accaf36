"""Which process makes a job, and whether that process is still alive.

A holder is a lock on a file of its own, which the kernel takes back when its process ends, however
it ends. Process numbers would not do: they are used again, and each sandbox counts its own.
"""

from __future__ import annotations

import fcntl
import os
import secrets
from contextlib import suppress
from pathlib import Path

FOLDER_NAME = "holders"


class Holder:
    """This process, to the others. `folder` None: nobody else can see the queue."""

    def __init__(self, folder: Path | None) -> None:
        """Raises `OSError`."""
        self.name = secrets.token_hex(8)
        self._folder = None if folder is None else folder / FOLDER_NAME
        self._lock: int | None = None
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(self._folder / self.name)

    def is_alive(self, name: str) -> bool:
        """Whether the process that goes by this name still runs. Raises `OSError`."""
        if name == self.name:
            return self._lock is not None or self._folder is None
        if self._folder is None:
            return False
        return not _is_free(self._folder / name)

    def sweep(self) -> None:
        """Remove what ended processes have left; what cannot be removed may stay."""
        if self._folder is None:
            return
        with suppress(OSError):
            for path in self._folder.iterdir():
                if path.name != self.name and _is_free(path):
                    path.unlink(missing_ok=True)

    def close(self) -> None:
        if self._lock is not None and self._folder is not None:
            with suppress(OSError):
                (self._folder / self.name).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None


def _locked(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Another process may have swept the file away before it was locked.
            with suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(descriptor).st_ino:
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_free(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
