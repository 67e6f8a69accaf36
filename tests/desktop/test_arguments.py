"""The command line understood: what is meant, and one line for what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop import arguments
from desktop.arguments import GeneratePictures, ListModels, OpenWindow, ShowText, UsageError
from engine._version import __version__
from engine.port import MAX_SEED, DevicePreference, PictureSize, Sampler, SigmaSchedule


def mistake(*words: str) -> str:
    with pytest.raises(UsageError) as caught:
        arguments.parse(words)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_no_words_open_the_window():
    assert arguments.parse([]) == OpenWindow()


def test_a_prompt_alone_leaves_everything_to_the_model():
    assert arguments.parse(["generate", "a cat"]) == GeneratePictures(prompt="a cat")


def test_every_option_arrives():
    words = [
        "generate",
        "--negative",
        "blurry",
        "--seed",
        "18446744073709551615",
        "--steps",
        "20",
        "--size",
        "320x192",
        "--guidance",
        "3.5",
        "--sampler",
        "euler",
        "--schedule",
        "uniform",
        "--count",
        "3",
        "--tile",
        "512",
        "--model",
        "big",
        "--device",
        "gpu:1",
        "-o",
        "out/cat.png",
        "--json",
        "--no-metadata",
    ]
    assert arguments.parse([*words, "一只猫"]) == GeneratePictures(
        prompt="一只猫",
        negative_prompt="blurry",
        seed=MAX_SEED,
        steps=20,
        size=PictureSize(width=320, height=192),
        guidance_scale=3.5,
        sampler=Sampler.EULER,
        sigma_schedule=SigmaSchedule.UNIFORM,
        image_count=3,
        decode_tile=512,
        model="big",
        device=DevicePreference.GPU,
        device_index=1,
        output=Path("out/cat.png"),
        is_json=True,
        has_metadata=False,
    )


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (["--tile", "auto"], "decode_tile", None),
        (["--tile", "off"], "decode_tile", 0),
        (["--device", "auto"], "device", DevicePreference.AUTO),
        (["--device", "cpu"], "device", DevicePreference.CPU),
        (["--device", "gpu"], "device", DevicePreference.GPU),
        (["--seed", "0"], "seed", 0),
        (["--guidance", "-1"], "guidance_scale", -1.0),
        (["--size=1024×768"], "size", PictureSize(width=1024, height=768)),
        (["--output", "folder"], "output", Path("folder")),
    ],
)
def test_values_that_are_allowed(words, field, value):
    command = arguments.parse(["generate", "a cat", *words])
    assert getattr(command, field) == value


def test_options_may_stand_before_the_prompt():
    command = arguments.parse(["generate", "--steps", "3", "a cat", "--json"])
    assert command == GeneratePictures(prompt="a cat", steps=3, is_json=True)


def test_a_prompt_may_begin_with_a_dash():
    assert arguments.parse(["generate", "--", "-odd"]) == GeneratePictures(prompt="-odd")
    assert arguments.parse(["generate", "-"]) == GeneratePictures(prompt="-")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--steps", "many"], ["--steps", '"many"', "whole numbers from 1 on"]),
        (["--steps", "0"], ["--steps", '"0"', "from 1 on"]),
        (["--steps", "9" * 5000], ["--steps", "from 1 on"]),
        (["--count", "0"], ["--count", '"0"', "from 1 on"]),
        (["--count", "1.5"], ["--count", '"1.5"', "whole numbers"]),
        (["--seed", "-1"], ["--seed", '"-1"', "0 to 18446744073709551615", "random"]),
        (["--seed", str(MAX_SEED + 1)], ["--seed", "0 to 18446744073709551615"]),
        (["--size", "256"], ["--size", '"256"', "256x256"]),
        (["--size", "0x256"], ["--size", '"0x256"']),
        (["--guidance", "nan"], ["--guidance", '"nan"', "3.5"]),
        (["--guidance", "7,5"], ["--guidance", '"7,5"', "3.5"]),
        (["--sampler", "ddim"], ["--sampler", '"ddim"', "euler, dpmpp_2m"]),
        (["--schedule", "karras"], ["--schedule", '"karras"', "shifted, uniform"]),
        (["--tile", "-1"], ["--tile", '"-1"', "auto, off"]),
        (["--device", "tpu"], ["--device", '"tpu"', "auto, cpu, gpu"]),
        (["-o", ""], ["--output", '""', ".png"]),
        (["--steps"], ["--steps", "a value is missing"]),
        (["--stpes", "3"], ["--stpes", "did you mean --steps?"]),
        (["--xyzzy"], ["--xyzzy", "--help"]),
        (["more"], ['"more"', "quotes"]),
    ],
)
def test_a_wrong_value_is_one_line_with_option_value_and_what_is_allowed(words, parts):
    text = mistake("generate", "a cat", *words)
    assert text.startswith("danqing generate: ")
    assert [part for part in parts if part not in text] == []


@pytest.mark.parametrize("prompt", ["", "   ", "\n"])
def test_an_empty_prompt_is_a_mistake(prompt):
    assert "PROMPT: it is empty" in mistake("generate", prompt)


def test_no_prompt_is_a_mistake_with_an_example():
    assert 'PROMPT is missing; for example: danqing generate "' in mistake("generate")


def test_bytes_that_are_no_text_are_a_mistake():
    assert "PROMPT: this is not valid UTF-8" in mistake("generate", "\udcff")
    assert "--negative: this is not valid UTF-8" in mistake(
        "generate", "a cat", "--negative", "\udcff"
    )


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["generat", "a cat"], ['"generat"', "did you mean danqing generate?"]),
        (["an orange cat"], ['danqing generate "an orange cat"']),
        (["猫"], ['danqing generate "猫"']),
        (["xyzzy"], ['"xyzzy"', "generate, batch, models"]),
        (["--verison"], ["--verison", "did you mean --version?"]),
        (["models"], ["ACTION", "allowed: list"]),
        (["models", "burn"], ['"burn"', "allowed: list"]),
    ],
)
def test_unknown_commands_get_a_suggestion(words, parts):
    text = mistake(*words)
    assert [part for part in parts if part not in text] == []


def test_models_list():
    assert arguments.parse(["models", "list"]) == ListModels()
    assert arguments.parse(["models", "list", "--json"]) == ListModels(is_json=True)


def test_version():
    assert arguments.parse(["--version"]) == ShowText(f"danqing {__version__}\n")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--help"], ["generate PROMPT", "models list", "exit status", "DANQING_LOG"]),
        (["-h"], ["--version"]),
        (["generate", "--help"], ["PROMPT", "--seed N", "examples:", "一只橙色的猫"]),
        (["models", "-h"], ["models list"]),
        (["generate", "--nonsense", "--help"], ["--seed N"]),
    ],
)
def test_help_explains(words, parts):
    answer = arguments.parse(words)
    assert isinstance(answer, ShowText)
    assert [part for part in parts if part not in answer.text] == []
    assert max(map(len, answer.text.splitlines())) <= 80


def test_every_option_is_explained():
    answer = arguments.parse(["generate", "--help"])
    assert isinstance(answer, ShowText)
    for option in set(arguments.OPTION_OF_NAME.values()) - {"PROMPT"}:
        assert f"  {option} " in answer.text
