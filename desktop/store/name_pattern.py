"""What the files of new pictures are called: a pattern with tokens, understood once and checked.

The tokens are A1111's, as far as Danqing has what they stand for, and `[number]`. `/` in a pattern
makes sub-folders; what a token stands for never does, so that no prompt can lead out of the folder.
Separate from `names`, which makes any text fit for a file system.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import string
import unicodedata
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from desktop.store import names
from engine.port import Provenance

DEFAULT_TEXT = "[date]-[number]-[prompt_spaces]"
"""`2026-11-30-0007-an orange cat`."""

TEXT_BYTES = 120
"""The most that one prompt adds to a name: a longer one is no easier to tell from another."""

NUMBER_BYTES = 9
"""Room for a number in a name: more files than any folder has."""

_NUMBER = "number"
_TOKEN = re.compile(r"\[([a-z_]*)((?:<[^<>\[\]]*>)*)\]")
_JOINERS = "-_ .,+~"
_WORDS = re.compile(r"[^\s" + re.escape(string.punctuation) + r"]+")
_MOST_WORDS = 8
_HASH_DIGITS = 8
_DATE, _MOMENT = "%Y-%m-%d", "%Y%m%d%H%M%S"


class Reason(StrEnum):
    """Why a pattern cannot be used."""

    EMPTY = "empty"
    UNKNOWN_TOKEN = "unknown_token"  # noqa: S105 - a token of a pattern, not a secret
    BRACKET = "bracket"
    CHARACTER = "character"
    ARGUMENT = "argument"
    FOLDER = "folder"
    NUMBER = "number"


class PatternError(ValueError):
    """A pattern that cannot be used: `part` is what is wrong in it, `near` a token it may mean."""

    def __init__(self, reason: Reason, part: str = "", near: str | None = None) -> None:
        super().__init__(f"{reason}: {part}")
        self.reason = reason
        self.part = part
        self.near = near


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a name can be made of. `index` counts the job's pictures from 0; times have a zone."""

    provenance: Provenance
    index: int
    pixels: bytes
    made_at: datetime
    job_started_at: datetime


@dataclass(frozen=True, slots=True)
class Name:
    """A name with a place for a number: `before` 0007 `after`, in `folder` below the pictures'.

    Without `has_number` the name is `before` alone, and a number is added only where it is taken.
    """

    folder: str
    before: str
    after: str
    has_number: bool

    def stem(self, number: int) -> str:
        """The name with `number` (from 1), without its ending."""
        if self.has_number:
            return f"{self.before}{number:04d}{self.after}"
        return self.before if number == 1 else f"{self.before}-{number}"


@dataclass(frozen=True, slots=True)
class _Token:
    name: str
    arguments: tuple[str, ...]


_Part = str | _Token


class Pattern:
    """A pattern that was understood; `text` is what was written."""

    def __init__(self, text: str) -> None:
        """Raises `PatternError`."""
        self.text = text
        segments = _segments(unicodedata.normalize("NFC", text))
        self._folders, self._stem = segments[:-1], segments[-1]
        for segment in self._folders:
            if any(isinstance(part, _Token) and part.name == _NUMBER for part in segment):
                raise PatternError(Reason.FOLDER, f"[{_NUMBER}]")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def name(self, facts: Facts, limit_bytes: int) -> Name:
        """The name of a picture; its stem has at most `limit_bytes` bytes with any number."""
        folders = [_fitted(segment, facts, limit_bytes) for segment in self._folders]
        spots = [i for i, part in enumerate(self._stem) if _is_number(part)]
        if not spots:
            room = limit_bytes - NUMBER_BYTES - len("-")
            stem = _fitted(self._stem, facts, room) or "picture"
            return Name("/".join(filter(None, folders)), stem, "", has_number=False)
        values = _values(self._stem, facts, limit_bytes - NUMBER_BYTES - len("_"))
        before = "".join(values[: spots[0]]).lstrip(" .")
        after = "".join(values[spots[0] :]).rstrip(" .")
        if names.no_device(f"{before}0{after}", limit_bytes).startswith("_" + before):
            before = f"_{before}"
        return Name("/".join(filter(None, folders)), before, after, has_number=True)


# --- understanding a pattern ----------------------------------------------------------------------


