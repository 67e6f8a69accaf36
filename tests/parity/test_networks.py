"""Our networks reproduce the reference's outputs, on the committed golden files or on a folder of
fresh cases that `make parity` names in DANQING_PARITY_CASES."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.parity import cases
from tests.parity.our_networks import run

FOLDER = Path(
    os.environ.get("DANQING_PARITY_CASES", str(Path(__file__).parents[1] / "golden" / "networks"))
)
NETWORK_CASES = sorted(
    path for path in FOLDER.glob("*.npz") if path.name.startswith(("transformer-", "text-", "vae-"))
)


def test_there_are_cases_of_every_network() -> None:
    kinds = {cases.read(path)[0].network for path in NETWORK_CASES}
    assert kinds == {"transformer", "text_encoder", "vae"}


@pytest.mark.parametrize("path", NETWORK_CASES, ids=lambda path: path.stem)
def test_output_is_the_references(path: Path, record_property) -> None:
    case, reference = cases.read(path)
    ours = run(case)
    assert ours.shape == reference.shape
    assert np.isfinite(reference).all()
    error = cases.relative_rms_error(ours, reference)
    record_property("relative_rms_error", error)
    assert error <= cases.TOLERANCE[case.network]
