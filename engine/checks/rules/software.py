"""Rows of the software: ROCm, its kernels for this GPU, the environment, PaddlePaddle.

Sections 3.16 to 3.18 of the design's hardware rules and points 1 and 4 of section 9.
"""

from __future__ import annotations

import re

from engine.checks import values
from engine.checks.facts import Facts
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.rules.finding import (
    FAIL,
    INFO,
    PASS,
    UNKNOWN,
    WARN,
    Finding,
    not_seen,
    without_gpu,
)
from engine.checks.sentences import command, listed, say
from engine.port import Sentence

_OLDEST = {"gfx1200": (6, 4, 1), "gfx1201": (6, 4, 1), "gfx950": (7, 0),
           "gfx1150": (7, 0), "gfx1151": (7, 0), "gfx1152": (7, 0), "gfx1153": (7, 0)}  # fmt: skip
_OLDEST_OF_ALL = (6, 0)

NATIVE = frozenset({
    "gfx900", "gfx906", "gfx908", "gfx90a", "gfx940", "gfx941", "gfx942", "gfx950", "gfx1030",
    "gfx1100", "gfx1101", "gfx1102", "gfx1150", "gfx1151", "gfx1200", "gfx1201",
})  # fmt: skip
"""GPU kinds that ROCm's own libraries have kernels for, where the installed ones cannot be seen."""

_GET_ROCM = say("Install ROCm: https://rocm.docs.amd.com/projects/install-on-linux")


def rocm(facts: Facts) -> Finding:
    """rocm.install"""
    if facts.has_no_amd_gpu:
        return without_gpu()
    found = facts.rocm
    kinds = [gpu.likely_gfx for gpu in facts.gpus if gpu.likely_gfx]
    least = max((_OLDEST.get(gfx, _OLDEST_OF_ALL) for gfx in kinds), default=_OLDEST_OF_ALL)
    expected = say("ROCm {version} or later", version=values.dotted(least))
    source = found.place or "$ROCM_PATH, /opt/rocm, /usr/lib"
    if found.version is not None:
        measured = f"ROCm {values.dotted(found.version)}"
        if found.version < least:
            return Finding(WARN, say("This ROCm is old for the GPU."), measured, expected,
                           fix=(_GET_ROCM,), source=source)  # fmt: skip
        return Finding(PASS, say("ROCm is installed."), measured, expected, source=source)
    if found.has_bundled:
        return Finding(WARN, say("No ROCm in the system; PaddlePaddle brings its own libraries."),
                       say("bundled"), expected, source="PaddlePaddle")  # fmt: skip
    if found.library_major is not None:
        return _of_distribution(found.library_major, least, expected)
    if found.is_absent:
        return Finding(FAIL, say("ROCm is not installed."), say("none"), expected,
                       fix=(_GET_ROCM,), source=source)  # fmt: skip
    return not_seen(source)


def _of_distribution(major: int, least: tuple[int, ...], expected: Sentence) -> Finding:
    """Judged by the library's major version, all that its name tells."""
    measured, source = f"libamdhip64.so.{major}", "/usr/lib"
    if major < least[0]:
        return Finding(
            WARN, say("This ROCm is old for the GPU."), measured, expected, fix=(_GET_ROCM,),
            source=source,
        )  # fmt: skip
    if (major, 0) >= least:
        return Finding(PASS, say("ROCm is installed."), measured, expected, source=source)
    return Finding(
        UNKNOWN, say("ROCm is installed; its exact version could not be seen."), measured,
        expected, source=source,
    )  # fmt: skip


# --- kernels for this GPU -------------------------------------------------------------------------

_NO_KERNELS = ("tensile-missing", "no-kernel-image")


