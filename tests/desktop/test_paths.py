"""Where files go, from the environment alone."""

from __future__ import annotations

from pathlib import Path

from desktop import paths


def test_the_freedesktop_folders(home):
    assert paths.config_folder() == home / ".config/danqing"
    assert paths.data_folder() == home / ".local/share/danqing"
    assert paths.state_folder() == home / ".local/state/danqing"
    assert paths.cache_folder() == home / ".cache/danqing"
    assert paths.models_folder() == home / ".local/share/danqing/models"
    assert paths.pictures_folder() == home / "Pictures/Danqing"
    assert paths.rescue_folder() == home / ".local/state/danqing/rescued-pictures"
    assert list(home.iterdir()) == []


def test_without_variables_the_home_folder_decides(home, monkeypatch):
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("XDG_PICTURES_DIR")
    assert paths.state_folder() == home / ".local/state/danqing"
    assert paths.pictures_folder() == home / "Pictures/Danqing"


def test_the_user_s_own_pictures_folder(home, monkeypatch):
    monkeypatch.delenv("XDG_PICTURES_DIR")
    (home / ".config").mkdir()
    (home / ".config/user-dirs.dirs").write_text('XDG_PICTURES_DIR="$HOME/图片"\n', "utf-8")
    assert paths.pictures_folder() == home / "图片/Danqing"


def test_relative_folders_are_ignored_as_the_specification_says(home, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert paths.state_folder() == Path(home / ".local/state/danqing")
