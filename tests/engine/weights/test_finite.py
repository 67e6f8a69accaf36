"""NaN and infinity in stored weights are found, whatever the number format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.port import EngineFault, ErrorCode
from engine.weights.faults import Reason
from engine.weights.finite import require_finite
from tests.engine.weights.stored import write


def nothing() -> None:
    """No one cancels."""


FINITE = {
    "single": np.array([0.0, -0.0, 3.4e38, 1e-45], np.float32),
    "half": np.array([65504.0, -6e-8], np.float16),
    "brain": np.array([0x7F7F, 0x8000], np.uint16),
    "whole": np.array([-1], np.int64),
}


def test_all_that_is_finite_passes(tmp_path: Path) -> None:
    write(tmp_path / "model.safetensors", FINITE)
    require_finite(tmp_path, nothing)


@pytest.mark.parametrize(
    "broken",
    [
        np.array([1.0, np.nan], np.float32),
        np.array([-np.inf], np.float32),
        np.array([np.nan], np.float16),
        np.array([0, 0xFF80], np.uint16),
        np.concatenate([np.zeros(3 << 20, np.float32), np.array([np.inf], np.float32)]),
    ],
    ids=["nan", "infinity", "half", "bfloat16", "far in"],
)
def test_what_is_not_finite_is_named(tmp_path: Path, broken: np.ndarray) -> None:
    file = write(tmp_path / "model.safetensors", {**FINITE, "broken": broken})
    with pytest.raises(EngineFault) as caught:
        require_finite(tmp_path, nothing)
    error = caught.value.error
    assert error.code is ErrorCode.MODEL_CORRUPT
    expected = {"file": str(file), "reason": Reason.TENSOR_NOT_FINITE, "tensor": "broken"}
    assert error.facts == expected


def test_the_search_can_be_cancelled(tmp_path: Path) -> None:
    write(tmp_path / "model.safetensors", FINITE)

    def cancel() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        require_finite(tmp_path, cancel)
