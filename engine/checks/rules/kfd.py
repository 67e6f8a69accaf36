"""Rows of the compute driver (KFD) and of the permission to open it.

Sections 3.5 and 3.6 of the design's hardware rules, with points 3, 6 and 7 of section 9.
"""

from __future__ import annotations

import re

from engine.checks import remedies
from engine.checks.facts import KFD, Facts
from engine.checks.rules import gpu as gpu_rules
from engine.checks.rules import kernel_config
from engine.checks.rules.finding import (
    FAIL,
    NA,
    PASS,
    UNKNOWN,
    WARN,
    Finding,
    in_wsl,
    not_seen,
    without_gpu,
)
from engine.checks.sentences import command, listed, say
from engine.checks.snapshot import Node
from engine.port import Sentence

_TOPOLOGY = "/sys/class/kfd/kfd/topology/nodes"


def present(facts: Facts) -> Finding:
    """kfd.present"""
    if facts.platform.is_wsl:
        return in_wsl()
    if facts.has_no_amd_gpu:
        return without_gpu()
    expected = say("a GPU node in the KFD's topology")
    names = listed(gpu.key for gpu in facts.gpus if gpu.node or gpu.agent)
    if facts.rocminfo.gpus:
        return _with_skipped(facts, Finding(PASS, say("ROCm sees the GPU."), names, expected,
                                            source="rocminfo"))  # fmt: skip
    problem = _missing_device(facts) or _missing_node(facts)
    if problem is not None:
        summary, fix, source = problem
        return Finding(FAIL, summary, say("no GPU node"), expected, fix=fix, source=source)
    if facts.topology.gpus:
        return _with_skipped(facts, Finding(PASS, say("The compute driver sees the GPU."), names,
                                            expected, source=_TOPOLOGY))  # fmt: skip
    if any(_is_addition(line) for gpu in facts.gpus for line in gpu.log):
        finding = Finding(PASS, say("The compute driver sees the GPU."), "", expected, (), "dmesg")
        return _with_skipped(facts, finding)
    return not_seen(_TOPOLOGY)


def _with_skipped(facts: Facts, finding: Finding) -> Finding:
    """A pass warns if the compute driver left out another GPU."""
    skipped = [
        gpu for gpu in facts.gpus
        if gpu.node is None and gpu.agent is None and any(_is_skip(line) for line in gpu.log)
    ]  # fmt: skip
    if not skipped:
        return finding
    return Finding(WARN, say("The compute driver leaves out {name}.",
                             name=listed(gpu.name for gpu in skipped)),
                   finding.measured, finding.expected, source=finding.source)  # fmt: skip


def _is_addition(line: str) -> bool:
    return re.search(r"kfd.*added device 1002:|Topology: Add d?GPU node", line) is not None


def _is_skip(line: str) -> bool:
    return (
        re.search(
            r"kfd.*(skipped device|is missing in supported_devices|not supported in kfd)", line
        )
        is not None
    )


_Problem = tuple[Sentence, tuple[Sentence, ...], str]


def _missing_device(facts: Facts) -> _Problem | None:
    """/dev/kfd is not there, or opens onto no GPU."""
    opened = facts.kfd_open
    if opened in ("ENOENT", "ENODEV", "ENXIO"):
        if facts.platform.is_container:
            return (
                say("/dev/kfd does not exist in this container."),
                (say("Start it with --device=/dev/kfd --device=/dev/dri --group-add <the number of "
                     "the group that owns /dev/kfd on the host>."),),
                KFD,
            )  # fmt: skip
        return (say("/dev/kfd does not exist: the compute driver is not there."),
                _get_a_kfd(facts), KFD)  # fmt: skip
    if opened == "ENOMEM":
        return (say("/dev/kfd opens onto nothing (ENOMEM): the compute driver has no GPU."),
                _get_a_kfd(facts), KFD)  # fmt: skip
    return None


def _missing_node(facts: Facts) -> _Problem | None:
    """The topology, the log or the rows that explain it say that no GPU is in the KFD."""
    if facts.topology.gpus:
        return None
    if facts.topology.is_hidden:
        fix = say("Start it with --device=/dev/kfd --device=/dev/dri.")
        reason = say("The GPU is not passed to this container: its files answer EPERM.")
        return reason, (fix,), _TOPOLOGY
    skipped = [line for line in facts.kernel.log or () if _is_skip(line)]
    if skipped and len(facts.gpus) <= 1:
        if "atomics" in skipped[-1]:
            return (say("The compute driver left out the GPU; see pcie.atomics."),
                    remedies.atomics(facts.platform), "dmesg")  # fmt: skip
        return (say("This kernel's compute driver does not know the GPU."),
                remedies.newer_kernel(facts.platform), "dmesg")  # fmt: skip
    if kernel_config.config(facts).verdict is FAIL:
        return (say("This kernel was built without the compute driver."), _get_a_kfd(facts),
                "kernel.config")  # fmt: skip
    cards = facts.gpus
    if len(cards) == 1 and gpu_rules.driver(facts, cards[0]).verdict is FAIL:
        return (say("The driver does not run the only GPU."),
                gpu_rules.driver(facts, cards[0]).fix, "gpu.driver")  # fmt: skip
    if not cards and gpu_rules.driver(facts, None).verdict is FAIL:
        return (say("The driver amdgpu is not loaded."), gpu_rules.driver(facts, None).fix,
                "gpu.driver")  # fmt: skip
    return _empty_topology(facts)


