"""How prompt lists come into the window: chosen, dropped or pasted; each opens the dialog.

Separate from the window, which only puts the two actions into its menu and the pictures into its
queue.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.background import Background
from desktop.models.job_queue import FinishedImage, JobQueue
from desktop.models.picture_times import PictureTimes
from desktop.models.prompt_form import PromptForm
from desktop.models.prompt_list import PromptList
from desktop.prompts import LIST_ENDINGS
from desktop.views.file_drop import FileDrop
from desktop.views.prompt_list_dialog import PromptListDialog

_DOCUMENTS = QStandardPaths.StandardLocation.DocumentsLocation


class ListImport(QObject):
    """Opens one dialog at a time over `window`, and takes lists that are dropped on it."""

    planned = Signal(object)
    """`PlannedPicture`s that the user wants drawn."""

    def __init__(
        self,
        window: QWidget,
        form: PromptForm,
        queue: JobQueue,
        background: Background,
        pictures_folder: Path,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._form = form
        self._background = background
        self._folder = pictures_folder
        self._times = PictureTimes()
        self.dialog: PromptListDialog | None = None
        queue.image_completed.connect(self._learn)
        self.drop = FileDrop(window, LIST_ENDINGS)
        self.drop.dropped.connect(self.open)

    def choose_file(self) -> None:
        """Ask for a list, then open it."""
        chooser = QFileDialog(self._window, self.tr("Import prompt list"))
        chooser.setFileMode(QFileDialog.FileMode.ExistingFile)
        endings = " ".join(f"*{ending}" for ending in LIST_ENDINGS)
        chooser.setNameFilters(
            [
                self.tr("Prompt lists ({endings})").format(endings=endings),
                self.tr("All files (*)"),
            ]
        )
        chooser.setDirectory(QStandardPaths.writableLocation(_DOCUMENTS))
        chooser.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chooser.fileSelected.connect(lambda name: self.open(Path(name)))
        chooser.open()

    def paste(self) -> None:
        """Take the text of the clipboard, or the file that was copied, for a list."""
        data = QGuiApplication.clipboard().mimeData()
        file = next((Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()), None)
        if file is not None:
            self.open(file)
        elif data.text().strip():
            self.open(data.text())

    def open(self, source: Path | str) -> None:
        """Show what the list comes to; nothing before there is a model to draw it."""
        model = self._form.model
        if model is None or self.dialog is not None:
            return
        prompt_list = PromptList(self._form, model, self._background, None)
        self.dialog = PromptListDialog(prompt_list, self._times, self._folder, self._window)
        prompt_list.setParent(self.dialog)
        self.dialog.finished.connect(self._close)
        prompt_list.load(source)
        self.dialog.open()

    def _close(self, result: int) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is None:
            return
        if result == PromptListDialog.DialogCode.Accepted:
            self.planned.emit(dialog.pictures)
        dialog.prompt_list.give_up()
        dialog.deleteLater()

    def _learn(self, made: FinishedImage) -> None:
        self._times.learn(made.request, made.took_s)
