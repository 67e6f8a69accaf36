"""What the installed PaddlePaddle is: a JSON object on standard output, from its own process.

Run as `python -m engine.checks.probe`. A process, because a library built for another machine may
abort instead of raising, and because the app must not wait for it. The only module of the check,
beside the self-test's, that imports PaddlePaddle.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import json
import mmap
import os
import re
import sys
from pathlib import Path
from types import ModuleType

_CODE_OBJECT = re.compile(rb"amdgcn-amd-amdhsa--(gfx[0-9a-f]{3,4})")


def main() -> int:
    """Print the answer; always 0, since a PaddlePaddle that cannot be loaded is an answer too."""
    answer: dict[str, object] = {}
    with contextlib.redirect_stdout(sys.stderr):
        try:
            answer |= _paddle(importlib.import_module("paddle"))
        except Exception as error:  # noqa: BLE001 - whatever it raises is the answer
            answer["error"] = f"{type(error).__name__}: {error}"
        answer |= _paddlenlp()
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
    # Not through the interpreter's end: a driver's clean-up can abort there.
    os._exit(0)


def _paddle(paddle: ModuleType) -> dict[str, object]:
    is_rocm = bool(paddle.is_compiled_with_rocm())
    answer: dict[str, object] = {
        "version": str(paddle.__version__),
        "is_compiled_with_rocm": is_rocm,
        "is_compiled_with_cuda": bool(paddle.is_compiled_with_cuda()) and not is_rocm,
        "device": str(paddle.device.get_device()),
        "device_count": 0,
    }
    if is_rocm:
        root = Path(paddle.__file__ or "").parent
        answer["device_count"] = int(paddle.device.cuda.device_count())
        answer["gfx"] = sorted(_targets(root))
        answer["bundles_rocm"] = _bundles_rocm(root)
    return answer


def _targets(root: Path) -> set[str]:
    """GPU kinds of the code objects inside the library, which the build chose."""
    found: set[str] = set()
    for library in root.glob("base/libpaddle*.so"):
        with (
            library.open("rb") as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            found |= {match[1].decode() for match in _CODE_OBJECT.finditer(content)}
    return found


def _bundles_rocm(root: Path) -> bool:
    """The wheel, or a wheel beside it, brings ROCm's libraries."""
    return any(root.glob("libs/libamdhip64.so*")) or any(root.parent.glob("_rocm_sdk_*"))


def _paddlenlp() -> dict[str, object]:
    """Version of paddlenlp, or why it is there and cannot be imported; nothing if it is absent."""
    if importlib.util.find_spec("paddlenlp") is None:
        return {}
    try:
        importlib.import_module("paddlenlp")
    except Exception as error:  # noqa: BLE001 - whatever it raises is the answer
        return {"paddlenlp_error": f"{type(error).__name__}: {error}"}
    return {"paddlenlp": importlib.metadata.version("paddlenlp")}


if __name__ == "__main__":
    sys.exit(main())
