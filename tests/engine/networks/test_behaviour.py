"""What the networks promise beside their numbers: blocks, strips, progress, cancelling, memory."""

from __future__ import annotations

import dataclasses
import gc

import numpy as np
import pytest

from engine import ops
from engine.networks import text_encoder, transformer, vae
from engine.networks.text_encoder import TextEncoder, TextEncoderConfig
from engine.networks.transformer import Transformer, TransformerConfig
from engine.networks.vae import VaeConfig, VaeDecoder
from engine.ops import blocked_attention, feature_maps
from tests.parity import cases
from tests.parity.our_networks import weights
from tests.parity.random_tensors import uniform

CASES = {case.name: case for case in cases.fixed()}
WIDE, LONG, PICTURE = CASES["transformer-wide"], CASES["text-long"], CASES["vae-attention"]


class Cancelled(Exception):
    pass


class Checkpoints:
    """Counts checkpoints; raises at the n-th."""

    def __init__(self, cancel_at: int | None = None) -> None:
        self.passed = 0
        self.cancel_at = cancel_at

    def __call__(self) -> None:
        self.passed += 1
        if self.passed == self.cancel_at:
            raise Cancelled


def a_transformer() -> Transformer:
    config = TransformerConfig.from_json(WIDE.config)
    return Transformer(config, weights(WIDE, transformer.expected_tensors(config)))


def a_text_encoder() -> TextEncoder:
    config = TextEncoderConfig.from_json(LONG.config)
    return TextEncoder(config, weights(LONG, text_encoder.expected_tensors(config)))


def a_decoder() -> VaeDecoder:
    config = VaeConfig.from_json(PICTURE.config)
    return VaeDecoder(config, weights(PICTURE, vae.expected_tensors(config)))


def predict(network: Transformer, checkpoint=None) -> np.ndarray:
    text = ops.from_numpy(WIDE.text())
    positions = network.positions(WIDE.inputs["height"], WIDE.inputs["width"], [text.shape[0]])
    latent = ops.from_numpy(WIDE.latent())
    return ops.to_numpy(network(latent, 500.0, [text], positions, checkpoint or Checkpoints())[0])


def decode(network: VaeDecoder, rows=None, checkpoint=None, on_piece=None) -> np.ndarray:
    latent = ops.from_numpy(PICTURE.latent())
    return ops.to_numpy(network(latent, rows, checkpoint or Checkpoints(), on_piece))


# --- blocks and strips ----------------------------------------------------------------------------


def test_blocks_of_tokens_do_not_change_a_prediction(monkeypatch):
    network = a_transformer()
    whole = predict(network)
    monkeypatch.setattr(blocked_attention, "_CPU_BLOCK_FLOP", 1)
    monkeypatch.setattr(
        transformer.ops, "token_blocks", lambda tokens, _: [(0, 7), (7, 20), (20, tokens)]
    )
    np.testing.assert_allclose(predict(network), whole, atol=2e-5)


def test_blocks_of_tokens_do_not_change_an_encoding(monkeypatch):
    network = a_text_encoder()
    whole = ops.to_numpy(network(LONG.token_ids(), Checkpoints()))
    monkeypatch.setattr(
        text_encoder.ops, "token_blocks", lambda tokens, _: [(0, 7), (7, 20), (20, tokens)]
    )
    blocked = ops.to_numpy(network(LONG.token_ids(), Checkpoints()))
    np.testing.assert_allclose(blocked, whole, atol=2e-5)


def test_a_longer_text_keeps_the_states_of_its_beginning():
    network = a_text_encoder()
    ids = LONG.token_ids()
    short = ops.to_numpy(network(ids[:9], Checkpoints()))
    long = ops.to_numpy(network(ids, Checkpoints()))
    np.testing.assert_allclose(long[:9], short, atol=2e-5)


def decode_large(rows: int | None) -> np.ndarray:
    """A picture of 320x192 pixels, large enough for many strips."""
    latent = ops.from_numpy(uniform(1, "large", (1, 16, 20, 12)))
    return ops.to_numpy(a_decoder()(latent, rows, Checkpoints(), None))


@pytest.mark.parametrize("rows", [0, 1, 16, 40, 100, 1000])
def test_the_picture_is_the_same_to_the_last_bit_whatever_the_memory_bound(monkeypatch, rows):
    whole = decode_large(None)
    np.testing.assert_array_equal(decode_large(rows), whole)
    monkeypatch.setattr(feature_maps, "_CPU_STRIP_BYTES", (1, 1))
    np.testing.assert_array_equal(decode_large(None), whole)


