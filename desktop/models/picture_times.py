"""How long pictures take, learnt from those that this window has made; for estimates of a batch.

Pure arithmetic. Separate from `desktop.progress`, which follows one job.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.port import GenerationRequest, ModelId

_REMEMBERED = 5
"""The last pictures of each kind: the machine may be busier now than an hour ago."""


class PictureTimes:
    """Seconds per step and pixel, by model and by whether guidance doubles the work."""

    def __init__(self) -> None:
        self._rates: dict[tuple[ModelId, bool], list[float]] = {}

    def learn(self, request: GenerationRequest, took_s: float) -> None:
        """A picture of this request, with every value filled in, took so long."""
        if work := _work(request):
            self._rates.setdefault(_kind(request), []).append(took_s / work)

    def estimate_s(self, requests: Iterable[GenerationRequest]) -> float | None:
        """Seconds for all of them; None if there is one of a kind that was never made."""
        total = 0.0
        for request in requests:
            rates = self._rates.get(_kind(request))
            if not rates:
                return None
            recent = sorted(rates[-_REMEMBERED:])
            total += recent[len(recent) // 2] * _work(request)
        return total


def _kind(request: GenerationRequest) -> tuple[ModelId, bool]:
    return request.model_id, (request.guidance_scale or 0.0) > 1.0


def _work(request: GenerationRequest) -> int:
    """Steps times pixels: what denoising costs, by far the most of it."""
    return (request.steps or 0) * (request.width or 0) * (request.height or 0)
