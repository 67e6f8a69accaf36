"""The self-test's own process: each step reported as soon as it is done.

A process of its own, because a fault of a GPU ends the process (HSA aborts), and a hang cannot be
ended otherwise. Its standard output carries messages and nothing else: what libraries print there
goes to standard error. Started by `engine.checks.selftest`, which knows what to make of its death;
what the steps do is `engine.checks.selftest_run`'s.

    python -m engine.checks.selftest_child --device gpu:0
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from typing import TextIO

from engine import bootstrap
from engine.checks import selftest_plan as plan
from engine.checks.selftest_messages import Message, encode
from engine.checks.selftest_run import Run
from engine.port import DevicePreference


def main(arguments: list[str] | None = None, amounts: plan.Amounts | None = None) -> int:
    """Do the steps that the command line names; returns the exit status.

    `amounts` replaces the usual ones; for tests.
    """
    options = _parser().parse_args(arguments)
    messages = _claim_stdout()
    lock = threading.Lock()

    def send(message: Message) -> None:
        with lock:
            messages.write(encode(message) + "\n")
            messages.flush()

    _end_with_parent()
    bootstrap.prepare(bootstrap.cores())
    preference, index = options.device
    run = Run(preference, index, send, amounts)
    names = plan.steps(full_memory=options.full_memory)
    if options.only:
        names = tuple(name for name in names if name in options.only)
        if plan.DEVICE not in names:
            run.open_silently()
    run.steps(names)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="selftest_child")
    parser.add_argument("--device", type=_device, required=True, metavar="auto|cpu|gpu:N")
    parser.add_argument("--full-memory", action="store_true")
    parser.add_argument("--only", action="append", metavar="STEP")
    return parser


def _device(value: str) -> tuple[DevicePreference, int]:
    name, _, index = value.partition(":")
    return DevicePreference(name), int(index or 0)


def _claim_stdout() -> TextIO:
    """Standard output for messages alone: whoever writes to it from now on, writes to stderr."""
    messages = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return messages


def _end_with_parent() -> None:
    """End this process when its standard input closes: the parent holds the other end."""

    def wait() -> None:
        while os.read(0, 1024):
            pass
        os._exit(1)

    threading.Thread(target=wait, name="parent", daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
