"""How the window looks: two palettes, one small style sheet, icons in the palette's colours.

Owned here: every colour and distance. All greys are neutral, because they surround pictures whose
colours are to be judged; there is one accent, azurite, one of the two pigments that gave Danqing
its name. Separate from the widgets, which use palette roles and object names only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QByteArray, QDir, QObject, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QIcon,
    QPainter,
    QPalette,
    QPixmap,
    QPixmapCache,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

import resources
from desktop.settings import Theme

SPACE = 8
"""All distances are multiples or halves of it, in device-independent pixels."""
ICON_SIDE = 20

_CHINESE_FONTS = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "WenQuanYi Micro Hei",
)
"""After the system's font, so that Chinese is drawn in its own forms in every language."""

_CHINESE_FIXED_FONT = "Noto Sans Mono CJK SC"

_PROPORTIONAL = QFont.Tag("pwid")

_UNNAMED = "Sans Serif"
"""What Qt says where no desktop names a font. It goes last: it would hide the Chinese ones."""

_SCHEMES = {
    Theme.SYSTEM: Qt.ColorScheme.Unknown,
    Theme.LIGHT: Qt.ColorScheme.Light,
    Theme.DARK: Qt.ColorScheme.Dark,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """Hex colours by use; `tests/desktop/test_theme.py` computes their contrast."""

    window: str
    base: str
    button: str
    button_hover: str
    border: str
    field_border: str
    """Around fields that can be typed into: 3:1 against window and base."""
    text: str
    muted: str
    disabled: str
    accent: str
    on_accent: str
    accent_hover: str
    focus: str
    surround: str
    """Around pictures."""
    on_surround: str
    muted_on_surround: str
    notice: str
    notice_border: str
    on_notice: str
    problem: str
    """Words about a value that cannot be used, and failed checks."""
    good: str
    caution: str
    """Marks of checks that passed, or that warn."""


LIGHT = Colours(
    window="#f2f2f2",
    base="#ffffff",
    button="#fcfcfc",
    button_hover="#e6e6e6",
    border="#c2c2c2",
    field_border="#8c8c8c",
    text="#1c1c1c",
    muted="#5c5c5c",
    disabled="#9a9a9a",
    accent="#1d6a96",
    on_accent="#ffffff",
    accent_hover="#175a80",
    focus="#1d6a96",
    surround="#d3d3d3",
    on_surround="#1c1c1c",
    muted_on_surround="#4a4a4a",
    notice="#fbf2dd",
    notice_border="#d9b765",
    on_notice="#3b2d0c",
    problem="#a8341f",
    good="#2c7a4b",
    caution="#8a5d00",
)

DARK = Colours(
    window="#2a2a2a",
    base="#1e1e1e",
    button="#383838",
    button_hover="#444444",
    border="#4d4d4d",
    field_border="#7a7a7a",
    text="#e9e9e9",
    muted="#ababab",
    disabled="#787878",
    accent="#27739f",
    on_accent="#ffffff",
    accent_hover="#2b79a6",
    focus="#63b3de",
    surround="#191919",
    on_surround="#e9e9e9",
    muted_on_surround="#a6a6a6",
    notice="#3a3220",
    notice_border="#7d6a37",
    on_notice="#f2e4c2",
    problem="#f2937f",
    good="#74c596",
    caution="#e2b650",
)


class Appearance(QObject):
    """Gives the application its style; follows the system's light or dark where asked to."""

    def __init__(self, application: QApplication) -> None:
        super().__init__()
        self._application = application
        self.colours = LIGHT
        self._theme = Theme.SYSTEM
        QDir.setSearchPaths("icons", [str(resources.path("icons"))])
        application.setStyle("Fusion")
        application.setFont(with_chinese(application.font()))
        application.styleHints().colorSchemeChanged.connect(self._follow)

    def choose(self, theme: Theme) -> None:
        """Take a theme, or follow the system."""
        self._theme = theme
        self._application.styleHints().setColorScheme(_SCHEMES[theme])
        self._follow()

    def speak(self, language: str) -> None:
        """Draw quotation marks as wide as a language has them.

        Only where no desktop names a font and a Chinese one draws Latin too: its own are a whole
        Chinese character wide.
        """
        font = QFont(self._application.font())
        if font.families()[0] not in _CHINESE_FONTS:
            return
        if language.startswith("zh"):
            font.unsetFeature(_PROPORTIONAL)
        else:
            font.setFeature(_PROPORTIONAL, 1)
        self._application.setFont(font)
        self._follow()  # widgets that exist take a feature from a new style sheet alone

    def _follow(self) -> None:
        system = self._application.styleHints().colorScheme()
        # Not every platform lets itself be told: a choice holds without it too.
        scheme = system if self._theme is Theme.SYSTEM else _SCHEMES[self._theme]
        self.colours = DARK if scheme is Qt.ColorScheme.Dark else LIGHT
        self._application.setPalette(palette(self.colours))
        self._application.setStyleSheet(style_sheet(self.colours))


def colours() -> Colours:
    """The colours of now, for what has no role in a palette. Asked of the application: the palettes
    of widgets are changed by style sheets.
    """
    window = QGuiApplication.palette().color(QPalette.ColorRole.Window)
    return DARK if window == QColor(DARK.window) else LIGHT


def fixed_font() -> QFont:
    """For commands: every character equally wide, with Chinese behind it."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setFamilies([*font.families(), _CHINESE_FIXED_FONT, *_CHINESE_FONTS])
    return font


def with_chinese(font: QFont) -> QFont:
    """The same font, with Chinese ones behind it."""
    font = QFont(font)
    named = [name for name in font.families() if name not in (*_CHINESE_FONTS, _UNNAMED)]
    font.setFamilies([*named, *_CHINESE_FONTS, _UNNAMED])
    return font


def palette(colours: Colours) -> QPalette:
    """Qt's roles in our colours."""
    role = QPalette.ColorRole
    made = QPalette(QColor(colours.button), QColor(colours.window))
    for name, colour in {
        role.Base: colours.base,
        role.AlternateBase: colours.window,
        role.Text: colours.text,
        role.WindowText: colours.text,
        role.ButtonText: colours.text,
        role.PlaceholderText: colours.muted,
        role.Highlight: colours.accent,
        role.HighlightedText: colours.on_accent,
        role.Accent: colours.accent,
        role.Link: colours.focus,
        role.LinkVisited: colours.focus,
        role.ToolTipBase: colours.base,
        role.ToolTipText: colours.text,
    }.items():
        made.setColor(name, QColor(colour))
    for name in (role.Text, role.WindowText, role.ButtonText, role.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, name, QColor(colours.disabled))
    made.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(colours.border))
    return made


