"""Finding models: what is one, what it is called, and what else a user may point at."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import manifest
from engine.catalog import Catalog
from engine.port import (
    EngineError,
    EngineFault,
    ErrorCode,
    ModelFamily,
    ModelId,
    PictureSize,
    Sampler,
    SigmaSchedule,
)
from engine.weights import Architecture, Reason
from tests.engine.weights.stored import write

ONE = {"w": np.zeros((1,), np.float32)}
SCHEDULER = "scheduler/scheduler_config.json"


def copy_model(source: Path, target: Path, *, with_manifest: bool = False) -> Path:
    """The model's small files, with tiny files in place of its weights."""
    ignored = shutil.ignore_patterns("*.safetensors", *([] if with_manifest else [manifest.NAME]))
    shutil.copytree(source, target, ignore=ignored)
    for network in ("text_encoder", "transformer", "vae"):
        write(target / network / "model.safetensors", ONE)
    return target


def change_json(path: Path, **changes: Any) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**content, **changes}), encoding="utf-8")


@pytest.fixture
def catalog(starter_model: Path, tmp_path: Path) -> Catalog:
    return Catalog(starter_model, [tmp_path / "models"])


@pytest.fixture
def user_model(starter_model: Path, tmp_path: Path) -> Path:
    """A model of the user's own, without a manifest, in the folder of models."""
    return copy_model(starter_model, tmp_path / "models" / "My ERNIE")


def refusal(catalog: Catalog, model: str | Path) -> EngineError:
    with pytest.raises(EngineFault) as caught:
        catalog.find(str(model))
    return caught.value.error


# --- what is there --------------------------------------------------------------------------------


def test_the_starter_model_is_first_and_described_by_its_manifest(
    catalog: Catalog, user_model: Path
) -> None:
    starter, own = catalog.models()
    assert (starter.model_id, starter.name, starter.is_demo) == ("starter", "Danqing Starter", True)
    assert starter.family is ModelFamily.ERNIE_IMAGE
    assert starter.defaults.size in starter.sizes
    assert {"en", "zh"} <= set(starter.example_prompts)
    assert own.name == "My ERNIE"


def test_a_model_without_manifest_has_the_families_defaults(
    catalog: Catalog, user_model: Path
) -> None:
    info = catalog.find(str(user_model))
    defaults = info.defaults
    assert (defaults.steps, defaults.guidance_scale) == (50, 4.0)
    assert (defaults.sampler, defaults.sigma_schedule) == (Sampler.EULER, SigmaSchedule.SHIFTED)
    assert info.sizes == ()
    assert (info.size_multiple, info.min_side, info.max_side) == (16, 256, 2048)
    assert PictureSize(width=848, height=1264) in info.recommended_sizes
    assert not info.is_demo


@pytest.mark.parametrize("sign", ["config", "folder name"])
def test_turbo_is_recognised(starter_model: Path, tmp_path: Path, sign: str) -> None:
    name = "ERNIE-Image-TURBO" if sign == "folder name" else "quick"
    folder = copy_model(starter_model, tmp_path / name)
    if sign == "config":
        change_json(folder / "transformer/config.json", lora_rank=4, use_lora=False)
    defaults = Catalog(starter_model, []).find(str(folder)).defaults
    assert (defaults.steps, defaults.guidance_scale) == (8, 1.0)
    assert defaults.sampler is Sampler.EULER


def test_the_released_configuration_is_accepted(starter_model: Path, tmp_path: Path) -> None:
    """Field values as published; see the golden folder's README."""
    folder = copy_model(starter_model, tmp_path / "ERNIE-Image")
    released = Path(__file__).parents[1] / "golden" / "ernie_image"
    shutil.copytree(released, folder, dirs_exist_ok=True)
    catalog = Catalog(starter_model, [])
    info = catalog.find(str(folder))
    configuration = catalog.configuration(info.model_id)
    assert configuration.shift == 4.0
    assert configuration.transformer["hidden_size"] == 4096
    assert configuration.text_encoder["text_config"]["num_hidden_layers"] == 26
    assert configuration.vae["latent_channels"] == 32
    assert configuration.preview_factors is None


def test_the_starters_configuration_is_its_own_json(catalog: Catalog, starter_model: Path) -> None:
    model_id = catalog.models()[0].model_id
    assert catalog.folder(model_id) == starter_model
    configuration = catalog.configuration(model_id)
    scheduler = json.loads((starter_model / SCHEDULER).read_text())
    assert configuration.shift == scheduler["shift"]
    text = (starter_model / "transformer/config.json").read_text()
    assert configuration.transformer == json.loads(text)


