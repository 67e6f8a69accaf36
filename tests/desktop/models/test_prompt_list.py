"""The table of an import: what it shows, how editing judges, what is left out."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy

from desktop.models.picture_times import PictureTimes
from desktop.models.prompt_form import PromptForm
from desktop.models.prompt_list import Column, PictureTable, Role, base_request
from desktop.prompts import PlannedPicture, Wildcards, expand_text
from desktop.prompts.plan import Terms
from engine.port import GenerationRequest
from tests.fakes.script import FAKE_MODEL

BASE = GenerationRequest(prompt="", seed=100, model_id=FAKE_MODEL.model_id)


@pytest.fixture
def table_of(qapp, tmp_path):
    def table_of(text: str) -> PictureTable:
        terms = Terms(model=FAKE_MODEL, base=BASE, wildcards=Wildcards(tmp_path))
        table = PictureTable()
        QAbstractItemModelTester(
            table, QAbstractItemModelTester.FailureReportingMode.Warning, table
        )
        found = expand_text(text, model=terms.model, base=terms.base, wildcards=terms.wildcards)
        table.show(found, terms)
        return table

    return table_of


def shown(table, row, column, role: int = Qt.ItemDataRole.DisplayRole):
    return table.index(row, column).data(role)


def edit(table, row, column, text):
    return table.setData(table.index(row, column), text, Qt.ItemDataRole.EditRole)


def test_a_row_for_each_picture(table_of):
    table = table_of("a cat\n--prompt x --steps 999\n--prompt b --batch_size 2 --seed 5")
    assert table.rowCount() == 4
    assert [shown(table, row, Column.LINE) for row in range(4)] == ["1", "2", "3", "3"]
    assert shown(table, 3, Column.SEED) == "6"
    assert [shown(table, row, Column.STEPS, Role.IS_CULPRIT) for row in (0, 1)] == [False, True]
    assert shown(table, 1, Column.PROMPT, Role.IS_CULPRIT) is False
    assert "999" in shown(table, 1, Column.NOTE)
    assert (len(table.pictures), table.wrong_count) == (3, 1)
    assert not table.flags(table.index(1, Column.LINE)) & Qt.ItemFlag.ItemIsUserCheckable


def test_a_wrong_cell_is_put_right(table_of):
    table = table_of("a\n--prompt x --steps 999\nb")
    spy = QSignalSpy(table.included_changed)
    assert edit(table, 1, Column.STEPS, "20")
    assert spy.count() == 1
    assert [(p.request.prompt, p.request.steps, p.request.seed) for p in table.pictures][1] == (
        "x", 20, 101
    )  # fmt: skip
    assert table.wrong_count == 0
    edit(table, 1, Column.SEED, "x")
    assert shown(table, 1, Column.SEED, Role.IS_CULPRIT)
    edit(table, 1, Column.SIZE, "1x1")
    edit(table, 1, Column.SEED, "7")
    assert shown(table, 1, Column.SIZE, Role.IS_CULPRIT)


def test_a_line_that_could_not_be_read_is_read_again(table_of):
    table = table_of('--prompt "x --steps 5')
    edit(table, 0, Column.PROMPT, '--prompt "x" --steps 5')
    (picture,) = table.pictures
    assert (picture.request.prompt, picture.request.steps) == ("x", 5)


def test_an_edited_prompt_is_expanded_and_the_others_are_not(table_of):
    table = table_of("a cat\n" + r"\{literal\} {x|x}")
    edit(table, 0, Column.PROMPT, "{!red|green} cat")
    assert [p.request.prompt for p in table.pictures] == ["red cat", "green cat", "{literal} x"]
    edit(table, 2, Column.STEPS, "9")
    literal = table.pictures[2]
    assert (literal.request.prompt, literal.raw_prompt) == ("{literal} x", r"\{literal\} {x|x}")
    edit(table, 2, Column.PROMPT, "{open")
    assert table.wrong_count == 1
    edit(table, 2, Column.NEGATIVE_PROMPT, "{a|b}")
    edit(table, 2, Column.PROMPT, "shut")
    assert table.pictures[2].request.negative_prompt in ("a", "b")


def test_rows_are_left_out_and_stay_so_when_edited(table_of):
    table = table_of("a\nb\nc")
    unchecked, check = Qt.CheckState.Unchecked, Qt.ItemDataRole.CheckStateRole
    table.setData(table.index(1, Column.LINE), unchecked.value, check)
    assert [p.request.prompt for p in table.pictures] == ["a", "c"]
    edit(table, 1, Column.PROMPT, "B")
    assert [p.request.prompt for p in table.pictures] == ["a", "c"]
    table.set_included([0, 1, 2], True)
    assert [p.request.prompt for p in table.pictures] == ["a", "B", "c"]


def test_problems_are_found_in_a_circle(table_of):
    table = table_of("a\nb --steps 5\nc\n{d")
    assert [table.next_note(after) for after in (-1, 1, 3)] == [1, 3, 1]
    assert table_of("a").next_note(-1) is None


def test_the_base_is_the_forms_settings(qapp):
    form = PromptForm()
    form.set_models((FAKE_MODEL,))
    form.update(
        prompt="not this", steps=9, size_text="nonsense", is_seed_random=False, seed_text="7"
    )
    base = base_request(form, FAKE_MODEL)
    assert (base.prompt, base.steps, base.width, base.seed) == ("", 9, None, 7)


def test_times_are_learnt_and_unknown_ones_are_said_to_be(table_of):
    pictures = table_of("--prompt a --steps 10\n--prompt a --steps 20 --cfg_scale 1").pictures
    first, second = (picture.request for picture in pictures)
    times = PictureTimes()
    assert times.estimate_s([first]) is None
    times.learn(first, 4.0)
    assert times.estimate_s([first, first]) == pytest.approx(8.0)
    assert times.estimate_s([first, second]) is None  # without guidance it takes half the time
    assert isinstance(pictures[0], PlannedPicture)
