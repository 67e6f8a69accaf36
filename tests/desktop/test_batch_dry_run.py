"""`danqing batch --dry-run`: the table that would be drawn, and what to say to draw just that."""

from __future__ import annotations

import io
import json
import re

import pytest

from desktop import arguments, batch_command, cli
from desktop.terminal import Results
from tests.fakes.fake_engine import FakeCatalog, FakeEngine


def dry_run(*words: str) -> tuple[int, str, str]:
    return run(*words, "--dry-run")


def run(*words: str) -> tuple[int, str, str]:
    command = arguments.parse(["batch", *words])
    assert isinstance(command, arguments.DrawBatch)
    backend = cli.Backend(
        open_catalog=FakeCatalog,
        open_engine=lambda catalog, device: FakeEngine(),
        choose_device=cli.choose_device,
    )
    out, human = io.StringIO(), io.StringIO()
    status = batch_command.batch(command, backend, Results(out), human)
    return status, out.getvalue(), human.getvalue()


def test_the_same_seed_shows_the_same_table(tmp_path):
    file = tmp_path / "list.txt"
    file.write_text("{a|b|c|d|e|f|g|h}\n" * 20)
    status, table, human = dry_run(str(file))
    seed = re.search(r"--seed (\d+)", human)
    assert status == 0
    assert seed is not None
    assert dry_run(str(file), "--seed", seed[1])[1] == table
    assert dry_run(str(file), "--seed", "1")[1] != table


def test_errors_and_forms(tmp_path):
    file = tmp_path / "list"
    file.write_text("prompt,steps\na|b,5\nc,999\n")
    status, out, human = dry_run(str(file), "--read-as", "csv", "--matrix", "--json")
    data = json.loads(out)
    assert status == 2
    assert [picture["prompt"] for picture in data["pictures"]] == ["a", "a, b"]
    assert f"{file}:3: error: Steps: “999”" in human
    with pytest.raises(arguments.UsageError, match="--read-as"):
        dry_run(str(file), "--read-as", "xml")


def test_what_may_never_end_is_no_list():
    for words in ((), ("--dry-run",)):
        status, _, human = run("/dev/zero", *words)
        assert status == 2
        assert "/dev/zero is no file" in human
