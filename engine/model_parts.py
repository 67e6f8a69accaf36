"""Whether a model's three networks fit together, from their configurations alone.

Separate from the networks, each of which knows only itself, and light enough for the list of
models: a folder whose parts come from different models is named here, before anything loads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.networks.config_fields import ConfigFields
from engine.port import EngineFault, ErrorCode
from engine.weights.faults import Reason, fault

_PACKED = 4
"""The VAE's latent is packed two by two: four of its channels are one of the transformer's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the parts agree on: the packed latent's channels, and picture pixels along its pixel."""

    latent_channels: int
    scale: int


def read_parts(folder: Path, configs: Mapping[str, Mapping[str, Any]]) -> Parts:
    """Check the configurations of the model in `folder`, by network, against each other.

    Raises `EngineFault` MODEL_UNSUPPORTED: CONFIG_VALUE, or PARTS_DIFFER with both sides in
    `found`.
    """
    transformer, vae, text_encoder = (
        ConfigFields(configs[name], str(folder / name / "config.json"))
        for name in ("transformer", "vae", "text_encoder")
    )
    channels, out = transformer.integer("in_channels"), transformer.integer("out_channels")
    latent = vae.integer("latent_channels")
    text_in = transformer.integer("text_in_dim")
    text_width = text_encoder.section("text_config").integer("hidden_size")
    if channels != out:
        raise _differ(folder, f"transformer in_channels: {channels}, out_channels: {out}")
    if channels != _PACKED * latent:
        raise _differ(folder, f"transformer in_channels: {channels}, vae latent_channels: {latent}")
    if text_in != text_width:
        found = f"transformer text_in_dim: {text_in}, text_encoder hidden_size: {text_width}"
        raise _differ(folder, found)
    if vae.integer("out_channels", 3) != 3:
        vae.refuse("out_channels")
    return Parts(latent_channels=channels, scale=2 ** len(_levels(vae)))


def _levels(vae: ConfigFields) -> tuple[int, ...]:
    own = "decoder_block_out_channels"
    return vae.integers(own if vae.has(own) else "block_out_channels")


def _differ(folder: Path, found: str) -> EngineFault:
    return fault(ErrorCode.MODEL_UNSUPPORTED, folder, Reason.PARTS_DIFFER, found=found)
