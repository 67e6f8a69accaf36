"""`danqing batch`: a prompt list into the queue, or what is left of one out of it.

Owned here: which jobs one call is about. A list is known by its path; while anything of it is left
from a run that did not end, the same list is not put into the queue a second time, so that no
picture is made twice by repeating a command.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import stat
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from desktop import cli, destination, generation, gpu_gate, messages, paths, settings
from desktop.arguments import DrawBatch, UsageError
from desktop.batch_progress import BatchProgress
from desktop.batch_run import BatchRun
from desktop.job_run import JobRun
from desktop.messages import Message
from desktop.store import job_pictures, library
from desktop.store.database import DatabaseTrouble
from desktop.store.job_record import JobRow, JobState, NewJob
from desktop.store.jobs import AlreadyQueued, JobStore, NewBatch
from engine.port import (
    MAX_SEED,
    ChooseDevice,
    EngineFault,
    ErrorCode,
    GenerationRequest,
    ModelCatalog,
    PictureSize,
)

if TYPE_CHECKING:
    from desktop.prompts import Expansion
    from desktop.store.images import Destination
    from desktop.terminal import Results

log = logging.getLogger(__name__)


class _Refused(Exception):
    """Nothing is drawn, and why; a `status` of 0 says that nothing had to be."""

    def __init__(self, code: str, summary: str, status: int, remedy: str = "") -> None:
        super().__init__(summary)
        self.code = code
        self.message = Message(summary=summary, remedy=remedy)
        self.status = status


def batch(command: DrawBatch, backend: cli.Backend, results: Results, human: TextIO) -> int:
    """Carry out `danqing batch`; returns the exit status."""
    report = generation.Report(results, command.is_json, "batch")
    try:
        return _Command(command, backend, results, report, human).run()
    except _PROBLEMS as problem:
        return _refuse(problem, report, human)


_PROBLEMS = (
    UsageError,
    _Refused,
    destination.Unwritable,
    destination.BadPattern,
    gpu_gate.Refused,
    DatabaseTrouble,
    EngineFault,
)


def _refuse(problem: Exception, report: generation.Report, human: TextIO) -> int:
    status = generation.STATUS_COULD_NOT_RUN
    match problem:
        case UsageError():
            code, message = "usage", Message(summary=str(problem), remedy="")
            status = generation.STATUS_USAGE
        case _Refused(code=code, message=message, status=status):
            if status == generation.STATUS_DONE:
                human.write(f"danqing batch: {message}\n")
                report.end("finished")
                return status
        case destination.Unwritable(message=message):
            code = "unwritable"
        case destination.BadPattern(message=message):
            code = "file_name_pattern"
        case gpu_gate.Refused(message=message):
            code = str(ErrorCode.DEVICE_UNAVAILABLE)
        case DatabaseTrouble(trouble=code):
            message = messages.describe_database_trouble(problem)
        case EngineFault(error=error):
            return report.refused_by(error, human)
        case _:
            raise AssertionError("not among the problems") from problem
    return report.refused(code, message, status, human)


class _Command:
    """One call, step by step."""

    def __init__(
        self,
        command: DrawBatch,
        backend: cli.Backend,
        results: Results,
        report: generation.Report,
        human: TextIO,
    ) -> None:
        self._command = command
        self._seed = secrets.randbelow(MAX_SEED + 1) if command.seed is None else command.seed
        self._backend = backend
        self._results = results
        self._report = report
        self._human = human
        self._catalog: ModelCatalog | None = None
        self._set_aside = 0

    def run(self) -> int:
        if self._command.is_dry_run:
            return self._show_list()
        store = JobStore.open(paths.state_folder())
        try:
            if store.database.set_aside is not None:
                self._say(str(messages.describe_set_aside(store.database.set_aside)))
            job_pictures.look_after_crash(store, paths.pictures_folder())
            # before any job is put in: a device that is refused leaves nothing behind
            device = self._backend.choose_device(self._command.device, self._command.device_index)
            jobs = self._jobs(store)
            return self._draw(store, jobs, device)
        finally:
            store.close()

    # --- what is to be made -----------------------------------------------------------------------

    def _jobs(self, store: JobStore) -> list[JobRow]:
        """The jobs to make, held by this process."""
        if self._command.file is None:
            return self._go_on(store, store.left_over(), "There is nothing left to go on with.")
        source = self._command.file.absolute()
        last = store.last_batch(source)
        of_list = [] if last is None else store.of_batch(last.batch_id)
        left = [job for job in of_list if job.state.is_open and not job.is_held]
        if any(job.is_held and job.state.is_open for job in of_list):
            raise _in_use()
        if left and self._command.is_discarding:
            store.discard([job.job_id for job in left])
            left = []
        if left and not self._command.is_resuming:
            raise _Refused(
                "left_over",
                f"{_pictures(left)} of this list are left from a run that did not end.",
                generation.STATUS_FAILED,
                "--resume goes on with them, --discard gives them up and starts anew.",
            )
        digest = _digest(self._command.file)
        if left and last is not None:
            if last.digest != digest:
                self._say("the list has changed since; what is left of the earlier one is made")
            return self._go_on(store, left, "")
        if self._command.is_resuming and last is not None and last.digest == digest:
            self._refuse_done(of_list)
        last_id = None if last is None else last.batch_id
        return self._enqueue(store, self._command.file, NewBatch(source, digest, last_id))

    def _refuse_done(self, of_list: Sequence[JobRow]) -> None:
        failed = sum(job.state is JobState.FAILED for job in of_list)
        made = sum(job.state is JobState.FINISHED for job in of_list)
        status = generation.STATUS_FAILED if failed else generation.STATUS_DONE
        summary = f"Nothing of this list is left: {made} made, {failed} failed."
        raise _Refused("jobs_failed", summary, status)

    def _go_on(self, store: JobStore, left: Sequence[JobRow], nothing: str) -> list[JobRow]:
        if not left:
            raise _Refused("nothing", nothing, generation.STATUS_DONE)
        quarantined = [job for job in left if job.state is JobState.QUARANTINED]
        retries = self._command.retries_quarantined
        mine = store.go_on([job.job_id for job in left], retries_quarantined=retries)
        if quarantined and not retries:
            self._set_aside = len(quarantined)
            self._say(
                f"{_pictures(quarantined)} left out, after two crashes while drawing;"
                " --retry-quarantined tries again"
            )
        if not mine:
            raise _Refused("quarantined", "Nothing else is left to make.", generation.STATUS_FAILED)
        folders = {job_pictures.folder_of(job, paths.pictures_folder()) for job in mine}
        for folder in folders:
            self._make_folder(folder)
        output = self._command.output
        if output is not None and folders != {output.absolute()}:
            others = ", ".join(messages.printable(str(folder)) for folder in sorted(folders))
            self._say(
                f"--out is for new lists: what was left over is saved where it was to go, {others}"
            )
        return mine

    def _enqueue(self, store: JobStore, file: Path, batch_of: NewBatch) -> list[JobRow]:
        place = self._place()
        expansion = self._expand(file)
        self._refuse_errors(expansion)
        sizes: dict[PictureSize, int] = {}
        for picture in expansion.pictures:
            request = picture.request
            size = PictureSize(width=request.width or 0, height=request.height or 0)
            sizes[size] = sizes.get(size, 0) + request.image_count
        destination.check_room(
            place, sizes, lambda size: library.typical_bytes(paths.state_folder(), size)
        )
        self._make_folder(place.folder)
        folder = str(place.folder.absolute())
        jobs = [
            NewJob(
                request=picture.request,
                folder=folder,
                name_pattern=place.pattern.text,
                raw_prompt=picture.raw_prompt,
                group=picture.group,
                line=picture.line,
            )
            for picture in expansion.pictures
        ]
        try:
            store.enqueue(jobs, batch_of)
        except AlreadyQueued:
            raise _in_use() from None
        return store.mine()

    def _place(self) -> Destination:
        pattern = destination.pattern_of(settings.load(paths.config_folder()))
        place = destination.parse(self._command.output, paths.pictures_folder())
        if place.stem is not None:
            raise UsageError(f"--out: {self._command.output}: a batch needs a folder, not a file")
        destination.check(place)
        return replace(place, pattern=pattern)

    def _make_folder(self, folder: Path) -> None:
        """Once, at the start: a folder that goes away later is not made again."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = messages.describe_save_failure(error, str(folder))
            raise destination.Unwritable(message) from error

    def _expand(self, file: Path) -> Expansion:
        from desktop import prompts

        catalog = self._open_catalog()
        model = cli.find_model(catalog, self._command.model)
        base = GenerationRequest(
            prompt="",
            seed=self._seed,
            model_id=model.model_id,
            preview=False,
        )
        command = self._command
        return prompts.expand_file(
            file,
            model=model,
            base=base,
            encoding=command.encoding,
            list_format=prompts.ListFormat(command.list_format) if command.list_format else None,
            is_matrix=command.is_matrix,
        )

    def _open_catalog(self) -> ModelCatalog:
        if self._catalog is None:
            self._catalog = self._backend.open_catalog()
        return self._catalog

    def _refuse_errors(self, expansion: Expansion) -> None:
        self._tell_problems(expansion)
        if expansion.encodings:
            raise UsageError("FILE: say which encoding it has, with --encoding NAME")
        errors = sum(problem.is_error for problem in expansion.problems)
        if errors:
            raise UsageError(f"FILE: {errors} errors in the list; nothing was put into the queue")

    def _tell_problems(self, expansion: Expansion) -> None:
        from desktop.prompts import report as list_report

        for line in list_report.problem_lines(expansion, self._command.file or Path()):
            print(line, file=self._human)

    # --- showing and drawing ----------------------------------------------------------------------

    def _show_list(self) -> int:
        """`--dry-run`: the table of the list, a line a picture, and nothing else happens."""
        from desktop.prompts import report as list_report

        if self._command.file is None:
            raise UsageError("--dry-run needs a FILE")
        expansion = self._expand(self._command.file)
        if self._command.is_json:
            self._results.line(json.dumps(list_report.record(expansion)))
        else:
            for line in list_report.table_lines(expansion):
                self._results.line(line)
        self._tell_problems(expansion)
        if self._command.seed is None:
            self._say(f"without --dry-run, --seed {self._seed} draws just these")
        if not expansion.has_errors and not expansion.encodings:
            return generation.STATUS_DONE
        return generation.STATUS_USAGE

    def _draw(self, store: JobStore, jobs: Sequence[JobRow], device: ChooseDevice) -> int:
        from desktop import terminal

        progress = BatchProgress(sum(len(job.missing) for job in jobs))
        engine = self._backend.open_engine(self._open_catalog(), device)
        with terminal.open_batch_display(
            self._human, progress, is_quiet=self._command.is_json, clock=time.monotonic
        ) as display:
            display.say(f"{progress.total} pictures to make")
            run = JobRun(engine)
            batch_run = BatchRun(
                store=store,
                run=run,
                default_folder=paths.pictures_folder(),
                display=display,
                report=self._report,
                progress=progress,
                set_aside=self._set_aside,
            )
            status = batch_run.make(jobs)
        store.close()  # before the engine is waited for, which may not end
        generation.close(run, status)
        return status

    def _say(self, line: str) -> None:
        print(f"danqing batch: {line}", file=self._human, flush=True)


def _in_use() -> _Refused:
    summary = "Another Danqing is making the pictures of this list."
    return _Refused("in_use", summary, generation.STATUS_FAILED, "Wait for it, or end it.")


def _digest(file: Path) -> str:
    """Of as much of the list as is ever read; a device or a pipe, which may not end, is none."""
    from desktop.prompts.reading import MAX_BYTES

    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise UsageError(f"FILE: {file} is no file")
        with file.open("rb") as opened:
            return hashlib.sha256(opened.read(MAX_BYTES + 1)).hexdigest()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"FILE: {file} cannot be read: {reason}") from error


def _pictures(jobs: Sequence[JobRow]) -> str:
    count = sum(len(job.missing) or 1 for job in jobs)
    return "1 picture" if count == 1 else f"{count} pictures"
