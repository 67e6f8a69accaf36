"""One model's folder, as diffusers writes it: what it is, and its networks' configuration.

Reads the small JSON files, and sees that the weight files are there; never weights. Separate from
the catalog, which knows several folders. Whatever else a user may point at (a single file, one
network's folder, another model) is told apart here, by name.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine import manifest
from engine.model_parts import Parts, read_parts
from engine.networks.config_fields import ConfigFields
from engine.port import EngineFault, ErrorCode, ModelFamily, ModelId, ModelInfo, PictureSize
from engine.weights.architectures import Architecture, recognise
from engine.weights.component import weight_files
from engine.weights.faults import Reason, corrupt, fault, missing, unreadable
from engine.weights.files import opened, read_json
from engine.weights.headers import read_header, refuse_pickle_name

if TYPE_CHECKING:
    from engine.preview import Factors

INDEX = "model_index.json"
PIPELINE = "ErnieImagePipeline"
_NETWORKS = ("text_encoder", "transformer", "vae")
_SCHEDULER = "scheduler/scheduler_config.json"
_SCHEDULES_WE_LACK = (
    "use_dynamic_shifting",
    "use_karras_sigmas",
    "use_exponential_sigmas",
    "use_beta_sigmas",
    "invert_sigmas",
    "stochastic_sampling",
    "shift_terminal",
)
_SCHEDULER_KEYS = frozenset(
    {
        *_SCHEDULES_WE_LACK,
        "num_train_timesteps",
        "shift",
        # Read by the reference under dynamic shifting only:
        "base_image_seq_len",
        "base_shift",
        "max_image_seq_len",
        "max_shift",
        "time_shift_type",
    }
)
_LEAST_SHIFT, _MOST_SHIFT = 0.01, 100.0
"""Further out all noise levels of a grid are nearly the same."""

_TOKENIZER = ("tokenizer/tokenizer.json", "tokenizer/tokenizer_config.json")

_OTHER_PIPELINES = (
    ("StableDiffusionXL", Architecture.STABLE_DIFFUSION_XL),
    ("StableDiffusion3", Architecture.STABLE_DIFFUSION_3),
    ("StableDiffusion", Architecture.STABLE_DIFFUSION),
    ("Flux", Architecture.FLUX),
    ("QwenImage", Architecture.QWEN_IMAGE),
    ("ZImage", Architecture.Z_IMAGE),
)
"""Beginnings of diffusers' pipeline names; the first that fits decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfiguration:
    """What the engine needs to build the networks: the checkpoint's own JSON, as it stands.

    `shift` is the scheduler's (`engine.sampling.schedule`); `preview_factors` is None for a model
    that has none.
    """

    text_encoder: Mapping[str, Any]
    transformer: Mapping[str, Any]
    vae: Mapping[str, Any]
    shift: float
    preview_factors: Factors | None


def read_info(folder: Path) -> ModelInfo:
    """What is known of the model in `folder`.

    The id is the manifest's; without one it is the folder's name and a digest of its configuration
    and of its weight files' names and sizes: the same wherever the folder lies.

    Raises `EngineFault`: MODEL_MISSING (a file that should be there is not), MODEL_UNSUPPORTED (not
    an ERNIE-Image folder, or options we do not have), MODEL_UNSAFE (pickles in place of weights),
    MODEL_CORRUPT or MODEL_UNREADABLE.
    """
    _require_pipeline(folder)
    configs = _network_configs(folder)
    parts = read_parts(folder, configs)
    _shift(folder)
    for path in _TOKENIZER:
        if not (folder / path).is_file():
            raise missing(folder / path)
    weights = [file for network in _NETWORKS for file in weight_files(folder / network)]
    description = _description(folder, configs["transformer"], weights, parts)
    return ModelInfo(
        model_id=ModelId(description.id),
        name=description.name,
        family=ModelFamily.ERNIE_IMAGE,
        is_demo=description.is_demo,
        defaults=description.defaults,
        sizes=description.sizes,
        recommended_sizes=description.recommended_sizes,
        size_multiple=parts.scale,
        example_prompts=description.example_prompts,
    )


def read_configuration(folder: Path) -> ModelConfiguration:
    """The configuration of the model in `folder`.

    Raises `EngineFault` as `read_info` does.
    """
    _require_pipeline(folder)
    configs = _network_configs(folder)
    return ModelConfiguration(
        text_encoder=configs["text_encoder"],
        transformer=configs["transformer"],
        vae=configs["vae"],
        shift=_shift(folder),
        preview_factors=_preview_factors(folder, read_parts(folder, configs)),
    )


def _network_configs(folder: Path) -> dict[str, dict[str, Any]]:
    return {
        name: read_json(folder / name / "config.json", Reason.CONFIG_INVALID) for name in _NETWORKS
    }


