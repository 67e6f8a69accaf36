"""The decoder of FLUX.2's variational autoencoder: clean latent -> picture.

A residual convolutional decoder (Esser et al. 2021) behind a fixed normalization of its packed
latent. Facts as in diffusers' `AutoencoderKLFlux2` and `ErnieImagePipeline`. The encoder is not
needed to draw and never loaded. Separate from the pipeline because it alone works on pixels, and
because it needs the most memory of all networks: maps are given up as soon as they are used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import ops
from engine.networks.config_fields import MAX_LAYERS, ConfigFields
from engine.ops import Checkpoint, FeatureMap, Tensor

UNUSED = ("encoder.", "quant_conv.", "bn.num_batches_tracked")
"""Names, or their beginnings, of tensors in the file that the decoder does without."""

_NORM_EPS = 1e-6
"""Of every group norm; fixed in the reference, not configured."""

_LATENT_EPS = 1e-5
"""The pipeline undoes the latent's normalization with this value, whatever `batch_norm_eps` says:
it is the value of training, and released configurations disagree (diffusers notes so too)."""

_ENCODER_ONLY = (
    "in_channels",
    "down_block_types",
    "use_quant_conv",
    "batch_norm_eps",
    "batch_norm_momentum",
    "sample_size",
    "force_upcast",
)
"""Keys without effect on the decoder in float32."""

_PIECES = 64
"""Steps in which progress is reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VaeConfig:
    """The sizes in `vae/config.json`, under its own names; `channels` from the picture inwards."""

    channels: tuple[int, ...]
    latent_channels: int
    out_channels: int
    layers_per_block: int
    norm_num_groups: int
    mid_block_add_attention: bool
    use_post_quant_conv: bool

    @classmethod
    def from_json(cls, config: Mapping[str, Any], file: str = "vae/config.json") -> VaeConfig:
        """Raises `EngineFault` MODEL_UNSUPPORTED naming the first key that cannot be honoured."""
        fields = ConfigFields(config, file)
        fields.require("_class_name", {"AutoencoderKLFlux2"})
        own = set(cls.__dataclass_fields__) - {"channels"}
        channel_keys = {"block_out_channels", "decoder_block_out_channels"}
        fields.only(own | channel_keys | {*_ENCODER_ONLY, "act_fn", "up_block_types", "patch_size"})
        fields.require("act_fn", {"silu"})
        if fields.integers("patch_size", (2, 2)) != (2, 2):
            fields.refuse("patch_size")
        key = "block_out_channels"
        if fields.has("decoder_block_out_channels"):
            key = "decoder_block_out_channels"
        channels = fields.integers(key)
        groups = fields.integer("norm_num_groups")
        if any(count % groups for count in channels):
            fields.refuse("norm_num_groups")
        fields.require("up_block_types", [["UpDecoderBlock2D"] * len(channels)])
        return cls(
            channels=channels,
            latent_channels=fields.integer("latent_channels"),
            out_channels=fields.integer("out_channels", 3),
            layers_per_block=fields.integer("layers_per_block", most=MAX_LAYERS),
            norm_num_groups=groups,
            mid_block_add_attention=fields.flag("mid_block_add_attention", True),
            use_post_quant_conv=fields.flag("use_post_quant_conv", True),
        )

    @property
    def packed_channels(self) -> int:
        """Channels of the latent that the transformer makes: 2x2 pixels in one."""
        return 4 * self.latent_channels

    @property
    def scale(self) -> int:
        """Picture pixels per pixel of the packed latent, in each direction."""
        return 2 ** len(self.channels)


