"""What is compared: fixed cases for the committed golden files, random ones for `make parity`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.parity.random_tensors import uniform, weight

TOLERANCE = {"transformer": 5e-5, "text_encoder": 1e-5, "vae": 1e-5}
"""Largest relative root-mean-square error. The transformer's is above the others' because of the
reference's own rounding of the timestep's frequencies, which t = 1000 multiplies."""


@dataclass(frozen=True, slots=True)
class Case:
    """One network, its configuration, the seed of weights and inputs, and the inputs' sizes."""

    name: str
    network: str
    seed: int
    config: dict[str, Any]
    inputs: dict[str, Any] = field(default_factory=dict)

    def weight(self, name: str, shape: Sequence[int]) -> np.ndarray:
        """A faint case has tiny values before its first norm, so that the norm's eps matters."""
        values = weight(self.seed, name, shape)
        is_faint = self.inputs.get("faint") and name.startswith(("post_quant", "decoder.conv_in"))
        return values * np.float32(1e-3) if is_faint else values

    def latent(self) -> np.ndarray:
        """[1, C, h, w]"""
        shape = (1, self.inputs["channels"], self.inputs["height"], self.inputs["width"])
        return uniform(self.seed, "latent", shape)

    def text(self) -> np.ndarray:
        """[T, text_in_dim]"""
        return uniform(self.seed, "text", (self.inputs["text_length"], self.config["text_in_dim"]))

    def token_ids(self) -> list[int]:
        vocabulary = self.config["text_config"]["vocab_size"]
        unit = uniform(self.seed, "ids", (self.inputs["text_length"],), 12**-0.5) + 0.5
        return [min(int(u * vocabulary), vocabulary - 1) for u in unit]


def write(case: Case, output: np.ndarray, folder: Path) -> None:
    np.savez(folder / f"{case.name}.npz", case=json.dumps(asdict(case)), output=output)


def read(path: Path) -> tuple[Case, np.ndarray]:
    with np.load(path, allow_pickle=False) as file:
        return Case(**json.loads(str(file["case"]))), file["output"]


def relative_rms_error(ours: np.ndarray, reference: np.ndarray) -> float:
    """Root mean square of the difference over that of the reference, in float64."""
    difference = ours.astype(np.float64) - reference.astype(np.float64)
    return float(np.sqrt((difference**2).mean() / (reference.astype(np.float64) ** 2).mean()))


# --- fixed ----------------------------------------------------------------------------------------


def fixed() -> Iterator[Case]:
    yield _transformer("transformer-one-token", 1, heads=2, head_dim=16, text_length=1, size=(4, 4))
    yield _transformer("transformer-wide", 2, heads=3, head_dim=64, text_length=11, size=(5, 9))
    yield _transformer(
        "transformer-odd", 3, heads=5, head_dim=32, text_length=37, size=(13, 3), layers=3
    )
    yield _transformer(
        "transformer-no-projection", 4, heads=2, head_dim=32, text_length=7, size=(1, 6), text_in=64
    )
    yield _transformer("transformer-one-head", 5, heads=1, head_dim=48, text_length=3, size=(6, 1))
    yield _transformer(
        "transformer-large-eps", 14, heads=2, head_dim=16, text_length=5, size=(3, 4), eps=1e-3
    )
    yield _text_encoder("text-one-token", 6, text_length=1)
    yield _text_encoder("text-plain", 7, text_length=11, factor=1.0, original=512)
    yield _text_encoder("text-yarn", 8, text_length=37, factor=16.0, original=64)
    yield _text_encoder("text-long", 9, text_length=150, factor=4.0, original=48, heads=(4, 4))
    yield _text_encoder("text-mistral", 10, text_length=29, original=16, model_type="mistral")
    yield _text_encoder("text-large-eps", 15, text_length=13, eps=1e-3)
    yield _vae("vae-attention", 11, size=(3, 2), channels=(8, 16, 24, 32))
    yield _vae("vae-plain", 12, size=(2, 5), channels=(8, 8, 16), attention=False, layers=2)
    yield _vae("vae-no-projection", 13, size=(1, 1), channels=(8, 16), post_quant=False)
    yield _vae("vae-faint", 16, size=(2, 2), channels=(8, 16), faint=True)


# --- random ---------------------------------------------------------------------------------------


