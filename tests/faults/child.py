"""`danqing batch` in a process of its own, on the pretended engine, for tests that end it badly.

`python -m tests.faults.child FILE [OPTIONS]`; with `DANQING_TEST_STEP_S` a step takes so long.
"""

from __future__ import annotations

import os
import sys

from desktop import arguments, batch_command, terminal
from desktop.cli import Backend
from engine.port import ChooseDevice
from tests.fakes.fake_engine import FakeCatalog, FakeEngine
from tests.fakes.script import Script


def main() -> int:
    command = arguments.parse(["batch", *sys.argv[1:]])
    if not isinstance(command, arguments.DrawBatch):
        raise TypeError("only batches are drawn here")
    script = Script(step_s=float(os.environ.get("DANQING_TEST_STEP_S", "0")), has_previews=False)
    backend = Backend(
        open_catalog=FakeCatalog,
        open_engine=lambda catalog, device: FakeEngine(script),
        choose_device=lambda preference, index: ChooseDevice(preference=preference),
    )
    return batch_command.batch(command, backend, terminal.Results(), sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
