"""One picture on a neutral ground: fitted or enlarged, moved with the mouse, dragged out.

Painted by hand because no widget of Qt draws a picture in the screen's own pixels: 100 % means one
picture pixel per screen pixel at every display scale. Knows pixels only, nothing of where they come
from.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QWidget

from desktop import theme

_LARGEST_FIT = 3.0
"""Fitting enlarges small pictures, but not beyond this: more would only show blur."""
_SMALLEST_ZOOM, _LARGEST_ZOOM = 0.05, 16.0
_WHEEL_STEP = 1.25
_PIXELS_VISIBLE_FROM = 4.0
"""From this zoom on, pixels are shown as squares."""


class PictureCanvas(QFrame):
    """Shows `image` as if it had `shown_size` pixels, so that small previews take full room."""

    zoom_changed = Signal()
    drag_wanted = Signal()
    """The user pulls the picture out of the window."""
    step_wanted = Signal(int)
    """To the next (1) or the previous (-1) picture."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pictureCanvas")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(240, 160)
        self._image = QImage()
        self._shown_size = QSize()
        self._zoom: float | None = None
        self._offset = QPointF()
        self._pressed_at: QPoint | None = None
        self._panned_from = QPointF()
        self._scaled = QImage()
        self._scaled_key: tuple[int, int, int] | None = None

    @property
    def image(self) -> QImage:
        """What is shown; null for nothing."""
        return self._image

    @property
    def is_fitted(self) -> bool:
        return self._zoom is None

    @property
    def is_actual_size(self) -> bool:
        return self._zoom == 1.0

    def show_image(self, image: QImage, shown_size: QSize) -> None:
        """Show an image; zoom and place stay as long as the size does."""
        if shown_size != self._shown_size:
            self._zoom, self._offset = None, QPointF()
            self.zoom_changed.emit()
        self._image, self._shown_size = image, shown_size
        self._keep_in_sight()
        self.update()

    def clear(self) -> None:
        self.show_image(QImage(), QSize())

    def fit(self) -> None:
        """As large as the canvas allows, up to three times."""
        self._set_zoom(None, QPointF(self.rect().center()))

    def actual_size(self) -> None:
        """One picture pixel is one screen pixel."""
        self._set_zoom(1.0, QPointF(self.rect().center()))

    def zoom_by(self, factor: float, around: QPointF | None = None) -> None:
        """Enlarge or reduce, keeping the point `around` where it is."""
        now = self._scale() * self.devicePixelRatioF()
        zoom = min(_LARGEST_ZOOM, max(_SMALLEST_ZOOM, now * factor))
        self._set_zoom(zoom, around or QPointF(self.rect().center()))

    def picture_rect(self) -> QRectF:
        """Where the picture is, in the canvas's coordinates."""
        size = QSizeF(self._shown_size) * self._scale()
        centre = QRectF(self.rect()).center() + self._offset
        corner = centre - QPointF(size.width() / 2, size.height() / 2)
        ratio = self.devicePixelRatioF()
        snapped = QPointF(round(corner.x() * ratio) / ratio, round(corner.y() * ratio) / ratio)
        return QRectF(snapped, size)

    # --- geometry ---------------------------------------------------------------------------------

    def _scale(self) -> float:
        """Device-independent pixels per picture pixel."""
        if self._zoom is not None:
            return self._zoom / self.devicePixelRatioF()
        if self._shown_size.isEmpty():
            return 1.0
        room = self.size() - QSize(4 * theme.SPACE, 4 * theme.SPACE)
        across = room.width() / self._shown_size.width()
        down = room.height() / self._shown_size.height()
        return max(0.01, min(across, down, _LARGEST_FIT))

    def _set_zoom(self, zoom: float | None, around: QPointF) -> None:
        before = self._scale()
        self._zoom = zoom
        if zoom is None:
            self._offset = QPointF()
        else:
            from_centre = around - QRectF(self.rect()).center()
            self._offset = from_centre - (from_centre - self._offset) * (self._scale() / before)
        self._keep_in_sight()
        self.zoom_changed.emit()
        self.update()

    def _keep_in_sight(self) -> None:
        """The picture's edge never leaves the canvas's edge for its middle."""
        size = QSizeF(self._shown_size) * self._scale()
        across = max(0.0, (size.width() - self.width()) / 2)
        down = max(0.0, (size.height() - self.height()) / 2)
        self._offset = QPointF(
            min(across, max(-across, self._offset.x())),
            min(down, max(-down, self._offset.y())),
        )
        self._set_cursor()

    def _is_larger_than_canvas(self) -> bool:
        size = QSizeF(self._shown_size) * self._scale()
        return size.width() > self.width() or size.height() > self.height()

    def _set_cursor(self) -> None:
        if not self._is_larger_than_canvas():
            self.unsetCursor()
        elif self._pressed_at is None:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    # --- painting ---------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)  # the ground
        if self._image.isNull():
            return
        painter = QPainter(self)
        target = self.picture_rect()
        zoom = self._scale() * self.devicePixelRatioF()
        if target.width() * self.devicePixelRatioF() < self._image.width():
            painter.drawImage(target, self._reduced(target.size()))
            return
        is_smooth = zoom < _PIXELS_VISIBLE_FROM or self._image.size() != self._shown_size
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, is_smooth)
        painter.drawImage(target, self._image)

    def _reduced(self, size: QSizeF) -> QImage:
        """The image at a smaller size, averaged: the painter itself would skip pixels."""
        pixels = (size * self.devicePixelRatioF()).toSize().expandedTo(QSize(1, 1))
        key = (self._image.cacheKey(), pixels.width(), pixels.height())
        if key != self._scaled_key:
            self._scaled = self._image.scaled(
                pixels,
                Qt.AspectRatioMode.IgnoreAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
            self._scaled_key = key
        return self._scaled

    # --- mouse and keys ---------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_in_sight()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._keep_in_sight()
            self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._image.isNull():
            notches = event.angleDelta().y() / 120
            self.zoom_by(_WHEEL_STEP**notches, event.position())
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.is_fitted:
            self._set_zoom(1.0, event.position())
        else:
            self.fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not self._image.isNull():
            self._pressed_at = event.position().toPoint()
            self._panned_from = QPointF(self._offset)
            self._set_cursor()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed_at is None:
            return
        moved = event.position().toPoint() - self._pressed_at
        if self._is_larger_than_canvas():
            self._offset = self._panned_from + QPointF(moved)
            self._keep_in_sight()
            self.update()
        elif moved.manhattanLength() >= QApplication.startDragDistance():
            self._pressed_at = None
            self.drag_wanted.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = None
        self._set_cursor()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom_by(_WHEEL_STEP)
            case Qt.Key.Key_Minus:
                self.zoom_by(1 / _WHEEL_STEP)
            case Qt.Key.Key_0:
                self.fit()
            case Qt.Key.Key_1:
                self.actual_size()
            case Qt.Key.Key_Right | Qt.Key.Key_Down:
                self.step_wanted.emit(1)
            case Qt.Key.Key_Left | Qt.Key.Key_Up:
                self.step_wanted.emit(-1)
            case _:
                super().keyPressEvent(event)
