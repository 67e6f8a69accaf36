"""Weight files made to order: right ones, and ones that lie about themselves."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

DTYPES = {"float32": "F32", "float16": "F16", "uint16": "BF16", "int64": "I64", "uint8": "F8_E4M3"}
"""numpy has no bfloat16 and no float8: their bits are given as unsigned integers."""


def file_bytes(header: Mapping[str, Any] | bytes, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(shape: Sequence[int], begin: int, end: int, dtype: str = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def safetensors(arrays: Mapping[str, np.ndarray]) -> bytes:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, array in arrays.items():
        raw = array.tobytes()
        dtype = DTYPES[array.dtype.name]
        header[name] = entry(array.shape, len(data), len(data) + len(raw), dtype)
        data += raw
    return file_bytes(header, data)


def write(path: Path, arrays: Mapping[str, np.ndarray]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(safetensors(arrays))
    return path


def write_shards(
    folder: Path, shards: Sequence[Mapping[str, np.ndarray]], stem: str = "model"
) -> Path:
    """The shards and their index; gives the index's path."""
    weight_map = {}
    for number, arrays in enumerate(shards, start=1):
        name = f"{stem}-{number:05}-of-{len(shards):05}.safetensors"
        write(folder / name, arrays)
        weight_map |= dict.fromkeys(arrays, name)
    index = folder / f"{stem}.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": weight_map}), encoding="utf-8")
    return index


def bfloat16_bits(array: np.ndarray) -> np.ndarray:
    """The upper halves of float32 values, whose lower halves must be zero."""
    bits = array.astype(np.float32).view(np.uint32)
    assert not np.any(bits & 0xFFFF)
    return (bits >> 16).astype(np.uint16)
