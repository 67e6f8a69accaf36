"""The strip of pictures below the large one: newest first, the one being drawn at its head."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QImage, QPainter, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop import theme
from desktop.models.gallery import Gallery, Picture, PictureState, Role

_SIDE = 96
_CELL = _SIDE + 2 * theme.SPACE
_NOTHING_YET_ALPHA = 28
_Index = QModelIndex | QPersistentModelIndex


class Strip(QListView):
    """`picture_chosen` is what the user picked; `follow` moves on without a signal."""

    picture_chosen = Signal(object)

    def __init__(self, gallery: Gallery, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self._gallery = gallery
        self._is_following = False
        self.setModel(gallery)
        self.setItemDelegate(_Thumbnails(self))
        self.setFlow(QListView.Flow.LeftToRight)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setViewportMargins(theme.SPACE, 0, theme.SPACE, 0)
        self.setFixedHeight(_CELL + self.horizontalScrollBar().sizeHint().height() + 4)
        self.retranslate()

    @property
    def picture(self) -> Picture | None:
        """The one that is marked."""
        return self._gallery.picture(self.currentIndex())

    def follow(self, picture: Picture) -> None:
        """Mark a picture because the program wants to."""
        self._is_following = True
        self.setCurrentIndex(self._gallery.index_of(picture))
        self._is_following = False

    def step(self, rows: int) -> None:
        """Mark the picture so many rows on; nothing at the ends."""
        index = self._gallery.index(self.currentIndex().row() + rows)
        if index.isValid():
            self.setCurrentIndex(index)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Pictures"))

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        super().currentChanged(current, previous)
        if not self._is_following:
            self.picture_chosen.emit(self._gallery.picture(current))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel moves the strip along, also one that only turns up and down."""
        delta = event.pixelDelta() if not event.pixelDelta().isNull() else event.angleDelta()
        moved = delta.x() if abs(delta.x()) > abs(delta.y()) else delta.y()
        bar = self.horizontalScrollBar()
        bar.setValue(bar.value() - moved)
        event.accept()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


class _Thumbnails(QStyledItemDelegate):
    """Thumbnail, frame of the marked one, and a sign on pictures that are not on disk."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(_CELL, _CELL)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: _Index,
    ) -> None:
        model: QAbstractItemModel = index.model()
        thumbnail = model.data(index, Qt.ItemDataRole.DecorationRole)
        state = model.data(index, Role.STATE)
        cell: QRect = option.rect  # pyright: ignore[reportAttributeAccessIssue]
        palette: QPalette = option.palette  # pyright: ignore[reportAttributeAccessIssue]
        painter.save()
        place = QRect(0, 0, _SIDE, _SIDE)
        place.moveCenter(cell.center())
        if isinstance(thumbnail, QImage):
            place = _fitted(thumbnail, place)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(place, thumbnail)
        else:
            ground = palette.color(QPalette.ColorRole.WindowText)
            ground.setAlpha(_NOTHING_YET_ALPHA)
            painter.fillRect(place, ground)
        if index == self._view.currentIndex():
            _frame(painter, place, palette, has_focus=self._view.hasFocus())
        sign = {PictureState.NOT_SAVED: "warning", PictureState.UNREADABLE: "warning"}.get(state)
        if sign is not None:
            _sign(painter, place, sign)
        painter.restore()


def _fitted(image: QImage, place: QRect) -> QRect:
    size = image.size().scaled(place.size(), Qt.AspectRatioMode.KeepAspectRatio)
    fitted = QRect(0, 0, size.width(), size.height())
    fitted.moveCenter(place.center())
    return fitted


def _frame(painter: QPainter, place: QRect, palette: QPalette, *, has_focus: bool) -> None:
    pen = QPen(palette.color(QPalette.ColorRole.Link), 3 if has_focus else 2)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(place.adjusted(-2, -2, 1, 1))


def _sign(painter: QPainter, place: QRect, name: str) -> None:
    disc = QRect(0, 0, theme.ICON_SIDE + 6, theme.ICON_SIDE + 6)
    disc.moveBottomRight(place.bottomRight())
    painter.fillRect(disc, QColor(theme.LIGHT.notice))
    icon = theme.icon_in(name, QColor(theme.LIGHT.on_notice))
    icon.paint(painter, disc)