def _empty_topology(facts: Facts) -> _Problem | None:
    topology = facts.topology
    if topology.is_topology_absent or (topology.is_complete and facts.gpus):
        return (say("The compute driver shows no GPU."), _get_a_kfd(facts), _TOPOLOGY)
    if facts.rocminfo.is_complete and facts.rocminfo.has_cpu_agents_only:
        return say("ROCm sees the processor only."), _get_a_kfd(facts), "rocminfo"
    log = facts.kernel.log or ()
    if facts.kernel.has_whole_log and facts.gpus and not any("kfd" in line for line in log):
        return (say("The compute driver said nothing since boot: it is not in this kernel."),
                _get_a_kfd(facts), "dmesg")  # fmt: skip
    return None


def _get_a_kfd(facts: Facts) -> tuple[Sentence, ...]:
    return (
        say("Use a kernel with CONFIG_HSA_AMD=y that knows this GPU."),
        *remedies.newer_kernel(facts.platform),
    )


# --- permission -----------------------------------------------------------------------------------


def permission(facts: Facts) -> Finding:
    """dev.perm: decided by opening the devices, never by the names of groups."""
    if facts.platform.is_wsl:
        return in_wsl()
    if facts.has_no_amd_gpu:
        return without_gpu()
    opened = facts.kfd_open
    expected = say("/dev/kfd and the render node open for reading and writing")
    if opened is None:
        return not_seen(KFD)
    if opened in ("ENOENT", "ENOMEM", "ENODEV", "ENXIO"):
        return Finding(NA, say("There is no compute device to open; see kfd.present."),
                       opened, expected, source=KFD)  # fmt: skip
    if opened != "OK":
        return _refused(facts, KFD, opened, expected)
    render = _render_nodes(facts)
    for path, node in render:
        if node.open not in (None, "OK"):
            return _refused(facts, path, node.open or "", expected)
    if not any(node.open == "OK" for _, node in render):
        if facts.snapshot.is_complete("/dev/dri") and not render:
            return _refused(facts, "/dev/dri/renderD*", "ENOENT", expected)
        return Finding(UNKNOWN, say("/dev/kfd opens; the render node could not be seen."),
                       "OK", expected, source=KFD)  # fmt: skip
    return _allowed(facts, expected)


def _render_nodes(facts: Facts) -> list[tuple[str, Node]]:
    """The GPUs' own render nodes where the KFD names them, else all of them."""
    minors = {gpu.node.render_minor for gpu in facts.gpus if gpu.node and gpu.node.render_minor}
    names = [name for name in facts.snapshot.children("/dev/dri") if name.startswith("renderD")]
    named = [name for name in names if name in {f"renderD{minor}" for minor in minors}]
    paths = [f"/dev/dri/{name}" for name in named or names]
    nodes = ((path, facts.snapshot.node(path)) for path in paths)
    return [(path, node) for path, node in nodes if node is not None]


def _allowed(facts: Facts, expected: Sentence) -> Finding:
    node = facts.snapshot.node(KFD)
    groups = facts.snapshot.process.groups
    is_open_to_all = node is not None and node.mode is not None and node.mode & 0o006 == 0o006
    if (
        node is not None and node.group and node.mode is not None and groups is not None
        and not is_open_to_all and node.group not in groups and "root" not in groups
    ):  # fmt: skip
        return Finding(
            WARN,
            say("The devices open, but only by this session's access list: the user is not in the "
                "group {group}.", group=node.group),
            "OK", expected, fix=_join(facts, node.group), source=KFD,
        )  # fmt: skip
    return Finding(PASS, say("The devices open."), "OK", expected, source=KFD)


def _join(facts: Facts, group: str) -> tuple[Sentence, ...]:
    configured = facts.snapshot.process.groups_configured
    if configured is not None and group in configured:
        return (say("You are in the group {group} from your next login on: log out and in.",
                    group=group),)  # fmt: skip
    return (command(f"sudo usermod -aG {group} $USER"), say("Log out and in."))


def _refused(facts: Facts, path: str, error: str, expected: Sentence) -> Finding:
    node = facts.snapshot.node(path)
    group = node.group if node is not None else None
    container = say("Start the container with --device=/dev/kfd --device=/dev/dri --group-add <the "
                    "number of the group that owns the device on the host>.")  # fmt: skip
    if error == "EACCES":
        summary = say("{path} may not be opened by this user.", path=path)
        joined = _join(facts, group if group and group != "root" else "render")
        fix = (container,) if facts.platform.is_container else joined
    elif error == "EPERM":
        summary = say("{path} is locked by the container or a sandbox (EPERM).", path=path)
        fix = (container,)
    elif error == "EINVAL":
        summary = say("{path} is not the host's device, or the driver cannot serve this process "
                      "(EINVAL).", path=path)  # fmt: skip
        fix = (container, say("Use the same driver and ROCm versions inside and outside."))
    elif error == "EBUSY":
        summary = say("{path} is held by another program.", path=path)
        fix = (say("Close programs that use the GPU, or reboot."),)
    else:
        summary = say("{path} cannot be opened ({error}).", path=path, error=error)
        fix = (container,) if facts.platform.is_container else ()
    measured = f"{error}, group {group}" if group else error
    return Finding(FAIL, summary, measured, expected, fix=fix, source=path)
