"""Shows a file in the desktop's file manager, marked where the file manager can do that."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices

_NAME = "org.freedesktop.FileManager1"


def show_in_folder(path: Path, parent: QObject) -> None:
    """Ask the file manager by D-Bus; if none answers, open the folder. Returns at once."""
    from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher

    bus = QDBusConnection.sessionBus()
    if not bus.isConnected():
        open_folder(path.parent)
        return
    message = QDBusMessage.createMethodCall(
        _NAME, "/org/freedesktop/FileManager1", _NAME, "ShowItems"
    )
    message.setArguments([[QUrl.fromLocalFile(str(path)).toString()], ""])
    watcher = QDBusPendingCallWatcher(bus.asyncCall(message), parent)

    def answered(call: QDBusPendingCallWatcher) -> None:
        if call.isError():
            open_folder(path.parent)
        call.deleteLater()

    watcher.finished.connect(answered)


def open_folder(folder: Path) -> None:
    """Open a folder in the file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
