"""Recorded machines: a folder or a zip in the snapshot format, made safe to read.

The form is HARDWARE_CHECK section 8 of the design: `manifest.json`, `fs/`, `stat.json`,
`process.json`, `commands/`. Separate from `snapshot`, because a recording comes from strangers:
here are the limits on size and number, and the refusal of paths and links that lead out of it.
What is merely missing or garbled is left out, so that it is judged as unknown.
"""

from __future__ import annotations

import json
import lzma
import os
import posixpath
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, NoReturn

from engine.checks.snapshot import Node, Process, Snapshot
from engine.port import EngineError, EngineFault, ErrorCode

MAX_FILE_BYTES = 8 * 2**20
"""One file: a kernel log of a long uptime has 2 MB."""

MAX_TOTAL_BYTES = 64 * 2**20
MAX_ENTRIES = 20_000
"""Files and folders together: a server with eight partitioned GPUs has about 3,000."""

_PARTS = ("manifest.json", "stat.json", "process.json", "fs", "commands")
_BUNDLE_EXTRAS = ("report.json", "report.txt")


class Reason(StrEnum):
    """Why a recording cannot be read; any other reason is the system's own word for it."""

    NO_SNAPSHOT = "no_snapshot"
    PATH_OUTSIDE = "path_outside"
    TOO_LARGE = "too_large"
    DAMAGED = "damaged"


def load(place: Path) -> Snapshot:
    """The machine recorded in a folder or zip. Raises `EngineFault` SNAPSHOT_UNREADABLE."""
    try:
        if place.is_dir():
            entries = _folder_entries(place)
        elif place.exists() and not place.is_file():
            _refuse(place.name, Reason.NO_SNAPSHOT, "neither a file nor a folder")  # may never end
        elif place.is_file() and place.stat().st_size > MAX_TOTAL_BYTES:
            _refuse(place.name, Reason.TOO_LARGE)
        elif zipfile.is_zipfile(place):
            entries = _zip_entries_or_refusal(place)
        elif place.exists():
            _refuse(place.name, Reason.NO_SNAPSHOT)
        else:
            raise FileNotFoundError(2, os.strerror(2))
        return _snapshot(place.name, _without_root(entries))
    except OSError as error:
        _refuse(place.name, error.strerror or type(error).__name__)


def _refuse(name: str, reason: str, detail: str = "") -> NoReturn:
    facts = {"file": name, "reason": str(reason)}
    raise EngineFault(
        EngineError(code=ErrorCode.SNAPSHOT_UNREADABLE, facts=facts, detail=detail)
    ) from None


# --- entries --------------------------------------------------------------------------------------


