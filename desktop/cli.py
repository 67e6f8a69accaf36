"""The commands of the command line, carried out.

Results go to standard output, human text to standard error, and each command returns its exit
status. `desktop.arguments` has understood the words before; here they meet the engine. Whatever is
heavy (the engine, Pillow, rich) is imported by the function that needs it.
"""

from __future__ import annotations

import json
import locale
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TextIO

from desktop import messages, paths
from desktop.arguments import (
    PROMPT_FROM_STDIN,
    GeneratePictures,
    ListModels,
    UsageError,
)
from desktop.job_run import JobRun
from engine.port import (
    MAX_SEED,
    ChooseDevice,
    DevicePreference,
    EngineError,
    EngineFault,
    EnginePort,
    ErrorCode,
    GenerationRequest,
    MachineCheck,
    ModelCatalog,
    ModelInfo,
    PictureSize,
    SelfTest,
)

if TYPE_CHECKING:
    from desktop.terminal import Results


@dataclass(frozen=True, slots=True)
class Backend:
    """Where models and engine come from; tests bring their own."""

    open_catalog: Callable[[], ModelCatalog]
    open_engine: Callable[[ModelCatalog, ChooseDevice], EnginePort]
    choose_device: Callable[[DevicePreference, int | None], ChooseDevice]
    """Raises `gpu_gate.Refused`."""


def real_backend() -> Backend:
    """The models of this machine, and the engine with all processor cores."""
    return Backend(open_catalog=open_catalog, open_engine=open_engine, choose_device=choose_device)


def open_catalog() -> ModelCatalog:
    """The starter model and the user's own."""
    import resources
    from engine.catalog import Catalog

    return Catalog(
        starter_folder=resources.path("starter-model"), model_folders=(paths.models_folder(),)
    )


def open_engine(
    catalog: ModelCatalog, device: ChooseDevice | None = None, spare_cores: int = 0
) -> EnginePort:
    """The real engine, on the CPU unless `device` says something else; it computes with all
    processor cores but `spare_cores`.
    """
    from engine.bootstrap import cores
    from engine.thread import EngineThread

    return EngineThread(
        catalog=catalog,  # pyright: ignore[reportArgumentType] - made by open_catalog
        device=device,
        threads=max(1, cores() - spare_cores),
        cache_folder=paths.cache_folder(),
    )


def has_gpu_code() -> bool:
    """Whether the installed PaddlePaddle could compute on a GPU; milliseconds."""
    from engine import bootstrap

    return bootstrap.has_gpu_code()


def choose_device(preference: DevicePreference, index: int | None) -> ChooseDevice:
    """The device for a command, from the check of this machine. Raises `gpu_gate.Refused`."""
    from desktop import gpu_gate

    return gpu_gate.choose(
        preference,
        index,
        has_gpu_code=has_gpu_code(),
        open_check=open_machine_check,
        open_selftest=open_selftest,
    )


def open_machine_check() -> MachineCheck:
    """The check of this machine, with what was decided about it before."""
    from engine.checks.machine_check import MachineChecker

    return MachineChecker(state_folder=paths.state_folder(), cache_folder=paths.cache_folder())


def open_selftest() -> SelfTest:
    """The self-test, which starts a process of its own."""
    from engine.checks import selftest

    return selftest.SelfTest()


# --- generate -------------------------------------------------------------------------------------


def generate(command: GeneratePictures, backend: Backend, results: Results, human: TextIO) -> int:
    """`danqing generate`."""
    from desktop import destination, generation, gpu_gate, settings, terminal
    from desktop.store import library

    report = generation.Report(results, command.is_json)
    try:
        pattern = destination.pattern_of(settings.load(paths.config_folder()))
        place = replace(destination.parse(command.output, paths.pictures_folder()), pattern=pattern)
        destination.check(place)
        prompt = _prompt_text(command.prompt)
        catalog = backend.open_catalog()
        model = find_model(catalog, command.model)
        request = _request(command, prompt, model)
        destination.check_room(
            place,
            {command.size or model.defaults.size: command.image_count},
            lambda size: library.typical_bytes(paths.state_folder(), size),
        )
        device = backend.choose_device(command.device, command.device_index)
    except UsageError as mistake:
        message = messages.Message(summary=str(mistake), remedy="")
        return report.refused("usage", message, generation.STATUS_USAGE, human)
    except destination.Unwritable as problem:
        return report.refused("unwritable", problem.message, generation.STATUS_COULD_NOT_RUN, human)
    except destination.BadPattern as problem:
        status = generation.STATUS_COULD_NOT_RUN
        return report.refused("file_name_pattern", problem.message, status, human)
    except gpu_gate.Refused as refusal:
        code = ErrorCode.DEVICE_UNAVAILABLE
        return report.refused(code, refusal.message, generation.STATUS_COULD_NOT_RUN, human)
    except EngineFault as fault:
        return report.refused_by(fault.error, human)
    if device.check is not None and not device.allows_gpu and not command.is_json:
        human.write("drawing on the CPU: the GPU is off, and danqing check says why\n")
    engine = backend.open_engine(catalog, device)
    with terminal.open_display(human, is_quiet=command.is_json) as display:
        run = generation.Generation(
            run=JobRun(engine),
            request=request,
            place=place,
            has_metadata=command.has_metadata,
            display=display,
            report=report,
        )
        status = run.make()
        generation.close(run.job_run, status)
    return status


