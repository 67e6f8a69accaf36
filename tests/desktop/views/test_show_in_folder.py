from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices

from desktop.views.show_in_folder import show_in_folder


class FileManager(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.opened: list[Path] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.opened.append(Path(url.toLocalFile()))


@pytest.fixture
def file_manager(qapp, monkeypatch):
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
    manager = FileManager()
    QDesktopServices.setUrlHandler("file", manager, "take")  # pyright: ignore[reportArgumentType] - its stub says bytes
    yield manager
    QDesktopServices.unsetUrlHandler("file")


def test_without_a_bus_the_folder_is_opened(file_manager, qtbot, tmp_path):
    picture = tmp_path / "a picture.png"
    show_in_folder(picture, file_manager)
    qtbot.waitUntil(lambda: bool(file_manager.opened))
    assert file_manager.opened == [tmp_path]
