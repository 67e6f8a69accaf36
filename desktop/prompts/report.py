"""A prompt list as text: the table that `danqing batch --dry-run` prints, or JSON.

Separate from the command, which decides where it goes and what it means for the exit status.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from desktop import check_texts
from desktop.messages import Translate, printable, untranslated
from desktop.prompts.fields import Field
from desktop.prompts.plan import Expansion, PlannedPicture, WrongEntry
from desktop.prompts.problems import Problem

_PROMPT_WIDTH = 100


def table_lines(expansion: Expansion) -> Iterator[str]:
    """One line a picture, with tabs between the columns; a wrong entry is marked as such."""
    yield "line\tsize\tsteps\tguidance\tsampler\tseed\tprompt\tnegative prompt"
    for row in expansion.rows:
        if isinstance(row, PlannedPicture):
            request = row.request
            cells = (
                str(row.line),
                f"{request.width}x{request.height}",
                str(request.steps),
                f"{request.guidance_scale:g}",
                str(request.sampler),
                str(request.seed),
                _short(request.prompt),
                _short(request.negative_prompt),
            )
        else:
            cells = (str(row.line), *["!"] * 5, _short(row.texts.get(Field.PROMPT, "")), "")
        yield "\t".join(cells)


def problem_lines(
    expansion: Expansion, path: Path, translate: Translate = untranslated
) -> Iterator[str]:
    """One line a problem, as compilers write them: `list.txt:12: error: …`."""
    name = printable(str(path))
    for problem in expansion.problems:
        place = name if problem.line is None else f"{name}:{problem.line}"
        kind = "error" if problem.is_error else "warning"
        yield f"{place}: {kind}: {check_texts.sentence(problem.message, translate)}"


def record(expansion: Expansion) -> dict[str, object]:
    """The whole expansion for `--json`; seeds are strings, as JSON's numbers are too small."""
    return {
        "pictures": [_picture(row) for row in expansion.pictures],
        "wrong": [_wrong(row) for row in expansion.rows if isinstance(row, WrongEntry)],
        "problems": [_problem(problem) for problem in expansion.problems],
        "encodings": list(expansion.encodings),
    }


def _picture(row: PlannedPicture) -> dict[str, object]:
    request = row.request
    return {
        "line": row.line,
        "group": row.group,
        "prompt": request.prompt,
        "raw_prompt": row.raw_prompt,
        "negative_prompt": request.negative_prompt,
        "width": request.width,
        "height": request.height,
        "steps": request.steps,
        "guidance_scale": request.guidance_scale,
        "sampler": request.sampler,
        "sigma_schedule": request.sigma_schedule,
        "seed": str(request.seed),
    }


def _wrong(row: WrongEntry) -> dict[str, object]:
    return {"line": row.line, "texts": dict(row.texts)}


def _problem(problem: Problem) -> dict[str, object]:
    return {
        "line": problem.line,
        "column": problem.column,
        "field": problem.field,
        "error": problem.is_error,
        "message": check_texts.sentence(problem.message),
    }


def _short(text: str) -> str:
    """A prompt in one line of a terminal."""
    flat = printable(" ".join(text.split()))
    return flat if len(flat) <= _PROMPT_WIDTH else flat[: _PROMPT_WIDTH - 1] + "…"