def _prompt_text(given: str) -> str:
    if given != PROMPT_FROM_STDIN:
        return given
    try:
        text = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("PROMPT: standard input is not UTF-8 text") from None
    text = text.rstrip("\r\n")
    if not text.strip():
        raise UsageError("PROMPT: standard input is empty; say what to draw")
    return text


def find_model(catalog: ModelCatalog, wanted: str | None) -> ModelInfo:
    """The model that `--model` names, or the first. Raises `EngineFault` MODEL_MISSING."""
    if wanted is not None:
        return catalog.find(wanted)
    models = catalog.models()
    if not models:
        raise EngineFault(EngineError(code=ErrorCode.MODEL_MISSING))
    return models[0]


def _request(command: GeneratePictures, prompt: str, model: ModelInfo) -> GenerationRequest:
    """The request for the engine. Raises `EngineFault` SIZE_NOT_ALLOWED before anything loads."""
    size = command.size
    if size is not None and model.sizes and size not in model.sizes:
        raise EngineFault(_size_not_allowed(size, model))
    return GenerationRequest(
        prompt=prompt,
        negative_prompt=command.negative_prompt,
        seed=secrets.randbelow(MAX_SEED + 1) if command.seed is None else command.seed,
        width=size.width if size else None,
        height=size.height if size else None,
        steps=command.steps,
        guidance_scale=command.guidance_scale,
        image_count=command.image_count,
        sampler=command.sampler,
        sigma_schedule=command.sigma_schedule,
        model_id=model.model_id,
        decode_tile=command.decode_tile,
        preview=False,
    )


def _size_not_allowed(size: PictureSize, model: ModelInfo) -> EngineError:
    allowed = ", ".join(str(known) for known in model.sizes)
    facts = {"width": size.width, "height": size.height, "allowed": allowed}
    return EngineError(code=ErrorCode.SIZE_NOT_ALLOWED, facts=facts)


# --- other commands -------------------------------------------------------------------------------


def first_picture(backend: Backend, results: Results, human: TextIO) -> int:
    """What `danqing` does where no window can open: one picture of a prompt the model does well."""
    models = backend.open_catalog().models()
    examples = models[0].example_prompts if models else {}
    language = (locale.getlocale()[0] or "en").partition("_")[0]
    prompts = examples.get(language) or examples.get("en") or ("a cat",)
    print(f"drawing “{messages.printable(prompts[0])}”", file=human)
    return generate(GeneratePictures(prompt=prompts[0]), backend, results, human)


def list_models(command: ListModels, backend: Backend, results: Results) -> int:
    """`danqing models list`: id, name and sizes, a model a line."""
    models = backend.open_catalog().models()
    if command.is_json:
        results.line(json.dumps([_model_record(model) for model in models]))
        return 0
    for model in models:
        demo = " (demo)" if model.is_demo else ""
        name = messages.printable(model.name)
        results.line(f"{model.model_id}\t{name}{demo}\t{_sizes_in_words(model)}")
    return 0


def _sizes_in_words(model: ModelInfo) -> str:
    if model.sizes:
        return ", ".join(str(size) for size in model.sizes)
    return f"{model.min_side} to {model.max_side}, multiples of {model.size_multiple}"


def _model_record(model: ModelInfo) -> dict[str, object]:
    defaults = model.defaults
    return {
        "id": model.model_id,
        "name": model.name,
        "family": model.family,
        "is_demo": model.is_demo,
        "sizes": [str(size) for size in model.sizes],
        "defaults": {
            "size": str(defaults.size),
            "steps": defaults.steps,
            "guidance_scale": defaults.guidance_scale,
            "sampler": defaults.sampler,
            "sigma_schedule": defaults.sigma_schedule,
        },
    }
