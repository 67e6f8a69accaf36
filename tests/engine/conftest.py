"""What the engine's tests share: the model that ships with the program."""

from __future__ import annotations

from pathlib import Path

import pytest

STARTER_MODEL = Path(__file__).parents[2] / "resources" / "starter-model"


@pytest.fixture(scope="session")
def starter_model() -> Path:
    """The starter model's folder, weights included."""
    return STARTER_MODEL
