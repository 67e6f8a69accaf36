"""The door between the two rooms: every type that the desktop may see of the engine.

Owned here: requests, commands, events, errors, what is known of a model and what the check of the
machine found, all of them frozen values; and the protocols `EnginePort`, `ModelCatalog`,
`MachineCheck` and `SelfTest` that the engine fulfils. Separate, and
limited to the standard library, so that a window can be on screen before PaddlePaddle loads and so
that no widget ever learns of tensors. Pixels cross as `RgbImage`, never as arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NewType, Protocol

JobId = NewType("JobId", str)
ModelId = NewType("ModelId", str)

MAX_SEED = 2**64 - 1
"""Largest seed: the noise generator's key is one 64-bit word."""


# --- values ---------------------------------------------------------------------------------------


class Sampler(StrEnum):
    """How the probability-flow ODE is integrated."""

    EULER = "euler"
    DPMPP_2M = "dpmpp_2m"


class SigmaSchedule(StrEnum):
    """Where the sampler steps: the spacing of the noise levels."""

    SHIFTED = "shifted"
    """The checkpoint's own grid: uniform in sigma, then shifted towards noise."""
    UNIFORM = "uniform"
    """Uniform in sigma, no shift."""


class ModelFamily(StrEnum):
    ERNIE_IMAGE = "ernie_image"


class DevicePreference(StrEnum):
    """What the user asked for; `AUTO` takes a usable GPU if there is one, else the CPU."""

    AUTO = "auto"
    CPU = "cpu"
    GPU = "gpu"


@dataclass(frozen=True, slots=True, kw_only=True)
class RgbImage:
    """A picture: `data` holds height * width * 3 bytes, rows top to bottom, sRGB."""

    width: int
    height: int
    data: bytes

    def __post_init__(self) -> None:
        if len(self.data) != self.width * self.height * 3:
            raise ValueError(f"{len(self.data)} bytes for {self.width}x{self.height} RGB")


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSize:
    """Width and height in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationDefaults:
    """What a model is used with when the user says nothing else."""

    size: PictureSize
    steps: int
    guidance_scale: float
    sampler: Sampler
    sigma_schedule: SigmaSchedule


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """What is known of a model without loading it.

    `sizes` lists the only sizes the model can draw; empty means any size whose sides are multiples
    of `size_multiple` between `min_side` and `max_side` pixels, and `recommended_sizes` are good.
    `example_prompts` maps a language code (`en`, `zh`) to prompts that the model does well.
    """

    model_id: ModelId
    name: str
    family: ModelFamily
    is_demo: bool
    defaults: GenerationDefaults
    sizes: tuple[PictureSize, ...] = ()
    recommended_sizes: tuple[PictureSize, ...] = ()
    size_multiple: int = 16
    min_side: int = 256
    max_side: int = 2048
    example_prompts: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest:
    """What the user asks for. `None` means "the model's default".

    `seed` is 0 .. 2**64 - 1 and belongs to the first picture; picture i uses `seed + i` modulo
    2**64. `decode_tile` bounds the VAE decode's working memory: that many rows of pixels at a time,
    0 for the whole picture at once, `None` for what suits the device. The decode is exact, so it
    changes memory and time, never the picture.
    """

    prompt: str
    seed: int
    negative_prompt: str = ""
    width: int | None = None
    height: int | None = None
    steps: int | None = None
    guidance_scale: float | None = None
    image_count: int = 1
    sampler: Sampler | None = None
    sigma_schedule: SigmaSchedule | None = None
    model_id: ModelId
    decode_tile: int | None = None
    preview: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedRequest:
    """A request with every default filled in: what is really computed, and what is recorded."""

    prompt: str
    negative_prompt: str
    width: int
    height: int
    steps: int
    guidance_scale: float
    seed: int
    image_count: int
    sampler: Sampler
    sigma_schedule: SigmaSchedule
    shift: float
    model_id: ModelId
    decode_tile: int | None
    preview: bool

    def image_seed(self, index: int) -> int:
        """The seed of picture `index` (0-based) of this job."""
        return (self.seed + index) % (MAX_SEED + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceInfo:
    """The device that computes: `name` is `cpu`, `gpu:0`, ...; dtypes by network.

    `missing_operations` names what a GPU cannot do in bfloat16: why a network uses float32 there.
    """

    name: str
    description: str
    dtypes: Mapping[str, str]
    missing_operations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Everything needed to make the same picture again; what the metadata writers record.

    `model_sha256` is the digest over the transformer's files in name order; `library` names the
    array library and its version, `noise` the noise generator.
    """

    resolved: ResolvedRequest
    seed: int
    model_name: str
    model_sha256: str
    library: str
    device: DeviceInfo
    noise: str
    tile: str
    danqing_version: str
    check: CheckRecord | None = None
    """None: the machine had not been checked."""


