"""Reading a checkpoint's own JSON configuration, strictly.

Separate because the three networks share one rule: a value that the code does not compute with
exactly is refused by name, never ignored.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from engine.port import EngineError, EngineFault, ErrorCode


class ConfigFields:
    """The fields of one `config.json`; `file` names it in errors."""

    def __init__(self, fields: Mapping[str, Any], file: str, prefix: str = "") -> None:
        self._fields = fields
        self._file = file
        self._prefix = prefix

    def integer(self, key: str, default: int | None = None) -> int:
        """A positive whole number. Raises `EngineFault` MODEL_UNSUPPORTED, as do all readers."""
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self.refuse(key)
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number above zero."""
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e30:
            self.refuse(key)
        return float(value)

    def flag(self, key: str, default: bool | None = None) -> bool:
        value = self._value(key, default)
        if not isinstance(value, bool):
            self.refuse(key)
        return value

    def integers(self, key: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """A list of positive whole numbers, not empty."""
        value = self._value(key, default)
        if not isinstance(value, list | tuple) or not value:
            self.refuse(key)
        if any(isinstance(item, bool) or not isinstance(item, int) or item < 1 for item in value):
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
        """Refuses a value outside `allowed`; an absent key is as if it had an allowed value."""
        if key in self._fields and self._fields[key] not in allowed:
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
        found = repr(self._fields[key]) if key in self._fields else "absent"
        facts = {"file": self._file, "found": f"{self._prefix}{key}: {found}"}
        raise EngineFault(EngineError(code=ErrorCode.MODEL_UNSUPPORTED, facts=facts))

    def _value(self, key: str, default: Any) -> Any:
        value = self._fields.get(key, default)
        if value is None:
            value = default
        if value is None:
            self.refuse(key)
        return value
