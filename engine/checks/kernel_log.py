"""The kernel's messages since boot, read from /dev/kmsg, where the user may.

Separate from `live`, because it is a stream of records and no file; nothing is run for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

MAX_BYTES = 4 * 2**20
"""Of the ring buffer; distributions keep 128 kB to 1 MB."""


def read() -> str | None:
    """The kernel's messages since boot, or None where reading them is not permitted."""
    try:
        handle = os.open("/dev/kmsg", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return "\n".join(_messages(handle))
    finally:
        os.close(handle)


def _messages(handle: int) -> Iterator[str]:
    """`[    4.978741] text` of each record; a record is `level,number,microseconds,flags;text`."""
    size = 0
    while size < MAX_BYTES:
        try:
            record = os.read(handle, 16384)
        except BlockingIOError:
            return
        except BrokenPipeError:
            continue  # overwritten while being read; the next one is there
        except OSError:
            return
        if not record:
            return
        size += len(record)
        head, _, text = record.decode("utf-8", errors="replace").partition(";")
        fields = head.split(",")
        is_stamped = len(fields) > 2 and fields[2].isdigit()
        seconds = int(fields[2]) / 1e6 if is_stamped else 0.0
        yield f"[{seconds:12.6f}] {text.partition(chr(10))[0]}"
