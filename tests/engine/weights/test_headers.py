"""One file: what it says of itself, and everything else that may lie in its place."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from safetensors import safe_open

from engine.port import EngineError, EngineFault, ErrorCode
from engine.weights.faults import Reason
from engine.weights.headers import read_header
from tests.engine.weights.stored import entry, file_bytes, safetensors, write


def refusal(path: Path) -> EngineError:
    with pytest.raises(EngineFault) as caught:
        read_header(path)
    error = caught.value.error
    assert error.facts.get("file", error.facts.get("path")) == str(path)
    return error


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


def test_a_right_file_is_described(path: Path) -> None:
    write(path, {"a": np.zeros((2, 3), np.float32), "b": np.zeros((), np.float16)})
    tensors = read_header(path)
    size = path.stat().st_size
    assert {name: (t.dtype, t.shape, t.size_bytes) for name, t in tensors.items()} == {
        "a": ("F32", (2, 3), 24),
        "b": ("F16", (), 2),
    }
    assert tensors["a"].end == tensors["b"].begin
    assert tensors["b"].end == size


def zip_of_a_pickle() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02}q\x00.")
    return buffer.getvalue()


LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
WHOLE = safetensors({"a": np.zeros((4, 4), np.float32)})
C, U, S = ErrorCode.MODEL_CORRUPT, ErrorCode.MODEL_UNSUPPORTED, ErrorCode.MODEL_UNSAFE

IMPOSTORS = {
    "empty": (b"", C, Reason.EMPTY),
    "three bytes": (b"abc", C, Reason.TRUNCATED),
    "length only": (WHOLE[:8], C, Reason.TRUNCATED),
    "half a header": (WHOLE[:40], C, Reason.HEADER_LARGER_THAN_FILE),
    "half the data": (WHOLE[:-30], C, Reason.TRUNCATED),
    "one byte short": (WHOLE[:-1], C, Reason.TRUNCATED),
    "one byte long": (WHOLE + b"\0", C, Reason.TRAILING_BYTES),
    "huge length": (b"\xff" * 8 + b"{}", C, Reason.HEADER_LARGER_THAN_FILE),
    "lfs pointer": (LFS, C, Reason.LFS_POINTER),
    "html": (b"<!DOCTYPE html><html>Sign in</html>", C, Reason.HTML_PAGE),
    "html after blanks": (b"\xef\xbb\xbf\r\n <HTML lang=en>", C, Reason.HTML_PAGE),
    "xml": (b"<?xml version='1.0'?><Error>NoSuchKey</Error>", C, Reason.HTML_PAGE),
    "pickle": (b"\x80\x02}q\x00X\x05\x00\x00\x00modelq\x01.", S, Reason.PICKLE_CONTENT),
    "newer pickle": (b"\x80\x05\x95\x10\x00\x00\x00\x00\x00\x00\x00.", S, Reason.PICKLE_CONTENT),
    "zip": (zip_of_a_pickle(), S, Reason.PICKLE_CONTENT),
    "gguf": (b"GGUF\x03\x00\x00\x00" + b"\x00" * 16, U, Reason.GGUF),
    "noise": (b"\x01\x02" * 100, C, Reason.NOT_SAFETENSORS),
    "zeros": (b"\x00" * 100, C, Reason.NOT_SAFETENSORS),
    "no json": (file_bytes(b"{not json}"), C, Reason.HEADER_INVALID),
    "no utf-8": (file_bytes(b'{"\xff\xfe": 1}'), C, Reason.HEADER_INVALID),
    "utf-16": (file_bytes("{}".encode("utf-16-le")), C, Reason.HEADER_INVALID),
    "deep json": (file_bytes(b'{"a":' * 100_000), C, Reason.HEADER_INVALID),
    "long number": (file_bytes(b'{"a":' + b"9" * 10_000 + b"}"), C, Reason.HEADER_INVALID),
    "entry is a list": (file_bytes({"a": []}), C, Reason.HEADER_INVALID),
    "no offsets": (file_bytes({"a": {"dtype": "F32", "shape": []}}), C, Reason.HEADER_INVALID),
    "negative side": (file_bytes({"a": entry([-1], 0, 4)}, b"1234"), C, Reason.HEADER_INVALID),
    "side is true": (file_bytes({"a": entry([True], 0, 4)}, b"1234"), C, Reason.HEADER_INVALID),
    "side is 1.0": (file_bytes({"a": entry([1.0], 0, 4)}, b"1234"), C, Reason.HEADER_INVALID),  # pyright: ignore[reportArgumentType]
    "range backwards": (file_bytes({"a": entry([1], 4, 0)}, b"1234"), C, Reason.HEADER_INVALID),
    "range too small": (file_bytes({"a": entry([2], 0, 4)}, b"1234"), C, Reason.HEADER_INVALID),
    "shape overflows": (
        file_bytes({"a": entry([2**62, 2**62, 4], 0, 4)}, b"1234"),
        C,
        Reason.HEADER_INVALID,
    ),
    "future dtype": (file_bytes({"a": entry([1], 0, 4, "X32")}, b"1234"), U, Reason.TENSOR_DTYPE),
    "gap": (file_bytes({"a": entry([1], 4, 8)}, b"12345678"), C, Reason.HEADER_INVALID),
    "overlap": (
        file_bytes({"a": entry([1], 0, 4), "b": entry([1], 2, 6)}, b"123456"),
        C,
        Reason.HEADER_INVALID,
    ),
    "same name twice": (
        file_bytes(b'{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"a":{}}', b"1"),
        C,
        Reason.DUPLICATE_TENSOR,
    ),
}


@pytest.mark.parametrize(("content", "code", "reason"), IMPOSTORS.values(), ids=IMPOSTORS.keys())
def test_each_impostor_is_told_by_name(
    path: Path, content: bytes, code: ErrorCode, reason: Reason
) -> None:
    path.write_bytes(content)
    error = refusal(path)
    assert (error.code, error.facts["reason"]) == (code, reason)


def test_truncation_says_how_much_is_there_and_how_much_should_be(path: Path) -> None:
    path.write_bytes(WHOLE[:-30])
    facts = refusal(path).facts
    assert facts["size_bytes"] == len(WHOLE) - 30
    assert facts["expected_bytes"] == len(WHOLE)


def test_a_header_that_begins_like_a_pickle_is_still_a_header(path: Path) -> None:
    """A length of 0x0280 bytes has a pickle's two first bytes."""
    text = b'{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}'.ljust(0x0280)
    path.write_bytes(file_bytes(text, b"1"))
    assert path.read_bytes()[:2] == b"\x80\x02"
    assert list(read_header(path)) == ["a"]


