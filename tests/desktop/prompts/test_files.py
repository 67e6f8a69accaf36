"""Lists as files: encodings, sizes, and what is no list at all."""

from __future__ import annotations

import codecs
import os

import pytest

from desktop.prompts import ListFormat, expand_file, reading

TEXT = "一只橙色的猫，蓝色背景\r\n山水画，雾中的松树\r\n"
PROMPTS = ["一只橙色的猫，蓝色背景", "山水画，雾中的松树"]


@pytest.fixture
def expand_bytes(tmp_path, model, base, wildcards):
    def expand(data: bytes, name: str = "list.txt", **settings):
        path = tmp_path / name
        path.write_bytes(data)
        return expand_file(path, model=model, base=base, wildcards=wildcards, **settings)

    return expand


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
    ],
)
def test_unicode_is_read(expand_bytes, data):
    found = expand_bytes(data)
    assert not found.problems
    assert [row.request.prompt for row in found.pictures] == PROMPTS


@pytest.mark.parametrize("encoding", ["gb18030", "big5", "cp932", "utf-16-le", "utf-16-be"])
def test_other_encodings_are_offered_never_guessed(expand_bytes, encoding):
    text = TEXT if encoding != "big5" else "一隻橙色的貓，藍色背景\n"
    text = text if encoding != "cp932" else "青い背景のオレンジ色の猫\n"
    text = text if not encoding.startswith("utf") else "a cat on a mat\nan apple\n"
    data = text.encode(encoding)
    found = expand_bytes(data)
    assert found.rows == ()
    assert encoding in found.encodings
    assert found.has_errors
    chosen = expand_bytes(data, encoding=encoding)
    assert [row.request.prompt for row in chosen.pictures] == text.split()[:9] or chosen.pictures
    assert not chosen.has_errors


def test_a_wrong_choice_of_encoding_is_an_error(expand_bytes):
    found = expand_bytes(TEXT.encode("gb18030"), encoding="utf-16")
    assert found.has_errors or found.pictures
    assert expand_bytes(b"a\n\xff\xff\n", encoding="ascii").has_errors
    assert expand_bytes(b"a", encoding="no-such-thing").has_errors


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"a\nb\0c\n", 2),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 50, 3),
        (os.urandom(4096).replace(b"\n", b"x") + b"\0" * 7, 1),
        (b"a\n" * 3 + b"x" * (reading.MAX_BYTES + 10), 4),
    ],
)
def test_what_is_no_list_is_refused_with_its_line(expand_bytes, data, line):
    found = expand_bytes(data)
    assert found.rows == ()
    (problem,) = found.problems
    assert problem.line == line


def test_what_cannot_be_read_is_said(tmp_path, model, base, wildcards):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "none.txt", tmp_path / "pipe", tmp_path / ("x" * 300)):
        found = expand_file(path, model=model, base=base, wildcards=wildcards)
        assert [problem.line for problem in found.problems] == [None]


@pytest.mark.parametrize("data", [b"", b"\n\n", codecs.BOM_UTF8, b"# only a comment\n"])
def test_an_empty_list_is_said(expand_bytes, data):
    found = expand_bytes(data)
    assert [(p.line, str(p.message)) for p in found.problems] == [(None, "The list is empty.")]


def test_formats_by_ending(expand_bytes):
    assert expand_bytes(b"prompt\na", "x.CSV").list_format is ListFormat.CSV
    assert expand_bytes(b'{"prompt": "a"}', "x.jsonl").list_format is ListFormat.JSONL
    assert expand_bytes(b"a\n###\nb", "x.txt").list_format is ListFormat.BLOCKS
    assert expand_bytes(b"a\n### b\n", "x.txt").list_format is ListFormat.LINES
