"""Pictures on disk: a whole file under a name of its own, or no file at all.

Owns encoding, naming and publishing. A picture is written to a hidden temporary file in the same
folder, flushed to the disk, and only then given its name, so that a crash or a full disk never
leaves half a picture. The name is given with `link`, which fails when the name is taken: unlike
`rename` it cannot overwrite, unlike `renameat2(RENAME_NOREPLACE)` Python has it, and unlike an
empty file that holds the place it shows nobody a broken picture. Where the file system has no hard
links (FAT, some network shares) the place is held by an empty file while the rename takes place.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PIL import Image

from desktop.store import name_pattern
from desktop.store.metadata import writer
from desktop.store.metadata.containers import read_contents
from desktop.store.metadata.embedding import PictureTexts, add_to_jpeg, webp_options
from desktop.store.name_pattern import Facts, Name, Pattern
from engine.port import GenerationRequest, ImageCompleted, Provenance, RgbImage

ENDING = ".png"
ENDINGS = (ENDING, ".jpg", ".jpeg", ".webp")
"""Kinds of files that pictures can be saved as; WebP without loss."""

_JPEG_QUALITY = 95

LONGEST_NAME = 255
"""Bytes: the limit of most file systems."""

_NO_HARD_LINKS = frozenset(
    {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
)


@dataclass(frozen=True, slots=True)
class Destination:
    """Where pictures go. With a `stem` they are named after it, else by the `pattern`.

    `ending` is what follows the stem: `.png` as the user wrote it.
    """

    folder: Path
    stem: str | None = None
    ending: str = ENDING
    pattern: Pattern = name_pattern.DEFAULT


def facts_of(event: ImageCompleted, job_started_at: datetime | None = None) -> Facts:
    """What the finished picture's name can be made of; the times are now's if none is given."""
    now = datetime.now().astimezone()
    return Facts(
        provenance=event.provenance,
        index=event.index,
        pixels=event.image.data,
        made_at=now,
        job_started_at=job_started_at or now,
    )


def encode(
    image: RgbImage,
    ending: str,
    provenance: Provenance | None = None,
    request: GenerationRequest | None = None,
) -> bytes:
    """`image` as a file of the kind that `ending` names; a PNG if it is none of `ENDINGS`.

    With `provenance`, both metadata texts are in it.
    """
    if ending.lower() not in ENDINGS[1:]:
        return encode_png(image, provenance, request)
    texts = None
    if provenance is not None:
        parameters = writer.parameters_text(provenance)
        texts = PictureTexts(parameters, writer.danqing_json(provenance, request))
    picture = Image.frombytes("RGB", (image.width, image.height), image.data)
    return _encode_other(picture, ending, texts)


def convert(png: bytes, ending: str) -> bytes:
    """One of our PNG files as another kind of file, its metadata texts in it.

    Raises `OSError` if it is damaged.
    """
    if ending.lower() not in ENDINGS[1:]:
        return png
    found = read_contents(io.BytesIO(png)).texts
    parameters, record = found.get(writer.PARAMETERS_KEYWORD), found.get(writer.JSON_KEYWORD)
    texts = None
    if parameters is not None and record is not None:
        texts = PictureTexts(parameters, record)
    with Image.open(io.BytesIO(png), formats=("PNG",)) as picture:
        return _encode_other(picture.convert("RGB"), ending, texts)


def _encode_other(picture: Image.Image, ending: str, texts: PictureTexts | None) -> bytes:
    buffer = io.BytesIO()
    if ending.lower() == ".webp":
        options = webp_options(texts) if texts is not None else {}
        picture.save(buffer, "WEBP", lossless=True, **options)
        return buffer.getvalue()
    picture.save(buffer, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return buffer.getvalue() if texts is None else add_to_jpeg(buffer.getvalue(), texts)


def encode_png(
    image: RgbImage,
    provenance: Provenance | None = None,
    request: GenerationRequest | None = None,
) -> bytes:
    """`image` as a PNG file; with `provenance`, both metadata texts are in it."""
    buffer = io.BytesIO()
    picture = Image.frombytes("RGB", (image.width, image.height), image.data)
    picture.save(buffer, "PNG", pnginfo=writer.png_chunks(provenance, request))
    return buffer.getvalue()


Reserve = Callable[[Path, str], None]
"""Told of the name that a file will have, and of its temporary file's token, before either is
there; told again if that name was taken meanwhile."""


def save(
    data: bytes,
    destination: Destination,
    facts: Facts | None,
    reserve: Reserve = lambda path, token: None,
) -> Path:
    """Write `data` as a new file at `destination`, made if missing; returns the file's real name.

    Never overwrites: a name that is taken, even at the last moment, is passed over for the next
    free one. `facts` may be missing where there is a stem. Raises `OSError`, and then leaves
    nothing behind.
    """
    destination.folder.mkdir(parents=True, exist_ok=True)
    folder, candidates = _named(destination, facts)
    folder.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(8)
    temporary = temporary_of(folder, token)
    is_written = False
    try:
        for path in candidates:
            if os.path.lexists(path):
                continue
            reserve(path, token)
            if not is_written:
                _write(temporary, data)
                is_written = True
            with suppress(FileExistsError):
                _publish_as(temporary, path)
                _make_lasting(path)
                return path
    except BaseException:
        # The folder itself may be gone; the first error is the one to tell.
        with suppress(OSError):
            temporary.unlink()
        raise
    raise AssertionError("the candidates have no end")


def move_to_free_name(file: Path, wanted: Path) -> Path:
    """Move a complete file to `wanted`, or to the next free name; returns it.

    Both are on one file system. Raises `OSError`, and then the file is still where it was.
    """
    name = Name("", wanted.stem, "", has_number=False)
    for path in _candidates(wanted.parent, name, wanted.suffix):
        with suppress(FileExistsError):
            _publish_as(file, path)
            _flush_folder(path.parent)
            return path
    raise AssertionError("the candidates have no end")


def complete(path: Path, token: str, digest: bytes, root: Path) -> bool:
    """After a crash: whether the file that was reserved as `path` is there, with this SHA-256.

    A file that was whole but had no name yet gets it, one that was not is removed. Raises `OSError`
    if that cannot be told, `FileNotFoundError` if `root`, which `path` is in, is away.
    """
    if not root.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(root))
    if not path.parent.is_dir():
        return False
    temporary = temporary_of(path.parent, token)
    if _has_digest(temporary, digest):
        if _is_empty(path):  # it held the place, where there are no hard links
            temporary.replace(path)
        else:
            with suppress(FileExistsError):
                _publish_as(temporary, path)
    temporary.unlink(missing_ok=True)
    _flush_folder(path.parent)
    return _has_digest(path, digest)


def temporary_of(folder: Path, token: str) -> Path:
    """Where a file is written before it has its name."""
    return folder / f".danqing-{token}.part"


def _has_digest(path: Path, digest: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest() == digest
    except (FileNotFoundError, IsADirectoryError):
        return False


def _is_empty(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size == 0
    except FileNotFoundError:
        return False


def _named(destination: Destination, facts: Facts | None) -> tuple[Path, Iterator[Path]]:
    """The picture's folder, and names in it to try, best first, without end."""
    if destination.stem is not None:
        name = Name("", destination.stem, "", has_number=False)
        return destination.folder, _candidates(destination.folder, name, destination.ending)
    if facts is None:
        raise ValueError("a pattern needs the picture's facts")
    room = longest_name(destination.folder) - len(ENDING)
    name = destination.pattern.name(facts, room)
    folder = destination.folder / name.folder
    return folder, _candidates(folder, name, ENDING)


