"""One `danqing generate` while it runs: its events shown, its pictures saved, its exit status.

Separate from `desktop.cli`, which understands the command and finds model and engine for it. Also
owned here: what is reported on standard output, and the exit status of each kind of failure.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import sys
import time
from datetime import datetime
from typing import TYPE_CHECKING, TextIO, assert_never

from desktop import crash, job_run, logs, messages, paths
from desktop.arguments import OPTION_OF_NAME
from desktop.job_run import JobNews, JobRun
from desktop.store import images, library
from engine.port import (
    DeviceChosen,
    EngineError,
    ErrorCode,
    Generate,
    GenerationRequest,
    ImageCompleted,
    JobCancelled,
    JobEnd,
    JobFailed,
    JobFinished,
    JobId,
    JobStarted,
    JobWarned,
    ModelLoading,
    PhaseStarted,
    ResolvedRequest,
    StepCompleted,
    TileDecoded,
)

if TYPE_CHECKING:
    from pathlib import Path

    from desktop.store.images import Destination
    from desktop.terminal import Display, Results

log = logging.getLogger(__name__)

STATUS_DONE = 0
STATUS_FAILED = 1
STATUS_USAGE = 2
STATUS_COULD_NOT_RUN = 3

_STATUS_OF_CODE = {
    ErrorCode.VALUE_NOT_ALLOWED: STATUS_USAGE,
    ErrorCode.SIZE_NOT_ALLOWED: STATUS_USAGE,
    ErrorCode.MODEL_MISSING: STATUS_COULD_NOT_RUN,
    ErrorCode.MODEL_UNREADABLE: STATUS_COULD_NOT_RUN,
    ErrorCode.MODEL_CORRUPT: STATUS_COULD_NOT_RUN,
    ErrorCode.MODEL_UNSUPPORTED: STATUS_COULD_NOT_RUN,
    ErrorCode.MODEL_UNSAFE: STATUS_COULD_NOT_RUN,
    ErrorCode.DEVICE_UNAVAILABLE: STATUS_COULD_NOT_RUN,
    ErrorCode.LIBRARY_MISSING: STATUS_COULD_NOT_RUN,
}
"""Exit status of a failed job; every other code means that the job ran and failed."""

_ENGINE_END_S = 10.0
"""How long the engine may take to stop once its job has ended."""


class Report:
    """Standard output of `generate` or `batch`: JSON lines, or the paths."""

    def __init__(self, results: Results, is_json: bool, command: str = "generate") -> None:
        self._results = results
        self._is_json = is_json
        self._command = command
        self._images: list[dict[str, object]] = []

    def event(self, name: str, **facts: object) -> None:
        if self._is_json:
            self._results.line(json.dumps({"event": name, **facts}))

    def image(self, index: int, path: Path, seed: int, width: int, height: int) -> None:
        record = {"path": str(path), "seed": str(seed), "width": width, "height": height}
        self._images.append(record)
        if self._is_json:
            self.event("image", image=index, **record)
        else:
            self._results.line(str(path))

    def end(self, name: str, error: dict[str, object] | None = None) -> None:
        self.event(name, images=self._images, error=error)

    def mistake(self, text: str) -> None:
        """End because the command line was not understood; `text` is said elsewhere."""
        summary = text.removeprefix(f"danqing {self._command}: ")
        self.end("failed", error_record("usage", messages.Message(summary=summary, remedy="")))

    def refused(self, code: str, message: messages.Message, status: int, human: TextIO) -> int:
        """End before anything ran."""
        human.write(f"danqing {self._command}: {message}\n")
        self.end("failed", error_record(code, message))
        return status

    def refused_by(self, error: EngineError, human: TextIO) -> int:
        log.info("refused: %s %s %s", error.code, dict(error.facts), error.detail)
        return self.refused(error.code, in_options(error), status_of(error), human)


class Generation:
    """One job: shows its events, saves its pictures, knows its exit status."""

    def __init__(
        self,
        *,
        run: JobRun,
        request: GenerationRequest,
        place: Destination,
        has_metadata: bool,
        display: Display,
        report: Report,
    ) -> None:
        self.job_run = run
        self._request = request
        self._place = place
        self._has_metadata = has_metadata
        self._display = display
        self._report = report
        self._started_at = datetime.now().astimezone()
        self._started_at_s = time.monotonic()
        self._save_error: dict[str, object] | None = None

    def make(self) -> int:
        """Run the job to its end; returns the exit status.

        A bug on this side of the engine ends as one on the other side does, so that the engine is
        stopped in order: the interpreter must not end under a thread in native code.
        """
        job_id = JobId(secrets.token_hex(8))
        command = Generate(job_id=job_id, request=self._request)
        try:
            end = self.job_run.run(command, on_news=self._take, on_interrupt=self._say_stopping)
        except Exception as error:
            log.exception("showing or saving pictures failed")
            bug = EngineError(code=ErrorCode.BUG, facts={"exception": type(error).__name__})
            end = JobFailed(job_id=job_id, error=bug, completed_images=0)
        return self._finish(end)

    def _take(self, event: JobNews) -> bool:
        """Take in an event; answers whether the job is still wanted."""
        report = self._report
        match event:
            case DeviceChosen(device=device, reason=reason):
                crash.native_stacks.reclaim()
                log.info("computing on %s (%s): %s", device.name, device.description, reason)
                report.event("device", device=device.name, reason=reason)
                return True
            case ModelLoading(component=component, fraction=fraction):
                report.event("loading", component=component, fraction=fraction)
            case JobStarted(resolved=resolved):
                self._announce(resolved)
            case JobWarned(warning=warning):
                message = messages.describe(warning)
                log.warning("%s: %s", warning.code, dict(warning.facts))
                self._display.say(str(message))
                report.event("warning", code=warning.code, message=str(message))
            case PhaseStarted(phase=phase, image_index=index):
                report.event("phase", phase=phase, image=index)
            case StepCompleted(image_index=index, step=step, steps=steps, sigma=sigma):
                report.event("step", image=index, step=step, steps=steps, sigma=sigma)
            case TileDecoded(image_index=index, tile=tile, tiles=tiles):
                report.event("tile", image=index, tile=tile, tiles=tiles)
            case ImageCompleted():
                self._display.follow(event)
                return self._save(event)
            case _:
                assert_never(event)
        self._display.follow(event)
        return True

    def _announce(self, resolved: ResolvedRequest) -> None:
        log.info("job of %s pictures started", resolved.image_count)
        log.debug("prompt %r, negative %r", resolved.prompt, resolved.negative_prompt)
        self._report.event("started", **resolved_record(resolved))
        self._display.say(
            f"{resolved.width}x{resolved.height}, {resolved.steps} steps of {resolved.sampler}, "
            f"guidance {resolved.guidance_scale:g}, seed {resolved.seed}"
        )

    def _save(self, event: ImageCompleted) -> bool:
        """Save a picture where it belongs, or where it is safe; False if neither works."""
        image, provenance = event.image, event.provenance
        told = (provenance, self._request) if self._has_metadata else (None, None)
        facts = images.facts_of(event, self._started_at)
        for place in (self._place, images.Destination(paths.rescue_folder())):
            try:
                data = images.encode(image, place.ending, told[0], told[1])
                path = images.save(data, place, facts).absolute()
            except OSError as error:
                self._tell_save_failure(error, place)
                continue
            library.remember(
                paths.state_folder(), path, (paths.pictures_folder(), paths.rescue_folder())
            )
            self._tell_saved(path, place)
            with self._display.paused():
                self._report.image(event.index, path, provenance.seed, image.width, image.height)
            return True
        self._display.say("The picture is lost; nothing more is drawn.")
        return False

    def _tell_save_failure(self, error: OSError, place: Destination) -> None:
        log.warning("a picture cannot be saved in %s: %s", place.folder, error)
        message = messages.describe_save_failure(error, str(place.folder))
        self._display.say(str(message))
        self._save_error = self._save_error or error_record("save_failed", message)

    def _tell_saved(self, path: Path, place: Destination) -> None:
        took_s = time.monotonic() - self._started_at_s
        if self._save_error is not None and place is not self._place:
            self._display.say(f"The picture is not lost: it is {path}")
        elif place.stem is not None and path.stem != place.stem:
            self._display.say(f"{place.stem}{path.suffix} exists, so this one is {path.name}")
        self._display.say(f"saved after {took_s:.1f} s")

    def _say_stopping(self) -> None:
        self._display.say("stopping; Ctrl+C once more ends at once")

    def _finish(self, end: JobEnd) -> int:
        match end:
            case JobFailed(error=error):
                log.warning("the job failed: %s %s %s", error.code, dict(error.facts), error.detail)
                message = in_options(error)
                self._display.say(f"danqing generate: {message}")
                self._report.end("failed", error_record(error.code, message))
                return status_of(error)
            case JobCancelled() if self.job_run.is_interrupted:
                self._display.say("stopped")
                self._report.end("cancelled")
                return job_run.STATUS_INTERRUPTED
            case JobCancelled() | JobFinished():
                if self._save_error is None and isinstance(end, JobFinished):
                    self._report.end("finished")
                    return STATUS_DONE
                self._report.end("failed", self._save_error)
                return STATUS_FAILED
            case _:
                assert_never(end)


def close(run: JobRun, status: int) -> None:
    if run.close(_ENGINE_END_S):
        return
    # Everything is on disk; a thread that hangs in native code must not keep the process.
    log.error("the engine did not stop within %s s", _ENGINE_END_S)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def status_of(error: EngineError) -> int:
    """The exit status of a job that failed with `error`."""
    return _STATUS_OF_CODE.get(error.code, STATUS_FAILED)


def in_options(error: EngineError) -> messages.Message:
    """The error in words, with the command line's own names for what can be set."""
    name = error.facts.get("name")
    if error.code is ErrorCode.VALUE_NOT_ALLOWED and name in OPTION_OF_NAME:
        facts = {**error.facts, "name": OPTION_OF_NAME[str(name)]}
        error = EngineError(code=error.code, facts=facts, detail=error.detail)
    log_file = paths.state_folder() / logs.FILE_NAME
    if error.code is ErrorCode.BUG and log_file.exists():
        error = EngineError(code=error.code, facts={**error.facts, "log": str(log_file)})
    message = messages.describe(error)
    if error.code is ErrorCode.SIZE_NOT_ALLOWED:
        return messages.Message(summary=f"--size: {message.summary}", remedy=message.remedy)
    return message


def error_record(code: str, message: messages.Message) -> dict[str, object]:
    return {"code": str(code), "summary": message.summary, "remedy": message.remedy}


def resolved_record(resolved: ResolvedRequest) -> dict[str, object]:
    return {
        "prompt": resolved.prompt,
        "negative_prompt": resolved.negative_prompt,
        "seed": str(resolved.seed),
        "width": resolved.width,
        "height": resolved.height,
        "steps": resolved.steps,
        "guidance_scale": resolved.guidance_scale,
        "sampler": resolved.sampler,
        "sigma_schedule": resolved.sigma_schedule,
        "image_count": resolved.image_count,
        "model": resolved.model_id,
    }