def _segments(text: str) -> list[list[_Part]]:
    """The parts of each folder and, last, of the name."""
    if not text.strip():
        raise PatternError(Reason.EMPTY)
    segments: list[list[_Part]] = [[]]
    end = 0
    for found in _TOKEN.finditer(text):
        _add_literal(segments, text[end : found.start()])
        segments[-1].append(_token(found))
        end = found.end()
    _add_literal(segments, text[end:])
    for segment in segments:
        if all(isinstance(part, str) and not part.strip(" .") for part in segment):
            raise PatternError(Reason.FOLDER, "".join(map(str, segment)) + "/")
    if sum(_is_number(part) for part in segments[-1]) > 1:
        raise PatternError(Reason.NUMBER, f"[{_NUMBER}]")
    return segments


def _add_literal(segments: list[list[_Part]], text: str) -> None:
    for character in text:
        if character in "[]":
            raise PatternError(Reason.BRACKET, text.strip())
        if character != "/" and not names.is_allowed(character):
            raise PatternError(Reason.CHARACTER, character)
    first, *others = text.split("/")
    if first:
        segments[-1].append(first)
    segments.extend([other] if other else [] for other in others)


def _token(found: re.Match[str]) -> _Token:
    name = found[1]
    if name != _NUMBER and name not in _TOKENS:
        near = difflib.get_close_matches(name, known_tokens(), n=1)
        raise PatternError(Reason.UNKNOWN_TOKEN, found[0], near[0] if near else None)
    token = _Token(name, tuple(re.findall(r"<([^<>]*)>", found[2])))
    if not _ARGUMENTS.get(name, _no_arguments)(token.arguments):
        raise PatternError(Reason.ARGUMENT, found[0])
    return token


def _is_number(part: _Part) -> bool:
    return isinstance(part, _Token) and part.name == _NUMBER


def _no_arguments(arguments: Sequence[str]) -> bool:
    return not arguments


def _is_length(arguments: Sequence[str]) -> bool:
    return not arguments or (
        len(arguments) == 1 and arguments[0].isdecimal() and 1 <= int(arguments[0][:3]) <= 64
    )


def _is_moment(arguments: Sequence[str]) -> bool:
    if len(arguments) > 2:
        return False
    try:
        _moment(datetime.now().astimezone(), arguments)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return False
    return True


_ARGUMENTS: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "datetime": _is_moment,
    "prompt_hash": _is_length,
    "negative_prompt_hash": _is_length,
    "full_prompt_hash": _is_length,
    "image_hash": _is_length,
    "hasprompt": bool,
}
"""What may stand in the <...> of a token; tokens that are not listed take none."""


# --- what tokens stand for ------------------------------------------------------------------------


def _moment(moment: datetime, arguments: Sequence[str]) -> str:
    written, zone = (*arguments, "", "")[:2]
    if zone:
        moment = moment.astimezone(zoneinfo.ZoneInfo(zone))
    return moment.strftime(written or _MOMENT)


def _hash(data: bytes, arguments: Sequence[str]) -> str:
    digits = int(arguments[0]) if arguments else _HASH_DIGITS
    return hashlib.sha256(data).hexdigest()[:digits]


def _text_hash(text: str, arguments: Sequence[str]) -> str:
    return _hash(text.encode("utf-8", errors="surrogatepass"), arguments)


def _has_prompt(prompt: str, arguments: Sequence[str]) -> str:
    """For each `word|otherwise`: the word if the prompt has it, else what is after the bar."""
    chosen = []
    for argument in arguments:
        word, _, otherwise = argument.partition("|")
        chosen.append(word if word.lower() in prompt.lower() else otherwise)
    return "".join(chosen)


def _text(text: str) -> str:
    return names.safe_name(text, TEXT_BYTES)


def _words(prompt: str) -> str:
    return _text(" ".join(_WORDS.findall(prompt)[:_MOST_WORDS]))


def _model_name(provenance: Provenance) -> str:
    return re.split(r"[/\\]", provenance.model_name.rstrip("/\\"))[-1]


_Value = Callable[[Facts, Sequence[str]], str]

