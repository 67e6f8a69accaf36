"""What a pattern for file names makes of a picture, shown before there is one.

Separate from the dialog, because views do not know the store.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePath
from typing import TYPE_CHECKING

from engine.port import DeviceInfo, ModelId, Provenance, ResolvedRequest, Sampler, SigmaSchedule

if TYPE_CHECKING:
    from desktop.messages import Message, Translate
    from desktop.store.name_pattern import PatternError

_ROOM = 255 - len(".png")


class BadPattern(Exception):
    """A pattern that cannot be used; `error` says why."""

    def __init__(self, error: PatternError) -> None:
        super().__init__(str(error))
        self.error = error


def usual_pattern() -> str:
    """The pattern of those who have chosen none."""
    from desktop.store import name_pattern

    return name_pattern.DEFAULT_TEXT


def known_tokens() -> list[str]:
    """All that can be filled in, as it is written."""
    from desktop.store import name_pattern

    return [f"[{name}]" for name in name_pattern.known_tokens()]


def example(pattern: str, prompt: str) -> PurePath:
    """The path, below the pictures folder, of a first picture of `prompt`. Raises `BadPattern`."""
    from desktop.store import name_pattern

    now = datetime.now().astimezone()
    facts = name_pattern.Facts(
        provenance=_provenance(prompt), index=0, pixels=b"", made_at=now, job_started_at=now
    )
    try:
        name = name_pattern.Pattern(pattern).name(facts, _ROOM)
    except name_pattern.PatternError as error:
        raise BadPattern(error) from error
    return PurePath(name.folder, f"{name.stem(1)}.png")


def describe(problem: BadPattern, translate: Translate) -> Message:
    """Put into words why a pattern cannot be used, and what there is."""
    from desktop import messages
    from desktop.store import name_pattern

    known = name_pattern.known_tokens()
    return messages.describe_pattern_problem(problem.error, known, translate)


def _provenance(prompt: str) -> Provenance:
    resolved = ResolvedRequest(
        prompt=prompt,
        negative_prompt="",
        width=1024,
        height=1024,
        steps=20,
        guidance_scale=4.0,
        seed=12345,
        image_count=1,
        sampler=Sampler.DPMPP_2M,
        sigma_schedule=SigmaSchedule.SHIFTED,
        shift=4.0,
        model_id=ModelId("model"),
        decode_tile=None,
        preview=False,
    )
    return Provenance(
        resolved=resolved,
        seed=resolved.seed,
        model_name="ERNIE-Image",
        model_sha256="0123456789abcdef" * 4,
        library="",
        device=DeviceInfo(name="cpu", description="", dtypes={}),
        noise="",
        tile="",
        danqing_version="",
    )