def random_cases(seed: int, count: int) -> Iterator[Case]:
    """`count` cases of each network, all sizes drawn from `seed`."""
    draw = np.random.default_rng(seed)

    def pick(*values: Any) -> Any:
        return values[int(draw.integers(len(values)))]

    for i in range(count):
        number = seed * 1000 + i
        yield _transformer(
            f"transformer-{number}",
            number,
            heads=pick(1, 2, 3, 5, 6),
            head_dim=pick(16, 32, 48, 64, 128),
            text_length=pick(1, 2, 11, 37, 64),
            size=(pick(1, 2, 5, 8, 13), pick(1, 3, 7, 16)),
            layers=pick(1, 2, 4),
            theta=pick(256, 10000),
            timestep=float(draw.uniform(1, 1000)),
        )
        yield _text_encoder(
            f"text-{number}",
            number,
            text_length=pick(1, 11, 37, 90),
            factor=pick(1.0, 4.0, 16.0),
            original=pick(32, 512, 16384),
            heads=pick((4, 2), (4, 1), (3, 3), (8, 2)),
            head_dim=pick(16, 32, 64),
            layers=pick(2, 3, 5),
            model_type=pick("ministral3", "mistral"),
        )
        yield _vae(
            f"vae-{number}",
            number,
            size=(pick(1, 2, 3, 5), pick(1, 2, 4)),
            channels=pick((8, 16, 24, 32), (16, 16, 32), (32, 64, 64, 128), (8, 24)),
            attention=pick(True, False),
            layers=pick(1, 2),
            groups=pick(2, 4, 8),
        )


# --- configurations -------------------------------------------------------------------------------


def _transformer(
    name: str,
    seed: int,
    *,
    heads: int,
    head_dim: int,
    text_length: int,
    size: tuple[int, int],
    layers: int = 2,
    text_in: int | None = None,
    theta: int = 256,
    timestep: float = 731.25,
    eps: float = 1e-6,
) -> Case:
    axes = {16: (4, 6, 6), 32: (8, 12, 12), 48: (16, 16, 16), 64: (16, 24, 24), 128: (32, 48, 48)}
    config = {
        "_class_name": "ErnieImageTransformer2DModel",
        "hidden_size": heads * head_dim,
        "num_attention_heads": heads,
        "num_layers": layers,
        "ffn_hidden_size": 3 * heads * head_dim // 2,
        "in_channels": 8,
        "out_channels": 8,
        "patch_size": 1,
        "text_in_dim": text_in or 24,
        "rope_theta": theta,
        "rope_axes_dim": list(axes[head_dim]),
        "eps": eps,
        "qk_layernorm": True,
    }
    inputs = {
        "channels": 8,
        "height": size[0],
        "width": size[1],
        "text_length": text_length,
        "timestep": timestep,
    }
    return Case(name, "transformer", seed, config, inputs)


def _text_encoder(
    name: str,
    seed: int,
    *,
    text_length: int,
    factor: float = 16.0,
    original: int = 16384,
    heads: tuple[int, int] = (4, 2),
    head_dim: int = 32,
    layers: int = 3,
    model_type: str = "ministral3",
    eps: float = 1e-5,
) -> Case:
    text_config = {
        "model_type": model_type,
        "hidden_act": "silu",
        "hidden_size": 96,
        "intermediate_size": 160,
        "num_attention_heads": heads[0],
        "num_key_value_heads": heads[1],
        "head_dim": head_dim,
        "num_hidden_layers": layers,
        "rms_norm_eps": eps,
        "sliding_window": None,
        "vocab_size": 300,
        "max_position_embeddings": 16 * original,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 10000.0,
            "factor": factor,
            "original_max_position_embeddings": original,
            "beta_fast": 32.0,
            "beta_slow": 1.0,
            "mscale": 1.0,
            "mscale_all_dim": 1.0,
            "llama_4_scaling_beta": 0.1,
        },
    }
    config = {"model_type": "mistral3", "text_config": text_config}
    return Case(name, "text_encoder", seed, config, {"text_length": text_length})


def _vae(
    name: str,
    seed: int,
    *,
    size: tuple[int, int],
    channels: tuple[int, ...],
    attention: bool = True,
    layers: int = 1,
    groups: int = 4,
    post_quant: bool = True,
    faint: bool = False,
) -> Case:
    config = {
        "_class_name": "AutoencoderKLFlux2",
        "act_fn": "silu",
        "block_out_channels": list(channels),
        "down_block_types": ["DownEncoderBlock2D"] * len(channels),
        "up_block_types": ["UpDecoderBlock2D"] * len(channels),
        "in_channels": 3,
        "out_channels": 3,
        "latent_channels": 4,
        "layers_per_block": layers,
        "mid_block_add_attention": attention,
        "norm_num_groups": groups,
        "patch_size": [2, 2],
        "batch_norm_eps": 1e-4,
        "use_post_quant_conv": post_quant,
    }
    inputs = {"channels": 16, "height": size[0], "width": size[1], "faint": faint}
    return Case(name, "vae", seed, config, inputs)
