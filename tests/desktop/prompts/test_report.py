"""What a dry run prints."""

from __future__ import annotations

import json
from pathlib import Path

from desktop.prompts import report


def test_the_table(expand):
    found = expand("a cat\n--prompt x --steps 999\n{a|\x1b[31m}")
    head, first, wrong, _ = report.table_lines(found)
    assert head.startswith("line\tsize")
    assert first.split("\t")[:1] + first.split("\t")[-2:] == ["1", "a cat", ""]
    assert wrong.split("\t")[:2] == ["2", "!"]
    assert all("\x1b" not in line for line in report.table_lines(found))


def test_problems_name_file_and_line(expand):
    found = expand("a --steps 5\n--prompt x --steps 999")
    warning, error = report.problem_lines(found, Path("my\nlist.txt"))
    assert warning.startswith("my\\nlist.txt:1: warning: ")
    assert error.startswith("my\\nlist.txt:2: error: Steps: “999”")


def test_the_record_is_json(expand):
    found = expand("--prompt {a|b} --seed 18446744073709551615\n--prompt x --steps 0")
    data = json.loads(json.dumps(report.record(found)))
    (picture,) = data["pictures"]
    assert (picture["seed"], picture["raw_prompt"]) == ("18446744073709551615", "{a|b}")
    assert data["wrong"] == [{"line": 2, "texts": {"prompt": "x", "steps": "0", "seed": "101"}}]
    assert data["problems"][0]["field"] == "steps"
