"""From words on the command line to a checked command; nothing is loaded and nothing is done.

Separate from `desktop.cli`, which does it, so that `--help`, `--version` and mistakes are answered
before any library is imported. A mistake is one line that names the option, the value and what is
allowed; values that only the model can judge (its sizes, its largest number of steps) are judged
later, with the same words.
"""

from __future__ import annotations

import argparse
import difflib
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NoReturn, TypeVar

from engine._version import __version__
from engine.port import MAX_SEED, DevicePreference, PictureSize, Sampler, SigmaSchedule

FROM_STDIN = "-"
PROMPT_FROM_STDIN = FROM_STDIN

OPTION_OF_NAME = {
    "prompt": "PROMPT",
    "negative_prompt": "--negative",
    "seed": "--seed",
    "steps": "--steps",
    "guidance": "--guidance",
    "sampler": "--sampler",
    "schedule": "--schedule",
    "count": "--count",
    "tile": "--tile",
}
"""The engine's names of values (the fact `name` of VALUE_NOT_ALLOWED) by the option for each."""


class UsageError(Exception):
    """The command line says something that Danqing does not understand; the text is one line.

    `is_json`: it also asks for lines of JSON on standard output; the mistake belongs there too.
    """

    def __init__(self, text: str, *, is_json: bool = False) -> None:
        super().__init__(text)
        self.is_json = is_json


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratePictures:
    """`danqing generate`. `None` means "the model's default", for `seed` a random one, for
    `device_index` the GPU that the check has chosen.
    """

    prompt: str
    negative_prompt: str = ""
    seed: int | None = None
    steps: int | None = None
    size: PictureSize | None = None
    guidance_scale: float | None = None
    sampler: Sampler | None = None
    sigma_schedule: SigmaSchedule | None = None
    image_count: int = 1
    decode_tile: int | None = None
    model: str | None = None
    device: DevicePreference = DevicePreference.AUTO
    device_index: int | None = None
    output: Path | None = None
    is_json: bool = False
    has_metadata: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawBatch:
    """`danqing batch`. `file` None means everything that is left in the queue."""

    file: Path | None
    output: Path | None = None
    is_dry_run: bool = False
    is_resuming: bool = False
    retries_quarantined: bool = False
    is_discarding: bool = False
    encoding: str | None = None
    list_format: str | None = None
    is_matrix: bool = False
    seed: int | None = None
    model: str | None = None
    device: DevicePreference = DevicePreference.AUTO
    device_index: int | None = None
    is_json: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListModels:
    """`danqing models list`."""

    is_json: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckMachine:
    """`danqing check`. `snapshot` None means this machine."""

    is_json: bool = False
    snapshot: Path | None = None
    bundle: Path | None = None
    has_probe: bool = True
    is_acknowledging: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSelfTest:
    """`danqing selftest`. `device_index` None means the GPU that the check has chosen."""

    device: DevicePreference = DevicePreference.AUTO
    device_index: int | None = None
    has_full_memory: bool = False
    is_json: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainText:
    """`danqing explain`. `file` None means standard input."""

    file: Path | None = None
    is_json: bool = False


class LibraryAction(StrEnum):
    REBUILD = "rebuild"
    STATUS = "status"
    SEARCH = "search"
    FORGET = "forget"


@dataclass(frozen=True, slots=True, kw_only=True)
class UseLibrary:
    """`danqing library`. `folders` are for rebuild and forget, `text` is for search."""

    action: LibraryAction
    folders: tuple[Path, ...] = ()
    text: str = ""
    is_json: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMetadata:
    """`danqing metadata`."""

    files: tuple[Path, ...]
    is_json: bool = False


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """`danqing` alone."""


@dataclass(frozen=True, slots=True)
class ShowText:
    """`--help` and `--version`: an answer that needs nothing else."""

    text: str


Command = (
    GeneratePictures
    | DrawBatch
    | ListModels
    | CheckMachine
    | RunSelfTest
    | ExplainText
    | ReadMetadata
    | UseLibrary
    | OpenWindow
    | ShowText
)


def parse(words: Sequence[str]) -> Command:
    """The command that `words` (without the program's name) ask for. Raises `UsageError`."""
    if not words:
        return OpenWindow()
    first, rest = words[0], words[1:]
    if not first.startswith("-"):
        return _parse_command(first, rest)
    options = _main_parser().parse(words)
    if options.version:
        return ShowText(f"danqing {__version__}\n")
    if options.help:
        return ShowText(_main_parser().format_help())
    return OpenWindow()


