"""What people see while a picture is made, on a terminal and elsewhere."""

from __future__ import annotations

import io

import pytest

from desktop import terminal
from desktop.progress import Progress
from desktop.terminal import Bar, Lines, Results
from engine.port import GenerationRequest, JobId, ModelId, ModelLoading, Phase
from tests.fakes.script import Script, play


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watch(display, image_count: int = 2) -> None:
    request = GenerationRequest(
        prompt="x", seed=1, image_count=image_count, steps=3, model_id=ModelId("starter")
    )
    with display:
        loading = ModelLoading(model_id=ModelId("starter"), component="vae", fraction=0.5)
        display.follow(loading)
        play(Script(), JobId("1"), request, display.follow, lambda: None)
        display.say("saved [brackets] :cat: are no markup")
        with display.paused():
            display.say("result")


def test_elsewhere_there_is_a_line_for_each_phase():
    stream = io.StringIO()
    watch(terminal.open_display(stream, is_quiet=False), image_count=1)
    assert stream.getvalue().splitlines() == [
        "loading the model",
        "reading the prompt",
        "drawing",
        "developing the picture",
        "saved [brackets] :cat: are no markup",
        "result",
    ]


def test_quiet_leaves_out_the_phases():
    stream = Terminal()
    watch(terminal.open_display(stream, is_quiet=True))
    assert stream.getvalue().splitlines() == ["saved [brackets] :cat: are no markup", "result"]


def test_on_a_terminal_there_is_a_bar_that_goes_away(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    stream = Terminal()
    display = terminal.open_display(stream, is_quiet=False)
    assert isinstance(display, Bar)
    watch(display)
    text = stream.getvalue()
    assert "saved [brackets] :cat: are no markup" in text
    assert text.endswith("\x1b[2K")  # the bar's line is erased
    assert text.rindex("\x1b[?25h") > text.rindex("\x1b[?25l")  # the cursor is back


def test_no_terminal_no_bar():
    assert isinstance(terminal.open_display(io.StringIO(), is_quiet=False), Lines)


def progress(phase: Phase | None, **others) -> Progress:
    values = {
        "phase": phase, "fraction": 0.5, "remaining_s": None, "image_index": 0, "image_count": 1,
        "step": 0, "steps": 12, "tile": 0, "tiles": 0,
    }  # fmt: skip
    return Progress(**(values | others))


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (progress(None, fraction=0.0), "starting"),
        (progress(None), "saving"),
        (progress(Phase.DENOISE), "drawing"),
        (
            progress(Phase.DENOISE, step=3, remaining_s=65.0),
            "drawing, step 3 of 12, 1 min 05 s left",
        ),
        (progress(Phase.DECODE, tile=1, tiles=1), "developing the picture"),
        (progress(Phase.DECODE, tile=1, tiles=4), "developing the picture, part 1 of 4"),
        (
            progress(Phase.ENCODE, image_index=1, image_count=4),
            "picture 2 of 4: reading the prompt",
        ),
    ],
)
def test_words_of_the_bar(seen, words):
    assert terminal.progress_words(seen) == words


def test_results_are_written_at_once():
    stream = io.TextIOWrapper(io.BytesIO(), write_through=False)
    Results(stream).line("path")
    assert stream.buffer.getvalue() == b"path\n"  # pyright: ignore[reportAttributeAccessIssue]
