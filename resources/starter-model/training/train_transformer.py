"""Trains the transformer and the text encoder together, as a rectified flow on stored latents.

Owns the recipe of the second stage and its state, so that a run may be split over several calls
of a rented machine: time, not steps, drives the schedule.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from diffusers import AutoencoderKLFlux2
from safetensors.torch import save_file
from torch import nn

from compose import Composer
from draw_scenes import PAD_ID, TEXT_LENGTH
from muon import Muon
from networks import (
    LATENT_PX,
    PACKED_CHANNELS,
    TEXT_LENGTHS,
    TrainingTransformer,
    encode_pictures,
    encode_text,
    make_text_encoder,
    transformer_block,
)
from ranks import Ranks
from scene import SHAPE_WEIGHTS, SHAPES

Log = Callable[[str], None]
BOS_ID = 1
ENCODE_BATCH = 250
STEPS_BETWEEN_CLOCK_READS = 50
STEPS_BETWEEN_REPORTS = 500
WEIGHT_PARTS = 3  # files of the averaged weights, so that each stays small


@dataclass(frozen=True, slots=True)
class TransformerRecipe:
    """All that decides the result, besides the data; ``batch`` is per process."""

    total_seconds: float
    batch: int = 512
    muon_lr: float = 2e-3
    adam_lr: float = 1.2e-3
    warm_up_steps: int = 300
    flat_share: float = 0.5
    final_rate: float = 0.01
    ema: float = 0.999
    empty_caption_share: float = 0.1
    sigma_mean: float = 0.25
    uniform_sigma_share: float = 0.1


@dataclass(frozen=True, slots=True)
class LatentPool:
    """Latents and token tables by shape: [n, 32, h, w] and [n, captions, TEXT_LENGTH + 1]."""

    latents: tuple[torch.Tensor, ...]
    tokens: tuple[torch.Tensor, ...]


def encode_pool(
    rows: Mapping[str, np.ndarray], composer: Composer, vae: AutoencoderKLFlux2, dtype: torch.dtype
) -> LatentPool:
    """Composes and encodes every scene of a pool."""
    device = composer.device
    vae = vae.to(memory_format=torch.channels_last).to(dtype)  # type: ignore[call-overload]
    latents, tokens = [], []
    for shape, (width, height) in enumerate(SHAPES):
        chosen = np.flatnonzero(rows["shape"] == shape)
        size = (len(chosen), PACKED_CHANNELS, height // LATENT_PX, width // LATENT_PX)
        stored = torch.empty(size, dtype=dtype, device=device)
        for start in range(0, len(chosen), ENCODE_BATCH):
            part = chosen[start : start + ENCODE_BATCH]
            pictures = composer.compose({k: v[part] for k, v in rows.items()}, shape)
            pictures = pictures.to(dtype).contiguous(memory_format=torch.channels_last)
            stored[start : start + len(part)] = encode_pictures(vae, pictures).to(dtype)
        latents.append(stored)
        tokens.append(torch.from_numpy(rows["tokens"][chosen]).to(device))
    return LatentPool(tuple(latents), tuple(tokens))


class Trainer:
    """The networks in training, their averages and optimizers."""

    def __init__(self, recipe: TransformerRecipe, ranks: Ranks, *, compiled: bool) -> None:
        self.recipe, self.ranks = recipe, ranks
        self.on_gpu = ranks.device != "cpu"
        torch.manual_seed(0)
        self.transformer = TrainingTransformer().to(ranks.device)
        self.text_encoder = make_text_encoder().to(ranks.device)
        _initialise(self.transformer, self.text_encoder)
        if compiled:
            self.transformer.block = torch.compile(transformer_block, dynamic=False)
        self.named = {
            **dict(self.transformer.model.named_parameters(prefix="transformer")),
            **dict(self.text_encoder.named_parameters(prefix="text_encoder")),
        }
        self.parameters = list(self.named.values())
        self.average = [p.detach().clone() for p in self.parameters]
        matrices = [p for n, p in self.named.items() if p.ndim == 2 and ".layers." in n]
        chosen = {id(p) for p in matrices}
        others = [p for p in self.parameters if id(p) not in chosen]
        self.optimizers = [
            Muon(matrices, recipe.muon_lr),
            torch.optim.AdamW(
                others, recipe.adam_lr, betas=(0.9, 0.98), weight_decay=0.0, fused=self.on_gpu
            ),
        ]
        self.step, self.elapsed = 0, 0.0
        torch.manual_seed(1000 + ranks.rank)

    def run(self, pool: LatentPool, seconds: float, save: Callable[[], None], log: Log) -> None:
        """Trains for ``seconds`` or until the recipe's total is used up; saves now and then."""
        begin, elapsed_before = 0.0, self.elapsed
        first_step, total_loss = self.step, torch.zeros((), device=self.ranks.device)
        last_save = time.monotonic()
        shared = random.Random(self.step)  # the same shapes in every process
        while self.elapsed < min(self.recipe.total_seconds, elapsed_before + seconds):
            if self.step == first_step + 3:  # compiled by now
                if self.on_gpu:
                    torch.cuda.synchronize()
                begin = time.monotonic()
            shape = shared.choices(range(len(SHAPES)), SHAPE_WEIGHTS)[0]
            total_loss += self._train_step(pool, shape)
            self.step += 1
            if begin and (self.step % STEPS_BETWEEN_CLOCK_READS == 0 or not self.on_gpu):
                self.elapsed = elapsed_before + self.ranks.agreed(time.monotonic() - begin)
                if self.ranks.agreed(time.monotonic() - last_save) > 120:
                    save()
                    last_save = time.monotonic()
            if self.step % STEPS_BETWEEN_REPORTS == 0:
                rate = (self.step - first_step - 3) / (time.monotonic() - begin)
                rate *= self.recipe.batch * self.ranks.count
                share = self.elapsed / self.recipe.total_seconds
                mean = total_loss.item() / min(STEPS_BETWEEN_REPORTS, self.step - first_step)
                log(f"step {self.step}, {share:.1%}, loss {mean:.4f}, {rate:.0f} samples/s")
                total_loss.zero_()
                if not np.isfinite(mean):
                    raise FloatingPointError("the loss is not finite")
        save()

    def _rate(self) -> float:
        share = self.elapsed / self.recipe.total_seconds
        fall = (1 - share) / (1 - self.recipe.flat_share)
        warm = min(1.0, (self.step + 1) / self.recipe.warm_up_steps)
        return warm * min(1.0, max(self.recipe.final_rate, fall))

    def _train_step(self, pool: LatentPool, shape: int) -> torch.Tensor:
        recipe, device = self.recipe, self.ranks.device
        rate = self._rate()
        for optimizer, lr in zip(self.optimizers, (recipe.muon_lr, recipe.adam_lr), strict=True):
            optimizer.param_groups[0]["lr"] = lr * rate
        clean, ids, lengths = self._draw(pool, shape)
        sigma = torch.sigmoid(torch.randn(recipe.batch, device=device) + recipe.sigma_mean)
        uniform = torch.rand(recipe.batch, device=device)
        take_uniform = torch.rand(recipe.batch, device=device) < recipe.uniform_sigma_share
        sigma = torch.where(take_uniform, uniform, sigma)
        noise, s = torch.randn_like(clean), sigma.view(-1, 1, 1, 1)
        with torch.autocast(device.split(":")[0], torch.bfloat16, enabled=self.on_gpu):
            text = encode_text(self.text_encoder, ids)
            velocity = self.transformer((1 - s) * clean + s * noise, sigma * 1000, text, lengths)
        loss = F.mse_loss(velocity.float(), noise - clean)
        loss.backward()
        self.ranks.average_gradients(self.parameters)
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        decay = min(recipe.ema, (1 + self.step) / (20 + self.step))
        torch._foreach_lerp_(self.average, [p.detach() for p in self.parameters], 1 - decay)
        return loss.detach()

    def _draw(self, pool: LatentPool, shape: int) -> tuple[torch.Tensor, ...]:
        """A batch: latents, token ids [batch, TEXT_LENGTHS[shape]] and their lengths."""
        latents, tokens = pool.latents[shape], pool.tokens[shape]
        batch, device = self.recipe.batch, self.ranks.device
        rows = torch.randint(0, len(latents), (batch,), device=device)
        which = torch.randint(0, tokens.shape[1], (batch,), device=device)
        caption = tokens[rows, which].long()
        ids = torch.full((batch, TEXT_LENGTHS[shape]), PAD_ID, device=device)
        ids[:, :TEXT_LENGTH] = caption[:, :TEXT_LENGTH]
        lengths = caption[:, TEXT_LENGTH]
        empty = torch.rand(batch, device=device) < self.recipe.empty_caption_share
        nothing = torch.full_like(ids, PAD_ID)
        nothing[:, 0] = BOS_ID
        ids = torch.where(empty[:, None], nothing, ids)
        return latents[rows].float(), ids, torch.where(empty, 1, lengths)

    def use_average(self) -> None:
        """Puts the averaged weights into the networks and drops the compiled block."""
        with torch.no_grad():
            for parameter, value in zip(self.parameters, self.average, strict=True):
                parameter.copy_(value)
        self.transformer.block = transformer_block

    def save_average(self, folder: Path) -> None:
        """Writes the averaged weights as fp16, in a few files."""
        names = list(self.named)
        for part in range(WEIGHT_PARTS):
            chosen = range(part, len(names), WEIGHT_PARTS)
            tensors = {names[i]: self.average[i].half().cpu().contiguous() for i in chosen}
            save_file(tensors, folder / f"average-{part}.safetensors")

    def save_state(self, file: Path) -> None:
        """Writes all that a later call needs to go on."""
        state = {
            "parameters": [p.detach() for p in self.parameters],
            "average": self.average,
            "optimizers": [o.state_dict() for o in self.optimizers],
            "step": self.step,
            "elapsed": self.elapsed,
        }
        unfinished = file.with_suffix(".unfinished")
        torch.save(state, unfinished)
        unfinished.rename(file)

    def load_state(self, file: Path) -> None:
        state = torch.load(file, map_location=self.ranks.device, weights_only=True)
        with torch.no_grad():
            for parameter, value in zip(self.parameters, state["parameters"], strict=True):
                parameter.copy_(value)
            for mine, value in zip(self.average, state["average"], strict=True):
                mine.copy_(value)
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self.step, self.elapsed = state["step"], state["elapsed"]
        torch.manual_seed(1000 + self.ranks.rank + self.step * self.ranks.count)

    def load_average(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Starts from averaged weights that were saved as fp16, with fresh optimizers."""
        with torch.no_grad():
            for i, name in enumerate(self.named):
                self.parameters[i].copy_(weights[name])
                self.average[i].copy_(weights[name])


def _initialise(transformer: nn.Module, text_encoder: nn.Module) -> None:
    """Matrices of the layers at 0.7 / sqrt(fan in), outputs of a branch smaller."""
    with torch.no_grad():
        for name, parameter in transformer.named_parameters():
            if parameter.ndim == 2 and "layers." in name:
                is_output = "to_out" in name or "linear_fc2" in name
                scale = 0.3 if is_output else 0.7
                parameter.normal_(std=scale * parameter.shape[1] ** -0.5)
        text_encoder.embed_tokens.weight.normal_(std=0.5)  # type: ignore[union-attr]
