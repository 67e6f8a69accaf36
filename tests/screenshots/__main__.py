"""Takes the pictures: `python -m tests.screenshots [--out FOLDER] [--real] [--platform NAME]`.

Each display scale is a process of its own, because Qt reads it once. With `--real` the engine and
the starter model draw, and only finished pictures are shown; without, a pretended engine stands
still in the middle of a job. The platform is `offscreen` unless asked otherwise; with `xcb` under
Xvfb the fonts and the window are those of a real screen.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SCALES = (1, 2)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/screenshots"))
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--platform", default="offscreen")
    parser.add_argument("--scale", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help="take only states whose name holds this")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.scale:
        from tests.screenshots import session

        return session.take(
            options.out, scale=options.scale, is_real=options.real, only=options.only
        )
    return max(_take_at(scale, sys.argv[1:], options.platform) for scale in SCALES)


def _take_at(scale: int, arguments: list[str], platform: str) -> int:
    with tempfile.TemporaryDirectory(prefix="danqing-home-") as home:
        environment = {name: text for name, text in os.environ.items() if "XDG_" not in name}
        environment |= {
            "HOME": home,
            "LC_ALL": "C.UTF-8",
            "QT_QPA_PLATFORM": platform,
            "QT_SCALE_FACTOR": str(scale),
        }
        command = [sys.executable, "-m", "tests.screenshots", *arguments, "--scale", str(scale)]
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
