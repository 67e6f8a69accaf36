"""What fits: which networks stay in memory while a picture is made.

Pure arithmetic on byte counts, so that every card size can be tested on any machine. The engine
asks `residency` before a job starts and follows the answer; a job that cannot fit is refused before
it begins, not after half an hour of sampling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

_ATTENTION_BLOCK_BYTES = 1 << 30
"""Bound on the scores and their softmax that `ops.attention` holds at a time on a GPU."""


class Component(StrEnum):
    """The networks of a model, in the order a picture needs them."""

    TEXT_ENCODER = "text_encoder"
    TRANSFORMER = "transformer"
    VAE = "vae"


@dataclass(frozen=True, slots=True, kw_only=True)
class Residency:
    """`free_before[c]`: the networks to free, if loaded, before network `c` is loaded or used.

    `peak_bytes` is the estimate for the whole job; it fits if it is at most `budget_bytes`.
    """

    free_before: Mapping[Component, frozenset[Component]]
    peak_bytes: int
    budget_bytes: int

    @property
    def fits(self) -> bool:
        return self.peak_bytes <= self.budget_bytes


def residency(
    weights: Mapping[Component, int], working: Mapping[Component, int], budget_bytes: int
) -> Residency:
    """Keep as many networks loaded as the budget allows.

    `weights[c]` are the bytes of network `c` as loaded, `working[c]` the most that using it takes
    besides. Tried in this order, the first that fits is taken; if none fits, the last:

    1. everything stays: the next job starts at once;
    2. the text encoder is freed before the transformer is loaded (it runs once a job);
    3. each network is freed before the next one is loaded.
    """
    text, transformer, vae = Component.TEXT_ENCODER, Component.TRANSFORMER, Component.VAE
    nothing: frozenset[Component] = frozenset()
    others = {c: frozenset(Component) - {c} for c in Component}
    plans: tuple[dict[Component, frozenset[Component]], ...] = (
        dict.fromkeys(Component, nothing),
        {
            text: frozenset({transformer, vae}),
            transformer: frozenset({text}),
            vae: frozenset({text}),
        },
        others,
    )
    candidates = [
        Residency(
            free_before=free_before,
            peak_bytes=max(_stage_bytes(c, free_before, weights, working) for c in Component),
            budget_bytes=budget_bytes,
        )
        for free_before in plans
    ]
    return next((plan for plan in candidates if plan.fits), candidates[-1])


def _stage_bytes(
    stage: Component,
    free_before: Mapping[Component, frozenset[Component]],
    weights: Mapping[Component, int],
    working: Mapping[Component, int],
) -> int:
    """Bytes in use while `stage` runs: all networks but those freed before it."""
    loaded = [c for c in Component if c not in free_before[stage]]
    return sum(weights[c] for c in loaded) + working[stage]


def denoise_working_bytes(
    *, tokens: int, hidden: int, feed_forward: int, heads: int, item_bytes: int
) -> int:
    """Working memory of one transformer pass over `tokens` tokens (image and text together, of the
    picture with and without the prompt).

    At the widest point the residual stream, its normalized form, three projections and the
    attention's result are alive, or the gate and up rows of the feed-forward and their product. The
    attention's scores and their softmax are computed in blocks of bounded size (`ops.attention`).
    """
    stream = tokens * hidden * item_bytes
    scores = min(2 * heads * tokens**2 * item_bytes, _ATTENTION_BLOCK_BYTES)
    attention = 6 * stream + scores
    mlp = 2 * stream + 3 * tokens * feed_forward * item_bytes
    # The modulation's matrix, six rows of outputs, is widened to float32 for each step.
    modulation = 0 if item_bytes == 4 else 6 * hidden * hidden * 4
    # Kept throughout, twice for guidance: cosines and sines of every position; and the modulation's
    # vectors. Counted with a margin of two, being small.
    kept = 4 * (8 * tokens * (hidden // heads) + 32 * hidden)
    return max(attention, mlp, modulation) + kept


def encode_working_bytes(*, tokens: int, hidden: int, feed_forward: int, item_bytes: int) -> int:
    """Working memory of the text encoder over `tokens` tokens."""
    return tokens * (6 * hidden + 3 * feed_forward) * item_bytes + tokens * tokens * 4


def decode_working_bytes(
    *, width: int, height: int, widest_channels: int, item_bytes: int, in_strips: bool
) -> int:
    """Working memory of the VAE decode of a picture of `width` x `height` pixels.

    Counted in feature maps of the last stage, `widest_channels` at full resolution. In strips (on
    the CPU) its input and at most as much again are alive: half for the block's result and half for
    its shortcut. Whole (on a GPU) so are the normalized and the activated input and the
    convolution's workspace: the reference's untiled decode takes five (ENGINE.md J).
    """
    maps = 2 if in_strips else 5
    return maps * width * height * widest_channels * item_bytes
