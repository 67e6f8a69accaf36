"""Labels and buttons that shorten their text, and the box for prompts."""

from __future__ import annotations

from PySide6.QtTest import QTest

from desktop.widgets.elided_button import ElidedButton
from desktop.widgets.elided_label import ElidedLabel
from desktop.widgets.prompt_edit import PromptEdit

LONG = "a lighthouse on a cliff above the sea at night, with a storm, watercolour & ink"


def test_a_label_ends_in_an_ellipsis_and_keeps_the_whole_text(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(120, 20)
    label.show()
    label.set_full_text(LONG.replace(", ", ",\n"))
    assert label.text().endswith("…")
    assert label.fontMetrics().horizontalAdvance(label.text()) <= 120
    assert label.accessibleName() == label.toolTip() == LONG
    label.resize(2000, 20)
    assert label.text() == LONG
    assert label.toolTip() == ""


def test_a_button_ends_in_an_ellipsis_and_keeps_the_whole_text(qtbot):
    button = ElidedButton(LONG)
    qtbot.addWidget(button)
    button.resize(160, 32)
    button.show()
    assert button.text().endswith("…")
    assert button.accessibleName() == button.toolTip() == LONG
    button.resize(button.sizeHint())
    assert button.text() == LONG.replace("&", "&&")
    assert button.toolTip() == ""


def test_a_prompt_keeps_its_undo_history_when_it_is_shown_again(qtbot):
    edit = PromptEdit(lines=3, most_lines=6)
    qtbot.addWidget(edit)
    QTest.keyClicks(edit, "a cat")
    edit.set_text("a cat")
    assert edit.document().isUndoAvailable()
    edit.undo()
    assert edit.toPlainText() == ""
    edit.set_text("a dog")
    assert edit.toPlainText() == "a dog"


def test_a_prompt_is_as_high_as_its_lines(qtbot):
    low, high = PromptEdit(lines=2, most_lines=4), PromptEdit(lines=6, most_lines=9)
    for edit in (low, high):
        qtbot.addWidget(edit)
    line = low.fontMetrics().lineSpacing()
    assert high.sizeHint().height() - low.sizeHint().height() == 4 * line
    assert high.maximumHeight() - low.maximumHeight() == 5 * line
