"""The words for everything that can go wrong: one summary and one remedy per `ErrorCode`.

Owned here because the engine reports codes and facts only. The sources are English and marked with
`QT_TRANSLATE_NOOP`, which `pyside6-lupdate` finds by that name; the lookup comes in as a function,
so that the window passes `QCoreApplication.translate` and the command line needs no Qt.

A code has several wordings, the most telling first; the first one whose placeholders all have a
fact is used, and the last has none. So a fact that the engine did not know never reaches the user
as a hole in a sentence.
"""

from __future__ import annotations

import errno
import os
import string
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.port import EngineError, ErrorCode

if TYPE_CHECKING:
    from pathlib import Path

    from desktop.store.database import DatabaseTrouble, SetAside
    from desktop.store.free_space import Room
    from desktop.store.name_pattern import PatternError

CONTEXT = "Messages"

Translate = Callable[[str, str], str]
"""Context and source text to text in the user's language."""


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark `text` for translation; returns it unchanged."""
    return text


def untranslated(context: str, text: str) -> str:
    """The source text itself: what the command line speaks."""
    return text


@dataclass(frozen=True, slots=True)
class Message:
    """What happened, and what the user can do about it (may be empty)."""

    summary: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.summary} {self.remedy}".rstrip()


@dataclass(frozen=True, slots=True)
class Wording:
    """Source texts with named placeholders for the facts of an `EngineError`."""

    summary: str
    remedy: str = ""

    def placeholders(self) -> frozenset[str]:
        """The facts that this wording needs."""
        parsed = string.Formatter().parse(self.summary + self.remedy)
        return frozenset(name for _, name, _, _ in parsed if name is not None)


WEIGHT_REASONS: Mapping[str, str] = {
    "permission_denied": QT_TRANSLATE_NOOP("Messages", "reading it is not permitted"),
    "not_a_file": QT_TRANSLATE_NOOP("Messages", "it is not a file"),
    "link_loop": QT_TRANSLATE_NOOP("Messages", "it is a link that leads back to itself"),
    "read_error": QT_TRANSLATE_NOOP("Messages", "the disk reports an error"),
    "pickle_name": QT_TRANSLATE_NOOP("Messages", "its name says that it is a pickle"),
    "pickle_content": QT_TRANSLATE_NOOP("Messages", "it is a pickle, whatever its name says"),
    "empty": QT_TRANSLATE_NOOP("Messages", "it is empty"),
    "lfs_pointer": QT_TRANSLATE_NOOP(
        "Messages", "it is a Git LFS pointer, a small stand-in for the real file"
    ),
    "html_page": QT_TRANSLATE_NOOP(
        "Messages", "it is a web page that was saved in place of the file"
    ),
    "truncated": QT_TRANSLATE_NOOP("Messages", "it is cut off"),
    "header_larger_than_file": QT_TRANSLATE_NOOP(
        "Messages", "it is cut off, or no safetensors file"
    ),
    "not_safetensors": QT_TRANSLATE_NOOP("Messages", "it is no safetensors file"),
    "header_invalid": QT_TRANSLATE_NOOP("Messages", "its table of contents cannot be read"),
    "trailing_bytes": QT_TRANSLATE_NOOP(
        "Messages", "there is more in it than its table of contents says"
    ),
    "index_invalid": QT_TRANSLATE_NOOP("Messages", "this list of files cannot be read"),
    "path_outside": QT_TRANSLATE_NOOP("Messages", "it names a file outside its own folder"),
    "shard_missing": QT_TRANSLATE_NOOP("Messages", "a file that it names is not there"),
    "index_missing": QT_TRANSLATE_NOOP(
        "Messages", "the list of its parts (…index.json) is not there"
    ),
    "ambiguous_files": QT_TRANSLATE_NOOP(
        "Messages", "there are several weight files, and none has the usual name"
    ),
    "duplicate_tensor": QT_TRANSLATE_NOOP("Messages", "a tensor is in it twice"),
    "tensor_missing": QT_TRANSLATE_NOOP("Messages", "a tensor is missing"),
    "tensor_unexpected": QT_TRANSLATE_NOOP(
        "Messages", "it holds a tensor that this model does not have"
    ),
    "tensor_shape": QT_TRANSLATE_NOOP("Messages", "a tensor has the wrong shape"),
    "tensor_dtype": QT_TRANSLATE_NOOP("Messages", "its number format cannot be used"),
    "gguf": QT_TRANSLATE_NOOP("Messages", "it is a GGUF file"),
    "wrong_architecture": QT_TRANSLATE_NOOP("Messages", "it is another kind of network"),
    "tokens_unknown": QT_TRANSLATE_NOOP(
        "Messages", "it has tokens that the text encoder does not know"
    ),
    "tensor_not_finite": QT_TRANSLATE_NOOP("Messages", "a tensor holds values that are no numbers"),
    "config_value": QT_TRANSLATE_NOOP("Messages", "a value in it is not one that Danqing can use"),
    "parts_differ": QT_TRANSLATE_NOOP("Messages", "its parts do not fit together"),
    "config_invalid": QT_TRANSLATE_NOOP("Messages", "this configuration cannot be read"),
    "manifest_invalid": QT_TRANSLATE_NOOP(
        "Messages", "this description of the model cannot be read"
    ),
    "single_file": QT_TRANSLATE_NOOP("Messages", "it is one file, and a model is a folder"),
    "other_pipeline": QT_TRANSLATE_NOOP("Messages", "it is another kind of model"),
    "component_only": QT_TRANSLATE_NOOP("Messages", "it is one part of a model, not a whole one"),
    "folder_empty": QT_TRANSLATE_NOOP("Messages", "the folder is empty"),
    "no_model_index": QT_TRANSLATE_NOOP("Messages", "there is no model_index.json in it"),
}
"""Words for `engine.weights.faults.Reason`; a reason that is not listed is shown as it is."""

DEVICE_REASONS: Mapping[str, str] = {
    "cpu_build": QT_TRANSLATE_NOOP(
        "Messages", "the installed PaddlePaddle computes on the CPU only"
    ),
    "no_device": QT_TRANSLATE_NOOP("Messages", "there is no such device"),
    "not_checked": QT_TRANSLATE_NOOP(
        "Messages", "the check of this machine has not allowed it yet"
    ),
    "no_kernels": QT_TRANSLATE_NOOP(
        "Messages", "the installed PaddlePaddle has no kernels for this kind of GPU"
    ),
    "number_unknown": QT_TRANSLATE_NOOP(
        "Messages",
        "its number cannot be told. Unset GPU_DEVICE_ORDINAL, and all but one of "
        "HIP_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES",
    ),
}
"""Words for the `reason` of DEVICE_UNAVAILABLE."""

SNAPSHOT_REASONS: Mapping[str, str] = {
    "no_snapshot": QT_TRANSLATE_NOOP("Messages", "it is no recording of a machine"),
    "newer_format": QT_TRANSLATE_NOOP("Messages", "a newer Danqing has recorded it"),
    "path_outside": QT_TRANSLATE_NOOP("Messages", "it names a file outside its own folder"),
    "too_large": QT_TRANSLATE_NOOP("Messages", "it is too large for a recording of a machine"),
    "damaged": QT_TRANSLATE_NOOP("Messages", "it is damaged"),
}
"""Words for `engine.checks.recorded.Reason`; a reason that is not listed is shown as it is."""

PHASES: Mapping[str, str] = {
    "load": QT_TRANSLATE_NOOP("Messages", "loading the model"),
    "encode": QT_TRANSLATE_NOOP("Messages", "reading the prompt"),
    "denoise": QT_TRANSLATE_NOOP("Messages", "drawing"),
    "decode": QT_TRANSLATE_NOOP("Messages", "developing the picture"),
    "idle": QT_TRANSLATE_NOOP("Messages", "waiting"),
}
"""Words for `engine.port.Phase`, and for what an engine without a job does."""

_FETCH_AGAIN = QT_TRANSLATE_NOOP("Messages", "Get the file again from where the model came from.")
_MODEL_FOLDER = QT_TRANSLATE_NOOP(
    "Messages", "Choose a folder that holds a model_index.json and the model's parts."
)
_ERNIE_ONLY = QT_TRANSLATE_NOOP("Messages", "Danqing draws with ERNIE-Image models in folders.")
_LESS_MEMORY = QT_TRANSLATE_NOOP(
    "Messages", "Make the picture smaller, close other programs, or use another model."
)
_ANOTHER_FOLDER = QT_TRANSLATE_NOOP("Messages", "Choose another folder.")
_TRY_AGAIN = QT_TRANSLATE_NOOP("Messages", "Try again; if it happens again, please report it.")

WORDINGS: Mapping[ErrorCode, tuple[Wording, ...]] = {
    ErrorCode.MODEL_MISSING: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "There is no model “{model}”."),
            QT_TRANSLATE_NOOP("Messages", "Known models: {known}. A folder works too."),
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{path} is no model: {reason}."),
            _MODEL_FOLDER,
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "There is nothing at {path}."), _MODEL_FOLDER),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "The model is not there."),
            QT_TRANSLATE_NOOP("Messages", "Choose another model."),
        ),
    ),
    ErrorCode.MODEL_UNREADABLE: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{file} cannot be read: {reason} ({detail})."),
            QT_TRANSLATE_NOOP("Messages", "Check the file's permissions and the disk."),
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{file} cannot be read: {reason}."),
            QT_TRANSLATE_NOOP("Messages", "Check the file's permissions and the disk."),
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "A file of the model cannot be read."),
            QT_TRANSLATE_NOOP("Messages", "Check the files' permissions and the disk."),
        ),
    ),
    ErrorCode.MODEL_CORRUPT: (
        Wording(
            QT_TRANSLATE_NOOP(
                "Messages",
                "{file} does not fit: {reason} ({tensor}: {found} where {expected} is needed).",
            ),
            _FETCH_AGAIN,
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{file} does not fit: {reason} ({tensor})."), _FETCH_AGAIN
        ),
        Wording(
            QT_TRANSLATE_NOOP(
                "Messages", "{file} is damaged: {reason} ({size_bytes} of {expected_bytes})."
            ),
            _FETCH_AGAIN,
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "{file}: {reason} ({entry})."), _FETCH_AGAIN),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{file} is damaged: {reason} ({detail})."), _FETCH_AGAIN
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "{file} is damaged: {reason}."), _FETCH_AGAIN),
        Wording(QT_TRANSLATE_NOOP("Messages", "A file of the model is damaged."), _FETCH_AGAIN),
    ),
    ErrorCode.MODEL_UNSUPPORTED: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{file} cannot be used: {reason} ({found})."), _ERNIE_ONLY
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{file} cannot be used: it is {found}."), _ERNIE_ONLY
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "{file} cannot be used: {reason}."), _ERNIE_ONLY),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "This is a kind of model that cannot be used."),
            _ERNIE_ONLY,
        ),
    ),
    ErrorCode.MODEL_UNSAFE: (
        Wording(
            QT_TRANSLATE_NOOP(
                "Messages",
                "{file} was not opened: files of this kind can run programs when they are read.",
            ),
            QT_TRANSLATE_NOOP("Messages", "Get the model as .safetensors files."),
        ),
        Wording(
            QT_TRANSLATE_NOOP(
                "Messages",
                "The model was not opened: its files can run programs when they are read.",
            ),
            QT_TRANSLATE_NOOP("Messages", "Get the model as .safetensors files."),
        ),
    ),
    ErrorCode.VALUE_NOT_ALLOWED: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{name}: {value} is not allowed."),
            QT_TRANSLATE_NOOP("Messages", "Allowed: {allowed}."),
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "{name}: {value} is not allowed.")),
        Wording(QT_TRANSLATE_NOOP("Messages", "A value is not allowed.")),
    ),
    ErrorCode.SIZE_NOT_ALLOWED: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "This model cannot draw {width}x{height}."),
            QT_TRANSLATE_NOOP("Messages", "Allowed: {allowed}."),
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "This model cannot draw {width}x{height}.")),
        Wording(QT_TRANSLATE_NOOP("Messages", "This model cannot draw this size.")),
    ),
    ErrorCode.OUT_OF_MEMORY: (
        Wording(
            QT_TRANSLATE_NOOP(
                "Messages",
                "Not enough memory on {device} while {phase}: "
                "{needed_bytes} needed, {free_bytes} free.",
            ),
            _LESS_MEMORY,
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "Not enough memory on {device} while {phase}."),
            _LESS_MEMORY,
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "Not enough memory."), _LESS_MEMORY),
    ),
    ErrorCode.DEVICE_UNAVAILABLE: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{device} cannot be used: {reason}."),
            QT_TRANSLATE_NOOP("Messages", "Use the CPU instead: it works on every machine."),
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "The device cannot be used."),
            QT_TRANSLATE_NOOP("Messages", "Use the CPU instead: it works on every machine."),
        ),
    ),
    ErrorCode.DEVICE_LOST: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{device} stopped answering while {phase}."),
            QT_TRANSLATE_NOOP(
                "Messages",
                "Restart Danqing; if it happens again, look for a GPU reset in the system's log.",
            ),
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "The device stopped answering."),
            QT_TRANSLATE_NOOP(
                "Messages",
                "Restart Danqing; if it happens again, look for a GPU reset in the system's log.",
            ),
        ),
    ),
    ErrorCode.NON_FINITE_LATENT: (
        Wording(
            QT_TRANSLATE_NOOP(
                "Messages",
                "The computation went out of range while {phase}, at step {step}: "
                "there is no picture.",
            ),
            QT_TRANSLATE_NOOP("Messages", "Lower the guidance, or use the other sampler."),
        ),
        Wording(
            QT_TRANSLATE_NOOP(
                "Messages", "The computation went out of range: there is no picture."
            ),
            QT_TRANSLATE_NOOP("Messages", "Lower the guidance, or use the other sampler."),
        ),
    ),
    ErrorCode.LIBRARY_MISSING: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "The library {library} cannot be loaded: {reason}."),
            QT_TRANSLATE_NOOP("Messages", "Install Danqing again."),
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "A library that Danqing needs cannot be loaded."),
            QT_TRANSLATE_NOOP("Messages", "Install Danqing again."),
        ),
    ),
    ErrorCode.SNAPSHOT_UNREADABLE: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{file} cannot be opened: {reason}."),
            QT_TRANSLATE_NOOP("Messages", "danqing check --bundle FILE.zip records a machine."),
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "This recording of a machine cannot be opened."),
            QT_TRANSLATE_NOOP("Messages", "danqing check --bundle FILE.zip records a machine."),
        ),
    ),
    ErrorCode.FILE_NOT_WRITTEN: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "{file} cannot be written: {reason}."), _ANOTHER_FOLDER
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "A file cannot be written."), _ANOTHER_FOLDER),
    ),
    ErrorCode.PROMPT_TRUNCATED: (
        Wording(
            QT_TRANSLATE_NOOP(
                "Messages",
                "The text is longer than the model reads: the first {tokens} tokens count.",
            ),
            QT_TRANSLATE_NOOP("Messages", "Shorten the text, or put what matters first."),
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "The text is longer than the model reads.")),
    ),
    ErrorCode.ENGINE_STOPPED: (
        Wording(
            QT_TRANSLATE_NOOP("Messages", "The engine stopped before the picture was made."),
            QT_TRANSLATE_NOOP("Messages", "Start Danqing again."),
        ),
    ),
    ErrorCode.BUG: (
        Wording(
            QT_TRANSLATE_NOOP(
                "Messages", "Something in Danqing is broken ({exception}); the details are in {log}"
            ),
        ),
        Wording(
            QT_TRANSLATE_NOOP("Messages", "Something in Danqing is broken ({exception})."),
            _TRY_AGAIN,
        ),
        Wording(QT_TRANSLATE_NOOP("Messages", "Something in Danqing is broken."), _TRY_AGAIN),
    ),
}

_TELLING_DETAILS = frozenset({"read_error", "config_invalid", "manifest_invalid"})
"""Reasons that say less than the technical text beside them: what the user can mend is in it."""

_BIDI_CONTROLS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def describe(error: EngineError, translate: Translate = untranslated) -> Message:
    """Put `error` into words, in the language of `translate`.

    A caller that knows the log file adds it to a BUG's facts as `log`.
    """
    facts = _facts_in_words(error, translate)
    wording = next(w for w in WORDINGS[error.code] if w.placeholders() <= facts.keys())
    return Message(
        summary=translate(CONTEXT, wording.summary).format_map(facts),
        remedy=translate(CONTEXT, wording.remedy).format_map(facts) if wording.remedy else "",
    )


def _facts_in_words(error: EngineError, translate: Translate) -> dict[str, str]:
    facts = {name: printable(str(value)) for name, value in error.facts.items() if value != ""}
    if error.detail and facts.get("reason") in _TELLING_DETAILS:
        facts["detail"] = printable(error.detail)
    in_words = (
        ("reason", WEIGHT_REASONS),
        ("reason", DEVICE_REASONS),
        ("reason", SNAPSHOT_REASONS),
        ("phase", PHASES),
    )
    for name, words in in_words:
        if facts.get(name) in words:
            facts[name] = translate(CONTEXT, words[facts[name]])
    for name, value in error.facts.items():
        if name.endswith("_bytes") and isinstance(value, int | float):
            facts[name] = byte_size(value)
    if facts.get("size_bytes") == facts.get("expected_bytes"):
        # Rounded they are the same; the few bytes between them are the fault.
        for name in error.facts.keys() & {"size_bytes", "expected_bytes"}:
            facts[name] = f"{error.facts[name]} B"
    return facts


def printable(text: str) -> str:
    """`text` with escapes for what a terminal would obey or a reader could not see.

    Names, ids and paths come from files of unknown origin: a control character in one may colour,
    move or forge what stands on the screen.
    """
    return "".join(
        c.encode("unicode_escape", "backslashreplace").decode("ascii") if _is_hidden(c) else c
        for c in text
    )


def _is_hidden(character: str) -> bool:
    is_control = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
    return is_control or unicodedata.bidirectional(character) in _BIDI_CONTROLS


def byte_size(amount: float) -> str:
    """`amount` bytes for people: `512 MB`, `1.5 GB` (powers of ten, as file managers count)."""
    for unit in ("B", "kB", "MB"):
        if amount < 999.5:
            return f"{amount:.0f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


# --- files that cannot be written -----------------------------------------------------------------

SAVE_REASONS: Mapping[int, Wording] = {
    errno.ENOSPC: Wording(
        QT_TRANSLATE_NOOP("Messages", "The disk of {path} is full."),
        QT_TRANSLATE_NOOP("Messages", "Free some space, or choose another folder."),
    ),
    errno.EDQUOT: Wording(
        QT_TRANSLATE_NOOP("Messages", "Your share of the disk of {path} is used up."),
        QT_TRANSLATE_NOOP("Messages", "Free some space, or choose another folder."),
    ),
    errno.EROFS: Wording(
        QT_TRANSLATE_NOOP("Messages", "The disk of {path} can only be read."), _ANOTHER_FOLDER
    ),
    errno.EACCES: Wording(
        QT_TRANSLATE_NOOP("Messages", "Writing to {path} is not permitted."), _ANOTHER_FOLDER
    ),
    errno.EPERM: Wording(
        QT_TRANSLATE_NOOP("Messages", "Writing to {path} is not permitted."), _ANOTHER_FOLDER
    ),
    errno.ENOTDIR: Wording(
        QT_TRANSLATE_NOOP("Messages", "{path} is not a folder."), _ANOTHER_FOLDER
    ),
    errno.EEXIST: Wording(
        QT_TRANSLATE_NOOP("Messages", "{path} is not a folder."), _ANOTHER_FOLDER
    ),
    errno.ENOENT: Wording(
        QT_TRANSLATE_NOOP("Messages", "The folder {path} is gone."), _ANOTHER_FOLDER
    ),
    errno.ENAMETOOLONG: Wording(
        QT_TRANSLATE_NOOP("Messages", "The name of the picture is too long for {path}."),
        QT_TRANSLATE_NOOP("Messages", "Choose a shorter name."),
    ),
}
"""Why a picture could not be saved in the folder `path`, by `errno`."""

_SAVE_FAILED = Wording(
    QT_TRANSLATE_NOOP("Messages", "The picture cannot be saved in {path}: {reason}."),
    _ANOTHER_FOLDER,
)


_NOT_TRASHED = Wording(
    QT_TRANSLATE_NOOP("Messages", "{path} cannot be moved to the trash: {reason}."),
    QT_TRANSLATE_NOOP(
        "Messages",
        "It is still where it was. There may be no trash on its disk: "
        "then it can be deleted in the file manager, for good.",
    ),
)
_NOT_RESTORED = Wording(
    QT_TRANSLATE_NOOP("Messages", "{path} cannot be put back: {reason}."),
    QT_TRANSLATE_NOOP("Messages", "It is still in the trash."),
)
_NOT_IN_TRASH = Wording(
    QT_TRANSLATE_NOOP("Messages", "{path} cannot be put back: it is no longer in the trash."),
    QT_TRANSLATE_NOOP("Messages", "The trash was emptied meanwhile, or somebody has restored it."),
)
_NO_FILES_THERE = Wording(
    QT_TRANSLATE_NOOP("Messages", "No files can be made in {path}."), _ANOTHER_FOLDER
)
"""Folders such as /proc: they are there, and say that what is made in them is not."""


def describe_save_failure(
    error: OSError, path: str, translate: Translate = untranslated
) -> Message:
    """Put into words why a picture could not be saved in the folder `path`."""
    wording = SAVE_REASONS.get(error.errno or 0, _SAVE_FAILED)
    if error.errno == errno.ENOENT and os.path.isdir(path):  # noqa: PTH112 - text of any origin
        wording = _NO_FILES_THERE
    facts = {"path": printable(path), "reason": error.strerror or type(error).__name__}
    return Message(
        summary=translate(CONTEXT, wording.summary).format_map(facts),
        remedy=translate(CONTEXT, wording.remedy).format_map(facts),
    )


_TOO_FULL = Wording(
    QT_TRANSLATE_NOOP(
        "Messages",
        "The disk of {path} has too little room: about {needed_bytes} needed, {free_bytes} free.",
    ),
    QT_TRANSLATE_NOOP(
        "Messages",
        "Free some space, choose another folder, or make fewer pictures: there is room for {fits}.",
    ),
)
_TOO_MANY_FILES = Wording(
    QT_TRANSLATE_NOOP("Messages", "The disk of {path} takes only {free_files} more files."),
    QT_TRANSLATE_NOOP("Messages", "Delete files that are not needed, or choose another folder."),
)


def describe_no_room(room: Room, translate: Translate = untranslated) -> Message:
    """Put into words why a batch does not fit into a folder."""
    wording = _TOO_MANY_FILES if room.has_bytes else _TOO_FULL
    facts = {
        "path": printable(str(room.folder)),
        "needed_bytes": byte_size(room.needed_bytes),
        "free_bytes": byte_size(room.free_bytes),
        "free_files": room.free_files,
        "fits": room.fits,
    }
    return Message(
        summary=translate(CONTEXT, wording.summary).format_map(facts),
        remedy=translate(CONTEXT, wording.remedy).format_map(facts),
    )


def describe_trash_failure(
    error: OSError, path: str, *, is_restoring: bool, translate: Translate = untranslated
) -> Message:
    """Put into words why a file could not be moved to the trash, or back."""
    wording = _NOT_RESTORED if is_restoring else _NOT_TRASHED
    if is_restoring and error.errno == errno.ENOENT:
        wording = _NOT_IN_TRASH
    facts = {"path": printable(path), "reason": error.strerror or type(error).__name__}
    return Message(
        summary=translate(CONTEXT, wording.summary).format_map(facts),
        remedy=translate(CONTEXT, wording.remedy),
    )


# --- the queue's database -------------------------------------------------------------------------

_TRY_LATER = QT_TRANSLATE_NOOP("Messages", "Close other windows of Danqing, or try again later.")

DATABASE_TROUBLES: Mapping[str, Wording] = {
    "disk_full": Wording(
        QT_TRANSLATE_NOOP("Messages", "The queue cannot be kept: the disk of {path} is full."),
        QT_TRANSLATE_NOOP("Messages", "Free some space on it."),
    ),
    "read_only": Wording(
        QT_TRANSLATE_NOOP("Messages", "The queue cannot be kept: {path} cannot be written."),
        QT_TRANSLATE_NOOP("Messages", "Check its permissions and those of its folder."),
    ),
    "not_permitted": Wording(
        QT_TRANSLATE_NOOP("Messages", "The queue cannot be kept: {path} cannot be opened."),
        QT_TRANSLATE_NOOP("Messages", "Check its permissions and those of its folder."),
    ),
    "disk_error": Wording(
        QT_TRANSLATE_NOOP("Messages", "The queue cannot be kept: the disk of {path} has an error."),
        QT_TRANSLATE_NOOP("Messages", "Check the disk."),
    ),
    "busy": Wording(
        QT_TRANSLATE_NOOP("Messages", "The queue is in use: another program keeps {path} locked."),
        _TRY_LATER,
    ),
    "damaged": Wording(
        QT_TRANSLATE_NOOP("Messages", "The queue is damaged, and in use: {path}."), _TRY_LATER
    ),
    "newer": Wording(
        QT_TRANSLATE_NOOP("Messages", "A newer Danqing has written the queue: {path}."),
        QT_TRANSLATE_NOOP("Messages", "Use that one."),
    ),
}
"""Words for `desktop.store.database.Trouble`."""


def describe_database_trouble(
    problem: DatabaseTrouble, translate: Translate = untranslated
) -> Message:
    """Put into words why the queue cannot be used."""
    wording = DATABASE_TROUBLES[problem.trouble]
    facts = {"path": printable(str(problem.path or ""))}
    return Message(
        summary=translate(CONTEXT, wording.summary).format_map(facts),
        remedy=translate(CONTEXT, wording.remedy),
    )


_SET_ASIDE = Wording(
    QT_TRANSLATE_NOOP(
        "Messages",
        "The file with the queue was damaged. It was set aside, and a new one was begun.",
    ),
    QT_TRANSLATE_NOOP(
        "Messages", "Jobs recovered from it: {jobs}. No picture was touched. The old file: {path}"
    ),
)


def describe_set_aside(found: SetAside, translate: Translate = untranslated) -> Message:
    """Say that a damaged database was replaced."""
    facts = {"path": printable(str(found.path)), "jobs": found.recovered_jobs}
    return Message(
        summary=translate(CONTEXT, _SET_ASIDE.summary),
        remedy=translate(CONTEXT, _SET_ASIDE.remedy).format_map(facts),
    )


_SETTINGS_SET_ASIDE = Wording(
    QT_TRANSLATE_NOOP("Messages", "The settings could not be read; the usual ones apply."),
    QT_TRANSLATE_NOOP("Messages", "The old file was set aside: {path}"),
)


def describe_settings_set_aside(aside: Path, translate: Translate = untranslated) -> Message:
    """Say that the settings' file was damaged, or a newer Danqing's."""
    facts = {"path": printable(str(aside))}
    return Message(
        summary=translate(CONTEXT, _SETTINGS_SET_ASIDE.summary),
        remedy=translate(CONTEXT, _SETTINGS_SET_ASIDE.remedy).format_map(facts),
    )


# --- patterns of file names -----------------------------------------------------------------------

PATTERN_REASONS: Mapping[str, Wording] = {
    "empty": Wording(
        QT_TRANSLATE_NOOP("Messages", "The pattern for file names is empty."),
        QT_TRANSLATE_NOOP("Messages", "There are: {known}."),
    ),
    "unknown_token": Wording(
        QT_TRANSLATE_NOOP("Messages", "{part} is not known in a pattern for file names."),
        QT_TRANSLATE_NOOP("Messages", "There are: {known}."),
    ),
    "unknown_token_near": Wording(
        QT_TRANSLATE_NOOP("Messages", "{part} is not known in a pattern for file names."),
        QT_TRANSLATE_NOOP("Messages", "Did you mean {near}? There are: {known}."),
    ),
    "bracket": Wording(
        QT_TRANSLATE_NOOP("Messages", "In “{part}”, a bracket has no partner."),
        QT_TRANSLATE_NOOP("Messages", "What is filled in is written like this: [seed]."),
    ),
    "character": Wording(
        QT_TRANSLATE_NOOP("Messages", "“{part}” cannot be in a file name."),
        QT_TRANSLATE_NOOP("Messages", "Leave it out of the pattern."),
    ),
    "argument": Wording(
        QT_TRANSLATE_NOOP("Messages", "{part} is not understood."),
        QT_TRANSLATE_NOOP(
            "Messages",
            "For example: [prompt_hash<8>], [datetime<%Y-%m-%d><UTC>], [hasprompt<cat|other>].",
        ),
    ),
    "folder": Wording(
        QT_TRANSLATE_NOOP("Messages", "“{part}” cannot be the name of a folder."),
        QT_TRANSLATE_NOOP(
            "Messages", "[date]/[seed] makes a folder for each day in the pictures folder."
        ),
    ),
    "number": Wording(
        QT_TRANSLATE_NOOP("Messages", "{part} can be in a pattern only once."),
        QT_TRANSLATE_NOOP("Messages", "It counts the pictures of a folder."),
    ),
}
"""Words for `desktop.store.name_pattern.Reason`."""


def describe_pattern_problem(
    error: PatternError, known: Sequence[str], translate: Translate = untranslated
) -> Message:
    """Put into words why a pattern for file names cannot be used; `known` are all tokens."""
    wording = PATTERN_REASONS[f"{error.reason}_near" if error.near else error.reason]
    facts = {
        "part": printable(error.part),
        "near": f"[{error.near}]",
        "known": " ".join(f"[{name}]" for name in known),
    }
    return Message(
        summary=translate(CONTEXT, wording.summary).format_map(facts),
        remedy=translate(CONTEXT, wording.remedy).format_map(facts),
    )
