from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon
from PySide6.QtWidgets import QApplication, QLabel

import desktop
import resources
from desktop import theme
from desktop.settings import Theme

TEXT_PAIRS = [
    ("text", "window"),
    ("text", "base"),
    ("text", "button"),
    ("text", "button_hover"),
    ("muted", "window"),
    ("muted", "base"),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    ("on_surround", "surround"),
    ("muted_on_surround", "surround"),
    ("on_notice", "notice"),
    ("problem", "window"),
    ("problem", "base"),
    ("good", "base"),
    ("caution", "base"),
    ("focus", "base"),
    ("focus", "window"),
]
CONTROL_PAIRS = [
    ("field_border", "window"),
    ("field_border", "base"),
    ("focus", "window"),
    ("focus", "base"),
    ("focus", "surround"),
]
BOTH = pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK], ids=["light", "dark"])


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    made = QColor(colour)
    shares = (made.redF(), made.greenF(), made.blueF())
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_the_measure_is_right():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@BOTH
@pytest.mark.parametrize(("front", "ground"), TEXT_PAIRS)
def test_text_can_be_read(colours, front, ground):
    assert contrast(getattr(colours, front), getattr(colours, ground)) >= 4.5


@BOTH
@pytest.mark.parametrize(("front", "ground"), CONTROL_PAIRS)
def test_controls_and_focus_can_be_seen(colours, front, ground):
    assert contrast(getattr(colours, front), getattr(colours, ground)) >= 3.0


@BOTH
def test_what_surrounds_pictures_has_no_colour(colours):
    for name in ("surround", "window", "base", "border"):
        colour = QColor(getattr(colours, name))
        assert colour.red() == colour.green() == colour.blue()


def test_every_icon_that_is_named_draws_something(qapp: QApplication):
    folder = Path(desktop.__file__).parent
    named = set()
    for path in [*folder.glob("views/*.py"), *folder.glob("widgets/*.py")]:
        source = path.read_text(encoding="utf-8")
        named |= set(re.findall(r'theme\.icon(?:_in)?\(\s*"([\w-]+)"', source))
        named |= set(re.findall(r'\(self\.\w+, "([\w-]+)"\)', source))
    assert {"swap", "examples", "save", "stop", "random", "warning"} <= named
    for name in named:
        image = theme.icon_in(name, QColor("#123456")).pixmap(20).toImage()
        colours = {
            image.pixelColor(x, y).name()
            for x in range(20)
            for y in range(20)
            if image.pixelColor(x, y).alpha() == 255
        }
        assert "#123456" in colours, name


def test_no_icon_lies_about_unused():
    folder = Path(desktop.__file__).parent
    sources = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    for path in resources.path("icons").glob("*.svg"):
        assert f'"{path.stem}"' in sources or f"icons:{path.name}" in sources, path.name


def test_a_mark_is_drawn_once_for_each_colour(qapp: QApplication):
    red, blue = QColor("#ff0000"), QColor("#0000ff")
    first = theme.mark("failed", red, 18)
    assert theme.mark("failed", red, 18).cacheKey() == first.cacheKey()
    assert theme.mark("failed", blue, 18).toImage() != first.toImage()


def test_colours_without_a_role_follow_the_theme(qapp: QApplication):
    appearance = theme.Appearance(qapp)
    for chosen, colours in ((Theme.DARK, theme.DARK), (Theme.LIGHT, theme.LIGHT)):
        appearance.choose(chosen)
        assert theme.colours() is colours


def test_the_program_has_an_icon_of_its_own(qapp: QApplication):
    icon: QIcon = theme.application_icon()
    assert len({size.width() for size in icon.availableSizes()}) >= 5


def test_a_chosen_theme_holds_whatever_the_system_says(qapp: QApplication):
    appearance = theme.Appearance(qapp)
    appearance.choose(Theme.DARK)
    assert qapp.palette().window().color() == QColor(theme.DARK.window)
    appearance.choose(Theme.LIGHT)
    assert qapp.palette().window().color() == QColor(theme.LIGHT.window)


def test_chinese_is_drawn_in_its_own_forms(qapp: QApplication):
    families = theme.with_chinese(QFont("Some Desktop Font")).families()
    assert families[0] == "Some Desktop Font"
    assert families[1] == "Noto Sans CJK SC"
    assert theme.with_chinese(theme.with_chinese(QFont("A"))).families()[0] == "A"


def test_english_quotation_marks_are_narrow_where_a_chinese_font_draws_them(qapp: QApplication):
    before = qapp.font()
    appearance = theme.Appearance(qapp)
    if "Noto Sans CJK SC" not in QFontDatabase.families():
        pytest.skip("Noto Sans CJK SC is not installed")
    try:
        qapp.setFont(theme.with_chinese(QFont("Sans Serif")))
        label = QLabel("\N{LEFT DOUBLE QUOTATION MARK}")
        widths = []
        for language in ("en", "zh_CN", "en"):
            appearance.speak(language)
            label.ensurePolished()
            widths.append(label.fontMetrics().horizontalAdvance(label.text()))
        assert widths[0] == widths[2] < widths[1] / 1.5
    finally:
        qapp.setFont(before)
