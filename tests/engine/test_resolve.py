"""Defaults are filled in; values that cannot be honoured are refused with what is allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.port import EngineFault, ErrorCode, GenerationRequest, ModelId, Sampler
from engine.resolve import resolve
from tests.fakes.script import FAKE_MODEL

ANY_SIZE = replace(FAKE_MODEL, sizes=(), min_side=256, max_side=2048)


def request(**values: Any) -> GenerationRequest:
    return GenerationRequest(
        **{"prompt": "a cat", "seed": 1, "model_id": ModelId("starter")} | values
    )


def test_everything_left_open_is_the_models_default():
    resolved = resolve(request(), FAKE_MODEL, shift=2.0)
    assert (resolved.width, resolved.height) == (256, 256)
    assert resolved.steps == 12
    assert resolved.guidance_scale == 3.5
    assert resolved.sampler is Sampler.DPMPP_2M
    assert resolved.shift == 2.0


def test_what_the_user_says_wins_even_where_it_is_zero():
    wanted = request(width=320, height=192, steps=1, guidance_scale=0.0, sampler=Sampler.EULER)
    resolved = resolve(wanted, FAKE_MODEL, shift=2.0)
    assert (resolved.width, resolved.height, resolved.steps) == (320, 192, 1)
    assert resolved.guidance_scale == 0.0
    assert resolved.sampler is Sampler.EULER


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("prompt", {"prompt": " \n"}),
        ("steps", {"steps": 0}),
        ("steps", {"steps": 201}),
        ("guidance", {"guidance_scale": -0.1}),
        ("guidance", {"guidance_scale": float("nan")}),
        ("guidance", {"guidance_scale": float("inf")}),
        ("count", {"image_count": 0}),
        ("seed", {"seed": -1}),
        ("seed", {"seed": 2**64}),
        ("tile", {"decode_tile": -1}),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(name: str, values: dict[str, Any]):
    with pytest.raises(EngineFault) as refusal:
        resolve(request(**values), FAKE_MODEL, shift=2.0)
    assert refusal.value.error.code is ErrorCode.VALUE_NOT_ALLOWED
    assert refusal.value.error.facts["name"] == name
    assert refusal.value.error.facts["allowed"]


@pytest.mark.parametrize("size", [(256, 320), (512, 512), (0, 256), (192, 192)])
def test_a_size_that_the_model_was_not_made_for_is_refused(size: tuple[int, int]):
    with pytest.raises(EngineFault) as refusal:
        resolve(request(width=size[0], height=size[1]), FAKE_MODEL, shift=2.0)
    assert refusal.value.error.code is ErrorCode.SIZE_NOT_ALLOWED
    assert refusal.value.error.facts["allowed"] == "256x256, 320x192, 192x320"


@pytest.mark.parametrize(
    ("size", "is_allowed"),
    [
        ((1024, 1024), True),
        ((1376, 768), True),
        ((1000, 1024), False),
        ((240, 1024), False),
        ((1024, 2064), False),
    ],
)
def test_sizes_of_a_model_that_draws_any(size: tuple[int, int], is_allowed: bool):
    wanted = request(width=size[0], height=size[1])
    if is_allowed:
        resolved = resolve(wanted, ANY_SIZE, shift=4.0)
        assert (resolved.width, resolved.height) == size
    else:
        with pytest.raises(EngineFault) as refusal:
            resolve(wanted, ANY_SIZE, shift=4.0)
        assert "multiples of 16" in str(refusal.value.error.facts["allowed"])
