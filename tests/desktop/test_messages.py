"""Every error has words, and the words have their facts."""

from __future__ import annotations

import errno
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from desktop import messages
from desktop.messages import describe, describe_save_failure, describe_trash_failure
from desktop.store import name_pattern
from engine.port import EngineError, ErrorCode, Phase
from engine.weights import faults

REPOSITORY = Path(__file__).parents[2]

FACTS = {
    ErrorCode.MODEL_MISSING: {"model": "big", "known": "starter"},
    ErrorCode.MODEL_UNREADABLE: {"file": "vae/model.safetensors", "reason": "read_error"},
    ErrorCode.MODEL_CORRUPT: {
        "file": "a.safetensors",
        "reason": "tensor_missing",
        "tensor": "x.weight",
    },
    ErrorCode.MODEL_UNSUPPORTED: {"file": "model_index.json", "found": "StableDiffusion"},
    ErrorCode.MODEL_UNSAFE: {"file": "model.ckpt"},
    ErrorCode.VALUE_NOT_ALLOWED: {"name": "steps", "value": 0, "allowed": "1 to 1000"},
    ErrorCode.SIZE_NOT_ALLOWED: {"width": 100, "height": 50, "allowed": "256x256"},
    ErrorCode.OUT_OF_MEMORY: {
        "device": "gpu:0",
        "phase": "decode",
        "needed_bytes": 9_629_000_000,
        "free_bytes": 512_000_000,
    },
    ErrorCode.DEVICE_UNAVAILABLE: {"device": "gpu:0", "reason": "cpu_build"},
    ErrorCode.DEVICE_LOST: {"device": "gpu:0", "phase": "denoise"},
    ErrorCode.NON_FINITE_LATENT: {"phase": "denoise", "step": 7},
    ErrorCode.LIBRARY_MISSING: {"library": "paddlepaddle", "reason": "no such file"},
    ErrorCode.SNAPSHOT_UNREADABLE: {"file": "bundle.zip", "reason": "too_large"},
    ErrorCode.FILE_NOT_WRITTEN: {"file": "bundle.zip", "reason": "No space left on device"},
    ErrorCode.PROMPT_TRUNCATED: {"tokens": 2048},
    ErrorCode.ENGINE_STOPPED: {},
    ErrorCode.BUG: {"exception": "TypeError"},
}
"""The facts that the port promises with each code."""


@pytest.mark.parametrize("code", ErrorCode)
def test_every_code_uses_all_the_facts_that_come_with_it(code):
    message = describe(EngineError(code=code, facts=FACTS[code]))
    for name, fact in FACTS[code].items():
        if name not in ("reason", "phase") and not name.endswith("_bytes"):
            assert str(fact) in str(message)
    assert "{" not in str(message)


@pytest.mark.parametrize("code", ErrorCode)
def test_every_code_has_words_without_any_fact(code):
    message = describe(EngineError(code=code))
    assert message.summary.endswith(".")
    assert "{" not in str(message)
    assert messages.WORDINGS[code][-1].placeholders() == frozenset()


def test_reasons_and_phases_are_put_into_words():
    corrupt = EngineError(code=ErrorCode.MODEL_CORRUPT, facts=FACTS[ErrorCode.MODEL_CORRUPT])
    assert describe(corrupt).summary == (
        "a.safetensors does not fit: a tensor is missing (x.weight)."
    )
    memory = EngineError(code=ErrorCode.OUT_OF_MEMORY, facts=FACTS[ErrorCode.OUT_OF_MEMORY])
    assert describe(memory).summary == (
        "Not enough memory on gpu:0 while developing the picture: 9.6 GB needed, 512 MB free."
    )


@pytest.mark.parametrize(
    ("facts", "summary"),
    [
        (
            {"reason": "truncated", "size_bytes": 1_000_000, "expected_bytes": 2_500_000_000},
            "a is damaged: it is cut off (1 MB of 2.5 GB).",
        ),
        (
            {"reason": "tensor_shape", "tensor": "w", "expected": "2x3", "found": "3x2"},
            "a does not fit: a tensor has the wrong shape (w: 3x2 where 2x3 is needed).",
        ),
        (
            {"reason": "shard_missing", "entry": "b"},
            "a: a file that it names is not there (b).",
        ),
    ],
)
def test_damage_is_told_as_exactly_as_it_is_known(facts, summary):
    error = EngineError(code=ErrorCode.MODEL_CORRUPT, facts={"file": "a", **facts})
    assert describe(error).summary == summary


def test_every_reason_of_the_engine_has_words():
    assert set(messages.WEIGHT_REASONS) == set(faults.Reason)


def test_what_the_trash_does_not_do_is_told_with_what_is_so_now():
    refused = describe_trash_failure(OSError(13, "no"), "/a.png", is_restoring=False)
    assert refused.summary == "/a.png cannot be moved to the trash: no."
    assert refused.remedy.startswith("It is still where it was.")
    kept = describe_trash_failure(OSError(errno.EROFS, "no"), "/a.png", is_restoring=True)
    assert str(kept) == "/a.png cannot be put back: no. It is still in the trash."
    emptied = describe_trash_failure(OSError(errno.ENOENT, "no"), "/a.png", is_restoring=True)
    assert "no longer in the trash" in emptied.summary
    assert "still" not in emptied.remedy


