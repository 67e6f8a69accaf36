"""The three networks' sizes, and a fast forward pass of the transformer for training.

Owns the numbers that make this checkpoint small; the classes are diffusers' and transformers' own,
so that what is trained is what loads.  ``TrainingTransformer`` computes the same function as
ErnieImageTransformer2DModel in [batch, tokens, width] order, with one block function that
torch.compile compiles once; ``check_networks.py`` compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from diffusers import AutoencoderKLFlux2, ErnieImageTransformer2DModel
from torch import nn
from transformers import Ministral3Config, Ministral3Model

LATENT_CHANNELS = 8
PACKED_CHANNELS = 4 * LATENT_CHANNELS
LATENT_PX = 16  # a packed latent pixel covers 16 x 16 picture pixels
BATCH_NORM_EPS = 1e-5
TEXT_LENGTHS = (
    32,
    48,
    48,
)  # by shape: 256 + 32 = 240 + 48 tokens, so that all shapes compile alike

TRANSFORMER_CONFIG: dict[str, Any] = {
    "hidden_size": 320,
    "num_attention_heads": 5,
    "num_layers": 10,
    "ffn_hidden_size": 896,
    "in_channels": PACKED_CHANNELS,
    "out_channels": PACKED_CHANNELS,
    "patch_size": 1,
    "text_in_dim": 256,
    "rope_theta": 256,
    "rope_axes_dim": (16, 24, 24),
    "eps": 1e-6,
    "qk_layernorm": True,
}
TEXT_ENCODER_CONFIG: dict[str, Any] = {
    "vocab_size": 6144,
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 3,  # the pipeline reads the output of the last but one
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 3,
    "tie_word_embeddings": False,
    "sliding_window": None,
    "rope_parameters": {
        "rope_type": "yarn",
        "type": "yarn",
        "rope_theta": 10000.0,
        "factor": 1.0,
        "original_max_position_embeddings": 512,
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "mscale": 1.0,
        "mscale_all_dim": 1.0,
        "llama_4_scaling_beta": 0.1,
    },
}


def make_vae() -> AutoencoderKLFlux2:
    """The autoencoder: 8 latent channels at 1/8 of the picture's sides, 3.3 M parameters."""
    return AutoencoderKLFlux2(
        block_out_channels=(32, 64, 96, 128),
        layers_per_block=1,
        latent_channels=LATENT_CHANNELS,
        norm_num_groups=4,
        sample_size=256,
        mid_block_add_attention=False,
        batch_norm_eps=BATCH_NORM_EPS,
    )


def make_text_encoder() -> Ministral3Model:
    """The part of the language model that the pipeline uses, 2.8 M parameters.

    The pipeline reads ``hidden_states[-2]``: the output of the last but one layer, before the final
    norm.  So the last layer and the norm are left out here; export_checkpoint.py puts them back.
    """
    layers = TEXT_ENCODER_CONFIG["num_hidden_layers"] - 1
    used = Ministral3Config(**{**TEXT_ENCODER_CONFIG, "num_hidden_layers": layers})
    text_encoder = Ministral3Model(used)
    text_encoder.norm = nn.Identity()
    return text_encoder


def encode_text(text_encoder: Ministral3Model, ids: torch.Tensor) -> torch.Tensor:
    """[batch, tokens] ids -> [batch, tokens, 256], the states that the pipeline reads."""
    return text_encoder(input_ids=ids, use_cache=False).last_hidden_state


