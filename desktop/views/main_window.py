"""The window: menus, the prompt panel on the left, pictures on the right.

Owned here: menus, saving a copy, copying, and the question before pictures in the making are given
up. What the window asks of the program (another language, another theme, its end) goes out as
signals; `desktop.app` answers them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QByteArray,
    QCoreApplication,
    QEvent,
    QLocale,
    QSettings,
    QStandardPaths,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QActionGroup, QCloseEvent, QGuiApplication, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMenu, QMessageBox, QSplitter

from desktop import i18n, messages, theme
from desktop.background import Background
from desktop.messages import Message
from desktop.models import saving
from desktop.models.deletion import Deletion
from desktop.models.gallery import Gallery, Picture, PictureState, mime_of
from desktop.models.job_queue import JobQueue
from desktop.models.prompt_form import PromptForm
from desktop.models.system_report import SystemReport
from desktop.models.trash import NotRestored
from desktop.prompts import PlannedPicture
from desktop.settings import Theme
from desktop.views.actions import Actions, plain_name
from desktop.views.file_names_dialog import FileNamesDialog
from desktop.views.list_import import ListImport
from desktop.views.picture_drop import PictureDrop
from desktop.views.picture_view import PictureView
from desktop.views.prompt_panel import PromptPanel
from desktop.views.show_in_folder import open_folder, show_in_folder
from desktop.views.system_check import SystemCheck
from engine._version import __version__
from engine.port import CancelWhen, EngineError, ModelId

if TYPE_CHECKING:
    from desktop.models.job_ledger import DatabaseTrouble, SetAside
    from desktop.models.saving import PatternError

_PICTURES = QStandardPaths.StandardLocation.PicturesLocation
_PANEL_WIDTH = 352
_DEFAULT_SIZE = (1200, 760)
_SMALLEST_SIZE = (800, 520)


class MainWindow(QMainWindow):
    """Closing it only asks: `close_wanted` goes out, and `close_now` really closes."""

    language_chosen = Signal(str)
    theme_chosen = Signal(object)
    pattern_chosen = Signal(object)
    """A pattern for file names, or None for the usual one."""
    close_wanted = Signal()
    first_painted = Signal()

    def __init__(
        self,
        *,
        form: PromptForm,
        queue: JobQueue,
        system: SystemReport,
        gallery: Gallery,
        deletion: Deletion,
        background: Background,
        pictures_folder: Path,
        geometry_file: Path,
    ) -> None:
        super().__init__()
        self._form = form
        self._queue = queue
        self._system = system
        self.system_check: SystemCheck | None = None
        self._gallery = gallery
        self._deletion = deletion
        self._background = background
        self._pictures_folder = pictures_folder
        self._geometry = QSettings(str(geometry_file), QSettings.Format.IniFormat)
        self.file_name_pattern: str | None = None
        self._may_close = False
        self._has_painted = False
        self._notice: Callable[[], Message] | None = None
        self._shown_model: ModelId | None = None
        self.picture_drop = PictureDrop(self, form, background)
        self.list_import = ListImport(self, form, queue, background, pictures_folder)
        self.commands = Actions(self)
        self.commands.retranslate()
        self.panel = PromptPanel(form, queue, system, self.commands)
        self.view = PictureView(gallery, queue, self.commands)
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._make_menus()
        self._lay_out()
        self._connect()
        self._tint()
        self.retranslate()
        self._restore_geometry()

    def show_choices(self, language: str, chosen_theme: Theme) -> None:
        """Mark what is chosen in the menus."""
        self._languages[language].setChecked(True)
        self._themes[chosen_theme].setChecked(True)

    def show_error(self, error: EngineError) -> None:
        """Say what went wrong, in the user's language, also after that has changed."""
        self._say(lambda: messages.describe(error, QCoreApplication.translate))

    def show_database_trouble(self, problem: DatabaseTrouble) -> None:
        """Say that something could not be put into the queue, or that the queue will not last."""
        self._say(lambda: messages.describe_database_trouble(problem, QCoreApplication.translate))

    def show_set_aside(self, found: SetAside) -> None:
        """Say that the queue's file was damaged and has been replaced."""
        self._say(lambda: messages.describe_set_aside(found, QCoreApplication.translate))

    def show_settings_set_aside(self, aside: Path) -> None:
        """Say that the settings' file could not be read and has been replaced."""
        self._say(lambda: messages.describe_settings_set_aside(aside, QCoreApplication.translate))

    def show_pattern_problem(self, problem: PatternError) -> None:
        """Say that new pictures are named as usual, and why not as the settings want."""

        def notice() -> Message:
            message = saving.describe_pattern_problem(problem, QCoreApplication.translate)
            usual = self.tr("Until it is mended, pictures are named as usual.")
            return Message(summary=message.summary, remedy=f"{message.remedy}\n{usual}")

        self._say(notice)

    def show_system_check(self, check_id: str | None = None) -> None:
        """Show the dialog of the system check, at a row if one is named."""
        self._opened_check().show_check(check_id)

    def show_first_check(self) -> None:
        """Show the dialog unasked, beside what a first picture needs."""
        self._opened_check().show_beside(self.panel)

    def _opened_check(self) -> SystemCheck:
        if self.system_check is None:
            self.system_check = SystemCheck(self._system, self._queue, self._background, self)
        return self.system_check

    def close_now(self) -> None:
        """Close without asking."""
        self._may_close = True
        self.close()

    # --- building ---------------------------------------------------------------------------------

    def _make_menus(self) -> None:
        commands, bar = self.commands, self.menuBar()
        self._file_menu, self._picture_menu = bar.addMenu(""), bar.addMenu("")
        self._view_menu, self._help_menu = bar.addMenu(""), bar.addMenu("")
        _fill(
            self._file_menu,
            commands.import_list,
            commands.paste_list,
            commands.open_settings,
            None,
            commands.save_as,
            commands.copy,
            None,
            commands.show_in_folder,
            commands.open_folder,
            commands.file_names,
            None,
            commands.delete,
            commands.undo_delete,
            None,
            commands.quit,
        )
        _fill(
            self._picture_menu,
            commands.generate,
            None,
            commands.stop,
            commands.stop_after_picture,
            commands.clear_waiting,
        )
        _fill(
            self._view_menu,
            commands.fit,
            commands.actual_size,
            commands.zoom_in,
            commands.zoom_out,
            None,
        )
        _fill(self._help_menu, commands.check, None, commands.about)
        self._language_menu = self._view_menu.addMenu("")
        self._theme_menu = self._view_menu.addMenu("")
        self._languages = _choices(
            self._language_menu, (i18n.SYSTEM, *i18n.LANGUAGES), self.language_chosen.emit
        )
        for code, name in i18n.LANGUAGES.items():
            self._languages[code].setText(name)
        self._themes = _choices(self._theme_menu, tuple(Theme), self.theme_chosen.emit)

    def _lay_out(self) -> None:
        self._splitter.addWidget(self.panel)
        self._splitter.addWidget(self.view)
        self._splitter.setStretchFactor(0, 0)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setSizes([_PANEL_WIDTH, _DEFAULT_SIZE[0] - _PANEL_WIDTH])
        self.setCentralWidget(self._splitter)
        self.setMinimumSize(*_SMALLEST_SIZE)

    def _connect(self) -> None:
        commands, queue = self.commands, self._queue
        commands.generate.triggered.connect(self._generate)
        commands.stop.triggered.connect(lambda: queue.stop(CancelWhen.NOW))
        commands.stop_after_picture.triggered.connect(lambda: queue.stop(CancelWhen.AFTER_IMAGE))
        commands.clear_waiting.triggered.connect(queue.clear_waiting)
        commands.import_list.triggered.connect(self.list_import.choose_file)
        commands.paste_list.triggered.connect(self.list_import.paste)
        commands.open_settings.triggered.connect(self.picture_drop.choose_file)
        self.list_import.planned.connect(self._enqueue_list)
        self.list_import.drop.watch(self.panel)
        self.picture_drop.drop.watch(self.panel)
        commands.save_as.triggered.connect(self._save_as)
        commands.copy.triggered.connect(self._copy)
        commands.show_in_folder.triggered.connect(self._show_in_folder)
        commands.open_folder.triggered.connect(self._open_folder)
        commands.file_names.triggered.connect(self._choose_file_names)
        commands.delete.triggered.connect(self._delete)
        commands.undo_delete.triggered.connect(self._deletion.undo)
        commands.undo_delete.setEnabled(self._deletion.can_undo)
        self._deletion.changed.connect(
            lambda: commands.undo_delete.setEnabled(self._deletion.can_undo)
        )
        self._deletion.failed.connect(self._show_trash_failure)
        commands.quit.triggered.connect(self.close)
        commands.check.triggered.connect(lambda _=False: self.show_system_check())
        commands.about.triggered.connect(self._about)
        self.panel.gate_note.row_wanted.connect(self.show_system_check)
        queue.failed.connect(self.show_error)
        queue.troubled.connect(self.show_database_trouble)
        queue.sheet_written.connect(self._show_sheet)
        self._gallery.save_failed.connect(self._show_save_failure)
        self._form.changed.connect(self._show_model)
        self.view.empty.example_chosen.connect(self._take_example)
        self.view.banner.closed.connect(self._forget_notice)

    # --- making pictures --------------------------------------------------------------------------

    def _generate(self) -> None:
        if self._form.problems():
            return
        self._hush()
        self.view.follow()
        self._queue.enqueue(self._form.make_request())

    def _enqueue_list(self, pictures: Sequence[PlannedPicture]) -> None:
        self._hush()
        self.view.follow()
        self._queue.enqueue_list(pictures)

    def _show_sheet(self, path: Path) -> None:
        self._say(
            lambda: Message(
                summary=self.tr("All pictures of the grid are also on one sheet: {name}").format(
                    name=path.name
                ),
                remedy="",
            )
        )

    def _take_example(self, prompt: str) -> None:
        self._form.update(prompt=prompt)
        self.panel.generate_button.setFocus(Qt.FocusReason.OtherFocusReason)

    # --- one picture ------------------------------------------------------------------------------

    def _save_as(self) -> None:
        picture = self.view.picture
        if picture is None:
            return
        dialog = QFileDialog(self, plain_name(self.commands.save_as))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        kinds = {
            self.tr("PNG picture (*.png)"): "png",
            self.tr("JPEG picture, smaller (*.jpg *.jpeg)"): "jpg",
            self.tr("WebP picture, as exact as PNG (*.webp)"): "webp",
        }
        dialog.setNameFilters(list(kinds))
        dialog.setDefaultSuffix("png")
        dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(kinds[kind]))
        dialog.setDirectory(QStandardPaths.writableLocation(_PICTURES))
        # Without an ending, which the kind that is chosen gives.
        dialog.selectFile(picture.path.stem if picture.path is not None else "picture")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(
            lambda name: self._background.start(
                self._write_copy(picture, Path(name)), "saving a copy"
            )
        )
        dialog.open()

    async def _write_copy(self, picture: Picture, target: Path) -> None:
        path, unsaved = picture.path, picture.unsaved
        try:
            if path is not None:
                data = await asyncio.to_thread(path.read_bytes)
                data = await asyncio.to_thread(saving.convert, data, target)
            elif unsaved is not None:
                data = await asyncio.to_thread(saving.encode_as, unsaved, target)
            else:
                raise AssertionError("a finished picture has a file or its pixels")
            await asyncio.to_thread(saving.write_copy, data, target)
        except OSError as error:
            self._say_save_failure(error, target)

    def _copy(self) -> None:
        if self.view.picture is not None:
            QGuiApplication.clipboard().setMimeData(mime_of([self.view.picture]))

    def _show_in_folder(self) -> None:
        picture = self.view.picture
        if picture is not None and picture.path is not None:
            show_in_folder(picture.path, self)

    def _choose_file_names(self) -> None:
        dialog = FileNamesDialog(self.file_name_pattern, self._form.values.prompt, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.pattern_chosen.connect(self._take_pattern)
        dialog.open()

    def _take_pattern(self, pattern: str | None) -> None:
        self.file_name_pattern = pattern
        self.pattern_chosen.emit(pattern)

    def _delete(self) -> None:
        if self.view.picture is not None:
            self._deletion.delete(self.view.picture)

    def _open_folder(self) -> None:
        try:
            self._pictures_folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._say_save_failure(error, self._pictures_folder)
        else:
            open_folder(self._pictures_folder)

    # --- saying something -------------------------------------------------------------------------

    def _say(self, notice: Callable[[], Message]) -> None:
        self._notice = notice
        message = notice()
        self.view.banner.show_message(message.summary, message.remedy)

    def _hush(self) -> None:
        self._forget_notice()
        self.view.banner.clear()

    def _forget_notice(self) -> None:
        self._notice = None

    def _say_save_failure(self, error: OSError, place: Path) -> None:
        self._say(
            lambda: messages.describe_save_failure(error, str(place), QCoreApplication.translate)
        )

    def _show_trash_failure(self, path: Path, error: OSError) -> None:
        self._say(
            lambda: messages.describe_trash_failure(
                error,
                str(path),
                is_restoring=isinstance(error, NotRestored),
                translate=QCoreApplication.translate,
            )
        )

    def _show_save_failure(self, picture: Picture, error: OSError) -> None:
        def notice() -> Message:
            message = messages.describe_save_failure(
                error, str(self._pictures_folder), QCoreApplication.translate
            )
            if picture.state is PictureState.NOT_SAVED:
                kept = self.tr("The picture is in memory only: save it now with “{save_as}”.")
                kept = kept.format(save_as=plain_name(self.commands.save_as))
            else:
                kept = self.tr("The picture was put here instead: {path}")
                kept = kept.format(path=picture.path)
            return Message(summary=message.summary, remedy=f"{message.remedy}\n{kept}")

        self._say(notice)

    def _about(self) -> None:
        box = QMessageBox(self)
        box.setWindowTitle(plain_name(self.commands.about))
        box.setIconPixmap(theme.application_icon().pixmap(64, 64))
        box.setText(self.tr("Danqing {version}").format(version=__version__))
        box.setInformativeText(
            self.tr("Pictures from words, drawn on this computer by ERNIE-Image models.")
        )
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _show_model(self) -> None:
        """The model's examples, when the model is another one."""
        model = self._form.model
        model_id = model.model_id if model is not None else None
        if model_id != self._shown_model:
            self._shown_model = model_id
            self._show_examples()

    def _show_examples(self) -> None:
        model = self._form.model
        language = i18n.prompt_language(QLocale().name())
        prompts = model.example_prompts.get(language, ()) if model is not None else ()
        self.panel.show_examples(tuple(prompts))
        self.view.empty.show_model(model, tuple(prompts))

    # --- language and colours ---------------------------------------------------------------------

    def retranslate(self) -> None:
        for menu, text in (
            (self._file_menu, self.tr("&File")),
            (self._picture_menu, self.tr("Pict&ure")),
            (self._view_menu, self.tr("&View")),
            (self._help_menu, self.tr("&Help")),
            (self._language_menu, self.tr("&Language")),
            (self._theme_menu, self.tr("&Theme")),
        ):
            menu.setTitle(text)
        self._languages[i18n.SYSTEM].setText(self.tr("As the system"))
        self._themes[Theme.SYSTEM].setText(self.tr("As the system"))
        self._themes[Theme.LIGHT].setText(self.tr("Light"))
        self._themes[Theme.DARK].setText(self.tr("Dark"))
        self.setWindowTitle(self.tr("Danqing"))
        self._show_examples()
        if self._notice is not None:
            self._say(self._notice)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            # Before the views, which take names from the actions.
            self.commands.retranslate()
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._tint()
        super().changeEvent(event)

    def _tint(self) -> None:
        self.commands.tint(self.palette())

    # --- place and end ----------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._has_painted:
            self._has_painted = True
            self.first_painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._may_close:
            self._geometry.setValue("window", self.saveGeometry())
            self._geometry.setValue("splitter", self._splitter.saveState())
            event.accept()
            return
        event.ignore()
        if self._queue.is_idle or self._queue.pause is not None:
            self.close_wanted.emit()
        else:
            self._ask_before_closing()

    def _ask_before_closing(self) -> None:
        box = QMessageBox(self)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Danqing"))
        box.setText(self.tr("A picture is still being drawn."))
        box.setInformativeText(self.tr("If you quit now, it is given up."))
        leave = box.addButton(
            plain_name(self.commands.quit), QMessageBox.ButtonRole.DestructiveRole
        )
        stay = box.addButton(self.tr("Keep drawing"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        leave.clicked.connect(self.close_wanted)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _restore_geometry(self) -> None:
        geometry = self._geometry.value("window")
        if isinstance(geometry, QByteArray) and self.restoreGeometry(geometry):
            splitter = self._geometry.value("splitter")
            if isinstance(splitter, QByteArray):
                self._splitter.restoreState(splitter)
            return
        room = self.screen().availableSize()
        width, height = _DEFAULT_SIZE
        self.resize(min(width, room.width()), min(height, room.height()))


def _fill(menu: QMenu, *actions: QAction | None) -> None:
    for action in actions:
        if action is None:
            menu.addSeparator()
        else:
            menu.addAction(action)


def _choices(
    menu: QMenu, values: tuple[str, ...], choose: Callable[[str], object]
) -> dict[str, QAction]:
    """Actions of which one is marked, by their value."""
    group = QActionGroup(menu)
    made: dict[str, QAction] = {}
    for value in values:
        action = menu.addAction("")
        action.setCheckable(True)
        group.addAction(action)
        action.triggered.connect(lambda _=False, chosen=value: choose(chosen))
        made[value] = action
    return made