# --- commands -------------------------------------------------------------------------------------


def _parse_command(name: str, words: Sequence[str]) -> Command:
    if name not in _COMMANDS:
        near = difflib.get_close_matches(name, _COMMANDS, n=1)
        hint = (
            f"did you mean danqing {near[0]}?"
            if near
            else f'to draw it: danqing generate "{name}"'
            if " " in name or not name.isascii()
            else f"commands: {', '.join(_COMMANDS)}; see danqing --help"
        )
        raise UsageError(f'danqing: there is no command "{name}"; {hint}')
    return _COMMANDS[name](words)


def _parse_generate(words: Sequence[str]) -> Command:
    try:
        return _understood_generate(words)
    except UsageError as mistake:
        options = words[: words.index("--")] if "--" in words else words
        raise UsageError(str(mistake), is_json="--json" in options) from None


def _understood_generate(words: Sequence[str]) -> Command:
    parser = _generate_parser()
    options = parser.parse(words)
    if options.help:
        return ShowText(parser.format_help())
    if options.prompt is None:
        parser.error('PROMPT is missing; for example: danqing generate "an orange cat"')
    device, device_index = options.device
    return GeneratePictures(
        prompt=options.prompt,
        negative_prompt=options.negative,
        seed=options.seed,
        steps=options.steps,
        size=options.size,
        guidance_scale=options.guidance,
        sampler=options.sampler,
        sigma_schedule=options.schedule,
        image_count=options.count,
        decode_tile=options.tile,
        model=options.model,
        device=device,
        device_index=device_index,
        output=options.output,
        is_json=options.json,
        has_metadata=not options.no_metadata,
    )


def _parse_batch(words: Sequence[str]) -> Command:
    try:
        return _understood_batch(words)
    except UsageError as mistake:
        raise UsageError(str(mistake), is_json="--json" in words) from None


def _understood_batch(words: Sequence[str]) -> Command:
    parser = _batch_parser()
    options = parser.parse(words)
    if options.help:
        return ShowText(parser.format_help())
    is_resuming = options.resume or options.retry_quarantined
    if options.file is None and not is_resuming:
        parser.error("FILE is missing; for example: danqing batch prompts.txt")
    if is_resuming and options.discard:
        parser.error("--discard gives up what --resume goes on with: one of them")
    device, device_index = options.device
    return DrawBatch(
        file=options.file,
        output=options.out,
        is_dry_run=options.dry_run,
        is_resuming=is_resuming,
        retries_quarantined=options.retry_quarantined,
        is_discarding=options.discard,
        encoding=options.encoding,
        list_format=options.read_as,
        is_matrix=options.matrix,
        seed=options.seed,
        model=options.model,
        device=device,
        device_index=device_index,
        is_json=options.json,
    )


def _parse_models(words: Sequence[str]) -> Command:
    parser = _models_parser()
    options = parser.parse(words)
    if options.help:
        return ShowText(parser.format_help())
    if options.action != "list":
        given = "nothing" if options.action is None else f'"{options.action}"'
        parser.error(f"ACTION: {given} is not allowed; allowed: list")
    return ListModels(is_json=options.json)


def _parse_check(words: Sequence[str]) -> Command:
    parser = _check_parser()
    options = parser.parse(words)
    if options.help:
        return ShowText(parser.format_help())
    if options.acknowledge and (options.snapshot is not None or options.no_probe):
        parser.error("--acknowledge is about this machine: not with --snapshot or --no-probe")
    return CheckMachine(
        is_json=options.json,
        snapshot=options.snapshot,
        bundle=options.bundle,
        has_probe=not options.no_probe,
        is_acknowledging=options.acknowledge,
    )


def _parse_explain(words: Sequence[str]) -> Command:
    parser = _explain_parser()
    options = parser.parse(words)
    if options.help:
        return ShowText(parser.format_help())
    file = None if options.file in (None, Path(FROM_STDIN)) else options.file
    return ExplainText(file=file, is_json=options.json)


def _parse_metadata(words: Sequence[str]) -> Command:
    parser = _metadata_parser()
    options = parser.parse(_flags_first(words))
    if options.help:
        return ShowText(parser.format_help())
    if not options.files:
        parser.error("FILE is missing; for example: danqing metadata cat.png")
    return ReadMetadata(files=tuple(options.files), is_json=options.json)


