"""A network's folder: one file, or shards and an index that must agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.port import EngineError, EngineFault, ErrorCode
from engine.weights.component import read_component, weight_files
from engine.weights.faults import Reason
from tests.engine.weights.stored import write, write_shards

A = {"a": np.zeros((2, 3), np.float32)}
B = {"b": np.zeros((5,), np.float16), "c": np.zeros((1,), np.float32)}


def refusal(folder: Path) -> EngineError:
    with pytest.raises(EngineFault) as caught:
        read_component(folder)
    return caught.value.error


def test_one_file_of_either_usual_name(tmp_path: Path) -> None:
    for name in ("diffusion_pytorch_model.safetensors", "model.safetensors"):
        file = write(tmp_path / name.split(".")[0] / name, A)
        assert {n: t.file for n, t in read_component(file.parent).items()} == {"a": file}


def test_one_file_of_another_name(tmp_path: Path) -> None:
    file = write(tmp_path / "diffusion_pytorch_model.fp16.safetensors", A)
    assert weight_files(tmp_path) == [file]


def test_the_usual_name_wins_over_a_variant(tmp_path: Path) -> None:
    file = write(tmp_path / "model.safetensors", A)
    write(tmp_path / "model.fp16.safetensors", B)
    assert weight_files(tmp_path) == [file]


def test_shards_are_read_through_their_index(tmp_path: Path) -> None:
    write_shards(tmp_path, [A, B])
    tensors = read_component(tmp_path)
    assert list(tensors) == ["a", "b", "c"]
    assert tensors["b"].file.name == "model-00002-of-00002.safetensors"


def test_pickles_beside_safetensors_are_left_alone(tmp_path: Path) -> None:
    file = write(tmp_path / "model.safetensors", A)
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x02.")
    assert weight_files(tmp_path) == [file]


def test_a_folder_of_pickles_is_unsafe(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "diffusion_pytorch_model.bin").write_bytes(b"\x80\x02.")
    error = refusal(tmp_path)
    assert error.code is ErrorCode.MODEL_UNSAFE
    assert error.facts["file"] == str(tmp_path / "diffusion_pytorch_model.bin")


def test_a_folder_without_weights_or_no_folder_is_missing(tmp_path: Path) -> None:
    assert refusal(tmp_path).code is ErrorCode.MODEL_MISSING
    assert refusal(tmp_path / "absent").code is ErrorCode.MODEL_MISSING


def test_several_unusual_names_are_ambiguous(tmp_path: Path) -> None:
    write(tmp_path / "one.safetensors", A)
    write(tmp_path / "two.safetensors", B)
    assert refusal(tmp_path).facts["reason"] == Reason.AMBIGUOUS_FILES


def test_shards_without_an_index_are_told(tmp_path: Path) -> None:
    write_shards(tmp_path, [A, B]).unlink()
    assert refusal(tmp_path).facts["reason"] == Reason.INDEX_MISSING


def test_two_indexes_are_ambiguous(tmp_path: Path) -> None:
    write_shards(tmp_path, [A])
    write_shards(tmp_path, [B], stem="diffusion_pytorch_model")
    assert refusal(tmp_path).facts["reason"] == Reason.AMBIGUOUS_FILES


def change_index(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def apply(index: Path) -> None:
        content = json.loads(index.read_text())
        changed = change(content["weight_map"])
        index.write_text(json.dumps({"weight_map": changed}))

    return apply


C = "model_corrupt"
FIRST = "model-00001-of-00002.safetensors"
DISAGREEMENTS = {
    "lfs": (lambda i: i.write_text("version https://git-lfs...\n"), C, "lfs_pointer"),
    "empty": (lambda i: i.write_text(""), C, "empty"),
    "no json": (lambda i: i.write_text("{"), C, "index_invalid"),
    "a list": (lambda i: i.write_text("[]"), C, "index_invalid"),
    "no map": (lambda i: i.write_text("{}"), C, "index_invalid"),
    "map is empty": (change_index(lambda m: {}), C, "index_invalid"),
    "map is a list": (change_index(lambda m: ["a"]), C, "index_invalid"),
    "number": (change_index(lambda m: {**m, "a": 1}), C, "index_invalid"),
    "parent": (change_index(lambda m: {**m, "a": "../x.safetensors"}), C, "path_outside"),
    "dots": (change_index(lambda m: {**m, "a": ".."}), C, "path_outside"),
    "absolute": (change_index(lambda m: {**m, "a": "/etc/passwd"}), C, "path_outside"),
    "backslash": (change_index(lambda m: {**m, "a": "..\\x"}), C, "path_outside"),
    "nul": (change_index(lambda m: {**m, "a": "a\0.safetensors"}), C, "shard_missing"),
    "absent shard": (change_index(lambda m: {**m, "a": "gone.safetensors"}), C, "shard_missing"),
    "pickle": (change_index(lambda m: {**m, "a": "x.bin"}), "model_unsafe", "pickle_name"),
    "tensor not there": (change_index(lambda m: {**m, "z": FIRST}), C, "tensor_missing"),
    "tensor elsewhere": (change_index(lambda m: {**m, "b": FIRST}), C, "tensor_missing"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "code", "reason"), DISAGREEMENTS.values(), ids=DISAGREEMENTS.keys()
)
def test_an_index_that_does_not_fit_is_refused(
    tmp_path: Path, damage: Callable[[Path], Any], code: str, reason: str
) -> None:
    damage(write_shards(tmp_path, [A, B]))
    error = refusal(tmp_path)
    assert (error.code, error.facts["reason"]) == (code, reason)


def test_a_file_outside_is_not_even_looked_at(tmp_path: Path) -> None:
    write(tmp_path / "x.safetensors", A)
    index = write_shards(tmp_path / "model", [A, B])
    change_index(lambda m: {**m, "a": "../x.safetensors"})(index)
    error = refusal(tmp_path / "model")
    assert error.facts["reason"] == Reason.PATH_OUTSIDE
    assert error.facts["entry"] == "../x.safetensors"


def test_a_tensor_in_two_shards_is_refused(tmp_path: Path) -> None:
    write_shards(tmp_path, [{**A, "d": A["a"]}, {**A, **B}])
    error = refusal(tmp_path)
    assert (error.facts["reason"], error.facts["tensor"]) == (Reason.DUPLICATE_TENSOR, "a")


def test_a_broken_shard_is_named(tmp_path: Path) -> None:
    write_shards(tmp_path, [A, B])
    shard = tmp_path / "model-00002-of-00002.safetensors"
    shard.write_bytes(shard.read_bytes()[:-1])
    error = refusal(tmp_path)
    assert (error.facts["reason"], error.facts["file"]) == (Reason.TRUNCATED, str(shard))


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=8), st.just(FIRST)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(weight_map=JSON)
def test_any_index_is_judged(tmp_path: Path, weight_map: Any) -> None:
    index = write_shards(tmp_path, [A, B])
    index.write_text(json.dumps({"weight_map": weight_map}))
    error = None
    try:
        tensors = read_component(tmp_path)
        assert set(weight_map) <= set(tensors)
    except EngineFault as fault:
        error = fault.error
    assert error is None or error.facts["reason"] in set(Reason)
