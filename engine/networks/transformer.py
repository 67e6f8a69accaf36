"""ERNIE-Image's diffusion transformer: noisy latent, timestep and text states -> velocity.

A single-stream DiT (Peebles and Xie 2023): image tokens followed by text tokens go through the same
layers; one AdaLN modulation, shared by all layers, carries the timestep. Facts as in diffusers'
`ErnieImageTransformer2DModel` and Baidu's published configuration. Separate from its weights'
origin and from sampling: it computes predictions for one picture, one for each text.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import ops
from engine.networks.config_fields import MAX_LAYERS, ConfigFields
from engine.ops import Checkpoint, Tensor

_LORA = ("lora_rank", "use_lora")
"""Keys of the Turbo checkpoint; without effect while `use_lora` is false."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerConfig:
    """The sizes in `transformer/config.json`, under its own names."""

    hidden_size: int
    num_attention_heads: int
    num_layers: int
    ffn_hidden_size: int
    in_channels: int
    out_channels: int
    text_in_dim: int
    rope_theta: float
    rope_axes_dim: tuple[int, int, int]
    eps: float

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @classmethod
    def from_json(
        cls, config: Mapping[str, Any], file: str = "transformer/config.json"
    ) -> TransformerConfig:
        """Raises `EngineFault` MODEL_UNSUPPORTED naming the first key that cannot be honoured."""
        fields = ConfigFields(config, file)
        fields.require("_class_name", {"ErnieImageTransformer2DModel"})
        fields.only({*cls.__dataclass_fields__, "patch_size", "qk_layernorm", *_LORA})
        fields.require("patch_size", {1})
        fields.require("qk_layernorm", {True})
        fields.require("use_lora", {False})
        head_dim = fields.integer("hidden_size") // fields.integer("num_attention_heads")
        axes = fields.integers("rope_axes_dim")
        if len(axes) != 3 or any(axis % 2 for axis in axes) or sum(axes) != head_dim:
            fields.refuse("rope_axes_dim")
        parsed = cls(
            hidden_size=fields.integer("hidden_size"),
            num_attention_heads=fields.integer("num_attention_heads"),
            num_layers=fields.integer("num_layers", most=MAX_LAYERS),
            ffn_hidden_size=fields.integer("ffn_hidden_size"),
            in_channels=fields.integer("in_channels"),
            out_channels=fields.integer("out_channels"),
            text_in_dim=fields.integer("text_in_dim"),
            rope_theta=fields.number("rope_theta", least=1.0),
            rope_axes_dim=(axes[0], axes[1], axes[2]),
            eps=fields.number("eps", 1e-6),
        )
        if parsed.hidden_size % parsed.num_attention_heads:
            fields.refuse("num_attention_heads")
        if parsed.eps > ops.MAX_LAYER_NORM_EPS:
            fields.refuse("eps")
        return parsed


def expected_tensors(config: TransformerConfig) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every tensor in such a checkpoint, as diffusers names it."""
    width, inner = config.hidden_size, config.ffn_hidden_size
    shapes: dict[str, tuple[int, ...]] = {
        "x_embedder.proj.weight": (width, config.in_channels, 1, 1),
        "x_embedder.proj.bias": (width,),
        "time_embedding.linear_1.weight": (width, width),
        "time_embedding.linear_1.bias": (width,),
        "time_embedding.linear_2.weight": (width, width),
        "time_embedding.linear_2.bias": (width,),
        "adaLN_modulation.1.weight": (6 * width, width),
        "adaLN_modulation.1.bias": (6 * width,),
        "final_norm.linear.weight": (2 * width, width),
        "final_norm.linear.bias": (2 * width,),
        "final_linear.weight": (config.out_channels, width),
        "final_linear.bias": (config.out_channels,),
    }
    if config.text_in_dim != width:
        shapes["text_proj.weight"] = (width, config.text_in_dim)
    for layer in range(config.num_layers):
        name = f"layers.{layer}"
        shapes[f"{name}.adaLN_sa_ln.weight"] = (width,)
        shapes[f"{name}.adaLN_mlp_ln.weight"] = (width,)
        for matrix in ("to_q", "to_k", "to_v", "to_out.0"):
            shapes[f"{name}.self_attention.{matrix}.weight"] = (width, width)
        shapes[f"{name}.self_attention.norm_q.weight"] = (config.head_dim,)
        shapes[f"{name}.self_attention.norm_k.weight"] = (config.head_dim,)
        shapes[f"{name}.mlp.gate_proj.weight"] = (inner, width)
        shapes[f"{name}.mlp.up_proj.weight"] = (inner, width)
        shapes[f"{name}.mlp.linear_fc2.weight"] = (width, inner)
    return shapes


@dataclass(frozen=True, slots=True)
class Segment:
    """The tokens of one text's sequence within a block, rows `start` .. `stop` of the block.

    `first` is the place of its first token in the sequence `text`.
    """

    text: int
    start: int
    stop: int
    first: int
    query_table: ops.RotaryTable
    key_table: ops.RotaryTable


@dataclass(frozen=True, slots=True)
class TokenBlock:
    """Tokens `start` .. `stop` of all sequences, laid one after another."""

    start: int
    stop: int
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Positions:
    """Where the tokens of one picture shape and these texts stand; made once per picture.

    Each text has a sequence of its own: the image's tokens, then the text's.
    """

    height: int
    width: int
    text_lengths: tuple[int, ...]
    blocks: tuple[TokenBlock, ...]


@dataclass(frozen=True, slots=True)
class _Modulation:
    """The timestep's effect on every layer, [H] each; scales have their 1 added already."""

    attention_shift: Tensor
    attention_scale: Tensor
    attention_gate: Tensor
    mlp_shift: Tensor
    mlp_scale: Tensor
    mlp_gate: Tensor
    final_scale: Tensor
    final_shift: Tensor


