"""ROCm, PaddlePaddle and the environment variables that steer them.

Separate from the GPUs' facts, because each of these can be right or wrong without any card.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.checks import values
from engine.checks.facts.printed import Smi
from engine.checks.snapshot import Presence, Snapshot

_LIBRARY_FOLDERS = ("/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib")
_MAX_ROCM = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Rocm:
    """`version` None: unknown. `library_major`: of the distribution's HIP library; `is_absent`:
    every place was looked at, and none has it. `gfx`: what its rocBLAS has kernels for, None if
    its folder was not to be seen.
    """

    version: tuple[int, ...] | None
    place: str | None
    library_major: int | None
    has_bundled: bool
    is_absent: bool
    gfx: frozenset[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paddle:
    """What the probe's child process found; None throughout if it was not asked.

    `gfx` are the GPU kinds that its libraries hold code for, None if that is not known. `error` is
    the text of a failed import. `nlp` is paddlenlp's version, or why it cannot be imported.
    """

    was_asked: bool
    version: str | None = None
    is_rocm: bool | None = None
    is_cuda: bool | None = None
    device: str | None = None
    device_count: int | None = None
    gfx: frozenset[str] | None = None
    error: str | None = None
    nlp: str | None = None
    nlp_error: str | None = None
    bundles_rocm: bool = False


def rocm_of(snapshot: Snapshot, smi: Smi, paddle: Paddle) -> Rocm:
    roots = _roots(snapshot)
    version, place = _version(snapshot, roots)
    said = values.version(smi.rocm_version)
    libraries = (
        re.fullmatch(r"libamdhip64\.so\.(\d{1,2})(\.\d+)*", name)
        for folder in _LIBRARY_FOLDERS
        for name in snapshot.children(folder)
    )
    majors = [int(match[1]) for match in libraries if match]
    has_folder = any(snapshot.children(root) for root in roots)
    return Rocm(
        version=version or _sane(said),
        place=place or (roots[0] if has_folder else None),
        library_major=max(majors, default=None),
        has_bundled=paddle.bundles_rocm,
        is_absent=not (version or said or majors or has_folder) and _is_absent(snapshot),
        gfx=_rocblas_targets(snapshot, roots),
    )


def _roots(snapshot: Snapshot) -> list[str]:
    """Where ROCm may be, the most meant first: $ROCM_PATH, /opt/rocm, the highest version."""
    named = (snapshot.process.env or {}).get("ROCM_PATH", "")
    numbered = [name for name in snapshot.children("/opt") if re.match(r"rocm-\d", name)]
    numbered.sort(key=lambda name: values.version(name[5:]) or (), reverse=True)
    roots = [named.rstrip("/")] if named.startswith("/") else []
    return list(dict.fromkeys([*roots, "/opt/rocm", *(f"/opt/{name}" for name in numbered)]))


def _version(snapshot: Snapshot, roots: list[str]) -> tuple[tuple[int, ...] | None, str | None]:
    for root in roots:
        for file in ("version", "version-dev", "version-utils"):
            found = _sane(values.version(snapshot.text(f"{root}/.info/{file}")))
            if found:
                return found, f"{root}/.info/{file}"
    for root in roots:  # the name that AMD's packages give the folder
        real = posixpath.basename(snapshot.real_folder(root))
        found = _sane(values.version(real.removeprefix("rocm-")))
        if found and snapshot.presence(root) is Presence.PRESENT:
            return found, root
    return None, None


def _sane(version: tuple[int, ...] | None) -> tuple[int, ...] | None:
    return version if version and 1 <= version[0] <= _MAX_ROCM else None


def _is_absent(snapshot: Snapshot) -> bool:
    """Nothing anywhere, and every place was looked at."""
    opt = snapshot.is_complete("/opt") and snapshot.presence("/opt/rocm") is Presence.ABSENT
    return opt and all(snapshot.is_complete(folder) for folder in _LIBRARY_FOLDERS)


def _rocblas_targets(snapshot: Snapshot, roots: list[str]) -> frozenset[str] | None:
    for root in roots:
        folder = f"{root}/lib/rocblas/library"
        names = " ".join(snapshot.children(folder))
        found = frozenset(re.findall(r"TensileLibrary_lazy_(gfx[0-9a-f]+)\.dat", names))
        if found and snapshot.is_complete(folder):
            return found
    return None


# --- PaddlePaddle ---------------------------------------------------------------------------------


def paddle_of(snapshot: Snapshot) -> Paddle:
    """The probe's answer, `commands/paddle.json`."""
    record = _record(snapshot.commands.get("paddle.json"))
    if record is None:
        return Paddle(was_asked=False)
    gfx = record.get("gfx")
    count = record.get("device_count")
    return Paddle(
        was_asked=True,
        version=_text(record.get("version")),
        is_rocm=_flag(record.get("is_compiled_with_rocm")),
        is_cuda=_flag(record.get("is_compiled_with_cuda")),
        device=_text(record.get("device")),
        device_count=count if isinstance(count, int) and 0 <= count < 1000 else None,
        gfx=frozenset(str(name) for name in gfx) if isinstance(gfx, list) and gfx else None,
        error=_text(record.get("error")),
        nlp=_text(record.get("paddlenlp")),
        nlp_error=_text(record.get("paddlenlp_error")),
        bundles_rocm=record.get("bundles_rocm") is True,
    )


