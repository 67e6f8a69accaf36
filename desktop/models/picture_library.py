"""The library while the window is open: what is saved, deleted and found goes into its index.

Separate from the strip, which shows the newest pictures and needs no index: they are there at once,
however long the first scan takes. Every method is for a worker thread.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from desktop.store.library_scan import ScanResult

log = logging.getLogger(__name__)


class PictureLibrary:
    """The index in `state_folder`; `roots` gives the folders that are in it at any time."""

    def __init__(self, state_folder: Path, roots: Callable[[], Sequence[Path]]) -> None:
        self._state_folder = state_folder
        self._roots = roots
        self._is_ending = threading.Event()

    def remember(self, path: Path) -> None:
        """Index a picture that was just saved or put back."""
        from desktop.store import library

        library.remember(self._state_folder, path, self._roots())

    def forget(self, path: Path) -> None:
        """Take a picture that was deleted out of the index."""
        from desktop.store import library

        library.forget(self._state_folder, path)

    def update(self) -> None:
        """Bring the index up to date; ends early, without loss, after `end`.

        One that turns out to be damaged is set aside and made again.
        """
        from desktop.store import library_file

        try:
            try:
                self._scan()
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                log.warning("the index of the library: %s", error)
                library_file.set_aside_if_damaged(self._state_folder)
                self._scan()
        except (sqlite3.Error, OSError) as error:
            log.warning("the index of the library cannot be brought up to date: %s", error)

    def _scan(self) -> None:
        from desktop.store import library, library_scan

        with library.opened(self._state_folder) as opened:
            for root in self._roots():
                opened.add_root(root)
            log.info("library: %s", library_scan.scan(opened, progress=self._may_go_on))

    def end(self) -> None:
        """The window closes: an update need not go on."""
        self._is_ending.set()

    def _may_go_on(self, result: ScanResult) -> bool:
        return not self._is_ending.is_set()
