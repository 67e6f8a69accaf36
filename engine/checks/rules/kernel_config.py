"""The row of the kernel's configuration: whether the compute driver can exist in it.

Section 3.8 of the design's hardware rules and point 6 of section 9. Separate from `kernel`, because
`kfd` asks this row, and the kernel's version asks `kfd`.
"""

from __future__ import annotations

from engine.checks.facts import Facts
from engine.checks.rules.finding import FAIL, PASS, WARN, Finding, in_wsl, not_seen
from engine.checks.sentences import listed, say

_NEEDED = ("DRM_AMDGPU", "HSA_AMD", "HMM_MIRROR")
_WANTED = ("HSA_AMD_SVM", "DEVICE_PRIVATE", "DRM_AMDGPU_USERPTR")


def config(facts: Facts) -> Finding:
    """kernel.config: what the KFD needs to exist; a KFD that is there beats any text."""
    if facts.platform.is_wsl:
        return in_wsl()
    source = "/proc/config.gz, /boot/config"
    expected = say("DRM_AMDGPU and HSA_AMD on")
    options = facts.kernel.config or {}
    off = [name for name in _NEEDED if _is_off(facts, name)]
    if "hmm-mirror" in facts.kernel_lines and "HMM_MIRROR" not in off:
        off.append("HMM_MIRROR")
    if off and not facts.is_kfd_shown:
        names = listed(f"CONFIG_{name}" for name in off)
        return Finding(
            FAIL,
            say("This kernel was built without {names}: the compute driver cannot exist.",
                names=names),
            say("{names} not set", names=names), expected,
            fix=(say("Use your distribution's standard kernel, or build one with CONFIG_HSA_AMD=y "
                     "(it selects HMM_MIRROR)."),),
            source=source,
        )  # fmt: skip
    missing = [name for name in _WANTED if _is_off(facts, name)]
    if missing:
        names = listed(f"CONFIG_{name}" for name in missing)
        return Finding(WARN, say("{names} is off: no memory shared between processor and GPU. "
                                 "Making pictures does not need it.", names=names),
                       say("{names} not set", names=names), expected, source=source)  # fmt: skip
    measured = listed(f"{name}={options[name]}" for name in _NEEDED if name in options)
    if facts.topology.gpus or facts.rocminfo.gpus:
        return Finding(PASS, say("The compute driver is in this kernel."),
                       measured or say("KFD present"), expected, source=source)  # fmt: skip
    if options.get("HSA_AMD") in ("y", "m"):
        return Finding(PASS, say("The compute driver is in this kernel."), measured, expected,
                       source=source)  # fmt: skip
    return not_seen(source)


def _is_off(facts: Facts, name: str) -> bool:
    options = facts.kernel.config
    if options is None:
        return False
    found = options.get(name)
    return found == "n" or (found is None and facts.kernel.has_whole_config)
