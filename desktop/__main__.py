"""The program's entry and composition root: words in, exit status out.

`--help`, `--version` and mistakes are answered before anything else exists. Then come the log and
the crash handler, then the command; Qt is imported for the window alone.
"""

from __future__ import annotations

import codecs
import io
import os
import sys

from desktop import arguments
from desktop.arguments import Command, GeneratePictures, ListModels, OpenWindow, ShowText


def main() -> int:
    """Run the program; returns its exit status."""
    _make_output_printable()
    try:
        command = arguments.parse(sys.argv[1:])
        if isinstance(command, ShowText):
            sys.stdout.write(command.text)
            return 0
        _start_services()
        return _run(command)
    except arguments.UsageError as mistake:
        sys.stderr.write(f"{mistake}\n")
        return 2
    except KeyboardInterrupt:
        # At once: the interpreter's own way out would wait for the engine's native threads.
        sys.stderr.flush()
        os._exit(130)


def _make_output_printable() -> None:
    """Never fail over a character: paths keep their exact bytes, a poor terminal gets escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_utf8 = codecs.lookup(stream.encoding).name == "utf-8"
            stream.reconfigure(errors="surrogateescape" if is_utf8 else "backslashreplace")


def _start_services() -> None:
    """From here on every failure is logged, and none shows a traceback."""
    from desktop import crash, logs, paths

    log_file = logs.start(paths.state_folder(), say=_say)
    crash.CrashHandler(log_file, _say).install()
    crash.native_stacks.keep_in(paths.state_folder())


def _run(command: Command) -> int:
    from desktop import cli, terminal

    results = terminal.Results()
    backend = cli.real_backend()
    match command:
        case GeneratePictures():
            return cli.generate(command, backend, results, sys.stderr)
        case ListModels():
            return cli.list_models(command, backend, results)
        case OpenWindow():
            return _open_window_or_draw()
        case ShowText():
            raise AssertionError("answered before")


def _open_window_or_draw() -> int:
    from desktop import display

    problem = display.why_no_window(os.environ)
    if problem is None:
        return _open_window()
    from desktop import cli, terminal

    _say(f"danqing: no window: {problem}; making one picture instead")
    return cli.first_picture(cli.real_backend(), terminal.Results(), sys.stderr)


def _open_window() -> int:
    """The one place where the window is started."""
    from desktop import app  # pyright: ignore[reportAttributeAccessIssue] - comes with the window

    return app.run()


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