def _record(text: str | None) -> Mapping[str, object] | None:
    try:
        found = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _text(found: object) -> str | None:
    return found[:2000] if isinstance(found, str) and found else None


def _flag(found: object) -> bool | None:
    return found if isinstance(found, bool) else None


# --- environment ----------------------------------------------------------------------------------

VISIBILITY = (
    "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """`overrides` maps a GPU's index, or None for all, to the value of HSA_OVERRIDE_GFX_VERSION."""

    is_known: bool
    hiding: tuple[str, ...]
    overrides: Mapping[int | None, str]
    dangling: tuple[str, ...]
    mixed_roots: tuple[str, ...]
    cuda_paths: tuple[str, ...]
    remarkable: tuple[str, ...]


def environment_of(snapshot: Snapshot, gpu_count: int | None) -> Environment:
    """`gpu_count` is how many GPUs ROCm has, None if unknown."""
    env = snapshot.process.env or {}
    paths = [path for path in env.get("LD_LIBRARY_PATH", "").split(":") if path]
    roots = {match[0] for path in paths if (match := re.match(r"/opt/rocm[^/]*", path))}
    return Environment(
        is_known=snapshot.process.env is not None,
        hiding=tuple(name for name in VISIBILITY if name in env and _hides(env[name], gpu_count)),
        overrides=_overrides(env),
        dangling=tuple(
            name
            for name in ("ROCM_PATH", "HIP_PATH")
            if env.get(name, "").startswith("/")
            and snapshot.presence(env[name].rstrip("/")) is Presence.ABSENT
        ),
        mixed_roots=tuple(sorted(roots)) if len(roots) > 1 else (),
        cuda_paths=tuple(path for path in paths if re.search(r"/cuda(-[\d.]+)?(/|$)", path)),
        remarkable=tuple(
            f"{name}={env[name]}"
            for name in ("HSA_ENABLE_SDMA", "HSA_XNACK", "AMD_LOG_LEVEL", *VISIBILITY)
            if name in env
        ),
    )


def _hides(value: str, gpu_count: int | None) -> bool:
    """Whether a list of devices begins with none: empty, -1, or an index that there is not."""
    first = value.strip().partition(",")[0].strip()
    if not first or first.startswith("-"):
        return True
    index = values.whole(first)
    return index is not None and gpu_count is not None and index >= gpu_count


def _overrides(env: Mapping[str, str]) -> dict[int | None, str]:
    found: dict[int | None, str] = {}
    for name, value in env.items():
        match = re.fullmatch(r"HSA_OVERRIDE_GFX_VERSION(?:_(\d{1,3}))?", name)
        if match and value.strip():
            found[int(match[1]) if match[1] else None] = value.strip()
    return found
