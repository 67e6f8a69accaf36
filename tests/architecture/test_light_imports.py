"""What must be quick loads nothing heavy: the window is shown before PaddlePaddle is imported."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine import _version

ROOT = Path(__file__).parents[2]
HEAVY = {"paddle", "numpy", "PySide6", "shiboken6", "qasync", "safetensors", "tokenizers", "PIL"}

LOADED = """
import json, sys
try:
    {statement}
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def run(statement: str) -> tuple[str, set[str]]:
    """Standard output of a fresh interpreter, and the packages that it ended with."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(statement=statement)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    modules = json.loads(done.stderr.splitlines()[-1])
    return done.stdout, {module.partition(".")[0] for module in modules}


def test_version_is_answered_before_anything_is_loaded():
    output, loaded = run("sys.argv[1:] = ['--version']; from desktop.__main__ import main; main()")
    assert _version.__version__ in output
    assert loaded & HEAVY == set()


def test_help_loads_neither_paddle_nor_qt():
    output, loaded = run("sys.argv[1:] = ['--help']; from desktop.__main__ import main; main()")
    assert "generate" in output
    assert loaded & HEAVY == set()


def test_the_port_loads_nothing_heavy():
    _, loaded = run("import engine.port")
    assert loaded & HEAVY == set()


def test_this_check_sees_a_heavy_import():
    _, loaded = run("import numpy")
    assert "numpy" in loaded


def imported_modules(source: Path) -> set[str]:
    """Full names of all modules that a file imports, wherever in it the import stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_the_port_imports_the_standard_library_only():
    packages = {name.partition(".")[0] for name in imported_modules(ROOT / "engine" / "port.py")}
    assert packages <= sys.stdlib_module_names
    assert packages


@pytest.mark.parametrize(
    "model", sorted((ROOT / "desktop" / "models").glob("**/*.py")), ids=lambda model: model.stem
)
def test_models_have_no_widgets(model):
    """import-linter sees PySide6 as a whole, so this clause is checked here."""
    assert not [name for name in imported_modules(model) if "QtWidgets" in name]
