"""Rows of the check, steps of the self-test and explanations, in the words of the window.

Separate from the widgets that show them, because three places show the same things; the names of
rows are `desktop.check_texts`' own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QCoreApplication

from desktop import check_texts
from desktop.models.system_report import StepState
from desktop.views import words
from desktop.widgets.disclosure_row import RowText, Step, Tone
from engine.port import CheckResult, Explanation, Gate, Gpu, Report, Sentence, Verdict

translate = QCoreApplication.translate

TONES: Mapping[Verdict, Tone] = {
    Verdict.PASS: Tone("passed", "good"),
    Verdict.WARN: Tone("warning", "caution"),
    Verdict.FAIL: Tone("failed", "problem"),
    Verdict.CRASHED: Tone("failed", "problem"),
    Verdict.UNKNOWN: Tone("unknown", "muted"),
    Verdict.NOT_APPLICABLE: Tone("not-applicable", "muted"),
    Verdict.INFO: Tone("information", "muted"),
}
GATE_TONES: Mapping[Gate, Tone] = {
    Gate.OPEN: Tone("passed", "good"),
    Gate.NEEDS_SELFTEST: Tone("information", "focus"),
    Gate.NEEDS_ACKNOWLEDGEMENT: Tone("warning", "caution"),
    Gate.BLOCKED: Tone("failed", "problem"),
}
_WAITING = Tone("waiting", "muted")
_RUNNING = Tone("running", "focus")


def of_check(row: CheckResult, *, names_gpu: bool) -> RowText:
    """A row of the report; with several GPUs it says which one it is about."""
    title = check_texts.title(row.id, translate)
    if row.gpu is not None and names_gpu:
        title = f"{title}\N{NO-BREAK SPACE}· {row.gpu.removeprefix('0000:')}"
    summary = sentence(row.summary)
    return RowText(
        tone=TONES[row.verdict],
        title=title,
        verdict=verdict(row.verdict),
        summary=summary,
        facts=_facts(
            (translate("CheckWords", "Found"), sentence(row.measured)),
            (translate("CheckWords", "Needed"), sentence(row.expected)),
            (translate("CheckWords", "Why"), summary),
            (translate("CheckWords", "Read from"), check_texts.source(row.source, translate)),
        ),
        steps_label=translate("CheckWords", "What to do"),
        steps=_steps(row.fix),
    )


def of_step(state: StepState) -> RowText:
    """A step of the self-test: waiting, running, or done."""
    title = check_texts.step_title(state.name, translate)
    step = state.result
    if step is None:
        if state.is_running:
            doing = translate("CheckWords", "running…")
            return RowText(tone=_RUNNING, title=title, verdict=doing, summary="")
        return RowText(tone=_WAITING, title=title, verdict="", summary="")
    measured = sentence(step.measured)
    return RowText(
        tone=TONES[step.verdict],
        title=title,
        verdict=verdict(step.verdict),
        summary=measured,
        facts=_facts(
            (translate("CheckWords", "Found"), measured),
            (translate("CheckWords", "Needed"), sentence(step.expected)),
            (translate("CheckWords", "Why"), sentence(step.summary) if step.summary else ""),
            (translate("CheckWords", "Took"), words.short_duration(step.seconds)),
            (translate("CheckWords", "Details"), step.detail),
        ),
        steps_label=translate("CheckWords", "What to do"),
        steps=_steps(step.fix),
    )


def of_explanation(item: Explanation) -> RowText:
    """A line of a log that is known."""
    cause = sentence(item.cause)
    row = check_texts.title(item.check, translate) if item.check is not None else ""
    return RowText(
        tone=TONES[item.verdict],
        title=row or verdict(item.verdict),
        verdict=f"{item.count} ×" if item.count > 1 else "",
        summary=cause,
        facts=_facts(
            (translate("CheckWords", "Line"), item.line),
            (translate("CheckWords", "Why"), cause),
        ),
        steps_label=translate("CheckWords", "What to do"),
        steps=_steps(item.fix),
    )


def gpu_line(report: Report) -> str:
    """The chosen GPU and why it was chosen, or why none was."""
    reason = sentence(report.reason)
    chosen = next((gpu for gpu in report.gpus if gpu.key == report.chosen_gpu), None)
    if chosen is None:
        return reason
    return translate("CheckWords", "{gpu}. {reason}").format(gpu=gpu_name(chosen), reason=reason)


def gpu_name(gpu: Gpu) -> str:
    """`AMD Radeon AI PRO R9700, 31.9 GiB, graphics card`."""
    kind = translate(check_texts.CONTEXT, check_texts.KINDS[gpu.kind])
    size = "" if gpu.vram_bytes is None else f"{gpu.vram_bytes / 2**30:.1f} GiB"
    return words.listed(part for part in (gpu.name, size, kind) if part)


def verdict(found: Verdict) -> str:
    return translate(check_texts.CONTEXT, check_texts.VERDICTS[found])


def sentence(said: Sentence) -> str:
    return check_texts.sentence(said, translate)


def _facts(*pairs: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(pair for pair in pairs if pair[1])


def _steps(fix: Sequence[Sentence]) -> tuple[Step, ...]:
    return tuple(Step(sentence(step), step.is_command) for step in fix)