def style_sheet(colours: Colours) -> str:
    """What palettes cannot say: the surround of pictures, buttons, quiet and loud words."""
    c = colours
    return f"""
    #pictureCanvas, #strip, #emptyState {{ background: {c.surround}; border: none; }}
    #emptyState QLabel {{ color: {c.on_surround}; }}
    #emptyState QLabel[quiet="true"] {{ color: {c.muted_on_surround}; }}
    QLabel[quiet="true"] {{ color: {c.muted}; }}
    QLabel[problem="true"] {{ color: {c.problem}; }}
    QLabel[caution="true"] {{ color: {c.caution}; }}
    QLabel[good="true"] {{ color: {c.good}; }}
    #pictureBar {{ border-bottom: 1px solid {c.border}; }}
    #progressRow {{ border-top: 1px solid {c.border}; border-bottom: 1px solid {c.border}; }}
    QSplitter::handle {{ background: {c.border}; }}

    QPushButton {{
        color: {c.text}; background: {c.button}; border: 1px solid {c.border};
        border-radius: 4px; padding: 5px 12px;
    }}
    QPushButton:hover {{ background: {c.button_hover}; }}
    QPushButton:pressed {{ background: {c.border}; }}
    QPushButton:focus {{ border: 2px solid {c.focus}; padding: 4px 11px; }}
    QPushButton:disabled {{ color: {c.disabled}; }}
    QPushButton#generate {{
        color: {c.on_accent}; background: {c.accent}; border: 1px solid {c.accent};
        font-weight: 600; padding: 8px 16px;
    }}
    QPushButton#generate:hover {{ background: {c.accent_hover}; }}
    QPushButton#generate:focus {{ border: 2px solid {c.on_accent}; padding: 7px 15px; }}
    QPushButton#generate:disabled {{
        color: {c.disabled}; background: {c.button}; border-color: {c.border};
    }}
    QPushButton#stop {{ padding: 8px 14px; }}
    QPushButton#stop:focus {{ padding: 7px 13px; }}
    QPushButton[example="true"] {{ text-align: left; padding: 7px 12px; }}
    QPushButton[example="true"]:focus {{ padding: 6px 11px; }}

    QLineEdit, QPlainTextEdit, QComboBox, QAbstractSpinBox {{
        color: {c.text}; background: {c.base}; border: 1px solid {c.field_border};
        border-radius: 4px; selection-background-color: {c.accent};
        selection-color: {c.on_accent}; placeholder-text-color: {c.muted};
    }}
    QLineEdit, QComboBox, QAbstractSpinBox {{ padding: 2px 6px; min-height: 20px; }}
    QPlainTextEdit {{ padding: 2px; }}
    QLineEdit:focus, QPlainTextEdit:focus, QComboBox:focus, QAbstractSpinBox:focus {{
        border-color: {c.focus};
    }}
    QLineEdit:disabled, QPlainTextEdit:disabled, QComboBox:disabled, QAbstractSpinBox:disabled {{
        color: {c.disabled}; background: {c.window}; border-color: {c.border};
    }}
    QComboBox QLineEdit, QAbstractSpinBox QLineEdit {{
        border: none; padding: 0; min-height: 0; background: transparent;
    }}
    QAbstractSpinBox {{ padding: 0 20px 0 0; min-height: 24px; max-height: 24px; }}
    QComboBox::drop-down {{ border: none; width: 22px; }}
    QComboBox::down-arrow, QAbstractSpinBox::down-arrow {{
        image: url(icons:arrow-down.svg); width: 14px; height: 14px;
    }}
    QAbstractSpinBox::up-arrow {{
        image: url(icons:arrow-up.svg); width: 14px; height: 14px;
    }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{
        border: none; width: 20px; background: transparent;
    }}
    QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover {{
        background: {c.button_hover};
    }}
    QComboBox QAbstractItemView {{
        color: {c.text}; background: {c.base}; border: 1px solid {c.field_border};
        selection-background-color: {c.accent}; selection-color: {c.on_accent};
        outline: none;
    }}

    QCheckBox::indicator, QTableView::indicator {{
        width: 14px; height: 14px; background: {c.base};
        border: 1px solid {c.field_border}; border-radius: 3px;
    }}
    QCheckBox::indicator:checked, QTableView::indicator:checked {{
        background: {c.accent}; border-color: {c.accent}; image: url(icons:check.svg);
    }}
    QCheckBox::indicator:focus {{ border: 2px solid {c.focus}; width: 12px; height: 12px; }}
    QTableView {{
        color: {c.text}; background: {c.base}; border: 1px solid {c.border};
        selection-background-color: {c.accent}; selection-color: {c.on_accent};
    }}
    QTableView:focus {{ border-color: {c.focus}; }}
    QTableView QLineEdit {{ border-radius: 0; padding: 0 2px; min-height: 0; }}
    QHeaderView::section {{
        color: {c.muted}; background: {c.window}; padding: 4px 3px;
        border: none; border-bottom: 1px solid {c.border};
    }}

    QScrollBar {{ background: transparent; border: none; }}
    QScrollBar:horizontal {{ height: 10px; }}
    QScrollBar:vertical {{ width: 10px; }}
    QScrollBar::handle {{
        background: {c.field_border}; border-radius: 3px; margin: 2px;
        min-width: 32px; min-height: 32px;
    }}
    QScrollBar::handle:hover {{ background: {c.muted}; }}
    QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
    QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

    QToolButton {{
        border: 2px solid transparent; border-radius: 4px; padding: 2px; background: transparent;
    }}
    QToolButton:hover {{ background: {c.button_hover}; }}
    QToolButton:pressed, QToolButton:checked {{ background: {c.border}; }}
    QToolButton:focus {{ border-color: {c.focus}; }}
    QToolButton::menu-indicator {{ image: none; width: 0; }}

    #banner {{
        background: {c.notice}; border-bottom: 1px solid {c.notice_border};
    }}
    #banner QLabel {{ color: {c.on_notice}; }}
    #banner[good="true"] {{ background: {c.base}; border-bottom: 1px solid {c.border}; }}
    #banner[good="true"] QLabel {{ color: {c.text}; }}

    #verdict, #checkRows {{
        background: {c.base}; border: 1px solid {c.border}; border-radius: 4px;
    }}
    #checkRows > QWidget > QWidget {{ background: {c.base}; }}
    QLabel[heading="true"] {{ color: {c.muted}; font-weight: 600; }}
    QPushButton#rowHeader, QPushButton#rowHeader:pressed {{
        background: transparent; border: 2px solid transparent; padding: 0; text-align: left;
    }}
    QPushButton#rowHeader:hover {{ background: {c.button_hover}; }}
    QPushButton#rowHeader:focus {{ border-color: {c.focus}; padding: 0; }}
    #command {{ background: {c.window}; border: 1px solid {c.border}; border-radius: 4px; }}
    QPushButton[link="true"] {{
        color: {c.focus}; background: transparent; border: 2px solid transparent;
        padding: 1px 3px; text-align: left; text-decoration: underline;
    }}
    QPushButton[link="true"]:hover {{ background: {c.button_hover}; }}
    QPushButton[link="true"]:focus {{ border-color: {c.focus}; padding: 1px 3px; }}

    QProgressBar {{ border: none; border-radius: 3px; background: {c.border}; }}
    QProgressBar::chunk {{ border-radius: 3px; background: {c.focus}; }}
    QToolTip {{
        color: {c.text}; background: {c.base}; border: 1px solid {c.border}; padding: 4px;
    }}
    """