def kernels(facts: Facts, gpu: GpuFacts | None) -> Finding:
    """rocm.arch: code for this GPU in the libraries that would run."""
    expected = say("kernels for the GPU in rocBLAS and PaddlePaddle")
    if facts.platform.is_wsl and facts.rocminfo.has_cpu_agents_only:
        return Finding(FAIL, say("ROCm in WSL sees the processor only: this GPU is not enabled in "
                                 "WSL's driver stack."),
                       say("no GPU agent"), expected,
                       fix=(say("Install the current Adrenalin driver in Windows and the matching "
                                "ROCm for WSL; an integrated GPU may have to be disabled in the "
                                "BIOS."),),
                       source="rocminfo")  # fmt: skip
    if facts.has_no_amd_gpu:
        return without_gpu()
    line = _refusal(facts, gpu)
    if line is not None:
        return _without_kernels(gpu, line, expected, "log")
    gfx = gpu.gfx or gpu.likely_gfx if gpu is not None else None
    if gpu is None or gfx is None:
        return not_seen("rocBLAS, PaddlePaddle")
    return _in_libraries(facts, gpu, gfx, expected)


def _refusal(facts: Facts, gpu: GpuFacts | None) -> str | None:
    """A program's complaint that it has no code for this GPU, where it can be this one's."""
    lines = [facts.program_lines[name] for name in _NO_KERNELS if name in facts.program_lines]
    if not lines:
        return None
    if gpu is None or len(facts.gpus) <= 1:
        return lines[0]
    named = set(re.findall(r"gfx[0-9a-f]{3,4}\b", " ".join(lines)))
    if named:
        return lines[0] if gpu.gfx in named else None
    unsupported = [other for other in facts.gpus if other.gfx and other.gfx not in NATIVE]
    return lines[0] if not unsupported or gpu in unsupported else None


def _in_libraries(facts: Facts, gpu: GpuFacts, gfx: str, expected: Sentence) -> Finding:
    override = _overriding(facts, gpu)
    libraries = [
        (name, found)
        for name, found in (("PaddlePaddle", facts.paddle.gfx), ("rocBLAS", facts.rocm.gfx))
        if found is not None
    ]
    if not libraries:
        return not_seen("rocBLAS, PaddlePaddle")
    names = listed(name for name, _ in libraries)
    if all(gfx in found for _, found in libraries):
        if len(libraries) == 1 and libraries[0][0] == "rocBLAS" and not facts.paddle.is_rocm:
            return Finding(UNKNOWN, say("rocBLAS has kernels for {gfx}; whether PaddlePaddle has "
                                        "could not be seen.", gfx=gfx),
                           gfx, expected, source=names)  # fmt: skip
        return Finding(PASS, say("There are kernels for {gfx}.", gfx=gfx), gfx, expected,
                       source=names)  # fmt: skip
    if override is not None and all(override in found for _, found in libraries):
        return Finding(WARN, say("There are kernels for {other} only, which HSA_OVERRIDE_GFX_"
                                 "VERSION makes this {gfx} run.", other=override, gfx=gfx),
                       gfx, expected, source=names)  # fmt: skip
    lacking = listed(name for name, found in libraries if gfx not in found)
    return _without_kernels(gpu, say("{library}: none for {gfx}", library=lacking, gfx=gfx),
                            expected, names)  # fmt: skip


def _without_kernels(
    gpu: GpuFacts | None, measured: Sentence | str, expected: Sentence, source: str
) -> Finding:
    gfx = (gpu.gfx if gpu is not None else None) or "gfx…"
    return Finding(FAIL, say("The installed libraries have no kernels for this GPU ({gfx}).",
                             gfx=gfx),
                   measured, expected,
                   fix=(say("Install a PaddlePaddle and a ROCm that were built for {gfx}.",
                            gfx=gfx),
                        say("If the processor has a GPU too, hide it: HIP_VISIBLE_DEVICES=0.")),
                   source=source)  # fmt: skip


# --- environment ----------------------------------------------------------------------------------