class _Budget:
    """Counts what a recording costs, and refuses what costs too much."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bytes = 0
        self._entries = 0

    def entry(self) -> None:
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            _refuse(self._name, Reason.TOO_LARGE, f"more than {MAX_ENTRIES} entries")

    def read(self, stream: IO[bytes], name: str) -> bytes:
        """All of the stream, which may lie about its length."""
        content = stream.read(MAX_FILE_BYTES + 1)
        self._bytes += len(content)
        if len(content) > MAX_FILE_BYTES or self._bytes > MAX_TOTAL_BYTES:
            _refuse(self._name, Reason.TOO_LARGE, name)
        return content


def _folder_entries(folder: Path) -> dict[str, bytes]:
    budget = _Budget(folder.name)
    root = folder.resolve()
    entries: dict[str, bytes] = {}
    for path in _files_below(folder, budget, folder.name):
        if path.is_symlink() and not path.resolve().is_relative_to(root):
            _refuse(folder.name, Reason.PATH_OUTSIDE, path.name)
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            continue  # a pipe or device would block, and a link to a folder could be endless
        if status.st_size > MAX_FILE_BYTES:
            _refuse(folder.name, Reason.TOO_LARGE, path.name)
        with path.open("rb") as stream:
            entries[path.relative_to(folder).as_posix()] = budget.read(stream, path.name)
    return entries


def _files_below(folder: Path, budget: _Budget, name: str) -> Iterator[Path]:
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for entry in found:
                budget.entry()
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif entry.is_symlink() and not Path(entry.path).exists():
                    target = Path(entry.path).resolve()
                    if not target.is_relative_to(folder.resolve()):
                        _refuse(name, Reason.PATH_OUTSIDE, entry.name)
                else:
                    yield Path(entry.path)


def _zip_entries_or_refusal(place: Path) -> dict[str, bytes]:
    """The entries of a zip; whatever `zipfile` may say of a damaged one is said as a refusal."""
    try:
        return _zip_entries(place)
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,  # names that are not the UTF-8 that they claim to be
    ) as error:
        _refuse(place.name, Reason.DAMAGED, str(error))
    except OSError as error:
        if error.errno is not None:
            raise
        _refuse(place.name, Reason.DAMAGED, str(error))  # bz2's word for damaged data


def _zip_entries(place: Path) -> dict[str, bytes]:
    budget = _Budget(place.name)
    entries: dict[str, bytes] = {}
    with zipfile.ZipFile(place) as archive:
        for info in archive.infolist():
            budget.entry()
            parts = info.filename.replace("\\", "/").split("/")
            if info.filename.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
                _refuse(place.name, Reason.PATH_OUTSIDE, info.filename)
            if stat.S_ISLNK(info.external_attr >> 16):
                _refuse(place.name, Reason.PATH_OUTSIDE, info.filename)
            if not info.filename:
                _refuse(place.name, Reason.DAMAGED, "an entry without a name")
            if info.is_dir():
                continue
            if info.file_size > MAX_FILE_BYTES:
                _refuse(place.name, Reason.TOO_LARGE, info.filename)
            if info.flag_bits & 1:
                _refuse(place.name, Reason.DAMAGED, "encrypted")
            with archive.open(info) as stream:
                entries["/".join(parts)] = budget.read(stream, info.filename)
    return entries


def _without_root(entries: dict[str, bytes]) -> dict[str, bytes]:
    """The entries of the snapshot itself, where it lies in a folder within the folder or zip."""
    for _ in range(2):
        if any(name.partition("/")[0] in _PARTS for name in entries):
            return entries
        tops = {name.partition("/")[0] for name in entries if "/" in name}
        top = "snapshot" if "snapshot" in tops else min(tops, default="")
        if not top or (len(tops) > 1 and top != "snapshot"):
            return {}
        entries = {
            name.partition("/")[2]: content
            for name, content in entries.items()
            if name.startswith(f"{top}/")
        }
    return entries


# --- content --------------------------------------------------------------------------------------


def _snapshot(name: str, entries: Mapping[str, bytes]) -> Snapshot:
    if not any(entry.partition("/")[0] in _PARTS for entry in entries):
        _refuse(name, Reason.NO_SNAPSHOT)
    return Snapshot(
        files={
            posixpath.normpath(entry[2:]): content
            for entry, content in entries.items()
            if entry.startswith("fs/")
        },
        nodes=_nodes(_json_object(entries.get("stat.json"))),
        process=_process(_json_object(entries.get("process.json"))),
        commands={
            entry.removeprefix("commands/"): content.decode("utf-8", errors="replace")
            for entry, content in entries.items()
            if entry.startswith("commands/")
        },
    )


def _json_object(content: bytes | None) -> dict[str, Any]:
    """The JSON object, or an empty one for what is none."""
    if content is None:
        return {}
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _nodes(record: Mapping[str, Any]) -> dict[str, Node]:
    return {
        path: _node(entry)
        for path, entry in record.items()
        if path.startswith("/") and "/../" not in path and isinstance(entry, dict)
    }


def _node(entry: Mapping[str, Any]) -> Node:
    mode = _string(entry.get("mode"))
    return Node(
        type=_string(entry.get("type")) or "file",
        target=_string(entry.get("target")),
        open=_string(entry.get("open")),
        owner=_string(entry.get("owner")),
        group=_string(entry.get("group")),
        mode=_octal(mode) if mode else None,
        major=_number(entry.get("major")),
        minor=_number(entry.get("minor")),
        is_complete=entry.get("complete") is True,
    )


def _process(record: Mapping[str, Any]) -> Process:
    env = record.get("env")
    return Process(
        sysname=_string(record.get("sysname")),
        machine=_string(record.get("machine")),
        release=_string(record.get("release")),
        groups=_strings(record.get("groups")),
        groups_configured=_strings(record.get("groups_configured")),
        env={k: v for k, v in env.items() if isinstance(v, str)} if isinstance(env, dict) else None,
        shm_bytes=_number(record.get("shm_bytes")),
    )


def _string(found: object) -> str | None:
    return found if isinstance(found, str) and found else None


def _strings(found: object) -> tuple[str, ...] | None:
    if not isinstance(found, list):
        return None
    return tuple(item for item in found if isinstance(item, str))


def _number(found: object) -> int | None:
    if isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**63:
        return found
    return None


def _octal(text: str) -> int | None:
    is_octal = 0 < len(text) <= 7 and set(text) <= set("01234567")
    return int(text, 8) if is_octal else None


# --- writing --------------------------------------------------------------------------------------


def entries_of(snapshot: Snapshot, manifest: Mapping[str, object]) -> dict[str, bytes]:
    """The files of a recording of `snapshot`, by their path within it."""
    entries = {"manifest.json": _as_json(manifest), "process.json": _process_json(snapshot.process)}
    entries |= {f"fs{path}": content for path, content in snapshot.files.items()}
    entries["stat.json"] = _as_json(
        {path: _node_record(node) for path, node in snapshot.nodes.items()}
    )
    for name, output in snapshot.commands.items():
        entries[f"commands/{name}"] = output.encode("utf-8", errors="replace")
    return entries


def _as_json(record: Mapping[str, object]) -> bytes:
    return json.dumps(record, indent=1, ensure_ascii=False).encode("utf-8", errors="replace")


def _node_record(node: Node) -> dict[str, object]:
    record: dict[str, object] = {"type": node.type}
    plain: Callable[[str], object] = lambda name: getattr(node, name)  # noqa: E731
    for name in ("target", "open", "owner", "group", "major", "minor"):
        if plain(name) is not None:
            record[name] = plain(name)
    if node.mode is not None:
        record["mode"] = f"{node.mode:04o}"
    if node.is_complete:
        record["complete"] = True
    return record


def _process_json(process: Process) -> bytes:
    record = {
        name: list(found) if isinstance(found, tuple) else found
        for name in Process.__dataclass_fields__
        if (found := getattr(process, name)) is not None
    }
    return _as_json(record)
