"""The forms of other programs, case by case; the letters are those of the collection of cases."""

from __future__ import annotations

import gzip
import io
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

from desktop.store.metadata import ImageMetadata, exif
from desktop.store.metadata.exif import decode_user_comment
from desktop.store.metadata.reader import read_text
from tests.desktop.store.metadata.pictures import (
    chunk,
    commented,
    compressed,
    jpeg,
    png,
    read_bytes,
    read_texts,
    text,
)


def notes(found: ImageMetadata) -> list[str]:
    return [str(note) for note in found.warnings]


def settings(found: ImageMetadata) -> tuple[Any, ...]:
    return (found.steps, found.sampler, found.cfg, found.seed, found.width, found.height)


# --- A: the A1111 text ----------------------------------------------------------------------------

A1111 = [
    pytest.param(
        "a, b, \nc, テスト\n\nNegative prompt: x, y, \n\nSteps: 20, Sampler: DPM++ 2M, Schedule "
        "type: Karras, CFG scale: 7, Seed: 3782896554, Size: 1024x1024, Version: v1.10.1",
        "a, b, \nc, テスト", "x, y,", (20, "DPM++ 2M", 7, 3782896554, 1024, 1024), id="A1",
    ),
    pytest.param(
        "p\nSteps: 20, Size: 1024x1024, Sampler: DDIM, Seed: 2, CFG scale: 6, App: SD.Next",
        "p", None, (20, "DDIM", 6, 2, 1024, 1024), id="A7 other order",
    ),
    pytest.param(
        "a, \r\nb\r\n\nNegative prompt: x\r\n\nSteps: 20, Sampler: Euler Ancestral Karras, CFG "
        "scale: 5, Seed: 395309383, Size: 1024x1024",
        "a, \nb", "x", (20, "Euler Ancestral Karras", 5, 395309383, 1024, 1024), id="A9 CRLF",
    ),
    pytest.param(
        'duck photo\nNegative prompt: mono\nSteps: 15, Sampler: UniPC, CFG scale: 5, Hashes: '
        '{"vae": "c6", "lora:x": "Seed: 1"}, Seed: 235284042, Size: 512x400, Version: v1.x',
        "duck photo", "mono", (15, "UniPC", 5, 235284042, 512, 400), id="A11 bare JSON",
    ),
    pytest.param(
        "p\nSteps: 4, Sampler: , CFG scale: 1, Seed: 3", "p", None,
        (4, None, 1, 3, 16, 16), id="A13b empty value",
    ),
    pytest.param(
        "p\nSteps: 4, Sampler: A,,,,,, CFG scale: 1,,, Seed: 3,,,,", "p", None,
        (4, "A", 1, 3, 16, 16), id="A15 runs of commas",
    ),
    pytest.param(
        "p\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 3589107295, Size: 1024x1028, ENSD: 3",
        "p", None, (20, "Euler a", 7, 3589107295, 1024, 1028), id="A19 no negative",
    ),
    pytest.param(
        'p\nSteps: 50, CFG scale: 5, Seed: 51, Size: 8x8, Comment: "https://host.example/x?a=1,2"',
        "p", None, (50, None, 5, 51, 8, 8), id="A21 no sampler",
    ),
    pytest.param(
        "how to read Steps: 5, Sampler: x\nNegative prompt: n\nSteps: 20, Sampler: Euler, "
        "CFG scale: 7",
        "how to read Steps: 5, Sampler: x", "n", (20, "Euler", 7, None, 16, 16), id="A27",
    ),
    pytest.param(
        "\ufeffp\nSteps: 20, Sampler: Euler, Seed: 1\x00", "p", None,
        (20, "Euler", None, 1, 16, 16), id="A31 mark and NUL",
    ),
    pytest.param(
        "a cat, Negative prompt: dog, bad, Steps: 20, Sampler: Euler, CFG scale: 7, Seed: 5",
        "a cat", "dog, bad", (20, "Euler", 7, 5, 16, 16), id="all in one line",
    ),
    pytest.param(
        "p\nSampler: Euler, CFG scale: 7.5, Seed: 5, Size: 8x9", "p", None,
        (None, "Euler", 7.5, 5, 8, 9), id="no steps",
    ),
    pytest.param(
        "p\nNegative prompt: n\nSteps: 20, Sampler: Euler, Note: one\ntwo, CFG scale: 7, Seed: 5",
        "p", "n", (20, "Euler", 7, 5, 16, 16), id="line break in a value",
    ),
    pytest.param(
        "p\nSteps: 20, Sampler: Euler, CFG scale: 7, Seed: 5\nTemplate: {a|b}, Steps: 3\n",
        "p", None, (20, "Euler", 7, 5, 16, 16), id="lines behind",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "prompt", "negative", "values"), A1111)