class Transformer:
    """A configuration and its weights, in compute dtype on the device, under diffusers' names.

    Weights are looked up when they are used, so `weights` may widen or move them just in time.
    """

    def __init__(self, config: TransformerConfig, weights: Mapping[str, Tensor]) -> None:
        self.config = config
        self._weights = weights
        self._dtype = ops.dtype_of(weights["x_embedder.proj.bias"])

    def positions(self, height: int, width: int, text_lengths: Sequence[int]) -> Positions:
        """The rotary tables for a latent of `height` x `width` and texts of so many tokens each."""
        config = self.config
        angles = [
            _rotary_angles(height, width, length, config.rope_axes_dim, config.rope_theta)
            for length in text_lengths
        ]
        edges = [0, *itertools.accumulate(len(sequence) for sequence in angles)]
        widest = config.hidden_size * max(config.ffn_hidden_size, config.hidden_size)
        blocks = []
        for start, stop in ops.token_blocks(edges[-1], widest):
            segments = []
            for text, (begin, end) in enumerate(itertools.pairwise(edges)):
                first, last = max(start, begin), min(stop, end)
                if first < last:
                    tables = self._tables(angles[text][first - begin : last - begin])
                    segment = Segment(text, first - start, last - start, first - begin, *tables)
                    segments.append(segment)
            blocks.append(TokenBlock(start, stop, tuple(segments)))
        return Positions(height, width, tuple(text_lengths), tuple(blocks))

    def _tables(self, angles: np.ndarray) -> tuple[ops.RotaryTable, ops.RotaryTable]:
        """For queries and for keys; the queries' holds 1/sqrt(D)."""
        scale = 1 / math.sqrt(self.config.head_dim)
        return (
            ops.rotary_table(angles, self._dtype, scale),
            ops.rotary_table(angles, self._dtype),
        )

    def __call__(
        self,
        latent: Tensor,
        timestep: float,
        texts: Sequence[Tensor],
        positions: Positions,
        checkpoint: Checkpoint,
    ) -> list[Tensor]:
        """The velocity [1, C_out, h, w] under each text at `latent` [1, C_in, h, w].

        `timestep` is 0 .. 1000 (1000 * sigma, not rounded); `texts` [T, text_in_dim] are the text
        encoder's states; `positions` must be made for this h, w and these T. In compute dtype.

        All sequences go through each matrix together, which reads the weights once; only attention
        keeps them apart, so there is no padding and no mask.
        """
        shape = (1, self.config.in_channels, positions.height, positions.width)
        lengths = tuple(text.shape[0] for text in texts)
        if tuple(latent.shape) != shape or lengths != positions.text_lengths:
            raise ValueError(
                f"positions are for {shape} and texts of {positions.text_lengths} tokens"
            )
        modulation = self._modulation(timestep)
        tokens = self._embed(
            ops.cast_to(latent, self._dtype), [ops.cast_to(text, self._dtype) for text in texts]
        )
        x = [ops.rows(tokens, block.start, block.stop) for block in positions.blocks]
        del tokens
        checkpoint()
        for layer in range(self.config.num_layers):
            x = self._layer(f"layers.{layer}", x, modulation, positions, checkpoint)
        return self._velocities(x, modulation, positions)

    def _embed(self, latent: Tensor, texts: Sequence[Tensor]) -> Tensor:
        """Image tokens row by row, then text tokens, text by text: [sum(h*w + T), H]."""
        channels = self.config.in_channels
        pixels = ops.transpose(ops.reshape(latent, [channels, -1]), [1, 0])
        weight = ops.reshape(self._weights["x_embedder.proj.weight"], [-1, channels])
        image = ops.linear(pixels, weight, self._weights["x_embedder.proj.bias"])
        if self.config.text_in_dim != self.config.hidden_size:
            texts = [ops.linear(text, self._weights["text_proj.weight"]) for text in texts]
        return ops.concat([part for text in texts for part in (image, text)], axis=0)

    def _modulation(self, timestep: float) -> _Modulation:
        """AdaLN's shifts, scales and gates, in float32 whatever the compute dtype."""
        wave = _timestep_embedding(timestep, self.config.hidden_size)[None]
        c = self._wide_linear(ops.from_numpy(wave), "time_embedding.linear_1")
        c = self._wide_linear(ops.silu(c), "time_embedding.linear_2")
        shared = self._wide_linear(ops.silu(c), "adaLN_modulation.1")
        parts = ops.split(ops.reshape(shared, [-1]), 6, axis=0)
        # The final norm has scale before shift, and no SiLU before its linear layer.
        final_scale, final_shift = ops.split(
            ops.reshape(self._wide_linear(c, "final_norm.linear"), [-1]), 2, axis=0
        )
        return _Modulation(
            attention_shift=parts[0],
            attention_scale=ops.add_one(parts[1]),
            attention_gate=ops.cast_to(parts[2], self._dtype),
            mlp_shift=parts[3],
            mlp_scale=ops.add_one(parts[4]),
            mlp_gate=ops.cast_to(parts[5], self._dtype),
            final_scale=ops.cast_to(ops.add_one(final_scale), self._dtype),
            final_shift=ops.cast_to(final_shift, self._dtype),
        )

    def _wide_linear(self, x: Tensor, name: str) -> Tensor:
        weight = ops.cast_to(self._weights[f"{name}.weight"], "float32")
        return ops.linear(x, weight, ops.cast_to(self._weights[f"{name}.bias"], "float32"))

    def _layer(
        self,
        name: str,
        x: list[Tensor],
        modulation: _Modulation,
        positions: Positions,
        checkpoint: Checkpoint,
    ) -> list[Tensor]:
        """`x + gate * attention(norm(x))`, then `x + gate * mlp(norm(x))`, block by block."""
        weights, heads = self._weights, self.config.num_attention_heads
        attention_norm = self._folded_norm(name, "adaLN_sa_ln", modulation.attention_scale)
        attention_shift = ops.cast_to(modulation.attention_shift, self._dtype)
        queries: list[list[Tensor]] = [[] for _ in positions.blocks]
        keys: list[list[Tensor]] = [[] for _ in positions.text_lengths]
        values: list[list[Tensor]] = [[] for _ in positions.text_lengths]
        for i, block in enumerate(positions.blocks):
            y = ops.rms_norm(x[i], attention_norm, self.config.eps, attention_shift)
            query = ops.linear(y, weights[f"{name}.self_attention.to_q.weight"])
            for segment in block.segments:
                queries[i].append(self._heads(name, "q", query, segment, segment.query_table))
            checkpoint()
            key = ops.linear(y, weights[f"{name}.self_attention.to_k.weight"])
            for segment in block.segments:
                keys[segment.text].append(self._heads(name, "k", key, segment, segment.key_table))
            checkpoint()
            value = ops.linear(y, weights[f"{name}.self_attention.to_v.weight"])
            for segment in block.segments:
                part = ops.rows(value, segment.start, segment.stop)
                values[segment.text].append(ops.split_heads(part, heads))
            checkpoint()
        memories = [ops.attention_memory(*pair) for pair in zip(keys, values, strict=True)]
        del keys, values

        mlp_norm = self._folded_norm(name, "adaLN_mlp_ln", modulation.mlp_scale)
        mlp_shift = ops.cast_to(modulation.mlp_shift, self._dtype)
        for i, block in enumerate(positions.blocks):
            mixed = [
                ops.attention(query, memories[segment.text], checkpoint)
                for query, segment in zip(queries[i], block.segments, strict=True)
            ]
            y = ops.concat(mixed, axis=0)
            y = ops.linear(y, weights[f"{name}.self_attention.to_out.0.weight"])
            x[i] = ops.add_scaled_last_(x[i], modulation.attention_gate, y)
            checkpoint()
            y = ops.rms_norm(x[i], mlp_norm, self.config.eps, mlp_shift)
            gate = ops.linear(y, weights[f"{name}.mlp.gate_proj.weight"])
            checkpoint()
            y = ops.gelu_gated_(gate, ops.linear(y, weights[f"{name}.mlp.up_proj.weight"]))
            checkpoint()
            y = ops.linear(y, weights[f"{name}.mlp.linear_fc2.weight"])
            x[i] = ops.add_scaled_last_(x[i], modulation.mlp_gate, y)
            checkpoint()
        return x

    def _folded_norm(self, layer: str, norm: str, scale: Tensor) -> Tensor:
        """A norm's weight times (1 + scale): RMS(x) * w * (1 + scale) in one operation."""
        weight = ops.cast_to(self._weights[f"{layer}.{norm}.weight"], "float32")
        return ops.cast_to(ops.multiply(weight, scale), self._dtype)

    def _heads(
        self, layer: str, which: str, projected: Tensor, segment: Segment, table: ops.RotaryTable
    ) -> Tensor:
        """A segment's queries or keys [N, s, D]: normalized by head, rotated."""
        part = ops.rows(projected, segment.start, segment.stop)
        norm = self._weights[f"{layer}.self_attention.norm_{which}.weight"]
        heads = self.config.num_attention_heads
        return ops.rotated_heads(part, heads, table, norm, self.config.eps)

    def _velocities(
        self, x: list[Tensor], modulation: _Modulation, positions: Positions
    ) -> list[Tensor]:
        """Final norm and projection of the image tokens, back in the latent's shape."""
        image_tokens = positions.height * positions.width
        parts: list[list[Tensor]] = [[] for _ in positions.text_lengths]
        for x_block, block in zip(x, positions.blocks, strict=True):
            for segment in block.segments:
                stop = min(segment.stop, segment.start + image_tokens - segment.first)
                if stop <= segment.start:
                    continue
                image = ops.layer_norm(
                    ops.rows(x_block, segment.start, stop),
                    modulation.final_scale,
                    modulation.final_shift,
                    self.config.eps,
                )
                weight = self._weights["final_linear.weight"]
                velocity = ops.linear(image, weight, self._weights["final_linear.bias"])
                parts[segment.text].append(velocity)
        shape = [1, self.config.out_channels, positions.height, positions.width]
        return [
            ops.reshape(ops.transpose(ops.concat(part, axis=0), [1, 0]), shape) for part in parts
        ]