# --- ids ------------------------------------------------------------------------------------------


def test_an_id_is_stable_wherever_the_folder_lies(
    starter_model: Path, tmp_path: Path, user_model: Path
) -> None:
    elsewhere = tmp_path / "elsewhere" / user_model.name
    shutil.copytree(user_model, elsewhere)
    ids = {
        Catalog(starter_model, []).find(str(folder)).model_id for folder in (user_model, elsewhere)
    }
    [model_id] = ids
    assert model_id.startswith("my-ernie-")


@pytest.mark.parametrize("what", ["configuration", "weights"])
def test_an_id_changes_with_the_content(starter_model: Path, user_model: Path, what: str) -> None:
    before = Catalog(starter_model, []).find(str(user_model)).model_id
    if what == "configuration":
        change_json(user_model / "transformer/config.json", eps=1e-5)
    else:
        write(user_model / "vae/model.safetensors", {"w": np.zeros((2,), np.float32)})
    assert Catalog(starter_model, []).find(str(user_model)).model_id != before


def test_equal_models_in_two_places_have_different_ids(
    catalog: Catalog, tmp_path: Path, user_model: Path
) -> None:
    twin = tmp_path / "twin" / user_model.name
    shutil.copytree(user_model, twin)
    first, second = catalog.find(str(user_model)), catalog.find(str(twin))
    assert first.model_id != second.model_id
    assert catalog.folder(first.model_id) == user_model
    assert catalog.folder(second.model_id) == twin


def test_a_copy_of_the_starter_does_not_take_its_id(
    catalog: Catalog, starter_model: Path, tmp_path: Path
) -> None:
    copy = copy_model(starter_model, tmp_path / "models" / "copy", with_manifest=True)
    starter, other = catalog.models()
    assert catalog.folder(starter.model_id) == starter_model
    assert catalog.folder(other.model_id) == copy
    assert starter.model_id == "starter" != other.model_id


def test_a_model_is_found_by_id_in_a_new_catalog(
    starter_model: Path, tmp_path: Path, user_model: Path
) -> None:
    model_id = Catalog(starter_model, [tmp_path / "models"]).find(str(user_model)).model_id
    fresh = Catalog(starter_model, [tmp_path / "models"])
    assert fresh.find(model_id).model_id == model_id
    assert fresh.folder(model_id) == user_model


def test_a_folder_outside_is_known_by_its_id_once_found(
    catalog: Catalog, starter_model: Path, tmp_path: Path
) -> None:
    folder = copy_model(starter_model, tmp_path / "outside")
    info = catalog.find(str(folder))
    assert catalog.find(info.model_id) == info
    assert catalog.folder(info.model_id) == folder


def test_a_hugging_face_cache_gives_the_name_of_the_repository(
    starter_model: Path, tmp_path: Path
) -> None:
    snapshot = tmp_path / "models--baidu--ERNIE-Image-Turbo" / "snapshots" / ("0" * 40)
    info = Catalog(starter_model, []).find(str(copy_model(starter_model, snapshot)))
    assert info.name == "ERNIE-Image-Turbo"
    assert info.defaults.steps == 8


def test_the_index_file_stands_for_its_folder(catalog: Catalog, user_model: Path) -> None:
    assert catalog.find(str(user_model / "model_index.json")) == catalog.find(str(user_model))


def test_what_changes_on_disk_shows_at_once(catalog: Catalog, user_model: Path) -> None:
    info = catalog.find(str(user_model))
    shutil.rmtree(user_model)
    assert refusal(catalog, info.model_id).code is ErrorCode.MODEL_MISSING


# --- what is refused ------------------------------------------------------------------------------


def test_unknown_names_are_told_what_is_known(catalog: Catalog) -> None:
    error = refusal(catalog, "sdxl")
    assert error.code is ErrorCode.MODEL_MISSING
    assert error.facts == {"model": "sdxl", "known": "starter"}
    with pytest.raises(EngineFault) as caught:
        catalog.folder(ModelId("sdxl"))
    assert caught.value.error.code is ErrorCode.MODEL_MISSING