def environment(facts: Facts) -> Finding:
    """env.vars"""
    env = facts.environment
    expected = say("no variable that hides or overrides the GPU")
    source = "environment"
    if not env.is_known:
        return not_seen(source)
    remarks = listed(env.remarkable)
    if env.hiding:
        return Finding(FAIL, say("{names} hides every GPU from this program.",
                                 names=listed(env.hiding)),
                       remarks, expected,
                       fix=tuple(command(f"unset {name}") for name in env.hiding),
                       source=source)  # fmt: skip
    if facts.has_no_amd_gpu:
        return Finding(PASS, say("No variable stands in the way."), remarks, expected,
                       source=source)  # fmt: skip
    worst = _judge_overrides(facts)
    if worst is not None:
        return worst
    return _paths(facts, remarks, expected)


def _judge_overrides(facts: Facts) -> Finding | None:
    """The worst that can be said of HSA_OVERRIDE_GFX_VERSION; None without one."""
    overrides = facts.environment.overrides
    findings: list[Finding] = []
    for index, text in overrides.items():
        cards = [gpu for gpu in facts.gpus if not gpu.is_apu] or list(facts.gpus)
        if index is not None:
            cards = [facts.gpus[index]] if index < len(facts.gpus) else []
        findings += [_judge_override(facts, gpu, text) for gpu in cards] or [
            _judge_override(facts, None, text)
        ]
    order = (FAIL, WARN)
    return min(findings, key=lambda found: order.index(found.verdict), default=None)


def _judge_override(facts: Facts, gpu: GpuFacts | None, text: str) -> Finding:
    said = _gfx_of_override(text)
    gfx = _true_gfx(gpu, said) if gpu is not None else None
    measured = f"HSA_OVERRIDE_GFX_VERSION={text}" + (f", {gfx}" if gfx else "")
    expected = say("not set")
    fix = (command("unset HSA_OVERRIDE_GFX_VERSION"),)
    if said is None:
        summary = say("HSA_OVERRIDE_GFX_VERSION is not of the form major.minor.step.")
        return Finding(FAIL, summary, measured, expected, fix=fix, source="environment")
    if gfx is None:
        summary = say("An override is set; whether it fits the GPU could not be seen.")
        return Finding(WARN, summary, measured, expected, fix=fix, source="environment")
    if _has_own_kernels(facts, gfx):
        summary = say("{gfx} has kernels of its own; the override takes them away.", gfx=gfx)
        return Finding(FAIL, summary, measured, expected, fix=fix, source="environment")
    if said[:-2] == gfx[:-2] and said[-2] == gfx[-2]:
        summary = say("The GPU {gfx} runs code for {other}, of the same family. Often works; "
                      "nobody tests it.", gfx=gfx, other=said)  # fmt: skip
        return Finding(WARN, summary, measured, expected, source="environment")
    summary = say("The override makes {gfx} run code for {other}, another family: wrong results "
                  "and crashes such as 0x29.", gfx=gfx, other=said)  # fmt: skip
    return Finding(FAIL, summary, measured, expected, fix=fix, source="environment")


def _true_gfx(gpu: GpuFacts, said: str | None) -> str | None:
    """What the GPU is, not what the override makes ROCm print of it."""
    if gpu.node is not None and gpu.node.gfx:
        return gpu.node.gfx
    kinds = {row.gfx for row in gpu.rows}
    if len(kinds) == 1:
        return kinds.pop()
    return gpu.gfx if gpu.gfx != said else None


def _gfx_of_override(text: str) -> str | None:
    """`gfx1030` of `10.3.0`; each part after the first is one hex digit of the name."""
    match = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{1,2})", text)
    if not match or not (int(match[2]) < 16 and int(match[3]) < 16):
        return None
    return f"gfx{int(match[1])}{int(match[2]):x}{int(match[3]):x}"


def _has_own_kernels(facts: Facts, gfx: str) -> bool:
    seen = [found for found in (facts.paddle.gfx, facts.rocm.gfx) if found is not None]
    return all(gfx in found for found in seen) if seen else gfx in NATIVE


