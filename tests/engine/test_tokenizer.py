"""Token ids: the reference's for the same files, and every accident on the way."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import models, pre_tokenizers

from engine.port import EngineFault, ErrorCode
from engine.tokenizer import Tokenizer
from engine.weights import Reason

GOLDEN_FILE = Path(__file__).parents[1] / "golden" / "tokenizer" / "starter.json"
GOLDEN = json.loads(GOLDEN_FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def starter(starter_model: Path) -> Tokenizer:
    return Tokenizer.from_folder(starter_model / "tokenizer")


def test_the_golden_ids_belong_to_the_starters_tokenizer(starter_model: Path) -> None:
    """If this fails, run tests.parity.tokenizer_golden in the reference environment."""
    content = (starter_model / "tokenizer" / "tokenizer.json").read_bytes()
    assert hashlib.sha256(content).hexdigest() == GOLDEN["tokenizer_sha256"]


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: ascii(case["prompt"][:20]))
def test_ids_and_truncation_are_the_references(starter: Tokenizer, case: dict[str, Any]) -> None:
    encoding = starter.encode(case["prompt"])
    assert encoding.ids == case["ids"]
    assert encoding.truncated == case["truncated"]


def test_the_golden_cases_cover_truncation_and_the_empty_prompt() -> None:
    assert sum(case["truncated"] for case in GOLDEN["cases"]) >= 2
    assert GOLDEN["cases"][0] == {"prompt": "", "ids": [1], "truncated": False}


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_gives_a_token_at_least(starter: Tokenizer, prompt: str) -> None:
    encoding = starter.encode(prompt)
    assert encoding.ids
    assert starter.max_length is not None
    assert len(encoding.ids) <= starter.max_length


def test_lone_surrogates_are_refused(starter: Tokenizer) -> None:
    with pytest.raises(EngineFault) as caught:
        starter.encode("a \udcff cat")
    assert caught.value.error.code is ErrorCode.VALUE_NOT_ALLOWED
    assert caught.value.error.facts["name"] == "prompt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tokenizer of whole words that adds no special token, limited to four."""
    vocabulary = {"<s>": 5, "red": 1, "blue": 2, "<unk>": 0}
    model = models.WordLevel(vocabulary, unk_token="<unk>")  # noqa: S106 - a word of the vocabulary
    backend = tokenizers.Tokenizer(model)
    backend.pre_tokenizer = pre_tokenizers.Whitespace()  # pyright: ignore[reportAttributeAccessIssue]
    backend.save(str(tmp_path / "tokenizer.json"))
    config = {"model_max_length": 4, "bos_token": "<s>"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    return tmp_path


def configure(folder: Path, **config: Any) -> Tokenizer:
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return Tokenizer.from_folder(folder)


def test_an_empty_encoding_becomes_the_beginning_of_text(folder: Path) -> None:
    assert Tokenizer.from_folder(folder).encode("").ids == [5]
    assert configure(folder, bos_token={"content": "<s>"}).encode(" ").ids == [5]
    assert configure(folder).encode("").ids == [0]


def test_exactly_the_limit_is_not_truncated(folder: Path) -> None:
    tokenizer = Tokenizer.from_folder(folder)
    assert tokenizer.encode("red blue red blue").truncated is False
    encoding = tokenizer.encode("red blue red blue blue")
    assert (encoding.ids, encoding.truncated) == ([1, 2, 1, 2], True)


@pytest.mark.parametrize("limit", [{}, {"model_max_length": int(1e30)}, {"model_max_length": 1e30}])
def test_no_limit_means_no_truncation(folder: Path, limit: dict[str, Any]) -> None:
    tokenizer = configure(folder, **limit)
    assert tokenizer.max_length is None
    assert len(tokenizer.encode("red " * 5000).ids) == 5000


def test_truncation_and_padding_of_the_file_itself_do_not_count(folder: Path) -> None:
    backend = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    backend.enable_padding(length=9)
    backend.enable_truncation(2)
    backend.save(str(folder / "tokenizer.json"))
    assert Tokenizer.from_folder(folder).encode("red blue red").ids == [1, 2, 1]


def without(name: str) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).unlink()


def containing(name: str, text: str) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).write_text(text)


TOKENIZER, CONFIG = "tokenizer.json", "tokenizer_config.json"
DAMAGES = {
    "absent": (without(TOKENIZER), ErrorCode.MODEL_MISSING, None),
    "no config": (without(CONFIG), ErrorCode.MODEL_MISSING, None),
    "empty": (containing(TOKENIZER, ""), ErrorCode.MODEL_CORRUPT, Reason.EMPTY),
    "lfs": (
        containing(TOKENIZER, "version https://git-lfs.github.com/spec/v1\n"),
        ErrorCode.MODEL_CORRUPT,
        Reason.LFS_POINTER,
    ),
    "no json": (containing(TOKENIZER, "{"), ErrorCode.MODEL_CORRUPT, Reason.CONFIG_INVALID),
    "other json": (containing(TOKENIZER, "{}"), ErrorCode.MODEL_CORRUPT, Reason.CONFIG_INVALID),
    "bad limit": (
        containing(CONFIG, '{"model_max_length": "many"}'),
        ErrorCode.MODEL_CORRUPT,
        Reason.CONFIG_INVALID,
    ),
    "zero limit": (
        containing(CONFIG, '{"model_max_length": 0}'),
        ErrorCode.MODEL_CORRUPT,
        Reason.CONFIG_INVALID,
    ),
}


@pytest.mark.parametrize(("damage", "code", "reason"), DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_tokenizers_are_named(
    folder: Path, damage: Callable[[Path], Any], code: ErrorCode, reason: Reason | None
) -> None:
    damage(folder)
    with pytest.raises(EngineFault) as caught:
        Tokenizer.from_folder(folder)
    error = caught.value.error
    assert (error.code, error.facts.get("reason")) == (code, reason)