@pytest.mark.logs("not in the list of models")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("use_dynamic_shifting", True),
        ("stochastic_sampling", True),
        ("use_beta_sigmas", True),
        ("use_karras_sigmas", True),
        ("use_exponential_sigmas", True),
        ("invert_sigmas", True),
        ("shift_terminal", 0.1),
        ("num_train_timesteps", 500),
        ("shift", 0),
        ("shift", "4"),
        ("shift", 1e29),
        ("shift", 1e-29),
        ("stochastic_sampling", 0),
        ("_class_name", ["FlowMatchEulerDiscreteScheduler"]),
        ("use_new_sigmas", [1]),
        ("_class_name", "EulerDiscreteScheduler"),
    ],
)
def test_schedules_that_ours_is_not_are_refused_by_key_and_value(
    catalog: Catalog, user_model: Path, key: str, value: Any
) -> None:
    change_json(user_model / SCHEDULER, **{key: value})
    error = refusal(catalog, user_model)
    assert error.code is ErrorCode.MODEL_UNSUPPORTED
    assert error.facts["file"] == str(user_model / SCHEDULER)
    assert error.facts["found"] == f"{key}: {json.dumps(value)}"


def remove(*parts: str) -> Callable[[Path], None]:
    return lambda folder: folder.joinpath(*parts).unlink()


def replace(path: str, content: str) -> Callable[[Path], Any]:
    return lambda folder: (folder / path).write_text(content)


def only_pickles(folder: Path) -> None:
    (folder / "vae/model.safetensors").unlink()
    (folder / "vae/diffusion_pytorch_model.bin").write_bytes(b"\x80\x02.")


MISSING, CORRUPT = ErrorCode.MODEL_MISSING, ErrorCode.MODEL_CORRUPT
DAMAGES = {
    "no tokenizer": (remove("tokenizer", "tokenizer.json"), MISSING, None),
    "no weights": (remove("vae", "model.safetensors"), MISSING, None),
    "no scheduler": (remove("scheduler", "scheduler_config.json"), MISSING, None),
    "pickled weights": (only_pickles, ErrorCode.MODEL_UNSAFE, Reason.PICKLE_NAME),
    "lfs": (replace("vae/config.json", "version https://git-lfs\n"), CORRUPT, Reason.LFS_POINTER),
    "web page": (replace("model_index.json", "<html>"), CORRUPT, Reason.HTML_PAGE),
    "no json": (replace("transformer/config.json", "{"), CORRUPT, Reason.CONFIG_INVALID),
    "a list": (replace("transformer/config.json", "[]"), CORRUPT, Reason.CONFIG_INVALID),
    "no class": (replace("model_index.json", "{}"), CORRUPT, Reason.CONFIG_INVALID),
    "empty": (replace("model_index.json", ""), CORRUPT, Reason.EMPTY),
    "bad manifest": (replace("danqing.json", "{}"), CORRUPT, Reason.MANIFEST_INVALID),
}


