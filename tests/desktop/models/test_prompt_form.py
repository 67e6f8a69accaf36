from __future__ import annotations

from dataclasses import replace

import pytest

from desktop.models.prompt_form import Problem, PromptForm, parse_seed, parse_size
from desktop.settings import FormValues
from engine.port import MAX_SEED, ModelId, PictureSize, Sampler
from tests.fakes.script import FAKE_MODEL

FREE_MODEL = replace(
    FAKE_MODEL,
    model_id=ModelId("free"),
    is_demo=False,
    sizes=(),
    recommended_sizes=(PictureSize(width=1024, height=1024),),
    defaults=replace(
        FAKE_MODEL.defaults, size=PictureSize(width=1024, height=1024), guidance_scale=1.0
    ),
)


@pytest.fixture
def form(qapp) -> PromptForm:
    form = PromptForm(FormValues(prompt="a cat"))
    form.set_models((FAKE_MODEL, FREE_MODEL))
    return form


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("320x192", (320, 192)),
        ("320 × 192", (320, 192)),
        (" 320 X 192 ", (320, 192)),
        ("320*192", (320, 192)),
        ("320 192", (320, 192)),
        ("320", None),
        ("", None),
        ("320x", None),
        ("axb", None),
        ("-320x192", None),
    ],
)
def test_sizes_are_read_as_people_write_them(text, size):
    expected = None if size is None else PictureSize(width=size[0], height=size[1])
    assert parse_size(text) == expected


@pytest.mark.parametrize(
    ("text", "seed"),
    [
        ("0", 0),
        (" 42 ", 42),
        (str(MAX_SEED), MAX_SEED),
        (str(MAX_SEED + 1), None),
        ("-1", None),
        ("", None),
        ("1e5", None),
        ("٣", None),
    ],
)
def test_seeds_have_64_bits(text, seed):
    assert parse_seed(text) == seed


def test_defaults_come_from_the_model(form):
    request = form.make_request()
    assert (request.width, request.height) == (256, 256)
    assert request.steps == FAKE_MODEL.defaults.steps
    assert request.guidance_scale == FAKE_MODEL.defaults.guidance_scale
    assert request.sampler is Sampler.DPMPP_2M
    assert request.model_id == FAKE_MODEL.model_id


def test_a_request_holds_what_was_chosen(form):
    form.update(
        prompt="  a dog \n",
        negative_prompt=" blur ",
        size_text="192x320",
        steps=7,
        guidance_scale=2.5,
        sampler=Sampler.EULER,
        image_count=3,
        is_seed_random=False,
        seed_text=str(MAX_SEED),
    )
    request = form.make_request()
    assert request.prompt == "a dog"
    assert request.negative_prompt == "blur"
    assert (request.width, request.height) == (192, 320)
    assert (request.steps, request.guidance_scale) == (7, 2.5)
    assert request.sampler is Sampler.EULER
    assert (request.image_count, request.seed) == (3, MAX_SEED)


def test_without_guidance_the_negative_prompt_is_left_out(form):
    form.update(negative_prompt="blur", guidance_scale=1.0)
    assert not form.is_negative_prompt_used()
    assert form.make_request().negative_prompt == ""


@pytest.mark.parametrize(
    ("model", "text", "problem"),
    [
        ("starter", "300x300", Problem.SIZE_NOT_OF_MODEL),
        ("starter", "big", Problem.SIZE_UNREADABLE),
        ("free", "1000x1000", Problem.SIZE_NOT_MULTIPLE),
        ("free", "16x1024", Problem.SIZE_OUT_OF_RANGE),
        ("free", "4096x1024", Problem.SIZE_OUT_OF_RANGE),
    ],
)
def test_a_size_that_the_model_cannot_draw_is_a_problem(form, model, text, problem):
    form.choose_model(ModelId(model))
    assert form.problems() == frozenset()
    form.update(size_text=text)
    assert form.problems() == {problem}
    with pytest.raises(ValueError, match=problem.name):
        form.make_request()


def test_an_empty_prompt_and_a_seed_that_is_too_large_are_problems(form):
    form.update(prompt=" \n", is_seed_random=False, seed_text="99999999999999999999")
    assert form.problems() == {Problem.PROMPT_EMPTY, Problem.SEED_UNREADABLE}


def test_a_wrong_seed_does_not_matter_while_seeds_are_random(form):
    form.update(seed_text="99999999999999999999")
    assert form.problems() == frozenset()


def test_without_models_nothing_can_be_drawn(qapp):
    assert PromptForm(FormValues(prompt="a cat")).problems() == {Problem.NO_MODEL}


def test_random_seeds_differ_and_the_last_one_can_be_kept(form):
    seeds = {form.make_request().seed for _ in range(8)}
    assert len(seeds) == 8
    form.use_last_seed()
    assert form.make_request().seed == form.make_request().seed in seeds


def test_another_model_brings_its_own_numbers(form):
    form.update(size_text="192x320", steps=3, guidance_scale=9.0, sampler=Sampler.EULER)
    form.choose_model(FREE_MODEL.model_id)
    request = form.make_request()
    assert (request.width, request.height) == (1024, 1024)
    assert request.steps == FREE_MODEL.defaults.steps
    assert request.guidance_scale == 1.0
    assert request.sampler is Sampler.DPMPP_2M


def test_choosing_the_model_that_is_chosen_keeps_the_numbers(form):
    form.update(steps=3)
    form.choose_model(FAKE_MODEL.model_id)
    assert form.values.steps == 3


def test_a_model_that_is_gone_gives_way_to_the_first(qapp):
    form = PromptForm(FormValues(prompt="a cat", model_id="gone"))
    form.set_models((FAKE_MODEL,))
    assert form.make_request().model_id == FAKE_MODEL.model_id


def test_sides_are_swapped(form):
    form.update(size_text="320x192")
    form.swap_sides()
    size = form.size()
    assert size == PictureSize(width=192, height=320)
    form.update(size_text="nonsense")
    form.swap_sides()
    assert form.values.size_text == "nonsense"


def test_changes_are_announced_once(form, qtbot):
    announced = []
    form.changed.connect(lambda: announced.append(form.values.steps))
    form.update(steps=5)
    form.update(steps=5)
    assert announced == [5]
