"""The models of this machine: the one that ships with the program, and the user's own.

Fulfils `engine.port.ModelCatalog`. Separate from the session, which loads what is found here; this
answers before PaddlePaddle has loaded and reads small files only. Nothing is remembered of a model
but its folder: each answer is read anew, so that what changed on disk shows at once.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.model_folder import INDEX, ModelConfiguration, read_configuration, read_info
from engine.port import EngineError, EngineFault, ErrorCode, ModelId, ModelInfo
from engine.weights.faults import missing

__all__ = ["Catalog", "ModelConfiguration"]

log = logging.getLogger(__name__)


class Catalog:
    """Finds models in `starter_folder`, and in each of `model_folders`.

    An entry of `model_folders` is a model's folder or a folder of such; it need not exist.
    """

    def __init__(self, starter_folder: Path, model_folders: Sequence[Path]) -> None:
        self._starter_folder = starter_folder
        self._model_folders = tuple(model_folders)
        self._folders: dict[ModelId, Path] = {}
        self._reported: set[str] = set()

    def models(self) -> list[ModelInfo]:
        """All models that can be used, the starter model first; others are named in the log."""
        found = []
        for folder in self._candidates():
            try:
                found.append(self._read(folder))
            except EngineFault as fault:
                self._report(str(fault))
        return found

    def find(self, model: str) -> ModelInfo:
        """The model with this id, or in this folder (or with this `model_index.json`).

        A folder found once is known by its id from then on. Raises `EngineFault` as
        `model_folder.read_info` does, and MODEL_MISSING for an unknown name.
        """
        folder = self._known_folder(model)
        if folder is not None:
            return self._read(folder)
        path = Path(model).expanduser()
        if path.name == INDEX:
            path = path.parent
        if not os.path.lexists(path):
            if path.name != model:
                raise missing(path)
            facts = {"model": model, "known": ", ".join(self._folders)}
            raise EngineFault(EngineError(code=ErrorCode.MODEL_MISSING, facts=facts))
        return self._read(path)

    def folder(self, model_id: ModelId) -> Path:
        """The folder of a model. Raises `EngineFault` MODEL_MISSING for an unknown id."""
        folder = self._known_folder(model_id)
        if folder is None:
            facts = {"model": model_id, "known": ", ".join(self._folders)}
            raise EngineFault(EngineError(code=ErrorCode.MODEL_MISSING, facts=facts))
        return folder

    def configuration(self, model_id: ModelId) -> ModelConfiguration:
        """The networks' configuration. Raises as `folder` and `model_folder.read_info` do."""
        return read_configuration(self.folder(model_id))

    def _known_folder(self, model: str) -> Path | None:
        """The folder of an id; looks for new models when the id is not known yet."""
        model_id = ModelId(model)
        if model_id not in self._folders:
            self.models()
        return self._folders.get(model_id)

    def _report(self, fault: str) -> None:
        """Say once what is wrong with a model that was left out."""
        if fault not in self._reported:
            self._reported.add(fault)
            log.warning("not in the list of models: %s", fault)

    def _candidates(self) -> Iterator[Path]:
        """Folders that look like models, in a stable order."""
        yield self._starter_folder
        for folder in self._model_folders:
            if (folder / INDEX).exists():
                yield folder
            elif folder.is_dir():
                yield from sorted(path.parent for path in folder.glob(f"*/{INDEX}"))

    def _read(self, folder: Path) -> ModelInfo:
        """The model's information, under an id that no other folder has."""
        folder = folder.absolute()
        info = read_info(folder)
        owner = self._folders.get(info.model_id, folder)
        if owner.resolve() != folder.resolve():
            place = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:6]
            info = replace(info, model_id=ModelId(f"{info.model_id}-{place}"))
        self._folders[info.model_id] = folder
        return info