# --- errors ---------------------------------------------------------------------------------------


class ErrorCode(StrEnum):
    """What went wrong, for the interface to put into words. Facts expected with each code:"""

    MODEL_MISSING = "model_missing"  # path, or model and known (names)
    MODEL_UNREADABLE = "model_unreadable"  # file, reason
    MODEL_CORRUPT = "model_corrupt"  # file, reason (see engine.weights), tensor when there is one
    MODEL_UNSUPPORTED = "model_unsupported"  # file, found
    MODEL_UNSAFE = "model_unsafe"  # file (a pickle: never opened)
    VALUE_NOT_ALLOWED = "value_not_allowed"  # name, value, allowed
    SIZE_NOT_ALLOWED = "size_not_allowed"  # width, height, allowed
    PROMPT_TRUNCATED = "prompt_truncated"  # tokens (that count); a warning, the job goes on
    OUT_OF_MEMORY = "out_of_memory"  # device, phase; needed_bytes and free_bytes when known
    DEVICE_UNAVAILABLE = "device_unavailable"  # device, reason
    DEVICE_LOST = "device_lost"  # device, phase
    NON_FINITE_LATENT = "non_finite_latent"  # phase, step
    LIBRARY_MISSING = "library_missing"  # library, reason
    SNAPSHOT_UNREADABLE = "snapshot_unreadable"  # file, reason (see engine.checks.recorded)
    FILE_NOT_WRITTEN = "file_not_written"  # file, reason
    ENGINE_STOPPED = "engine_stopped"  # the engine was shut down before the job ran
    BUG = "bug"  # exception (its class name)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineError:
    """A failure as data. `detail` is technical text for the log and for bug reports only."""

    code: ErrorCode
    facts: Mapping[str, str | int | float] = field(default_factory=dict[str, str | int | float])
    detail: str = ""


class EngineFault(Exception):
    """An expected problem inside the engine; carries its `EngineError` across the port."""

    def __init__(self, error: EngineError) -> None:
        facts = ", ".join(f"{key}={value}" for key, value in error.facts.items())
        super().__init__(f"{error.code}: {facts}")
        self.error = error


# --- the check of this machine --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sentence:
    """English with named placeholders, and what to put in them; the desktop translates `template`.

    A sentence in which a value stands alone, such as a file's content, is `verbatim`.
    """

    template: str
    values: Mapping[str, str] = field(default_factory=dict[str, str])

    @staticmethod
    def verbatim(text: str) -> Sentence:
        """`text` as it is: a measured value, which no language changes."""
        return Sentence("{text}", {"text": text})

    @staticmethod
    def command(text: str) -> Sentence:
        """A command for a terminal: to be copied as it is."""
        return Sentence("{command}", {"command": text})

    @property
    def is_command(self) -> bool:
        return self.template == "{command}"

    def __str__(self) -> str:
        return self.template.format_map(self.values)


class Verdict(StrEnum):
    PASS = "pass"  # noqa: S105 - a verdict
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"
    """It could not be seen; never taken for either answer."""
    NOT_APPLICABLE = "na"
    INFO = "info"
    """Shown for reports, never judged."""
    CRASHED = "crashed"
    """The rule itself failed: a bug in Danqing."""


class GpuKind(StrEnum):
    DISCRETE = "discrete"
    INTEGRATED = "integrated"
    ACCELERATOR = "accelerator"
    VIRTUAL = "virtual"
    PARTITION = "partition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A graphics processor of the machine; `None` is what the machine did not say.

    `key` is its PCI address (`0000:0a:00.0`), `kfd:N`, or `agent:N`; `pci_id` is vendor and device
    (`1002:7551`); `gfx` its instruction set (`gfx1201`). `is_usable`: nothing speaks against it.
    """

    key: str
    name: str
    pci_id: str | None
    gfx: str | None
    vram_bytes: int | None
    kind: GpuKind
    is_usable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One row of the check: `gpu` is the key of the GPU that it is about, or None.

    `blocks`: a `fail` of this row keeps generation on the GPU off. `source` says where the value
    was read (a path, a variable, a log).
    """

    id: str
    gpu: str | None = None
    verdict: Verdict
    blocks: bool
    measured: Sentence
    expected: Sentence
    summary: Sentence
    fix: tuple[Sentence, ...] = ()
    source: str


