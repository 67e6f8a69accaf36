"""Prompt lists from strangers, in every format: rows and problems, or a refusal; never more."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from desktop import check_texts
from desktop.prompts import ListFormat, PlannedPicture, Wildcards, expand_file
from desktop.prompts.expansion import MAX_PICTURES
from engine.port import GenerationRequest
from tests.fakes.script import FAKE_MODEL
from tests.fuzz.hostile import INPUT_COUNTS, attack, damaged

LINES = (
    b'--prompt "a, b" --negative_prompt "c" --width 320 --height 192 --steps 10 --seed 9\n'
    b"an artist's desk --steps 20\n--prompt x --cfg_scale 1-3 [3] --batch_size 2 --n_iter 2\n"
    b'--prompt "cat|red|blue" --matrix --seed -1,5-7 (+2)\n# comment\n'
)
TEMPLATES = (
    b"a {2$$ and $$red|0.5::green|{!x|y}} cat, __colours__ __*__ __loop__\n"
    b"${v=!{a|b}}${w={~c|d}} ${v} ${w:e} %{<...>$${@f|g}} \\{h\\}\n{1-3$$a|b|c}{!d|e}{!f|g}\n"
)
BLOCKS = "一只猫\non a mat\n###\n--prompt two\n--steps 5\n###\n".encode()
TABLE = b'prompt,negative,steps,size,seed\n"a ""b"", c",d,5,320x192,7\ne,,1-3,,\n'
JSON = b'{"prompt": "a {b|c}", "steps": 7, "seed": "18446744073709551615", "matrix": false}\n'
SAMPLES = (LINES, TEMPLATES, BLOCKS, TABLE, JSON)
SIGNS = (b"{", b"}", b"|", b"$$", b"__", b"${", b"%{", b"!", b"\\", b'"', b"'", b"--", b"1-9")
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-16", "utf-8-sig", "gb18030", "utf-32")


def list_of(chance: random.Random) -> bytes:
    data = damaged(chance.choice(SAMPLES), chance, (*SAMPLES, *SIGNS))
    for _ in range(chance.randrange(6)):
        at = chance.randint(0, len(data))
        data = data[:at] + chance.choice(SIGNS) * chance.choice((1, 1, 2, 30)) + data[at:]
    text = data.decode("utf-8", "replace")
    return data if chance.randrange(2) else text.encode(chance.choice(ENCODINGS))


@pytest.mark.parametrize("inputs", INPUT_COUNTS)
def test_a_list_is_read_or_refused(tmp_path: Path, inputs: int) -> None:
    folder = tmp_path / "wildcards"
    folder.mkdir()
    (folder / "colours.txt").write_text("red\n2::green\n{blue|__*__}\n")
    (folder / "loop.txt").write_text("__loop__\n{a|__colours__}\n")
    wildcards = Wildcards(folder)
    place = tmp_path / "list"
    base = GenerationRequest(prompt="", seed=2**64 - 3, model_id=FAKE_MODEL.model_id)

    def read(chance: random.Random) -> None:
        place.write_bytes(list_of(chance))
        found = expand_file(
            place,
            model=FAKE_MODEL,
            base=base,
            wildcards=wildcards,
            list_format=chance.choice((None, *ListFormat)),
            encoding=chance.choice((None, None, None, "gb18030", "utf-16-le")),
            is_matrix=chance.randrange(4) == 0,
        )
        assert len(found.rows) <= MAX_PICTURES
        assert found.rows or found.problems
        for problem in found.problems:
            assert len(check_texts.sentence(problem.message)) < 500
        for row in found.rows:
            if isinstance(row, PlannedPicture):
                assert row.request.prompt == row.request.prompt.strip() != ""
                assert "\0" not in row.request.prompt
                row.request.prompt.encode()
                row.raw_prompt.encode()

    attack(read, inputs, name="prompt list")
