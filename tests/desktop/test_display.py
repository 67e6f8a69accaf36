"""Whether a window can open, from the environment and the libraries that are there."""

from __future__ import annotations

import ctypes

import pytest

from desktop import display


def test_no_display_is_said_so():
    assert "no display" in (display.why_no_window({}) or "")
    assert "no display" in (display.why_no_window({"DISPLAY": "", "WAYLAND_DISPLAY": ""}) or "")


def test_a_platform_chosen_by_hand_is_trusted():
    assert display.why_no_window({"QT_QPA_PLATFORM": "offscreen"}) is None


@pytest.fixture
def loadable(monkeypatch):
    """Which platform plugins have all their libraries, instead of this machine's answer."""
    plugins: set[str] = set()

    def load(path):
        if not any(name in path for name in plugins):
            raise OSError("libxcb-cursor.so.0: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", load)
    return plugins


def test_a_library_that_is_missing_is_named(loadable):
    problem = display.why_no_window({"DISPLAY": ":0"})
    assert problem is not None
    assert "libxcb-cursor.so.0" in problem
    assert "\n" not in problem


def test_either_way_to_a_window_is_enough(loadable):
    both = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}
    assert display.why_no_window(both) is not None
    loadable.add("libqxcb")
    assert display.why_no_window(both) is None
    assert display.why_no_window({"WAYLAND_DISPLAY": "wayland-0"}) is not None


def test_the_plugins_of_the_installed_qt_are_found(loadable):
    loadable.add("platforms/libq")
    assert display.why_no_window({"DISPLAY": ":0"}) is None
    assert display.why_no_window({"WAYLAND_DISPLAY": "wayland-0"}) is None
