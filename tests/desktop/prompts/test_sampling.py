"""Dynamic prompts. The table of results is dynamicprompts 0.31's (combinatorial generator)."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from desktop.prompts import SeedPolicy, Wildcards

THEIRS = [
    ("{a|b}", ["a", "b"]),
    ("{ a | b }x", ["a x", "b x"]),
    ("{2$$a|b|c}", ["a,b", "a,c", "b,a", "b,c", "c,a", "c,b"]),
    ("{2$$ and $$a|b}", ["a and b", "b and a"]),
    ("{1-2$$a|b}", ["a", "b", "a,b", "b,a"]),
    ("{-2$$a|b}", ["a", "b", "a,b", "b,a"]),
    ("{1-$$a|b}", ["a", "b", "a,b", "b,a"]),
    ("{2-1$$a|b}", ["a", "b", "a,b", "b,a"]),
    ("{3$$a|b}", ["a,b", "b,a"]),
    ("{2$$|$$a|b}", ["a|b", "b|a"]),
    ("{a|{b|c}} d", ["a d", "b d", "c d"]),
    ("${v={a|b}}x ${v} ${v}", ["x a a", "x a b", "x b a", "x b b"]),
    ("${v=!{a|a}}x ${v}", ["x a"]),
    ("x ${v:q} y", ["x q y"]),
    ("%{<...>$${a|b}}", ["<a>", "<b>"]),
    ("a {b|} c", ["a b c", "a  c"]),
    ("{a b|c d}, e", ["a b, e", "c d, e"]),
    ("{a|b}{c|d}", ["ac", "ad", "bc", "bd"]),
]


@pytest.mark.parametrize(("text", "results"), THEIRS, ids=[text for text, _ in THEIRS])
def test_every_alternative_is_what_dynamicprompts_finds(expand, text, results):
    every = re.sub(r"(?<![%$!])\{|(?<=\$\$)\{", "{!", text)
    assert [row.request.prompt for row in expand(every).pictures] == results


@pytest.mark.parametrize(("text", "results"), THEIRS, ids=[text for text, _ in THEIRS])
def test_a_random_one_is_one_of_them(expand, text, results):
    drawn = [row.request.prompt for row in expand("\n".join([text] * 60)).pictures]
    assert set(drawn) == set(results)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (r"a \{b\|c\} \__d__ \${e} \%{f}", "a {b|c} __d__ ${e} %{f}"),
        ("<lora:my__style__v2:1> x", "<lora:my__style__v2:1> x"),
        ("____ and a__b, ____ {c}", "____ and a__b, ____ c"),
        ("${v=a}${v?=b}${v}", "a"),
        (r"\(not a weight\) {x}", r"\(not a weight\) x"),
        ("{@a|b|c}", "b"),  # 100 % 3
        ("__heavy__", "always"),
        ("{0::a|b}", "b"),
        ("__season(season={summer})__", "in summer"),
        ("__season__", "in any season"),
        ("__artists/old/*__", ("Rembrandt", "Vermeer")),
        ("__artists/**__", ("Rembrandt", "Vermeer", "Kahlo")),
        ("__dutch__", ("Rembrandt", "Vermeer")),
        ("__{colours|colours}__", ("red", "green", "blue")),
        ("${w=dutch}__${w}__", ("Rembrandt", "Vermeer")),
    ],
)
def test_what_a_template_becomes(picture, text, result):
    drawn = picture(text).request.prompt
    assert drawn in result if isinstance(result, tuple) else drawn == result


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("__nothing__", "nothing"),
        ("__../../etc/passwd__", "../../etc/passwd"),
        ("__/etc/passwd__", "/etc/passwd"),
        ("__..__", ".."),
        ("__loop__", "loop → loop"),
        ("__broken__", ("never closed", "broken.txt:2")),
        ("__latin__", "UTF-8"),
        ("__empty__", "empty"),
        ("__a*b*c*d*e*f*g*__", "stars"),
        ("__season(winter)__", "name=value"),
    ],
)
def test_wildcards_that_cannot_be_used(expand, text, part):
    found = expand(f"a\n{text}")
    (problem,) = found.problems
    assert (problem.line, problem.is_error) == (2, True)
    assert any(p in str(problem.message) for p in ([part] if isinstance(part, str) else part))


def test_a_link_in_the_folder_is_followed_only_to_files(expand, wildcards: Wildcards):
    (wildcards.folder / "up").symlink_to(wildcards.folder.parent, target_is_directory=True)
    assert all(not name.startswith("up/") for name in wildcards.names())


def test_the_text_depends_on_the_seed_alone(expand):
    line = "{a|b|c|d} {e|f|g|h} __colours__"
    alone = expand(f"--prompt {line} --seed 7").pictures[0].request.prompt
    among = expand(f"x\n{line}\n--prompt {line} --seed 7", seeds=SeedPolicy.RANDOM)
    assert among.pictures[2].request.prompt == alone
    assert among.pictures[2].raw_prompt == line
    many = expand("\n".join([line] * 50)).pictures
    assert len({row.request.prompt for row in many}) > 10
    same = expand("\n".join([line] * 50), seeds=SeedPolicy.SAME).pictures
    assert len({row.request.prompt for row in same}) == 1


def test_each_picture_of_a_count_is_drawn_anew(expand):
    found = expand("--prompt {a|b|c|d|e|f} --batch_size 30")
    assert [row.request.seed for row in found.pictures] == list(range(100, 130))
    assert len({row.request.prompt for row in found.pictures}) > 3
    assert {row.group for row in found.pictures} == {None}


def test_weights(expand):
    drawn = Counter(row.request.prompt for row in expand("{3::a|b}\n" * 2000).pictures)
    assert 0.70 < drawn["a"] / 2000 < 0.80
    pairs = Counter(row.request.prompt for row in expand("{2$$8::a|b|c}\n" * 2000).pictures)
    assert sum(n for text, n in pairs.items() if "a" in text) > 1900


def test_the_negative_prompt_is_expanded_too(expand):
    found = expand('--prompt cat --negative "{!bad|ugly}"')
    assert [row.request.negative_prompt for row in found.pictures] == ["bad", "ugly"]
