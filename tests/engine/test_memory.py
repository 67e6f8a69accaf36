"""Which networks stay in memory, for cards of several sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.memory import Component, residency

GIB = 1 << 30
ERNIE_IMAGE = {
    Component.TEXT_ENCODER: int(6.9 * GIB),
    Component.TRANSFORMER: int(16.1 * GIB),
    Component.VAE: int(0.3 * GIB),
}
WORKING = {
    Component.TEXT_ENCODER: GIB // 4,
    Component.TRANSFORMER: GIB,
    Component.VAE: 2 * GIB,
}


@pytest.mark.parametrize(
    ("budget_gib", "freed_for_transformer", "freed_for_vae", "fits"),
    [
        (32, set(), set(), True),
        (24, {"text_encoder"}, {"text_encoder"}, True),
        (17.5, {"text_encoder", "vae"}, {"text_encoder", "transformer"}, True),
        (12, {"text_encoder", "vae"}, {"text_encoder", "transformer"}, False),
    ],
)
def test_ernie_image_on_cards_of_several_sizes(
    budget_gib: float, freed_for_transformer: set[str], freed_for_vae: set[str], fits: bool
):
    plan = residency(ERNIE_IMAGE, WORKING, int(budget_gib * GIB))
    assert plan.free_before[Component.TRANSFORMER] == freed_for_transformer
    assert plan.free_before[Component.VAE] == freed_for_vae
    assert plan.fits is fits


BYTES = st.integers(min_value=0, max_value=64 * GIB)
PER_COMPONENT = st.fixed_dictionaries(dict.fromkeys(Component, BYTES))


@given(weights=PER_COMPONENT, working=PER_COMPONENT, budget=BYTES)
def test_a_plan_never_frees_what_it_is_about_to_use_and_never_exceeds_what_fits(
    weights: dict[Component, int], working: dict[Component, int], budget: int
):
    plan = residency(weights, working, budget)
    least = max(weights[c] + working[c] for c in Component)
    for stage in Component:
        assert stage not in plan.free_before[stage]
        loaded = [c for c in Component if c not in plan.free_before[stage]]
        assert sum(weights[c] for c in loaded) + working[stage] <= plan.peak_bytes
    assert plan.fits == (least <= budget)


@given(weights=PER_COMPONENT, working=PER_COMPONENT)
def test_a_larger_budget_never_frees_more(
    weights: dict[Component, int], working: dict[Component, int]
):
    freed = [
        sum(len(f) for f in residency(weights, working, budget).free_before.values())
        for budget in (0, 8 * GIB, 24 * GIB, 80 * GIB, 400 * GIB)
    ]
    assert freed == sorted(freed, reverse=True)
