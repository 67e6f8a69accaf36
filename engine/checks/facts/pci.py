"""PCI devices as sysfs shows them: display devices, their bridges, apertures and links.

Separate from `gpus`, which puts all sources together: here is only what one file of sysfs says.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from engine.checks import values
from engine.checks.snapshot import Snapshot

ROOT = "/sys/bus/pci/devices"
AMD = "1002"

_UNSET = 0x20000000
"""IORESOURCE_UNSET of linux/ioport.h: the address was never assigned."""

_WIDTHS = frozenset({1, 2, 4, 8, 12, 16, 32})
_SPEEDS = frozenset({2.5, 5.0, 8.0, 16.0, 32.0, 64.0})


@dataclass(frozen=True, slots=True, kw_only=True)
class PciDevice:
    """A device; `class_code` is the class without the programming interface, such as 0x0300."""

    address: str
    folder: str
    vendor: str | None
    device: str | None
    class_code: int | None

    @property
    def is_display(self) -> bool | None:
        """VGA, 3D or display controller, or an accelerator such as MI300; None if unknown."""
        if self.class_code is None:
            return None
        return self.class_code in (0x0300, 0x0302, 0x0380, 0x1200)


@dataclass(frozen=True, slots=True)
class Bar:
    """The aperture of the GPU's memory: first address and bytes; `start` None is "not assigned"."""

    start: int | None
    size: int


@dataclass(frozen=True, slots=True)
class Link:
    """GT/s and lanes, now and at most; None is what was not to be seen."""

    speed: float | None
    width: int | None
    max_speed: float | None
    max_width: int | None


def devices(snapshot: Snapshot) -> tuple[PciDevice, ...]:
    addresses = ((name, values.pci_address(name)) for name in snapshot.children(ROOT))
    return tuple(
        _device(snapshot, address, f"{ROOT}/{name}") for name, address in addresses if address
    )


def _device(snapshot: Snapshot, address: str, folder: str) -> PciDevice:
    code = values.whole(snapshot.text(f"{folder}/class"), 0, 0xFFFFFF)
    return PciDevice(
        address=address,
        folder=folder,
        vendor=values.hex_id(snapshot.text(f"{folder}/vendor")),
        device=values.hex_id(snapshot.text(f"{folder}/device")),
        class_code=None if code is None else code >> 8,
    )


def is_listing_complete(snapshot: Snapshot) -> bool:
    """Every device of the machine is in the snapshot, with a readable vendor."""
    known = devices(snapshot)
    return (
        snapshot.is_complete(ROOT)
        and all(device.vendor is not None for device in known)
        and all(device.class_code is not None or device.vendor != AMD for device in known)
    )


def memory_bar(snapshot: Snapshot, folder: str) -> Bar | None:
    """Line 0 of `resource`; None if the file is not there or line 0 is empty."""
    lines = (snapshot.text(f"{folder}/resource") or "").splitlines()
    fields = lines[0].split() if lines else []
    if len(fields) != 3:
        return None
    numbers = [values.whole(field) for field in fields]
    if any(number is None for number in numbers):
        return None
    start, end, flags = (number or 0 for number in numbers)
    if not (start or end or flags) or end < start:
        return None
    size = end - start + 1
    if size > values.MAX_GPU_MEMORY:
        return None
    return Bar(None if flags & _UNSET or start == 0 else start, size)


def parents(snapshot: Snapshot, address: str) -> tuple[str, ...] | None:
    """The bridges above a device, nearest first; None if its place in the tree is not known."""
    node = snapshot.node(f"{ROOT}/{address}")
    if node is None or node.type != "link" or not node.target:
        return None
    parts = [values.pci_address(part) for part in node.target.split("/")]
    chain = [part for part in parts if part]
    if not chain or chain[-1] != address:
        return None
    return tuple(reversed(chain[:-1]))


def top_of_card(snapshot: Snapshot, address: str) -> tuple[str, bool]:
    """The port where the card meets the slot, and whether the tree above it is known.

    Cards since Vega carry a switch of AMD's own: the kernel walks up while the vendor is 1002 and
    so do we, because the endpoint's link is the one inside the card.
    """
    above = parents(snapshot, address)
    if above is None:
        return address, False
    top = address
    for parent in above:
        vendor = values.hex_id(snapshot.text(f"{ROOT}/{parent}/vendor"))
        if vendor is None:
            return top, False
        if vendor != AMD:
            return top, True
        top = parent
    return top, True


def has_own_switch(snapshot: Snapshot, address: str) -> bool | None:
    """A bridge of AMD's 1002 right above the GPU: only cards have one, processors do not."""
    above = parents(snapshot, address)
    if not above:
        return None
    vendor = values.hex_id(snapshot.text(f"{ROOT}/{above[0]}/vendor"))
    return None if vendor is None else vendor == AMD


def link(snapshot: Snapshot, address: str) -> Link:
    folder = f"{ROOT}/{address}"
    return Link(
        speed=_speed(snapshot.text(f"{folder}/current_link_speed")),
        width=_width(snapshot.text(f"{folder}/current_link_width")),
        max_speed=_speed(snapshot.text(f"{folder}/max_link_speed")),
        max_width=_width(snapshot.text(f"{folder}/max_link_width")),
    )


def _speed(text: str | None) -> float | None:
    """2.5 of `2.5 GT/s PCIe`; `Unknown` is None."""
    match = re.match(r"(\d{1,2}(?:\.\d)?) GT/s", text or "")
    return speed if match and (speed := float(match[1])) in _SPEEDS else None


def _width(text: str | None) -> int | None:
    width = values.whole(text, 1, 32)
    return width if width in _WIDTHS else None


def iommu_group(snapshot: Snapshot, folder: str) -> str | None:
    """The group's number, `?` where the link's target is not recorded; None without a link."""
    node = snapshot.node(f"{folder}/iommu_group")
    if node is None or node.type != "link":
        return None
    return posixpath.basename(node.target) if node.target else "?"
