"""Configurations: the released one and the starter model's are read, all others refused by name."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from safetensors import safe_open

from engine.networks import text_encoder, transformer, vae
from engine.networks.text_encoder import TextEncoderConfig
from engine.networks.transformer import TransformerConfig
from engine.networks.vae import VaeConfig
from engine.port import EngineFault, ErrorCode

TRANSFORMER = {
    "_class_name": "ErnieImageTransformer2DModel",
    "_diffusers_version": "0.36.0",
    "eps": 1e-06,
    "ffn_hidden_size": 12288,
    "hidden_size": 4096,
    "in_channels": 128,
    "num_attention_heads": 32,
    "num_layers": 36,
    "out_channels": 128,
    "patch_size": 1,
    "qk_layernorm": True,
    "rope_axes_dim": [32, 48, 48],
    "rope_theta": 256,
    "text_in_dim": 3072,
}
TEXT_ENCODER = {
    "architectures": ["Mistral3Model"],
    "model_type": "mistral3",
    "text_config": {
        "bos_token_id": 1,
        "head_dim": 128,
        "hidden_act": "silu",
        "hidden_size": 3072,
        "intermediate_size": 9216,
        "max_position_embeddings": 262144,
        "num_attention_heads": 32,
        "num_hidden_layers": 26,
        "num_key_value_heads": 8,
        "rms_norm_eps": 1e-05,
        "rope_parameters": {
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "factor": 16.0,
            "llama_4_scaling_beta": 0.1,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
            "original_max_position_embeddings": 16384,
            "rope_theta": 1000000.0,
            "rope_type": "yarn",
        },
        "vocab_size": 131072,
        "model_type": "mistral",
        "pad_token_id": None,
    },
}
VAE = {
    "_class_name": "AutoencoderKLFlux2",
    "act_fn": "silu",
    "batch_norm_eps": 0.0001,
    "batch_norm_momentum": 0.1,
    "block_out_channels": [128, 256, 512, 512],
    "down_block_types": ["DownEncoderBlock2D"] * 4,
    "force_upcast": True,
    "in_channels": 3,
    "latent_channels": 32,
    "layers_per_block": 2,
    "mid_block_add_attention": True,
    "norm_num_groups": 32,
    "out_channels": 3,
    "patch_size": [2, 2],
    "sample_size": 1024,
    "up_block_types": ["UpDecoderBlock2D"] * 4,
}


def parameters(shapes: dict[str, tuple[int, ...]]) -> float:
    """In millions."""
    return sum(math.prod(shape) for shape in shapes.values()) / 1e6


def test_the_released_transformer():
    config = TransformerConfig.from_json(TRANSFORMER)
    assert config.head_dim == 128
    assert parameters(transformer.expected_tensors(config)) == pytest.approx(8030, rel=0.001)


def test_turbo_says_more_and_is_the_same():
    turbo = {**TRANSFORMER, "lora_rank": 4, "use_lora": False}
    assert TransformerConfig.from_json(turbo) == TransformerConfig.from_json(TRANSFORMER)


def test_the_released_text_encoder_is_read_without_its_last_layer():
    config = TextEncoderConfig.from_json(TEXT_ENCODER)
    assert config.used_layers == 25
    assert config.rope.attention_factor == 1.0
    assert config.sliding_window == 4096
    shapes = text_encoder.expected_tensors(config)
    assert shapes["layers.24.self_attn.q_proj.weight"] == (4096, 3072)
    assert not any(name.startswith(text_encoder.unused_layer(config)) for name in shapes)
    assert parameters(shapes) == pytest.approx(3315, rel=0.001)


def test_the_released_vae():
    config = VaeConfig.from_json(VAE)
    assert (config.packed_channels, config.scale) == (128, 16)
    assert parameters(vae.expected_tensors(config)) == pytest.approx(49.6, rel=0.01)


def test_a_decoder_may_have_its_own_widths():
    config = VaeConfig.from_json({**VAE, "decoder_block_out_channels": [32, 64, 64, 128]})
    assert config.channels == (32, 64, 64, 128)


def test_a_ministral_grows_its_queries_and_a_mistral_does_not():
    ministral = copy.deepcopy(TEXT_ENCODER)
    ministral["text_config"]["model_type"] = "ministral3"
    assert TextEncoderConfig.from_json(ministral).rope.long_text_beta == 0.1
    assert TextEncoderConfig.from_json(ministral).sliding_window is None
    assert TextEncoderConfig.from_json(TEXT_ENCODER).rope.long_text_beta == 0


def magnitude(mscale: float) -> float:
    return 0.1 * mscale * math.log(16) + 1


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"mscale": None, "mscale_all_dim": None}, magnitude(1.0)),
        ({"mscale": 1.0, "mscale_all_dim": 0.5}, magnitude(1.0) / magnitude(0.5)),
        ({"attention_factor": 0.7}, 0.7),
    ],
)
def test_attention_factor_of_yarn(changes, expected):
    config = copy.deepcopy(TEXT_ENCODER)
    config["text_config"]["rope_parameters"].update(changes)
    assert TextEncoderConfig.from_json(config).rope.attention_factor == pytest.approx(expected)


# --- refused --------------------------------------------------------------------------------------


def refused(read: Any, config: dict[str, Any], key: str, value: str, file: str) -> None:
    with pytest.raises(EngineFault) as caught:
        read(config)
    error = caught.value.error
    assert error.code is ErrorCode.MODEL_UNSUPPORTED
    assert error.facts["file"] == file
    assert key in str(error.facts["found"])
    assert value in str(error.facts["found"])


ABSENT = object()


def changed(config: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    result = copy.deepcopy(config)
    *sections, key = path.split(".")
    place = result
    for section in sections:
        place = place[section]
    if value is ABSENT:
        del place[key]
    else:
        place[key] = value
    return result


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("_class_name", "FluxTransformer2DModel"),
        ("patch_size", 2),
        ("qk_layernorm", False),
        ("use_lora", True),
        ("guidance_embeds", True),
        ("hidden_size", ABSENT),
        ("hidden_size", "4096"),
        ("hidden_size", 4100),
        ("num_layers", 0),
        ("num_layers", True),
        ("rope_axes_dim", [32, 48, 49]),
        ("rope_axes_dim", [64, 64]),
        ("rope_axes_dim", []),
        ("rope_theta", -1.0),
        ("rope_theta", float("nan")),
        ("eps", 0.01),
        ("_class_name", ["ErnieImageTransformer2DModel"]),
        ("patch_size", [1]),
        ("patch_size", True),
        ("qk_layernorm", 1),
        ("use_lora", {}),
        ("num_layers", 10**9),
        ("hidden_size", 10**12),
        ("ffn_hidden_size", 10**30),
        ("rope_theta", 1e-300),
        ("rope_theta", 0.5),
        ("rope_theta", 10**400),
    ],
)
def test_a_transformer_we_do_not_compute_is_refused(key, value):
    config = changed({**TRANSFORMER, "use_lora": False}, key, value)
    shown = "num_attention_heads" if (key, value) == ("hidden_size", 4100) else key
    refused(TransformerConfig.from_json, config, shown, "", "transformer/config.json")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("model_type", "llava"),
        ("text_config", "mistral"),
        ("text_config.model_type", "llama"),
        ("text_config.hidden_act", "gelu"),
        ("text_config.head_dim", 127),
        ("text_config.num_key_value_heads", 5),
        ("text_config.num_hidden_layers", 1),
        ("text_config.vocab_size", ABSENT),
        ("text_config.rope_parameters", ABSENT),
        ("text_config.rope_parameters.rope_type", "linear"),
        ("text_config.rope_parameters.partial_rotary_factor", 0.5),
        ("text_config.rope_parameters.truncate", False),
        ("text_config.rope_parameters.factor", ABSENT),
        ("model_type", {}),
        ("text_config.hidden_act", ["silu"]),
        ("text_config.num_hidden_layers", 10**9),
        ("text_config.vocab_size", 10**9),
        ("text_config.hidden_size", 10**9),
        ("text_config.rms_norm_eps", 1e29),
        ("text_config.rope_parameters.rope_theta", 1.0),
        ("text_config.rope_parameters.rope_theta", 0.5),
        ("text_config.rope_parameters.beta_fast", 1e-320),
        ("text_config.rope_parameters.truncate", 1),
    ],
)
def test_a_text_encoder_we_do_not_compute_is_refused(path, value):
    config = changed(TEXT_ENCODER, path, value)
    found = "absent" if value is ABSENT else json.dumps(value)
    refused(TextEncoderConfig.from_json, config, path, found, "text_encoder/config.json")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("_class_name", "AutoencoderKL"),
        ("act_fn", "gelu"),
        ("patch_size", [1, 1]),
        ("norm_num_groups", 24),
        ("up_block_types", ["UpDecoderBlock2D"] * 3),
        ("up_block_types", ["AttnUpDecoderBlock2D"] * 4),
        ("mid_block_add_attention", "yes"),
        ("scaling_factor", 0.18215),
        ("block_out_channels", [128, 0]),
        ("latent_channels", ABSENT),
        ("layers_per_block", 10**9),
        ("block_out_channels", [32] * 70),
        ("block_out_channels", [2**40] * 4),
        ("act_fn", {"silu": 1}),
        ("act_fn", None),
        ("up_block_types", None),
    ],
)
def test_a_vae_we_do_not_compute_is_refused(key, value):
    found = "absent" if value is ABSENT else json.dumps(value)
    shown = found if len(found) < 80 else found[:80] + "…"
    refused(VaeConfig.from_json, changed(VAE, key, value), key, shown, "vae/config.json")


# --- the starter model's own files ----------------------------------------------------------------


def stored(file: Path) -> dict[str, tuple[int, ...]]:
    with safe_open(file, "numpy") as tensors:
        return {name: tuple(tensors.get_slice(name).get_shape()) for name in tensors.keys()}  # noqa: SIM118


def without_prefix(name: str) -> str:
    for prefix in text_encoder.PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def configuration(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "config.json").read_text())


def test_the_starter_models_files_hold_what_is_expected(starter_model):
    folder = starter_model / "transformer"
    config = TransformerConfig.from_json(configuration(folder))
    tensors = stored(folder / "diffusion_pytorch_model.safetensors")
    assert tensors == transformer.expected_tensors(config)

    folder = starter_model / "vae"
    config = VaeConfig.from_json(configuration(folder))
    tensors = stored(folder / "diffusion_pytorch_model.safetensors")
    expected = vae.expected_tensors(config)
    assert {name: tensors[name] for name in expected} == expected
    assert all(name.startswith(vae.UNUSED) for name in tensors.keys() - expected.keys())

    folder = starter_model / "text_encoder"
    config = TextEncoderConfig.from_json(configuration(folder))
    tensors = {
        without_prefix(name): shape for name, shape in stored(folder / "model.safetensors").items()
    }
    expected = text_encoder.expected_tensors(config)
    assert {name: tensors[name] for name in expected} == expected
    unused = (*text_encoder.UNUSED, text_encoder.unused_layer(config))
    assert all(name.startswith(unused) for name in tensors.keys() - expected.keys())
