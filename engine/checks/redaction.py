"""What must not leave the machine, taken out of everything that a bundle or a report holds.

Names of host, user and home, serial numbers, unique ids, MAC addresses, UUIDs, prompts. Two
methods: known words (this machine's host and user names) are replaced wherever they stand; the rest
by form. Programs' and kernel logs are not cleaned but picked: only lines that the check understands
are kept at all. Separate from the bundle, because "Copy for an issue" passes through here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MASK = "<removed>"

_IDENTIFIER = r"((?:serial|unique|asset)[ _-]?(?:number|no|id|tag)?\s{0,9}[:=]\s{0,9})\"?[\w.-]+\"?"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", MASK),  # UUID
        (r"\bGPU-[0-9a-f]{8,}\b", f"GPU-{MASK}"),
        (r"(?<![0-9a-f:.])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![0-9a-f:-])", MASK),  # MAC
        (r"(?<![0-9a-f-])(?:[0-9a-f]{2}-){7}[0-9a-f]{2}(?![0-9a-f-])", MASK),  # PCIe serial
        (r"(/home/|/Users/|/var/home/|/run/user/|/media/)[^/\s:\"'<>|,;]+", rf"\1{MASK}"),
        (_IDENTIFIER, rf"\1{MASK}"),
        (r"\b(uuid\s*[:=]\s*)\S+", rf"\1{MASK}"),
        (r"\b((?:host ?name|user(?: ?name)?|login|logname)\s*[:=]\s*)[^\s,;\"']+", rf"\1{MASK}"),
        (r"(prompt\w{0,30}[\"']?\s{0,9}[:=]).*", rf"\1 {MASK}"),
        (r"\([\w.+-]{1,64}@[\w.-]{1,255}\)", f"({MASK})"),
        (r"\b[\w.+-]{1,64}@[\w.-]{1,255}", MASK),
        (r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])(?=:\d|/\d|\s|$)", MASK),  # IPv4
    )
)

_PARAMETER = re.compile(
    r"\b((?:root|resume|rd\.[\w.]*uuid|rd\.luks[\w.]*|cryptdevice|luks[\w.]*|nfsroot|ip|"
    r"systemd\.hostname|hostname|systemd\.machine_id|ostree|BOOT_IMAGE|rd\.lvm\.lv|zfs|"
    r"netroot|ifname|BOOTIF)=)\S+"
)


def mask_parameters(cmdline: str) -> str:
    """A kernel command line without what names disks, hosts and networks."""
    return _PARAMETER.sub(rf"\1{MASK}", cmdline)


class Redaction:
    """Takes out the words of one machine, and everything of a telling form."""

    def __init__(self, words: Iterable[str] = ()) -> None:
        kept = sorted({word for word in words if len(word) >= 3}, key=len, reverse=True)
        kept = [word for word in kept if word.lower() not in _COMMON]
        self._words = (
            re.compile(rf"(?<![\w])({'|'.join(map(re.escape, kept))})(?![\w])", re.IGNORECASE)
            if kept
            else None
        )

    def text(self, text: str) -> str:
        """The text with everything personal replaced."""
        text = mask_parameters(text)
        for pattern, replacement in _FORMS:
            text = pattern.sub(replacement, text)
        return self._words.sub(MASK, text) if self._words is not None else text


_COMMON = frozenset({
    "root", "user", "localhost", "video", "render", "debian", "ubuntu", "fedora", "arch", "linux",
    "amdgpu", "docker", "nobody",
})  # fmt: skip
"""Host and user names that identify nobody, and that rules read."""
