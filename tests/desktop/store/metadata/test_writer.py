"""What is written into pictures, read back with Pillow and by the rules of A1111's reader."""

from __future__ import annotations

import io
import json
import locale
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from desktop.store import images
from desktop.store.metadata import writer
from engine.port import (
    MAX_SEED,
    CheckRecord,
    Gate,
    GenerationRequest,
    ModelId,
    RgbImage,
    Sampler,
    SigmaSchedule,
)
from tests.fakes.provenance import history

REPOSITORY = Path(__file__).parents[4]

HARD_PROMPTS = [
    "plain words",
    "two\nlines\n\nand a blank one",
    'quotes " and \\ backslashes, commas: colons',
    "how to read Steps: 5, Sampler: x",
    "recipe: flour, steps: 3, oven: hot",
    "Steps: 1, Sampler: y, Seed: 2, Size: 1x1",
    "a 🦊👩\u200d🚀 é\u200e שלום",
    "Straße, déjà vu",
    "mojibake bait: Ã©",
    "一只橘猫在蓝色背景上",
    "cut\rreturn",
    "長い" * 3400,
    "\ufeffmark",
]


def chunks_of(png: bytes) -> list[tuple[str, bytes]]:
    """Type and data of every chunk of a PNG, in order."""
    found, position = [], 8
    while position < len(png):
        length = int.from_bytes(png[position : position + 4], "big")
        kind = png[position + 4 : position + 8].decode("ascii")
        found.append((kind, png[position + 8 : position + 8 + length]))
        position += length + 12
    return found


def encoded(provenance, request=None) -> bytes:
    return images.encode_png(RgbImage(width=2, height=1, data=bytes(6)), provenance, request)


def texts_of(png: bytes) -> dict[str, str]:
    with Image.open(io.BytesIO(png)) as picture:
        picture.load()
        return dict(picture.text)  # pyright: ignore[reportAttributeAccessIssue]


def read_as_a1111(text: str) -> dict[str, str]:
    """Prompt, negative prompt and values by the rules that A1111's reader applies.

    Values are `key: value`, value a JSON string or anything without a comma; they are in the last
    line if that holds at least three; lines are stripped; `Negative prompt:` starts a line.
    """
    *lines, last = text.strip().split("\n")
    pair = re.compile(r'\s*(\w[\w /-]+):\s*("(?:\\.|[^\\"])+"|[^,]*)(?:,|$)')
    pairs = pair.findall(last)
    if len(pairs) < 3:
        lines, pairs = [*lines, last], []
    parts: dict[str, list[str]] = {"prompt": [], "negative": []}
    current = "prompt"
    for line in (line.strip() for line in lines):
        rest = line
        if line.startswith("Negative prompt:"):
            current, rest = "negative", line.removeprefix("Negative prompt:").strip()
        parts[current].append(rest)
    values = {
        key: json.loads(value) if value.startswith('"') and value.endswith('"') else value
        for key, value in pairs
    }
    return {key: "\n".join(part) for key, part in parts.items()} | values


@pytest.mark.parametrize("prompt", HARD_PROMPTS)
def test_both_texts_come_back_exactly(prompt):
    provenance = history(prompt, negative="blurry, " + prompt[:50])
    texts = texts_of(encoded(provenance))
    assert texts["parameters"] == writer.parameters_text(provenance)
    assert texts["parameters"].startswith(prompt + "\nNegative prompt: blurry, ")
    resolved = json.loads(texts["danqing"])["resolved"]
    assert resolved["prompt"] == prompt
    assert resolved["negative_prompt"] == "blurry, " + prompt[:50]


@given(st.text(), st.text(), st.integers(0, MAX_SEED))
@example("\ud800 lone surrogate", "\x00", MAX_SEED)
def test_json_keeps_any_text_and_saving_never_fails(prompt, negative, seed):
    texts = texts_of(encoded(history(prompt, negative=negative, seed=seed)))
    resolved = json.loads(texts["danqing"])["resolved"]
    assert (resolved["prompt"], resolved["negative_prompt"]) == (prompt, negative)
    assert resolved["seed"] == str(seed)


line = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" ")).map(str.strip)


@given(
    st.lists(line, min_size=1).map("\n".join).map(str.strip),
    line,
    st.integers(0, MAX_SEED),
    st.floats(0, 30),
)
@example("Steps: 1, Sampler: y, Seed: 2, Size: 1x1", "", 2**53 + 1, 7.0)
def test_a1111_reads_what_we_write(prompt, negative, seed, guidance):
    if "Negative prompt:" in prompt:
        return  # its format cannot tell this from the real one; our JSON can
    provenance = history(prompt, negative=negative, seed=seed)
    provenance = replace(provenance, resolved=replace(provenance.resolved, guidance_scale=guidance))
    read = read_as_a1111(writer.parameters_text(provenance))
    assert read["prompt"] == prompt
    assert read["negative"] == negative
    assert read["Steps"] == "12"
    assert read["Seed"] == str(seed)
    assert read["Size"] == "256x256"
    assert float(read["CFG scale"]) == guidance


def test_values_that_would_be_misread_are_quoted():
    for name in ["Model, the: second", '"quoted"', " spaced ", 'a "b", c', "two\nlines"]:
        text = writer.parameters_text(history(model_name=name))
        assert read_as_a1111(text)["Model"] == name
        assert read_as_a1111(text)["Seed"] == "7"


