"""ERNIE-Image's text encoder: token ids -> the states that condition the transformer.

The language part of a Ministral 3 model, read before its last layer: the image model was trained on
the second last hidden state, so the last layer, the final norm and the vision tower are never
loaded. Facts as in transformers' `Ministral3Model` and diffusers' `ErnieImagePipeline`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine import ops
from engine.networks.config_fields import MAX_LAYERS, MAX_VOCABULARY, ConfigFields
from engine.ops import Checkpoint, Tensor

PREFIXES = ("language_model.model.", "model.language_model.", "language_model.", "model.")
"""What may stand before this module's tensor names in a file, by the version that saved it."""

UNUSED = ("vision_tower.", "multi_modal_projector.", "lm_head.", "norm.")
"""Names, after the prefix is taken off, of tensors in the file that this network does without;
`unused_layer` adds one."""

EMBEDDING = "embed_tokens.weight"
"""The table of tokens: of its rows a text reads a few, so it may have any floating dtype."""

_MISTRAL_WINDOW = 4096
"""The sliding window that transformers assumes for model type `mistral` when none is given."""

_MAX_TOKENS = 2**30

_LEAST_THETA = 1.001
"""Rotary frequencies are powers of it, and their number of turns is divided by its logarithm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class YarnConfig:
    """`rope_parameters`: rotary frequencies stretched to longer texts (YaRN, Peng et al. 2023)."""

    rope_theta: float
    factor: float
    original_max_position_embeddings: int
    beta_fast: float
    beta_slow: float
    attention_factor: float
    long_text_beta: float
    """How much queries grow with every `original_max_position_embeddings` tokens; may be 0."""

    @classmethod
    def from_fields(cls, fields: ConfigFields, *, long_text_scaling: bool) -> YarnConfig:
        fields.require("rope_type", {"yarn"})
        fields.require("type", {"yarn"})
        fields.require("partial_rotary_factor", {1.0})
        fields.require("truncate", {True})
        factor = fields.number("factor")
        if fields.has("attention_factor"):
            attention_factor = fields.number("attention_factor")
        elif fields.has("mscale") and fields.has("mscale_all_dim"):
            attention_factor = _mscale(factor, fields.number("mscale"))
            attention_factor /= _mscale(factor, fields.number("mscale_all_dim"))
        else:
            attention_factor = _mscale(factor, 1.0)
        beta = 0.0
        if long_text_scaling:
            beta = fields.number("llama_4_scaling_beta")
        return cls(
            rope_theta=fields.number("rope_theta", least=_LEAST_THETA),
            factor=factor,
            original_max_position_embeddings=fields.integer(
                "original_max_position_embeddings", most=_MAX_TOKENS
            ),
            beta_fast=fields.number("beta_fast", 32.0),
            beta_slow=fields.number("beta_slow", 1.0),
            attention_factor=attention_factor,
            long_text_beta=beta,
        )


def _mscale(factor: float, mscale: float) -> float:
    return 1.0 if factor <= 1 else 0.1 * mscale * math.log(factor) + 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEncoderConfig:
    """The sizes in `text_encoder/config.json` (section `text_config`), under its own names."""

    hidden_size: int
    intermediate_size: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    num_hidden_layers: int
    rms_norm_eps: float
    vocab_size: int
    sliding_window: int | None
    rope: YarnConfig

    @property
    def used_layers(self) -> int:
        """Layers that are computed: all but the last."""
        return self.num_hidden_layers - 1

    @classmethod
    def from_json(
        cls, config: Mapping[str, Any], file: str = "text_encoder/config.json"
    ) -> TextEncoderConfig:
        """Raises `EngineFault` MODEL_UNSUPPORTED naming the first key that cannot be honoured."""
        outer = ConfigFields(config, file)
        outer.require("model_type", {"mistral3"})
        fields = outer.section("text_config")
        fields.require("model_type", {"ministral3", "mistral"})
        fields.require("hidden_act", {"silu"})
        is_ministral = fields.text("model_type", "mistral") == "ministral3"
        window = None
        if fields.has("sliding_window"):
            window = fields.integer("sliding_window", most=_MAX_TOKENS)
        elif not is_ministral and not fields.names("sliding_window"):
            window = _MISTRAL_WINDOW
        heads = fields.integer("num_attention_heads")
        parsed = cls(
            hidden_size=fields.integer("hidden_size"),
            intermediate_size=fields.integer("intermediate_size"),
            num_attention_heads=heads,
            num_key_value_heads=fields.integer("num_key_value_heads", heads),
            head_dim=fields.integer("head_dim", fields.integer("hidden_size") // heads),
            num_hidden_layers=fields.integer("num_hidden_layers", most=MAX_LAYERS),
            rms_norm_eps=fields.number("rms_norm_eps"),
            vocab_size=fields.integer("vocab_size", most=MAX_VOCABULARY),
            sliding_window=window,
            rope=YarnConfig.from_fields(
                fields.section("rope_parameters"), long_text_scaling=is_ministral
            ),
        )
        if parsed.head_dim % 2:
            fields.refuse("head_dim")
        if heads % parsed.num_key_value_heads:
            fields.refuse("num_key_value_heads")
        if parsed.num_hidden_layers < 2:
            fields.refuse("num_hidden_layers")
        return parsed


def expected_tensors(config: TextEncoderConfig) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every tensor it reads; a file puts one of `PREFIXES` before the names."""
    width, inner = config.hidden_size, config.intermediate_size
    query_width = config.num_attention_heads * config.head_dim
    memory_width = config.num_key_value_heads * config.head_dim
    shapes: dict[str, tuple[int, ...]] = {EMBEDDING: (config.vocab_size, width)}
    for layer in range(config.used_layers):
        name = f"layers.{layer}"
        shapes[f"{name}.input_layernorm.weight"] = (width,)
        shapes[f"{name}.self_attn.q_proj.weight"] = (query_width, width)
        shapes[f"{name}.self_attn.k_proj.weight"] = (memory_width, width)
        shapes[f"{name}.self_attn.v_proj.weight"] = (memory_width, width)
        shapes[f"{name}.self_attn.o_proj.weight"] = (width, query_width)
        shapes[f"{name}.post_attention_layernorm.weight"] = (width,)
        shapes[f"{name}.mlp.gate_proj.weight"] = (inner, width)
        shapes[f"{name}.mlp.up_proj.weight"] = (inner, width)
        shapes[f"{name}.mlp.down_proj.weight"] = (width, inner)
    return shapes


