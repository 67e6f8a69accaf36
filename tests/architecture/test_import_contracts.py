"""Each clause of the dependency rule can fail: a violation planted in a copy is named."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")

VIOLATIONS = [
    pytest.param("engine/sampling/schedule.py", "import PySide6.QtCore", "1.", id="engine-qt"),
    pytest.param("engine/memory.py", "import desktop.paths", "1.", id="engine-desktop"),
    pytest.param("desktop/settings.py", "import engine.memory", "2.", id="past-the-port"),
    pytest.param("desktop/app.py", "from engine import thread", "2.", id="second-starter"),
    pytest.param("engine/port.py", "import numpy", "3.", id="port-numpy"),
    pytest.param("engine/port.py", "from engine import memory", "3.", id="port-engine"),
    pytest.param("desktop/views/planted.py", "import desktop.store", "4a.", id="view-store"),
    pytest.param("desktop/store/planted.py", "from PySide6 import QtCore", "4b.", id="store-qt"),
    pytest.param("desktop/models/planted.py", "import desktop.views", "4c.", id="model-view"),
    pytest.param("engine/networks/planted.py", "import paddle", "5.", id="network-paddle"),
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The two rooms and the contracts, ready to be damaged."""
    for room in ("desktop", "engine"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def verdicts(folder: Path) -> tuple[int, dict[str, str]]:
    """The exit status of import-linter in this folder, and KEPT or BROKEN for each contract."""
    run = subprocess.run(
        [LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )
    rows = re.findall(r"^(\d\w?\.) .* (KEPT|BROKEN)\b", run.stdout, re.MULTILINE)
    assert rows, run.stdout + run.stderr
    return run.returncode, dict(rows)


def test_the_program_keeps_the_rule(copy):
    status, verdict = verdicts(copy)
    assert set(verdict.values()) == {"KEPT"}
    assert status == 0


@pytest.mark.parametrize(("module", "statement", "clause"), VIOLATIONS)
def test_a_planted_violation_breaks_its_clause(copy, module, statement, clause):
    with (copy / module).open("a") as source:
        source.write(f"\n{statement}\n")
    status, verdict = verdicts(copy)
    assert verdict[clause] == "BROKEN"
    assert status == 1