@pytest.mark.parametrize(
    "name", ["m.ckpt", "m.pt", "m.pth", "m.bin", "m.pdparams", "m.PT", "m.pkl", "m.pdmodel"]
)
def test_pickles_are_refused_by_name_without_being_opened(tmp_path: Path, name: str) -> None:
    error = refusal(tmp_path / name)  # not even there: the name is enough
    assert (error.code, error.facts["reason"]) == (S, Reason.PICKLE_NAME)


def test_an_absent_file_is_missing(path: Path) -> None:
    assert refusal(path).code is ErrorCode.MODEL_MISSING


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_a_forbidden_file_is_unreadable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(WHOLE)
    path.chmod(0)
    if os.access(path, os.R_OK):  # root may read anything: let the system's refusal be acted
        refuse = PermissionError(13, "Permission denied", str(path))

        def denied(*_: Any) -> int:
            raise refuse

        monkeypatch.setattr(os, "open", denied)
    error = refusal(path)
    assert error.code is ErrorCode.MODEL_UNREADABLE
    assert error.facts["reason"] == Reason.PERMISSION_DENIED


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_a_folder_or_a_pipe_is_unreadable_and_does_not_block(path: Path, make: Any) -> None:
    make(path)
    error = refusal(path)
    assert error.code is ErrorCode.MODEL_UNREADABLE
    assert error.facts["reason"] == Reason.NOT_A_FILE


def test_a_link_to_itself_is_named(path: Path) -> None:
    path.symlink_to(path.name)
    error = refusal(path)
    assert error.code is ErrorCode.MODEL_UNREADABLE
    assert error.facts["reason"] == Reason.LINK_LOOP


# --- hostile input --------------------------------------------------------------------------------

NUMBERS = st.one_of(
    st.integers(-2, 40), st.integers(2**31 - 2, 2**66), st.floats(), st.booleans(), st.none()
)
ENTRIES = st.one_of(
    st.fixed_dictionaries(
        {
            "dtype": st.sampled_from(["F32", "BF16", "I64", "F4", "X9", "", 3]),
            "shape": st.lists(NUMBERS, max_size=4),
            "data_offsets": st.lists(NUMBERS, min_size=1, max_size=3),
        }
    ),
    st.recursive(NUMBERS, lambda inner: st.lists(inner, max_size=2), max_leaves=4),
)
HEADERS = st.dictionaries(st.text(max_size=5), ENTRIES, max_size=4)


def judge(path: Path, content: bytes) -> None:
    """Whatever the content, the answer is a description or an `EngineFault`, and never wrong."""
    path.write_bytes(content)
    error, tensors = None, {}
    try:
        tensors = read_header(path)
    except EngineFault as fault:
        error = fault.error
    assert error is None or error.facts["reason"] in set(Reason)
    assert all(0 < t.begin <= t.end <= len(content) for t in tensors.values())


BOUNDED = settings(
    max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@BOUNDED
@given(content=st.binary(max_size=600))
def test_any_bytes_are_judged(path: Path, content: bytes) -> None:
    judge(path, content)


@BOUNDED
@given(header=HEADERS, data=st.binary(max_size=80))
def test_any_header_is_judged(path: Path, header: dict[str, Any], data: bytes) -> None:
    judge(path, file_bytes(header, data))


@BOUNDED
@given(position=st.integers(0, len(WHOLE) - 1), value=st.integers(0, 255))
@example(position=0, value=0xFF)
def test_any_flipped_byte_is_judged_as_the_library_does(
    path: Path, position: int, value: int
) -> None:
    """We are at least as strict as safetensors itself, which reads the data later."""
    content = bytearray(WHOLE)
    content[position] = value
    judge(path, bytes(content))
    try:
        ours = set(read_header(path))
    except EngineFault:
        return
    with safe_open(path, framework="numpy") as file:
        assert set(file.keys()) == ours
