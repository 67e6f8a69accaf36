"""What a folder's tensors are called and shaped, against what a network needs: exactly that.

Separate, and free of any array library, so that a model can be judged without loading it. A tensor
too many is refused like one too few: it means that the picture would not be this model's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from engine.port import ErrorCode
from engine.weights.architectures import recognise
from engine.weights.component import StoredTensor
from engine.weights.faults import Reason, corrupt, fault

FLOAT_DTYPES = {"F32": "float32", "F16": "float16", "BF16": "bfloat16", "F64": "float64"}
"""The number formats that are read: safetensors' name -> ours."""


def match(
    folder: Path,
    stored: Mapping[str, StoredTensor],
    expected: Mapping[str, tuple[int, ...]],
    *,
    strip_prefixes: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> Mapping[str, str]:
    """Expected name -> name in the file, in the order of `stored`.

    The longest of `strip_prefixes` that a stored name begins with is taken off it. Names that begin
    with an entry of `ignore`, or match one that holds `*` or `?`, before or after that, may be
    present and are left out, unless they are expected.

    Raises `EngineFault` MODEL_UNSUPPORTED when most of what is needed is absent
    (WRONG_ARCHITECTURE) or a number format is not a plain float (TENSOR_DTYPE), and MODEL_CORRUPT
    for DUPLICATE_TENSOR, TENSOR_MISSING, TENSOR_UNEXPECTED and TENSOR_SHAPE.
    """
    sources: dict[str, str] = {}
    unexpected: list[str] = []
    for stored_name in stored:
        name = _stripped(stored_name, strip_prefixes)
        if name in expected:
            if name in sources:
                file = stored[stored_name].file
                raise corrupt(file, Reason.DUPLICATE_TENSOR, tensor=stored_name)
            sources[name] = stored_name
        elif not any(_is_ignored(candidate, ignore) for candidate in (name, stored_name)):
            unexpected.append(stored_name)
    _refuse_other_model(folder, stored, expected, sources)
    absent = [name for name in expected if name not in sources]
    if absent:
        file = _only_file(folder, stored.values())
        raise corrupt(file, Reason.TENSOR_MISSING, tensor=absent[0], count=len(absent))
    if unexpected:
        first = unexpected[0]
        count = len(unexpected)
        raise corrupt(stored[first].file, Reason.TENSOR_UNEXPECTED, tensor=first, count=count)
    for name, stored_name in sources.items():
        _check_tensor(stored_name, stored[stored_name], expected[name])
    return sources


def _stripped(name: str, prefixes: Sequence[str]) -> str:
    fitting = [prefix for prefix in prefixes if name.startswith(prefix)]
    return name.removeprefix(max(fitting, key=len)) if fitting else name


def _is_ignored(name: str, ignore: Iterable[str]) -> bool:
    return any(
        fnmatchcase(name, entry) if "*" in entry or "?" in entry else name.startswith(entry)
        for entry in ignore
    )


def _refuse_other_model(
    folder: Path,
    stored: Mapping[str, StoredTensor],
    expected: Mapping[str, tuple[int, ...]],
    sources: Mapping[str, str],
) -> None:
    if 2 * len(sources) >= len(expected):
        return
    file = _only_file(folder, stored.values())
    found = recognise(stored)
    detail = ", ".join(list(stored)[:5])
    reason = Reason.WRONG_ARCHITECTURE
    raise fault(ErrorCode.MODEL_UNSUPPORTED, file, reason, found=str(found), detail=detail)


def _check_tensor(name: str, tensor: StoredTensor, shape: tuple[int, ...]) -> None:
    found = tensor.header
    if found.dtype not in FLOAT_DTYPES:
        raise fault(
            ErrorCode.MODEL_UNSUPPORTED,
            tensor.file,
            Reason.TENSOR_DTYPE,
            tensor=name,
            found=found.dtype,
        )
    if found.shape != tuple(shape):
        raise corrupt(
            tensor.file,
            Reason.TENSOR_SHAPE,
            tensor=name,
            expected=_written(shape),
            found=_written(found.shape),
            count=1,
        )


def _written(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "scalar"


def _only_file(folder: Path, tensors: Iterable[StoredTensor]) -> Path:
    """The file that holds everything, or the folder when there are several or none."""
    files = {tensor.file for tensor in tensors}
    return files.pop() if len(files) == 1 else folder
