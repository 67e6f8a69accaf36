"""Models whose parts are sound one by one and fail together: a clear error, never a bug's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from engine.catalog import Catalog
from engine.device import CpuDevice
from engine.port import EngineError, EngineFault, ErrorCode, GenerationRequest, JobId
from engine.session import Session
from engine.weights import Reason
from tests.fakes import tiny_model


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tiny_model.write(tmp_path / "tiny")


def change(file: Path, section: str, key: str, value: Any) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    content[section][key] = value
    file.write_text(json.dumps(content), encoding="utf-8")


def failure(model: Path, **values: Any) -> EngineError:
    catalog = Catalog(model, [])
    session = Session(CpuDevice(), catalog)
    request = {"prompt": "a cat", "seed": 1, "steps": 2} | values
    with pytest.raises(EngineFault) as caught:
        session.generate(
            JobId("job"),
            GenerationRequest(**request, model_id=catalog.find(str(model)).model_id),
            lambda event: None,
            lambda: None,
        )
    return caught.value.error


def test_tokens_that_the_text_encoder_lacks_are_the_tokenizers_fault(model: Path) -> None:
    change(model / "text_encoder/config.json", "text_config", "vocab_size", 7)
    error = failure(model)
    assert (error.code, error.facts["reason"]) == (ErrorCode.MODEL_CORRUPT, Reason.TOKENS_UNKNOWN)
    assert error.facts["file"] == str(model / "tokenizer/tokenizer.json")
    assert int(error.facts["entry"]) >= 7


@pytest.mark.parametrize("name", ["prompt", "negative_prompt"])
def test_a_text_beyond_the_attention_window_is_refused(model: Path, name: str) -> None:
    change(model / "text_encoder/config.json", "text_config", "sliding_window", 8)
    long = "a cat and a dog and a bird on the green grass under a blue sky"
    error = failure(model, **{name: long})
    assert error.code is ErrorCode.VALUE_NOT_ALLOWED
    assert (error.facts["name"], error.facts["allowed"]) == (name, "at most 8 tokens")


@pytest.mark.parametrize("broken", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_named(model: Path, broken: float) -> None:
    file = model / "transformer/diffusion_pytorch_model.safetensors"
    tensors = load_file(file)
    tensors["final_linear.bias"][0] = broken
    save_file(tensors, file)
    error = failure(model)
    assert error.code is ErrorCode.MODEL_CORRUPT
    assert error.facts["reason"] == Reason.TENSOR_NOT_FINITE
    assert error.facts["tensor"] == "final_linear.bias"
    assert error.facts["file"] == str(file)


def test_weights_that_are_numbers_but_too_large_are_not_called_broken(model: Path) -> None:
    file = model / "transformer/diffusion_pytorch_model.safetensors"
    tensors = load_file(file)
    tensors["final_linear.bias"][:] = 3e38
    save_file(tensors, file)
    assert failure(model).code is ErrorCode.NON_FINITE_LATENT


@pytest.mark.parametrize(
    ("network", "change_of"),
    [
        ("transformer", lambda config: config.update(num_layers=10**9)),
        ("text_encoder", lambda config: config["text_config"].update(num_hidden_layers=10**9)),
        ("vae", lambda config: config.update(layers_per_block=10**9)),
        ("transformer", lambda config: config.update(_class_name=["x"])),
    ],
)
def test_the_configuration_to_blame_is_named_with_its_folder(
    model: Path, network: str, change_of: Callable[[dict[str, Any]], None]
) -> None:
    file = model / network / "config.json"
    config = json.loads(file.read_text(encoding="utf-8"))
    change_of(config)
    file.write_text(json.dumps(config), encoding="utf-8")
    error = failure(model)
    assert error.code is ErrorCode.MODEL_UNSUPPORTED
    assert error.facts["file"] == str(file)
