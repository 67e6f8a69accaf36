"""`danqing check` and `danqing explain` as a user calls them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from desktop import arguments, check_command, check_texts, gpu_gate, terminal
from desktop.arguments import CheckMachine, ExplainText, ShowText, UsageError
from engine.checks import judge
from engine.checks.machine_check import MachineChecker
from engine.checks.rules import ROWS
from engine.checks.selftest import SelfTest, step_of
from engine.checks.selftest_messages import Outcome
from engine.checks.snapshot import Snapshot
from engine.port import Gate, GpuKind, Sentence, Verdict
from tests.fakes.machines import CARD, RECORDED, PretendedMachine, healthy

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def machine(tmp_path):
    return MachineChecker(state_folder=tmp_path / "state", cache_folder=tmp_path / "cache")


def run(command, machine) -> tuple[int, str, str]:
    """Exit status, standard output, standard error."""
    out, human = io.StringIO(), io.StringIO()
    results = terminal.Results(out)
    if isinstance(command, CheckMachine):
        status = check_command.check(command, machine, results, human)
    else:
        status = check_command.explain(command, machine, results, human)
    return status, out.getvalue(), human.getvalue()


def recorded(name: str) -> Path:
    return RECORDED / name / "snapshot"


# --- words ----------------------------------------------------------------------------------------


def test_words_of_check():
    assert arguments.parse(["check"]) == CheckMachine()
    words = ["check", "--json", "--snapshot", "a.zip", "--bundle", "b.zip", "--no-probe"]
    assert arguments.parse(words) == CheckMachine(
        is_json=True, snapshot=Path("a.zip"), bundle=Path("b.zip"), has_probe=False
    )
    assert isinstance(arguments.parse(["check", "--help"]), ShowText)


def test_words_of_explain():
    assert arguments.parse(["explain"]) == ExplainText()
    assert arguments.parse(["explain", "-"]) == ExplainText()
    assert arguments.parse(["explain", "a.log", "--json"]) == ExplainText(
        file=Path("a.log"), is_json=True
    )


@pytest.mark.parametrize("words", [["check", "x"], ["check", "--snap", "a"], ["explain", "a", "b"]])
def test_mistakes(words):
    with pytest.raises(UsageError):
        arguments.parse(words)


# --- check ----------------------------------------------------------------------------------------


def test_a_recorded_machine_is_told_with_its_remedy(machine):
    command = CheckMachine(snapshot=recorded("11-debian-kfd-render-user-video"))
    status, out, human = run(command, machine)
    assert status == 1
    assert out.startswith("Pictures cannot be made on the GPU.\n")
    assert "blocked by: Permissions (dev.perm)" in out
    assert "> sudo usermod -aG render $USER" in out
    assert human == ""
    assert "{" not in out


def test_warnings_can_be_acknowledged_without_a_window(tmp_path):
    small_bar = {f"{CARD}/mem_info_vis_vram_total": str(256 * 2**20)}
    machine = PretendedMachine(healthy(files=small_bar), tmp_path)
    waiting = machine.check()
    steps = [step_of(Outcome(name="device", verdict=Verdict.PASS))]
    machine.record_selftest(gpu_gate.result_of(steps, SelfTest(), waiting))
    asked = machine.check().acknowledge
    assert asked
    assert run(CheckMachine(), machine)[0] == 1
    status, out, _ = run(CheckMachine(is_acknowledging=True), machine)
    assert (status, out.splitlines()[0]) == (0, "Pictures can be made on the GPU.")
    assert machine.check().acknowledged == asked
    with pytest.raises(UsageError, match="not with --snapshot"):
        arguments.parse(["check", "--acknowledge", "--snapshot", "a.zip"])


def test_json_of_a_recorded_machine(machine):
    command = CheckMachine(snapshot=recorded("31-r9700-plus-igpu-30576mb"), is_json=True)
    status, out, _ = run(command, machine)
    record = json.loads(out)
    assert status == 1
    assert record["format"] == "danqing-check"
    assert record["gate"] == "needs_selftest"
    assert record["chosen_gpu"] == "0000:03:00.0"


def test_a_bundle_of_a_recorded_machine_can_be_checked_again(machine, tmp_path):
    name = recorded("31-r9700-plus-igpu-30576mb")
    first = run(CheckMachine(snapshot=name, bundle=tmp_path / "b.zip", is_json=True), machine)
    assert "b.zip" in first[2]
    again = run(CheckMachine(snapshot=tmp_path / "b.zip", is_json=True), machine)
    assert again[:2] == first[:2]
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        assert {"report.json", "report.txt", "manifest.json"} <= set(archive.namelist())


@pytest.mark.parametrize("command", [CheckMachine, ExplainText])
def test_a_file_that_is_not_there(machine, tmp_path, command):
    name = tmp_path / "missing"
    request = CheckMachine(snapshot=name) if command is CheckMachine else ExplainText(file=name)
    status, out, human = run(request, machine)
    assert status == 3
    assert out == ""
    assert "missing" in human
    assert human.count("\n") == 1


def test_this_machine_without_the_probe_takes_less_than_a_second(machine):
    began = time.monotonic()
    status, out, _ = run(CheckMachine(is_json=True, has_probe=False), machine)
    assert time.monotonic() - began < 1
    record = json.loads(out)
    assert status == (0 if record["allowed"] else 1)
    assert [c["id"] for c in record["checks"] if c["verdict"] == "crashed"] == []


def test_the_program_itself():
    words = [sys.executable, "-m", "desktop", "check", "--no-probe", "--json", "--snapshot"]
    done = subprocess.run(
        [*words, str(recorded("49-nvidia-4090-rebar"))],
        capture_output=True,
        encoding="utf-8",
        cwd=REPOSITORY,
        check=False,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["blocked_by"] == ["gpu.present"]
    assert done.stderr == ""


# --- explain --------------------------------------------------------------------------------------


def test_a_log_is_explained(machine, tmp_path):
    log = tmp_path / "app.log"
    log.write_text("starting\nrocBLAS error: Cannot read TensileLibrary.dat\n" * 2)
    status, out, _ = run(ExplainText(file=log), machine)
    assert status == 0
    assert "(2 times)" in out
    assert "no kernels" in out
    status, out, _ = run(ExplainText(file=log, is_json=True), machine)
    (item,) = json.loads(out)
    assert (item["signature"], item["check"], item["count"]) == ("tensile-missing", "rocm.arch", 2)


def test_a_device_is_no_text(machine):
    status, out, human = run(ExplainText(file=Path("/dev/null")), machine)
    assert (status, out) == (3, "")
    assert "a device, not a text" in human


def test_nothing_known_is_said(machine, tmp_path):
    log = tmp_path / "app.log"
    log.write_text("all is well\n")
    status, out, human = run(ExplainText(file=log), machine)
    assert (status, out, human) == (1, "", "Nothing known in here.\n")


# --- texts ----------------------------------------------------------------------------------------


def test_every_row_has_a_title_and_a_group():
    for row in [*(row.id for row in ROWS), "selftest"]:
        assert check_texts.title(row) != row
        assert check_texts.group_of(row) in check_texts.GROUPS
    assert check_texts.group_of("mem.vram") == "gpu"
    assert check_texts.group_of("mem.host") == "machine"


def test_every_value_has_words():
    assert set(check_texts.VERDICTS) == set(Verdict) == set(check_texts.SEVERITY)
    assert set(check_texts.GATES) == set(Gate)
    assert set(check_texts.KINDS) == set(GpuKind)


def test_a_sentence_is_filled_in_after_translation():
    said = Sentence("{size} of memory", {"size": "{8} GiB"})
    assert check_texts.sentence(said, lambda context, text: f"{context}-> {text}") == (
        "-> {8} GiB of memory"
    )
    assert check_texts.sentence(Sentence("")) == ""


def test_a_source_that_is_no_file_is_translated():
    chinese = {"child process": "子进程"}
    assert check_texts.source("child process", lambda _, text: chinese[text]) == "子进程"
    assert check_texts.source("/proc/cmdline", lambda _, text: chinese[text]) == "/proc/cmdline"


def test_a_recording_that_says_nothing_of_a_gpu_is_not_said_to_be_in_order():
    report = judge.judge(Snapshot())
    assert report.gate is Gate.NEEDS_SELFTEST
    for said in (check_command.report_lines(report)[0], check_texts.gate_reason(report)):
        assert said.startswith("No AMD GPU has been seen, nor that there is none")
        assert "in the way" not in said
    assert "in the way" in check_texts.answer(judge.judge(healthy()))
