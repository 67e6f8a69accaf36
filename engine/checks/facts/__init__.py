"""What the rules judge: facts drawn from a snapshot, once, before any judgement.

A fact is what a source says, or None for "not to be seen"; no fact is a verdict. Rules take `Facts`
alone, so that each of them is a pure function.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.checks import signatures
from engine.checks.facts import gpus, kfd, machine, printed, software
from engine.checks.facts.gpu_facts import GpuFacts
from engine.checks.facts.gpus import Others
from engine.checks.facts.kfd import Kfd
from engine.checks.facts.machine import Kernel, Platform
from engine.checks.facts.printed import RocmInfo, Smi
from engine.checks.facts.software import Environment, Paddle, Rocm
from engine.checks.snapshot import Presence, Snapshot

KFD = "/dev/kfd"

_PROGRAMS = ("app.log", "rocminfo.txt", "rocm-smi.txt", "paddle.json")
_MAX_LINES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All facts of one machine. `program_lines` are lines of logs by the signature they carry."""

    snapshot: Snapshot
    platform: Platform
    kernel: Kernel
    topology: Kfd
    rocminfo: RocmInfo
    smi: Smi
    gpus: tuple[GpuFacts, ...]
    others: Others
    rocm: Rocm
    paddle: Paddle
    environment: Environment
    program_lines: dict[str, str]
    kernel_lines: dict[str, str]

    @property
    def has_no_amd_gpu(self) -> bool:
        """It is certain that there is none: the list is whole, and WSL has no such list."""
        if self.gpus or self.platform.is_wsl:
            return False
        return self.others.is_complete

    @property
    def kfd_open(self) -> str | None:
        """`OK` or the errno's name of opening /dev/kfd; None if nobody tried."""
        node = self.snapshot.node(KFD)
        if node is not None and node.open is not None and node.type != "absent":
            return node.open
        if self.snapshot.presence(KFD) is Presence.ABSENT:
            return "ENOENT"
        return self.rocminfo.open_error

    @property
    def is_kfd_shown(self) -> bool:
        """Something shows that the compute driver exists in this kernel."""
        shown = self.topology.gpus or self.rocminfo.gpus
        return bool(shown) or self.kfd_open in ("OK", "EACCES", "EPERM")

    @property
    def discrete(self) -> tuple[GpuFacts, ...]:
        """GPUs that are not part of the processor."""
        return tuple(gpu for gpu in self.gpus if not gpu.is_apu)

    def has_line(self, signature: str) -> bool:
        """Some program's log or the kernel's has a line with this signature."""
        return signature in self.program_lines or signature in self.kernel_lines


def gather(snapshot: Snapshot) -> Facts:
    commands = snapshot.commands
    rocm_info = printed.rocminfo(commands.get("rocminfo.txt", ""))
    smi = printed.smi(commands.get("rocm-smi.txt", ""))
    kernel = machine.kernel_of(snapshot)
    topology = kfd.read(snapshot)
    found = tuple(gpus.find(snapshot, topology, rocm_info, smi, kernel.log or ()))
    paddle = software.paddle_of(snapshot)
    count = len(topology.gpus) if topology.is_complete else None
    return Facts(
        snapshot=snapshot,
        platform=machine.platform_of(snapshot, "\n".join(commands.values())),
        kernel=kernel,
        topology=topology,
        rocminfo=rocm_info,
        smi=smi,
        gpus=found,
        others=gpus.others(snapshot),
        rocm=software.rocm_of(snapshot, smi, paddle),
        paddle=paddle,
        environment=software.environment_of(snapshot, count),
        program_lines=_signed("\n".join(commands.get(name, "") for name in _PROGRAMS)),
        kernel_lines=_signed("\n".join(kernel.log or ())),
    )


def _signed(text: str) -> dict[str, str]:
    """The last line of each signature."""
    found: dict[str, str] = {}
    for line in text.splitlines()[-_MAX_LINES:]:
        signature = signatures.of_line(line)
        if signature is not None:
            found[signature.id] = line.strip()[:500]
    return found