def pack(latent: torch.Tensor) -> torch.Tensor:
    """[b, c, 2h, 2w] -> [b, 4c, h, w]."""
    b, c, h, w = latent.shape
    return (
        latent.view(b, c, h // 2, 2, w // 2, 2)
        .permute(0, 1, 3, 5, 2, 4)
        .reshape(b, 4 * c, h // 2, w // 2)
    )


def unpack(packed: torch.Tensor) -> torch.Tensor:
    """[b, 4c, h, w] -> [b, c, 2h, 2w]."""
    b, c, h, w = packed.shape
    return (
        packed.reshape(b, c // 4, 2, 2, h, w)
        .permute(0, 1, 4, 2, 5, 3)
        .reshape(b, c // 4, 2 * h, 2 * w)
    )


def latent_scale(vae: AutoencoderKLFlux2) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and deviation of packed latents, [1, 32, 1, 1] each, from the VAE's statistics."""
    mean = vae.bn.running_mean.view(1, -1, 1, 1)
    return mean, (vae.bn.running_var.view(1, -1, 1, 1) + BATCH_NORM_EPS).sqrt()


@torch.no_grad()
def encode_pictures(vae: AutoencoderKLFlux2, pictures: torch.Tensor) -> torch.Tensor:
    """[b, 3, h, w] of 0 to 1 -> normalised packed latents [b, 32, h / 16, w / 16] float32."""
    moments = vae.quant_conv(vae.encoder(pictures * 2 - 1))
    mean, deviation = latent_scale(vae)
    return (pack(moments.chunk(2, 1)[0].contiguous()).float() - mean) / deviation


@torch.no_grad()
def decode_latents(vae: AutoencoderKLFlux2, latents: torch.Tensor, batch: int = 64) -> torch.Tensor:
    """The inverse of encode_pictures, clamped to 0 to 1."""
    mean, deviation = latent_scale(vae)
    parts = [unpack(part * deviation + mean) for part in latents.split(batch)]
    return torch.cat([(vae.decode(p).sample / 2 + 0.5).clamp(0, 1) for p in parts])


def _rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    y = x.float()
    return y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps) * weight


def _rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def transformer_block(
    layer: nn.Module,
    x: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    modulation: list[torch.Tensor],
    mask: torch.Tensor,
) -> torch.Tensor:
    """One layer on [batch, tokens, width]; ``modulation`` is six [batch, 1, width] tensors."""
    shift1, scale1, gate1, shift2, scale2, gate2 = modulation
    attention, mlp = layer.self_attention, layer.mlp
    batch, tokens, width = x.shape
    norm = layer.adaLN_sa_ln
    h = (_rms_norm(x, norm.weight, norm.eps) * (1 + scale1) + shift1).to(x.dtype)
    # One wide product instead of three narrow ones: these are bound by memory, not arithmetic.
    inward = torch.cat([attention.to_q.weight, attention.to_k.weight, attention.to_v.weight])
    q, k, v = F.linear(h, inward).view(batch, tokens, 3, attention.heads, -1).unbind(2)
    q = _rotated(_rms_norm(q, attention.norm_q.weight, attention.norm_q.eps), cos, sin).to(v.dtype)
    k = _rotated(_rms_norm(k, attention.norm_k.weight, attention.norm_k.eps), cos, sin).to(v.dtype)
    h = F.scaled_dot_product_attention(
        q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), attn_mask=mask
    )
    h = attention.to_out[0](h.transpose(1, 2).reshape(batch, tokens, width))
    x = x + (gate1 * h.float()).to(x.dtype)
    norm = layer.adaLN_mlp_ln
    h = (_rms_norm(x, norm.weight, norm.eps) * (1 + scale2) + shift2).to(x.dtype)
    inward = torch.cat([mlp.up_proj.weight, mlp.gate_proj.weight])
    up, gate = F.linear(h, inward).chunk(2, -1)
    return x + (gate2 * mlp.linear_fc2(up * F.gelu(gate)).float()).to(x.dtype)


class TrainingTransformer(nn.Module):
    """ErnieImageTransformer2DModel's weights with a faster forward pass."""

    def __init__(self) -> None:
        super().__init__()
        self.model = ErnieImageTransformer2DModel(**TRANSFORMER_CONFIG)
        self.block: Callable[..., torch.Tensor] = transformer_block

    def _rotations(
        self, lengths: torch.Tensor, height: int, width: int, tokens: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Cos and sin, [batch, height * width + tokens, 1, 64].

        An image token sits at (text length, y, x), text token j at (j, 0, 0).
        """
        device, batch = lengths.device, len(lengths)
        image = height * width
        position = torch.zeros(batch, image + tokens, 3, device=device)
        position[:, :image, 0] = lengths.float()[:, None]
        position[:, image:, 0] = torch.arange(tokens, device=device)
        position[:, :image, 1] = torch.arange(height, device=device).repeat_interleave(width)
        position[:, :image, 2] = torch.arange(width, device=device).repeat(height)
        theta = TRANSFORMER_CONFIG["rope_theta"]
        angles = [
            position[..., axis, None]
            * theta ** (-torch.arange(0, size, 2, device=device, dtype=torch.float32) / size)
            for axis, size in enumerate(TRANSFORMER_CONFIG["rope_axes_dim"])
        ]
        angle = torch.cat(angles, -1).repeat_interleave(2, -1).unsqueeze(2)
        return angle.cos(), angle.sin()

    def forward(
        self, x: torch.Tensor, timestep: torch.Tensor, text: torch.Tensor, lengths: torch.Tensor
    ) -> torch.Tensor:
        """[b, 32, h, w], [b] of 0 to 1000, [b, t, 256], [b] -> velocity [b, 32, h, w]."""
        model = self.model
        batch, _, height, width = x.shape
        image, tokens = height * width, text.shape[1]
        embed = model.x_embedder.proj
        h = F.linear(x.flatten(2).transpose(1, 2), embed.weight.flatten(1), embed.bias)
        h = torch.cat([h, model.text_proj(text).to(h.dtype)], 1)
        cos, sin = self._rotations(lengths, height, width, tokens)
        real = torch.arange(tokens, device=x.device)[None] < lengths[:, None]
        seen = torch.cat([real.new_ones(batch, image), real], 1)
        mask = seen[:, None, None, :].expand(batch, 1, image + tokens, image + tokens)
        condition = model.time_embedding(model.time_proj(timestep))
        modulation = [
            part.unsqueeze(1).float() for part in model.adaLN_modulation(condition).chunk(6, -1)
        ]
        for layer in model.layers:
            h = self.block(layer, h, cos, sin, modulation, mask)
        scale, shift = model.final_norm.linear(condition).chunk(2, -1)
        h = F.layer_norm(h[:, :image].float(), (model.hidden_size,), eps=model.final_norm.norm.eps)
        h = h * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)
        return model.final_linear(h).transpose(1, 2).reshape(batch, -1, height, width)
