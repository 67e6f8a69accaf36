"""Names for what the check of a machine shows: rows, groups, verdicts, the gate; and its sentences.

The engine's sentences carry their own English template (`engine.port.Sentence`); translating one is
done here, so that window and command line do it alike. Qt-free, like `desktop.messages`, whose way
of marking texts this follows.
"""

from __future__ import annotations

from collections.abc import Mapping

from desktop.messages import QT_TRANSLATE_NOOP, Translate, untranslated
from engine.port import CheckResult, Gate, GpuKind, Report, Sentence, Verdict

CONTEXT = "Checks"

SENTENCES_CONTEXT = ""
"""Where the translators' tool puts the engine's sentences: it takes each `say("...")` of
`engine/checks` for a text without a context (CONTRIBUTING.md)."""

GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "machine": (
        QT_TRANSLATE_NOOP("Checks", "Machine"),
        ("plat.", "boot.", "kernel.", "mem.host", "iommu", "health."),
    ),
    "gpu": (
        QT_TRANSLATE_NOOP("Checks", "GPU"),
        ("gpu.", "kfd.", "dev.", "mem.vram", "part.", "multi.", "pcie."),
    ),
    "software": (QT_TRANSLATE_NOOP("Checks", "Software"), ("rocm.", "env.", "paddle.")),
    "selftest": (QT_TRANSLATE_NOOP("Checks", "Self-test"), ("selftest",)),
    "information": (QT_TRANSLATE_NOOP("Checks", "For reports"), ("info.",)),
}
"""Title, and how the ids of a group's rows begin, in the order of the window."""

TITLES: Mapping[str, str] = {
    "plat.os": QT_TRANSLATE_NOOP("Checks", "Platform"),
    "gpu.present": QT_TRANSLATE_NOOP("Checks", "AMD GPU"),
    "gpu.identity": QT_TRANSLATE_NOOP("Checks", "Model of the card"),
    "gpu.driver": QT_TRANSLATE_NOOP("Checks", "Driver"),
    "gpu.firmware": QT_TRANSLATE_NOOP("Checks", "Firmware"),
    "kfd.present": QT_TRANSLATE_NOOP("Checks", "Compute driver (KFD)"),
    "dev.perm": QT_TRANSLATE_NOOP("Checks", "Permissions"),
    "mem.vram": QT_TRANSLATE_NOOP("Checks", "GPU memory"),
    "mem.host": QT_TRANSLATE_NOOP("Checks", "Main memory"),
    "part.mode": QT_TRANSLATE_NOOP("Checks", "Partitions"),
    "multi.gpu": QT_TRANSLATE_NOOP("Checks", "Number of GPUs"),
    "kernel.version": QT_TRANSLATE_NOOP("Checks", "Kernel"),
    "kernel.config": QT_TRANSLATE_NOOP("Checks", "Kernel configuration"),
    "kernel.cmdline": QT_TRANSLATE_NOOP("Checks", "Kernel parameters"),
    "boot.uefi": QT_TRANSLATE_NOOP("Checks", "UEFI (CSM)"),
    "pcie.above4g": QT_TRANSLATE_NOOP("Checks", "Above 4G Decoding"),
    "pcie.rebar": QT_TRANSLATE_NOOP("Checks", "Resizable BAR"),
    "pcie.atomics": QT_TRANSLATE_NOOP("Checks", "PCIe atomics"),
    "pcie.link": QT_TRANSLATE_NOOP("Checks", "PCIe connection"),
    "pcie.acs": QT_TRANSLATE_NOOP("Checks", "ACS"),
    "iommu": QT_TRANSLATE_NOOP("Checks", "IOMMU"),
    "rocm.install": QT_TRANSLATE_NOOP("Checks", "ROCm"),
    "rocm.arch": QT_TRANSLATE_NOOP("Checks", "Kernels for this GPU"),
    "env.vars": QT_TRANSLATE_NOOP("Checks", "Environment variables"),
    "paddle.build": QT_TRANSLATE_NOOP("Checks", "PaddlePaddle"),
    "paddle.nlp": QT_TRANSLATE_NOOP("Checks", "paddlenlp"),
    "health.log": QT_TRANSLATE_NOOP("Checks", "Faults since boot"),
    "selftest": QT_TRANSLATE_NOOP("Checks", "Self-test"),
    "info.card": QT_TRANSLATE_NOOP("Checks", "Specification"),
    "info.vbios": QT_TRANSLATE_NOOP("Checks", "VBIOS"),
    "info.board": QT_TRANSLATE_NOOP("Checks", "Board"),
    "info.numa": QT_TRANSLATE_NOOP("Checks", "NUMA node"),
    "info.performance": QT_TRANSLATE_NOOP("Checks", "Performance level"),
    "info.clocks": QT_TRANSLATE_NOOP("Checks", "Clocks"),
    "info.sensors": QT_TRANSLATE_NOOP("Checks", "Sensors"),
    "info.power": QT_TRANSLATE_NOOP("Checks", "Power state"),
    "info.sriov": QT_TRANSLATE_NOOP("Checks", "SR-IOV"),
    "info.aspm": QT_TRANSLATE_NOOP("Checks", "ASPM"),
    "info.numa_balancing": QT_TRANSLATE_NOOP("Checks", "NUMA balancing"),
    "info.shm": QT_TRANSLATE_NOOP("Checks", "Shared memory"),
}
"""Names of rows; one that is not listed is shown by its id."""