def test_a1111(tmp_path, parameters, prompt, negative, values):
    for data in (png(text("parameters", parameters)), commented(parameters)):
        found = read_bytes(tmp_path, data)
        assert (found.prompt, found.negative_prompt) == (prompt, negative)
        assert settings(found) == values


def test_of_two_equal_keys_the_first_counts_and_the_second_is_told():  # A13
    found = read_text("p\nSteps: 30, Sampler: A, Seed: 1, Steps: 40, Sampler: B, Seed: 2")
    assert settings(found)[:4] == (30, "A", None, 1)
    assert "Seed is there twice; the first one was taken." in notes(found)


def test_keys_are_whole_words():  # A5, A17
    found = read_text(
        "p\nSteps: 9, Sampler: A, Seed: 1, Model: m, ADetailer denoising strength: 0.5, ADetailer "
        "Version: Neo, Lora_0 Model name: x.safetensors, Hires steps: 3, Version: neo-2.28"
    )
    assert (found.software, found.model, found.steps) == ("forge-neo", "m", 9)


def test_words_in_place_of_numbers_are_unknown():  # A23b
    found = read_text("p\nSteps: Steps, CFG scale: CFG scale, Seed: Seed, Size: Size")
    assert (found.prompt, *settings(found)) == ("p", None, None, None, None, None, None)
    assert "Steps is not a number." in notes(found)


def test_a_recipe_is_no_setting():  # A25
    recipe = "recipe: flour, steps: 3, oven: hot"
    found = read_text(recipe)
    assert (found.prompt, found.steps) == (recipe, None)


@pytest.mark.parametrize(
    ("version", "software"),
    [
        ("v1.10.1", "sd-webui"),
        ("f2.0.1v1.10.1-previous-669-gdfdcbab6", "forge"),
        ("f1.0.0v2-v1.10.1RC-latest-2164-ge2cbeb3", "reforge"),
        ("f0.0.17-v1.10.1RC", "easy-reforge"),
        ("classic", "forge-classic"),
        ("neo", "forge-neo"),
        ("Fooocus v2.5.5", "fooocus"),
        ("ComfyUI", "comfyui"),
    ],
)
def test_who_wrote_it(version, software):
    assert read_text(f"p\nSteps: 1, Sampler: A, Version: {version}").software == software


@pytest.mark.parametrize("seed", [0, 2**32 - 1, 2**53 + 1, 2**64 - 1, -1])
def test_seeds_are_exact(tmp_path, seed):
    assert read_text(f"p\nSteps: 1, Seed: {seed}").seed == seed
    graph = {"1": node("KSampler", seed=seed, steps=1, cfg=1, positive=["2", 0])}
    assert read_texts(tmp_path, [("prompt", json.dumps(graph))]).seed == seed


@pytest.mark.parametrize(("cfg", "value"), [("7", 7), ("7.0", 7), ("3.5", 3.5)])
def test_guidance(cfg, value):
    assert read_text(f"p\nSteps: 1, CFG scale: {cfg}").cfg == value


# --- B: graphs ------------------------------------------------------------------------------------


def node(kind: str, **inputs: object) -> dict[str, object]:
    return {"class_type": kind, "inputs": inputs}


SIMPLE = {
    "3": node("KSampler", seed=1102676403634909, steps=20, cfg=8.0, sampler_name="dpmpp_2m",
              scheduler="normal", model=["4", 0], positive=["6", 0], negative=["7", 0],
              latent_image=["5", 0]),
    "4": node("CheckpointLoader", config_name="v1", ckpt_name="models\\a.safetensors"),
    "5": node("EmptyLatentImage", width=768, height=512),
    "6": node("CLIPTextEncode", text="q\n(cat:1.2) on x", clip=["4", 1]),
    "7": node("CLIPTextEncode", text="", clip=["4", 1]),
    "8": node("VAEDecode", samples=["3", 0]),
    "9": node("SaveImage", images=["8", 0]),
}  # fmt: skip


