"""Words that several views share: samplers, sizes, durations. Translated when asked, not before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication

from desktop.models.prompt_form import size_text
from engine.port import PictureSize, Sampler

SAMPLERS = {Sampler.DPMPP_2M: "DPM-Solver++ (2M)", Sampler.EULER: "Euler"}
"""Names of methods, which are the same in every language."""


def duration(seconds: float) -> str:
    """`4 s`, `1 min 05 s`, `2 h 03 min`."""
    whole = max(1, round(seconds))
    if whole < 60:
        return QCoreApplication.translate("Words", "{seconds} s").format(seconds=whole)
    if whole < 3600:
        return QCoreApplication.translate("Words", "{minutes} min {seconds} s").format(
            minutes=whole // 60, seconds=f"{whole % 60:02d}"
        )
    return QCoreApplication.translate("Words", "{hours} h {minutes} min").format(
        hours=whole // 3600, minutes=f"{whole % 3600 // 60:02d}"
    )


def short_duration(seconds: float) -> str:
    """As `duration`, with tenths below ten seconds: `2.9 s`."""
    if seconds >= 9.95:
        return duration(seconds)
    return QCoreApplication.translate("Words", "{seconds} s").format(seconds=f"{seconds:.1f}")


def listed(parts: Iterable[str]) -> str:
    """`this, that, the other`."""
    comma = QCoreApplication.translate("Words", ", ")
    return comma.join(parts)


def size_list(sizes: Sequence[PictureSize]) -> str:
    """`256 × 256, 320 × 192 or 192 × 320`."""
    texts = [_unbroken(size) for size in sizes]
    if len(texts) < 2:
        return "".join(texts)
    return QCoreApplication.translate("Words", "{sizes} or {last}").format(
        sizes=listed(texts[:-1]), last=texts[-1]
    )


def demo_note(size: PictureSize) -> str:
    """What to expect of a demo model."""
    return QCoreApplication.translate(
        "Words", "Demo model: draws about a thousand everyday things at {size}"
    ).format(size=_unbroken(size))


def _unbroken(size: PictureSize) -> str:
    """A size that no line break tears apart."""
    return size_text(size).replace(" ", "\N{NO-BREAK SPACE}")
