"""Reading a checkpoint's own JSON configuration, strictly.

Separate because the three networks share one rule: a value that the code does not compute with
exactly is refused by name, never ignored.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from engine.port import EngineError, EngineFault, ErrorCode
from engine.weights.faults import Reason

MAX_LAYERS = 1024
MAX_WIDTH = 2**18
MAX_VOCABULARY = 2**22
"""Beyond any plausible model, and small enough that a mere plan of one costs little."""

_LEAST_NUMBER, _MOST_NUMBER = 1e-12, 1e12
"""What still has an inverse and a square in float32."""

_SHOWN_CHARACTERS = 80


class ConfigFields:
    """The fields of one `config.json`; `file` names it in errors."""

    def __init__(self, fields: Mapping[str, Any], file: str, prefix: str = "") -> None:
        self._fields = fields
        self._file = file
        self._prefix = prefix

    def integer(self, key: str, default: int | None = None, *, most: int = MAX_WIDTH) -> int:
        """A count up to `most`. Raises `EngineFault` MODEL_UNSUPPORTED, as do all readers."""
        value = self._value(key, default)
        if not _is_count(value, most):
            self.refuse(key)
        return value

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        least: float = _LEAST_NUMBER,
        most: float = _MOST_NUMBER,
    ) -> float:
        """A number, `least` .. `most`."""
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.refuse(key)
        if not least <= value <= most:
            self.refuse(key)
        return float(value)

    def flag(self, key: str, default: bool | None = None) -> bool:
        value = self._value(key, default)
        if not isinstance(value, bool):
            self.refuse(key)
        return value

    def integers(
        self, key: str, default: tuple[int, ...] | None = None, *, most_items: int = 8
    ) -> tuple[int, ...]:
        """A list of positive whole numbers, not empty and no longer than `most_items`."""
        value = self._value(key, default)
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= most_items:
            self.refuse(key)
        if not all(_is_count(item, MAX_WIDTH) for item in value):
            self.refuse(key)
        return tuple(value)

    def text(self, key: str, default: str | None = None) -> str:
        value = self._value(key, default)
        if not isinstance(value, str):
            self.refuse(key)
        return value

    def section(self, key: str) -> ConfigFields:
        """The object under `key`."""
        value = self._value(key, None)
        if not isinstance(value, Mapping):
            self.refuse(key)
        return ConfigFields(value, self._file, f"{self._prefix}{key}.")

    def require(self, key: str, allowed: Collection[Any]) -> None:
        """Refuses a value outside `allowed`; an absent key is as if it had an allowed value.

        True and 1 are different values here, 1 and 1.0 are the same.
        """
        if key in self._fields and not any(_same(self._fields[key], item) for item in allowed):
            self.refuse(key)

    def only(self, known: Collection[str]) -> None:
        """Refuses keys that are neither `known` nor private (`_class_name`, ...)."""
        for key in self._fields:
            if key not in known and not key.startswith("_"):
                self.refuse(key)

    def has(self, key: str) -> bool:
        """Whether `key` is present and not null."""
        return self._fields.get(key) is not None

    def names(self, key: str) -> bool:
        """Whether `key` is present, if only as null."""
        return key in self._fields

    def refuse(self, key: str) -> NoReturn:
        found = json.dumps(self._fields[key]) if key in self._fields else "absent"
        if len(found) > _SHOWN_CHARACTERS:
            found = found[:_SHOWN_CHARACTERS] + "…"
        facts = {
            "file": self._file,
            "reason": str(Reason.CONFIG_VALUE),
            "found": f"{self._prefix}{key}: {found}",
        }
        raise EngineFault(EngineError(code=ErrorCode.MODEL_UNSUPPORTED, facts=facts))

    def _value(self, key: str, default: Any) -> Any:
        value = self._fields.get(key, default)
        if value is None:
            value = default
        if value is None:
            self.refuse(key)
        return value


def _is_count(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def _same(found: Any, allowed: Any) -> bool:
    """Equal, without taking True for 1; nothing is hashed, because a list may stand anywhere."""
    return isinstance(found, bool) == isinstance(allowed, bool) and found == allowed