def icon(name: str, palette: QPalette) -> QIcon:
    """The icon `resources/icons/NAME.svg` in the colours of button text."""
    group = QPalette.ColorGroup
    return _tinted_icon(
        name,
        palette.color(group.Active, QPalette.ColorRole.ButtonText).name(),
        palette.color(group.Disabled, QPalette.ColorRole.ButtonText).name(),
    )


def icon_in(name: str, colour: QColor) -> QIcon:
    """The icon in one colour."""
    return _tinted_icon(name, colour.name(), colour.name())


def mark(name: str, colour: QColor, side: int) -> QPixmap:
    """The icon in one colour as a picture, drawn once: for long lists of the same few."""
    ratio = max((s.devicePixelRatio() for s in QGuiApplication.screens()), default=1.0)
    key = f"danqing {name} {colour.name()} {side} {ratio}"
    found = QPixmap()
    if not QPixmapCache.find(key, found):
        found = _rendered(
            _source(name).replace(b"currentColor", colour.name().encode()), side, ratio
        )
        QPixmapCache.insert(key, found)
    return found


def application_icon() -> QIcon:
    """The program's own icon, in its own colours."""
    made = QIcon()
    source = _source("danqing")
    for side in (16, 24, 32, 48, 64, 128, 256):
        made.addPixmap(_rendered(source, side, 1.0))
    return made


def _tinted_icon(name: str, colour: str, disabled: str) -> QIcon:
    made = QIcon()
    # For the sharpest screen there is; Qt reduces it for the others.
    sharpest = max((s.devicePixelRatio() for s in QGuiApplication.screens()), default=1.0)
    ratios = {1.0, float(math.ceil(sharpest))}
    for mode, tint in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        source = _source(name).replace(b"currentColor", tint.encode())
        for ratio in ratios:
            made.addPixmap(_rendered(source, ICON_SIDE, ratio), mode)
    return made


@lru_cache(maxsize=64)
def _source(name: str) -> bytes:
    return resources.path("icons", f"{name}.svg").read_bytes()


def _rendered(source: bytes, side: int, ratio: float) -> QPixmap:
    pixels = round(side * ratio)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(source)).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
