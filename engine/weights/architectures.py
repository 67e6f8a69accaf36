"""Which model a file belongs to, recognised by its tensors' names.

Kept as a table: it only serves to tell somebody who chose the wrong file what they have chosen.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class Architecture(StrEnum):
    ERNIE_IMAGE_TRANSFORMER = "ernie_image_transformer"
    FLUX_2_VAE = "flux_2_vae"
    MISTRAL_TEXT_ENCODER = "mistral_text_encoder"
    LORA = "lora"
    STABLE_DIFFUSION_XL = "stable_diffusion_xl"
    STABLE_DIFFUSION = "stable_diffusion"
    STABLE_DIFFUSION_3 = "stable_diffusion_3"
    FLUX = "flux"
    QWEN_IMAGE = "qwen_image"
    Z_IMAGE = "z_image"
    KL_VAE = "kl_vae"
    CLIP_TEXT_ENCODER = "clip_text_encoder"
    T5_TEXT_ENCODER = "t5_text_encoder"
    LANGUAGE_MODEL = "language_model"
    UNKNOWN = "unknown"


# All fragments of a row must occur, each in some tensor's name. The first row that fits decides, so
# the more particular come first.
_SIGNS: tuple[tuple[Architecture, tuple[str, ...]], ...] = (
    (Architecture.LORA, ("lora_A.",)),
    (Architecture.LORA, ("lora_down.",)),
    (Architecture.LORA, (".lora.down.",)),
    (Architecture.ERNIE_IMAGE_TRANSFORMER, ("adaLN_sa_ln", "x_embedder.proj")),
    (Architecture.STABLE_DIFFUSION_XL, ("model.diffusion_model.", "conditioner.embedders.")),
    (Architecture.STABLE_DIFFUSION_XL, ("down_blocks.", "add_embedding.linear_1")),
    (Architecture.STABLE_DIFFUSION_3, ("joint_blocks.", "context_embedder")),
    (Architecture.STABLE_DIFFUSION_3, ("transformer_blocks.", "context_embedder", "pos_embed")),
    (Architecture.STABLE_DIFFUSION, ("model.diffusion_model.", "cond_stage_model.")),
    (Architecture.STABLE_DIFFUSION, ("model.diffusion_model.input_blocks.",)),
    (Architecture.STABLE_DIFFUSION, ("down_blocks.", "time_embedding.linear_1", "attn2.")),
    (Architecture.FLUX, ("double_blocks.", "single_blocks.")),
    (Architecture.FLUX, ("single_transformer_blocks.", "context_embedder")),
    (Architecture.QWEN_IMAGE, ("transformer_blocks.", "img_mod.", "txt_mod.")),
    (Architecture.Z_IMAGE, ("noise_refiner.", "context_refiner.")),
    (Architecture.FLUX_2_VAE, ("decoder.up_blocks.", "bn.running_mean")),
    (Architecture.KL_VAE, ("decoder.up_blocks.", "decoder.conv_in")),
    (Architecture.KL_VAE, ("decoder.up.", "decoder.conv_in")),
    (Architecture.MISTRAL_TEXT_ENCODER, ("language_model.", "vision_tower.")),
    (Architecture.CLIP_TEXT_ENCODER, ("text_model.encoder.layers.",)),
    (Architecture.T5_TEXT_ENCODER, ("encoder.block.", "SelfAttention")),
    (Architecture.LANGUAGE_MODEL, ("layers.", "self_attn.q_proj", "embed_tokens")),
)


def recognise(names: Collection[str]) -> Architecture:
    """The architecture whose signs are all among these tensor names, else `UNKNOWN`."""
    for architecture, fragments in _SIGNS:
        if all(any(fragment in name for name in names) for fragment in fragments):
            return architecture
    return Architecture.UNKNOWN
