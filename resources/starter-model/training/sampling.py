"""Makes pictures with networks in training form: DPM-Solver++(2M) on rectified flow, with guidance.

Only for previews and measurements while training; the program has its own engine.  Formulae: Lu et
al. 2022, arXiv:2211.01095, with alpha = 1 - sigma; the sigmas are the checkpoint scheduler's.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from diffusers import AutoencoderKLFlux2
from tokenizers import Tokenizer
from transformers import Ministral3Model

from draw_scenes import PAD_ID, TEXT_LENGTH, encode_captions
from networks import (
    LATENT_PX,
    PACKED_CHANNELS,
    TrainingTransformer,
    decode_latents,
    encode_text,
)
from scene import SHAPES, SQUARE

BOS_ID = 1


def shifted_sigmas(steps: int, shift: float) -> list[float]:
    """Steps + 1 decreasing noise levels from 1 to 0."""
    grid = [1 - i / steps for i in range(steps)]
    return [shift * s / (1 + (shift - 1) * s) for s in grid] + [0.0]


@dataclass(slots=True)
class PictureMaker:
    """The trained parts and the settings of a run of pictures."""

    transformer: TrainingTransformer
    text_encoder: Ministral3Model
    vae: AutoencoderKLFlux2
    tokenizer: Tokenizer
    device: str
    steps: int
    guidance_scale: float
    sigma_shift: float
    bfloat16: bool

    @torch.no_grad()
    def make(
        self, captions: Sequence[str], seed: int, shape: int = SQUARE, batch: int = 128
    ) -> torch.Tensor:
        """[n, 3, height, width] pictures of 0 to 1; noise from one CPU generator."""
        generator = torch.Generator().manual_seed(seed)
        width, height = SHAPES[shape]
        size = (len(captions), PACKED_CHANNELS, height // LATENT_PX, width // LATENT_PX)
        noise = torch.randn(size, generator=generator)
        latents = [
            self._denoised(list(captions[i : i + batch]), noise[i : i + batch].to(self.device))
            for i in range(0, len(captions), batch)
        ]
        return decode_latents(self.vae, torch.cat(latents))

    def _denoised(self, captions: list[str], x: torch.Tensor) -> torch.Tensor:
        table = torch.from_numpy(encode_captions(self.tokenizer, captions).astype(np.int64))
        table = table.to(self.device)
        lengths = table[:, TEXT_LENGTH]
        ids = table[:, : int(lengths.max())]
        empty = torch.full_like(ids, PAD_ID)
        empty[:, 0] = BOS_ID
        both_lengths = torch.cat([torch.ones_like(lengths), lengths])
        with torch.autocast(self.device.split(":")[0], torch.bfloat16, enabled=self.bfloat16):
            text = encode_text(self.text_encoder, torch.cat([empty, ids]))
            sigmas = shifted_sigmas(self.steps, self.sigma_shift)
            previous: torch.Tensor | None = None
            for i, (sigma, following) in enumerate(itertools.pairwise(sigmas)):
                time = torch.full((2 * len(x),), 1000 * sigma, device=self.device)
                velocity = self.transformer(torch.cat([x, x]), time, text, both_lengths).float()
                unguided, guided = velocity.chunk(2)
                velocity = unguided + self.guidance_scale * (guided - unguided)
                denoised = x - sigma * velocity
                x = _dpmpp_2m_step(x, denoised, previous, sigmas, i) if following else denoised
                previous = denoised
        return x


def _dpmpp_2m_step(
    x: torch.Tensor,
    denoised: torch.Tensor,
    previous: torch.Tensor | None,
    sigmas: list[float],
    i: int,
) -> torch.Tensor:
    """One step from sigmas[i] to sigmas[i + 1] > 0; of first order while there is no past."""
    sigma, following = sigmas[i], sigmas[i + 1]
    gain = (sigma - following) / (sigma * (1 - following))  # 1 - exp(-h)
    if previous is not None and i >= 2:
        half_log_snr = [np.log((1 - s) / s) for s in sigmas[i - 1 : i + 2]]
        ratio = (half_log_snr[2] - half_log_snr[1]) / (half_log_snr[1] - half_log_snr[0])
        denoised = denoised + 0.5 * ratio * (denoised - previous)
    return following / sigma * x + (1 - following) * gain * denoised
