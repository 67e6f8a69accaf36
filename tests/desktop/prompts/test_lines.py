"""A1111's lines and the repairs; blocks, tables and JSON. Case numbers: metadata_cases D."""

from __future__ import annotations

import string
import time
from itertools import pairwise

import pytest

from desktop.prompts import Field, ListFormat, PlannedPicture, WrongEntry
from engine.port import MAX_SEED, Sampler


def said(found):
    return [(p.line, p.is_error, str(p.message)) for p in found.problems]


def test_options_of_a_line(expand):
    found = expand(
        '--prompt "a, b" --negative_prompt "c" --width 320 --height 192 '
        '--sampler_name "DPM++ 2M Karras" --steps 10 --batch_size 2 --cfg_scale 3 --seed 9'
    )
    first, second = (row.request for row in found.pictures)
    assert (first.prompt, first.negative_prompt) == ("a, b", "c")
    assert (first.width, first.height, first.steps, first.guidance_scale) == (320, 192, 10, 3.0)
    assert first.sampler is Sampler.DPMPP_2M
    assert (first.seed, second.seed, first.image_count) == (9, 10, 1)
    assert [is_error for _, is_error, _ in said(found)] == [False]  # Karras is not there


@pytest.mark.parametrize(
    ("line", "prompt"),
    [
        ("an artist's desk", "an artist's desk"),
        ("--prompt artist's desk --steps 4", "artist's desk"),
        (r'--prompt "C:\new\out (x)" --steps 4', r"C:\new\out (x)"),
        (r'--prompt "say \"hi\"" --steps 4', 'say "hi"'),
        ("--prompt 'a cat' --steps 4", "a cat"),
        ('--prompt="a b" --steps=4', "a b"),
        ("--prompt a -- b", "a -- b"),
        ('--prompt "a --steps 4 b"', "a --steps 4 b"),
        ("a -- b", "a -- b"),
        ("50% off, $ 5, bra}ce, #3, //x", "50% off, $ 5, bra}ce, #3, //x"),
        ("#ff8800 sky", "#ff8800 sky"),
        ("  猫，🐈  ", "猫，🐈"),
    ],
)
def test_the_prompt_of_a_line(picture, line, prompt):
    assert picture(line).request.prompt == prompt


def test_options_behind_a_prompt_are_text_and_said_to_be(expand):
    found = expand("a cat\nan artist's desk --steps 20")
    assert found.pictures[1].request.prompt == "an artist's desk --steps 20"
    ((line, is_error, message),) = said(found)
    assert (line, is_error) == (2, False)
    assert "--steps" in message


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ('--prompt "x --steps 5', "column 10"),
        ("--prompt a castle --ar 16:9", "--ar"),
        ("--prompt x --stepz 4", "--steps"),
        ("--prompt x --steps --seed 5", "missing"),
        ("--prompt x --steps 999", "999"),
        ("--prompt x --steps ten", "ten"),
        ("--prompt x --seed 18446744073709551616", "184467"),
        ("--prompt x --width 7", "7x"),
        ("--prompt x --sampler_name Euler_z", "Euler_z"),
        ("--prompt x --batch_size 0", "0"),
        ("--steps 5", "no prompt"),
        ('--prompt ""', "no prompt"),
        ("{cat|dog", "column 1"),
        ("{0::a|0::b}", "0"),
        ("${x}", "${x}"),
        ("%{a}", "$$"),
        ("{|}", "nothing"),
    ],
)
def test_a_wrong_line_is_an_error_with_its_number(expand, line, part):
    found = expand(f"a cat\n\n{line}\na dog")
    assert [row.request.prompt for row in found.pictures] == ["a cat", "a dog"]
    assert isinstance(found.rows[1], WrongEntry)
    ((number, is_error, message),) = said(found)
    assert (number, is_error) == (3, True)
    assert part in message


def test_what_danqing_does_not_have_is_said(expand):
    found = expand(r'--prompt "x" --outpath_samples C:\new\out --tiling --restore_faces true')
    assert found.pictures[0].request.prompt == "x"
    assert [is_error for _, is_error, _ in said(found)] == [False] * 3


def test_seeds_count_up_and_are_exact(expand, base):
    found = expand(f"a\nb\n--prompt c --seed {MAX_SEED} --n_iter 2\nd")
    assert [row.request.seed for row in found.pictures] == [100, 101, MAX_SEED, 0, 104]
    assert len({row.request.seed for row in expand("--prompt a --seed -1,-1,3").pictures}) == 3
    assert expand("--prompt a --seed -1") == expand("--prompt a --seed -1")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_ends(expand, ending):
    found = expand(ending.join(["a", "", "# comment", "b\u2028c\x0bd"]))
    assert [(row.line, row.request.prompt) for row in found.pictures] == [
        (1, "a"),
        (4, "b\u2028c d"),
    ]
    assert [line for line, _, _ in said(found)] == [4]  # the control character


def test_blocks(expand):
    found = expand("\na cat\non a mat\n###\n\n--prompt two\n--steps 5\n###\n###\n")
    assert found.list_format is ListFormat.BLOCKS
    assert [(row.line, row.request.prompt) for row in found.pictures] == [
        (2, "a cat\non a mat"),
        (6, "two"),
    ]
    assert found.pictures[1].request.steps == 5
    lines = expand("a\n###\nb", list_format=ListFormat.LINES)
    assert [row.request.prompt for row in lines.pictures] == ["a", "b"]