def _shift(folder: Path) -> float:
    """The scheduler's shift; refuses schedules that ours is not, naming key and value."""
    path = folder / _SCHEDULER
    fields = ConfigFields(read_json(path, Reason.CONFIG_INVALID), str(path))
    fields.require("_class_name", ("FlowMatchEulerDiscreteScheduler",))
    fields.require("num_train_timesteps", (1000,))
    for key in _SCHEDULES_WE_LACK:
        fields.require(key, (False, None))
    fields.only(_SCHEDULER_KEYS)
    return fields.number("shift", 1.0, least=_LEAST_SHIFT, most=_MOST_SHIFT)


def _preview_factors(folder: Path, parts: Parts) -> Factors | None:
    from engine import preview  # brings numpy, which the list of models can do without

    path = folder / manifest.NAME
    numbers = manifest.read_manifest(path).preview if path.exists() else None
    if numbers is None:
        return None
    try:
        return preview.Factors.from_json(numbers, parts.latent_channels)
    except (TypeError, ValueError) as error:
        raise corrupt(path, Reason.MANIFEST_INVALID, detail=str(error)) from error


# --- name and id ----------------------------------------------------------------------------------


def _description(
    folder: Path, transformer: Mapping[str, Any], weights: list[Path], parts: Parts
) -> manifest.Description:
    """The manifest's, or the family's without the sizes that this model's VAE cannot draw."""

    def can_be_drawn(size: PictureSize) -> bool:
        return size.width % parts.scale == 0 and size.height % parts.scale == 0

    path = folder / manifest.NAME
    if path.exists():
        own = manifest.read_manifest(path)
        for size in (own.defaults.size, *own.sizes, *own.recommended_sizes):
            if not can_be_drawn(size):
                detail = f"{size}: the VAE draws multiples of {parts.scale}"
                raise corrupt(path, Reason.MANIFEST_INVALID, detail=detail)
        return own
    name = _folder_name(folder)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "model"
    known = manifest.known_model(transformer, name)
    recommended = tuple(size for size in known.recommended_sizes if can_be_drawn(size))
    model_id = f"{slug}-{_digest(folder, weights)}"
    return replace(known, id=model_id, name=name, recommended_sizes=recommended)


def _folder_name(folder: Path) -> str:
    """The folder's name, or the repository's in the Hugging Face cache, where it is a hash."""
    folder = folder.absolute()
    if folder.parent.name == "snapshots" and folder.parent.parent.name.startswith("models--"):
        return folder.parent.parent.name.rsplit("--", 1)[-1]
    return folder.name or "model"


def _digest(folder: Path, weights: list[Path]) -> str:
    sha256 = hashlib.sha256()
    for path in (*(f"{name}/config.json" for name in _NETWORKS), _SCHEDULER):
        with opened(folder / path) as file:
            sha256.update(hashlib.sha256(file.read()).digest())
    for file in weights:
        sha256.update(f"{file.relative_to(folder).as_posix()} {_size(file)}\n".encode())
    return sha256.hexdigest()[:8]


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError as error:
        raise unreadable(error, file) from error


# --- what else it may be --------------------------------------------------------------------------


def _require_pipeline(folder: Path) -> None:
    """Returns if the folder says that it is an ERNIE-Image model; else says what it is."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except NotADirectoryError:
        raise _single_file(folder) from None
    except OSError as error:
        raise unreadable(error, folder) from error
    if INDEX not in names:
        raise _not_a_model(folder, names)
    path = folder / INDEX
    found = read_json(path, Reason.CONFIG_INVALID).get("_class_name")
    if not isinstance(found, str):
        raise corrupt(path, Reason.CONFIG_INVALID, detail="no _class_name")
    if found != PIPELINE:
        kinds = (kind for beginning, kind in _OTHER_PIPELINES if found.startswith(beginning))
        kind = next(kinds, found)
        reason = Reason.OTHER_PIPELINE
        raise fault(ErrorCode.MODEL_UNSUPPORTED, path, reason, found=str(kind), detail=found)


def _single_file(file: Path) -> EngineFault:
    """Why one file is no model; raises instead when it cannot even be read as weights."""
    found = recognise(read_header(file))
    return fault(ErrorCode.MODEL_UNSUPPORTED, file, Reason.SINGLE_FILE, found=str(found))


def _not_a_model(folder: Path, names: list[str]) -> EngineFault:
    if not names:
        return missing(folder, Reason.FOLDER_EMPTY)
    if "config.json" in names:
        config = read_json(folder / "config.json", Reason.CONFIG_INVALID)
        found = config.get("_class_name") or config.get("model_type")
        if isinstance(found, str):
            reason = Reason.COMPONENT_ONLY
            return fault(ErrorCode.MODEL_UNSUPPORTED, folder, reason, found=found)
    for name in names:
        if name.lower().endswith((".safetensors", ".gguf")):
            return _single_file(folder / name)
    for name in names:
        refuse_pickle_name(folder / name)
    return missing(folder, Reason.NO_MODEL_INDEX)
