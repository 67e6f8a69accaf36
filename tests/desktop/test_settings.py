from __future__ import annotations

import json
from dataclasses import replace

import pytest

from desktop import settings
from desktop.settings import FormValues, Settings, Theme
from engine.port import MAX_SEED, Sampler

CHANGED = Settings(
    language="zh_CN",
    theme=Theme.DARK,
    pictures_folder="/somewhere/图片",
    file_name_pattern="[date]/[seed]",
    form=FormValues(
        prompt="一只猫\nwith a hat",
        negative_prompt="blur",
        model_id="starter",
        size_text="320 × 192",
        steps=7,
        guidance_scale=2.0,
        sampler=Sampler.EULER,
        image_count=4,
        is_seed_random=False,
        seed_text=str(MAX_SEED),
    ),
)


@pytest.mark.parametrize("value", [Settings(), CHANGED])
def test_what_is_saved_is_what_is_loaded(tmp_path, value):
    settings.save(value, tmp_path / "config")
    assert settings.load(tmp_path / "config") == value
    assert [path.name for path in (tmp_path / "config").iterdir()] == [settings.FILE_NAME]


def test_without_a_file_the_defaults_apply(tmp_path):
    assert settings.load(tmp_path) == Settings()


@pytest.mark.parametrize(
    "text",
    ["", "not json", "[]", "{}", '{"version": "1"}', f'{{"version": {settings.VERSION + 1}}}'],
)
def test_a_file_that_cannot_be_used_is_moved_aside(tmp_path, expect_log, text):
    expect_log("settings")
    (tmp_path / settings.FILE_NAME).write_text(text)
    assert settings.load(tmp_path) == Settings()
    assert [path.read_text() for path in tmp_path.iterdir()] == [text]
    settings.save(CHANGED, tmp_path)
    assert settings.load(tmp_path) == CHANGED


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("theme", "purple"),
        ("language", 3),
        ("form.steps", "many"),
        ("form.steps", True),
        ("form.sampler", "ddim"),
        ("form.is_seed_random", "no"),
        ("form.prompt", None),
    ],
)
def test_one_wrong_value_costs_that_value_only(tmp_path, expect_log, name, value):
    expect_log("not of the kind expected")
    settings.save(CHANGED, tmp_path)
    path = tmp_path / settings.FILE_NAME
    data = json.loads(path.read_text(encoding="utf-8"))
    target = data
    *groups, key = name.split(".")
    for group in groups:
        target = target[group]
    target[key] = value
    path.write_text(json.dumps(data), encoding="utf-8")
    loaded = settings.load(tmp_path)
    assert loaded != CHANGED
    assert loaded.form.negative_prompt == "blur"
    assert loaded.pictures_folder == "/somewhere/图片"


def test_whole_numbers_are_good_for_fractions(tmp_path):
    settings.save(CHANGED, tmp_path)
    path = tmp_path / settings.FILE_NAME
    path.write_text(path.read_text(encoding="utf-8").replace("2.0", "2"), encoding="utf-8")
    assert settings.load(tmp_path).form.guidance_scale == 2.0


def test_settings_without_a_pattern_keep_everything_else(tmp_path):
    settings.save(CHANGED, tmp_path)
    path = tmp_path / settings.FILE_NAME
    data = json.loads(path.read_text(encoding="utf-8"))
    del data["file_name_pattern"]
    path.write_text(json.dumps({**data, "version": 1}), encoding="utf-8")
    assert settings.load(tmp_path) == replace(CHANGED, file_name_pattern=None)
    assert settings.name_pictures_by_pattern({"version": 1}) == {
        "version": 2,
        "file_name_pattern": None,
    }


def test_every_version_has_a_way_to_the_next():
    assert sorted(settings.MIGRATIONS) == list(range(1, settings.VERSION))
