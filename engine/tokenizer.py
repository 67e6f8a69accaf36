"""Prompt -> token ids, exactly as the checkpoint's own `tokenizer.json` says.

Separate from the text encoder, which sees numbers only. The `tokenizers` library does the work;
this module settles what diffusers' pipeline settles: special tokens on, no padding, truncation at
`model_max_length`, and a lone beginning-of-text token where a prompt gives none.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers

from engine.port import EngineError, EngineFault, ErrorCode
from engine.weights.faults import Reason, corrupt
from engine.weights.files import opened, read_json

_UNLIMITED = 1_000_000
"""transformers writes a number far beyond this where a tokenizer has no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """`ids` has one token at least; `truncated` says that the prompt's end was cut off."""

    ids: list[int]
    truncated: bool


class Tokenizer:
    """A checkpoint's tokenizer; `max_length` is its limit in tokens, special ones included."""

    def __init__(self, backend: tokenizers.Tokenizer, max_length: int | None, bos: int) -> None:
        self.max_length = max_length
        self._bos = bos
        self._backend = backend
        self._backend.no_padding()
        if max_length is None:
            self._backend.no_truncation()
        else:
            self._backend.enable_truncation(max_length)

    @classmethod
    def from_folder(cls, folder: Path) -> Tokenizer:
        """Reads `tokenizer.json` and `tokenizer_config.json`.

        Raises `EngineFault` MODEL_MISSING, MODEL_UNREADABLE or MODEL_CORRUPT.
        """
        config = read_json(folder / "tokenizer_config.json", Reason.CONFIG_INVALID)
        path = folder / "tokenizer.json"
        read_json(path, Reason.CONFIG_INVALID)
        with opened(path) as file:
            content = file.read()
        try:
            backend = tokenizers.Tokenizer.from_buffer(content)
        except Exception as error:  # the library raises bare Exception for what it cannot parse
            raise corrupt(path, Reason.CONFIG_INVALID, detail=str(error)) from error
        return cls(backend, _max_length(folder, config), _bos(backend, config))

    @property
    def largest_id(self) -> int:
        """The largest id that any text can get."""
        known = self._backend.get_vocab(with_added_tokens=True).values()
        return max(self._bos, *known) if known else self._bos

    def encode(self, prompt: str) -> Encoding:
        """Token ids of a prompt, special tokens included.

        Raises `EngineFault` VALUE_NOT_ALLOWED for text that is not Unicode (lone surrogates).
        """
        try:
            prompt.encode("utf-8")
        except UnicodeEncodeError as error:
            facts = {"name": "prompt", "value": ascii(prompt[:80]), "allowed": "Unicode text"}
            fault = EngineError(code=ErrorCode.VALUE_NOT_ALLOWED, facts=facts, detail=str(error))
            raise EngineFault(fault) from error
        encoded = self._backend.encode(prompt)
        return Encoding(ids=encoded.ids or [self._bos], truncated=bool(encoded.overflowing))


def _max_length(folder: Path, config: dict[str, Any]) -> int | None:
    length = config.get("model_max_length")
    if length is None or (isinstance(length, int | float) and length > _UNLIMITED):
        return None
    if type(length) is not int or length < 2:
        detail = f"model_max_length: {length!r}"
        raise corrupt(folder / "tokenizer_config.json", Reason.CONFIG_INVALID, detail=detail)
    return length


def _bos(backend: tokenizers.Tokenizer, config: dict[str, Any]) -> int:
    """The id that stands for an empty prompt; 0 as in diffusers where none is declared."""
    token = config.get("bos_token")
    if isinstance(token, dict):  # the longer of the two forms that transformers writes
        token = token.get("content")
    found = backend.token_to_id(token) if isinstance(token, str) else None
    return 0 if found is None else found
