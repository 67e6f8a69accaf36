"""How pictures' settings come into the window: a picture dropped on it, or chosen in a dialog.

Separate from the window, as the import of prompt lists is. A picture that is dragged out of the
window's own strip is not taken back.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.background import Background
from desktop.models.picture_settings import PICTURE_ENDINGS, PictureSettings
from desktop.models.prompt_form import PromptForm
from desktop.views.file_drop import FileDrop
from desktop.views.picture_settings_dialog import PictureSettingsDialog

_PICTURES = QStandardPaths.StandardLocation.PicturesLocation


class PictureDrop(QObject):
    """Opens one dialog at a time over `window`."""

    def __init__(self, window: QWidget, form: PromptForm, background: Background) -> None:
        super().__init__(window)
        self._window = window
        self._form = form
        self._background = background
        self.dialog: PictureSettingsDialog | None = None
        self.drop = FileDrop(window, PICTURE_ENDINGS)
        self.drop.dropped.connect(self.open)

    def choose_file(self) -> None:
        """Ask for a picture, then open it."""
        chooser = QFileDialog(self._window, self.tr("Open picture settings"))
        chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
        endings = " ".join(f"*{ending}" for ending in PICTURE_ENDINGS)
        chooser.setNameFilters(
            [self.tr("Pictures ({endings})").format(endings=endings), self.tr("All files (*)")]
        )
        chooser.setDirectory(QStandardPaths.writableLocation(_PICTURES))
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(lambda name: self.open(Path(name)))
        chooser.open()

    def open(self, path: Path) -> None:
        """Show what the picture says; nothing before there is a model to judge it for."""
        if self._form.model is None or self.dialog is not None:
            return
        settings = PictureSettings(self._form, self._background)
        self.dialog = PictureSettingsDialog(settings, self._window)
        self.dialog.finished.connect(lambda result: self._close(settings, result))
        settings.load(path)
        self.dialog.open()

    def _close(self, settings: PictureSettings, result: int) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is None:
            return
        if result == PictureSettingsDialog.DialogCode.Accepted:
            settings.apply(dialog.chosen)
        dialog.deleteLater()
