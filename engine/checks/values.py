"""Numbers out of text that nobody has checked: what a kernel, a program or a vandal wrote.

Every function returns None for what is not such a number or not a plausible one; an absurd value
must end as "unknown", never as a large amount of memory.
"""

from __future__ import annotations

import re

MAX_MEMORY = 2**44
"""16 TiB: no memory of one machine is larger."""

MAX_GPU_MEMORY = 2**40
"""1 TiB: the largest GPU of the table has 288 GiB."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
_HEX = re.compile(r"0[xX][0-9a-fA-F]{1,16}")


def whole(text: str | None, least: int = 0, most: int = 2**64 - 1) -> int | None:
    """A decimal or 0x number from `least` to `most`."""
    text = (text or "").strip()
    if _HEX.fullmatch(text):
        number = int(text, 16)
    elif _WHOLE.fullmatch(text):
        number = int(text)
    else:
        return None
    return number if least <= number <= most else None


def memory(text: str | None, most: int = MAX_MEMORY) -> int | None:
    """An amount of memory in bytes, above 0."""
    return whole(text, 1, most)


def hex_id(text: str | None) -> str | None:
    """A PCI id of four hex digits, lower case, from `0x7551`, `7551` or `0x00007551`."""
    match = re.fullmatch(r"(?:0[xX])?0{0,4}([0-9a-fA-F]{1,4})", (text or "").strip())
    return match[1].lower().rjust(4, "0") if match else None


def hex_byte(text: str | None) -> str | None:
    """A PCI revision of two hex digits, lower case."""
    match = re.fullmatch(r"(?:0[xX])?([0-9a-fA-F]{1,2})", (text or "").strip())
    return match[1].lower().rjust(2, "0") if match else None


def version(text: str | None) -> tuple[int, ...] | None:
    """The leading numbers of a version: (6, 14, 0) of `6.14.0-29-generic`.

    None if the first is above 99 or any above 99999: calendar-like nonsense, or a broken file.
    """
    match = re.match(r"\s*v?(\d{1,5}(?:\.\d{1,5}){1,3})(?!\d)", text or "")
    if not match:
        return None
    numbers = tuple(int(part) for part in match[1].split("."))
    return numbers if numbers[0] <= 99 else None


def dotted(numbers: tuple[int, ...]) -> str:
    """The version as text."""
    return ".".join(map(str, numbers))


def pci_address(text: str | None) -> str | None:
    """`0000:0a:00.0` from that or from `0a:00.0`, lower case."""
    match = re.fullmatch(
        r"(?:([0-9a-fA-F]{4}):)?([0-9a-fA-F]{2}):([01][0-9a-fA-F])\.([0-7])", (text or "").strip()
    )
    if not match:
        return None
    return f"{match[1] or '0000'}:{match[2]}:{match[3]}.{match[4]}".lower()


def pci_address_of(location: int, domain: int = 0) -> str:
    """The address that a KFD location id or a BDF number encodes: bus << 8 | device << 3 | fn."""
    return (
        f"{domain & 0xFFFF:04x}:{location >> 8 & 0xFF:02x}:{location >> 3 & 31:02x}.{location & 7}"
    )
