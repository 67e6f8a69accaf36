"""Compares the training forms of the networks with the classes that load the checkpoint."""

from __future__ import annotations

import torch
from transformers import Ministral3Config, Ministral3Model

from networks import (
    LATENT_PX,
    PACKED_CHANNELS,
    TEXT_ENCODER_CONFIG,
    TEXT_LENGTHS,
    TrainingTransformer,
    encode_text,
    make_text_encoder,
)
from scene import SHAPES

LARGEST_RELATIVE_ERROR = 1e-5


def main() -> None:
    torch.manual_seed(0)
    fast = TrainingTransformer().eval()
    for parameter in fast.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.05)
        else:
            torch.nn.init.normal_(parameter, 1.0, 0.1)
    for (width, height), tokens in zip(SHAPES, TEXT_LENGTHS, strict=True):
        x = torch.randn(2, PACKED_CHANNELS, height // LATENT_PX, width // LATENT_PX)
        timestep, lengths = torch.tensor([500.0, 123.0]), torch.tensor([tokens, 7])
        text = torch.randn(2, tokens, 256)
        with torch.no_grad():
            ours = fast(x, timestep, text, lengths)
            theirs = fast.model(x, timestep, text, lengths, return_dict=False)[0]
        error = ((ours - theirs).norm() / theirs.norm()).item()
        print(f"{width} x {height}: relative error {error:.1e}")
        if error > LARGEST_RELATIVE_ERROR:
            raise SystemExit("the two forward passes differ")
    whole, used = Ministral3Model(Ministral3Config(**TEXT_ENCODER_CONFIG)), make_text_encoder()
    used.load_state_dict(whole.state_dict(), strict=False)
    ids = torch.randint(0, TEXT_ENCODER_CONFIG["vocab_size"], (2, 32))
    with torch.no_grad():
        theirs = whole(input_ids=ids, output_hidden_states=True).hidden_states[-2]
        error = ((encode_text(used, ids) - theirs).norm() / theirs.norm()).item()
    print(f"text encoder: relative error {error:.1e}")
    if error > LARGEST_RELATIVE_ERROR:
        raise SystemExit("the two text encoders differ")


if __name__ == "__main__":
    main()
