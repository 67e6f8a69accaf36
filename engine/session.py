"""Which networks are loaded, when they are freed, and how the recipe reaches them.

Owned by the engine's thread, which is the only one to call it. Persists nothing: a session is a
device, at most one model, and the text states of recent prompts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine import device as devices
from engine import text_to_image
from engine.catalog import Catalog
from engine.loaded_model import LoadedModel
from engine.port import (
    DeviceChosen,
    DevicePreference,
    EngineError,
    EngineEvent,
    EngineFault,
    GenerationRequest,
    JobId,
    JobStarted,
    JobWarned,
    ModelId,
    ModelInfo,
    ModelLoaded,
    Phase,
    PhaseStarted,
)
from engine.resolve import resolve

Emit = Callable[[EngineEvent], None]
Checkpoint = Callable[[], None]


class Session:
    """A device and at most one loaded model; fulfils `engine.thread.Session`."""

    def __init__(
        self, device: devices.Device, catalog: Catalog, cache_folder: Path | None = None
    ) -> None:
        self._device = device
        self._catalog = catalog
        self._cache_folder = cache_folder
        self._model: LoadedModel | None = None
        self._phase: Phase | None = None

    @classmethod
    def open(
        cls,
        *,
        catalog: Catalog,
        preference: DevicePreference,
        index: int,
        gpu_allowed: bool,
        cache_folder: Path | None,
        emit: Emit,
    ) -> Session:
        """Choose the device and say which it is; `EngineFault` DEVICE_UNAVAILABLE if it cannot."""
        try:
            device, reason = devices.choose(preference, index, gpu_allowed=gpu_allowed)
        except EngineFault:
            raise
        except Exception as exception:
            error = devices.explain(exception, str(preference), "open")
            if error is None:
                raise
            raise EngineFault(error) from exception
        emit(DeviceChosen(device=device.info, reason=reason))
        return cls(device, catalog, cache_folder)

    def generate(
        self, job_id: JobId, request: GenerationRequest, emit: Emit, checkpoint: Checkpoint
    ) -> None:
        """Make the pictures of a job; every default filled in and every value checked first."""

        def track(event: EngineEvent) -> None:
            if isinstance(event, PhaseStarted):
                self._phase = event.phase
            emit(event)

        info = self._catalog.find(request.model_id)
        shift = self._catalog.configuration(request.model_id).shift
        resolved = resolve(request, info, shift)
        track(JobStarted(job_id=job_id, resolved=resolved))
        with self._device.activate():
            track(PhaseStarted(job_id=job_id, phase=Phase.LOAD))
            model = self._opened(info)
            for warning in model.warnings(resolved):
                track(JobWarned(job_id=job_id, warning=warning))
            model.prepare(resolved, track, checkpoint)
            text_to_image.text_to_image(job_id, resolved, model, track, checkpoint)
        self._phase = None

    def load(self, model_id: ModelId, emit: Emit, checkpoint: Checkpoint) -> None:
        """Load a model ahead of its first job."""
        info = self._catalog.find(model_id)
        with self._device.activate():
            model = self._opened(info)
            model.load_all(emit, checkpoint)
        emit(ModelLoaded(model_id=model_id))

    def unload(self) -> None:
        """Free the model and give its memory back."""
        self._model = None
        self._device.release_memory()

    def explain(self, error: Exception) -> EngineError | None:
        phase = str(self._phase) if self._phase else "idle"
        return devices.explain(error, self._device.info.name, phase)

    def recover(self) -> None:
        """After a job that did not finish: free its tensors.

        The traceback of the failure keeps them alive until the exception is dropped, which the
        thread has done by now. Networks that are loaded whole stay.
        """
        self._phase = None
        self._device.release_memory()

    def _opened(self, info: ModelInfo) -> LoadedModel:
        if self._model is None or self._model.info != info:
            if self._model is not None:
                self.unload()
            self._model = LoadedModel(
                info,
                self._catalog.configuration(info.model_id),
                self._catalog.folder(info.model_id),
                self._device,
                self._cache_folder,
            )
        return self._model
