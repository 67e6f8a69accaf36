"""The model's digest and its cache."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.port import EngineFault, ErrorCode
from engine.weights import digest, transformer_sha256
from tests.conftest import LogWatch
from tests.engine.weights.stored import write, write_shards

A, B = {"a": np.zeros((9,), np.float32)}, {"b": np.ones((9,), np.float32)}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write(tmp_path / "model" / "transformer" / "diffusion_pytorch_model.safetensors", A)
    return tmp_path / "model"


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "danqing"


@pytest.fixture
def count_hashes(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often files were really hashed."""
    calls = []
    real = digest._hash
    monkeypatch.setattr(digest, "_hash", lambda *a: calls.append(a) or real(*a))
    return lambda: len(calls)


def test_one_file_gives_its_own_sha256(model: Path) -> None:
    [file] = (model / "transformer").iterdir()
    assert transformer_sha256(model) == hashlib.sha256(file.read_bytes()).hexdigest()


def test_shards_are_hashed_in_name_order(tmp_path: Path) -> None:
    write_shards(tmp_path / "transformer", [A, B])
    files = sorted((tmp_path / "transformer").glob("*.safetensors"))
    together = b"".join(file.read_bytes() for file in files)
    assert transformer_sha256(tmp_path) == hashlib.sha256(together).hexdigest()


def test_second_time_comes_from_the_cache(
    model: Path, cache: Path, count_hashes: Callable[[], int]
) -> None:
    first = transformer_sha256(model, cache)
    assert transformer_sha256(model, cache) == first
    assert count_hashes() == 1


@pytest.mark.parametrize("change", ["size", "time"])
def test_a_changed_file_is_hashed_again(
    model: Path, cache: Path, count_hashes: Callable[[], int], change: str
) -> None:
    first = transformer_sha256(model, cache)
    [file] = (model / "transformer").iterdir()
    if change == "size":
        before = file.stat()
        file.write_bytes(file.read_bytes() + b"\0")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    else:
        os.utime(file, ns=(1, 1))
    assert (transformer_sha256(model, cache) == first) == (change == "time")
    assert count_hashes() == 2


def test_several_models_share_the_cache(model: Path, cache: Path, tmp_path: Path) -> None:
    write(tmp_path / "other" / "transformer" / "model.safetensors", B)
    digests = {transformer_sha256(folder, cache) for folder in (model, tmp_path / "other")}
    entries = json.loads((cache / digest.CACHE_NAME).read_text())["models"]
    assert {entry["sha256"] for entry in entries.values()} == digests
    assert len(digests) == 2


BROKEN = {
    "no json": "{",
    "empty": "",
    "a list": "[]",
    "other version": '{"format": "danqing-digests", "version": 2, "models": {}}',
    "models is a list": '{"format": "danqing-digests", "version": 1, "models": []}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_cache_is_ignored_with_a_log_line_and_replaced(
    model: Path, cache: Path, expect_log: LogWatch, content: str
) -> None:
    cache.mkdir(parents=True)
    (cache / digest.CACHE_NAME).write_text(content)
    expect_log("ignoring .*model-digests.json")
    first = transformer_sha256(model, cache)
    assert transformer_sha256(model, cache) == first  # now from a good cache, without a warning


def test_a_nonsense_entry_is_not_believed(model: Path, cache: Path) -> None:
    first = transformer_sha256(model, cache)
    path = cache / digest.CACHE_NAME
    path.write_text(path.read_text().replace(first, "f" * 63 + "/"))
    assert transformer_sha256(model, cache) == first


def test_a_cache_that_cannot_be_written_is_no_failure(
    model: Path, tmp_path: Path, expect_log: LogWatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    expect_log("digest cache could not be written")
    expect_log("ignoring")
    assert len(transformer_sha256(model, tmp_path / "file" / "cache")) == 64


def test_hashing_can_be_cancelled_and_leaves_no_entry(model: Path, cache: Path) -> None:
    class Cancelled(Exception):
        pass

    def checkpoint() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        transformer_sha256(model, cache, checkpoint)
    assert not cache.exists()


def test_a_model_without_transformer_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EngineFault) as caught:
        transformer_sha256(tmp_path)
    assert caught.value.error.code is ErrorCode.MODEL_MISSING
