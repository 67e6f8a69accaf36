"""Proof that the parity tests guard what they claim: each break of a network fails its case.

A mutation changes one thing that is easy to get wrong; the case it names must then miss the
tolerance. (That the unbroken networks pass is test_networks' business.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import paddle
import pytest

from engine import ops
from engine.networks import transformer, vae
from engine.networks.text_encoder import TextEncoderConfig, YarnConfig
from engine.networks.transformer import TransformerConfig
from engine.networks.vae import VaeConfig, VaeDecoder
from engine.ops import feature_maps, winograd
from tests.parity import cases
from tests.parity.our_networks import run

GOLDEN = Path(__file__).parents[1] / "golden" / "networks"
Patch = pytest.MonkeyPatch
Break = Callable[[Patch], None]


def _replaced_config(patch: Patch, config_class: type, **changes: object) -> None:
    """`from_json` answers with these values changed."""
    original = config_class.from_json.__func__

    def from_json(cls, config):
        parsed = original(cls, config)
        for name, value in changes.items():
            object.__setattr__(parsed, name, value)
        return parsed

    patch.setattr(config_class, "from_json", classmethod(from_json))


def _with_argument(patch: Patch, owner: object, name: str, change: Callable) -> None:
    """Calls of `owner.name` get arguments that `change(args, kwargs)` returns."""
    original = getattr(owner, name)

    def changed(*args, **kwargs):
        args, kwargs = change(list(args), dict(kwargs))
        return original(*args, **kwargs)

    patch.setattr(owner, name, changed)


# --- transformer ----------------------------------------------------------------------------------


def interleaved_rotation(patch: Patch) -> None:
    """[-x1, x0, -x3, x2, ...] instead of [-x2, x1] in halves."""

    def rotated_heads(x, heads, table, norm=None, eps=0.0):
        y = ops.split_heads(x, heads)
        y = y if norm is None else ops.rms_norm(y, norm, eps)
        pairs = y.reshape([*y.shape[:-1], -1, 2])
        turned = paddle.stack([-pairs[..., 1], pairs[..., 0]], axis=-1).reshape(y.shape)
        half = y.shape[-1] // 2
        sine = paddle.concat([-table.sine[:, :half], table.sine[:, half:]], axis=1)
        return y * table.cosine + turned * sine

    patch.setattr(ops, "rotated_heads", rotated_heads)


def rotation_by_the_negative_angle(patch: Patch) -> None:
    _with_argument(patch, ops, "rotary_table", lambda a, k: ([-a[0], *a[1:]], k))


def angles_in_halves(patch: Patch) -> None:
    """[a0, a1, ..., a0, a1, ...], as rotate-half usually has them, instead of [a0, a0, a1, ...]."""
    original = transformer._rotary_angles

    def angles(*arguments):
        pairs = original(*arguments)[:, ::2]
        return np.concatenate([pairs, pairs], axis=1)

    patch.setattr(transformer, "_rotary_angles", angles)


def image_tokens_at_text_position_zero(patch: Patch) -> None:
    def angles(height, width, text_length, axes, theta):
        image = original(height, width, 0, axes, theta)
        return np.concatenate(
            [image, original(height, width, text_length, axes, theta)[len(image) :]]
        )

    original = transformer._rotary_angles
    patch.setattr(transformer, "_rotary_angles", angles)


def rows_and_columns_exchanged(patch: Patch) -> None:
    original = np.divmod
    patch.setattr(transformer.np, "divmod", lambda a, b: original(a, b)[::-1])


def text_before_image(patch: Patch) -> None:
    original = ops.concat
    patch.setattr(
        ops, "concat", lambda parts, axis: original(parts[::-1] if len(parts) == 2 else parts, axis)
    )


def a_wrong_transformer_eps(patch: Patch) -> None:
    _replaced_config(patch, TransformerConfig, eps=1e-6)


def a_whole_timestep(patch: Patch) -> None:
    original = transformer._timestep_embedding
    patch.setattr(transformer, "_timestep_embedding", lambda t, size: original(int(t), size))


def cosine_before_sine(patch: Patch) -> None:
    original = transformer._timestep_embedding
    patch.setattr(
        transformer, "_timestep_embedding", lambda t, size: np.roll(original(t, size), size // 2)
    )


def gelu_by_tanh(patch: Patch) -> None:
    def gelu_gated(gate, up):
        return paddle.nn.functional.gelu(gate, approximate=True) * up

    patch.setattr(ops, "gelu_gated_", gelu_gated)


def scores_unscaled(patch: Patch) -> None:
    _with_argument(patch, ops, "rotary_table", lambda a, k: (a[:2], k))


def one_transformer_layer_less(patch: Patch) -> None:
    _replaced_config(patch, TransformerConfig, num_layers=1)


def final_scale_and_shift_exchanged(patch: Patch) -> None:
    original = ops.split
    patch.setattr(ops, "split", lambda x, n, axis: original(x, n, axis)[:: -1 if n == 2 else 1])


# --- text encoder ---------------------------------------------------------------------------------


def one_text_layer_more(patch: Patch) -> None:
    patch.setattr(TextEncoderConfig, "used_layers", property(lambda c: c.num_hidden_layers))


def one_text_layer_less(patch: Patch) -> None:
    patch.setattr(TextEncoderConfig, "used_layers", property(lambda c: c.num_hidden_layers - 2))


def a_wrong_text_eps(patch: Patch) -> None:
    _replaced_config(patch, TextEncoderConfig, rms_norm_eps=1e-5)


def text_sees_its_future(patch: Patch) -> None:
    _with_argument(patch, ops, "attention", lambda a, k: (a, {**k, "causal_from": None}))


def query_heads_dealt_out_to_keys(patch: Patch) -> None:
    """Head i shares key head i modulo N_kv, instead of consecutive heads sharing one."""
    original = ops.attention

    def attention(queries, memory, checkpoint, causal_from=None):
        heads, kv = queries.shape[0], memory.keys.shape[0]
        order = np.arange(heads).reshape(-1, kv).T.ravel()
        mixed = original(queries[order.tolist()], memory, checkpoint, causal_from)
        back = np.argsort(order).tolist()
        return mixed.reshape([queries.shape[1], heads, -1])[:, back].reshape(mixed.shape)

    patch.setattr(ops, "attention", attention)


def yarn_ignored(patch: Patch) -> None:
    _changed_yarn(patch, factor=1.0)


def yarn_bounds_exchanged(patch: Patch) -> None:
    _changed_yarn(patch, beta_fast=1.0, beta_slow=32.0)


def long_texts_not_scaled(patch: Patch) -> None:
    _changed_yarn(patch, long_text_beta=0.0)


def plain_mistral_scaled(patch: Patch) -> None:
    _changed_yarn(patch, long_text_beta=0.1)


def _changed_yarn(patch: Patch, **changes: float) -> None:
    original = YarnConfig.from_fields.__func__

    def from_fields(cls, fields, *, long_text_scaling):
        parsed = original(cls, fields, long_text_scaling=long_text_scaling)
        for name, value in changes.items():
            object.__setattr__(parsed, name, value)
        return parsed

    patch.setattr(YarnConfig, "from_fields", classmethod(from_fields))


# --- VAE ------------------------------------------------------------------------------------------


def a_wrong_vae_eps(patch: Patch) -> None:
    patch.setattr(vae, "_NORM_EPS", 1e-5)


def the_configured_latent_eps(patch: Patch) -> None:
    """1e-4, which the released file says, instead of 1e-5, which the pipeline takes."""
    patch.setattr(vae, "_LATENT_EPS", 1e-4)


def latent_not_denormalized(patch: Patch) -> None:
    patch.setattr(VaeDecoder, "_denormalized", lambda self, latent: latent)


def packed_pixels_transposed(patch: Patch) -> None:
    def transposed(latent, max_rows, widest=1):
        _, packed, height, width = latent.shape
        tiles = latent.reshape([packed // 4, 2, 2, height, width]).transpose([0, 2, 1, 3, 4])
        return original(tiles.reshape([1, packed, height, width]), max_rows, widest)

    original = ops.unpacked
    patch.setattr(ops, "unpacked", transposed)


def strips_blind_to_their_neighbours(patch: Patch) -> None:
    def blind(above, strip, below, weights, **kwargs):
        return original(above * 0, strip, below * 0, weights, **kwargs)

    original = winograd.convolve_strip
    patch.setattr(winograd, "convolve_strip", blind)
    patch.setattr(feature_maps, "_CPU_STRIP_BYTES", (1, 1))  # many strips even of a small map
    patch.setattr(feature_maps, "_LEAST_TILES", 1)


def padding_not_cleared(patch: Patch) -> None:
    patch.setattr(feature_maps, "_with_zero_padding", lambda strip: strip)


def one_group_fewer(patch: Patch) -> None:
    _replaced_config(patch, VaeConfig, norm_num_groups=2)


def carried_bias_forgotten(patch: Patch) -> None:
    original = feature_maps._changed

    def without_offset(x, strips, channels, offset=None):
        return original(x, strips, channels, None)

    patch.setattr(feature_maps, "_changed", without_offset)


def attention_unscaled_in_the_vae(patch: Patch) -> None:
    patch.setattr(ops, "scale_", lambda x, factor: x)


def shortcut_left_out(patch: Patch) -> None:
    _with_argument(patch, ops, "conv2d", lambda a, k: (a[:5], k))


BREAKS: list[tuple[str, Break]] = [
    ("transformer-wide", interleaved_rotation),
    ("transformer-wide", rotation_by_the_negative_angle),
    ("transformer-wide", angles_in_halves),
    ("transformer-one-token", image_tokens_at_text_position_zero),
    ("transformer-odd", rows_and_columns_exchanged),
    ("transformer-wide", text_before_image),
    ("transformer-large-eps", a_wrong_transformer_eps),
    ("transformer-one-token", a_whole_timestep),
    ("transformer-one-token", cosine_before_sine),
    ("transformer-wide", gelu_by_tanh),
    ("transformer-one-head", scores_unscaled),
    ("transformer-no-projection", one_transformer_layer_less),
    ("transformer-one-token", final_scale_and_shift_exchanged),
    ("text-plain", interleaved_rotation),
    ("text-one-token", one_text_layer_more),
    ("text-one-token", one_text_layer_less),
    ("text-large-eps", a_wrong_text_eps),
    ("text-plain", text_sees_its_future),
    ("text-plain", query_heads_dealt_out_to_keys),
    ("text-yarn", yarn_ignored),
    ("text-yarn", yarn_bounds_exchanged),
    ("text-long", long_texts_not_scaled),
    ("text-mistral", plain_mistral_scaled),
    ("vae-faint", a_wrong_vae_eps),
    ("vae-plain", the_configured_latent_eps),
    ("vae-plain", latent_not_denormalized),
    ("vae-plain", packed_pixels_transposed),
    ("vae-attention", strips_blind_to_their_neighbours),
    ("vae-plain", padding_not_cleared),
    ("vae-plain", one_group_fewer),
    ("vae-no-projection", carried_bias_forgotten),
    ("vae-attention", attention_unscaled_in_the_vae),
    ("vae-no-projection", shortcut_left_out),
]


@pytest.mark.parametrize(
    ("name", "breaks"), BREAKS, ids=[f"{name}-{breaks.__name__}" for name, breaks in BREAKS]
)
def test_a_broken_network_fails_its_case(name: str, breaks: Break, monkeypatch: Patch) -> None:
    case, reference = cases.read(GOLDEN / f"{name}.npz")
    breaks(monkeypatch)
    error = cases.relative_rms_error(run(case), reference)
    assert math.isnan(error) or error > cases.TOLERANCE[case.network]


def test_every_case_of_the_golden_folder_can_fail() -> None:
    guarded = {name for name, _ in BREAKS}
    assert guarded == {path.stem for path in GOLDEN.glob("*.npz")}