def test_strips_bound_the_working_memory(monkeypatch):
    largest: list[int] = []
    original = feature_maps.winograd.convolve_strip

    def watch(above, strip, below, matrices, **kwargs):
        largest[-1] = max(largest[-1], strip.size)
        return original(above, strip, below, matrices, **kwargs)

    monkeypatch.setattr(feature_maps.winograd, "convolve_strip", watch)
    for rows in (0, 8):
        largest.append(0)
        decode_large(rows)
    assert largest[1] * 8 < largest[0]


@pytest.mark.parametrize("make", [a_transformer, a_decoder], ids=["transformer", "vae"])
def test_a_gpus_forms_compute_the_same(make):
    run = predict if make is a_transformer else decode
    ours = run(make())
    with ops.gpu_forms():
        np.testing.assert_allclose(run(make()), ours, atol=2e-5)


def test_a_gpus_forms_encode_the_same():
    ours = ops.to_numpy(a_text_encoder()(LONG.token_ids(), Checkpoints()))
    with ops.gpu_forms():
        theirs = ops.to_numpy(a_text_encoder()(LONG.token_ids(), Checkpoints()))
    np.testing.assert_allclose(theirs, ours, atol=2e-5)


# --- progress and cancelling ----------------------------------------------------------------------


def test_progress_of_a_decode_rises_and_ends_complete():
    pieces = []
    decode(a_decoder(), on_piece=lambda piece, of: pieces.append((piece, of)))
    counts = [piece for piece, _ in pieces]
    assert len({of for _, of in pieces}) == 1
    assert counts == sorted(set(counts))
    assert pieces[-1][0] == pieces[-1][1]
    assert len(pieces) > 10


@pytest.mark.parametrize(
    ("make", "run"),
    [
        (a_transformer, predict),
        (a_decoder, lambda network, c: decode(network, None, c)),
        (a_text_encoder, lambda network, c: network(LONG.token_ids(), c)),
    ],
    ids=["transformer", "vae", "text_encoder"],
)
def test_each_network_can_be_cancelled_anywhere_and_runs_again(make, run):
    network = make()
    counting = Checkpoints()
    whole = run(network, counting)
    assert counting.passed >= 4 * 2  # several in every layer
    for cancel_at in (1, counting.passed // 2, counting.passed):
        with pytest.raises(Cancelled):
            run(network, Checkpoints(cancel_at))
    again = run(network, Checkpoints())
    np.testing.assert_array_equal(np.asarray(again), np.asarray(whole))


# --- misuse and care ------------------------------------------------------------------------------


def test_positions_of_another_picture_are_refused():
    network = a_transformer()
    text = ops.from_numpy(WIDE.text())
    other = network.positions(4, 4, [text.shape[0]])
    with pytest.raises(ValueError, match="positions are for"):
        network(ops.from_numpy(WIDE.latent()), 500.0, [text], other, Checkpoints())


def test_a_text_beyond_the_sliding_window_is_refused():
    network = a_text_encoder()
    network.config = dataclasses.replace(network.config, sliding_window=5)
    with pytest.raises(ValueError, match="6 tokens"):
        network([1] * 6, Checkpoints())
    network([1] * 5, Checkpoints())


@pytest.mark.parametrize(
    ("make", "run"),
    [
        (a_transformer, predict),
        (a_decoder, decode),
        (a_text_encoder, lambda network: network(LONG.token_ids(), Checkpoints())),
    ],
    ids=["transformer", "vae", "text_encoder"],
)
def test_no_network_changes_its_weights(make, run):
    network = make()
    before = {name: ops.to_numpy(tensor) for name, tensor in network._weights.items()}
    run(network)
    for name, tensor in network._weights.items():
        np.testing.assert_array_equal(ops.to_numpy(tensor), before[name], err_msg=name)


def test_inputs_are_not_changed():
    text, latent = ops.from_numpy(WIDE.text()), ops.from_numpy(WIDE.latent())
    network = a_transformer()
    positions = network.positions(WIDE.inputs["height"], WIDE.inputs["width"], [text.shape[0]])
    network(latent, 500.0, [text], positions, Checkpoints())
    np.testing.assert_array_equal(ops.to_numpy(text), WIDE.text())
    np.testing.assert_array_equal(ops.to_numpy(latent), WIDE.latent())
    picture_latent = ops.from_numpy(PICTURE.latent())
    a_decoder()(picture_latent, None, Checkpoints(), None)
    np.testing.assert_array_equal(ops.to_numpy(picture_latent), PICTURE.latent())


def test_weights_may_be_made_just_in_time():
    """A mapping that makes each tensor anew when asked: nothing holds on to what it gave."""
    config = TransformerConfig.from_json(WIDE.config)
    shapes = transformer.expected_tensors(config)

    class Lazy(dict):
        def __getitem__(self, name):
            return weights(WIDE, {name: shapes[name]})[name]

    np.testing.assert_array_equal(predict(Transformer(config, Lazy())), predict(a_transformer()))
    gc.collect()