def _flags_first(words: Sequence[str]) -> list[str]:
    """Options before the list: one may stand anywhere, but argparse takes a list in one piece.

    Only for commands whose options have no values. Behind `--` all words belong to the list.
    """
    end = words.index("--") if "--" in words else len(words)
    flags = [word for word in words[:end] if word.startswith("-")]
    return [*flags, *(word for word in words[:end] if not word.startswith("-")), *words[end:]]


def _parse_selftest(words: Sequence[str]) -> Command:
    parser = _selftest_parser()
    options = parser.parse(words)
    if options.help:
        return ShowText(parser.format_help())
    device, index = options.device
    return RunSelfTest(
        device=device,
        device_index=index,
        has_full_memory=options.full_memory,
        is_json=options.json,
    )


def _parse_library(words: Sequence[str]) -> Command:
    parser = _library_parser()
    options = parser.parse(_flags_first(words))
    if options.help:
        return ShowText(parser.format_help())
    if options.action not in tuple(LibraryAction):
        given = "nothing" if options.action is None else f'"{options.action}"'
        parser.error(f"ACTION: {given} is not allowed; allowed: {_names(LibraryAction)}")
    action = LibraryAction(options.action)
    if action is LibraryAction.STATUS and options.rest:
        parser.error(f'"{options.rest[0]}" is too much: status is about the whole library')
    if action in (LibraryAction.SEARCH, LibraryAction.FORGET) and not options.rest:
        what = "WORDS" if action is LibraryAction.SEARCH else "FOLDER"
        parser.error(f"{what}: missing; see danqing library --help")
    is_search = action is LibraryAction.SEARCH
    return UseLibrary(
        action=action,
        folders=() if is_search else tuple(map(Path, options.rest)),
        text=" ".join(options.rest) if is_search else "",
        is_json=options.json,
    )


_COMMANDS: dict[str, Callable[[Sequence[str]], Command]] = {
    "generate": _parse_generate,
    "batch": _parse_batch,
    "models": _parse_models,
    "check": _parse_check,
    "selftest": _parse_selftest,
    "explain": _parse_explain,
    "metadata": _parse_metadata,
    "library": _parse_library,
}