def longest_name(folder: Path) -> int:
    """How many bytes a file's name may have in `folder`: 255, or 143 where names are encrypted."""
    try:
        longest = os.pathconf(folder, "PC_NAME_MAX")
    except OSError:
        return LONGEST_NAME
    return min(longest, LONGEST_NAME) if longest > 0 else LONGEST_NAME


def _candidates(folder: Path, name: Name, ending: str) -> Iterator[Path]:
    number = _last_number(folder, name.before) if name.has_number else 0
    while True:
        number += 1
        yield folder / (name.stem(number) + ending)


def _last_number(folder: Path, prefix: str) -> int:
    numbered = re.compile(re.escape(prefix) + r"([0-9]{4,9})(?![0-9])")
    with os.scandir(folder) as entries:
        found = (numbered.match(entry.name) for entry in entries)
        return max((int(match[1]) for match in found if match), default=0)


def _write(path: Path, data: bytes) -> None:
    # Mode 0o666: the user's umask decides, as for any picture that a program saves.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _publish_as(temporary: Path, path: Path) -> None:
    """Give the file the name `path`; raises `FileExistsError` when the name is taken."""
    try:
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
    else:
        temporary.unlink()
        return
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666))
    try:
        temporary.replace(path)
    except BaseException:
        path.unlink()
        raise


def _make_lasting(path: Path) -> None:
    """Flush a new name to the disk; if that fails, the name is given back."""
    try:
        _flush_folder(path.parent)
    except BaseException:
        path.unlink()
        raise


def _flush_folder(folder: Path) -> None:
    """Have the new name itself survive a power cut."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except PermissionError:
        # Writing into a folder needs no right to read it; then it cannot be flushed either.
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network and FUSE file systems cannot flush a folder; the picture itself is safe.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(descriptor)
