"""The fixtures that guard every test can fail one."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"


def outcome_of(pytester: pytest.Pytester, test: str) -> dict[str, int]:
    pytester.makeconftest(CONFTEST.read_text())
    pytester.makeini(f"[pytest]\npythonpath = {CONFTEST.parents[1]}\nmarkers = logs")
    pytester.makepyfile(test)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider").parseoutcomes()


def test_a_test_fails_by_what_it_logs(pytester):
    outcome = outcome_of(
        pytester,
        """
        import logging, pytest, threading

        def warn(): logging.getLogger("some.where").warning("disk %s", "full")

        def test_quiet(): logging.getLogger().info("all is well")
        def test_announced(expect_log): expect_log("disk f.ll"); warn()
        @pytest.mark.logs("disk f.ll")
        def test_announced_by_marker(): warn()
        def test_unannounced(): warn()
        def test_unannounced_in_a_thread():
            thread = threading.Thread(target=warn); thread.start(); thread.join()
        def test_other_words(expect_log): expect_log("disk empty"); warn()
        def test_too_low(expect_log): expect_log("disk", logging.ERROR); warn()
        def test_announced_in_vain(expect_log): expect_log("disk")
        """,
    )
    # a fixture fails in teardown, so pytest counts the test as passed and an error beside it
    assert outcome == {"passed": 8, "errors": 5}


def test_log_handlers_of_a_test_end_with_it(pytester):
    outcome = outcome_of(
        pytester,
        """
        import logging

        def test_first(tmp_path):
            logging.basicConfig(filename=tmp_path / "log", force=False)
            logging.getLogger().addHandler(logging.FileHandler(tmp_path / "log"))
        def test_second():
            assert not any(
                isinstance(h, logging.FileHandler) and h.baseFilename.endswith("/log")
                for h in logging.getLogger().handlers
            )
        """,
    )
    assert outcome == {"passed": 2}


def test_the_users_folders_are_out_of_reach(home):
    dirs = platformdirs.PlatformDirs("danqing")
    folders = (
        dirs.user_config_path,
        dirs.user_data_path,
        dirs.user_state_path,
        dirs.user_cache_path,
        dirs.user_log_path,
        dirs.user_pictures_path,
        dirs.user_downloads_path,
        Path.home(),
    )
    assert [folder for folder in folders if not folder.is_relative_to(home)] == []
    assert list(home.iterdir()) == []
    assert os.environ["QT_QPA_PLATFORM"]
