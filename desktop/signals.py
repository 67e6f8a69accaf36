"""Ctrl+C, a closed terminal and the end of the session close the window as its button does.

Separate because Python's own handlers run between two lines of Python, and a window that waits for
events runs none: a byte through a socket wakes it.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class EndingSignals(QObject):
    """Calls `close` on SIGINT, SIGTERM or SIGHUP; a second one ends the program the system's way.

    A SIGHUP that is ignored, as `nohup` has it, stays ignored.
    """

    def __init__(self, close: Callable[[], None]) -> None:
        super().__init__()
        self._close = close
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        self._has_received = False
        self._before = {
            number: signal.getsignal(number)
            for number in _ENDING
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN
        }
        self.claim()
        self._wakeup_before = signal.set_wakeup_fd(self._writer.fileno())
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._receive)

    def claim(self) -> None:
        """Take the signals; again after PaddlePaddle, which claims SIGTERM when it is imported."""
        for number in self._before:
            signal.signal(number, signal.SIG_DFL if self._has_received else _ignore)

    def release(self) -> None:
        """Leave signals as they were found."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._reader.close()
        self._writer.close()

    def _receive(self) -> None:
        received = self._reader.recv(64)
        if any(number in received for number in self._before):
            self._has_received = True
            self.claim()
            self._close()


def _ignore(number: int, frame: object) -> None:
    """Without a handler of ours, the signal itself would end the program."""