def expected_tensors(config: VaeConfig) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every tensor that the decoder reads, as diffusers names it."""
    latent, deepest, widest = config.latent_channels, config.channels[-1], config.channels[0]
    shapes: dict[str, tuple[int, ...]] = {
        "bn.running_mean": (config.packed_channels,),
        "bn.running_var": (config.packed_channels,),
        "decoder.conv_norm_out.weight": (widest,),
        "decoder.conv_norm_out.bias": (widest,),
    }

    def convolution(name: str, out: int, into: int, size: int = 3) -> None:
        shapes[f"{name}.weight"] = (out, into, size, size)
        shapes[f"{name}.bias"] = (out,)

    def residual(name: str, out: int, into: int) -> None:
        for norm, channels in (("norm1", into), ("norm2", out)):
            shapes[f"{name}.{norm}.weight"] = (channels,)
            shapes[f"{name}.{norm}.bias"] = (channels,)
        convolution(f"{name}.conv1", out, into)
        convolution(f"{name}.conv2", out, out)
        if out != into:
            convolution(f"{name}.conv_shortcut", out, into, 1)

    if config.use_post_quant_conv:
        convolution("post_quant_conv", latent, latent, 1)
    convolution("decoder.conv_in", deepest, latent)
    convolution("decoder.conv_out", config.out_channels, widest)
    for name, out, into in _residual_blocks(config):
        residual(name, out, into)
    if config.mid_block_add_attention:
        name = "decoder.mid_block.attentions.0"
        for vector in ("group_norm.weight", "group_norm.bias"):
            shapes[f"{name}.{vector}"] = (deepest,)
        for matrix in ("to_q", "to_k", "to_v", "to_out.0"):
            shapes[f"{name}.{matrix}.weight"] = (deepest, deepest)
            shapes[f"{name}.{matrix}.bias"] = (deepest,)
    for level, channels in enumerate(reversed(config.channels[1:])):
        convolution(f"decoder.up_blocks.{level}.upsamplers.0.conv", channels, channels)
    return shapes


def _residual_blocks(config: VaeConfig) -> Iterator[tuple[str, int, int]]:
    """Name, channels out, channels in of every residual block, in the order of computation."""
    deepest = config.channels[-1]
    for i in range(2):
        yield f"decoder.mid_block.resnets.{i}", deepest, deepest
    into = deepest
    for level, out in enumerate(reversed(config.channels)):
        for i in range(config.layers_per_block + 1):
            yield f"decoder.up_blocks.{level}.resnets.{i}", out, into
            into = out


class VaeDecoder:
    """A configuration and its weights, in compute dtype on the device, under diffusers' names."""

    def __init__(self, config: VaeConfig, weights: Mapping[str, Tensor]) -> None:
        self.config = config
        self._weights = weights
        self._dtype = ops.dtype_of(weights["decoder.conv_in.bias"])

    def __call__(
        self,
        latent: Tensor,
        rows: int | None,
        checkpoint: Checkpoint,
        on_piece: Callable[[int, int], None] | None,
    ) -> Tensor:
        """The picture [1, 3, 16h, 16w], about -1 .. 1, of a normalized packed latent [1, C, h, w].

        `rows` bounds the working memory: so many picture rows at a time, 0 for all of them, None
        for what suits the device; the picture is the same. `on_piece(i, n)` is told as i of n
        equal parts of the work are done.
        """
        config = self.config
        work = _Work(config, latent.shape[2] * latent.shape[3], on_piece)
        max_rows = rows and max(1, rows * 2 // config.scale)
        x = self._denormalized(ops.cast_to(latent, self._dtype))
        x = ops.unpacked(x, max_rows, widest=config.channels[-1])
        if config.use_post_quant_conv:
            x = ops.conv1x1(x, *self._parameters("post_quant_conv"))
        x = ops.conv2d(x, *self._parameters("decoder.conv_in"), checkpoint)
        x = self._residual("decoder.mid_block.resnets.0", x, checkpoint, work)
        if config.mid_block_add_attention:
            x = self._attention("decoder.mid_block.attentions.0", x, checkpoint)
        x = self._residual("decoder.mid_block.resnets.1", x, checkpoint, work)
        for level in range(len(config.channels)):
            block = f"decoder.up_blocks.{level}"
            for i in range(config.layers_per_block + 1):
                x = self._residual(f"{block}.resnets.{i}", x, checkpoint, work)
            if level + 1 < len(config.channels):
                upsampler = self._parameters(f"{block}.upsamplers.0.conv")
                x = ops.upsample_conv2d(x, *upsampler, checkpoint)
                work.done(x)
        norm = self._norm("decoder.conv_norm_out", x, checkpoint)
        x = ops.conv2d(x, *self._parameters("decoder.conv_out"), checkpoint, norm)
        work.finish()
        return ops.image(x)

    def _denormalized(self, latent: Tensor) -> Tensor:
        """Batch norm of the encoder's latent, undone."""
        variance = ops.to_numpy(self._weights["bn.running_var"])
        deviation = np.sqrt(variance + np.float32(_LATENT_EPS))
        mean = ops.cast_to(self._weights["bn.running_mean"], self._dtype)
        return ops.scale_shift_channels(latent, ops.from_numpy(deviation, self._dtype), mean)

    def _parameters(self, name: str) -> tuple[Tensor, Tensor]:
        return self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]

    def _norm(self, name: str, x: FeatureMap, checkpoint: Checkpoint) -> ops.ChannelNorm:
        groups = self.config.norm_num_groups
        return ops.group_norm(x, groups, *self._parameters(name), _NORM_EPS, checkpoint)

    def _residual(
        self, name: str, x: FeatureMap, checkpoint: Checkpoint, work: _Work
    ) -> FeatureMap:
        """`shortcut(x) + conv2(silu(norm2(conv1(silu(norm1(x))))))`; `x` is given up."""
        norm = self._norm(f"{name}.norm1", x, checkpoint)
        conv1 = self._parameters(f"{name}.conv1")
        if conv1[0].shape[0] == x.channels:
            shortcut = x
            h = ops.conv2d(x, *conv1, checkpoint, norm, keep=True)
        else:
            projection = self._parameters(f"{name}.conv_shortcut")
            h, shortcut = ops.conv2d_and_shortcut(x, *conv1, *projection, checkpoint, norm)
        work.done(h)
        norm = self._norm(f"{name}.norm2", h, checkpoint)
        h = ops.conv2d(h, *self._parameters(f"{name}.conv2"), checkpoint, norm, shortcut)
        work.done(h)
        return h

    def _attention(self, name: str, x: FeatureMap, checkpoint: Checkpoint) -> FeatureMap:
        """`x + attention(norm(x))` among all pixels, one head."""
        pixels = ops.tokens(x, self._norm(f"{name}.group_norm", x, checkpoint))
        width = pixels.shape[1]
        projected = []
        for which in ("to_q", "to_k", "to_v"):
            projected.append(ops.linear(pixels, *self._parameters(f"{name}.{which}")))
            checkpoint()
        query, key, value = (ops.split_heads(part, 1) for part in projected)
        query = ops.scale_(query, 1 / math.sqrt(width))
        mixed = ops.attention(query, ops.attention_memory([key], [value]), checkpoint)
        return ops.add_tokens_(x, ops.linear(mixed, *self._parameters(f"{name}.to_out.0")))


class _Work:
    """Counts the decode's work in the pixels of its convolutions' results, to report progress."""

    def __init__(
        self, config: VaeConfig, latent_pixels: int, on_piece: Callable[[int, int], None] | None
    ) -> None:
        self._on_piece = on_piece
        self._reported = 0
        self._finished = 0
        self._total = 0
        pixels = 4 * latent_pixels
        deepest = config.channels[-1]
        self._total += 4 * deepest * pixels
        for level, channels in enumerate(reversed(config.channels)):
            self._total += 2 * (config.layers_per_block + 1) * channels * pixels
            if level + 1 < len(config.channels):
                pixels *= 4
                self._total += channels * pixels

    def done(self, result: FeatureMap) -> None:
        self._finished += result.channels * result.height * result.width
        self._report(self._finished * (_PIECES - 1) // self._total)

    def finish(self) -> None:
        self._report(_PIECES)

    def _report(self, piece: int) -> None:
        if self._on_piece is not None and piece > self._reported:
            self._on_piece(piece, _PIECES)
        self._reported = max(self._reported, piece)
