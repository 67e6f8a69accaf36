"""Where a damaged file is put: beside its old place, under a name with the date."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path


def dated_name(path: Path) -> Path:
    """A free name for what was `path`: `settings-damaged-2026-11-30-120000.json`."""
    stamp = datetime.now().astimezone().strftime("%Y-%m-%d-%H%M%S")
    aside = path.with_name(f"{path.stem}-damaged-{stamp}{path.suffix}")
    number = 1
    while os.path.lexists(aside):
        number += 1
        aside = path.with_name(f"{path.stem}-damaged-{stamp}-{number}{path.suffix}")
    return aside
