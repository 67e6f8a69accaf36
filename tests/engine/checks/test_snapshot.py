"""What is absent and what is merely unknown; links; numbers that nobody checked."""

from __future__ import annotations

import pytest

from engine.checks import values
from engine.checks.snapshot import Node, Presence, Snapshot


def test_absence_needs_a_complete_listing():
    snapshot = Snapshot(nodes={"/dev": Node(type="dir", is_complete=True)}, files={"/sys/a": b"1"})
    assert snapshot.presence("/dev/kfd") is Presence.ABSENT
    assert snapshot.presence("/dev/dri/card0") is Presence.ABSENT
    assert snapshot.presence("/sys/a") is Presence.PRESENT
    assert snapshot.presence("/sys/b") is Presence.UNKNOWN
    assert snapshot.presence("/proc/c") is Presence.UNKNOWN


def test_a_path_that_was_looked_for_and_not_found():
    snapshot = Snapshot(nodes={"/a": Node(type="absent"), "/b": Node(type="file", open="ENOENT")})
    assert snapshot.presence("/a") is Presence.ABSENT
    assert snapshot.presence("/a/below") is Presence.ABSENT
    assert snapshot.presence("/b") is Presence.ABSENT


def test_a_file_that_could_not_be_read_exists():
    snapshot = Snapshot(nodes={"/boot/config": Node(type="file", open="EACCES")})
    assert snapshot.presence("/boot/config") is Presence.PRESENT
    assert snapshot.text("/boot/config") is None


def test_files_are_found_on_both_sides_of_a_link():
    link = {"/sys/class/drm/card0/device": Node(type="link", target="../../../devices/x")}
    behind = Snapshot(nodes=link, files={"/sys/devices/x/vendor": b"0x1002\n"})
    assert behind.text("/sys/class/drm/card0/device/vendor") == "0x1002"
    before = Snapshot(nodes=link, files={"/sys/class/drm/card0/device/vendor": b"0x1002"})
    assert before.text("/sys/class/drm/card0/device/vendor") == "0x1002"
    assert before.children("/sys/class/drm/card0/device") == ("vendor",)


def test_links_in_a_circle_end():
    circle = Snapshot(
        nodes={"/a": Node(type="link", target="/b"), "/b": Node(type="link", target="/a")}
    )
    assert circle.text("/a/file") is None
    assert circle.presence("/a/file") is Presence.UNKNOWN


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", 12),
        ("0x1F", 31),
        (" 7\n", 7),
        ("-1", None),
        ("", None),
        (None, None),
        ("9" * 5000, None),
        ("99999999999999999999", None),
        ("0x" + "f" * 17, None),
        ("1e9", None),
        ("١٢", None),
    ],
)
def test_whole_numbers(text, number):
    assert values.whole(text) == number


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("6.14.0-29-generic", (6, 14, 0)),
        ("6.4.1-83", (6, 4, 1)),
        ("7.1", (7, 1)),
        ("5.4.0-54-generic", (5, 4, 0)),
        ("999999.1", None),
        ("123.1", None),
        ("generic", None),
        (None, None),
    ],
)
def test_versions(text, numbers):
    assert values.version(text) == numbers


@pytest.mark.parametrize(
    ("location", "address"),
    [(768, "0000:03:00.0"), (3328, "0000:0d:00.0"), (37632, "0000:93:00.0")],
)
def test_addresses_of_locations(location, address):
    assert values.pci_address_of(location) == address
