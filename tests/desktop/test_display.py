"""Whether a window can open, from the environment and the libraries that are there."""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import subprocess

import pytest

from desktop import display


def test_no_display_is_said_so():
    assert "no display" in (display.why_no_window({}) or "")
    assert "no display" in (display.why_no_window({"DISPLAY": "", "WAYLAND_DISPLAY": ""}) or "")


def test_a_platform_chosen_by_hand_is_taken():
    assert display.why_no_window({"QT_QPA_PLATFORM": "offscreen"}) is None
    assert display.why_no_window({"QT_QPA_PLATFORM": "foo;offscreen:size=8x8"}) is None


@pytest.mark.parametrize("platform", ["foo", "../offscreen", "off"])
def test_a_platform_that_qt_lacks_is_named(platform):
    problem = display.why_no_window({"QT_QPA_PLATFORM": platform, "DISPLAY": ":0"})
    assert f"no {platform} plugin" in (problem or "")


def test_a_platform_from_elsewhere_is_trusted():
    environment = {"QT_QPA_PLATFORM": "foo", "QT_QPA_PLATFORM_PLUGIN_PATH": "/opt/qt"}
    assert display.why_no_window(environment) is None


# --- displays -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [":4321", "nonsense", "unix:4321"])
@pytest.mark.parametrize("platform", ["", "xcb"])
def test_a_display_that_is_gone_is_named(name, platform):
    problem = display.why_no_window({"DISPLAY": name, "QT_QPA_PLATFORM": platform})
    assert "DISPLAY=" + name in (problem or "")
    assert "does not answer" in (problem or "")


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="no X server to ask")
def test_a_display_that_answers_is_enough():
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "64x64x24", "-noreset"]
    words += ["-nolisten", "tcp"]
    with subprocess.Popen(words, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        with os.fdopen(reading) as numbers:
            name = f":{numbers.readline().strip()}"
        try:
            assert display.why_no_window({"DISPLAY": name}) is None
            assert display.why_no_window({"DISPLAY": name, "WAYLAND_DISPLAY": "gone"}) is None
        finally:
            server.terminate()


def test_a_wayland_display_is_a_socket_that_accepts(tmp_path):
    environment = {"WAYLAND_DISPLAY": "w", "XDG_RUNTIME_DIR": str(tmp_path)}
    assert "WAYLAND_DISPLAY=w does not answer" in (display.why_no_window(environment) or "")
    with socket.socket(socket.AF_UNIX) as compositor:
        compositor.bind(str(tmp_path / "w"))
        assert "does not answer" in (display.why_no_window(environment) or "")
        compositor.listen()
        assert display.why_no_window(environment) is None
        assert display.why_no_window({"WAYLAND_DISPLAY": str(tmp_path / "w")}) is None
    assert "does not answer" in (display.why_no_window(environment) or "")
    assert "XDG_RUNTIME_DIR" in (display.why_no_window({"WAYLAND_DISPLAY": "w"}) or "")


# --- libraries ------------------------------------------------------------------------------------


@pytest.fixture
def loadable(monkeypatch):
    """Which platform plugins have all their libraries, instead of this machine's answer."""
    plugins: set[str] = set()

    def load(path):
        if not any(name in path for name in plugins):
            raise OSError("libxcb-cursor.so.0: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", load)
    monkeypatch.setattr(display, "_why_no_x_display", lambda name: None)
    monkeypatch.setattr(display, "_why_no_wayland_display", lambda environment: None)
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
