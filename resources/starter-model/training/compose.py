"""Composes training pictures from sprites and backdrops, batched, on the GPU (or the CPU).

Owns the pixels: tints, shadows, patterns, the pencil style and the 8 px grid of pixel art.  All
tensors of a batch have one shape; colours are RGB of 1; alpha is premultiplied.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

from palette import TINTS
from scene import BACKDROP_VARIANTS, MOST_OBJECTS, SHAPES
from vocabulary import SCENES, STYLES, Vocabulary

SPRITE_LEVELS_PX = (224, 150, 100, 64, 40, 26, 16)
PIXEL_CELL_PX = 8
PIXEL_SHADES = 7
LUMA = (0.3, 0.59, 0.11)
PIXEL_STYLE, SKETCH_STYLE = STYLES.index("pixel"), STYLES.index("sketch")
TINTED_BRIGHTNESS = 0.62  # a tinted object's mean brightness, before its shading takes the colour
HATCH_PX = 7  # distance of a pencil's strokes
# What the light of a scene does to an object's colours, so that it looks part of it.
AMBIENT = {
    "night": (0.80, 0.83, 0.95), "sunset": (1.0, 0.86, 0.78), "sea": (0.82, 0.94, 1.0),
    "rain": (0.86, 0.89, 0.94), "space": (0.88, 0.88, 0.98), "forest": (0.95, 1.0, 0.94),
}  # fmt: skip
SOLID, GRADIENT, STRIPES, DOTS, CHECKS, BACKDROP = range(6)  # first number of a background code


def _luma(rgb: torch.Tensor) -> torch.Tensor:
    weights = torch.tensor(LUMA, device=rgb.device).view(1, 3, 1, 1)
    return (rgb * weights).sum(1, keepdim=True)


def _decode(data: bytes, mode: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert(mode))


class Sprites:
    """All sprites as uint8 [n, 4, side, side] (premultiplied RGBA) at several sizes."""

    def __init__(self, pack: Path, vocabulary: Vocabulary, device: str, threads: int) -> None:
        blob = (pack / "sprites.bin").read_bytes()
        index_of = {concept.key: concept.index for concept in vocabulary.concepts}
        entries = [e for e in json.loads((pack / "sprites.json").read_text()) if e[0] in index_of]
        with ThreadPoolExecutor(threads) as pool:
            decoded = list(pool.map(lambda e: _decode(blob[e[2] : e[2] + e[3]], "RGBA"), entries))
        full = torch.from_numpy(np.stack(decoded)).to(device).permute(0, 3, 1, 2).contiguous()
        self.table = torch.full((len(vocabulary.concepts), len(STYLES)), -1, device=device)
        for row, (key, style, *_) in enumerate(entries):
            self.table[index_of[key], STYLES.index(style)] = row
        flat = self.table[:, STYLES.index("flat")]
        self.table[:, PIXEL_STYLE] = flat
        sketches = torch.cat([_pencil(full[rows]) for rows in flat.split(128)])
        self.table[:, SKETCH_STYLE] = torch.arange(len(flat), device=device) + len(full)
        full = torch.cat([torch.cat([_premultiplied(p) for p in full.split(256)]), sketches])
        self.levels = [full]
        for side in SPRITE_LEVELS_PX[1:]:
            smaller = [F.interpolate(p.float(), (side, side), mode="area") for p in full.split(256)]
            self.levels.append(torch.cat([p.round().byte() for p in smaller]))


def _premultiplied(rgba: torch.Tensor) -> torch.Tensor:
    values = rgba.float() / 255
    return (torch.cat([values[:, :3] * values[:, 3:], values[:, 3:]], 1) * 255).round().byte()


def _hatching(tone: torch.Tensor) -> torch.Tensor:
    """Pencil strokes of 0 to 1, denser where ``tone`` ([n, 1, s, s], 1 for black) is darker."""
    side = tone.shape[-1]
    y = torch.arange(side, device=tone.device, dtype=torch.float32).view(1, 1, side, 1)
    x = torch.arange(side, device=tone.device, dtype=torch.float32).view(1, 1, 1, side)
    wander = 1.6 * torch.sin(x / 23 + y / 31) + 1.2 * torch.sin(x / 11 - y / 17)
    strokes = []
    for along, threshold in (((x + y) * 0.7071, 0.12), ((x - y) * 0.7071, 0.45)):
        wave = 0.5 + 0.5 * torch.cos((along + wander) * 2 * torch.pi / HATCH_PX)
        weight = ((tone - threshold) * 2.2).clamp(0, 0.85)
        strokes.append(((wave - 0.62) * 4).clamp(0, 1) * weight)
    return torch.maximum(*strokes)


def _pencil(rgba: torch.Tensor) -> torch.Tensor:
    """A pencil drawing of flat sprites: lines where brightness changes, hatched by darkness."""
    values = rgba.float() / 255
    alpha, brightness = values[:, 3:], _luma(values[:, :3])
    ground = brightness * alpha + (1 - alpha) * 1.3
    ground = F.avg_pool2d(F.pad(ground, (1, 1, 1, 1), value=1.3), 3, 1)
    dx = F.pad(ground[..., 2:] - ground[..., :-2], (1, 1))
    dy = F.pad(ground[..., 2:, :] - ground[..., :-2, :], (0, 0, 1, 1))
    edge = (dx**2 + dy**2).sqrt()
    line = (F.max_pool2d(edge, 3, 1, 1) * 3.2 - 0.12).clamp(0, 1)
    ink = torch.maximum(line * 0.85, _hatching(1 - brightness) * 0.72)
    shade = 0.97 - 0.80 * ink
    cover = torch.maximum(alpha, line)
    return (torch.cat([shade.expand(-1, 3, -1, -1) * cover, cover], 1) * 255).round().byte()


class Composer:
    """Turns the arrays of draw_scenes.py into pictures."""

    def __init__(self, pack: Path, vocabulary: Vocabulary, device: str, threads: int = 8) -> None:
        self.device = device
        self.sprites = Sprites(pack, vocabulary, device, threads)
        self.tints = torch.tensor([tint.rgb for tint in TINTS], device=device) / 255
        blob = (pack / "backdrops.bin").read_bytes()
        index = json.loads((pack / "backdrops.json").read_text())
        with ThreadPoolExecutor(threads) as pool:
            decoded = list(pool.map(lambda e: _decode(blob[e[0] : e[0] + e[1]], "RGB"), index))
        per_shape = len(SCENES) * BACKDROP_VARIANTS
        self.backdrops = [
            torch.from_numpy(np.stack(decoded[s * per_shape : (s + 1) * per_shape]))
            .permute(0, 3, 1, 2)
            .contiguous()
            .to(device)
            for s in range(len(SHAPES))
        ]

    @torch.no_grad()
    def compose(self, rows: Mapping[str, np.ndarray], shape: int) -> torch.Tensor:
        """[n, 3, height, width] pictures of 0 to 1; all rows must have this shape."""
        tensors = {
            name: torch.as_tensor(rows[name], device=self.device)
            for name in ("concept", "place", "tint", "style", "ground", "background")
        }
        width, height = SHAPES[shape]
        picture = self._background(tensors["background"].float(), shape)
        is_pixel = tensors["style"].long() == PIXEL_STYLE
        fine = (~is_pixel).nonzero().flatten()
        picture[fine] = self._with_objects(picture[fine], _only(tensors, fine), hard_edges=False)
        coarse = is_pixel.nonzero().flatten()
        if len(coarse):
            cells = F.avg_pool2d(picture[coarse], PIXEL_CELL_PX)
            cells = self._with_objects(cells, _only(tensors, coarse), hard_edges=True)
            picture[coarse] = F.interpolate(cells, (height, width), mode="nearest")
        return picture.clamp(0, 1)

    def _background(self, code: torch.Tensor, shape: int) -> torch.Tensor:
        width, height = SHAPES[shape]
        count = len(code)
        kind = code[:, 0].long()
        first, second = code[:, 1:4, None, None], code[:, 4:7, None, None]
        y = ((torch.arange(height, device=self.device) + 0.5) / height).view(1, 1, height, 1)
        x = ((torch.arange(width, device=self.device) + 0.5) / width).view(1, 1, 1, width)
        diagonal = code[:, 7].view(count, 1, 1, 1) > 0.5
        share = torch.where(diagonal, (x + y) / 2, y.expand(1, 1, height, width))
        share = share * (kind == GRADIENT).view(count, 1, 1, 1)
        picture = first * (1 - share) + second * share
        short = min(width, height)
        across, down = x * width / short, y * height / short
        for pattern in (STRIPES, DOTS, CHECKS):
            rows = (kind == pattern).nonzero().flatten()
            if len(rows):
                cover = _pattern_cover(pattern, across, down, short)
                picture[rows] = first[rows] * cover + second[rows] * (1 - cover)
        rows = (kind == BACKDROP).nonzero().flatten()
        if len(rows):
            scenes = self.backdrops[shape][code[rows, 1].long()].float() / 255
            mirrored = code[rows, 2] > 0.5
            scenes[mirrored] = scenes[mirrored].flip(-1)
            picture[rows] = scenes
        return picture

    def _with_objects(
        self, picture: torch.Tensor, rows: dict[str, torch.Tensor], hard_edges: bool
    ) -> torch.Tensor:
        """The picture (at any resolution) with shadows and objects drawn on it, in order."""
        height, width = picture.shape[-2:]
        short = min(height, width)
        ambient = self._ambient(rows["background"])
        y = ((torch.arange(height, device=self.device) + 0.5) / short).view(1, 1, height, 1)
        x = ((torch.arange(width, device=self.device) + 0.5) / short).view(1, 1, 1, width)
        sprite = self.sprites.table[
            rows["concept"].long().clamp(min=0), rows["style"].long()[:, None]
        ]
        size = rows["place"][..., 2].float()
        centre_x = rows["place"][..., 0].float() * width / short
        centre_y = rows["place"][..., 1].float() * height / short
        for i in range(MOST_OBJECTS):
            there = rows["concept"][:, i] >= 0
            if not there.any():
                break
            on_ground = (there & rows["ground"].bool()).nonzero().flatten()
            if len(on_ground):
                cx, cy, s = (v[on_ground, i].view(-1, 1, 1, 1) for v in (centre_x, centre_y, size))
                away = ((x - cx) / (0.40 * s)) ** 2 + ((y - cy - 0.475 * s) / (0.065 * s)) ** 2
                picture[on_ground] *= 1 - 0.34 * (1.25 - away).clamp(0, 1)
            for level, chosen in _by_level(there, size[:, i] * short):
                at = (centre_x[chosen, i] * short / width, centre_y[chosen, i] * short / height)
                scale = (size[chosen, i] * short / width, size[chosen, i] * short / height)
                layer = _placed(
                    self.sprites.levels[level][sprite[chosen, i]], at, scale, height, width
                )
                layer = self._tinted(layer, rows["tint"][chosen, i].long())
                layer[:, :3] *= ambient[chosen]
                if hard_edges:
                    layer = _with_hard_edges(layer)
                picture[chosen] = picture[chosen] * (1 - layer[:, 3:]) + layer[:, :3]
        return picture

    def _ambient(self, code: torch.Tensor) -> torch.Tensor:
        """[n, 3, 1, 1]: what the light of each row's scene does to colours; 1 without a scene."""
        light = [AMBIENT.get(scene, (1.0, 1.0, 1.0)) for scene in SCENES]
        table = torch.tensor(light, device=self.device)
        scene = code[:, 1].long().clamp(min=0, max=len(SCENES) * BACKDROP_VARIANTS - 1)
        factors = table[scene // BACKDROP_VARIANTS]
        is_scene = (code[:, 0].long() == BACKDROP)[:, None]
        return torch.where(is_scene, factors, torch.ones_like(factors)).view(-1, 3, 1, 1)

    def _tinted(self, layer: torch.Tensor, tint: torch.Tensor) -> torch.Tensor:
        """Objects with a tint keep their shading and take its colour.

        Brightness is first brought to the same mean for all objects, so that a brown horse can be
        yellow; what is dark on an object (eyes, a nose) stays dark, what is pale stays pale.
        """
        rows = (tint >= 0).nonzero().flatten()
        if len(rows):
            alpha = layer[rows, 3:]
            brightness = (_luma(layer[rows, :3]) / alpha.clamp(min=1e-3)).clamp(0, 1)
            mean = (brightness * alpha).sum((1, 2, 3)) / alpha.sum((1, 2, 3)).clamp(min=1e-3)
            power = np.log(TINTED_BRIGHTNESS) / mean.clamp(0.05, 0.95).log()
            b = brightness.clamp(min=1e-3) ** power.clamp(0.4, 2.0).view(-1, 1, 1, 1)
            shade = torch.minimum(0.36 + 0.86 * b, 0.04 + 2.1 * b)
            pale = 0.55 * ((b - 0.72) / 0.28).clamp(0, 1)
            colour = (self.tints[tint[rows]].view(-1, 3, 1, 1) * shade).clamp(0, 1)
            layer[rows, :3] = (colour + (1 - colour) * pale) * alpha
        return layer


def _only(tensors: dict[str, torch.Tensor], rows: torch.Tensor) -> dict[str, torch.Tensor]:
    return {name: tensor[rows] for name, tensor in tensors.items()}


def _by_level(there: torch.Tensor, size_px: torch.Tensor) -> list[tuple[int, torch.Tensor]]:
    """(level, rows) so that a sprite is never sampled from more than about 1.5 times its size."""
    result = []
    upper = float("inf")
    for level, lower in enumerate((*SPRITE_LEVELS_PX[1:], 0)):
        rows = (there & (size_px > lower) & (size_px <= upper)).nonzero().flatten()
        if len(rows):
            result.append((level, rows))
        upper = lower
    return result


def _placed(
    sprites: torch.Tensor,
    at: tuple[torch.Tensor, torch.Tensor],
    scale: tuple[torch.Tensor, torch.Tensor],
    height: int,
    width: int,
) -> torch.Tensor:
    """[n, 4, height, width]: sprites with centre ``at`` and size ``scale``, in fractions."""
    count = len(sprites)
    transform = torch.zeros(count, 2, 3, device=sprites.device)
    for axis in range(2):
        transform[:, axis, axis] = 1 / scale[axis]
        transform[:, axis, 2] = -(at[axis] * 2 - 1) / scale[axis]
    grid = F.affine_grid(transform, [count, 4, height, width], align_corners=False)
    values = sprites.float() / 255
    return F.grid_sample(values, grid, padding_mode="zeros", align_corners=False)


def _with_hard_edges(layer: torch.Tensor) -> torch.Tensor:
    """Pixel art: a cell is either covered or not, in few shades."""
    alpha = layer[:, 3:]
    covered = (alpha > 0.45).float()
    colour = (layer[:, :3] / alpha.clamp(min=1e-3)).clamp(0, 1)
    colour = (colour * PIXEL_SHADES).round() / PIXEL_SHADES
    return torch.cat([colour * covered, covered], 1)


def _pattern_cover(pattern: int, x: torch.Tensor, y: torch.Tensor, short_px: int) -> torch.Tensor:
    """[1, 1, height, width]: 1 where the first colour shows; x and y in short sides."""
    if pattern == STRIPES:
        distance = (((x + y) * 8) % 1 - 0.5).abs()
        return ((distance - 0.25) * short_px / 8 / 1.4 + 0.5).clamp(0, 1)
    if pattern == DOTS:
        distance = (((x * 6) % 1 - 0.5) ** 2 + ((y * 6) % 1 - 0.5) ** 2).sqrt()
        return ((0.27 - distance) * short_px / 6 + 0.5).clamp(0, 1)
    return ((x * 6).floor() + (y * 6).floor()) % 2