def changed(**nodes: object) -> dict[str, object]:
    return {**SIMPLE, **{key.strip("_"): value for key, value in nodes.items()}}


def graph(tmp_path, nodes: object) -> ImageMetadata:
    return read_texts(tmp_path, [("prompt", json.dumps(nodes))])


def test_the_oldest_form(tmp_path):  # B11
    found = graph(tmp_path, SIMPLE)
    assert settings(found) == (20, "dpmpp_2m", 8.0, 1102676403634909, 768, 512)
    assert (found.prompt, found.negative_prompt) == ("q\n(cat:1.2) on x", "")
    assert (found.scheduler, found.model) == ("normal", "a.safetensors")


@pytest.mark.parametrize("width", [["99", 0], None, "None", [], {"a": 1}, -5, True, 10**30])
def test_a_size_that_is_no_number_is_the_files(tmp_path, width):  # B5, B7
    found = graph(tmp_path, changed(_5=node("EmptyLatentImage", width=width, height=width)))
    assert (found.width, found.height) == (16, 16)


def test_values_through_links_and_joined_texts(tmp_path):
    found = graph(
        tmp_path,
        changed(
            _3=node("KSampler", seed=["20", 0], steps=["21", 0], cfg=["22", 0],
                    sampler_name=["23", 0], scheduler="simple", positive=["24", 0],
                    negative=["26", 0], latent_image=["5", 0], model=["4", 0]),
            _20=node("Seed (rgthree)", seed=5), _21=node("PrimitiveInt", value=8),
            _22=node("PrimitiveFloat", value=1.5), _23=node("Any", value="euler"),
            _24=node("FluxGuidance", conditioning=["25", 0], guidance=3.5),
            _25=node("CLIPTextEncode", text=["27", 0]),
            _26=node("ConditioningZeroOut", conditioning=["25", 0]),
            _27=node("StringConcatenate", string_a="a cat", string_b=["28", 0], delimiter=", "),
            _28=node("PrimitiveString", value="a dog"),
        ),
    )  # fmt: skip
    assert settings(found)[:4] == (8, "euler", 1.5, 5)
    assert (found.prompt, found.negative_prompt) == ("a cat, a dog", "")


@pytest.mark.parametrize(("switch", "prompt"), [(True, "long"), (False, "short")])
def test_texts_through_switches_and_subgraphs(tmp_path, switch, prompt):  # B5
    found = graph(
        tmp_path,
        {
            "30:8": node("KSampler", seed=3, steps=8, cfg=1, sampler_name="euler",
                         positive=["30:6", 0], negative=["30:7", 0], latent_image=["30:5", 0]),
            "30:5": node("EmptyLatentImage", width=["40", 0], height=["40", 1]),
            "40": node("ResolutionSelector", aspect_ratio="1:1 (Square)", megapixels=1.0),
            "30:6": node("CLIPTextEncode", text=["41", 0]),
            "30:7": node("ConditioningZeroOut", conditioning=["30:6", 0]),
            "41": node("ComfySwitchNode", switch=switch, on_true=["42", 0], on_false=["43", 0]),
            "42": node("PreviewAny", source=["44", 0]),
            "43": node("PrimitiveStringMultiline", value="short"),
            "44": node("TextGenerate", prompt="long"),
            "9": node("SaveImage", images=["30:8", 0]),
        },
    )  # fmt: skip
    assert (found.prompt, found.negative_prompt) == (prompt, "")
    assert settings(found) == (8, "euler", 1, 3, 16, 16)


def test_the_first_of_two_passes_counts(tmp_path):
    second = node("KSampler", seed=9, steps=5, cfg=2, sampler_name="euler", positive=["6", 0],
                  negative=["7", 0], latent_image=["11", 0])  # fmt: skip
    found = graph(
        tmp_path,
        changed(
            _8=node("VAEDecode", samples=["10", 0]),
            _10=second,
            _11=node("LatentUpscale", samples=["3", 0], width=2048, height=2048),
        ),
    )
    assert settings(found) == (20, "dpmpp_2m", 8.0, 1102676403634909, 768, 512)


