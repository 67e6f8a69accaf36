"""Pixels for the screen: the engine's pictures and files on disk as `QImage`.

Separate because reading happens in worker threads: Pillow decodes without holding Python's global
lock, so that the window stays quick, which Qt's reader under Python does not promise.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage

from engine.port import RgbImage


def to_qimage(image: RgbImage) -> QImage:
    """A copy in the format that Qt paints fastest."""
    return _from_bytes(image.data, image.width, image.height)


def read_picture(path: Path) -> QImage:
    """The whole picture. Raises `OSError` (Pillow's `UnidentifiedImageError` is one)."""
    from PIL import Image  # late: the first window need not wait for it

    with Image.open(path) as file:
        picture = file.convert("RGB")
    return _from_bytes(picture.tobytes(), picture.width, picture.height)


def read_thumbnail(path: Path, side: int) -> QImage:
    """The picture with its longer side at most `side` pixels. Raises `OSError`."""
    from PIL import Image

    with Image.open(path) as file:
        file.draft("RGB", (side, side))
        picture = file.convert("RGB")
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    return _from_bytes(picture.tobytes(), picture.width, picture.height)


def thumbnail(image: QImage, side: int) -> QImage:
    """`image` with its longer side at most `side` pixels."""
    if max(image.width(), image.height()) <= side:
        return image
    return image.scaled(
        QSize(side, side),
        Qt.AspectRatioMode.KeepAspectRatio,
        Qt.TransformationMode.SmoothTransformation,
    )


def _from_bytes(data: bytes, width: int, height: int) -> QImage:
    borrowed = QImage(data, width, height, width * 3, QImage.Format.Format_RGB888)
    return borrowed.convertToFormat(QImage.Format.Format_RGB32)