_TOKENS: Mapping[str, _Value] = {
    "seed": lambda f, _: str(f.provenance.seed),
    "seed_first": lambda f, _: str(f.provenance.resolved.image_seed(0)),
    "seed_last": lambda f, _: str(
        f.provenance.resolved.image_seed(f.provenance.resolved.image_count - 1)
    ),
    "steps": lambda f, _: str(f.provenance.resolved.steps),
    "cfg": lambda f, _: format(f.provenance.resolved.guidance_scale, "g"),
    "width": lambda f, _: str(f.provenance.resolved.width),
    "height": lambda f, _: str(f.provenance.resolved.height),
    "sampler": lambda f, _: str(f.provenance.resolved.sampler),
    "scheduler": lambda f, _: str(f.provenance.resolved.sigma_schedule),
    "sampler_scheduler": lambda f, _: (
        f"{f.provenance.resolved.sampler} {f.provenance.resolved.sigma_schedule}"
    ),
    "model_hash": lambda f, _: f.provenance.model_sha256[:10],
    "model_name": lambda f, _: _model_name(f.provenance),
    "date": lambda f, _: f.made_at.strftime(_DATE),
    "datetime": lambda f, a: _moment(f.made_at, a),
    "job_timestamp": lambda f, _: f.job_started_at.strftime(_MOMENT),
    "prompt": lambda f, _: _text(f.provenance.resolved.prompt).replace(" ", "_"),
    "prompt_spaces": lambda f, _: _text(f.provenance.resolved.prompt),
    "prompt_words": lambda f, _: _words(f.provenance.resolved.prompt),
    "prompt_hash": lambda f, a: _text_hash(f.provenance.resolved.prompt, a),
    "negative_prompt_hash": lambda f, a: _text_hash(f.provenance.resolved.negative_prompt, a),
    "full_prompt_hash": lambda f, a: _text_hash(
        f"{f.provenance.resolved.prompt} {f.provenance.resolved.negative_prompt}", a
    ),
    "image_hash": lambda f, a: _hash(f.pixels, a),
    "hasprompt": lambda f, a: _has_prompt(f.provenance.resolved.prompt, a),
    "batch_number": lambda f, _: str(f.index + 1),
    "generation_number": lambda f, _: str(f.index + 1),
    "batch_size": lambda f, _: str(f.provenance.resolved.image_count),
    "none": lambda f, _: "",
}
"""A1111's tokens but for what Danqing does not have: [styles], [prompt_no_styles], [clip_skip],
[denoising], [vae_filename], [basename] and [user]. The model's hash is of the whole transformer."""


def known_tokens() -> list[str]:
    """The names of all tokens, without brackets."""
    return sorted([*_TOKENS, _NUMBER])


# --- making a name --------------------------------------------------------------------------------


def _fitted(segment: Sequence[_Part], facts: Facts, limit_bytes: int) -> str:
    whole = "".join(_values(segment, facts, limit_bytes))
    return names.no_device(names.cut(whole, limit_bytes), limit_bytes)


def _values(segment: Sequence[_Part], facts: Facts, limit_bytes: int) -> list[str]:
    """One text for each part, together at most `limit_bytes`; the number's is empty.

    What does not fit is taken from the longest value, so that a seed survives a long prompt. A
    token that stands for nothing takes the joining characters before it, or at the start those
    after it, with it.
    """
    values: list[str] = []
    has_begun = False
    for part in segment:
        if isinstance(part, str):
            value = part if has_begun or not values else part.lstrip(_JOINERS)
        elif _is_number(part):
            value = ""
        else:
            value = _value(part, facts)
            if not value and values:
                values[-1] = values[-1].rstrip(_JOINERS)
        has_begun = has_begun or bool(value) or _is_number(part)
        values.append(value)
    while (excess := sum(map(_size, values)) - limit_bytes) > 0:
        longest = max(range(len(values)), key=lambda i: _size(values[i]))
        size = _size(values[longest])
        # Halved at most: the next round may find another one longest.
        values[longest] = names.cut(values[longest], max(size - excess, size // 2))
    return values


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def _value(token: _Token, facts: Facts) -> str:
    value = _TOKENS[token.name](facts, token.arguments)
    return names.safe_name(value, TEXT_BYTES)


DEFAULT = Pattern(DEFAULT_TEXT)


def parse(text: str | None) -> Pattern:
    """The pattern that `text` is, the usual one for None. Raises `PatternError`."""
    return DEFAULT if text is None else Pattern(text)
