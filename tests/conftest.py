"""What holds for every test: drawn off screen, away from the user's files, and with a quiet log.

The settings that the program makes before Qt and PaddlePaddle load are made here before collection,
because they are process-wide and the whole suite is one process.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings

from engine import bootstrap

pytest_plugins = ["pytester"]  # tests/architecture tests the fixtures of this file

_STATUS = pytest.StashKey[int]()

settings.register_profile("danqing", deadline=None)  # time is measured by the benches alone
settings.load_profile("danqing")


def pytest_configure() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_API"] = "pyside6"  # qasync's choice of binding
    os.environ["LC_ALL"] = "C.UTF-8"  # the user's language must not choose the tests' one
    os.environ.pop("LANGUAGE", None)
    bootstrap.prepare(bootstrap.cores())


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    session.config.stash[_STATUS] = exitstatus


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End the process as soon as everything is reported.

    A whole run, PaddlePaddle and Qt in one process, was once seen to crash after its report, while
    the interpreter took itself apart; the cause is not known. This hides such a
    crash from the suite's exit status, and no other test looks for it: the window with the real
    engine was closed three times by hand, and ended with 0. Runs within a test (pytester) have
    another root and end as usual.
    """
    if config.rootpath == Path(__file__).parents[1] and _STATUS in config.stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(config.stash[_STATUS]))


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, with all XDG folders in it, for one test."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    folders = {
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
        "XDG_CACHE_HOME": ".cache",
        "XDG_PICTURES_DIR": "Pictures",
        "XDG_DOWNLOAD_DIR": "Downloads",
    }
    for variable, folder in folders.items():
        monkeypatch.setenv(variable, str(home / folder))
    return home


@dataclass
class ExpectedRecord:
    """A log record that a test announced: its level at least, and a pattern its message matches."""

    pattern: str
    level: int
    seen: bool = False

    def matches(self, record: logging.LogRecord) -> bool:
        return record.levelno >= self.level and bool(re.search(self.pattern, record.getMessage()))


@dataclass
class LogWatch:
    """Collects warnings and worse of all loggers and threads; a test announces those it causes."""

    expected: list[ExpectedRecord] = field(default_factory=list)
    unexpected: list[logging.LogRecord] = field(default_factory=list)

    def __call__(self, pattern: str, level: int = logging.WARNING) -> None:
        """Announce a record of this level or above, before the code that logs it runs."""
        self.expected.append(ExpectedRecord(pattern, level))

    def receive(self, record: logging.LogRecord) -> None:
        for announced in self.expected:
            if announced.matches(record):
                announced.seen = True
                return
        self.unexpected.append(record)

    def verdict(self) -> str:
        """Why the test must fail, or nothing."""
        lines = [
            f"unexpected {record.levelname} from {record.name}: {record.getMessage()}"
            for record in self.unexpected
        ]
        lines += [
            f"announced but not logged: {announced.pattern!r}"
            for announced in self.expected
            if not announced.seen
        ]
        return "\n".join(lines)


class _Tap(logging.Handler):
    def __init__(self, watch: LogWatch) -> None:
        super().__init__(logging.WARNING)
        self._watch = watch

    def emit(self, record: logging.LogRecord) -> None:
        self._watch.receive(record)


@pytest.fixture(autouse=True)
def expect_log(request: pytest.FixtureRequest) -> Iterator[LogWatch]:
    """Fails a test that logs a warning or worse which it did not announce, or that did not come.

    A test that provokes one says so first, by `expect_log("disk is full")` in its body or by
    `@pytest.mark.logs("disk is full")` above it.
    """
    watch = LogWatch()
    for marker in request.node.iter_markers("logs"):
        watch(*marker.args, **marker.kwargs)
    tap = _Tap(watch)
    root = logging.getLogger()
    before = list(root.handlers), root.level
    root.addHandler(tap)
    yield watch
    root.removeHandler(tap)
    added = [handler for handler in root.handlers if handler not in before[0]]
    for handler in added:  # the program's own log files end with the test that opened them
        root.removeHandler(handler)
        handler.close()
    root.setLevel(before[1])
    if verdict := watch.verdict():
        pytest.fail(verdict, pytrace=False)
