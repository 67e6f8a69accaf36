"""Reads trained weights, as train.py saves them or as the shipped checkpoint holds them.

Apart from training and evaluation because both start from either kind.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file

TRANSFORMER_FILE = Path("transformer/diffusion_pytorch_model.safetensors")
TEXT_ENCODER_FILE = Path("text_encoder/model.safetensors")
LANGUAGE_MODEL = "language_model.model."
UNREAD = ("layers.2.", "norm.")  # there only because the classes expect them: export_checkpoint.py


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Tensors named ``transformer.*`` and ``text_encoder.*``, of a checkpoint or of train.py."""
    if (folder / TRANSFORMER_FILE).exists():
        tensors = {f"transformer.{k}": v for k, v in load_file(folder / TRANSFORMER_FILE).items()}
        for name, tensor in load_file(folder / TEXT_ENCODER_FILE).items():
            short = name.removeprefix(LANGUAGE_MODEL)
            if short != name and not short.startswith(UNREAD):
                tensors[f"text_encoder.{short}"] = tensor
        return tensors
    tensors = {}
    for file in sorted(folder.glob("average-*.safetensors")):
        tensors |= load_file(file)
    if not tensors:
        raise FileNotFoundError(f"no weights in {folder}")
    return tensors