def test_names_of_samplers_and_schedules_are_those_others_know():
    provenance = history()
    resolved = replace(
        provenance.resolved, sampler=Sampler.EULER, sigma_schedule=SigmaSchedule.UNIFORM
    )
    assert "Sampler: DPM++ 2M, Schedule type: Simple," in writer.parameters_text(provenance)
    text = writer.parameters_text(replace(provenance, resolved=resolved))
    assert "Sampler: Euler, Schedule type: Uniform sigma," in text


@pytest.mark.parametrize("seed", [0, 2**32 - 1, 2**53 + 1, 2**64 - 1])
def test_seeds_stay_exact(seed):
    texts = texts_of(encoded(history(seed=seed)))
    assert f"Seed: {seed}," in texts["parameters"]
    assert json.loads(texts["danqing"])["resolved"]["seed"] == str(seed)


def test_the_picture_s_own_seed_is_recorded_not_the_job_s():
    provenance = history(seed=5)
    third = replace(provenance, seed=7)
    assert "Seed: 7," in writer.parameters_text(third)
    assert json.loads(writer.danqing_json(third))["resolved"]["seed"] == "7"


def test_chunk_kinds_and_their_place():
    for prompt, kind in [
        ("ascii", "tEXt"),
        ("déjà vu", "tEXt"),  # Latin-1, and no valid UTF-8: every reader decodes it rightly
        ("Ã©", "iTXt"),  # Latin-1, but its bytes are the UTF-8 of é
        ("猫", "iTXt"),
    ]:
        chunks = chunks_of(encoded(history(prompt)))
        kinds = [name for name, _ in chunks]
        keyed = {data.split(b"\0")[0]: name for name, data in chunks if name in ("tEXt", "iTXt")}
        assert keyed == {b"parameters": kind, b"danqing": "iTXt"}
        assert kinds.index("sRGB") < kinds.index("IDAT")
        assert max(i for i, name in enumerate(kinds) if name in ("tEXt", "iTXt")) < kinds.index(
            "IDAT"
        )


def test_json_has_the_documented_form():
    request = GenerationRequest(
        prompt="a cat", seed=7, width=256, height=256, model_id=ModelId("/home/ada/models/cat")
    )
    record = json.loads(writer.danqing_json(history(), request))
    assert record == {
        "format": "danqing-image",
        "version": 1,
        "request": {
            "prompt": "a cat",
            "negative_prompt": "",
            "seed": "7",
            "size": {"width": 256, "height": 256},
            "steps": None,
            "sampler": None,
            "schedule": None,
            "guidance": None,
            "image_count": 1,
        },
        "resolved": {
            "prompt": "a cat",
            "negative_prompt": "",
            "seed": "7",
            "size": {"width": 256, "height": 256},
            "steps": 12,
            "sampler": "dpmpp_2m",
            "schedule": "shifted",
            "shift": 2.0,
            "guidance": 3.5,
        },
        "model": {
            "name": "Danqing Starter",
            "sha256": "0123456789abcdef" * 4,
            "quantization": None,
        },
        "loras": [],
        "engine": {
            "danqing": "0.1.0",
            "paddle": "3.3.1",
            "device": "cpu",
            "device_description": "pretended",
            "dtype": {"transformer": "float32"},
            "noise": "philox4x64-normal-v1",
            "tile": "off",
        },
        "check": {"gate": None, "acknowledged": [], "override": False},
    }


def test_no_folder_of_the_user_is_told():
    for folder in ["/home/ada/models/cat", "/home/ada/models/cat/", r"C:\Users\ada\cat"]:
        provenance = history(model_name=folder)
        request = GenerationRequest(prompt="a cat", seed=7, model_id=ModelId(folder))
        png = encoded(provenance, request)
        assert b"ada" not in png
        assert read_as_a1111(texts_of(png)["parameters"])["Model"] == "cat"


def test_without_provenance_nothing_is_told():
    assert texts_of(images.encode_png(RgbImage(width=1, height=1, data=b"abc"))) == {}


def test_the_check_of_the_machine_is_recorded():
    record = CheckRecord(gate=Gate.OPEN, acknowledged=("iommu",), is_overridden=True)
    text = writer.danqing_json(history(check=record))
    assert json.loads(text)["check"] == {
        "gate": "open", "acknowledged": ["iommu"], "override": True,
    }  # fmt: skip


def test_a_decimal_comma_never_gets_in():
    """A German locale writes 3,5; metadata must not. Checked in a process of its own."""
    installed = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True).stdout
    german = next((name for name in installed.split() if name.startswith("de_DE")), None)
    if german is None:
        pytest.skip("no German locale is installed here")
    code = (
        f"import locale; locale.setlocale(locale.LC_ALL, {german!r})\n"
        "assert locale.str(3.5) == '3,5'\n"
        "from tests.fakes.provenance import history\n"
        "from desktop.store.metadata import writer\n"
        "print(writer.parameters_text(history())); print(writer.danqing_json(history()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        encoding="utf-8",
        cwd=REPOSITORY,
    )
    assert "CFG scale: 3.5," in done.stdout
    assert '"guidance": 3.5' in done.stdout
    assert locale.str(3.5) == "3.5"
