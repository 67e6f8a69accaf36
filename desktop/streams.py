"""Standard input, output and error as a shell may hand them over: closed, full, or unread.

Whoever starts the program decides what its output is worth; pictures are made and saved all the
same. Separate because it must be settled before anything is printed or any file is opened: a file
opened while standard output is closed would take its number, and native code would print into it.
Imports nothing heavy, because even `--version` passes here.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import TextIO

STATUS_OUTPUT_LOST = 1
"""Exit status of a program that did its work and could not write its results."""

_UNREAD = frozenset({errno.EPIPE, errno.ECONNRESET})
"""The reader went away (`| head`): its own choice, and no failure of ours."""


class Outlet(io.TextIOWrapper):
    """A text stream that stops writing at its first failure, without raising.

    From then on its descriptor leads to the null device, so that neither native code nor the
    interpreter's own flush at exit meets the failure again.
    """

    failure: OSError | None = None
    """What went wrong, unless it is only that nobody reads any more."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError as error:
            self._give_up(error)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        if error.errno not in _UNREAD:
            self.failure = self.failure or error
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def prepare() -> None:
    """Make the three standard streams usable, whatever they are; call first, and once.

    A closed one leads to the null device. Writing to the others never fails: see `Outlet`. Nor does
    it fail over a character: paths keep their exact bytes, a poor terminal gets escapes.
    """
    for descriptor in range(3):  # in this order: each takes the lowest free number, its own
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - for the whole run
    sys.stdout = sys.__stdout__ = _outlet(sys.stdout, 1)
    sys.stderr = sys.__stderr__ = _outlet(sys.stderr, 2)


def finish(status: int) -> int:
    """The exit status: `status`, unless that says success and results were lost."""
    sys.stdout.flush()
    failure = getattr(sys.stdout, "failure", None)
    if failure is None:
        return status
    sys.stderr.write(f"danqing: standard output cannot be written: {failure.strerror}\n")
    return status or STATUS_OUTPUT_LOST


def _outlet(stream: TextIO | None, descriptor: int) -> TextIO:
    if stream is None:
        buffer = io.BufferedWriter(io.FileIO(descriptor, "w", closefd=False))
        return Outlet(buffer, encoding="utf-8", errors="backslashreplace")
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # somebody else's, who knows what it is for
    encoding, is_line_buffered = stream.encoding, stream.line_buffering
    is_utf8 = codecs.lookup(encoding).name == "utf-8"
    return Outlet(
        stream.detach(),
        encoding=encoding,
        errors="surrogateescape" if is_utf8 else "backslashreplace",
        line_buffering=is_line_buffered,
    )
