"""Runs the two training stages, one process per GPU (torchrun), within a time limit.

    torchrun --nproc-per-node 4 train.py --pack PACK --pool POOL.npz --state STATE --out OUT ...

The autoencoder is trained unless STATE (or --vae) holds one; the transformer goes on from STATE if
it can.  OUT receives vae/, the averaged weights in three files, and the log.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from diffusers import AutoencoderKLFlux2

from compose import Composer
from ranks import Ranks, start_ranks
from scene import SQUARE
from train_transformer import (
    LatentPool,
    Trainer,
    TransformerRecipe,
    encode_pool,
)
from train_vae import VaeRecipe, train_vae
from vocabulary import Vocabulary
from weights import read_weights


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--pool", type=Path, required=True, help="from draw_scenes.py")
    parser.add_argument("--state", type=Path, required=True, help="folder kept between calls")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--vae", type=Path, help="a trained autoencoder")
    parser.add_argument(
        "--start", type=Path, help="weights to start from: averages, or a checkpoint"
    )
    parser.add_argument("--vae-pictures", type=int, default=20_000, help="of all processes")
    parser.add_argument("--vae-seconds", type=float, default=120)
    parser.add_argument("--transformer-seconds", type=float, required=True, help="of all calls")
    parser.add_argument("--batch", type=int, default=512, help="per process")
    parser.add_argument("--muon-lr", type=float, default=2e-3)
    parser.add_argument("--flat-share", type=float, default=0.5, help="before the rate falls")
    parser.add_argument("--began", type=float, default=time.time(), help="start, Unix seconds")
    parser.add_argument("--stop-after", type=float, required=True, help="seconds after --began")
    parser.add_argument("--limit", type=int, help="use the first N concepts only (dry runs)")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--no-compile", action="store_true")
    return parser.parse_args()


def own_rows(pool: dict[str, np.ndarray], ranks: Ranks) -> dict[str, np.ndarray]:
    return {name: array[ranks.rank :: ranks.count] for name, array in pool.items()}


def square_pictures(rows: dict[str, np.ndarray], composer: Composer, count: int) -> torch.Tensor:
    """uint8 [count, 3, 256, 256] for the autoencoder."""
    chosen = np.flatnonzero(rows["shape"] == SQUARE)[:count]
    parts = []
    for start in range(0, len(chosen), 250):
        part = chosen[start : start + 250]
        pictures = composer.compose({k: v[part] for k, v in rows.items()}, SQUARE)
        parts.append((pictures * 255).round().byte())
    return torch.cat(parts)


def main() -> None:
    arguments = read_arguments()
    ranks = start_ranks(arguments.cpu)
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    arguments.state.mkdir(parents=True, exist_ok=True)
    arguments.out.mkdir(parents=True, exist_ok=True)

    def log(message: str) -> None:
        if ranks.is_first:
            line = f"[{time.time() - arguments.began:6.1f}] {message}"
            print(line, flush=True)
            with (arguments.out / "log.txt").open("a") as file:
                file.write(line + "\n")

    while not arguments.pool.exists():
        time.sleep(0.5)
    rows = own_rows(dict(np.load(arguments.pool)), ranks)
    kept = arguments.state / f"latents-{ranks.rank}.pt"
    vae_folder = arguments.vae or arguments.state / "vae"
    has_vae = vae_folder.exists()
    composer = None
    if not (has_vae and kept.exists()):
        vocabulary = Vocabulary(limit=arguments.limit)
        composer = Composer(arguments.pack, vocabulary, ranks.device, threads=16)
        log(f"{len(rows['shape'])} scenes a process, sprites loaded")
    if has_vae:
        vae = AutoencoderKLFlux2.from_pretrained(vae_folder).to(ranks.device)
    else:
        assert composer is not None
        count = arguments.vae_pictures // ranks.count
        pictures = square_pictures(rows, composer, count)
        log(f"{len(pictures)} pictures a process for the autoencoder")
        recipe = VaeRecipe(seconds=arguments.vae_seconds)
        if arguments.cpu:
            recipe = VaeRecipe(seconds=arguments.vae_seconds, crop_batch=4, full_batch=2)
        vae = train_vae(pictures, recipe, ranks, log)
        del pictures
        if ranks.is_first:
            vae.save_pretrained(arguments.state / "vae")
    if ranks.is_first:
        vae.save_pretrained(arguments.out / "vae")

    dtype = torch.float32 if arguments.cpu else torch.bfloat16
    if kept.exists():
        pool = LatentPool(*torch.load(kept, map_location=ranks.device, weights_only=True))
    else:
        assert composer is not None
        pool = encode_pool(rows, composer, vae, dtype)
        torch.save((pool.latents, pool.tokens), kept)
    del composer, vae
    deviation = pool.latents[0][:2000].float().std()
    log(f"latents: {[len(p) for p in pool.latents]}, deviation {deviation:.3f}")

    transformer_recipe = TransformerRecipe(
        total_seconds=arguments.transformer_seconds,
        batch=arguments.batch,
        muon_lr=arguments.muon_lr,
        adam_lr=0.6 * arguments.muon_lr,
        flat_share=arguments.flat_share,
    )
    trainer = Trainer(transformer_recipe, ranks, compiled=not arguments.no_compile)
    state_file = arguments.state / "trainer.pt"
    if state_file.exists():
        trainer.load_state(state_file)
        log(f"goes on from step {trainer.step}, {trainer.elapsed:.0f} s")
    elif arguments.start:
        trainer.load_average(read_weights(arguments.start))
        log("starts from averaged weights")

    def save() -> None:
        if ranks.is_first:
            trainer.save_average(arguments.out)
            trainer.save_state(state_file)

    seconds = arguments.stop_after - (time.time() - arguments.began)
    if not arguments.cpu:
        seconds -= 15  # compilation
    trainer.run(pool, ranks.agreed(seconds), save, log)
    log(f"{trainer.step} steps, {trainer.elapsed:.0f} s of training in all")
    ranks.wait_for_all()
    if ranks.is_first:
        (arguments.state / "done").touch()


if __name__ == "__main__":
    main()
