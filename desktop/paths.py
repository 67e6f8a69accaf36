"""Where Danqing keeps its files: the freedesktop base folders, one function each.

Separate so that no other module composes such a path, and functions rather than constants so that
importing anything touches neither the environment nor the disk. Nothing here creates a folder.
"""

from __future__ import annotations

from pathlib import Path

import platformdirs

_APP = "danqing"


def config_folder() -> Path:
    """Settings: `$XDG_CONFIG_HOME/danqing`."""
    return platformdirs.user_config_path(_APP, appauthor=False)


def data_folder() -> Path:
    """What is costly to get again, model weights above all: `$XDG_DATA_HOME/danqing`."""
    return platformdirs.user_data_path(_APP, appauthor=False)


def state_folder() -> Path:
    """Queue, history and logs: `$XDG_STATE_HOME/danqing`."""
    return platformdirs.user_state_path(_APP, appauthor=False)


def cache_folder() -> Path:
    """What can be made again at any time: `$XDG_CACHE_HOME/danqing`."""
    return platformdirs.user_cache_path(_APP, appauthor=False)


def models_folder() -> Path:
    """Models that the user added or downloaded, one folder each."""
    return data_folder() / "models"


def pictures_folder() -> Path:
    """Finished pictures: `Danqing` in the user's pictures folder (`XDG_PICTURES_DIR`)."""
    return platformdirs.user_pictures_path() / "Danqing"


def rescue_folder() -> Path:
    """Where a picture goes when the folder that the user chose cannot take it."""
    return state_folder() / "rescued-pictures"


def wildcards_folder() -> Path:
    """The user's files of alternatives for prompt lists: `colours.txt` is `__colours__`."""
    return data_folder() / "wildcards"
