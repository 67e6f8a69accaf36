"""All that is known of one GPU, put together from every source that mentions it.

Separate from `gpus`, which matches the sources, and `gpu_details`, which draws conclusions, so that
rules need neither.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.checks.device_table import TableRow
from engine.checks.facts.kfd import KfdNode
from engine.checks.facts.pci import Bar
from engine.checks.facts.printed import Agent, LspciDevice, SmiGpu
from engine.port import GpuKind


@dataclass(slots=True, kw_only=True, eq=False)
class GpuFacts:
    """One GPU. `driver` is the bound one's name, "" for none, None for unknown."""

    key: str
    name: str = "AMD GPU"
    address: str | None = None
    folder: str | None = None
    device: str | None = None
    revision: str | None = None
    class_code: int | None = None
    driver: str | None = None
    bar: Bar | None = None
    iommu_group: str | None = None
    vram: int | None = None
    visible: int | None = None
    used: int | None = None
    gtt: int | None = None
    has_own_switch: bool | None = None
    node: KfdNode | None = None
    sibling_nodes: int = 1
    agent: Agent | None = None
    smi: SmiGpu | None = None
    lspci: LspciDevice | None = None
    compute_partition: str | None = None
    memory_partition: str | None = None
    log: list[str] = field(default_factory=list[str])
    rows: tuple[TableRow, ...] = ()
    kind: GpuKind = GpuKind.DISCRETE
    is_apu: bool = False

    @property
    def gfx(self) -> str | None:
        """The instruction set as the driver or ROCm says it, never from the card's name."""
        for found in (self.node, self.agent, self.smi):
            if found is not None and found.gfx:
                return found.gfx
        return None

    @property
    def likely_gfx(self) -> str | None:
        """`gfx`, else what the table says of this kind of card."""
        kinds = {row.gfx for row in self.rows}
        return self.gfx or (kinds.pop() if len(kinds) == 1 else None)

    @property
    def compute_units(self) -> int | None:
        for found in (self.node, self.agent):
            if found is not None and found.compute_units:
                return found.compute_units
        return None