STEPS: Mapping[str, str] = {
    "enumerate": QT_TRANSLATE_NOOP("Checks", "Devices"),
    "device": QT_TRANSLATE_NOOP("Checks", "Where it computes"),
    "allocate": QT_TRANSLATE_NOOP("Checks", "Allocation"),
    "copy": QT_TRANSLATE_NOOP("Checks", "Copy there and back"),
    "matmul": QT_TRANSLATE_NOOP("Checks", "Matrix product"),
    "convolution": QT_TRANSLATE_NOOP("Checks", "Convolution"),
    "softmax": QT_TRANSLATE_NOOP("Checks", "Softmax"),
    "normalization": QT_TRANSLATE_NOOP("Checks", "Normalization"),
    "attention": QT_TRANSLATE_NOOP("Checks", "Attention"),
    "memory.quick": QT_TRANSLATE_NOOP("Checks", "Memory"),
    "memory.full": QT_TRANSLATE_NOOP("Checks", "All memory"),
    "bandwidth": QT_TRANSLATE_NOOP("Checks", "Bandwidth"),
    "load": QT_TRANSLATE_NOOP("Checks", "Sustained load"),
    "golden": QT_TRANSLATE_NOOP("Checks", "Reference picture"),
}
"""Names of the self-test's steps; of a step `matmul.float16` the operation's name."""

VERDICTS: Mapping[Verdict, str] = {
    Verdict.PASS: QT_TRANSLATE_NOOP("Checks", "good"),
    Verdict.WARN: QT_TRANSLATE_NOOP("Checks", "warning"),
    Verdict.FAIL: QT_TRANSLATE_NOOP("Checks", "failed"),
    Verdict.UNKNOWN: QT_TRANSLATE_NOOP("Checks", "unknown"),
    Verdict.NOT_APPLICABLE: QT_TRANSLATE_NOOP("Checks", "does not apply"),
    Verdict.INFO: QT_TRANSLATE_NOOP("Checks", "information"),
    Verdict.CRASHED: QT_TRANSLATE_NOOP("Checks", "check failed"),
}

GATES: Mapping[Gate, str] = {
    Gate.OPEN: QT_TRANSLATE_NOOP("Checks", "Pictures can be made on the GPU."),
    Gate.NEEDS_SELFTEST: QT_TRANSLATE_NOOP(
        "Checks", "Nothing is in the way. The self-test has to pass before the GPU is used."
    ),
    Gate.NEEDS_ACKNOWLEDGEMENT: QT_TRANSLATE_NOOP(
        "Checks", "The GPU works. Its warnings have to be read before it is used."
    ),
    Gate.BLOCKED: QT_TRANSLATE_NOOP("Checks", "Pictures cannot be made on the GPU."),
}

_NOTHING_SEEN = QT_TRANSLATE_NOOP(
    "Checks", "No AMD GPU has been seen, nor that there is none: nothing can be said about the GPU."
)

