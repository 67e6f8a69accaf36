"""What Danqing writes, it reads: any text and any number, in PNG, JPEG and WebP."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from desktop.store import images
from desktop.store.metadata import ImageMetadata, read
from desktop.store.metadata.embedding import TRUNCATED
from desktop.store.metadata.reader import read_text
from desktop.store.metadata.writer import parameters_text
from engine.port import MAX_SEED, Provenance, RgbImage
from tests.fakes.provenance import history

PIXELS = RgbImage(width=4, height=2, data=bytes(range(24)))
HARD = [
    "how to read Steps: 5, Sampler: x\nNegative prompt: no\nSteps: 1, Seed: 2, Size: 3x4",
    'quotes " \\ and, commas: colons <tag> & ]]>',
    "a 🦊👩\u200d🚀 é\u200e שלום\u202e",
    "cut\rreturn\r\nand\ttab\x00nul\x1besc\ufffe",
    "half \ud83e of a fox",
    "\ufeff  mark and spaces  \n\n",
    "猫" * 6900,
    "-leading, (weights:1.2)",
    '{"prompt": "not json"}',
]

texts = st.text(st.characters(codec=None, categories=None), max_size=200)  # surrogates too


def through(folder: Path, ending: str, made: Provenance) -> ImageMetadata:
    path = folder / f"picture{ending}"
    path.write_bytes(images.encode(PIXELS, ending, made))
    return read(path)


def described(prompt: str, negative: str = "", seed: int = 7, **numbers) -> Provenance:
    made = history(prompt, negative=negative, seed=seed)
    return replace(made, resolved=replace(made.resolved, **numbers)) if numbers else made


@pytest.mark.parametrize("ending", images.ENDINGS)
@settings(max_examples=40, deadline=None)
@given(prompt=texts, negative=texts, seed=st.integers(0, MAX_SEED))
def test_any_text_comes_back(tmp_path_factory, ending, prompt, negative, seed):
    folder = tmp_path_factory.getbasetemp()
    found = through(folder, ending, described(prompt, negative, seed))
    assert (found.software, found.warnings) == ("danqing", ())
    assert (found.prompt, found.negative_prompt, found.seed) == (prompt, negative, seed)


@pytest.mark.parametrize("ending", images.ENDINGS)
@pytest.mark.parametrize("prompt", HARD, ids=lambda prompt: ascii(prompt[:20]))
def test_hard_texts_come_back(tmp_path, ending, prompt):
    found = through(tmp_path, ending, described(prompt, prompt))
    assert (found.prompt, found.negative_prompt) == (prompt, prompt)


@given(
    steps=st.integers(1, 200),
    guidance=st.floats(0, 30, allow_nan=False),
    shift=st.floats(0.01, 100),
    width=st.integers(1, 2**16),
    height=st.integers(1, 2**16),
    seed=st.integers(0, MAX_SEED),
)
@example(steps=1, guidance=7.0, shift=4.0, width=1, height=1, seed=MAX_SEED)
@example(steps=1, guidance=0.1 + 0.2, shift=4.0, width=1, height=1, seed=2**53 + 1)
@settings(max_examples=60, deadline=None)
def test_any_number_comes_back_also_from_the_text_alone(
    tmp_path_factory, steps, guidance, shift, width, height, seed
):
    made = described(
        "a cat",
        seed=seed,
        steps=steps,
        guidance_scale=guidance,
        shift=shift,
        width=width,
        height=height,
    )
    for found in (
        through(tmp_path_factory.getbasetemp(), ".png", made),
        read_text(parameters_text(made)),
    ):
        assert (found.steps, found.cfg, found.seed) == (steps, guidance, seed)
        assert (found.width, found.height) == (width, height)


@pytest.mark.parametrize("ending", [".jpg", ".jpeg", ".webp", ".JPG"])
def test_the_names_of_other_kinds_of_file(tmp_path, ending):
    path = tmp_path / f"x{ending}"
    path.write_bytes(images.encode(PIXELS, ending, described("a cat", "a dog", MAX_SEED)))
    found = read(path)
    kind = "webp" if ending == ".webp" else "jpeg"
    assert (found.format, found.source) == (kind, "xmp:danqing")
    assert (found.file_width, found.file_height) == (4, 2)
    with Image.open(path) as picture:
        picture.load()
        comment = picture.getexif().get_ifd(0x8769)[0x9286]
    assert comment.startswith(b"UNICODE\x00")
    assert comment[8:].decode("utf-16-be") == found.raw["exif:UserComment"]
    assert found.raw["exif:UserComment"].startswith("a cat\nNegative prompt: a dog\nSteps: ")


def test_a_webp_keeps_every_pixel():
    data = images.encode(PIXELS, ".webp", described("x"))
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.convert("RGB").tobytes() == PIXELS.data


@pytest.mark.parametrize("length", [20_000, 32_800, 70_000, 200_000])
def test_a_long_prompt_is_whole_in_a_jpeg(tmp_path, length):
    prompt = "ab猫," * (length // 4)
    found = through(tmp_path, ".jpg", described(prompt, "no", MAX_SEED))
    assert (found.prompt, found.negative_prompt, found.seed) == (prompt, "no", MAX_SEED)
    comment = found.raw["exif:UserComment"]
    assert (TRUNCATED in comment) == (length > 32_700)
    # Also where only the text is read, the settings are there.
    assert read_text(comment).seed == MAX_SEED
    with Image.open(tmp_path / "picture.jpg") as picture:
        picture.load()


@pytest.mark.parametrize("ending", [".jpg", ".webp", ".png"])
def test_a_saved_picture_becomes_another_kind_with_its_texts(tmp_path, ending):
    png = images.encode(PIXELS, ".png", described(HARD[0], HARD[4], 2**63))
    path = tmp_path / f"copy{ending}"
    path.write_bytes(images.convert(png, ending))
    found = read(path)
    assert (found.prompt, found.negative_prompt, found.seed) == (HARD[0], HARD[4], 2**63)


def test_without_metadata_there_is_none(tmp_path):
    for ending in images.ENDINGS:
        path = tmp_path / f"bare{ending}"
        path.write_bytes(images.encode(PIXELS, ending))
        found = read(path)
        assert (found.software, found.raw) == (None, {})


def test_a_newer_record_is_not_guessed_at(tmp_path):
    png = images.encode(PIXELS, ".png", described("a cat"))
    newer = png.replace(b'"danqing-image", "version": 1', b'"danqing-image", "version": 2')
    path = tmp_path / "newer.png"
    path.write_bytes(newer)
    found = read(path)
    assert [str(note) for note in found.warnings] == [
        "A newer Danqing made this picture; its exact record is not read."
    ]
    assert found.prompt == "a cat", "the other text is still there"


def test_noise_becomes_a_jpeg_too():
    """What compresses badly once overran Pillow's buffer, with `optimize` on."""
    noise = RgbImage(width=1024, height=1024, data=random.Random(1).randbytes(3 * 1024 * 1024))
    with Image.open(io.BytesIO(images.encode(noise, ".jpg", described("x")))) as picture:
        picture.load()
        assert picture.size == (1024, 1024)
