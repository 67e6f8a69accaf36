"""The lock files hold what pyproject.toml declares, and nothing of the machine that made them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCKS = ROOT / "requirements"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
BASE = PYPROJECT["project"]["dependencies"]
PYTHONS = ("3.11", "3.12", "3.13")


def group(name: str) -> Iterator[str]:
    """The requirements of a dependency group, with those of the groups it includes."""
    for entry in PYPROJECT["dependency-groups"][name]:
        if isinstance(entry, str):
            yield entry
        else:
            yield from group(entry["include-group"])


def pins(lock: str) -> list[Requirement]:
    lines = (LOCKS / lock).read_text().splitlines()
    return [Requirement(line.rstrip(" \\")) for line in lines if re.match(r"[a-z]", line)]


DECLARED = {
    "app.txt": [*BASE, *group("dev")],
    "reference.txt": [*group("reference")],
    "paddlenlp.txt": [
        *BASE,
        *PYPROJECT["project"]["optional-dependencies"]["paddlenlp"],
        *group("paddlenlp-test"),
    ],
}


@pytest.mark.parametrize(
    ("lock", "python"),
    [
        *((lock, python) for lock in ("app.txt", "reference.txt") for python in PYTHONS),
        ("paddlenlp.txt", "3.11"),
    ],
)
def test_lock_pins_what_is_declared(lock, python):
    platform = {"python_version": python, "python_full_version": f"{python}.0"}
    platform |= {"sys_platform": "linux", "platform_machine": "x86_64"}
    pinned = {
        canonicalize_name(pin.name): next(iter(pin.specifier)).version
        for pin in pins(lock)
        if pin.marker is None or pin.marker.evaluate(platform)
    }
    missing_or_stale = [
        wanted.name
        for wanted in map(Requirement, DECLARED[lock])
        if (name := canonicalize_name(wanted.name)) not in pinned
        or not wanted.specifier.contains(pinned[name])
    ]
    assert missing_or_stale == [], "run `make lock`"


@pytest.mark.parametrize("lock", DECLARED)
def test_every_pin_is_exact(lock):
    assert [
        str(pin) for pin in pins(lock) if not re.fullmatch(r"==[^*,]+", str(pin.specifier))
    ] == []


@pytest.mark.parametrize("lock", DECLARED)
def test_lock_names_no_host_and_no_path(lock):
    lines = (LOCKS / lock).read_text().splitlines()
    assert [line for line in lines if "://" in line or "/" in line or line.startswith("-")] == []


def test_the_reference_needs_no_cuda():
    names = [pin.name for pin in pins("reference.txt")]
    assert [name for name in names if name.startswith(("nvidia", "cuda", "triton"))] == []
