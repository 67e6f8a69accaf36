"""The texts in a picture file, wherever the container keeps them; nothing is understood yet.

`Texts` is what containers give and formats take: each text with its place in the file, found by the
keyword it is known under whichever the container. Programs put the same texts into PNG chunks, EXIF
tags and JSON in EXIF tags; after `unpack` all of them look alike.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from desktop.store.metadata.bounded import parse_object
from desktop.store.metadata.record import say
from engine.port import Sentence

MOST_CHARACTERS = 8 * 2**20
"""Of all texts of a file together; what would exceed it is left out, with a note."""

MOST_TEXTS = 500
"""In one file; more say nothing."""

TOO_LONG = "A text is too long and was left out: {place}."

MOST_INFLATED = 4 * 2**20
"""Bytes that the compressed texts of a file may become."""

_LABEL = re.compile(
    r"(prompt|workflow|parameters|generation_data|invokeai_metadata):\s*", re.IGNORECASE
)
_PACKED = frozenset(
    {
        "prompt", "workflow", "parameters", "Comment", "Description", "Software", "Source",
        "Title", "invokeai_metadata", "generation_data", "smproj", "sd-metadata", "extraMetadata",
    }
)  # fmt: skip


@dataclass(slots=True)
class Texts:
    """Every text found, by place, and the first place for each keyword."""

    by_place: dict[str, str] = field(default_factory=dict)
    notes: list[Sentence] = field(default_factory=list)
    packets: int = 0
    """XMP packets seen."""
    _places: dict[str, str] = field(default_factory=dict)
    _records: dict[str, dict[str, Any] | None] = field(default_factory=dict)
    _length: int = 0
    _inflated: int = 0

    def __bool__(self) -> bool:
        return bool(self.by_place)

    def add(self, place: str, text: str) -> None:
        """Take in the text at `place`, which is the container and the keyword: `png:prompt`."""
        text = text.strip("\x00").removeprefix("\ufeff")
        keyword = place.partition(":")[2]
        if not text.strip() or place in self.by_place or len(self.by_place) >= MOST_TEXTS:
            return
        self._length += len(text)
        if self._length > MOST_CHARACTERS:
            self.note_once(say("A text is too long and was left out: {place}.", place=place))
            return
        self.by_place[place] = text
        self._places.setdefault(keyword, place)

    def inflate(self, place: str, data: bytes) -> None:
        """Take in a compressed text."""
        room = MOST_INFLATED - self._inflated
        try:
            plain = zlib.decompressobj(wbits=47).decompress(data, max(room, 1))
        except zlib.error:
            self.notes.append(say("A text is damaged: {place}.", place=place))
            return
        self._inflated += len(plain)
        if len(plain) >= room:
            self.note_once(say("A text is too long and was left out: {place}.", place=place))
            return
        self.add(place, decode(plain))

    def note_once(self, note: Sentence) -> None:
        if note.template not in {known.template for known in self.notes}:
            self.notes.append(note)

    def find(self, *keywords: str) -> tuple[str, str] | None:
        """Place and text of the first of `keywords` that is there."""
        for keyword in keywords:
            place = self._places.get(keyword)
            if place is not None:
                return place, self.by_place[place]
        return None

    def get(self, keyword: str) -> str | None:
        found = self.find(keyword)
        return None if found is None else found[1]

    def record(self, keyword: str) -> dict[str, Any] | None:
        """The text as a JSON object, parsed once; None if it is none. Not to be changed."""
        place = self._places.get(keyword)
        if place is None:
            return None
        if place not in self._records:
            self._records[place] = parse_object(self.by_place[place])
        return self._records[place]

    def __contains__(self, keyword: str) -> bool:
        return keyword in self._places

    def place_of(self, keyword: str) -> str:
        return self._places[keyword]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(list(self.by_place.items()))

    def unpack(self) -> None:
        """Give texts that stand inside others the keyword that they have in a PNG.

        EXIF tags hold `prompt:{...}` or `Workflow: {...}`, or a JSON object of PNG keywords.
        """
        for place, text in self:
            container, _, keyword = place.partition(":")
            if container in ("png", "xmp"):
                continue
            label = _LABEL.match(text)
            if label is not None:
                self._add_inner(place, label[1].lower(), text[label.end() :])
            elif text.lstrip().startswith("{") and keyword in ("UserComment", "Comment", "text"):
                for key, value in (self.record(keyword) or {}).items():
                    if key in _PACKED and isinstance(value, str):
                        self._add_inner(place, key, value)

    def _add_inner(self, place: str, keyword: str, text: str) -> None:
        """The text is held once; only the keyword is new."""
        inner = f"{place}:{keyword}"
        if keyword not in self._places and text.strip():
            self.by_place[inner] = text.strip("\x00")
            self._places[keyword] = inner


def decode(data: bytes) -> str:
    """UTF-8 where it is, else Latin-1: what tEXt ought to be and what programs write there."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
