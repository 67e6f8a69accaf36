"""The program's entry and composition root: words in, exit status out.

`--help`, `--version` and mistakes are answered before anything else exists. Then come the log and
the crash handler, then the command; Qt is imported for the window alone.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TYPE_CHECKING

from desktop import arguments
from desktop.arguments import (
    CheckMachine,
    Command,
    ExplainText,
    GeneratePictures,
    ListModels,
    OpenWindow,
    ShowText,
)

if TYPE_CHECKING:
    from desktop.crash import CrashHandler


def main() -> int:
    """Run the program; returns its exit status."""
    _make_output_printable()
    try:
        command = arguments.parse(sys.argv[1:])
        if isinstance(command, ShowText):
            sys.stdout.write(command.text)
            return 0
        return _run(command, _start_services())
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


def _start_services() -> CrashHandler:
    """From here on every failure is logged, and none shows a traceback."""
    from desktop import crash, logs, paths

    log_file = logs.start(paths.state_folder(), say=_say)
    crash_handler = crash.CrashHandler(log_file, _say)
    crash_handler.install()
    crash.native_stacks.keep_in(paths.state_folder())
    return crash_handler


def _run(command: Command, crash_handler: CrashHandler) -> int:
    from desktop import check_command, cli, terminal

    results = terminal.Results()
    backend = cli.real_backend()
    match command:
        case GeneratePictures():
            return cli.generate(command, backend, results, sys.stderr)
        case ListModels():
            return cli.list_models(command, backend, results)
        case CheckMachine():
            return check_command.check(command, cli.open_machine_check(), results, sys.stderr)
        case ExplainText():
            return check_command.explain(command, cli.open_machine_check(), results, sys.stderr)
        case OpenWindow():
            from desktop import display

            problem = display.why_no_window(os.environ)
            if problem is None:
                return _open_window(crash_handler)
            _say(f"danqing: no window: {problem}; making one picture instead")
            return cli.first_picture(backend, results, sys.stderr)
        case ShowText():
            raise AssertionError("answered before")


def _open_window(crash_handler: CrashHandler) -> int:
    """The one place where the window is started; one core is left to it."""
    from desktop import app, cli

    threads = max(1, cli.cores() - 1)
    return app.run(
        open_catalog=cli.open_catalog,
        open_engine=lambda catalog: cli.open_engine(catalog, threads=threads),
        report=crash_handler.report,
    )


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