def test_cycles_and_links_to_nowhere(tmp_path):
    found = graph(
        tmp_path,
        changed(
            _6=node("A", text=["7", 0]), _7=node("B", text=["6", 0]), _5=node("C", samples=["3", 0])
        ),
    )
    assert (found.prompt, found.seed) == (None, 1102676403634909)
    assert "No prompt was found." in notes(found)


def test_a_graph_without_a_sampler_says_so(tmp_path):
    found = graph(tmp_path, {"1": node("LoadImage", image="x"), "2": node("SaveImage")})
    assert found.software == "comfyui"
    assert notes(found)[0] == "ComfyUI graph of 2 nodes without a sampler."


def test_nan_and_nulls_at_the_end(tmp_path):
    broken = json.dumps(SIMPLE).replace("8.0", "NaN") + "\x00"
    found = read_texts(tmp_path, [("prompt", broken)])
    assert (found.cfg, found.steps) == (None, 20)


WORKFLOW = {
    "nodes": [
        {"id": 3, "type": "KSampler", "inputs": [
            {"name": "positive", "link": 1}, {"name": "negative", "link": 2},
            {"name": "latent_image", "link": 3}],
         "widgets_values": [77, "randomize", 12, 3.5, "euler", "simple", 1]},
        {"id": 5, "type": "EmptyLatentImage", "widgets_values": [640, 480, 1]},
        {"id": 6, "type": "CLIPTextEncode", "widgets_values": ["a fox"]},
        {"id": 7, "type": "CLIPTextEncode", "widgets_values": ["a hen"]},
        {"id": 9, "type": "SaveImage", "inputs": [{"name": "images", "link": 4}]},
    ],
    "links": [[1, 6, 0, 3, 0, "CONDITIONING"], [2, 7, 0, 3, 1, "CONDITIONING"],
              [3, 5, 0, 3, 2, "LATENT"], [4, 3, 0, 9, 0, "IMAGE"]],
}  # fmt: skip


def test_the_windows_own_form_alone(tmp_path):
    found = read_texts(tmp_path, [("workflow", json.dumps(WORKFLOW))])
    assert settings(found) == (12, "euler", 3.5, 77, 640, 480)
    assert (found.prompt, found.negative_prompt, found.scheduler) == ("a fox", "a hen", "simple")


def test_a_random_seed_gives_way_to_the_graphs(tmp_path):  # B9
    data = {"prompt": "p", "negativePrompt": "n", "seed": "-1", "steps": 25, "cfgScale": 7}
    texts = [("generation_data", json.dumps(data) + "\x00"), ("prompt", json.dumps(SIMPLE))]
    found = read_texts(tmp_path, texts)
    assert (found.software, found.prompt, found.seed) == ("tensorart", "p", 1102676403634909)
    assert (found.steps, found.sampler) == (25, "dpmpp_2m")


# --- C: JSON and other schemes --------------------------------------------------------------------

OLD_INVOKEAI = {
    "model_weights": "sd-1.5",
    "image": {
        "prompt": [{"prompt": "a cat", "weight": 1}, {"prompt": "[dog, hen]", "weight": 1}],
        "steps": 35, "cfg_scale": 8, "seed": 3293022630, "width": 512, "height": 768,
        "sampler": "k_euler",
    },
}  # fmt: skip
FOOOCUS = {
    "prompt": "a", "negative_prompt": "b", "resolution": "(1152, 896)", "seed": "123", "steps": 30,
    "guidance_scale": 4.0, "sampler": "dpmpp_2m", "scheduler": "karras", "base_model": "j",
    "loras": [["n", 0.1]], "full_prompt": ["a"],
}  # fmt: skip
NOVELAI = {"uc": "b", "steps": 23, "scale": 12, "seed": 4028746890, "sampler": "ddim"}
SWARMUI = {"prompt": "a", "negativeprompt": "b", "seed": 7, "cfgscale": 7.0, "steps": 20,
           "sampler": "euler", "width": 8, "height": 9}  # fmt: skip
