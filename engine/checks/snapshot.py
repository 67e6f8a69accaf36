"""What is known of a machine at one moment: files, nodes, the process, what programs said.

The one thing that facts are read from; `live` and `recorded` make it. Separate from both so that
the difference between "is not there" and "could not be seen" is decided in one place: a path in
neither `files` nor `nodes` is absent only if its folder's listing is known to be complete.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

FORMAT = "danqing-machine-snapshot"
VERSION = 1

_MAX_LINKS = 16
"""As many links as a path may go through; sysfs needs three."""


class Presence(StrEnum):
    PRESENT = "present"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """What stat, readlink and open said of a path; None is what they did not say.

    `type` is `char`, `block`, `link`, `dir`, `file` or `absent`; `open` is `OK` or an errno name;
    `is_complete`: the folder's children are all in the snapshot.
    """

    type: str
    target: str | None = None
    open: str | None = None
    owner: str | None = None
    group: str | None = None
    mode: int | None = None
    major: int | None = None
    minor: int | None = None
    is_complete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """The process that looked: None is what it did not record."""

    sysname: str | None = None
    machine: str | None = None
    release: str | None = None
    groups: tuple[str, ...] | None = None
    groups_configured: tuple[str, ...] | None = None
    env: Mapping[str, str] | None = None
    shm_bytes: int | None = None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """A machine. Paths are absolute, with `/` even where a recording was made elsewhere."""

    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    nodes: Mapping[str, Node] = field(default_factory=dict[str, Node])
    process: Process = field(default_factory=Process)
    commands: Mapping[str, str] = field(default_factory=dict[str, str])
    is_live: bool = False

    def raw(self, path: str) -> bytes | None:
        """The file's bytes, or None whatever the reason."""
        real = self._resolve(path)
        return self.files.get(real)

    def text(self, path: str) -> str | None:
        """The file as text without the white space around it, or None whatever the reason."""
        content = self.raw(path)
        return None if content is None else content.decode("utf-8", errors="replace").strip()

    def node(self, path: str) -> Node | None:
        """What is recorded of the path itself, not of what it links to."""
        return self.nodes.get(path) or self.nodes.get(self._resolve(path, follows_last=False))

    def target(self, path: str) -> str | None:
        """The last part of what a link points to, such as a driver's name."""
        node = self.node(path)
        if node is None or node.type != "link" or not node.target:
            return None
        return posixpath.basename(node.target.rstrip("/")) or None

    def children(self, path: str) -> tuple[str, ...]:
        """The names known in a folder, in order."""
        real = self._resolve(path)
        return tuple(sorted(self._folders.get(real, ())))

    def is_complete(self, path: str) -> bool:
        """`children` are all there is, the folder's absence included."""
        node = self.nodes.get(self._resolve(path))
        return (node is not None and node.is_complete) or self.presence(path) is Presence.ABSENT

    def presence(self, path: str) -> Presence:
        """Whether the path exists; a link counts, whatever it points to."""
        if path in self.nodes:
            return self._presence(path)
        return self._presence(self._resolve(path, follows_last=False))

    def real_folder(self, path: str) -> str:
        """Where the folder really is, as far as links are recorded."""
        return self._resolve(path)

    def _presence(self, real: str) -> Presence:
        node = self.nodes.get(real)
        if node is not None and (node.type == "absent" or node.open == "ENOENT"):
            return Presence.ABSENT
        if node is not None or real in self.files or real in self._folders:
            return Presence.PRESENT
        if real == "/":
            return Presence.UNKNOWN
        parent = posixpath.dirname(real)
        if self._presence(parent) is Presence.ABSENT:
            return Presence.ABSENT
        folder = self.nodes.get(parent)
        is_known = folder is not None and folder.is_complete
        return Presence.ABSENT if is_known else Presence.UNKNOWN

    @cached_property
    def _folders(self) -> dict[str, set[str]]:
        """Every folder that anything recorded lies in, with the names known in it."""
        folders: dict[str, set[str]] = {}
        for path, node in self.nodes.items():
            if node.type != "absent":
                _add(folders, path)
                if node.type == "dir":
                    folders.setdefault(path, set())
        for path in self.files:
            _add(folders, path)
        return folders

    def _resolve(self, path: str, *, follows_last: bool = True) -> str:
        """The path with recorded links followed, but only where it is not recorded itself.

        A recording may hold a file below the link (`/sys/class/drm/card0/device/vendor`) or below
        the target; both are found.
        """
        path = posixpath.normpath(path)
        for _ in range(_MAX_LINKS):
            if path in self.files or path in self._folders:
                return path
            step = self._follow_one_link(path, follows_last=follows_last)
            if step is None:
                return path
            path = step
        return path

    def _follow_one_link(self, path: str, *, follows_last: bool) -> str | None:
        parts = path.strip("/").split("/")
        for count in range(len(parts) if follows_last else len(parts) - 1, 0, -1):
            prefix = "/" + "/".join(parts[:count])
            node = self.nodes.get(prefix)
            if node is not None and node.type == "link" and node.target:
                target = posixpath.join(posixpath.dirname(prefix), node.target)
                return posixpath.normpath(posixpath.join(target, *parts[count:]))
        return None


def _add(folders: dict[str, set[str]], path: str) -> None:
    while path not in ("/", ""):
        parent, name = posixpath.split(path)
        names = folders.setdefault(parent, set())
        if name in names:
            return
        names.add(name)
        path = parent
