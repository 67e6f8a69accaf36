"""A complete ERNIE-Image checkpoint of a few hundred kilobytes with random weights, for tests.

Every file that a real one has, in its format and under its names, so that the real catalog, weight
reader, tokenizer and networks open it; small enough that a picture takes some milliseconds.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from safetensors.numpy import save_file

import resources
from engine.networks import text_encoder, transformer, vae
from tests.parity.random_tensors import weight

TRANSFORMER = {
    "_class_name": "ErnieImageTransformer2DModel",
    "hidden_size": 32,
    "num_attention_heads": 2,
    "num_layers": 2,
    "ffn_hidden_size": 48,
    "in_channels": 16,
    "out_channels": 16,
    "patch_size": 1,
    "text_in_dim": 24,
    "rope_theta": 256,
    "rope_axes_dim": [4, 6, 6],
    "eps": 1e-6,
    "qk_layernorm": True,
}
VAE = {
    "_class_name": "AutoencoderKLFlux2",
    "act_fn": "silu",
    "block_out_channels": [8, 8, 16, 16],
    "layers_per_block": 1,
    "latent_channels": 4,
    "in_channels": 3,
    "out_channels": 3,
    "norm_num_groups": 4,
    "mid_block_add_attention": True,
    "patch_size": [2, 2],
    "up_block_types": ["UpDecoderBlock2D"] * 4,
    "down_block_types": ["DownEncoderBlock2D"] * 4,
}
TEXT_ENCODER = {
    "architectures": ["Mistral3Model"],
    "model_type": "mistral3",
    "text_config": {
        "model_type": "ministral3",
        "hidden_size": 24,
        "intermediate_size": 32,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "head_dim": 16,
        "num_hidden_layers": 3,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 1e6,
            "factor": 16.0,
            "original_max_position_embeddings": 16384,
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
            "llama_4_scaling_beta": 0.1,
        },
    },
}
MANIFEST = {
    "format": "danqing-model",
    "version": 1,
    "id": "tiny",
    "name": "Tiny",
    "demo": True,
    "defaults": {
        "width": 64,
        "height": 64,
        "steps": 2,
        "guidance_scale": 3.5,
        "sampler": "dpmpp_2m",
        "sigma_schedule": "shifted",
    },
    "sizes": [[64, 64], [96, 64]],
    "examples": {"en": ["a cat"], "zh": ["一只猫"]},
}


def write(folder: Path, *, seed: int = 0, **changes: dict[str, Any]) -> Path:
    """Write the checkpoint into `folder`, made if need be; the weights depend on `seed`.

    `changes` are entries of a network's config to replace: `transformer={"num_layers": 4}`.
    """
    starter = resources.path("starter-model")
    shutil.copytree(starter / "tokenizer", folder / "tokenizer")
    shutil.copytree(starter / "scheduler", folder / "scheduler")
    shutil.copy(starter / "model_index.json", folder)
    _json(folder / "danqing.json", MANIFEST)
    vocabulary = json.loads((folder / "tokenizer/tokenizer.json").read_text(encoding="utf-8"))
    words = len(vocabulary["model"]["vocab"]) + len(vocabulary["added_tokens"])
    text = TEXT_ENCODER | {"text_config": TEXT_ENCODER["text_config"] | {"vocab_size": words}}
    for name, default, network in (
        ("transformer", TRANSFORMER, transformer),
        ("vae", VAE, vae),
        ("text_encoder", text, text_encoder),
    ):
        (folder / name).mkdir()
        config = default | changes.get(name, {})
        parsed = _parse(network, config)
        tensors = {
            tensor: weight(seed, tensor, shape)
            for tensor, shape in network.expected_tensors(parsed).items()
        }
        if network is text_encoder:
            tensors = {f"language_model.{tensor}": values for tensor, values in tensors.items()}
        _json(folder / name / "config.json", config)
        stem = "model" if network is text_encoder else "diffusion_pytorch_model"
        save_file(tensors, folder / name / f"{stem}.safetensors")
    return folder


def _parse(network: Any, config: dict[str, Any]) -> Any:
    parsers = {
        transformer: transformer.TransformerConfig,
        vae: vae.VaeConfig,
        text_encoder: text_encoder.TextEncoderConfig,
    }
    return parsers[network].from_json(config)


def _json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")
