from __future__ import annotations

import gc
import importlib.machinery
import subprocess
import sys

import pytest

from engine import bootstrap


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_preloading_maps_the_library_and_imports_nothing():
    code = (
        "import sys\n"
        "from engine import bootstrap\n"
        "bootstrap.preload()\n"
        "maps = open('/proc/self/maps').read()\n"
        "print('libpaddle.so' in maps, 'paddle' in sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert result.stdout.split() == ["True", "False"]


def test_without_collections_exempts_what_was_made_and_goes_back_to_normal():
    gc.unfreeze()
    before = gc.get_freeze_count()
    with bootstrap.without_collections():
        assert not gc.isenabled()
        made = [[] for _ in range(1000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(made)
    gc.unfreeze()


def test_collections_come_back_after_a_failed_import():
    with pytest.raises(ImportError), bootstrap.without_collections():
        raise ImportError
    assert gc.isenabled()
    gc.unfreeze()


@pytest.mark.parametrize(
    ("version", "has"),
    [
        ("cuda_version     = 'False'\nhip_version      = None\n", False),
        ("cuda_version     = 'False'\nhip_version      = '6.4'\n", True),
        ("cuda_version = '12.6'\nhip_version = None\n", True),
        ("cuda_version = 'False'\n", True),
        ("all is new here", True),
        (None, True),
    ],
)
def test_what_paddlepaddle_was_built_for_is_read_without_importing_it(
    tmp_path, monkeypatch, version, has
):
    package = tmp_path / "paddle"
    (package / "version").mkdir(parents=True)
    (package / "__init__.py").touch()
    if version is not None:
        (package / "version" / "__init__.py").write_text(version)
    monkeypatch.delitem(sys.modules, "paddle", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert bootstrap.has_gpu_code() is has
    assert "paddle" not in sys.modules


def test_the_installed_paddlepaddle_has_none():
    assert bootstrap.has_gpu_code() is False


def test_without_paddlepaddle_there_is_none(monkeypatch):
    monkeypatch.delitem(sys.modules, "paddle", raising=False)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    monkeypatch.setattr(sys, "meta_path", [importlib.machinery.PathFinder])
    assert bootstrap.has_gpu_code() is False
