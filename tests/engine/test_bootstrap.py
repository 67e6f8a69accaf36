from __future__ import annotations

import gc
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