def unused_layer(config: TextEncoderConfig) -> str:
    """The beginning of the names of the layer that is in the file and not computed."""
    return f"layers.{config.used_layers}."


class TextEncoder:
    """A configuration and its weights, in compute dtype on the device, under the names above.

    Weights are looked up when they are used, so `weights` may widen or move them just in time.
    """

    def __init__(self, config: TextEncoderConfig, weights: Mapping[str, Tensor]) -> None:
        self.config = config
        self._weights = weights

    def __call__(self, token_ids: Sequence[int], checkpoint: Checkpoint) -> Tensor:
        """The states [T, hidden_size] of `token_ids`, raw: before the last layer and the norm.

        Causal. Raises ValueError for a text longer than the sliding window of such a model.
        """
        window = self.config.sliding_window
        if window is not None and len(token_ids) > window:
            raise ValueError(f"{len(token_ids)} tokens, the attention window has {window}")
        dtype = ops.dtype_of(self._weights["layers.0.input_layernorm.weight"])
        x = ops.cast_to(ops.embedding(self._weights[EMBEDDING], token_ids), dtype)
        widest = self.config.hidden_size * self.config.intermediate_size
        blocks = ops.token_blocks(len(token_ids), widest)
        tables = [self._rotary_tables(start, stop, dtype) for start, stop in blocks]
        parts = [ops.rows(x, start, stop) for start, stop in blocks]
        for layer in range(self.config.used_layers):
            parts = self._layer(f"layers.{layer}", parts, tables, checkpoint)
        return ops.concat(parts, axis=0)

    def _layer(
        self,
        name: str,
        x: list[Tensor],
        tables: list[tuple[ops.RotaryTable, ops.RotaryTable]],
        checkpoint: Checkpoint,
    ) -> list[Tensor]:
        """`x + attention(norm(x))`, then `x + mlp(norm(x))`, over blocks of tokens."""
        weights, config = self._weights, self.config
        queries, keys, values = [], [], []
        for x_block, (query_table, key_table) in zip(x, tables, strict=True):
            y = ops.rms_norm(
                x_block, weights[f"{name}.input_layernorm.weight"], config.rms_norm_eps
            )
            query = ops.linear(y, weights[f"{name}.self_attn.q_proj.weight"])
            key = ops.linear(y, weights[f"{name}.self_attn.k_proj.weight"])
            value = ops.linear(y, weights[f"{name}.self_attn.v_proj.weight"])
            queries.append(ops.rotated_heads(query, config.num_attention_heads, query_table))
            keys.append(ops.rotated_heads(key, config.num_key_value_heads, key_table))
            values.append(ops.split_heads(value, config.num_key_value_heads))
            checkpoint()
        memory = ops.attention_memory(keys, values)
        start = 0
        for i in range(len(x)):
            y = ops.attention(queries[i], memory, checkpoint, causal_from=start)
            start += x[i].shape[0]
            y = ops.linear(y, weights[f"{name}.self_attn.o_proj.weight"])
            x[i] = ops.add_(x[i], y)
            checkpoint()
            norm = weights[f"{name}.post_attention_layernorm.weight"]
            y = ops.rms_norm(x[i], norm, config.rms_norm_eps)
            gate = ops.linear(y, weights[f"{name}.mlp.gate_proj.weight"])
            y = ops.silu_gated_(gate, ops.linear(y, weights[f"{name}.mlp.up_proj.weight"]))
            checkpoint()
            x[i] = ops.add_(x[i], ops.linear(y, weights[f"{name}.mlp.down_proj.weight"]))
            checkpoint()
        return x

    def _rotary_tables(
        self, start: int, stop: int, dtype: str
    ) -> tuple[ops.RotaryTable, ops.RotaryTable]:
        """For the queries and keys of tokens `start` .. `stop`; the queries' holds 1/sqrt(D)."""
        rope, width = self.config.rope, self.config.head_dim
        places = np.arange(start, stop)
        frequencies = _yarn_frequencies(width, rope)
        angles = places.astype(np.float32)[:, None] * frequencies
        angles = np.concatenate([angles, angles], axis=1)
        long_text = np.floor(places / rope.original_max_position_embeddings)
        growth = 1 + rope.long_text_beta * np.log1p(long_text)
        query_scale = growth[:, None] * (rope.attention_factor / math.sqrt(width))
        return (
            ops.rotary_table(angles, dtype, query_scale),
            ops.rotary_table(angles, dtype, rope.attention_factor),
        )


def _yarn_frequencies(width: int, rope: YarnConfig) -> np.ndarray:
    """Frequencies, float32 [width / 2]: fast ones kept, slow ones divided by `factor`.

    Between the dimensions that turn `beta_fast` and `beta_slow` times within the original length
    lies a linear ramp (Peng et al. 2023, equation 23 and appendix A.2; bounds rounded outwards).
    """
    power = np.power(
        rope.rope_theta, np.arange(0, width, 2, dtype=np.float32).astype(np.float64) / width
    ).astype(np.float32)

    def dimension(turns: float) -> float:
        length = rope.original_max_position_embeddings / (turns * 2 * math.pi)
        return width * math.log(length) / (2 * math.log(rope.rope_theta))

    low = max(math.floor(dimension(rope.beta_fast)), 0)
    high = min(math.ceil(dimension(rope.beta_slow)), width - 1)
    ramp = np.arange(width // 2, dtype=np.float32) - np.float32(low)
    ramp = np.clip(ramp / np.float32(max(high - low, 0.001)), 0, 1)
    kept = np.float32(1) - ramp
    slow = np.float32(1) / (np.float32(rope.factor) * power)
    return slow * (np.float32(1) - kept) + np.float32(1) / power * kept
