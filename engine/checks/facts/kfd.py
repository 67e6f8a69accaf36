"""The KFD topology: what the compute driver itself says of its GPUs.

Separate from PCI, because a node may have no PCI address and one PCI function several nodes. The
listings are those of the kernel's kfd_topology.c; all numbers there are decimal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.checks import values
from engine.checks.snapshot import Presence, Snapshot

ROOT = "/sys/class/kfd/kfd/topology/nodes"

_NO_ATOMICS = 0x4 | 0x8
"""Flags of an io_link: no 32-bit and no 64-bit atomics (CRAT_IOLINK_FLAGS of kfd_crat.h)."""

_SVM = 0x08000000
"""HSA_CAP_SVMAPI_SUPPORTED of kfd_sysfs.h."""

_HEAP_PUBLIC, _HEAP_PRIVATE = 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class KfdNode:
    """A node with a GPU, or with a GPU's memory (`is_proven` False: nothing else is known of it).

    `is_all_visible`: the processor sees all of its memory, the kernel's own word on Resizable BAR.
    """

    number: int
    address: str | None
    device: str | None
    gfx: str | None
    compute_units: int | None
    memory: int | None
    is_all_visible: bool | None
    has_atomics: bool | None
    has_svm: bool | None
    has_cpu: bool
    peers: frozenset[int]
    render_minor: int | None
    xcc_count: int | None
    is_proven: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kfd:
    """`is_topology_absent`: the kernel shows no topology; `is_hidden`: its files answer EPERM, as
    in a container whose device group leaves the GPU out; `is_complete`: every node was readable.
    """

    nodes: tuple[KfdNode, ...]
    is_topology_absent: bool
    is_hidden: bool
    is_complete: bool

    @property
    def gpus(self) -> tuple[KfdNode, ...]:
        return tuple(node for node in self.nodes if node.is_proven)


def read(snapshot: Snapshot) -> Kfd:
    numbers = [name for name in snapshot.children(ROOT) if name.isdecimal() and len(name) < 5]
    kinds = {int(name): _properties(snapshot, f"{ROOT}/{name}/properties") for name in numbers}
    cpus = {number for number, found in kinds.items() if found is not None and _is_cpu(found)}
    nodes = [_node(snapshot, int(name), kinds[int(name)], cpus) for name in numbers]
    hidden = [
        node
        for name in numbers
        for file in ("properties", "gpu_id", "name")
        if (node := snapshot.node(f"{ROOT}/{name}/{file}")) is not None and node.open == "EPERM"
    ]
    return Kfd(
        nodes=tuple(node for node in nodes if node is not None),
        is_topology_absent=snapshot.presence(ROOT) is Presence.ABSENT,
        is_hidden=bool(hidden),
        is_complete=snapshot.is_complete(ROOT) and all(kinds[int(name)] for name in numbers),
    )


def gfx_name(target: int | None) -> str | None:
    """`gfx1201` of 120001: major * 10000 + minor * 100 + step, the step written in hex."""
    if target is None:
        return None
    major, minor, step = target // 10000, target // 100 % 100, target % 100
    if not (7 <= major <= 15 and minor < 16 and step < 16):
        return None
    return f"gfx{major}{minor:x}{step:x}"


def _properties(snapshot: Snapshot, path: str) -> dict[str, int] | None:
    text = snapshot.text(path)
    if text is None:
        return None
    pairs = (line.split() for line in text.splitlines())
    found = {pair[0]: values.whole(pair[1]) for pair in pairs if len(pair) == 2}
    return {key: number for key, number in found.items() if number is not None}


def _is_cpu(found: Mapping[str, int]) -> bool:
    return found.get("cpu_cores_count", 0) > 0 and found.get("simd_count", 0) == 0


def _is_gpu(found: Mapping[str, int]) -> bool:
    if "simd_count" in found:
        return 0 < found["simd_count"] < 100_000
    return gfx_name(found.get("gfx_target_version")) is not None


def _node(
    snapshot: Snapshot, number: int, found: Mapping[str, int] | None, cpus: set[int]
) -> KfdNode | None:
    path = f"{ROOT}/{number}"
    banks = [
        bank
        for name in snapshot.children(f"{path}/mem_banks")
        if (bank := _properties(snapshot, f"{path}/mem_banks/{name}/properties"))
    ]
    gpu_banks = [b for b in banks if b.get("heap_type") in (_HEAP_PUBLIC, _HEAP_PRIVATE)]
    is_proven = found is not None and _is_gpu(found)
    if not is_proven and not gpu_banks:
        return None
    found = found or {}
    size = sum(bank.get("size_in_bytes", 0) for bank in gpu_banks)
    location = found.get("location_id", 0)
    simd_per_cu = found.get("simd_per_cu", 0)
    minor = found.get("drm_render_minor", 0)
    return KfdNode(
        number=number,
        address=values.pci_address_of(location, found.get("domain", 0)) if location else None,
        device=f"{found['device_id']:04x}" if 0 < found.get("device_id", 0) < 65536 else None,
        gfx=gfx_name(found.get("gfx_target_version")),
        compute_units=found.get("simd_count", 0) // simd_per_cu if 0 < simd_per_cu < 9 else None,
        memory=size if 0 < size <= values.MAX_GPU_MEMORY else None,
        is_all_visible=_visibility(gpu_banks),
        has_atomics=_atomics(snapshot, path, cpus),
        has_svm=bool(found["capability"] & _SVM) if "capability" in found else None,
        has_cpu=found.get("cpu_cores_count", 0) > 0,
        peers=frozenset(_links(snapshot, path)),
        render_minor=minor if 128 <= minor < 1024 else None,
        xcc_count=found.get("num_xcc"),
        is_proven=is_proven,
    )


def _visibility(banks: list[dict[str, int]]) -> bool | None:
    kinds = {bank["heap_type"] for bank in banks}
    if not kinds:
        return None
    return _HEAP_PRIVATE not in kinds


def _links(snapshot: Snapshot, path: str) -> dict[int, int]:
    """Flags of the links by the node at their other end."""
    links: dict[int, int] = {}
    for kind in ("io_links", "p2p_links"):
        for name in snapshot.children(f"{path}/{kind}"):
            found = _properties(snapshot, f"{path}/{kind}/{name}/properties") or {}
            if "node_to" in found and "flags" in found:
                links[found["node_to"]] = found["flags"]
    return links


def _atomics(snapshot: Snapshot, path: str, cpus: set[int]) -> bool | None:
    """Whether the link to the processor carries atomics; None if there is no such link."""
    links = _links(snapshot, path)
    flags = [flags for node, flags in links.items() if node in cpus or (not cpus and node == 0)]
    return None if not flags else not any(flag & _NO_ATOMICS for flag in flags)
