"""The extra `paddlenlp` installs, imports, and reads and writes safetensors without a network.

Runs in `.venv-paddlenlp` only (`make paddlenlp-test`): its pins exclude the reference's libraries.
"""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

pytestmark = pytest.mark.paddlenlp

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_network(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HOME", str(tmp_path))


def pins() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [Requirement(pin) for pin in project["optional-dependencies"]["paddlenlp"]]


@pytest.mark.parametrize("pin", pins(), ids=lambda pin: pin.name)
def test_what_is_installed_is_what_is_declared(pin):
    assert version(pin.name) in pin.specifier


def test_paddlenlp_imports_with_this_paddle():
    import paddle
    import paddlenlp

    assert paddle.__version__ == "3.3.1"
    assert paddlenlp.__version__.startswith("2.8.1")


def test_ernie_encoder_survives_a_round_trip_through_safetensors(tmp_path):
    import numpy as np
    import paddle
    from paddlenlp.transformers import ErnieConfig, ErnieModel
    from safetensors.numpy import load_file

    paddle.seed(7)
    config = ErnieConfig(
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
    )
    model = ErnieModel(config)
    model.eval()
    folder = tmp_path / "ernie"
    model.save_pretrained(str(folder), safe_serialization=True)
    assert json.loads((folder / "config.json").read_text())["hidden_size"] == 32
    assert load_file(str(folder / "model.safetensors"))

    reloaded = ErnieModel.from_pretrained(str(folder))
    reloaded.eval()
    tokens = paddle.to_tensor([[1, 5, 9, 2]])
    expected, _ = model(tokens)
    states, _ = reloaded(tokens)
    assert states.shape == [1, 4, 32]
    np.testing.assert_array_equal(states.numpy(), expected.numpy())
