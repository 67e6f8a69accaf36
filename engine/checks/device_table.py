"""The GPUs that Danqing knows by their PCI id: `resources/devices.tsv`, read once.

Separate from the facts, because a table row is a claim about a kind of card and a fact one about
the card at hand. Bandwidth and power are for display only (the table's header says why).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import resources


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One kind of card. `revision` None stands for any; `vram_bytes` 0 for memory shared with the
    processor; numbers that the table doubts are None.
    """

    device: str
    revision: str | None
    name: str
    gfx: str
    arch: str
    compute_units: tuple[int, ...]
    vram_bytes: int
    vram_type: str
    bandwidth_gbps: float | None
    pcie_gen: int
    pcie_width: int

    @property
    def is_integrated(self) -> bool:
        return self.vram_bytes == 0

    @property
    def is_instinct(self) -> bool:
        return self.name.startswith("Instinct")


@cache
def rows() -> tuple[TableRow, ...]:
    """The table, one row for each of a line's ids."""
    lines = resources.path("devices.tsv").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    header = lines[0].split("\t")
    return tuple(
        _row(dict(zip(header, line.split("\t"), strict=False)), pci_id)
        for line in lines[1:]
        for pci_id in line.split("\t")[0].split("|")
    )


def find(device: str, revision: str | None) -> tuple[TableRow, ...]:
    """All rows that the card may be: those of its revision, else those of its device id."""
    same = tuple(row for row in rows() if row.device == device)
    exact = tuple(row for row in same if revision and row.revision in (revision, None))
    return exact or same


def _row(cells: dict[str, str], pci_id: str) -> TableRow:
    device, _, revision = pci_id.partition(":")
    return TableRow(
        device=device,
        revision=revision if revision not in ("", "*") else None,
        name=cells["marketing_name"],
        gfx=cells["gfx_target"],
        arch=cells["arch"],
        compute_units=tuple(int(number) for number in re.findall(r"\d+", cells["cu"])),
        vram_bytes=int(cells["vram_bytes_nominal"]),
        vram_type=cells["vram_type"],
        bandwidth_gbps=_sure(cells["bandwidth_gbps"]),
        pcie_gen=int(cells["pcie_gen"]),
        pcie_width=int(cells["pcie_width"]),
    )


def _sure(cell: str) -> float | None:
    return float(cell) if re.fullmatch(r"\d+(\.\d+)?", cell) else None
