"""Weight files of strangers: a header, or a fault that can be put into words; nothing else."""

from __future__ import annotations

import json
import random
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from desktop import messages
from engine import model_folder
from engine.port import EngineFault
from engine.weights import headers
from tests.engine.weights import stored
from tests.fakes import tiny_model
from tests.fuzz.hostile import INPUT_COUNTS, altered, as_json, attack, damaged

ARRAYS = {
    "layers.0.weight": np.zeros((4, 3), np.float32),
    "layers.0.bias": np.zeros(4, np.float16),
    "层.scale": np.zeros((), np.float32),
    "empty": np.zeros((0, 7), np.int64),
}
SAMPLES = (
    stored.safetensors(ARRAYS),
    stored.file_bytes({}),
    b"GGUF\x03\0\0\0" + bytes(40),
    b"PK\x03\x04" + bytes(60),
    b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
)
_LENGTH = struct.Struct("<Q")


def file_of(chance: random.Random) -> bytes:
    """A damaged file; two thirds keep a length that fits, so that the header itself is read."""
    sample = SAMPLES[0] if chance.randrange(5) else chance.choice(SAMPLES)
    if sample is not SAMPLES[0] or chance.randrange(3) == 0:
        return damaged(sample, chance, SAMPLES)
    (length,) = _LENGTH.unpack_from(sample)
    text, data = sample[8 : 8 + length], sample[8 + length :]
    if chance.randrange(2):
        text = as_json(altered(json.loads(text), chance))
    else:
        text = damaged(text, chance, SAMPLES)
    return _LENGTH.pack(len(text)) + text + data


def words_for(fault: EngineFault) -> None:
    """Whatever was in the file, what is said of it can be shown and written anywhere."""
    str(messages.describe(fault.error)).encode("utf-8")


@pytest.mark.parametrize("inputs", INPUT_COUNTS)
def test_a_header_is_read_or_refused(tmp_path, inputs):
    path = tmp_path / "model.safetensors"

    def read(chance: random.Random) -> None:
        content = file_of(chance)
        path.write_bytes(content)
        try:
            tensors = headers.read_header(path)
        except EngineFault as fault:
            words_for(fault)
            return
        position = min((t.begin for t in tensors.values()), default=len(content))
        for tensor in sorted(tensors.values(), key=lambda t: (t.begin, t.end)):
            assert tensor.begin == position
            position = tensor.end
        assert position == len(content)

    attack(read, inputs)


CONFIGS = (
    "model_index.json",
    "transformer/config.json",
    "text_encoder/config.json",
    "vae/config.json",
    "scheduler/scheduler_config.json",
    "danqing.json",
    "transformer/diffusion_pytorch_model.safetensors.index.json",
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A small whole model, its transformer in shards."""
    folder = tiny_model.write(tmp_path / "tiny")
    transformer = folder / "transformer"
    for file in transformer.glob("*.safetensors*"):
        file.unlink()
    stored.write_shards(
        transformer, [ARRAYS, {"z": np.zeros(2, np.float32)}], "diffusion_pytorch_model"
    )
    if not (folder / "danqing.json").exists():
        starter = Path(__file__).parents[2] / "resources/starter-model/danqing.json"
        shutil.copy(starter, folder)
    return folder


@pytest.mark.parametrize("inputs", INPUT_COUNTS)
def test_a_model_is_described_or_refused(model, inputs):
    whole = {name: (model / name).read_bytes() for name in CONFIGS}
    samples: tuple[bytes, ...] = tuple(whole.values())
    model_folder.read_info(model)
    model_folder.read_configuration(model)

    def read(chance: random.Random) -> None:
        name = chance.choice(CONFIGS)
        record: Any = json.loads(whole[name])
        is_altered = chance.randrange(3) != 0
        content = (
            as_json(altered(record, chance))
            if is_altered
            else damaged(whole[name], chance, samples)
        )
        (model / name).write_bytes(content)
        try:
            for function in (model_folder.read_info, model_folder.read_configuration):
                try:
                    function(model)
                except EngineFault as fault:
                    words_for(fault)
        finally:
            (model / name).write_bytes(whole[name])

    attack(read, inputs)
