"""Names and shapes: exactly what the network needs, or a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from engine.port import EngineError, EngineFault, ErrorCode
from engine.weights.architectures import Architecture, recognise
from engine.weights.component import StoredTensor, read_component
from engine.weights.faults import Reason
from engine.weights.headers import TensorHeader
from engine.weights.matching import match

FOLDER = Path("model/transformer")
FILE = FOLDER / "model.safetensors"
EXPECTED = {"a.weight": (2, 3), "b.weight": (4,), "c.weight": ()}


def stored(shapes: Mapping[str, tuple[int, ...]], dtype: str = "F16") -> Mapping[str, StoredTensor]:
    return {
        name: StoredTensor(file=FILE, header=TensorHeader(dtype=dtype, shape=shape, begin=8, end=8))
        for name, shape in shapes.items()
    }


def refusal(tensors: Mapping[str, StoredTensor], ignore: Sequence[str] = ()) -> EngineError:
    with pytest.raises(EngineFault) as caught:
        match(FOLDER, tensors, EXPECTED, ignore=ignore)
    error = caught.value.error
    assert error.facts["file"] == str(FILE)
    return error


def test_equal_names_and_shapes_match() -> None:
    assert match(FOLDER, stored(EXPECTED), EXPECTED) == {name: name for name in EXPECTED}


@pytest.mark.parametrize("dtype", ["F64", "F32", "F16", "BF16"])
def test_float_formats_match(dtype: str) -> None:
    assert match(FOLDER, stored(EXPECTED, dtype), EXPECTED)


def test_the_longest_prefix_is_taken_off() -> None:
    tensors = stored({f"language_model.model.{name}": shape for name, shape in EXPECTED.items()})
    prefixes = ("language_model.", "language_model.model.", "model.")
    sources = match(FOLDER, tensors, EXPECTED, strip_prefixes=prefixes)
    assert sources["a.weight"] == "language_model.model.a.weight"


def test_two_spellings_of_one_name_are_refused() -> None:
    tensors = stored({**EXPECTED, "model.a.weight": (2, 3)})
    with pytest.raises(EngineFault) as caught:
        match(FOLDER, tensors, EXPECTED, strip_prefixes=("model.",))
    facts = caught.value.error.facts
    assert (facts["reason"], facts["tensor"]) == (Reason.DUPLICATE_TENSOR, "model.a.weight")


@pytest.mark.parametrize("entry", ["vision_tower.", "vision_tower.*", "*.patch_conv.weight"])
def test_ignored_names_may_be_there(entry: str) -> None:
    tensors = stored({**EXPECTED, "vision_tower.patch_conv.weight": (16, 3)})
    assert set(match(FOLDER, tensors, EXPECTED, ignore=[entry])) == set(EXPECTED)


def test_ignoring_applies_after_a_prefix_is_off_too() -> None:
    tensors = stored({"model.norm.weight": (3,), **{f"model.{n}": s for n, s in EXPECTED.items()}})
    assert match(FOLDER, tensors, EXPECTED, strip_prefixes=["model."], ignore=["norm."])


def test_what_is_expected_is_never_ignored() -> None:
    assert set(match(FOLDER, stored(EXPECTED), EXPECTED, ignore=["a.", "b."])) == set(EXPECTED)


def test_a_missing_tensor_is_named() -> None:
    error = refusal(stored({name: EXPECTED[name] for name in ("a.weight", "c.weight")}))
    assert error.code is ErrorCode.MODEL_CORRUPT
    assert error.facts["reason"] == Reason.TENSOR_MISSING
    assert (error.facts["tensor"], error.facts["count"]) == ("b.weight", 1)


def test_an_unexpected_tensor_is_named() -> None:
    error = refusal(stored({**EXPECTED, "d.weight": (1,), "e.weight": (1,)}))
    assert error.code is ErrorCode.MODEL_CORRUPT
    assert error.facts["reason"] == Reason.TENSOR_UNEXPECTED
    assert (error.facts["tensor"], error.facts["count"]) == ("d.weight", 2)


@pytest.mark.parametrize("shape", [(3, 2), (2, 3, 1), (6,), ()])
def test_a_mis_shaped_tensor_is_named(shape: tuple[int, ...]) -> None:
    error = refusal(stored({**EXPECTED, "a.weight": shape}))
    assert error.code is ErrorCode.MODEL_CORRUPT
    assert error.facts["reason"] == Reason.TENSOR_SHAPE
    assert (error.facts["tensor"], error.facts["expected"]) == ("a.weight", "2x3")
    assert error.facts["found"] == ("x".join(map(str, shape)) or "scalar")


@pytest.mark.parametrize("dtype", ["F8_E4M3", "I64", "BOOL", "F4"])
def test_other_number_formats_are_named(dtype: str) -> None:
    error = refusal({**stored(EXPECTED), **stored({"b.weight": (4,)}, dtype)})
    assert error.code is ErrorCode.MODEL_UNSUPPORTED
    assert error.facts["reason"] == Reason.TENSOR_DTYPE
    assert (error.facts["tensor"], error.facts["found"]) == ("b.weight", dtype)


def test_number_formats_of_ignored_tensors_do_not_matter() -> None:
    extra = stored({"bn.num_batches_tracked": ()}, "I64")
    assert match(FOLDER, {**stored(EXPECTED), **extra}, EXPECTED, ignore=["bn.num_batches"])


FOREIGN = {
    Architecture.STABLE_DIFFUSION_XL: [
        "model.diffusion_model.input_blocks.0.0.weight",
        "conditioner.embedders.0.transformer.text_model.final_layer_norm.weight",
    ],
    Architecture.STABLE_DIFFUSION: [
        "model.diffusion_model.input_blocks.0.0.weight",
        "cond_stage_model.transformer.text_model.final_layer_norm.weight",
    ],
    Architecture.FLUX: ["double_blocks.0.img_attn.qkv.weight", "single_blocks.0.linear1.weight"],
    Architecture.KL_VAE: ["decoder.conv_in.weight", "decoder.up_blocks.0.resnets.0.conv1.weight"],
    Architecture.LORA: ["transformer.layers.0.self_attention.to_q.lora_A.weight"],
    Architecture.T5_TEXT_ENCODER: ["encoder.block.0.layer.0.SelfAttention.q.weight"],
    Architecture.UNKNOWN: ["something.else"],
}


@pytest.mark.parametrize("found", FOREIGN)
def test_another_models_file_is_recognised(found: Architecture) -> None:
    error = refusal(stored(dict.fromkeys(FOREIGN[found], (1,))))
    assert error.code is ErrorCode.MODEL_UNSUPPORTED
    assert error.facts["reason"] == Reason.WRONG_ARCHITECTURE
    assert error.facts["found"] == found
    assert FOREIGN[found][0] in error.detail


@pytest.mark.parametrize(
    ("component", "found"),
    [
        ("transformer", Architecture.ERNIE_IMAGE_TRANSFORMER),
        ("vae", Architecture.FLUX_2_VAE),
        ("text_encoder", Architecture.MISTRAL_TEXT_ENCODER),
    ],
)
def test_our_own_networks_are_recognised(
    starter_model: Path, component: str, found: Architecture
) -> None:
    assert recognise(read_component(starter_model / component)) is found
