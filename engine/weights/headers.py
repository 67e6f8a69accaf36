"""What one weight file says about itself, checked against its size; no tensor is read.

The safetensors format: an unsigned 64-bit little-endian length, that many bytes of JSON which map
each tensor's name to dtype, shape and byte range, then the data without gaps. Whatever else may
stand in such a file's place (a pickle, a web page, a Git-LFS pointer, half a download) is told
apart here by its first bytes and its length, so that the user learns what is wrong.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from engine.port import EngineFault, ErrorCode
from engine.weights.faults import Reason, corrupt, fault
from engine.weights.files import SNIFF_BYTES, opened, stand_in

PICKLE_SUFFIXES = frozenset(
    {".ckpt", ".pt", ".pth", ".bin", ".pdparams", ".pdopt", ".pdmodel", ".pkl", ".pickle"}
)
MAX_HEADER_BYTES = 100_000_000
"""The format's own limit."""

_LENGTH_BYTES = 8

_DTYPE_BITS = {
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
    "BOOL": 8, "I8": 8, "U8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8,
    "I16": 16, "U16": 16, "F16": 16, "BF16": 16,
    "I32": 32, "U32": 32, "F32": 32,
    "I64": 64, "U64": 64, "F64": 64, "C64": 64,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorHeader:
    """Where a tensor is: `begin` and `end` count bytes from the start of the file."""

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def size_bytes(self) -> int:
        return self.end - self.begin


def read_header(path: Path) -> Mapping[str, TensorHeader]:
    """Every tensor of a safetensors file, in the order of the header.

    Raises `EngineFault`: MODEL_MISSING, MODEL_UNREADABLE, MODEL_UNSAFE, MODEL_UNSUPPORTED (GGUF,
    or a number format newer than this code) or MODEL_CORRUPT, each with `file` and a `Reason`.
    """
    refuse_pickle_name(path)
    with opened(path) as file:
        return _read_header(path, file, os.fstat(file.fileno()).st_size)


def refuse_pickle_name(path: Path) -> None:
    """Raises `EngineFault` MODEL_UNSAFE for names such as `model.ckpt`; the file is not opened."""
    if path.suffix.lower() in PICKLE_SUFFIXES:
        raise fault(ErrorCode.MODEL_UNSAFE, path, Reason.PICKLE_NAME)


def _read_header(path: Path, file: BinaryIO, size: int) -> Mapping[str, TensorHeader]:
    start = file.read(SNIFF_BYTES)
    impostor = _impostor(path, start)
    if impostor is not None:
        raise impostor
    length = int.from_bytes(start[:_LENGTH_BYTES], "little")
    data_begin = _LENGTH_BYTES + length
    if data_begin > size:
        raise corrupt(path, Reason.HEADER_LARGER_THAN_FILE, size_bytes=size)
    if length > MAX_HEADER_BYTES:
        raise corrupt(path, Reason.HEADER_INVALID, detail=f"a header of {length} bytes")
    file.seek(_LENGTH_BYTES)
    tensors = _parse(path, file.read(length), data_begin)
    _check_layout(path, tensors, data_begin, size)
    return tensors


def _impostor(path: Path, start: bytes) -> EngineFault | None:
    """What else the file is, judged by its first bytes; None if it may be safetensors."""
    found = stand_in(start)
    if found is not None:
        return corrupt(path, found)
    if start[_LENGTH_BYTES : _LENGTH_BYTES + 1] == b"{":
        return None
    is_zip = start.startswith(b"PK\x03\x04")  # torch.save since 1.6: a zip with a pickle inside
    is_pickle = start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")
    if is_zip or is_pickle:
        return fault(ErrorCode.MODEL_UNSAFE, path, Reason.PICKLE_CONTENT)
    if start.startswith(b"GGUF"):
        return fault(ErrorCode.MODEL_UNSUPPORTED, path, Reason.GGUF, found="GGUF")
    if len(start) <= _LENGTH_BYTES:
        return corrupt(path, Reason.TRUNCATED, size_bytes=len(start))
    return corrupt(path, Reason.NOT_SAFETENSORS)


def _parse(path: Path, header: bytes, data_begin: int) -> dict[str, TensorHeader]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for name, value in pairs:
            if name in entries:
                raise corrupt(path, Reason.DUPLICATE_TENSOR, tensor=name)
            entries[name] = value
        return entries

    try:
        entries = json.loads(header.decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise corrupt(path, Reason.HEADER_INVALID, detail=str(error)) from error
    if not isinstance(entries, dict):
        raise corrupt(path, Reason.HEADER_INVALID, detail="no JSON object")
    entries.pop("__metadata__", None)
    return {name: _tensor(path, name, entry, data_begin) for name, entry in entries.items()}


def _tensor(path: Path, name: str, entry: Any, data_begin: int) -> TensorHeader:
    match entry:
        case {"dtype": str(dtype), "shape": list(shape), "data_offsets": [begin, end]} if (
            _are_counts([*shape, begin, end]) and begin <= end
        ):
            header = TensorHeader(
                dtype=dtype,
                shape=tuple(shape),
                begin=data_begin + begin,
                end=data_begin + end,
            )
        case _:
            raise corrupt(path, Reason.HEADER_INVALID, tensor=name)
    if dtype not in _DTYPE_BITS:
        reason = Reason.TENSOR_DTYPE
        raise fault(ErrorCode.MODEL_UNSUPPORTED, path, reason, tensor=name, found=dtype)
    if header.size_bytes * 8 != _bits(header):
        raise corrupt(path, Reason.HEADER_INVALID, tensor=name, detail="shape and range differ")
    return header


def _are_counts(values: list[Any]) -> bool:
    return all(type(value) is int and 0 <= value < 2**63 for value in values)


def _bits(header: TensorHeader) -> int:
    """Bits that the shape asks for; stops early when it is more than the range holds."""
    if 0 in header.shape:
        return 0
    bits = _DTYPE_BITS[header.dtype]
    for side in header.shape:
        bits *= side
        if bits > header.size_bytes * 8:
            break
    return bits


def _check_layout(
    path: Path, tensors: Mapping[str, TensorHeader], data_begin: int, size: int
) -> None:
    """The ranges must follow one another from the header to the end of the file."""
    position = data_begin
    for name, tensor in sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].end)):
        if tensor.begin != position:
            raise corrupt(path, Reason.HEADER_INVALID, tensor=name, detail="a gap or an overlap")
        position = tensor.end
    if position > size:
        raise corrupt(path, Reason.TRUNCATED, size_bytes=size, expected_bytes=position)
    if position < size:
        raise corrupt(path, Reason.TRAILING_BYTES, size_bytes=size, expected_bytes=position)