def _timestep_embedding(timestep: float, size: int) -> np.ndarray:
    """[sin | cos] of t * 10000^(-k / half), float32 [size] (Vaswani et al. 2017, as in DDPM).

    The exponent is formed in float32, like the reference's; the exponential is rounded once. One
    unit in the last place of a frequency, times t = 1000, would move the phase by 1e-4.
    """
    half = size // 2
    exponent = np.float32(-math.log(10000)) * np.arange(half, dtype=np.float32) / np.float32(half)
    frequency = np.exp(exponent.astype(np.float64)).astype(np.float32)
    phase = (np.float32(timestep) * frequency).astype(np.float64)
    wave = np.concatenate([np.sin(phase), np.cos(phase), np.zeros(size % 2)])
    return wave.astype(np.float32)


def _rotary_angles(
    height: int, width: int, text_length: int, axes: tuple[int, int, int], theta: float
) -> np.ndarray:
    """Angles [h*w + T, D], float32: image tokens (T, y, x), then text tokens (j, 0, 0).

    Each axis has dim/2 frequencies theta^(-2k / dim). The angles are laid out in pairs
    [a0, a0, a1, a1, ...], although the rotation pairs element i with i + D/2: the released model
    was trained with this mix of two conventions.
    """
    y, x = np.divmod(np.arange(height * width), width)
    image = np.stack([np.full(height * width, text_length), y, x], axis=1)
    text = np.zeros((text_length, 3), image.dtype)
    text[:, 0] = np.arange(text_length)
    places = np.concatenate([image, text]).astype(np.float32)
    angles = []
    for axis, dim in enumerate(axes):
        exponent = np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim)
        power = np.power(float(theta), exponent.astype(np.float64)).astype(np.float32)
        angles.append(places[:, axis, None] * (np.float32(1) / power))
    return np.repeat(np.concatenate(angles, axis=1), 2, axis=1)
