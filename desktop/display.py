"""Whether a window can open here; asked before Qt is loaded, because Qt aborts where it cannot.

Separate from the window: its answer decides whether Qt is imported at all.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

_PLUGIN_OF_VARIABLE = {"WAYLAND_DISPLAY": "wayland", "DISPLAY": "xcb"}


def why_no_window(environment: Mapping[str, str]) -> str | None:
    """None if a window can open, else the reason in a few words.

    Qt takes Wayland where it can and X11 otherwise; each needs a library of the system that may be
    missing, and then Qt would end the process.
    """
    if environment.get("QT_QPA_PLATFORM") or not sys.platform.startswith("linux"):
        return None
    plugins = [plugin for name, plugin in _PLUGIN_OF_VARIABLE.items() if environment.get(name)]
    if not plugins:
        return "there is no display (DISPLAY and WAYLAND_DISPLAY are not set)"
    problems = [_why_not_loadable(plugin) for plugin in plugins]
    if None in problems:
        return None
    return f"Qt cannot open one ({'; '.join(str(problem) for problem in problems)})"


def _why_not_loadable(plugin: str) -> str | None:
    """None if the platform plugin's libraries are all there, else the loader's words."""
    spec = importlib.util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        return "PySide6 is not installed"
    folder = Path(spec.submodule_search_locations[0]) / "Qt" / "plugins" / "platforms"
    files = sorted(folder.glob(f"libq{plugin}*.so"))
    if not folder.is_dir():
        return None  # a distribution's own Qt: its packages bring what it needs
    if not files:
        return f"Qt has no {plugin} plugin"
    try:
        ctypes.CDLL(str(files[0]))
    except OSError as error:
        return str(error)
    return None
