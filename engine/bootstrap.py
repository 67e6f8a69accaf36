"""What must be settled before PaddlePaddle is imported: threads, the C allocator, and its notices.

Separate because all three are process-wide and take effect only when they come first. PaddlePaddle
has no call to set its thread count; it and MKL read the environment once, at import.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib.util
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
"""Parameter numbers of glibc's `mallopt`, from <malloc.h>."""

_NOTICES = ("WARNING: OMP_NUM_THREADS set to", "PLEASE USE OMP_NUM_THREADS WISELY")
"""PaddlePaddle prints these when more than one thread is asked for; they advise on training."""


def cores() -> int:
    """The number of processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def has_gpu_code() -> bool:
    """False if the installed PaddlePaddle is missing or says that it was built for the CPU alone.

    Read in the file that its build writes, in a millisecond: a machine on which no GPU can be used
    need not wait for its check. Whatever else is found there, it may have GPU code.
    """
    spec = importlib.util.find_spec("paddle")
    if spec is None or spec.origin is None:
        return False
    try:
        text = (Path(spec.origin).parent / "version" / "__init__.py").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return True
    said = dict(re.findall(r"^(cuda_version|hip_version)\s*=\s*'?([\w.]+)", text, re.MULTILINE))
    return not {said.get("cuda_version"), said.get("hip_version")} <= {"False", "None"}


def prepare(threads: int) -> None:
    """Set the thread count and the allocator; must run before PaddlePaddle is imported.

    PaddlePaddle gives each large buffer back to the C library after use, and glibc gives it back to
    the kernel, so that every operation pays page faults for its whole output. Keeping freed memory
    makes element-wise operations about four times as fast and a whole transformer pass 1.2 times
    (ENGINE.md D.3). The price: memory returns to the system only through `return_freed_memory`.

    Raises RuntimeError if PaddlePaddle is loaded already with another thread count.
    """
    wanted = str(max(1, threads))
    if "paddle" in sys.modules:
        if os.environ.get("OMP_NUM_THREADS") != wanted:
            raise RuntimeError("PaddlePaddle is loaded already: its thread count is fixed")
        return
    os.environ["OMP_NUM_THREADS"] = wanted
    os.environ["MKL_NUM_THREADS"] = wanted
    glibc = _glibc()
    if glibc is not None:
        glibc.mallopt(_M_MMAP_THRESHOLD, 1 << 30)
        glibc.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)


def return_freed_memory() -> None:
    """Give memory that the process has freed back to the system (glibc only, else nothing)."""
    glibc = _glibc()
    if glibc is not None:
        glibc.malloc_trim(0)


def preload() -> None:
    """Load PaddlePaddle's shared library, and leave other Python threads running meanwhile.

    An import holds Python's global lock while the dynamic loader works, here for a quarter of a
    second, or for seconds from a cold disk, and a window stands still for so long; a foreign call
    does not. The import then finds the library loaded. Does nothing where it is not found: the
    import says why.
    """
    if sys.platform != "linux" or "paddle" in sys.modules:
        return
    spec = importlib.util.find_spec("paddle")
    if spec is None or spec.origin is None:
        return
    library = Path(spec.origin).parent / "base" / "libpaddle.so"
    loader = ctypes.CDLL(None).dlopen
    loader.argtypes = (ctypes.c_char_p, ctypes.c_int)
    loader.restype = ctypes.c_void_p
    loader(os.fsencode(library), os.RTLD_NOW)


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """Have no garbage collected inside this, and what was made inside exempt from then on.

    A full collection walks through the million objects that PaddlePaddle's import leaves behind,
    and holds Python's global lock for 0.2 s. They live as long as the program.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextlib.contextmanager
def quiet_import() -> Iterator[None]:
    """Import PaddlePaddle inside this: drops its two notices about threads and one about ccache.

    Everything else that is written to standard error meanwhile passes through.
    """
    original = sys.stderr
    sys.stderr = _WithoutNotices(original)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="No ccache found", category=UserWarning)
            yield
    finally:
        sys.stderr = original


class _WithoutNotices(io.TextIOBase):
    """A text stream that forwards what is written to it, except PaddlePaddle's notices."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._dropping = False

    def write(self, text: str, /) -> int:
        if text.startswith(_NOTICES):
            self._dropping = not text.endswith("\n")
        elif self._dropping and text == "\n":
            self._dropping = False
        elif self._stream is not None:
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        if self._stream is not None:
            self._stream.flush()


def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "gnu_get_libc_version") else None