class Gate(StrEnum):
    """Whether pictures may be made on the GPU; the CPU is never gated."""

    OPEN = "open"
    NEEDS_SELFTEST = "needs_selftest"
    NEEDS_ACKNOWLEDGEMENT = "needs_acknowledgement"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRecord:
    """What the check of this machine said when a device was chosen; recorded in every picture.

    `acknowledged` are ids of checks whose warnings were read.
    """

    gate: Gate
    acknowledged: tuple[str, ...] = ()
    is_overridden: bool = False

    @property
    def allows_gpu(self) -> bool:
        return self.gate is Gate.OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the check of a machine found, and what follows from it.

    `blocked_by` and `acknowledge` are ids of checks. `combination` names what a passed self-test
    holds for (driver, kernel, ...), `changed` its parts that differ from the last passed one's.
    `is_overridden`: the user opened a blocked gate; it is then `OPEN` with `blocked_by` kept.
    """

    gate: Gate
    blocked_by: tuple[str, ...]
    acknowledge: tuple[str, ...]
    chosen_gpu: str | None
    reason: Sentence
    gpus: tuple[Gpu, ...]
    checks: tuple[CheckResult, ...]
    combination: Mapping[str, str] = field(default_factory=dict[str, str])
    changed: tuple[str, ...] = ()
    acknowledged: tuple[str, ...] = ()
    is_overridden: bool = False

    @property
    def allowed(self) -> bool:
        """Pictures may be made on the GPU."""
        return self.gate is Gate.OPEN

    @property
    def record(self) -> CheckRecord:
        """What pictures say of it."""
        return CheckRecord(
            gate=self.gate, acknowledged=self.acknowledged, is_overridden=self.is_overridden
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What one kind of line in a log means: `line` is the first such line, `count` how many."""

    signature: str
    verdict: Verdict
    check: str | None
    line: str
    count: int
    cause: Sentence
    fix: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestStep:
    """One step of the self-test is done. `detail` is technical text, for reports.

    `summary` says what it means that the step did not pass, `fix` what to do; None and empty else.
    """

    name: str
    verdict: Verdict
    measured: Sentence
    expected: Sentence
    seconds: float
    summary: Sentence | None = None
    fix: tuple[Sentence, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestResult:
    """How a self-test ended; `combination` is that of the report it was run for."""

    verdict: Verdict
    finished: str  # ISO 8601, UTC
    combination: Mapping[str, str]
    steps: tuple[SelfTestStep, ...] = ()


# --- commands -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadModel:
    model_id: ModelId


@dataclass(frozen=True, slots=True, kw_only=True)
class UnloadModel:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    job_id: JobId
    request: GenerationRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseDevice:
    """Compute on this device from now on, after the jobs that were submitted before.

    A GPU is taken only if `check` allows it; None: the machine has not been checked. Where another
    device follows from it, the loaded model is freed and a `DeviceChosen` follows.
    """

    preference: DevicePreference = DevicePreference.AUTO
    index: int = 0
    check: CheckRecord | None = None

    @property
    def allows_gpu(self) -> bool:
        return self.check is not None and self.check.allows_gpu


@dataclass(frozen=True, slots=True, kw_only=True)
class Shutdown:
    """Cancel what runs, fail nothing: waiting jobs end as cancelled, then the thread ends."""


Command = LoadModel | UnloadModel | Generate | ChooseDevice | Shutdown


class CancelWhen(StrEnum):
    NOW = "now"
    AFTER_IMAGE = "after_image"


# --- events ---------------------------------------------------------------------------------------


class Phase(StrEnum):
    LOAD = "load"
    ENCODE = "encode"
    DENOISE = "denoise"
    DECODE = "decode"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStarted:
    job_id: JobId
    resolved: ResolvedRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class JobWarned:
    """Something that the user should know about a job that goes on."""

    job_id: JobId
    warning: EngineError


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseStarted:
    """`image_index` is the 0-based picture the phase belongs to (0 for phases before the first)."""

    job_id: JobId
    phase: Phase
    image_index: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCompleted:
    """Step `step` (1-based) of `steps` is done; `sigma` is the noise level now reached."""

    job_id: JobId
    image_index: int
    step: int
    steps: int
    sigma: float
    preview: RgbImage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TileDecoded:
    """`tile` of `tiles` pieces of the VAE decode are done; rises to `tiles`, perhaps by leaps."""

    job_id: JobId
    image_index: int
    tile: int
    tiles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageCompleted:
    job_id: JobId
    index: int
    image: RgbImage
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFinished:
    job_id: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCancelled:
    job_id: JobId
    completed_images: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFailed:
    job_id: JobId
    error: EngineError
    completed_images: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLoading:
    """`component` is `text_encoder`, `transformer` or `vae`; `fraction` is 0 .. 1 of its bytes."""

    model_id: ModelId
    component: str
    fraction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLoaded:
    model_id: ModelId


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUnloaded:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed:
    """A `LoadModel` command failed; jobs report their own failures as `JobFailed`."""

    model_id: ModelId
    error: EngineError


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceChosen:
    """`reason` is one of `requested`, `only_device`, `gpu_usable`, `gpu_unusable`."""

    device: DeviceInfo
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStopped:
    """The last event of an engine. `error` is None after a `Shutdown`."""

    error: EngineError | None = None


JobProgress = JobStarted | JobWarned | PhaseStarted | StepCompleted | TileDecoded | ImageCompleted
JobEnd = JobFinished | JobCancelled | JobFailed
JobEvent = JobProgress | JobEnd
EngineEvent = (
    JobEvent
    | ModelLoading
    | ModelLoaded
    | ModelUnloaded
    | ModelFailed
    | DeviceChosen
    | EngineStopped
)


# --- what the engine offers -----------------------------------------------------------------------


class EnginePort(Protocol):
    """An engine: commands in, events out.

    Every event is delivered by calling `on_event` on the engine's own thread, in order; a receiver
    hands it to its own thread. Each submitted `Generate` ends in exactly one of `JobFinished`,
    `JobCancelled`, `JobFailed`, and nothing about the job follows it. The last event of all is
    `EngineStopped`.
    """

    def start(self, on_event: Callable[[EngineEvent], None]) -> None:
        """Start the engine's thread; call once."""
        ...

    def submit(self, command: Command) -> None:
        """Queue a command; returns at once. Several may wait; one runs at a time."""
        ...

    def cancel(self, job_id: JobId, when: CancelWhen = CancelWhen.NOW) -> None:
        """Ask that a waiting or running job ends; unknown and ended jobs are ignored."""
        ...

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the thread to end after `Shutdown`; True if it has."""
        ...


class ModelCatalog(Protocol):
    """The models that this machine has; reads small files only, never weights."""

    def models(self) -> Sequence[ModelInfo]:
        """All known models, the starter model first."""
        ...

    def find(self, model: str) -> ModelInfo:
        """The model with this id, or in this folder.

        Raises `EngineFault`: MODEL_MISSING, MODEL_UNSUPPORTED, MODEL_UNSAFE, MODEL_CORRUPT or
        MODEL_UNREADABLE.
        """
        ...


class MachineCheck(Protocol):
    """Checks machines: this one, or a recorded one. Not an engine command, since it must not wait
    behind a picture; every method may be called in a worker thread.
    """

    def check(self, snapshot: Path | None = None, *, probe: bool = True) -> Report:
        """Judge this machine, or the one recorded in the folder or zip `snapshot`.

        `probe` lets a child process ask the installed PaddlePaddle what it can do (seconds, once
        per installation). Raises `EngineFault`: SNAPSHOT_UNREADABLE.
        """
        ...

    def save_bundle(
        self, file: Path, snapshot: Path | None = None, *, probe: bool = True
    ) -> Report:
        """Write what `check` looked at, without anything personal, and its report, to a zip.

        An existing file is replaced. Raises `EngineFault`: SNAPSHOT_UNREADABLE, FILE_NOT_WRITTEN.
        """
        ...

    def report_json(self, report: Report) -> str:
        """The report as one JSON object, in English; nothing personal is taken out."""
        ...

    def report_text(self, report: Report, limit: int) -> str:
        """The report as text for an issue: nothing personal, at most `limit` characters."""
        ...

    def explain(self, text: str) -> Sequence[Explanation]:
        """What is known in `text`, pasted from a log or a terminal; the worst first."""
        ...

    def record_selftest(self, result: SelfTestResult) -> None:
        """Keep a self-test's result for its combination. Raises `EngineFault`: FILE_NOT_WRITTEN."""
        ...

    def last_selftest(self, report: Report) -> SelfTestResult | None:
        """The latest result for the report's combination."""
        ...

    def acknowledge(self, report: Report, ids: Sequence[str]) -> None:
        """Keep that the user has read these warnings, for the report's combination."""
        ...

    def override(self, report: Report, *, is_on: bool) -> None:
        """Open a blocked gate against advice, or take that back, for the report's combination."""
        ...


class SelfTest(Protocol):
    """Proves that a device computes rightly, in a process of its own. Call in a worker thread."""

    def steps(self, *, full_memory: bool = False) -> Sequence[str]:
        """The names of all steps, in order."""
        ...

    def run(
        self,
        device: DevicePreference,
        index: int = 0,
        *,
        full_memory: bool = False,
        on_begin: Callable[[str], None] | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> Generator[SelfTestStep, None, None]:
        """Each step as it is done, every one exactly once, whatever happens to the process.

        `on_begin` hears the name of the step that begins; `is_cancelled` is asked several times a
        second, and what has not been done then ends as `unknown`. Closing the generator ends the
        process. `verdict_of` sums the steps up.
        """
        ...

    def index_of(self, gpu: str) -> int | None:
        """The number that the engine knows this GPU by (its key in the report), if it can be told.

        The visible GPUs are numbered, so that `HIP_VISIBLE_DEVICES` and the like count.
        """
        ...

    def verdict_of(self, steps: Sequence[SelfTestStep]) -> Verdict:
        """`pass`, `fail`, or `unknown` if no step failed but some could not be run."""
        ...
