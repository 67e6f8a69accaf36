"""Trains the autoencoder on composites: 1/8 of the sides, 8 channels.

Owns the recipe of the first stage.  What made it work in a few minutes: Muon on the convolutions,
the second convolution of every residual block starting at zero, and an anchor that ties the first
three channels to the averaged picture, so that colour is there from the first step.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from diffusers import AutoencoderKLFlux2

from muon import Muon
from networks import make_vae, pack
from ranks import Ranks

Log = Callable[[str], None]
VALIDATION_PICTURES = 256
STATISTICS_PICTURES = 2048
STEPS_BETWEEN_CLOCK_READS = 25


@dataclass(frozen=True, slots=True)
class VaeRecipe:
    """All that decides the result, besides the pictures; batch sizes are of all processes."""

    seconds: float
    crop_batch: int = 64
    full_batch: int = 24
    crop_px: int = 128
    crop_share: float = 0.72
    muon_lr: float = 2e-3
    adam_lr: float = 1e-3
    warm_up_steps: int = 60
    flat_share: float = 0.4
    ema: float = 0.995


def _gradient_image(x: torch.Tensor) -> torch.Tensor:
    """Horizontal and vertical differences, stacked as channels."""
    return torch.cat(
        [(x[..., 1:] - x[..., :-1])[..., 1:, :], (x[..., 1:, :] - x[..., :-1, :])[..., 1:]], 1
    )


def reconstruction_loss(y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """L1 on pixels, on edges and on the quartered picture, and squared error."""
    y = y.float()
    return (
        (y - x).abs().mean()
        + 0.7 * (_gradient_image(y) - _gradient_image(x)).abs().mean()
        + 0.5 * (F.avg_pool2d(y, 4) - F.avg_pool2d(x, 4)).abs().mean()
        + 0.5 * ((y - x) ** 2).mean()
    )


def _loss(vae: AutoencoderKLFlux2, x: torch.Tensor, share: float, step: int) -> torch.Tensor:
    mean, log_variance = vae.quant_conv(vae.encoder(x)).float().chunk(2, 1)
    log_variance = log_variance.clamp(-20, 10)
    z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
    divergence = 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).mean()
    anchor = F.mse_loss(mean[:, :3], F.avg_pool2d(x, 8) * 2)
    loss = reconstruction_loss(vae.decoder(vae.post_quant_conv(z)), x)
    loss = loss + 5e-5 * divergence + max(0.05, 0.4 * (1 - 2 * share)) * anchor
    if step % 4 == 0:  # latents of neighbouring scales agree
        halved = vae.decoder(vae.post_quant_conv(F.avg_pool2d(z, 2)))
        loss = loss + 0.2 * reconstruction_loss(halved, F.avg_pool2d(x, 2))
    return loss


def _optimizers(vae: AutoencoderKLFlux2, recipe: VaeRecipe) -> list[torch.optim.Optimizer]:
    convolutions = [p for p in vae.parameters() if p.ndim == 4 and min(p.shape[:2]) > 3]
    chosen = {id(p) for p in convolutions}
    others = [p for p in vae.parameters() if id(p) not in chosen]
    return [
        Muon(convolutions, recipe.muon_lr, weight_decay=0.0),
        torch.optim.AdamW(others, recipe.adam_lr, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def train_vae(
    pictures: torch.Tensor, recipe: VaeRecipe, ranks: Ranks, log: Log
) -> AutoencoderKLFlux2:
    """Trains on uint8 [n, 3, 256, 256]; the first ones are kept for validation.

    Returns the averaged weights with the statistics of packed latents in ``bn``.
    """
    held, device = min(VALIDATION_PICTURES, len(pictures) // 4), ranks.device
    on_gpu = device != "cpu"
    torch.manual_seed(0)
    vae = make_vae()
    for name, module in vae.named_modules():
        if name.endswith("conv2"):
            torch.nn.init.zeros_(module.weight)
    vae = vae.to(device).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    parameters = list(vae.parameters())
    optimizers = _optimizers(vae, recipe)
    base_lrs = [o.param_groups[0]["lr"] for o in optimizers]
    average = [p.detach().clone() for p in parameters]
    torch.manual_seed(100 + ranks.rank)
    begin, share, step = time.monotonic(), 0.0, 0
    while share < 1:
        rate = min(1.0, (step + 1) / recipe.warm_up_steps)
        rate *= min(1.0, max(0.02, (1 - share) / (1 - recipe.flat_share)))
        for optimizer, lr in zip(optimizers, base_lrs, strict=True):
            optimizer.param_groups[0]["lr"] = lr * rate
        x = _batch(pictures[held:], recipe, share, ranks.count)
        with torch.autocast(device.split(":")[0], torch.bfloat16, enabled=on_gpu):
            loss = _loss(vae, x, share, step)
        loss.backward()
        ranks.average_gradients(parameters)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        decay = min(recipe.ema, (1 + step) / (10 + step))
        torch._foreach_lerp_(average, [p.detach() for p in parameters], 1 - decay)
        step += 1
        if step % STEPS_BETWEEN_CLOCK_READS == 0 or not on_gpu:
            share = ranks.agreed((time.monotonic() - begin) / recipe.seconds)
        if step % 250 == 0:
            log(f"vae step {step}, {share:.0%}, loss {loss.item():.4f}")
    with torch.no_grad():
        for parameter, value in zip(parameters, average, strict=True):
            parameter.copy_(value)
    vae.eval()
    psnr = validation_psnr(vae, pictures[:held])
    measure_latents(vae, pictures[held : held + STATISTICS_PICTURES])
    log(f"vae: {step} steps, PSNR {psnr.mean():.2f} dB, 10th percentile {psnr.quantile(0.1):.2f}")
    return vae.to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]


def _batch(pictures: torch.Tensor, recipe: VaeRecipe, share: float, processes: int) -> torch.Tensor:
    """Random crops at first, whole pictures later; float of -1 to 1, channels last."""
    crops = share < recipe.crop_share
    count = max(1, (recipe.crop_batch if crops else recipe.full_batch) // processes)
    rows = torch.randint(0, len(pictures), (count,), device=pictures.device)
    x = pictures[rows]
    if crops:
        side = recipe.crop_px
        top, left = (8 * int(v) for v in torch.randint(0, (256 - side) // 8 + 1, (2,)))
        x = x[:, :, top : top + side, left : left + side]
    return (x.float() / 127.5 - 1).contiguous(memory_format=torch.channels_last)


@torch.no_grad()
def validation_psnr(vae: AutoencoderKLFlux2, pictures: torch.Tensor) -> torch.Tensor:
    """[n] peak signal to noise ratios in dB."""
    values = []
    for part in pictures.split(32):
        x = part.float() / 255
        y = (vae.decode(vae.encode(x * 2 - 1).latent_dist.mode()).sample / 2 + 0.5).clamp(0, 1)
        values.append(-10 * torch.log10(((y - x) ** 2).mean((1, 2, 3)).clamp(min=1e-8)))
    return torch.cat(values)


@torch.no_grad()
def measure_latents(vae: AutoencoderKLFlux2, pictures: torch.Tensor) -> None:
    """Writes mean and variance of packed latents into the batch norm that the pipeline reads."""
    packed = torch.cat(
        [
            pack(vae.encode(part.float() / 127.5 - 1).latent_dist.mode().contiguous())
            for part in pictures.split(32)
        ]
    ).float()
    vae.bn.running_mean.copy_(packed.mean((0, 2, 3)))
    vae.bn.running_var.copy_(packed.var((0, 2, 3)))