DRAW_THINGS = {"c": "a", "uc": "b", "scale": 4, "seed": 5, "steps": 8, "size": "512x768",
               "sampler": "Euler a", "model": "m.ckpt"}  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "software", "prompt", "negative", "values"),
    [
        ([("Comment", '{"prompt": "a", "seed": 3, "steps": 4, "guidance": 3.5, "width": 8}')],
         "other", "a", None, (4, None, 3.5, 3, 16, 16)),
        ([("sd-metadata", json.dumps(OLD_INVOKEAI))], "invokeai", "a cat,", "dog, hen",
         (35, "k_euler", 8, 3293022630, 512, 768)),
        ([("Dream", '"a cat [dog]" -s 50 -S 42 -W 512 -H 768 -C 5 -A k_lms')], "invokeai",
         "a cat", "dog", (50, "k_lms", 5, 42, 512, 768)),
        ([("fooocus_scheme", "fooocus"), ("parameters", json.dumps(FOOOCUS))], "fooocus",
         "a", "b", (30, "dpmpp_2m", 4, 123, 1152, 896)),
        ([("Software", "NovelAI"), ("Description", "a"), ("Comment", json.dumps(NOVELAI))],
         "novelai", "a", "b", (23, "ddim", 12, 4028746890, 16, 16)),
        ([("parameters", json.dumps({"sui_image_params": SWARMUI}))],
         "swarmui", "a", "b", (20, "euler", 7, 7, 8, 9)),
        ([("prompt", "a"), ("negative_prompt", "b"), ("seed", "7"), ("num_inference_steps", "25"),
          ("guidance_scale", "7.5"), ("sampler_name", "euler"), ("width", "8"), ("height", "9"),
          ("use_stable_diffusion_model", "C:\\m\\sd")], "easydiffusion", "a", "b",
         (25, "euler", 7.5, 7, 8, 9)),
    ],
    ids=["mflux", "old InvokeAI", "Dream", "Fooocus", "first NovelAI", "SwarmUI", "Easy Diffusion"],
)  # fmt: skip
def test_schemes(tmp_path, texts, software, prompt, negative, values):
    found = read_texts(tmp_path, texts)
    assert (found.software, found.prompt, found.negative_prompt) == (software, prompt, negative)
    assert settings(found) == values


def xmp_of(body: str) -> bytes:
    return (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-'
        'syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:exif='
        '"http://ns.adobe.com/exif/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">'
        f"{body}</rdf:Description></rdf:RDF></x:xmpmeta>"
    ).encode()


def in_xmp(body: str) -> bytes:
    return jpeg((0xE1, b"http://ns.adobe.com/xap/1.0/\x00" + xmp_of(body)))


def alternatives(text: str) -> str:
    return f'<rdf:Alt><rdf:li xml:lang="x-default">{text}</rdf:li></rdf:Alt>'


def test_draw_things_text(tmp_path):  # C13
    words = (
        "a (b) [c]&#10;-d, (e), [f], &lt;g_h&gt;&#10;Steps: 10, Sampler: DDIM, Guidance Scale: "
        "10.0, Seed: 1177739245, Size: 1152x768, Model: sd_v1.4_f16.ckpt, First Stage Size: 768x512"
    )
    body = (
        "<xmp:CreatorTool>Draw Things</xmp:CreatorTool>"
        f"<dc:description>{alternatives(words)}</dc:description>"
    )
    found = read_bytes(tmp_path, in_xmp(body))
    assert (found.software, found.prompt) == ("draw-things", "a (b) [c]")
    assert found.negative_prompt == "d, (e), [f], <g_h>"
    assert settings(found) == (10, "DDIM", 10.0, 1177739245, 1152, 768)


def test_draw_things_json(tmp_path):
    body = f"<exif:UserComment>{alternatives(json.dumps(DRAW_THINGS))}</exif:UserComment>"
    found = read_bytes(tmp_path, in_xmp(body))
    assert (found.software, found.prompt, found.negative_prompt) == ("draw-things", "a", "b")
    assert settings(found) == (8, "Euler a", 4, 5, 512, 768)


