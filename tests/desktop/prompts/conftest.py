"""Reading lists for a model that draws three sizes, with a folder of wildcards."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desktop.prompts import Expansion, PlannedPicture, Wildcards, expand_text
from engine.port import GenerationRequest, ModelInfo
from tests.fakes.fake_engine import FakeCatalog

FILES = {
    "colours.txt": "red\ngreen\n# a comment\nblue # too\n",
    "artists/old/dutch.txt": "Rembrandt\nVermeer\n",
    "artists/new.txt": "Kahlo\n",
    "season.txt": "in ${season:any season}\n",
    "loop.txt": "around {x|y} __loop__\n",
    "broken.txt": "fine\n{never closed\n",
    "heavy.txt": "0::never\n5::always\n",
    "latin.txt": b"\xe9t\xe9\n",
    "empty.txt": "# nothing\n",
}


@pytest.fixture
def model() -> ModelInfo:
    return FakeCatalog().models()[0]


@pytest.fixture
def base(model: ModelInfo) -> GenerationRequest:
    return GenerationRequest(prompt="", seed=100, model_id=model.model_id)


@pytest.fixture
def wildcards(tmp_path: Path) -> Wildcards:
    for name, content in FILES.items():
        path = tmp_path / "wildcards" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Wildcards(tmp_path / "wildcards")


Expand = Callable[..., Expansion]


@pytest.fixture
def expand(model: ModelInfo, base: GenerationRequest, wildcards: Wildcards) -> Expand:
    def expand(text: str, **settings: Any) -> Expansion:
        given = {"model": model, "base": base, "wildcards": wildcards, **settings}
        return expand_text(text, **given)

    return expand


@pytest.fixture
def picture(expand: Expand) -> Callable[[str], PlannedPicture]:
    """The one picture of a list without errors."""

    def picture(text: str) -> PlannedPicture:
        found = expand(text)
        assert not found.has_errors, [str(problem.message) for problem in found.problems]
        (row,) = found.pictures
        return row

    return picture
