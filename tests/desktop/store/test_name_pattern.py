"""Patterns for file names: A1111's tokens, understood or refused, and names that always fit."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop import messages
from desktop.store import name_pattern, names
from desktop.store.name_pattern import Facts, Name, Pattern, PatternError, Reason
from tests.fakes import pictures

ROOM = 255 - len(".png")


def facts(prompt: str = "an orange cat") -> Facts:
    return pictures.facts(prompt, seed=2**64 - 1, index=1, count=4)


def stem(pattern: str, number: int = 1, room: int = ROOM, **given) -> str:
    name = Pattern(pattern).name(facts(**given), room)
    return f"{name.folder}/{name.stem(number)}" if name.folder else name.stem(number)


def digits(text: str | bytes, count: int) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:count]


def test_the_default_name_says_when_and_what():
    assert stem(name_pattern.DEFAULT_TEXT, 7) == "2026-11-30-0007-an orange cat"
    assert stem(name_pattern.DEFAULT_TEXT, 12345, prompt="") == "2026-11-30-12345"


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("[seed]", "0"),
        ("[seed_first]-[seed_last]", f"{2**64 - 1}-2"),
        ("[steps]_[cfg]_[width]x[height]", "8_3.5_320x192"),
        ("[sampler] [scheduler]", "dpmpp_2m shifted"),
        ("[sampler_scheduler]", "dpmpp_2m shifted"),
        ("[model_name]-[model_hash]", "ERNIE 图-0123456789"),
        ("[date]/[prompt]", "2026-11-30/an_orange_cat"),
        ("[datetime]", "20261130235958"),
        ("[datetime<%Y年%m月%d日 %H.%M>]", "2026年11月30日 23.59"),
        ("[datetime<%Y-%m-%d><Asia/Shanghai>]", "2026-12-01"),
        ("[datetime<><Asia/Shanghai>]", "20261201075958"),
        ("[datetime<%Y/%m>]", "2026 11"),  # a value makes no folder
        ("[job_timestamp]", "20261130235000"),
        ("[prompt_words]", "an orange cat"),
        ("[prompt_hash]", digits("an orange cat", 8)),
        ("[prompt_hash<20>]", digits("an orange cat", 20)),
        ("[negative_prompt_hash]", digits("", 8)),
        ("[full_prompt_hash<4>]", digits("an orange cat ", 4)),
        ("[image_hash<64>]", digits(b"rgb", 64)),
        ("[hasprompt<CAT|animal><dog|no dog>]", "CATno dog"),
        ("[batch_number] of [batch_size], [generation_number]", "2 of 4, 2"),
        ("cat[none]", "cat"),
        ("[none]", "picture"),
        ("[none]-[seed]", "0"),
        ("[seed]-[none]-[steps]", "0-8"),
        ("[number]", "0001"),
        ("[prompt_spaces]-[number]-[seed]", "an orange cat-0001-0"),
        ("aux.[number]", "_aux.0001"),
        ("con", "_con"),
        ("a/con/[seed]", "a/_con/0"),
        ("图片 [seed].", "图片 0"),
    ],
)
def test_each_token(pattern, name):
    assert stem(pattern) == name


def test_words_of_a_prompt_are_eight_at_most():
    prompt = "one, (two:1.2) three! four; five six seven eight nine"
    assert stem("[prompt_words]", prompt=prompt) == "one two 1 2 three four five six"
    assert stem("[seed]-[prompt_words]", prompt="(!)") == "0"


def test_without_a_number_one_is_added_where_the_name_is_taken():
    name = Pattern("[seed]").name(facts(), ROOM)
    assert [name.stem(n) for n in (1, 2, 3)] == ["0", "0-2", "0-3"]


@pytest.mark.parametrize(
    ("pattern", "reason", "part", "near"),
    [
        ("", Reason.EMPTY, "", None),
        (" ", Reason.EMPTY, "", None),
        ("[sed]", Reason.UNKNOWN_TOKEN, "[sed]", "seed"),
        ("[styles]-[seed]", Reason.UNKNOWN_TOKEN, "[styles]", "steps"),
        ("[xyzzy<3>]", Reason.UNKNOWN_TOKEN, "[xyzzy<3>]", None),
        ("[]", Reason.UNKNOWN_TOKEN, "[]", None),
        ("[seed", Reason.BRACKET, "[seed", None),
        ("seed]", Reason.BRACKET, "seed]", None),
        ("[SEED]", Reason.BRACKET, "[SEED]", None),
        ("a:b", Reason.CHARACTER, ":", None),
        ("a\\[seed]", Reason.CHARACTER, "\\", None),
        ("a\n[seed]", Reason.CHARACTER, "\n", None),
        ("[seed<3>]", Reason.ARGUMENT, "[seed<3>]", None),
        ("[prompt_hash<0>]", Reason.ARGUMENT, "[prompt_hash<0>]", None),
        ("[prompt_hash<x>]", Reason.ARGUMENT, "[prompt_hash<x>]", None),
        ("[prompt_hash<8><9>]", Reason.ARGUMENT, "[prompt_hash<8><9>]", None),
        ("[datetime<%Y><Nowhere>]", Reason.ARGUMENT, "[datetime<%Y><Nowhere>]", None),
        ("[datetime<%Y><../../etc/passwd>]", Reason.ARGUMENT, None, None),
        ("[hasprompt]", Reason.ARGUMENT, "[hasprompt]", None),
        ("/srv/[seed]", Reason.FOLDER, "/", None),
        ("../[seed]", Reason.FOLDER, "../", None),
        ("a/../[seed]", Reason.FOLDER, "../", None),
        ("a//[seed]", Reason.FOLDER, "/", None),
        ("[date]/", Reason.FOLDER, "/", None),
        ("[number]/[seed]", Reason.FOLDER, "[number]", None),
        ("[number][number]", Reason.NUMBER, "[number]", None),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused_with_the_reason(pattern, reason, part, near):
    with pytest.raises(PatternError) as caught:
        Pattern(pattern)
    assert caught.value.reason is reason
    assert part is None or caught.value.part == part
    assert caught.value.near == near
    message = messages.describe_pattern_problem(caught.value, name_pattern.known_tokens())
    assert message.summary
    if reason is Reason.UNKNOWN_TOKEN:
        assert "[seed]" in message.remedy
        assert "[prompt_hash]" in message.remedy


def test_no_prompt_leads_out_of_the_folder_or_into_another():
    name = Pattern("[prompt]/[prompt_spaces]").name(facts(prompt="../../etc/passwd"), ROOM)
    assert name == Name("etc_passwd", "etc passwd", "", has_number=False)


def test_a_seed_survives_long_texts():
    long = "猫" * 400
    whole = stem("[prompt]-[prompt_spaces]-[prompt_words]-[seed]", prompt=long)
    assert whole.endswith("-0")
    assert 150 < len(whole.encode()) <= ROOM
    assert whole.count("猫") > 60


_PIECES = st.sampled_from(
    ["[seed]", "[prompt]", "[prompt_spaces]", "[model_name]", "[image_hash<64>]", "[none]",
     "[hasprompt<a|.>]", "-", " ", ".", "con", "图", "é", "👩\u200d🚀" * 30, "/", "aux."]
)  # fmt: skip


@given(
    st.lists(_PIECES, min_size=1, max_size=9),
    st.sampled_from(["", "[number]"]),
    st.text(),
    st.integers(1, 99999),
    st.sampled_from([143 - 4, 255 - 4]),
)
def test_names_always_fit_and_are_valid(pieces, counter, prompt, number, room):
    try:
        pattern = Pattern("".join(pieces) + counter)
    except PatternError:
        return
    name = pattern.name(facts(prompt=prompt), room)
    for part in [*name.folder.split("/"), name.stem(number) + ".png"]:
        if part == name.folder == "":
            continue
        assert 0 < len(part.encode("utf-8")) <= room + len(".png")
        assert not set(part) & names.RESERVED
        assert part == part.strip(" .")
        assert names.no_device(part, 255) == part


@given(st.text(min_size=1, max_size=400))
def test_default_names_fit_the_narrowest_file_system(prompt):
    name = stem(name_pattern.DEFAULT_TEXT, 9999, prompt=prompt)
    assert len((name + "-12.png").encode("utf-8")) <= 143


@given(st.text(alphabet=st.sampled_from("[]<>/.%|-_ seedprompt_hash3Yn\x00é"), max_size=60))
def test_any_text_is_a_pattern_or_refused(text):
    try:
        assert Pattern(text).name(facts(), ROOM).stem(1)
    except PatternError as error:
        problem = error
    else:
        return
    assert messages.describe_pattern_problem(problem, name_pattern.known_tokens()).summary
