"""Recordings of machines from strangers: a snapshot and a report, or a refusal."""

from __future__ import annotations

import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from desktop import messages
from engine.checks import judge, recorded
from engine.port import EngineFault, Verdict
from tests.fakes.machines import HEALTHY
from tests.fuzz.hostile import INPUT_COUNTS, altered, as_json, attack, damaged

ENTRIES = recorded.entries_of(HEALTHY, {"format": "danqing-machine-snapshot", "version": 1})
SAMPLES = tuple(ENTRIES.values())
JSON_PARTS = ("manifest.json", "stat.json", "process.json")
NAMES = (
    "../x",
    "/etc/passwd",
    "fs/../../x",
    "C:\\x",
    "fs",
    "fs/",
    "",
    "a\0b",
    "fs//proc/a",
    "猫" * 90,
)
JUDGED_EACH = 50
"""Judging a machine takes milliseconds and has a fuzz of its own (test_properties)."""


def zip_of(entries: dict[str, bytes], chance: random.Random) -> bytes:
    buffer = io.BytesIO()
    method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "w", method, compresslevel=1) as archive:
        for name, content in entries.items():
            archive.writestr(name or "x", content)
    return buffer.getvalue()


WHOLE = zip_of(ENTRIES, random.Random(1))


def file_of(chance: random.Random) -> bytes:
    """A damaged zip, or a whole one of damaged files."""
    if chance.randrange(3) == 0:
        return damaged(WHOLE, chance, SAMPLES)
    names = [name for name in ENTRIES if chance.randrange(4) == 0 or name in JSON_PARTS]
    entries = {name: ENTRIES[name] for name in names}
    for _ in range(chance.choice((1, 2, 5))):
        name = chance.choice(list(entries))
        match chance.randrange(4):
            case 0 if name.endswith(".json"):
                record: Any = json.loads(ENTRIES[name])
                entries[name] = as_json(altered(record, chance))
            case 1:
                entries[chance.choice(NAMES)] = entries[name]
            case _:
                entries[name] = damaged(entries[name], chance, SAMPLES)
    return zip_of(entries, chance)


@pytest.mark.parametrize("inputs", INPUT_COUNTS)
def test_a_recording_is_read_or_refused(tmp_path: Path, inputs: int) -> None:
    place = tmp_path / "machine.zip"

    def read(chance: random.Random) -> None:
        place.write_bytes(file_of(chance))
        try:
            machine = recorded.load(place)
        except EngineFault as fault:
            str(messages.describe(fault.error)).encode("utf-8")
            return
        assert all(path.startswith("/") and "/../" not in f"{path}/" for path in machine.files)
        if chance.randrange(JUDGED_EACH) == 0:
            report = judge.judge(machine)
            assert [c.id for c in report.checks if c.verdict is Verdict.CRASHED] == []

    attack(read, inputs)
