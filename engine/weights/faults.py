"""The reasons for which weights are refused, as data; the interface puts them into words.

Separate so that whoever writes the words finds every case in one list.
"""

from __future__ import annotations

import errno
from enum import StrEnum
from pathlib import Path

from engine.port import EngineError, EngineFault, ErrorCode


class Reason(StrEnum):
    """The `reason` fact of an error about a `file`; further facts are named where they occur."""

    # With MODEL_UNREADABLE.
    PERMISSION_DENIED = "permission_denied"
    READ_ERROR = "read_error"
    NOT_A_FILE = "not_a_file"
    """A folder, a pipe or a device stands where a file should."""
    LINK_LOOP = "link_loop"
    """A symbolic link that leads back to itself."""

    # With MODEL_UNSAFE.
    PICKLE_NAME = "pickle_name"
    """The name's ending says that it is a pickle."""
    PICKLE_CONTENT = "pickle_content"
    """Its first bytes say so, whatever its name."""

    # With MODEL_CORRUPT: the file is not what it should be.
    EMPTY = "empty"
    LFS_POINTER = "lfs_pointer"
    """Git-LFS's three lines of text in place of the content."""
    HTML_PAGE = "html_page"
    """A web page: usually an error or log-in page saved in place of the download."""
    TRUNCATED = "truncated"
    """Shorter than its own header says. `size_bytes`, `expected_bytes` when known."""
    HEADER_LARGER_THAN_FILE = "header_larger_than_file"
    NOT_SAFETENSORS = "not_safetensors"
    HEADER_INVALID = "header_invalid"
    TRAILING_BYTES = "trailing_bytes"
    """Longer than its own header says. `size_bytes`, `expected_bytes`."""

    # With MODEL_CORRUPT: a folder's files do not fit together.
    INDEX_INVALID = "index_invalid"
    PATH_OUTSIDE = "path_outside"
    """The index names a file outside its own folder. `entry`."""
    SHARD_MISSING = "shard_missing"
    """The index names a file that is not there. `entry`."""
    INDEX_MISSING = "index_missing"
    """Shards without their index."""
    AMBIGUOUS_FILES = "ambiguous_files"
    """Several weight files, none of which has the usual name. `found`."""
    DUPLICATE_TENSOR = "duplicate_tensor"
    """`tensor`; in two files, or under two names of the same meaning."""

    # With MODEL_CORRUPT: `tensor`, and `count`, how many tensors share the problem.
    TENSOR_MISSING = "tensor_missing"
    TENSOR_UNEXPECTED = "tensor_unexpected"
    TENSOR_SHAPE = "tensor_shape"
    """`expected` and `found`, as `320x32x1x1`."""

    # With MODEL_UNSUPPORTED: `found`.
    TENSOR_DTYPE = "tensor_dtype"
    """`tensor`; `found` is the number format, as `F8_E4M3`."""
    GGUF = "gguf"
    WRONG_ARCHITECTURE = "wrong_architecture"
    """`found` is an `engine.weights.Architecture`, or `unknown`."""

    # With MODEL_CORRUPT: a small file of the model.
    CONFIG_INVALID = "config_invalid"
    """One of the checkpoint's own JSON files."""
    MANIFEST_INVALID = "manifest_invalid"
    """Our `danqing.json`."""

    TOKENS_UNKNOWN = "tokens_unknown"
    """The tokenizer has ids that the text encoder does not. `entry` is the largest."""
    TENSOR_NOT_FINITE = "tensor_not_finite"
    """`tensor` holds NaN or infinity."""

    # With MODEL_UNSUPPORTED: `found` is the key and its value.
    CONFIG_VALUE = "config_value"
    """A value that the code does not compute with, or none that a model could have."""
    PARTS_DIFFER = "parts_differ"
    """Two networks' configurations that do not fit together."""

    # With MODEL_UNSUPPORTED: `found` is an `Architecture`, or the name that the files give.
    SINGLE_FILE = "single_file"
    """One file where a model's folder is needed."""
    OTHER_PIPELINE = "other_pipeline"
    """A whole model, of another kind."""
    COMPONENT_ONLY = "component_only"
    """One network's folder where a whole model's is needed."""

    # With MODEL_MISSING: `path`.
    FOLDER_EMPTY = "folder_empty"
    NO_MODEL_INDEX = "no_model_index"
    """A folder, but not a model's: `model_index.json` is not in it."""


def fault(
    code: ErrorCode,
    file: Path,
    reason: Reason,
    *,
    detail: str = "",
    **facts: str | int | float,
) -> EngineFault:
    """An `EngineFault` about `file`."""
    every = {"file": str(file), "reason": str(reason), **facts}
    return EngineFault(EngineError(code=code, facts=every, detail=detail))


def corrupt(file: Path, reason: Reason, *, detail: str = "", **facts: str | int) -> EngineFault:
    return fault(ErrorCode.MODEL_CORRUPT, file, reason, detail=detail, **facts)


def missing(path: Path, reason: Reason | None = None) -> EngineFault:
    facts = {"path": str(path)} if reason is None else {"path": str(path), "reason": str(reason)}
    return EngineFault(EngineError(code=ErrorCode.MODEL_MISSING, facts=facts))


def unreadable(error: OSError, file: Path) -> EngineFault:
    """What an OSError on `file` means; a file that is not there is MODEL_MISSING."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return missing(file)
    reason = Reason.READ_ERROR
    if isinstance(error, PermissionError):
        reason = Reason.PERMISSION_DENIED
    elif isinstance(error, IsADirectoryError):
        reason = Reason.NOT_A_FILE
    elif error.errno == errno.ELOOP:
        reason = Reason.LINK_LOOP
    detail = error.strerror or str(error)
    return fault(ErrorCode.MODEL_UNREADABLE, file, reason, detail=detail)
