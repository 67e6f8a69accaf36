"""Whether a window can open here; asked before Qt is loaded, because Qt aborts where it cannot.

Separate from the window: its answer decides whether Qt is imported at all.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

_PLUGIN_OF_VARIABLE = {"WAYLAND_DISPLAY": "wayland", "DISPLAY": "xcb"}
_OWN_PLUGINS = ("QT_QPA_PLATFORM_PLUGIN_PATH", "QT_PLUGIN_PATH")
"""Variables that lead Qt to plugins from elsewhere, of which nothing is known here."""

_CONNECT_S = 3.0


def why_no_window(environment: Mapping[str, str]) -> str | None:
    """None if a window can open, else the reason in a few words.

    Qt takes Wayland where it can and X11 otherwise, or what QT_QPA_PLATFORM says; each needs a
    library of the system that may be missing and a display that answers, and without one of them Qt
    would end the process.
    """
    if not sys.platform.startswith("linux"):
        return None
    wanted = environment.get("QT_QPA_PLATFORM", "")
    if wanted:
        plugins = [choice.partition(":")[0] for choice in wanted.split(";")]
    else:
        plugins = [plugin for name, plugin in _PLUGIN_OF_VARIABLE.items() if environment.get(name)]
    if not plugins:
        return "there is no display (DISPLAY and WAYLAND_DISPLAY are not set)"
    problems = [_problem(plugin, environment) for plugin in plugins]
    if None in problems:
        return None
    return f"Qt cannot open one ({'; '.join(str(problem) for problem in problems)})"


def _problem(plugin: str, environment: Mapping[str, str]) -> str | None:
    problem = None
    if not any(environment.get(name) for name in _OWN_PLUGINS):
        problem = _why_not_loadable(plugin)
    if problem is not None:
        return problem
    if plugin == "xcb":
        return _why_no_x_display(environment.get("DISPLAY", ""))
    if plugin.startswith("wayland"):
        return _why_no_wayland_display(environment)
    return None


def _why_not_loadable(plugin: str) -> str | None:
    """None if the platform plugin's libraries are all there, else the loader's words."""
    spec = importlib.util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        return "PySide6 is not installed"
    folder = Path(spec.submodule_search_locations[0]) / "Qt" / "plugins" / "platforms"
    if not folder.is_dir():
        return None  # a distribution's own Qt: its packages bring what it needs
    # One file serves `wayland`, `wayland-egl` and others of that family.
    family = plugin.partition("-")[0]
    names = (f"libq{family}.so", f"libq{family}-*.so") if family.isalnum() else ()
    files = [file for name in names for file in sorted(folder.glob(name))]
    if not files:
        return f"Qt has no {ascii(plugin)[1:-1]} plugin"
    try:
        ctypes.CDLL(str(files[0]))
    except OSError as error:
        return str(error)
    return None


def _why_no_x_display(name: str) -> str | None:
    """None if the X server `name` accepts a connection, else what is wrong.

    Asks the library that Qt asks, because it alone knows every form of a display's name, and
    whether this user may connect. Where it cannot be loaded, Qt's own would not have been.
    """
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError as error:
        return str(error)
    xcb.xcb_connect.argtypes = (ctypes.c_char_p, ctypes.c_void_p)
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = (ctypes.c_void_p,)
    xcb.xcb_disconnect.argtypes = (ctypes.c_void_p,)
    connection = xcb.xcb_connect(os.fsencode(name) if name else None, None)
    has_error = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return f"the display DISPLAY={ascii(name)[1:-1]} does not answer" if has_error else None


def _why_no_wayland_display(environment: Mapping[str, str]) -> str | None:
    """None if the compositor's socket accepts a connection, else what is wrong.

    The name is a path, or that of a file in XDG_RUNTIME_DIR (the manual of `wl_display_connect`).
    """
    if environment.get("WAYLAND_SOCKET"):
        return None  # an open connection, handed over by the parent process
    name = environment.get("WAYLAND_DISPLAY") or "wayland-0"
    place = Path(environment.get("XDG_RUNTIME_DIR", ""), name)
    if not place.is_absolute():
        return "XDG_RUNTIME_DIR is not set"
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(_CONNECT_S)
        try:
            probe.connect(os.fsencode(place))
        except OSError:
            return f"the display WAYLAND_DISPLAY={ascii(name)[1:-1]} does not answer"
    return None
