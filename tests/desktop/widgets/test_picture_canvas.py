from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from desktop.widgets.picture_canvas import PictureCanvas


def image(width: int, height: int, colour: str = "#3366cc") -> QImage:
    made = QImage(width, height, QImage.Format.Format_RGB32)
    made.fill(QColor(colour))
    return made


@pytest.fixture
def canvas(qtbot) -> PictureCanvas:
    canvas = PictureCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(640, 480)
    canvas.show()
    return canvas


def show(canvas: PictureCanvas, width: int, height: int) -> None:
    canvas.show_image(image(width, height), QSize(width, height))


def wheel(canvas: PictureCanvas, at: QPointF, notches: int) -> None:
    event = QWheelEvent(
        at,
        canvas.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas, event)


def test_a_large_picture_is_fitted_whole_and_in_the_middle(canvas):
    show(canvas, 2000, 1000)
    place = canvas.picture_rect()
    assert place.width() == pytest.approx(608)
    assert place.height() == pytest.approx(304)
    assert place.center().x() == pytest.approx(320, abs=1)
    assert canvas.is_fitted


def test_a_small_picture_is_enlarged_three_times_at_most(canvas):
    show(canvas, 100, 100)
    assert canvas.picture_rect().width() == pytest.approx(300)


def test_a_preview_takes_the_room_of_its_picture(canvas):
    canvas.show_image(image(16, 16), QSize(100, 100))
    assert canvas.picture_rect().width() == pytest.approx(300)
    assert canvas.grab().toImage().pixelColor(320, 240) == QColor("#3366cc")


def test_actual_size_is_one_pixel_for_one(canvas):
    show(canvas, 2000, 1000)
    canvas.actual_size()
    assert canvas.picture_rect().width() * canvas.devicePixelRatioF() == pytest.approx(2000)
    assert canvas.is_actual_size
    canvas.fit()
    assert canvas.is_fitted


def test_the_wheel_keeps_what_is_below_the_pointer(canvas):
    show(canvas, 2000, 1000)
    canvas.actual_size()
    at = QPointF(200, 150)
    before = at - canvas.picture_rect().topLeft()
    wheel(canvas, at, 1)
    after = at - canvas.picture_rect().topLeft()
    assert after.x() == pytest.approx(before.x() * 1.25, abs=1)
    assert after.y() == pytest.approx(before.y() * 1.25, abs=1)


def test_a_picture_never_leaves_the_canvas(canvas):
    show(canvas, 2000, 1000)
    canvas.actual_size()
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
    QTest.mouseMove(canvas, QPoint(5000, 5000))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(5000, 5000))
    assert canvas.picture_rect().topLeft() == QPointF(0, 0)


def test_a_fitted_picture_is_dragged_out_and_a_larger_one_moved(canvas, qtbot):
    show(canvas, 100, 100)
    middle = canvas.rect().center()
    with qtbot.waitSignal(canvas.drag_wanted, timeout=1000):
        QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=middle)
        QTest.mouseMove(canvas, middle + QPoint(40, 0))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=middle)
    show(canvas, 2000, 1000)
    canvas.actual_size()
    with qtbot.assertNotEmitted(canvas.drag_wanted):
        QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=middle)
        QTest.mouseMove(canvas, middle - QPoint(40, 0))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=middle)


def test_a_double_click_changes_between_fitted_and_actual_size(canvas):
    show(canvas, 2000, 1000)
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.rect().center())
    assert canvas.is_actual_size
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.rect().center())
    assert canvas.is_fitted


def test_zoom_stays_between_pictures_of_one_size_and_not_of_another(canvas):
    show(canvas, 2000, 1000)
    canvas.actual_size()
    show(canvas, 2000, 1000)
    assert canvas.is_actual_size
    show(canvas, 1000, 1000)
    assert canvas.is_fitted


def test_a_reduced_picture_is_averaged(canvas):
    """Every second column black: at a half it must be grey, not black or white."""
    made = QImage(1216, 912, QImage.Format.Format_RGB32)
    made.fill(QColor("white"))
    for x in range(0, 1216, 2):
        for y in range(380, 532):
            made.setPixelColor(x, y, QColor("black"))
    canvas.show_image(made, made.size())
    grey = canvas.grab().toImage().pixelColor(320, 240).red()
    assert 90 < grey < 165


@pytest.mark.parametrize(("key", "expected"), [(Qt.Key.Key_Right, 1), (Qt.Key.Key_Left, -1)])
def test_arrows_ask_for_the_next_picture(canvas, qtbot, key, expected):
    with qtbot.waitSignal(canvas.step_wanted, timeout=1000) as blocker:
        QTest.keyClick(canvas, key)
    assert blocker.args == [expected]


def test_nothing_happens_on_an_empty_canvas(canvas, qtbot):
    with qtbot.assertNotEmitted(canvas.drag_wanted):
        wheel(canvas, QPointF(10, 10), 1)
        QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))
        QTest.mouseMove(canvas, QPoint(100, 100))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    assert canvas.image.isNull()
