"""The seam at which every operation can be watched or replaced: faults, accounting, other formats.

Separate from the operations because it knows nothing of arrays beyond where tensors hide in values.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar, cast


class Interceptor(Protocol):
    """Stands between a network and an operation: usually returns `function(*args, **kwargs)`."""

    def __call__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any: ...


_interceptor: list[Interceptor] = []
"""The one installed interceptor; empty while none is, and while it runs."""
_Function = TypeVar("_Function", bound=Callable[..., Any])


def operation(function: _Function) -> _Function:
    """Marks a public array function, so that `intercept` sees every call from outside this module.

    Operations that one operation calls for itself are not seen: they belong to the outer one.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _interceptor:
            return function(*args, **kwargs)
        interceptor = _interceptor.pop()
        try:
            return interceptor(function, args, kwargs)
        finally:
            _interceptor.append(interceptor)

    return cast(_Function, call)


@contextlib.contextmanager
def intercept(interceptor: Interceptor) -> Iterator[None]:
    """Within this context every operation goes through `interceptor`. One thread, no nesting."""
    if _interceptor:
        raise RuntimeError("an interceptor is installed already")
    _interceptor.append(interceptor)
    try:
        yield
    finally:
        _interceptor.clear()


def map_tensors(function: Callable[[Any], Any], value: Any) -> Any:
    """`value` with `function` applied to every leaf of its lists, tuples and operands of `ops`.

    An interceptor meets tensors inside `RotaryTable`, `AttentionMemory` and `FeatureMap` too; what
    is no container is handed to `function`, tensor or not.
    """
    if isinstance(value, list | tuple):
        return type(value)(map_tensors(function, item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {
            field.name: map_tensors(function, getattr(value, field.name))
            for field in dataclasses.fields(value)
        }
        return dataclasses.replace(value, **changed)
    return function(value)
