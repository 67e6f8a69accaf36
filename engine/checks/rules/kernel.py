"""Rows of the kernel: version and command line. They explain; none of them blocks.

Sections 3.7 and 3.9 of the design's hardware rules.
"""

from __future__ import annotations

import re

from engine.checks import remedies, values
from engine.checks.facts import Facts
from engine.checks.rules import kfd
from engine.checks.rules.finding import (
    FAIL,
    PASS,
    UNKNOWN,
    WARN,
    Finding,
    in_wsl,
    not_seen,
)
from engine.checks.sentences import listed, say
from engine.checks.snapshot import Presence
from engine.port import Sentence

_IN_TREE_SINCE = {
    "gfx1151": (6, 18, 4),
    "gfx1150": (6, 12), "gfx1152": (6, 12), "gfx1153": (6, 12),
    "gfx1200": (6, 12), "gfx1201": (6, 12), "gfx942": (6, 6), "gfx950": (6, 14),
    "gfx1100": (6, 0), "gfx1101": (6, 1), "gfx1102": (6, 1), "gfx1103": (6, 1),
}  # fmt: skip
"""First kernel whose own driver serves this GPU for computing. gfx1151: AMD's advice
(TheRock docs/faq.md); gfx11.0: present in 6.1; gfx942, gfx115x, gfx12: absent in 6.1, present in
7.2, the number between from general knowledge, and so never more than a warning."""


def version(facts: Facts) -> Finding:
    """kernel.version: fails only as the explanation of a GPU that the KFD does not show."""
    if facts.platform.is_wsl:
        return in_wsl()
    kernel = facts.kernel
    source = "uname -r"
    if kernel.version is None or facts.platform.is_linux is False:
        return not_seen(source)
    if kernel.dkms:
        return Finding(PASS, say("The driver comes from amdgpu-dkms, so the kernel's number does "
                                 "not matter."),
                       kernel.release or "", source=source)  # fmt: skip
    kinds = sorted({gpu.likely_gfx for gpu in facts.gpus if gpu.likely_gfx})
    too_old = [gfx for gfx in kinds if kernel.version < _IN_TREE_SINCE.get(gfx, (0,))]
    if too_old:
        return _too_old(facts, too_old)
    if not kinds:
        return Finding(UNKNOWN, say("Which kernel the GPU needs depends on its kind, which could "
                                    "not be seen."),
                       kernel.release or "", source=source)  # fmt: skip
    least = max(_IN_TREE_SINCE.get(gfx, (0,)) for gfx in kinds)
    expected = say("{version} or later", version=values.dotted(least)) if least > (0,) else ""
    return Finding(PASS, say("The kernel is new enough for {kinds}.", kinds=listed(kinds)),
                   kernel.release or "", expected, source=source)  # fmt: skip


def _too_old(facts: Facts, kinds: list[str]) -> Finding:
    kernel = facts.kernel
    least = max(_IN_TREE_SINCE[gfx] for gfx in kinds)
    expected = say("{version} or later", version=values.dotted(least))
    shown = {gpu.gfx for gpu in facts.gpus if gpu.node or gpu.agent}
    is_patched = re.search(r"\.el\d|\.amzn|-azure|\.fc\d", kernel.release or "") is not None
    if is_patched and not shown:
        return Finding(UNKNOWN, say("This kernel carries newer drivers than its number says."),
                       kernel.release or "", expected, source="uname -r")  # fmt: skip
    is_missing = not shown and kfd.present(facts).verdict is FAIL
    return Finding(
        FAIL if is_missing else WARN,
        say("This kernel's own driver is old for {kinds}.", kinds=listed(kinds)),
        kernel.release or "", expected, fix=remedies.newer_kernel(facts.platform),
        source="uname -r",
    )  # fmt: skip


# --- command line ---------------------------------------------------------------------------------

_BAD: tuple[tuple[str, Sentence], ...] = (
    (r"nomodeset", say("{word}: the driver does not start")),
    (r"amdgpu\.modeset=0", say("{word}: the driver does not start")),
    (r"(\w+\.)?(module_)?blacklist=(.*,)?amdgpu(,.*)?",
     say("{word}: the driver is not loaded by itself")),
    (r"amdgpu\.exp_hw_support=.*", say("{word}: for hardware that the driver does not know yet")),
    (r"amdgpu\.ppfeaturemask=.*",
     say("{word}: overdrive; the kernel asks to switch it off before reporting bugs")),
    (r"amdgpu\.sched_policy=.*", say("{word}: another scheduler than the tested one")),
    (r"amdgpu\.virtual_display=.*", say("{word}: a display that is not there")),
    (r"amdgpu\.rebar=0", say("{word}: the driver does not enlarge the BAR")),
    (r"amdgpu\.vm_update_mode=.*", say("{word}: the default (-1) is right")),
    (r"amdgpu\.gtt_?size=.*", say("{word}: gone or outdated; ttm.pages_limit replaces it")),
    (r"mem=.*", say("{word}: limits the machine's memory")),
    (r"hbm_mem=.*", say("{word}: no kernel parameter has this name")),
    (r"iommu=off", say("{word}: switches the IOMMU off")),
    (r"(amd|intel)_iommu=off", say("{word}: switches the IOMMU off")),
)  # fmt: skip


def cmdline(facts: Facts) -> Finding:
    """kernel.cmdline"""
    if facts.platform.is_wsl:
        return in_wsl()
    source = "/proc/cmdline"
    expected = say("nothing that is known to do harm")
    words = [*(facts.kernel.parameters or ()), *_module_options(facts)]
    bad = [
        Sentence(text.template, {"word": word})
        for word in words
        for pattern, text in _BAD
        if re.fullmatch(pattern, word) and not _is_undone(facts, word)
    ]
    if "unknown-parameter" in facts.kernel_lines:
        line = facts.kernel_lines["unknown-parameter"]
        bad.append(say("{word}: the driver does not know it", word=line))
    if bad:
        found = listed(text.values["word"] for text in bad)
        return Finding(
            WARN,
            say("Kernel parameters that can do harm: {words}.", words=found),
            found, expected,
            fix=(*bad, say("Remove them unless you know why they are there."),
                 remedies.kernel_parameters(facts.platform)),
            source=source,
        )  # fmt: skip
    if facts.kernel.parameters is None or not facts.kernel.has_all_parameters:
        return not_seen(source)
    count = say("{count} parameters", count=len(words))
    return Finding(PASS, say("Nothing that is known to do harm."), count, expected, source=source)


def _module_options(facts: Facts) -> list[str]:
    """Options of /etc/modprobe.d in the command line's form."""
    lines = (line.split() for line in facts.kernel.module_options)
    return [f"amdgpu.{word}" for line in lines if line[0] == "options" for word in line[2:]]


def _is_undone(facts: Facts, word: str) -> bool:
    """A blacklist keeps the driver from loading early; loaded later it is what AMD's guides do."""
    loaded = facts.snapshot.presence("/sys/module/amdgpu") is Presence.PRESENT
    return "blacklist" in word and loaded