def _overriding(facts: Facts, gpu: GpuFacts) -> str | None:
    overrides = facts.environment.overrides
    text = overrides.get(facts.gpus.index(gpu), overrides.get(None))
    return _gfx_of_override(text) if text else None


def _paths(facts: Facts, remarks: str, expected: Sentence) -> Finding:
    env = facts.environment
    if env.dangling:
        return Finding(WARN, say("{names} points to a folder that is not there.",
                                 names=listed(env.dangling)),
                       remarks, expected,
                       fix=tuple(command(f"unset {name}") for name in env.dangling),
                       source="environment")  # fmt: skip
    if env.mixed_roots:
        return Finding(WARN, say("LD_LIBRARY_PATH mixes several ROCm installations."),
                       listed(env.mixed_roots), expected,
                       fix=(say("Keep one of them in LD_LIBRARY_PATH."),),
                       source="environment")  # fmt: skip
    if env.cuda_paths:
        return Finding(WARN, say("LD_LIBRARY_PATH holds CUDA folders."), listed(env.cuda_paths),
                       expected, fix=(say("Take CUDA's folders out of LD_LIBRARY_PATH."),),
                       source="environment")  # fmt: skip
    return Finding(PASS, say("No variable stands in the way."), remarks, expected,
                   source="environment")  # fmt: skip


# --- PaddlePaddle ---------------------------------------------------------------------------------

_WRONG_BUILD = ("cuda-build", "paddle-core")
_GET_PADDLE = say(
    "Install a PaddlePaddle that was built for ROCm and for this GPU; the one on PyPI computes on "
    "NVIDIA or on the CPU."
)


def paddle(facts: Facts) -> Finding:
    """paddle.build"""
    found = facts.paddle
    expected = say("PaddlePaddle built for ROCm")
    source = "child process"
    line = next((facts.program_lines[n] for n in _WRONG_BUILD if n in facts.program_lines), None)
    if line is not None and not found.version:
        return Finding(FAIL, say("This PaddlePaddle is not one for ROCm."), line, expected,
                       fix=(_GET_PADDLE,), source="log")  # fmt: skip
    if not found.was_asked:
        return not_seen(source)
    if found.error and not found.version:
        return Finding(FAIL, say("PaddlePaddle cannot be loaded."), found.error, expected,
                       fix=(_GET_PADDLE,), source=source)  # fmt: skip
    version = found.version or "?"
    if found.is_rocm:
        measured = f"paddlepaddle {version}, {found.device or '?'}"
        return Finding(PASS, say("PaddlePaddle is built for ROCm."), measured, expected,
                       source=source)  # fmt: skip
    if found.is_cuda:
        return Finding(FAIL, say("This PaddlePaddle is built for NVIDIA (CUDA)."),
                       f"paddlepaddle {version}, CUDA", expected, fix=(_GET_PADDLE,),
                       source=source)  # fmt: skip
    if found.is_rocm is False:
        return Finding(FAIL, say("This PaddlePaddle computes on the CPU only."),
                       f"paddlepaddle {version}, CPU", expected, fix=(_GET_PADDLE,),
                       source=source)  # fmt: skip
    return not_seen(source)


def paddlenlp(facts: Facts) -> Finding:
    """paddle.nlp: for reports only; Danqing needs none of it."""
    found = facts.paddle
    if not found.was_asked:
        return Finding(INFO, say("Not looked at."))
    if found.nlp:
        return Finding(INFO, say("paddlenlp is installed."), f"paddlenlp {found.nlp}")
    if found.nlp_error:
        return Finding(INFO, say("paddlenlp is installed, but cannot be used; Danqing does not "
                                 "need it."),
                       found.nlp_error)  # fmt: skip
    return Finding(INFO, say("paddlenlp is not installed; Danqing does not need it."))
