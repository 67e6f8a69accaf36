"""The bundle: a recording of a machine, with its report, in a zip that may be shown to anyone.

Its root is a snapshot, so that it can be opened and judged again. What the check does not
understand is not put in: of logs only lines that carry a fact are kept. Separate from `redaction`,
which knows what is personal, as this knows what is needed.
"""

from __future__ import annotations

import datetime as dt
import getpass
import io
import json
import os
import pwd
import re
import socket
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from engine._version import __version__
from engine.checks import decisions, live, recorded, report, signatures
from engine.checks.redaction import Redaction
from engine.checks.snapshot import FORMAT, VERSION, Node, Process, Snapshot
from engine.port import Report

_NEVER = re.compile(
    r"(?:^|/)(?:serial_number|unique_id|product_serial|board_serial|chassis_serial|product_uuid|"
    r"machine-id|hostname|chassis_asset_tag|board_asset_tag|address)$"
)
_KERNEL_LOGS = ("dmesg.txt", "journal-kernel.txt")
_OF_THE_MACHINE = re.compile(
    r"amdgpu|\[drm|kfd|Linux version|command line:|iommu|IOMMU|AMD-Vi|DMAR|\bBAR \d|"
    r"Secure ?[Bb]oot|rejected by service|unsigned module|pcieport|AER:",
    re.IGNORECASE,
)
_OF_PROGRAMS = re.compile(r"gfx[0-9a-f]{3,4}\b|rocm|paddle|HIP|HSA|kfd|VRAM", re.IGNORECASE)
_BINARY = (".gz",)


def this_machine() -> Redaction:
    """The redaction of what is known of this machine and its user."""
    words = {socket.gethostname(), *socket.gethostname().split("."), Path.home().name}
    words.update(name for name in (os.environ.get("USER"), os.environ.get("LOGNAME")) if name)
    try:
        entry = pwd.getpwuid(os.getuid())
        words |= {entry.pw_name, *re.split(r"[ ,]+", entry.pw_gecos), getpass.getuser()}
    except (KeyError, OSError):
        words.discard("")
    return Redaction(words)


def redacted(snapshot: Snapshot, redaction: Redaction) -> Snapshot:
    """The snapshot without anything personal."""
    return replace(
        snapshot,
        files={
            redaction.text(path): _clean_file(path, content, redaction)
            for path, content in snapshot.files.items()
            if not _NEVER.search(path)
        },
        nodes={
            redaction.text(path): _clean_node(node, redaction)
            for path, node in snapshot.nodes.items()
            if not _NEVER.search(path)
        },
        process=_clean_process(snapshot.process, redaction),
        commands={
            name: _clean_command(name, text, redaction)
            for name, text in snapshot.commands.items()
            if re.fullmatch(r"[\w.-]{1,64}", name)
        },
    )


def _clean_file(path: str, content: bytes, redaction: Redaction) -> bytes:
    if PurePosixPath(path).suffix in _BINARY or b"\0" in content:
        return content
    text = content.decode("utf-8", errors="replace")
    kept = [line for line in text.split("\n") if not line.startswith("unique_id")]
    return "\n".join(redaction.text(line) for line in kept).encode()


def _clean_node(node: Node, redaction: Redaction) -> Node:
    return replace(
        node,
        target=redaction.text(node.target) if node.target else None,
        owner=_clean_name(node.owner, redaction),
        group=_clean_name(node.group, redaction),
    )


def _clean_name(name: str | None, redaction: Redaction) -> str | None:
    return redaction.text(name) if name else None


def _clean_process(process: Process, redaction: Redaction) -> Process:
    def clean(names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if names is None else tuple(redaction.text(name) for name in names)

    env = process.env
    return replace(
        process,
        release=redaction.text(process.release) if process.release else None,
        groups=clean(process.groups),
        groups_configured=clean(process.groups_configured),
        env=None
        if env is None
        else {k: redaction.text(v) for k, v in env.items() if live.is_recorded(k)},
    )


def _clean_command(name: str, text: str, redaction: Redaction) -> str:
    lines = text.splitlines()
    if name in _KERNEL_LOGS:
        lines = [_without_host(line) for line in lines if _tells(line, _OF_THE_MACHINE)]
    elif name == "app.log":
        lines = [line for line in lines if _tells(line, _OF_PROGRAMS)]
    return "\n".join(redaction.text(line) for line in lines) + "\n"


def _tells(line: str, pattern: re.Pattern[str]) -> bool:
    return pattern.search(line) is not None or signatures.of_line(line) is not None


def _without_host(line: str) -> str:
    """A journal's line without the host's name: `Nov 30 12:00:00 <removed> kernel: ...`."""
    return re.sub(r"^(\S+(?: +\S+ +\S+)?) \S+ (kernel: )", r"\1 \2", line)


# --- the zip --------------------------------------------------------------------------------------


def write(file: Path, snapshot: Snapshot, judged: Report, redaction: Redaction) -> None:
    """Write the bundle of a snapshot that is already redacted, and its report.

    Raises `EngineFault` FILE_NOT_WRITTEN.
    """
    entries = recorded.entries_of(snapshot, _manifest())
    text = json.dumps(report.to_json(judged), indent=1, ensure_ascii=False)
    entries["report.json"] = redaction.text(text).encode()
    entries["report.txt"] = redaction.text(report.to_text(judged)).encode()
    decisions.write_whole(file, _zipped(entries))


def _manifest() -> Mapping[str, object]:
    now = dt.datetime.now(dt.UTC).replace(microsecond=0)
    return {
        "format": FORMAT,
        "version": VERSION,
        "collected": now.isoformat().replace("+00:00", "Z"),
        "redacted": True,
        "danqing": __version__,
    }


def _zipped(entries: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(entries.items()):
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
