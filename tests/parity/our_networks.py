"""Runs our networks on a parity case; for .venv."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine import ops
from engine.networks import text_encoder, transformer, vae
from engine.ops import Tensor
from tests.parity.cases import Case


def run(case: Case) -> np.ndarray:
    return {"transformer": _transformer, "text_encoder": _text_encoder, "vae": _vae}[case.network](
        case
    )


def weights(case: Case, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Tensor]:
    return {name: ops.from_numpy(case.weight(name, shape)) for name, shape in shapes.items()}


def go_on() -> None:
    """A checkpoint that never cancels."""


def _transformer(case: Case) -> np.ndarray:
    config = transformer.TransformerConfig.from_json(case.config)
    network = transformer.Transformer(config, weights(case, transformer.expected_tensors(config)))
    text = ops.from_numpy(case.text())
    positions = network.positions(case.inputs["height"], case.inputs["width"], [text.shape[0]])
    latent = ops.from_numpy(case.latent())
    return ops.to_numpy(network(latent, case.inputs["timestep"], [text], positions, go_on)[0])


def _text_encoder(case: Case) -> np.ndarray:
    config = text_encoder.TextEncoderConfig.from_json(case.config)
    network = text_encoder.TextEncoder(config, weights(case, text_encoder.expected_tensors(config)))
    return ops.to_numpy(network(case.token_ids(), go_on))


def _vae(case: Case) -> np.ndarray:
    config = vae.VaeConfig.from_json(case.config)
    network = vae.VaeDecoder(config, weights(case, vae.expected_tensors(config)))
    return ops.to_numpy(network(ops.from_numpy(case.latent()), None, go_on, None))