def test_tables(expand):
    found = expand(
        'Prompt;Negative Prompt;steps;size;mood\n"a ""big"" cat;\nyes";;5,0;320x192;x\n'
        "dog;bad;20.0;320 × 192;\n;;;;\nbird;a;b;c;d;e\n",
        list_format=ListFormat.CSV,
    )
    assert [row.line for row in found.rows] == [2, 4, 6]
    assert found.rows[0].texts[Field.STEPS] == "5,0"
    dog = found.pictures[0].request
    assert (dog.prompt, dog.negative_prompt, dog.steps, dog.width) == ("dog", "bad", 20, 320)
    assert [(line, e) for line, e, _ in said(found)] == [(1, False), (2, True), (6, True)]


@pytest.mark.parametrize("head", ["text,steps", "prompt,prompt", '"prompt'])
def test_a_table_needs_its_names(expand, head):
    found = expand(f"{head}\na,5\n", list_format=ListFormat.CSV)
    assert found.rows == ()
    assert said(found)[-1][:2] == (1, True)


def test_an_open_quote_in_a_table_names_its_line(expand):
    found = expand("prompt\na\n" + '"b\n' + "c\n" * 100_000, list_format=ListFormat.CSV)
    assert [row.request.prompt for row in found.pictures] == ["a"]
    assert said(found)[-1][:2] == (3, True)


def test_json_lines(expand):
    found = expand(
        '{"prompt": "a\\nb", "steps": 7, "seed": 18446744073709551615, "cfg_scale": 2.5}\n\n'
        '{"prompt": 5}\n[1]\n{"prompt": "x"\n{"prompt": "x", "steps": NaN}\n'
        '{"prompt": "\\ud800 y", "who": null, "me": 1}\n{"prompt": "x", "steps": [1]}\n'
        + '{"a":' * 5000
        + '\n{"prompt": "x", "seed": '
        + "9" * 5000
        + "}",
        list_format=ListFormat.JSONL,
    )
    first = found.pictures[0].request
    assert (first.prompt, first.steps, first.seed) == ("a\nb", 7, MAX_SEED)
    assert found.pictures[1].request.prompt == "y"
    errors = [line for line, is_error, _ in said(found) if is_error]
    assert errors == [3, 4, 5, 6, 8, 9, 10]


def test_a_matrix(expand):
    found = expand('--prompt "a cat|red, |{b|b}" --matrix')
    assert [row.request.prompt for row in found.pictures] == [
        "a cat", "a cat, red", "a cat, b", "a cat, red, b"
    ]  # fmt: skip
    assert {row.request.seed for row in found.pictures} == {100}
    assert {row.group for row in found.pictures} == {1}
    assert {row.raw_prompt for row in found.pictures} == {"a cat|red, |{b|b}"}
    assert expand("a|b").pictures[0].request.prompt == "a|b"
    assert len(expand("a|b", is_matrix=True).pictures) == 2


def test_a_grid(expand):
    found = expand("--prompt cat --steps 10-20 (+5) --cfg_scale 1-3 [3] --seed 1,2")
    made = [(p.request.steps, p.request.guidance_scale, p.request.seed) for p in found.pictures]
    assert made == [(s, g, n) for n in (1, 2) for s in (10, 15, 20) for g in (1.0, 2.0, 3.0)]
    assert {p.group for p in found.pictures} == {1}


LETTERS = string.ascii_lowercase
LAUGHS = "${a={x|x}}" + "".join(
    f"${{{new}=${{{old}}}${{{old}}}}}" for old, new in pairwise(LETTERS)
) + "${z}"  # fmt: skip
"""Each variable is twice the one before: 2**25 letters."""


@pytest.mark.parametrize(
    "line",
    [
        "{!a|b|c|d|e|f|g|h|i|j}" * 12,
        "{!1-40$$" + "|".join(str(n) for n in range(40)) + "}",
        "--prompt cat --steps 1-200 --cfg_scale 0-29 (+0.1) --seed 1-1000",
        "--prompt " + "a|" * 40 + " --matrix",
        "--prompt cat --seed 1-999999999999",
        LAUGHS,
        "{" * 500 + "a" + "}" * 500,
        "{a|" * 5000,
        "x" * 200_000,
        "__" * 20_000,
        "__{" * 20_000,
        "--prompt " + "\"a " * 20_000,
        "--prompt " + "'a " * 20_000 + " --steps x",
        "<a:" * 20_000 + "{b}",
        "{1-9999$$" + "|".join(["{a|b}"] * 5000) + "}",
    ],
    ids=lambda line: line[:24],
)  # fmt: skip
def test_hostile_lines_are_bounded_and_named(expand, line):
    start = time.process_time()
    found = expand(f"a cat\n{line}\nend")
    assert time.process_time() - start < 5
    assert isinstance(found.rows[0], PlannedPicture)
    assert all(problem.line == 2 for problem in found.problems)
    assert all(len(str(problem.message)) < 400 for problem in found.problems)


def test_ten_thousand_lines(expand):
    """Under a second on an idle machine; the bound leaves room for a busy one."""
    kinds = ("a cat, {}", '--prompt "cat {}" --steps 20 --seed {}', "a {{red|blue}} cat {}")
    text = "\n".join(kinds[n % 3].format(n, n) for n in range(10_000))
    start = time.process_time()
    assert len(expand(text).pictures) == 10_000
    assert time.process_time() - start < 4
