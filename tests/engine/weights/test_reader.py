"""Tensors as PaddlePaddle gets them: right values, mapped where possible, cancellable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from engine import ops
from engine.port import EngineFault
from engine.weights import Reason, read_tensors
from engine.weights.component import read_component
from tests.engine.weights.stored import bfloat16_bits, write, write_shards

VALUES = np.array([[1.0, -2.5, 0.15625], [65280.0, -0.0, 2.0**-20]], np.float32)
"""Exact in bfloat16 as well as in float32."""
HALF = np.array([0.5, -1.25, 65504.0], np.float16)
WIDE = np.array([1e-30, np.pi, 3e38], np.float32)
ARRAYS = {
    "bf16": bfloat16_bits(VALUES),
    "f16": HALF,
    "f32": WIDE,
    "one": np.array([7.0], np.float32),
}
SHAPES = {"bf16": (2, 3), "f16": (3,), "f32": (3,), "one": (1,)}


def read(folder: Path, expected: Mapping[str, tuple[int, ...]], **options: Any) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "compute_dtype": "float32",
        "checkpoint": lambda: None,
        "on_progress": lambda fraction: None,
    }
    return read_tensors(folder, "vae", expected, **{**defaults, **options})


def save(folder: Path, arrays: Mapping[str, np.ndarray] = ARRAYS) -> None:
    write(folder / "vae" / "diffusion_pytorch_model.safetensors", arrays)


def test_every_float_format_is_widened_exactly(tmp_path: Path) -> None:
    save(tmp_path)
    tensors = read(tmp_path, SHAPES)
    assert list(tensors) == list(SHAPES)
    assert {ops.dtype_of(tensor) for tensor in tensors.values()} == {"float32"}
    np.testing.assert_array_equal(ops.to_numpy(tensors["bf16"]), VALUES)
    np.testing.assert_array_equal(ops.to_numpy(tensors["f16"]), HALF.astype(np.float32))
    np.testing.assert_array_equal(ops.to_numpy(tensors["f32"]), WIDE)
    assert np.signbit(ops.to_numpy(tensors["bf16"])[1, 1])


def test_the_compute_dtype_may_be_bfloat16(tmp_path: Path) -> None:
    save(tmp_path)
    tensors = read(tmp_path, SHAPES, compute_dtype="bfloat16")
    assert {ops.dtype_of(tensor) for tensor in tensors.values()} == {"bfloat16"}
    np.testing.assert_array_equal(ops.to_numpy(tensors["bf16"]), VALUES)


def test_a_named_tensor_may_keep_its_stored_dtype(tmp_path: Path) -> None:
    save(tmp_path)
    tensors = read(tmp_path, SHAPES, as_stored=["f16"])
    assert ops.dtype_of(tensors["f16"]) == "float16"
    assert ops.dtype_of(tensors["bf16"]) == "float32"
    np.testing.assert_array_equal(ops.to_numpy(tensors["f16"]), HALF.astype(np.float32))


def test_shards_give_the_same_tensors(tmp_path: Path) -> None:
    names: Sequence[str] = list(ARRAYS)
    write_shards(
        tmp_path / "vae", [{n: ARRAYS[n] for n in names[:1]}, {n: ARRAYS[n] for n in names[1:]}]
    )
    tensors = read(tmp_path, SHAPES)
    np.testing.assert_array_equal(ops.to_numpy(tensors["bf16"]), VALUES)
    np.testing.assert_array_equal(ops.to_numpy(tensors["f32"]), WIDE)


def test_only_what_is_expected_is_returned_under_its_expected_name(tmp_path: Path) -> None:
    save(tmp_path, {"model.one": ARRAYS["one"], "encoder.x": HALF, "n": np.zeros((), np.int64)})
    tensors = read(tmp_path, {"one": (1,)}, strip_prefixes=["model."], ignore=["encoder.", "n"])
    assert list(tensors) == ["one"]


def test_progress_counts_bytes_and_ends_at_one(tmp_path: Path) -> None:
    save(tmp_path)
    fractions: list[float] = []
    read(tmp_path, SHAPES, on_progress=fractions.append)
    assert fractions == [12 / 34, 18 / 34, 30 / 34, 1.0]


def test_a_checkpoint_ends_the_reading_before_the_next_tensor(tmp_path: Path) -> None:
    class Cancelled(Exception):
        pass

    save(tmp_path)
    fractions: list[float] = []

    def checkpoint() -> None:
        if len(fractions) == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        read(tmp_path, SHAPES, checkpoint=checkpoint, on_progress=fractions.append)
    assert len(fractions) == 2


def test_tensors_outlive_the_reader_and_the_files_name(tmp_path: Path) -> None:
    save(tmp_path)
    tensors = read(tmp_path, SHAPES)
    (tmp_path / "vae" / "diffusion_pytorch_model.safetensors").unlink()
    np.testing.assert_array_equal(ops.to_numpy(tensors["f32"]), WIDE)


def test_fitting_tensors_are_mapped_and_not_copied(tmp_path: Path) -> None:
    side = 4096  # 64 MB in float32, which a copy would show in the memory of this process
    save(tmp_path, {"big": np.zeros((side, side), np.float32)})
    before = psutil.Process().memory_info().rss
    tensors = read(tmp_path, {"big": (side, side)})
    grown = psutil.Process().memory_info().rss - before
    assert ops.dtype_of(tensors["big"]) == "float32"
    assert grown < 16 << 20


def test_a_wrong_tensor_is_named_with_its_file(tmp_path: Path) -> None:
    save(tmp_path)
    with pytest.raises(EngineFault) as caught:
        read(tmp_path, {**SHAPES, "f16": (4,)})
    facts = caught.value.error.facts
    assert facts["file"] == str(tmp_path / "vae" / "diffusion_pytorch_model.safetensors")
    assert (facts["reason"], facts["tensor"]) == (Reason.TENSOR_SHAPE, "f16")


def test_the_starter_models_networks_are_read_completely(starter_model: Path) -> None:
    for component in ("transformer", "vae", "text_encoder"):
        stored = read_component(starter_model / component)
        expected = {
            name: tensor.header.shape
            for name, tensor in stored.items()
            if tensor.header.dtype != "I64"
        }
        tensors = read_tensors(
            starter_model,
            component,
            expected,
            compute_dtype="float32",
            ignore=["bn.num_batches_tracked"],
            checkpoint=lambda: None,
            on_progress=lambda fraction: None,
        )
        assert {name: tuple(tensor.shape) for name, tensor in tensors.items()} == expected
