"""The whole pipeline against the reference's pictures: same weights, same noise, same sampler."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import resources
from engine.catalog import Catalog
from engine.device import CpuDevice
from engine.port import (
    EngineEvent,
    GenerationRequest,
    ImageCompleted,
    JobId,
    RgbImage,
    Sampler,
    SigmaSchedule,
)
from engine.session import Session

GOLDEN = Path(
    os.environ.get("DANQING_PARITY_PIPELINE", Path(__file__).parents[1] / "golden/pipeline")
)
CASES = json.loads((GOLDEN / "cases.json").read_text(encoding="utf-8"))
LARGEST_DIFFERENCE = 2
"""Of 255: float32 rounding over some ten evaluations of the network, then rounding to 8 bits."""


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(CpuDevice(), Catalog(resources.path("starter-model"), []))


def pixels(image: RgbImage) -> np.ndarray:
    return np.frombuffer(image.data, np.uint8).reshape(image.height, image.width, 3)


def generate(session: Session, case: dict[str, Any]) -> np.ndarray:
    request = GenerationRequest(
        prompt=case["prompt"],
        negative_prompt=case["negative_prompt"],
        seed=case["seed"],
        width=256,
        height=256,
        steps=case["steps"],
        guidance_scale=case["guidance_scale"],
        sampler=Sampler.EULER,
        sigma_schedule=SigmaSchedule.SHIFTED,
        model_id=session_model(session),
        preview=False,
    )
    events: list[EngineEvent] = []
    session.generate(JobId("parity"), request, events.append, lambda: None)
    (image,) = [event.image for event in events if isinstance(event, ImageCompleted)]
    return pixels(image)


def session_model(session: Session):
    return Catalog(resources.path("starter-model"), []).models()[0].model_id


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_a_picture_is_the_references_picture(session: Session, case: dict[str, Any]):
    reference = np.asarray(Image.open(GOLDEN / case["file"]).convert("RGB")).astype(int)
    difference = np.abs(generate(session, case).astype(int) - reference)
    assert difference.max() <= LARGEST_DIFFERENCE
