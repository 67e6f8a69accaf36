"""Everything the window can do, as actions: one name, one shortcut and one icon each.

Separate so that menus, tool buttons and, later, a list of shortcuts show the same thing.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence, QPalette

from desktop import theme


class Actions(QObject):
    """The actions are made once; `retranslate` and `tint` keep them up to date."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.generate = self._make("Ctrl+Enter", "Ctrl+Return")
        self.stop = self._make("Esc")
        self.stop_after_picture = self._make("Shift+Esc")
        self.clear_waiting = self._make("Ctrl+Shift+X")
        self.import_list = self._make("Ctrl+O")
        self.paste_list = self._make("Ctrl+Shift+V")
        self.open_settings = self._make("Ctrl+Shift+O")
        self.save_as = self._make("Ctrl+S")
        self.copy = self._make("Ctrl+Shift+C")
        self.show_in_folder = self._make("Ctrl+Shift+F")
        self.open_folder = self._make()
        self.file_names = self._make()
        self.delete = self._make("Del")
        self.undo_delete = self._make("Ctrl+Z")
        self.quit = self._make("Ctrl+Q")
        self.fit = self._make("Ctrl+0")
        self.actual_size = self._make("Ctrl+1")
        self.zoom_in = self._make("Ctrl++", "Ctrl+=")
        self.zoom_out = self._make("Ctrl+-")
        self.check = self._make("Ctrl+I")
        self.about = self._make()
        for action in (self.fit, self.actual_size):
            action.setCheckable(True)

    def retranslate(self) -> None:
        """Names and tool tips in the language of now."""
        for action, text in (
            (self.generate, self.tr("&Generate")),
            (self.stop, self.tr("&Stop")),
            (self.stop_after_picture, self.tr("Stop &after this picture")),
            (self.clear_waiting, self.tr("&Clear waiting pictures")),
            (self.import_list, self.tr("&Import prompt list…")),
            (self.paste_list, self.tr("&Paste prompt list")),
            (self.open_settings, self.tr("Open pictur&e settings…")),
            (self.save_as, self.tr("&Save picture as…")),
            (self.copy, self.tr("&Copy picture")),
            (self.show_in_folder, self.tr("Show in &folder")),
            (self.open_folder, self.tr("&Open pictures folder")),
            (self.file_names, self.tr("&Names of new pictures…")),
            (self.delete, self.tr("&Move to the trash")),
            (self.undo_delete, self.tr("Put &back what was deleted")),
            (self.quit, self.tr("&Quit")),
            (self.fit, self.tr("&Fit to window")),
            (self.actual_size, self.tr("&Actual size (100 %)")),
            (self.zoom_in, self.tr("Zoom &in")),
            (self.zoom_out, self.tr("Zoom &out")),
            (self.check, self.tr("System &check…")),
            (self.about, self.tr("&About Danqing")),
        ):
            action.setText(text)
            action.setToolTip(_tool_tip(action))

    def tint(self, palette: QPalette) -> None:
        """Icons in the palette's colours."""
        for action, name in (
            (self.stop, "stop"),
            (self.save_as, "save"),
            (self.copy, "copy"),
            (self.show_in_folder, "folder"),
            (self.fit, "fit"),
            (self.actual_size, "actual-size"),
            (self.clear_waiting, "close"),
            (self.delete, "trash"),
        ):
            action.setIcon(theme.icon(name, palette))

    def _make(self, *shortcuts: str) -> QAction:
        """The first shortcut is shown."""
        action = QAction(self)
        action.setShortcuts([QKeySequence(keys) for keys in shortcuts])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        return action


def plain_name(action: QAction) -> str:
    """The action's name without the mark of its access key."""
    text = action.text()
    # Chinese menus put the key behind the name: 停止(&S).
    if text.endswith(")") and "(&" in text:
        text = text[: text.rindex("(&")]
    return text.replace("&", "")


def _tool_tip(action: QAction) -> str:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{plain_name(action)} ({keys})" if keys else plain_name(action)
