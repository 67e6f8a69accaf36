"""The files that are read, never imported: starter model, device table, icons, translations.

A package only so that they are installed as data and found wherever the program lives. Nothing
else belongs here: whoever reads a file knows its format.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def path(*parts: str) -> Path:
    """Where a packaged file or folder lies on disk: `path("starter-model", "model_index.json")`.

    The path may not exist; reading it says so. It is a real path, since weights are memory-mapped:
    danqing is therefore never run from a zip archive, where this raises TypeError.
    """
    root = files(__name__)
    if not isinstance(root, Path):
        raise TypeError(f"danqing must be unpacked to run, but its resources are in {root}")
    return root.joinpath(*parts)
