"""One network's folder as diffusers writes it: a safetensors file, or shards and their index.

Separate from the file format (`headers`) and from what the tensors mean (`matching`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.weights.faults import Reason, corrupt, missing, unreadable
from engine.weights.files import read_json
from engine.weights.headers import TensorHeader, read_header, refuse_pickle_name

_USUAL_NAMES = ("diffusion_pytorch_model.safetensors", "model.safetensors")
_INDEX_SUFFIX = ".safetensors.index.json"
_SHARD_NAME = re.compile(r"-\d{5}-of-\d{5}\.safetensors$")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTensor:
    """A tensor and the file that holds it."""

    file: Path
    header: TensorHeader


def read_component(folder: Path) -> Mapping[str, StoredTensor]:
    """Every tensor in the folder, by its name in the file; in the order of files and bytes.

    Raises `EngineFault` as `headers.read_header` does, and MODEL_CORRUPT when index and files
    disagree.
    """
    files, weight_map = _files(folder)
    tensors: dict[str, StoredTensor] = {}
    for file in files:
        in_order = sorted(read_header(file).items(), key=lambda item: item[1].begin)
        for name, header in in_order:
            if name in tensors:
                raise corrupt(file, Reason.DUPLICATE_TENSOR, tensor=name)
            tensors[name] = StoredTensor(file=file, header=header)
    for name, shard in (weight_map or {}).items():
        if name not in tensors or tensors[name].file.name != shard:
            raise corrupt(folder / shard, Reason.TENSOR_MISSING, tensor=name, count=1)
    return tensors


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of the folder, in name order.

    Raises `EngineFault` MODEL_MISSING, MODEL_UNREADABLE, MODEL_UNSAFE when there are pickles only,
    or MODEL_CORRUPT.
    """
    return _files(folder)[0]


def _files(folder: Path) -> tuple[list[Path], Mapping[str, str] | None]:
    """The weight files in name order, and the index's tensor -> file name, if there is one."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise unreadable(error, folder) from error
    indexes = [name for name in names if name.endswith(_INDEX_SUFFIX)]
    if indexes:
        if len(indexes) > 1:
            raise corrupt(folder, Reason.AMBIGUOUS_FILES, found=", ".join(indexes))
        weight_map = _read_index(folder / indexes[0], names)
        return [folder / name for name in sorted(set(weight_map.values()))], weight_map
    return [folder / _single_file(folder, names)], None


def _single_file(folder: Path, names: list[str]) -> str:
    candidates = [name for name in names if name.endswith(".safetensors")]
    for name in candidates:
        if name in _USUAL_NAMES:
            return name
    if len(candidates) == 1 and not _SHARD_NAME.search(candidates[0]):
        return candidates[0]
    if any(_SHARD_NAME.search(name) for name in candidates):
        raise corrupt(folder, Reason.INDEX_MISSING)
    if candidates:
        raise corrupt(folder, Reason.AMBIGUOUS_FILES, found=", ".join(candidates))
    for name in names:
        refuse_pickle_name(folder / name)
    raise missing(folder / _USUAL_NAMES[0])


def _read_index(path: Path, names: list[str]) -> Mapping[str, str]:
    """The index's `weight_map`; its values are checked to be names of files beside it."""
    weight_map = read_json(path, Reason.INDEX_INVALID).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise corrupt(path, Reason.INDEX_INVALID, detail="no weight_map")
    for shard in dict.fromkeys(map(_as_text, weight_map.values())):
        if not shard:
            raise corrupt(path, Reason.INDEX_INVALID, detail="an entry is no file name")
        if shard in (".", "..") or "/" in shard or "\\" in shard:
            raise corrupt(path, Reason.PATH_OUTSIDE, entry=shard)
        refuse_pickle_name(path.parent / shard)
        if shard not in names:
            raise corrupt(path, Reason.SHARD_MISSING, entry=shard)
    return weight_map


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else ""
