"""How far a whole batch is, and how long the rest will take. Pure arithmetic over jobs and a clock.

Separate from `desktop.progress`, which knows one job: here a job of the same kind as those before
is expected to take as long as they did on average.
"""

from __future__ import annotations

from desktop.progress import Progress


class BatchProgress:
    """Counts `total` pictures. `now_s` is any clock that only goes forward."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self._times_s: list[float] = []
        self._since_s = 0.0

    def begin(self, now_s: float) -> None:
        """A picture is begun."""
        self._since_s = now_s

    def complete(self, now_s: float) -> None:
        """It is made."""
        self.done += 1
        self._times_s.append(now_s - self._since_s)
        self._since_s = now_s

    def skip(self, count: int) -> None:
        """Pictures of a job that failed: they will not come."""
        self.total -= count

    def fraction(self, progress: Progress | None = None) -> float:
        """Of the whole batch; `progress` is of the job that runs, counted as one picture."""
        begun = 0.0
        if progress is not None:
            begun = progress.fraction * progress.image_count - progress.image_index
        done = self.done + min(1.0, max(0.0, begun))
        return min(1.0, done / self.total) if self.total else 1.0

    def remaining_s(self, now_s: float, progress: Progress | None = None) -> float | None:
        """None until there is a measure."""
        left = self.total - self.done
        if self._times_s:
            mean = sum(self._times_s) / len(self._times_s)
            return max(0.0, left * mean - (now_s - self._since_s))
        if progress is None or progress.remaining_s is None or not progress.image_count:
            return None
        whole = (now_s - self._since_s + progress.remaining_s) / progress.image_count
        return max(0.0, left * whole - (now_s - self._since_s))
