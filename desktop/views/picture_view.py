"""The right side of the window: the large picture, what is known of it, progress, and the strip.

Owned here: which picture is looked at. The view follows the engine until the user picks an earlier
picture, and again when a new one is asked for or the head of the strip is picked.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QDrag, QImage, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from desktop import theme
from desktop.models.deletion import Deletion
from desktop.models.gallery import Gallery, Picture, PictureState, mime_of
from desktop.models.job_queue import JobQueue
from desktop.models.prompt_form import size_text
from desktop.views import words
from desktop.views.actions import Actions
from desktop.views.empty_state import EmptyState
from desktop.views.progress_row import ProgressRow
from desktop.views.queue_banner import QueueBanner
from desktop.views.strip import Strip
from desktop.widgets.banner import Banner
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.picture_canvas import PictureCanvas
from engine.port import PictureSize

_DRAG_SIDE = 96


class PictureView(QWidget):
    """`picture` is the one looked at."""

    def __init__(
        self, gallery: Gallery, queue: JobQueue, actions: Actions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._gallery = gallery
        self._actions = actions
        self._picture: Picture | None = None
        self._is_following = True
        self.banner = Banner()
        self.queue_banner = QueueBanner(queue)
        self.canvas = PictureCanvas()
        self.empty = EmptyState()
        self.progress = ProgressRow(queue)
        self.strip = Strip(gallery)
        self._caption = ElidedLabel()
        self._details = ElidedLabel()
        self._details.setProperty("quiet", True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.canvas)
        self._lay_out()
        self._connect()
        self._show()

    @property
    def picture(self) -> Picture | None:
        return self._picture

    def follow(self) -> None:
        """Look at what the engine draws from now on."""
        self._is_following = True

    def step(self, rows: int) -> None:
        """Look at the next (1) or the previous (-1) picture."""
        self.strip.step(rows)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._show()

    # --- building ---------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bar())
        column.addWidget(self.queue_banner)
        column.addWidget(self.banner)
        column.addWidget(self._stack, 1)
        column.addWidget(self.progress)
        column.addWidget(self.strip)

    def _bar(self) -> QWidget:
        bar = QFrame()
        bar.setObjectName("pictureBar")
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(self._caption)
        texts.addWidget(self._details)
        row = QHBoxLayout(bar)
        row.setContentsMargins(2 * theme.SPACE, theme.SPACE // 2, theme.SPACE, theme.SPACE // 2)
        row.setSpacing(theme.SPACE // 2)
        row.addLayout(texts, 1)
        actions = self._actions
        for action in (
            actions.fit,
            actions.actual_size,
            None,
            actions.copy,
            actions.save_as,
            actions.show_in_folder,
            actions.delete,
        ):
            if action is None:
                row.addSpacing(theme.SPACE)
                continue
            button = QToolButton()
            button.setDefaultAction(action)
            button.setIconSize(QSize(theme.ICON_SIDE, theme.ICON_SIDE))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.addWidget(button)
        return bar

    def _connect(self) -> None:
        actions, canvas = self._actions, self.canvas
        actions.fit.triggered.connect(canvas.fit)
        actions.actual_size.triggered.connect(canvas.actual_size)
        actions.zoom_in.triggered.connect(lambda: canvas.zoom_by(1.25))
        actions.zoom_out.triggered.connect(lambda: canvas.zoom_by(0.8))
        canvas.zoom_changed.connect(self._show_zoom)
        canvas.drag_wanted.connect(self._drag)
        canvas.step_wanted.connect(self.step)
        for widget in (canvas, self.strip):
            widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
            widget.addActions(
                [actions.copy, actions.save_as, actions.show_in_folder, actions.delete]
            )
        self.strip.picture_chosen.connect(self._choose)
        self._gallery.picture_changed.connect(self._update)
        self._gallery.rowsRemoved.connect(self._leave_removed)
        self._gallery.rowsInserted.connect(self._enter_first)

    # --- which picture ----------------------------------------------------------------------------

    def _choose(self, picture: Picture | None) -> None:
        """The user picked a picture, or the one looked at was taken away."""
        self._is_following = picture is not None and self._gallery.index_of(picture).row() == 0
        self._look_at(picture)

    def _look_at(self, picture: Picture | None) -> None:
        self._picture = picture
        if picture is not None:
            self._gallery.want_image(picture)
        self._show()

    def _update(self, picture: Picture) -> None:
        """A picture got further; the engine's newest is gone to once there is something to see."""
        is_newest = self._gallery.index_of(picture).row() == 0
        if self._is_following and is_newest and picture is not self._picture:
            self.strip.follow(picture)
            self._look_at(picture)
        elif picture is self._picture:
            self._show()

    def _enter_first(self) -> None:
        """At the start: look at the newest picture that was found."""
        if self._picture is None and self._gallery.drawing is None:
            picture = self._gallery.picture(self._gallery.index(0))
            if picture is not None:
                self.strip.follow(picture)
                self._look_at(picture)

    def _leave_removed(self) -> None:
        picture = self._picture
        if picture is not None and not self._gallery.index_of(picture).isValid():
            self._look_at(self.strip.picture)

    # --- showing ----------------------------------------------------------------------------------

    def _show(self) -> None:
        picture = self._picture
        self.strip.setVisible(self._gallery.rowCount() > 0)
        self._stack.setCurrentWidget(self.empty if picture is None else self.canvas)
        if picture is None:
            self.canvas.clear()
        elif picture.image is not None:
            self.canvas.show_image(picture.image, _shown_size(picture, picture.image))
        elif picture.state is not PictureState.DRAWING and picture.thumbnail is not None:
            self.canvas.show_image(picture.thumbnail, picture.thumbnail.size())
        else:
            self.canvas.clear()
        self._caption.set_full_text(self._caption_text())
        self._details.set_full_text(self._details_text())
        self.canvas.setAccessibleName(self._caption_text() or self.tr("Picture"))
        self._enable_actions()

    def _enable_actions(self) -> None:
        picture, actions = self._picture, self._actions
        is_finished = picture is not None and picture.state in (
            PictureState.SAVED,
            PictureState.SAVING,
            PictureState.NOT_SAVED,
        )
        has_image = picture is not None and picture.image is not None
        actions.save_as.setEnabled(is_finished)
        actions.delete.setEnabled(Deletion.can_delete(picture))
        actions.copy.setEnabled(has_image)
        actions.show_in_folder.setEnabled(picture is not None and picture.path is not None)
        for action in (actions.fit, actions.actual_size, actions.zoom_in, actions.zoom_out):
            action.setEnabled(has_image)
        self._show_zoom()

    def _show_zoom(self) -> None:
        has_picture = not self.canvas.image.isNull()
        self._actions.fit.setChecked(has_picture and self.canvas.is_fitted)
        self._actions.actual_size.setChecked(has_picture and self.canvas.is_actual_size)

    def _caption_text(self) -> str:
        picture = self._picture
        if picture is None:
            return ""
        if picture.prompt:
            return picture.prompt
        return picture.path.stem if picture.path is not None else ""

    def _details_text(self) -> str:
        picture = self._picture
        if picture is None:
            return ""
        parts = [self._state_text(picture)]
        if picture.image is not None and picture.state is not PictureState.DRAWING:
            size = PictureSize(width=picture.image.width(), height=picture.image.height())
            parts.append(size_text(size))
        if picture.details is not None:
            details = picture.details
            parts.append(self.tr("seed {seed}").format(seed=details.seed))
            parts.append(self.tr("%n step(s)", "", details.steps))
            parts.append(words.short_duration(details.took_s))
        # Last, because it may be long: the caption says it if there is no prompt to say.
        if picture.path is not None and picture.prompt:
            parts.append(picture.path.name)
        return " · ".join(part for part in parts if part)

    def _state_text(self, picture: Picture) -> str:
        match picture.state:
            case PictureState.DRAWING:
                return self.tr("Preview")
            case PictureState.SAVING:
                return self.tr("Saving…")
            case PictureState.NOT_SAVED:
                return self.tr("Not saved")
            case PictureState.UNREADABLE:
                return self.tr("This file cannot be shown")
            case PictureState.SAVED:
                return ""

    # --- dragging ---------------------------------------------------------------------------------

    def _drag(self) -> None:
        picture = self._picture
        if picture is None or picture.state is PictureState.DRAWING:
            return
        drag = QDrag(self)
        drag.setMimeData(mime_of([picture]))
        if picture.thumbnail is not None:
            drag.setPixmap(_drag_pixmap(picture.thumbnail))
        drag.exec(Qt.DropAction.CopyAction)


def _shown_size(picture: Picture, image: QImage) -> QSize:
    """Previews are small and stand for a picture of the full size."""
    if picture.state is PictureState.DRAWING and picture.job is not None:
        resolved = picture.job.resolved
        if resolved is not None:
            return QSize(resolved.width, resolved.height)
    return image.size()


def _drag_pixmap(thumbnail: QImage) -> QPixmap:
    return QPixmap.fromImage(
        thumbnail.scaled(
            _DRAG_SIDE,
            _DRAG_SIDE,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
    )
