"""The program's entry and composition root: words in, exit status out.

`--help`, `--version` and mistakes are answered before anything else exists. Then come the log and
the crash handler, then the command; Qt is imported for the window alone.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
"""What `typing` has, without importing it: nothing is imported outside `main` but what Python
itself has loaded, so that Ctrl+C ends quietly from the start."""

if TYPE_CHECKING:
    from desktop.arguments import (
        CheckMachine,
        Command,
        DrawBatch,
        ExplainText,
        GeneratePictures,
        ReadMetadata,
        RunSelfTest,
        UsageError,
        UseLibrary,
    )
    from desktop.cli import Backend
    from desktop.crash import CrashHandler
    from desktop.terminal import Results


def main() -> int:
    """Run the program; returns its exit status."""
    try:
        from desktop import streams

        streams.prepare()
        return streams.finish(_main())
    except KeyboardInterrupt:
        # At once: the interpreter's own way out would wait for the engine's native threads.
        if sys.stderr is not None:
            sys.stderr.flush()
        os._exit(130)


def _main() -> int:
    from desktop import arguments

    try:
        command = arguments.parse(sys.argv[1:])
        if isinstance(command, arguments.ShowText):
            sys.stdout.write(command.text)
            return 0
        return _run(command, _start_services())
    except arguments.UsageError as mistake:
        return _refuse(mistake)


def _refuse(mistake: UsageError) -> int:
    sys.stderr.write(f"{mistake}\n")
    if mistake.is_json:
        from desktop import generation, terminal

        generation.Report(terminal.Results(), is_json=True).mistake(str(mistake))
    return 2


def _start_services() -> CrashHandler:
    """From here on every failure is logged, and none shows a traceback."""
    from desktop import crash, logs, paths

    log_file = logs.start(paths.state_folder(), say=_say)
    crash_handler = crash.CrashHandler(log_file, _say)
    crash_handler.install()
    crash.native_stacks.keep_in(paths.state_folder())
    return crash_handler


def _run(command: Command, crash_handler: CrashHandler) -> int:
    from desktop import cli, terminal
    from desktop.arguments import (
        CheckMachine,
        DrawBatch,
        ExplainText,
        GeneratePictures,
        ListModels,
        OpenWindow,
        ReadMetadata,
        RunSelfTest,
        ShowText,
        UseLibrary,
    )

    results = terminal.Results()
    backend = cli.real_backend()
    match command:
        case GeneratePictures() | DrawBatch():
            return _draw(command, backend, results)
        case ListModels():
            return cli.list_models(command, backend, results)
        case CheckMachine() | ExplainText() | RunSelfTest():
            return _judge(command, results)
        case ReadMetadata() | UseLibrary():
            return _look(command, results)
        case OpenWindow():
            from desktop import display

            problem = display.why_no_window(os.environ)
            if problem is None:
                return _open_window(crash_handler)
            _say(f"danqing: no window: {problem}; making one picture instead")
            return cli.first_picture(backend, results, sys.stderr)
        case ShowText():
            raise AssertionError("answered before")


def _draw(command: GeneratePictures | DrawBatch, backend: Backend, results: Results) -> int:
    from desktop import arguments, batch_command, cli

    match command:
        case arguments.GeneratePictures():
            return cli.generate(command, backend, results, sys.stderr)
        case arguments.DrawBatch():
            return batch_command.batch(command, backend, results, sys.stderr)


def _look(command: ReadMetadata | UseLibrary, results: Results) -> int:
    """The commands that are about pictures that exist."""
    from desktop import arguments, library_command, metadata_command

    match command:
        case arguments.ReadMetadata():
            return metadata_command.run(command, results, sys.stderr)
        case arguments.UseLibrary():
            return library_command.run(command, results, sys.stderr)


def _judge(command: CheckMachine | ExplainText | RunSelfTest, results: Results) -> int:
    """The commands that are about the machine."""
    from desktop import arguments, check_command, cli, selftest_command

    machine = cli.open_machine_check()
    match command:
        case arguments.CheckMachine():
            return check_command.check(command, machine, results, sys.stderr)
        case arguments.ExplainText():
            return check_command.explain(command, machine, results, sys.stderr)
        case arguments.RunSelfTest():
            return selftest_command.run(command, cli.open_selftest(), machine, results, sys.stderr)


def _open_window(crash_handler: CrashHandler) -> int:
    """The one place where the window is started; one core is left to it."""
    from desktop import app, cli

    return app.run(
        open_catalog=cli.open_catalog,
        open_engine=lambda catalog: cli.open_engine(catalog, spare_cores=1),
        checks=app.Checks(cli.open_machine_check, cli.open_selftest, cli.has_gpu_code),
        report=crash_handler.report,
    )


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