@pytest.mark.logs("not in the list of models")
@pytest.mark.parametrize(("damage", "code", "reason"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_model_is_named_and_left_out_of_the_list(
    catalog: Catalog,
    user_model: Path,
    damage: Callable[[Path], Any],
    code: ErrorCode,
    reason: Reason | None,
) -> None:
    damage(user_model)
    error = refusal(catalog, user_model)
    assert (error.code, error.facts.get("reason")) == (code, reason)
    assert [model.model_id for model in catalog.models()] == ["starter"]


@pytest.mark.logs("not in the list of models")
def test_a_damaged_model_is_reported_once(
    catalog: Catalog, user_model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (user_model / "model_index.json").write_text("{")
    catalog.models()
    catalog.models()
    assert len(caplog.records) == 1


PIPELINES = {
    "StableDiffusionXLPipeline": Architecture.STABLE_DIFFUSION_XL,
    "StableDiffusionPipeline": Architecture.STABLE_DIFFUSION,
    "StableDiffusion3Pipeline": Architecture.STABLE_DIFFUSION_3,
    "FluxPipeline": Architecture.FLUX,
    "Flux2Pipeline": Architecture.FLUX,
    "SomethingNewPipeline": "SomethingNewPipeline",
}


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_another_models_folder_is_told_what_it_is(
    catalog: Catalog, tmp_path: Path, pipeline: str
) -> None:
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": pipeline}))
    error = refusal(catalog, tmp_path)
    assert error.code is ErrorCode.MODEL_UNSUPPORTED
    assert error.facts["reason"] == Reason.OTHER_PIPELINE
    assert error.facts["found"] == PIPELINES[pipeline]


SDXL = {
    "model.diffusion_model.input_blocks.0.0.weight": np.zeros((1,), np.float16),
    "conditioner.embedders.0.transformer.text_model.x": np.zeros((1,), np.float16),
}


def test_a_single_file_is_told_what_it_is(catalog: Catalog, tmp_path: Path) -> None:
    file = write(tmp_path / "sd_xl_base.safetensors", SDXL)
    for chosen in (file, tmp_path):  # the file itself, or the folder that holds nothing else
        error = refusal(catalog, chosen)
        assert error.code is ErrorCode.MODEL_UNSUPPORTED
        assert error.facts["reason"] == Reason.SINGLE_FILE
        assert error.facts["found"] == Architecture.STABLE_DIFFUSION_XL


def test_a_pickle_is_refused(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "v1-5-pruned.ckpt").write_bytes(b"PK\x03\x04")
    for chosen in (tmp_path / "v1-5-pruned.ckpt", tmp_path):
        assert refusal(catalog, chosen).code is ErrorCode.MODEL_UNSAFE


def test_one_networks_folder_is_told_what_it_is(catalog: Catalog, starter_model: Path) -> None:
    error = refusal(catalog, starter_model / "transformer")
    assert error.code is ErrorCode.MODEL_UNSUPPORTED
    assert error.facts["reason"] == Reason.COMPONENT_ONLY
    assert error.facts["found"] == "ErnieImageTransformer2DModel"


def test_empty_and_unrelated_folders_and_files(catalog: Catalog, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").write_text("paint")
    (tmp_path / "m.gguf").write_bytes(b"GGUF\x03\x00\x00\x00" + bytes(20))
    assert refusal(catalog, tmp_path / "empty").facts["reason"] == Reason.FOLDER_EMPTY
    facts = {"path": str(tmp_path / "notes"), "reason": Reason.NO_MODEL_INDEX}
    assert refusal(catalog, tmp_path / "notes").facts == facts
    assert refusal(catalog, tmp_path / "gone").facts == {"path": str(tmp_path / "gone")}
    assert refusal(catalog, tmp_path / "m.gguf").facts["reason"] == Reason.GGUF
    text = refusal(catalog, tmp_path / "notes" / "todo.txt")
    assert text.facts["reason"] == Reason.TRUNCATED


# --- parts that do not fit together ---------------------------------------------------------------


@pytest.mark.logs("not in the list of models")
@pytest.mark.parametrize(
    ("file", "changes", "both"),
    [
        ("transformer", {"out_channels": 8}, ("in_channels", "out_channels: 8")),
        ("vae", {"latent_channels": 1}, ("in_channels", "vae latent_channels: 1")),
        ("transformer", {"text_in_dim": 8}, ("text_in_dim: 8", "text_encoder hidden_size")),
    ],
)
def test_parts_of_different_models_are_refused_naming_both(
    catalog: Catalog, user_model: Path, file: str, changes: dict[str, Any], both: tuple[str, str]
) -> None:
    change_json(user_model / file / "config.json", **changes)
    error = refusal(catalog, user_model)
    assert (error.code, error.facts["reason"]) == (
        ErrorCode.MODEL_UNSUPPORTED,
        Reason.PARTS_DIFFER,
    )
    assert all(side in str(error.facts["found"]) for side in both)


@pytest.mark.logs("not in the list of models")
@pytest.mark.parametrize(
    ("file", "key"),
    [("transformer", "in_channels"), ("vae", "block_out_channels"), ("vae", "latent_channels")],
)
def test_the_file_to_blame_is_named_with_its_folder(
    catalog: Catalog, user_model: Path, file: str, key: str
) -> None:
    """The manifest's preview factors are read by the same numbers, and are not to blame."""
    (user_model / manifest.NAME).write_text(
        json.dumps({**MANIFEST, "preview": {"weights": [[0.1] * 3] * 8, "bias": [0.5] * 3}})
    )
    change_json(user_model / file / "config.json", **{key: None})
    error = refusal(catalog, user_model)
    assert error.code is ErrorCode.MODEL_UNSUPPORTED
    assert error.facts["file"] == str(user_model / file / "config.json")
    assert error.facts["found"] == f"{key}: null"


@pytest.mark.logs("not in the list of models")
def test_a_vae_that_makes_no_colours_is_refused(catalog: Catalog, user_model: Path) -> None:
    change_json(user_model / "vae/config.json", out_channels=4)
    assert refusal(catalog, user_model).facts["found"] == "out_channels: 4"


def test_sizes_follow_the_vae(catalog: Catalog, user_model: Path) -> None:
    deep = {"block_out_channels": [8] * 5, "up_block_types": ["UpDecoderBlock2D"] * 5}
    change_json(user_model / "vae/config.json", **deep)
    info = catalog.find(str(user_model))
    assert info.size_multiple == 32
    assert PictureSize(width=1024, height=1024) in info.recommended_sizes
    assert PictureSize(width=848, height=1264) not in info.recommended_sizes


@pytest.mark.logs("not in the list of models")
@pytest.mark.parametrize("field", ["sizes", "recommended_sizes"])
def test_a_size_that_the_vae_cannot_draw_is_refused(
    catalog: Catalog, user_model: Path, field: str
) -> None:
    content = {**MANIFEST, field: [[320, 192], [264, 264]]}
    (user_model / manifest.NAME).write_text(json.dumps(content))
    error = refusal(catalog, user_model)
    assert error.facts["reason"] == Reason.MANIFEST_INVALID
    assert error.facts["file"] == str(user_model / manifest.NAME)
    assert "264x264" in error.detail


# --- manifests ------------------------------------------------------------------------------------

MANIFEST: dict[str, Any] = {
    "format": "danqing-model",
    "version": 1,
    "id": "mine",
    "name": "Mine",
    "defaults": {
        "width": 320,
        "height": 192,
        "steps": 9,
        "guidance_scale": 2,
        "sampler": "dpmpp_2m",
        "sigma_schedule": "uniform",
    },
    "sizes": [[320, 192], [192, 320]],
    "examples": {"en": ["a cat"], "zh": ["一只猫"]},
}


def test_a_manifest_beside_the_model_decides(catalog: Catalog, user_model: Path) -> None:
    (user_model / manifest.NAME).write_text(json.dumps(MANIFEST), encoding="utf-8")
    info = catalog.find("mine")
    assert info.defaults.size == PictureSize(width=320, height=192)
    assert info.defaults.sigma_schedule is SigmaSchedule.UNIFORM
    assert len(info.sizes) == 2
    assert info.example_prompts["zh"] == ("一只猫",)
    assert not info.is_demo


def with_default(key: str, value: Any) -> dict[str, Any]:
    return {**MANIFEST, "defaults": {**MANIFEST["defaults"], key: value}}


@pytest.mark.parametrize(
    "content",
    [
        {**MANIFEST, "version": 2},
        {**MANIFEST, "format": "other"},
        {**MANIFEST, "name": " "},
        {**MANIFEST, "id": 7},
        {**MANIFEST, "id": "x\ny"},
        {**MANIFEST, "id": "x\x1b[31m"},
        {**MANIFEST, "sizes": [[256, 256]]},
        {**MANIFEST, "sizes": [[256]]},
        {**MANIFEST, "sizes": {"a": 1}},
        {**MANIFEST, "examples": {"en": [1]}},
        {**MANIFEST, "examples": []},
        {**MANIFEST, "preview": 1},
        {key: value for key, value in MANIFEST.items() if key != "defaults"},
        with_default("steps", 0),
        with_default("steps", True),
        with_default("steps", 2.5),
        with_default("guidance_scale", float("nan")),
        with_default("guidance_scale", -1),
        with_default("guidance_scale", 99),
        with_default("steps", 999),
        with_default("sampler", "ddim"),
        with_default("sigma_schedule", "karras"),
        with_default("width", None),
    ],
)
def test_a_manifest_that_is_not_well_formed_is_refused(
    tmp_path: Path, content: dict[str, Any]
) -> None:
    path = tmp_path / manifest.NAME
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(EngineFault) as caught:
        manifest.read_manifest(path)
    assert caught.value.error.facts["reason"] == Reason.MANIFEST_INVALID


def test_preview_factors_must_fit_the_model(catalog: Catalog, user_model: Path) -> None:
    preview = {"weights": [[0.1] * 3] * 8, "bias": [0.5] * 3}
    (user_model / manifest.NAME).write_text(json.dumps({**MANIFEST, "preview": preview}))
    catalog.find("mine")
    with pytest.raises(EngineFault) as caught:
        catalog.configuration(ModelId("mine"))
    assert caught.value.error.facts["reason"] == Reason.MANIFEST_INVALID


def test_listing_models_loads_no_heavy_library(starter_model: Path) -> None:
    """The window lists models before PaddlePaddle, and without waiting for numpy."""
    program = (
        "import sys; from pathlib import Path; from engine.catalog import Catalog\n"
        f"assert Catalog(Path({str(starter_model)!r}), []).models()\n"
        "print({'paddle', 'numpy', 'tokenizers', 'safetensors'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