def test_every_reason_to_refuse_a_pattern_has_words():
    near = {f"{name_pattern.Reason.UNKNOWN_TOKEN}_near"}
    assert set(messages.PATTERN_REASONS) == set(name_pattern.Reason) | near


def test_an_unknown_reason_is_shown_as_it_is():
    error = EngineError(code=ErrorCode.MODEL_CORRUPT, facts={"file": "a", "reason": "odd {braces}"})
    assert describe(error).summary == "a is damaged: odd {braces}."


def test_every_phase_has_words():
    assert set(messages.PHASES) == {*Phase, "idle"}


def test_facts_are_filled_in_after_translation():
    def german(context, text):
        assert context == "Messages"
        return {"There is no model “{model}”.": "Es gibt kein Modell „{model}“."}.get(text, "?")

    error = EngineError(code=ErrorCode.MODEL_MISSING, facts=FACTS[ErrorCode.MODEL_MISSING])
    assert describe(error, german).summary == "Es gibt kein Modell „big“."


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "0 B"), (999, "999 B"), (1500, "2 kB"), (512e6, "512 MB"), (999.7e6, "1.0 GB")],
)
def test_sizes_for_people(amount, text):
    assert messages.byte_size(amount) == text


@pytest.mark.parametrize("code", [*messages.SAVE_REASONS, errno.EIO])
def test_a_failed_save_names_the_folder_and_a_remedy(code):
    message = describe_save_failure(OSError(code, "Reason"), "/the/folder")
    assert "/the/folder" in message.summary
    assert message.remedy
    assert "{" not in str(message)


def test_a_failed_save_with_a_reason_of_its_own():
    assert "Reason" in describe_save_failure(OSError(errno.EIO, "Reason"), "/f").summary
    assert "OSError" in describe_save_failure(OSError(), "/f").summary


def test_the_translators_tool_finds_every_text(tmp_path):
    lupdate = shutil.which("pyside6-lupdate", path=str(REPOSITORY / ".venv" / "bin"))
    if lupdate is None:
        pytest.skip("pyside6-lupdate is not installed")
    ts = tmp_path / "messages.ts"
    subprocess.run(
        [lupdate, str(REPOSITORY / "desktop" / "messages.py"), "-ts", str(ts)],
        check=True,
        capture_output=True,
    )
    found = {element.text for element in ET.parse(ts).iter("source")}  # noqa: S314 - ours
    used = {
        text
        for wordings in (*messages.WORDINGS.values(), messages.SAVE_REASONS.values())
        for wording in wordings
        for text in (wording.summary, wording.remedy)
        if text
    }
    used |= {*messages.PHASES.values(), *messages.WEIGHT_REASONS.values()}
    used |= {*messages.DEVICE_REASONS.values(), *messages.SNAPSHOT_REASONS.values()}
    assert used - found == set()


def test_no_text_is_composed_by_concatenation():
    source = (REPOSITORY / "desktop" / "messages.py").read_text(encoding="utf-8")
    assert re.findall(r"QT_TRANSLATE_NOOP\(\s*[^\"\s]", source) == ["QT_TRANSLATE_NOOP(c"]


def test_a_device_lost_between_jobs_was_waiting():
    error = EngineError(code=ErrorCode.DEVICE_LOST, facts={"device": "gpu:0", "phase": "idle"})
    assert messages.describe(error).summary == "gpu:0 stopped answering while waiting."


@pytest.mark.parametrize("code", list(ErrorCode))
def test_no_fact_can_play_with_the_terminal(code):
    names = {name for w in messages.WORDINGS[code] for name in w.placeholders()}
    facts = dict.fromkeys(names - {"detail"}, "猫\x1b[31m\n\x9b\u202e\udc9b\u2028")
    text = str(messages.describe(EngineError(code=code, facts=facts)))
    hidden = "\x1b\n\x9b\u202e\udc9b\u2028"
    assert not any(character in text for character in hidden)
    if names:
        assert r"猫\x1b[31m\n\x9b\u202e\udc9b\u2028" in text


def test_what_is_wrong_in_a_small_file_is_told():
    error = EngineError(
        code=ErrorCode.MODEL_CORRUPT,
        facts={"file": "/m/danqing.json", "reason": "manifest_invalid"},
        detail="264x264: the VAE draws multiples of 16",
    )
    assert "(264x264: the VAE draws multiples of 16)" in messages.describe(error).summary


def test_a_full_wording_needs_no_detail_where_the_reason_says_all():
    error = EngineError(
        code=ErrorCode.MODEL_UNREADABLE,
        facts={"file": "/m", "reason": "link_loop"},
        detail="Too many levels of symbolic links",
    )
    summary = messages.describe(error).summary
    assert summary == "/m cannot be read: it is a link that leads back to itself."


def test_a_file_that_is_a_few_bytes_too_long_shows_them():
    error = EngineError(
        code=ErrorCode.MODEL_CORRUPT,
        facts={
            "file": "/m",
            "reason": "trailing_bytes",
            "size_bytes": 28_000_003,
            "expected_bytes": 28_000_000,
        },
    )
    assert "(28000003 B of 28000000 B)" in messages.describe(error).summary
