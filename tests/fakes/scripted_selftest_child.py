"""A self-test's child that computes nothing: says and does what a script tells it.

The script is JSON in `DANQING_TEST_SCRIPT`: step name -> what happens there (`pass` where nothing
is said). So that every way in which a process can end or misbehave is tried in a fraction of a
second.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path

from engine.checks import selftest_plan as plan
from engine.checks.selftest_messages import Begun, Done, Outcome, encode
from engine.port import Verdict


def send(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def misbehave(action: str) -> None:
    """One way of not doing the step; returns where the step is done after all."""
    sys.stderr.write(f"about to {action}\n")
    sys.stderr.flush()
    match action.partition(":"):
        case ("hang", _, _):
            time.sleep(1000)
        case ("abort", _, _):
            os.abort()
        case ("signal", _, number):
            os.kill(os.getpid(), int(number))
        case ("exit", _, status):
            os._exit(int(status))
        case ("abort-once", _, marker):
            if not Path(marker).exists():
                Path(marker).touch()
                os.abort()
        case ("chatter", _, _):
            os.write(1, b'library says hello\n{"event": "outcome"}\n\xff\xfe\n[1]\nnull\n')
            os.write(2, b"x" * 300_000)
        case ("slow", _, _):
            for _ in range(4):
                time.sleep(0.4)
                send('{"event": "alive"}')
        case ("close", _, _):
            os.close(1)
            time.sleep(1000)
        case ("wait-for", _, file):
            Path(file).write_text(str(os.getpid()))
            sys.stdin.buffer.read()
            Path(file).unlink()
            os._exit(0)


def main() -> int:
    # The usual handling of fatal signals writes core files; nobody wants those of a test.
    signal.signal(signal.SIGABRT, signal.SIG_DFL)
    parser = argparse.ArgumentParser()
    parser.add_argument("--device")
    parser.add_argument("--full-memory", action="store_true")
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    script = json.loads(os.environ["DANQING_TEST_SCRIPT"])
    for name in options.only or plan.steps(full_memory=options.full_memory):
        send(encode(Begun(name)))
        misbehave(script.get(name, "pass"))
        send(encode(Outcome(name=name, verdict=Verdict.PASS, seconds=0.5)))
    send(encode(Done()))
    misbehave(script.get("end", "pass"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
