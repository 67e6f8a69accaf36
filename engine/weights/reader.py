"""Weights into tensors: memory-mapped, widened one by one, strict. The only place here with Paddle.

PaddlePaddle is imported when a network is read, not before, because everything else in this package
serves the catalog, which must answer before PaddlePaddle has loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from engine.weights.component import read_component
from engine.weights.faults import Reason, corrupt, unreadable
from engine.weights.matching import match

if TYPE_CHECKING:
    from engine import ops


def read_tensors(
    folder: Path,
    component: str,
    expected: Mapping[str, tuple[int, ...]],
    *,
    compute_dtype: str,
    strip_prefixes: Sequence[str] = (),
    ignore: Sequence[str] = (),
    as_stored: Collection[str] = (),
    checkpoint: Callable[[], None],
    on_progress: Callable[[float], None],
) -> dict[str, ops.Tensor]:
    """The tensors of one network of the model in `folder`, by their expected names.

    `component` is the network's folder (`transformer`, ...). A tensor stored in `compute_dtype`
    stays a view of the mapped file on the CPU, read from disk when it is first used; any other is
    converted, one at a time. They lie on the current device. `strip_prefixes` and `ignore` are
    those of `matching.match`. The tensors named in `as_stored` keep their stored dtype: tables of
    which few rows are ever read.

    `checkpoint` is called before each tensor and may raise to cancel; `on_progress` gets the
    fraction of bytes read, 0 .. 1, not falling, and 1 at the end.

    Raises `EngineFault` as `component.read_component` and `matching.match` do.
    """
    stored = read_component(folder / component)
    sources = match(
        folder / component, stored, expected, strip_prefixes=strip_prefixes, ignore=ignore
    )
    total = sum(stored[source].header.size_bytes for source in sources.values())
    done = 0
    tensors: dict[str, ops.Tensor] = {}
    by_file = groupby(sources.items(), key=lambda item: stored[item[1]].file)
    for file, names in by_file:
        get = _open(file)
        for name, source in names:
            checkpoint()
            dtype = None if name in as_stored else compute_dtype
            tensors[name] = _converted(get(source), dtype)
            done += stored[source].header.size_bytes
            on_progress(done / total if total else 1.0)
    return tensors


def _open(file: Path) -> Callable[[str], ops.Tensor]:
    """Maps the file; the result gives its tensors by name, as views of it on the CPU."""
    from safetensors import SafetensorError, safe_open

    try:
        return safe_open(file, framework="paddle", device="cpu").get_tensor
    except OSError as error:
        raise unreadable(error, file) from error
    except SafetensorError as error:
        raise corrupt(file, Reason.HEADER_INVALID, detail=str(error)) from error


def _converted(tensor: ops.Tensor, dtype: str | None) -> ops.Tensor:
    import paddle

    from engine import ops

    device = paddle.get_device()
    if device != "cpu":
        tensor = tensor.to(device)
    return tensor if dtype is None else ops.cast_to(tensor, dtype)