# --- parsers --------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """argparse with one-line mistakes and without its own exits."""

    def __init__(self, **settings: str) -> None:
        super().__init__(
            **settings,  # pyright: ignore[reportArgumentType] - all of them take strings
            add_help=False,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self.add_argument("-h", "--help", action="store_true", help="this text")

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        options, strangers = self.parse_known_args(list(words))
        if strangers and not options.help:
            self.error(self._about_strangers(strangers))
        return options

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"^argument (?:-\w/)?(\S+?): ", r"\1: ", message)
        message = message.replace("expected one argument", "a value is missing")
        raise UsageError(f"{self.prog}: {message}")

    def _about_strangers(self, strangers: Sequence[str]) -> str:
        option = next((word for word in strangers if word.startswith("-")), None)
        if option is None:
            return f'"{strangers[0]}" is too much; a prompt of several words needs quotes around it'
        known = [name for action in self._actions for name in action.option_strings]
        near = difflib.get_close_matches(option.partition("=")[0], known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"see {self.prog} --help"
        return f"there is no option {option}; {hint}"


def _main_parser() -> _Parser:
    parser = _Parser(
        prog="danqing",
        usage="danqing [COMMAND] [OPTIONS]",
        description="Danqing draws pictures from words, on this machine.\n\n"
        "Without a command its window opens; where there is no display, it draws one\n"
        "picture instead.",
        epilog="commands:\n"
        "  generate PROMPT   draw pictures and save them as PNG files\n"
        "  batch FILE        draw a list of prompts; go on after a crash\n"
        "  models list       which models there are\n"
        "  check             can this machine make pictures on its GPU, and if not, why\n"
        "  selftest          prove that the GPU (or the CPU) computes rightly\n"
        "  explain FILE      what the lines of a log mean\n"
        "  metadata FILE     how pictures were made, by this or by other programs\n"
        "  library           the index of your pictures: rebuild, status, search\n\n"
        "Each command explains itself: danqing generate --help\n\n"
        "exit status: 0 done, 1 it ran and failed (or its output could not be written),\n"
        "2 not understood, 3 could not run, 130 interrupted\n"
        "log: danqing/danqing.log in the state folder ($XDG_STATE_HOME, ~/.local/state);\n"
        "DANQING_LOG=debug makes it tell more, prompts included",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    return parser


def _generate_parser() -> _Parser:
    parser = _Parser(
        prog="danqing generate",
        usage="danqing generate PROMPT [OPTIONS]",
        description="Draw pictures and save them as PNG files, with all settings recorded inside.",
        epilog="The last line of standard output is the path of the (last) picture.\n\n"
        "examples:\n"
        '  danqing generate "an orange cat on a blue background"\n'
        '  danqing generate "一只橙色的猫，蓝色背景" --seed 7 --steps 20 -o cat.png\n'
        '  danqing generate "a rocket in space" --count 4 -o pictures/ --json',
    )
    add = parser.add_argument
    add("prompt", nargs="?", type=_text("PROMPT"), metavar="PROMPT",
        help="what to draw; - reads it from standard input")  # fmt: skip
    add("--negative", default="", type=_text("--negative"), metavar="TEXT",
        help="what to keep out of the picture")  # fmt: skip
    add("--seed", type=_whole(0, MAX_SEED, "; without it the seed is random"), metavar="N",
        help="the same seed and settings give the same picture (default: random)")  # fmt: skip
    add("--steps", type=_whole(1), metavar="N", help="more steps are slower and finer")
    add("--size", type=_size, metavar="WxH", help="width and height in pixels")
    add("--guidance", type=_finite, metavar="G", help="how strictly to follow the prompt")
    add("--sampler", type=_one_of(Sampler), metavar="NAME", help=_names(Sampler))
    add("--schedule", type=_one_of(SigmaSchedule), metavar="NAME", help=_names(SigmaSchedule))
    add("--count", default=1, type=_whole(1), metavar="N",
        help="how many pictures; each one's seed is one more (default: 1)")  # fmt: skip
    add("--tile", type=_tile, metavar="auto|off|N",
        help="pixels developed at a time: bounds the memory only (default: auto)")  # fmt: skip
    add("--model", metavar="NAME|FOLDER", help="see danqing models list (default: the first)")
    add("--device", default=(DevicePreference.AUTO, None), type=_device_or_chosen,
        metavar="auto|cpu|gpu[:N]",
        help="where to compute (default: auto, the GPU if danqing check allows it)")  # fmt: skip
    add("-o", "--output", type=_path, metavar="FILE|FOLDER",
        help="where to save; never overwrites (default: the pictures folder)")  # fmt: skip
    add("--no-metadata", action="store_true", help="record nothing in the picture")
    add("--json", action="store_true", help="report each event as a line of JSON")
    return parser


def _batch_parser() -> _Parser:
    parser = _Parser(
        prog="danqing batch",
        usage="danqing batch FILE [OPTIONS]\n       danqing batch --resume [OPTIONS]",
        description="Draw the pictures of a prompt list (.txt, .csv, .jsonl). The list is kept in"
        " the queue: what a crash\nor Ctrl+C leaves undone is done by the same command with"
        " --resume.",
        epilog="Standard output: one path a picture. Ctrl+C ends after what is being saved; the"
        " picture that is\nbeing drawn is drawn again by --resume.\n\n"
        "exit status: 0 all made, 1 some failed or the queue had to pause, 2 the list has errors,\n"
        "3 could not run, 130 interrupted\n\n"
        "examples:\n"
        "  danqing batch prompts.txt --dry-run\n"
        "  danqing batch prompts.txt --out pictures/\n"
        "  danqing batch prompts.txt --resume",
    )
    add = parser.add_argument
    add("file", nargs="?", type=_path, metavar="FILE",
        help="the list; without one, --resume goes on with all that is left")  # fmt: skip
    add("--out", type=_path, metavar="FOLDER",
        help="where to save; never overwrites (default: the pictures folder)")  # fmt: skip
    add("--dry-run", action="store_true", help="show what would be drawn, a line a picture")
    add("--resume", action="store_true", help="go on with what is left of an earlier run")
    add("--retry-quarantined", action="store_true",
        help="--resume, and try again what was being drawn at two crashes")  # fmt: skip
    add("--discard", action="store_true",
        help="give up what is left of this list's earlier run, and start anew")  # fmt: skip
    add("--encoding", metavar="NAME", help="how FILE is written, if not in UTF-8")
    add("--read-as", choices=("lines", "blocks", "csv", "jsonl"),
        metavar="lines|blocks|csv|jsonl",
        help="how FILE is made (default: by its ending, and ### for blocks)")  # fmt: skip
    add("--matrix", action="store_true", help="a|b|c in a prompt: a with each choice of b and c")
    add("--seed", type=_whole(0, MAX_SEED, "; without it the seed is random"), metavar="N",
        help="first seed, where FILE says nothing; each picture's is one more")  # fmt: skip
    add("--model", metavar="NAME|FOLDER", help="see danqing models list (default: the first)")
    add("--device", default=(DevicePreference.AUTO, None), type=_device_or_chosen,
        metavar="auto|cpu|gpu[:N]",
        help="where to compute (default: auto, the GPU if danqing check allows it)")  # fmt: skip
    add("--json", action="store_true", help="report each event as a line of JSON")
    return parser


def _models_parser() -> _Parser:
    parser = _Parser(
        prog="danqing models",
        usage="danqing models list [--json]",
        description="Which models there are.",
    )
    parser.add_argument("action", nargs="?", metavar="list", help="one model a line")
    parser.add_argument("--json", action="store_true", help="as a JSON array")
    return parser


def _library_parser() -> _Parser:
    parser = _Parser(
        prog="danqing library",
        usage="danqing library rebuild [FOLDER...] | status | search WORDS | forget FOLDER",
        description="The index of your pictures. All of it is read from the files, so it can be "
        "made again\nat any time; no picture is ever changed, moved or deleted here.",
        epilog="actions:\n"
        "  rebuild   read all pictures of the library anew, and of each FOLDER from now on\n"
        "  status    how many pictures each folder has; those of a disk that is not\n"
        "            mounted are kept\n"
        "  search    the paths of pictures whose prompt or name has all the WORDS,\n"
        "            newest first\n"
        "  forget    take a FOLDER out of the index\n\n"
        "exit status: 0 done, 1 nothing found or a folder could not be read, 3 the index\n"
        "cannot be used",
    )
    add = parser.add_argument
    add("action", nargs="?", metavar="ACTION", help=_names(LibraryAction))
    add("rest", nargs="*", metavar="FOLDER|WORDS", help="what the action is about")
    add("--json", action="store_true", help="as JSON; for search, a line for each picture")
    return parser


def _check_parser() -> _Parser:
    parser = _Parser(
        prog="danqing check",
        usage="danqing check [OPTIONS]",
        description="Check whether this machine can make pictures on its GPU, and say what is in "
        "the way.\nNothing is changed, and nothing needs root.",
        epilog="exit status: 0 the GPU may be used, 1 it may not (yet), 3 the check could not run"
        "\n\n"
        "examples:\n"
        "  danqing check\n"
        "  danqing check --bundle my-machine.zip   to show somebody; nothing personal is in it\n"
        "  danqing check --snapshot their-machine.zip",
    )
    add = parser.add_argument
    add("--json", action="store_true", help="as a JSON object")
    add("--snapshot", type=_path, metavar="FOLDER|FILE.zip",
        help="check a recorded machine instead of this one")  # fmt: skip
    add("--bundle", type=_path, metavar="FILE.zip",
        help="record the machine and the result, without anything personal")  # fmt: skip
    add("--no-probe", action="store_true", help="do not load PaddlePaddle to see what it can do")
    add("--acknowledge", action="store_true",
        help="keep that you have read the warnings that keep the GPU off")  # fmt: skip
    return parser


def _selftest_parser() -> _Parser:
    parser = _Parser(
        prog="danqing selftest",
        usage="danqing selftest [OPTIONS]",
        description="Prove that the device computes rightly, holds what is written to it, and makes"
        " the\npicture that it should. Takes about a minute, in a process of its own.\n\n"
        "The GPU is used for pictures only after this has passed on it.",
        epilog="exit status: 0 passed, 1 failed, 3 some of it could not be run",
    )
    add = parser.add_argument
    add("--device", default=(DevicePreference.AUTO, None), type=_device_or_chosen,
        metavar="auto|cpu|gpu[:N]",
        help="what to test (default: the GPU that danqing check has chosen, else the CPU)",
    )  # fmt: skip
    add("--full-memory", action="store_true",
        help="also write to and read from 90 %% of the free memory (minutes)")  # fmt: skip
    add("--json", action="store_true", help="report each step as a line of JSON")
    return parser


def _explain_parser() -> _Parser:
    parser = _Parser(
        prog="danqing explain",
        usage="danqing explain [FILE|-] [--json]",
        description="Say what the lines of a log mean: of the kernel, rocminfo, lspci, PaddlePaddle"
        " or\nanother program.",
        epilog="exit status: 0 something is known, 1 nothing is known, 3 the file cannot be read"
        "\n\n"
        "example: sudo dmesg | danqing explain",
    )
    parser.add_argument("file", nargs="?", type=_path, metavar="FILE",
                        help="the log; - or nothing reads standard input")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="as a JSON array")
    return parser


def _metadata_parser() -> _Parser:
    parser = _Parser(
        prog="danqing metadata",
        usage="danqing metadata FILE... [--json]",
        description="Say how pictures were made: prompt, seed, size and so on, as Danqing and many"
        " other\nprograms write them into PNG, JPEG and WebP files.",
        epilog="exit status: 0 every picture says it, 1 one does not, 3 a file cannot be read\n\n"
        "example: danqing metadata --json cat.png",
    )
    parser.add_argument("files", nargs="*", type=_path, metavar="FILE", help="pictures")
    parser.add_argument("--json", action="store_true", help="as a JSON array, with the raw texts")
    return parser


# --- values ---------------------------------------------------------------------------------------

_Choice = TypeVar("_Choice", bound=StrEnum)


def _not_allowed(value: str, allowed: str) -> argparse.ArgumentTypeError:
    shown = value.encode("utf-8", errors="backslashreplace").decode("utf-8")
    return argparse.ArgumentTypeError(f'"{shown}" is not allowed; allowed: {allowed}')


def _text(option: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        # Bytes of the command line that are no UTF-8 arrive as lone surrogates.
        if not value.isprintable() and any("\ud800" <= c <= "\udfff" for c in value):
            raise argparse.ArgumentTypeError("this is not valid UTF-8 text")
        if option == "PROMPT" and not value.strip():
            raise argparse.ArgumentTypeError("it is empty; say what to draw")
        return value

    return check


def _whole(least: int, most: int | None = None, hint: str = "") -> Callable[[str], int]:
    limits = f"from {least} on" if most is None else f"from {least} to {most}"

    def check(value: str) -> int:
        # The pattern bounds the length: Python refuses to convert very long numbers.
        if re.fullmatch(r"\+?[0-9]{1,20}", value):
            number = int(value)
            if least <= number and (most is None or number <= most):
                return number
        raise _not_allowed(value, f"whole numbers {limits}{hint}")

    return check


def _finite(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise _not_allowed(value, "numbers such as 3.5")
    return number


def _size(value: str) -> PictureSize:
    match = re.fullmatch(r"([1-9][0-9]{0,5})[xX×]([1-9][0-9]{0,5})", value)
    if not match:
        raise _not_allowed(value, "width x height in pixels, such as 256x256")
    return PictureSize(width=int(match[1]), height=int(match[2]))


def _one_of(choices: type[_Choice]) -> Callable[[str], _Choice]:
    def check(value: str) -> _Choice:
        try:
            return choices(value.lower())
        except ValueError:
            raise _not_allowed(value, _names(choices)) from None

    return check


def _names(choices: type[StrEnum]) -> str:
    return ", ".join(choices)


def _tile(value: str) -> int | None:
    if value == "auto":
        return None
    if value == "off":
        return 0
    if re.fullmatch(r"[1-9][0-9]{0,5}", value):
        return int(value)
    raise _not_allowed(value, "auto, off, or a whole number of pixels such as 512")


def _device(value: str) -> tuple[DevicePreference, int]:
    match = re.fullmatch(r"(auto|cpu|gpu)|gpu:([0-9]{1,3})", value)
    if not match:
        raise _not_allowed(value, "auto, cpu, gpu, or gpu:N with the GPU's number")
    if match[2]:
        return DevicePreference.GPU, int(match[2])
    return DevicePreference(match[1]), 0


def _device_or_chosen(value: str) -> tuple[DevicePreference, int | None]:
    """As `_device`; None for a GPU without a number."""
    device, index = _device(value)
    return device, index if ":" in value else None


def _path(value: str) -> Path:
    if not value:
        raise _not_allowed(value, "a file name ending in .png, .jpg or .webp, or a folder")
    return Path(value)