PARTS: Mapping[str, str] = {
    "gpu": QT_TRANSLATE_NOOP("Checks", "graphics card"),
    "vbios": QT_TRANSLATE_NOOP("Checks", "VBIOS"),
    "driver": QT_TRANSLATE_NOOP("Checks", "driver"),
    "kernel": QT_TRANSLATE_NOOP("Checks", "kernel"),
    "command line": QT_TRANSLATE_NOOP("Checks", "kernel parameters"),
    "bios": QT_TRANSLATE_NOOP("Checks", "BIOS"),
    "rocm": QT_TRANSLATE_NOOP("Checks", "ROCm"),
    "paddle": QT_TRANSLATE_NOOP("Checks", "PaddlePaddle"),
}
"""Names for the parts of a combination (`Report.combination`)."""

KINDS: Mapping[GpuKind, str] = {
    GpuKind.DISCRETE: QT_TRANSLATE_NOOP("Checks", "graphics card"),
    GpuKind.INTEGRATED: QT_TRANSLATE_NOOP("Checks", "inside the processor"),
    GpuKind.ACCELERATOR: QT_TRANSLATE_NOOP("Checks", "accelerator"),
    GpuKind.VIRTUAL: QT_TRANSLATE_NOOP("Checks", "virtual"),
    GpuKind.PARTITION: QT_TRANSLATE_NOOP("Checks", "part of an accelerator"),
}

SOURCES: Mapping[str, str] = {
    "child process": QT_TRANSLATE_NOOP("Checks", "child process"),
}
"""Words for a row's `source`; one that is not listed is a file or a command, shown as it is."""

SEVERITY: tuple[Verdict, ...] = (
    Verdict.CRASHED,
    Verdict.FAIL,
    Verdict.WARN,
    Verdict.UNKNOWN,
    Verdict.PASS,
    Verdict.NOT_APPLICABLE,
    Verdict.INFO,
)
"""The worst first: the order of rows."""


def sentence(said: Sentence, translate: Translate = untranslated) -> str:
    """A sentence of the engine in the language of `translate`; "" stays ""."""
    template = translate(SENTENCES_CONTEXT, said.template) if said.template else ""
    return template.format_map(said.values)


def answer(report: Report, translate: Translate = untranslated) -> str:
    """May pictures be made on the GPU: the gate's sentence, or that no GPU has been seen at all."""
    if report.gate is Gate.NEEDS_SELFTEST and not report.gpus:
        return translate(CONTEXT, _NOTHING_SEEN)
    return translate(CONTEXT, GATES[report.gate])


def gate_reason(report: Report, translate: Translate = untranslated) -> str:
    """Why the gate is where it is: its own sentence, and that of the first row behind it."""
    reason = answer(report, translate)
    behind = (*report.blocked_by, *report.acknowledge)
    rows = [row for row in report.checks if row.id in behind[:1]]
    if not rows or report.allowed:
        return reason
    row = min(rows, key=in_order)
    said = translate(CONTEXT, QT_TRANSLATE_NOOP("Checks", "{title}: {summary}")).format(
        title=title(row.id, translate), summary=sentence(row.summary, translate)
    )
    return f"{reason} {said}"


def changed_parts(report: Report, translate: Translate = untranslated) -> list[tuple[str, str]]:
    """Name and present value of what has changed since the self-test last passed."""
    return [
        (translate(CONTEXT, PARTS[part]), report.combination.get(part, ""))
        for part in report.changed
    ]


def title(check_id: str, translate: Translate = untranslated) -> str:
    """The name of a row."""
    return translate(CONTEXT, TITLES[check_id]) if check_id in TITLES else check_id


def source(found: str, translate: Translate = untranslated) -> str:
    """Where a row was read."""
    return translate(CONTEXT, SOURCES[found]) if found in SOURCES else found


def step_title(name: str, translate: Translate = untranslated) -> str:
    """The name of a step of the self-test, with its number format if it has one."""
    if name in STEPS:
        return translate(CONTEXT, STEPS[name])
    operation, _, number_format = name.partition(".")
    if operation not in STEPS:
        return name
    return f"{translate(CONTEXT, STEPS[operation])}, {number_format}"


def group_of(check_id: str) -> str:
    """The key in GROUPS of the group that a row belongs to."""
    return next(
        (key for key, (_, starts) in GROUPS.items() if check_id.startswith(starts)), "information"
    )


def in_order(check: CheckResult) -> tuple[int, bool]:
    """A sorting key: the worst first, what blocks before what does not."""
    return SEVERITY.index(check.verdict), not check.blocks