def test_mochi(tmp_path):  # C15
    caption = (
        b"Include in Image: a; b; Exclude from Image: c; Model: m; Steps: 20; Guidance Scale: 7.5; "
        b"Seed: 1; Size: 512x640; Scheduler: DPM"
    )
    iptc = b"\x1c\x02\x78" + len(caption).to_bytes(2, "big") + caption
    data = b"Photoshop 3.0\x008BIM\x04\x04\x00\x00" + len(iptc).to_bytes(4, "big") + iptc
    found = read_bytes(tmp_path, jpeg((0xED, data)))
    assert (found.software, found.prompt, found.negative_prompt) == ("mochi-diffusion", "a; b", "c")
    assert settings(found) == (20, "DPM", 7.5, 1, 512, 640)


# --- where texts stand ----------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["utf-16-be", "utf-16-le"])
def test_user_comments_of_either_byte_order(order):
    words = "猫\nSteps: 20, Seed: 1"
    assert decode_user_comment(b"UNICODE\x00" + words.encode(order)) == words


def test_user_comments_of_other_kinds():
    assert decode_user_comment(b"ASCII\x00\x00\x00caf\xe9") == "café"
    assert decode_user_comment(bytes(8) + "猫".encode()) == "猫"
    assert decode_user_comment(b"UNICODE\x00" + "猫, Steps".encode()) == "猫, Steps"
    assert decode_user_comment("no prefix 猫".encode()) == "no prefix 猫"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_text_chunks_in_utf8_or_latin1(tmp_path, encoding):
    words = "déjà vu\nSteps: 20, Seed: 1"
    assert read_texts(tmp_path, [("parameters", words.encode(encoding))]).prompt == "déjà vu"


def test_compressed_texts_and_exif_in_a_png(tmp_path):
    words = "a cat\nSteps: 20, Seed: 1"
    for data in (
        png(compressed("parameters", words.encode())),
        png(chunk(b"eXIf", exif.user_comment(words))),
    ):
        assert read_bytes(tmp_path, data).prompt == "a cat"


def hidden(words: str, signature: bytes, kind: str) -> bytes:
    """A picture with `words` in its lowest bits, column by column."""
    rng = np.random.default_rng(7)
    pixels = rng.integers(0, 256, (160, 96, 4), dtype=np.uint8)
    pixels[:, :, 3] = 255
    data = gzip.compress(words.encode()) if signature.endswith(b"comp") else words.encode()
    bits = np.unpackbits(
        np.frombuffer(signature + (len(data) * 8).to_bytes(4, "big") + data, np.uint8)
    )
    is_alpha = b"png" in signature
    columns = np.swapaxes(pixels, 0, 1)
    plane = np.ascontiguousarray(columns[:, :, 3:] if is_alpha else columns[:, :, :3])
    flat = plane.reshape(-1)
    flat[: len(bits)] = (flat[: len(bits)] & 0xFE) | bits
    if is_alpha:
        pixels[:, :, 3:] = np.swapaxes(plane, 0, 1)
    else:
        pixels[:, :, :3] = np.swapaxes(plane, 0, 1)
    buffer = io.BytesIO()
    picture = Image.fromarray(pixels if is_alpha else np.ascontiguousarray(pixels[:, :, :3]))
    picture.save(buffer, kind, **({"lossless": True, "exact": True} if kind == "WEBP" else {}))
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
@pytest.mark.parametrize(
    "signature", [b"stealth_pnginfo", b"stealth_pngcomp", b"stealth_rgbinfo", b"stealth_rgbcomp"]
)
def test_texts_in_pixels(tmp_path, kind, signature):
    found = read_bytes(tmp_path, hidden("猫\nSteps: 20, Seed: 1", signature, kind))
    assert (found.prompt, found.seed, found.source) == ("猫", 1, "stealth:parameters")


def test_novelai_in_pixels(tmp_path):
    words = json.dumps({"Software": "NovelAI", "Description": "a", "Comment": json.dumps(NOVELAI)})
    found = read_bytes(tmp_path, hidden(words, b"stealth_pngcomp", "PNG"))
    assert (found.software, found.prompt, found.seed) == ("novelai", "a", 4028746890)
