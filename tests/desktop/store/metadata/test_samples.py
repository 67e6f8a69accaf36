"""Real files of other programs (enslo/sd-metadata, MIT: samples/LICENSE.txt), read as expected.

`expected.json` comes from that project's own tests, with one exception that is argued below.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from desktop.metadata_command import record_of
from desktop.store.metadata import read

SAMPLES = Path(__file__).parent / "samples"
EXPECTED = json.loads((SAMPLES / "expected.json").read_text(encoding="utf-8"))

IN_THE_FILE_ALL_THE_SAME = {("png-comfyui-anima.png", "prompt")}
"""Expected as unknown, though the graph's sampler leads straight to a node with the text."""


@pytest.mark.parametrize("name", EXPECTED)
def test_a_sample_reads_as_expected(name):
    record = record_of(SAMPLES / name, read(SAMPLES / name))
    expected = {
        key: value
        for key, value in EXPECTED[name].items()
        if (name, key) not in IN_THE_FILE_ALL_THE_SAME
    }
    assert {key: record[key] for key in expected} == expected
    assert record["format"] == {"jpg": "jpeg"}.get(name.split("-")[0], name.split("-")[0])
    assert str(record["source"]) in read(SAMPLES / name).raw


def test_a_prompt_that_the_graph_holds_is_read():
    prompt = read(SAMPLES / "png-comfyui-anima.png").prompt
    assert prompt is not None
    assert prompt.startswith("general, masterpiece")
    assert "初音ミク" in prompt


def test_invokeai_in_english():
    found = read(SAMPLES / "png-invokeai-en.png")
    assert (found.software, found.seed, found.steps) == ("invokeai", 1860920704, 24)
    assert (found.cfg, found.sampler) == (6.0, "euler_a")


def test_a_comment_of_a_paint_program_is_no_generation_data():
    found = read(SAMPLES / "png-gimp-en.png")
    assert found.software is None
    assert found.raw == {"png:Comment": "Created with GIMP"}
    assert [str(note) for note in found.warnings] == [
        "No generation data; the file holds only: png:Comment."
    ]
