"""One model's networks: loaded when a picture needs them, freed when memory is short.

Fulfils `text_to_image.Networks`, so that the recipe need not know of files, number formats or
budgets. `engine.memory` decides what is freed before what; this module does it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path

import numpy as np

from engine import device as devices
from engine import memory, ops, weights
from engine._version import __version__
from engine.catalog import ModelConfiguration
from engine.memory import Component
from engine.networks import text_encoder, transformer, vae
from engine.port import (
    EngineError,
    EngineEvent,
    EngineFault,
    ErrorCode,
    ModelInfo,
    ModelLoading,
    Phase,
    Provenance,
    ResolvedRequest,
)
from engine.sampling import noise
from engine.sampling.step import Array, Velocities
from engine.tokenizer import Tokenizer
from engine.weights.faults import Reason, corrupt
from engine.weights.finite import require_finite

Emit = Callable[[EngineEvent], None]
Checkpoint = Callable[[], None]

TRAIN_TIMESTEPS = 1000
"""The transformer reads a noise level sigma as the timestep 1000 * sigma, not rounded."""

_REMEMBERED_PROMPTS = 16
_ITEM_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}


class LoadedModel:
    """The networks of the model in `folder`, on `device`."""

    def __init__(
        self,
        info: ModelInfo,
        configuration: ModelConfiguration,
        folder: Path,
        device: devices.Device,
        cache_folder: Path | None,
    ) -> None:
        self.info = info
        self.latent_channels: int
        self._folder = folder
        self._device = device
        self._cache_folder = cache_folder
        self._transformer_config = transformer.TransformerConfig.from_json(
            configuration.transformer, str(folder / "transformer/config.json")
        )
        self._text_config = text_encoder.TextEncoderConfig.from_json(
            configuration.text_encoder, str(folder / "text_encoder/config.json")
        )
        self._vae_config = vae.VaeConfig.from_json(
            configuration.vae, str(folder / "vae/config.json")
        )
        self._tokenizer = Tokenizer.from_folder(folder / "tokenizer")
        largest = self._tokenizer.largest_id
        if largest >= self._text_config.vocab_size:
            file = folder / "tokenizer/tokenizer.json"
            raise corrupt(file, Reason.TOKENS_UNKNOWN, entry=largest)
        self._expected = {
            Component.TEXT_ENCODER: text_encoder.expected_tensors(self._text_config),
            Component.TRANSFORMER: transformer.expected_tensors(self._transformer_config),
            Component.VAE: vae.expected_tensors(self._vae_config),
        }
        self._unused = {
            Component.TEXT_ENCODER: (
                *text_encoder.UNUSED,
                text_encoder.unused_layer(self._text_config),
            ),
            Component.VAE: vae.UNUSED,
        }
        self._networks: dict[Component, object] = {}
        self._text_states: OrderedDict[str, ops.Tensor] = OrderedDict()
        self._free_before = dict.fromkeys(Component, frozenset[Component]())
        self._sha256: str | None = None
        self._emit: Emit = _nobody
        self.latent_channels = self._transformer_config.in_channels
        self.pixels_per_latent = self._vae_config.scale
        self.preview_factors = configuration.preview_factors

    # --- loading ----------------------------------------------------------------------------------

    def prepare(self, request: ResolvedRequest, emit: Emit, checkpoint: Checkpoint) -> None:
        """Plan the job's memory, and load at once what may stay loaded throughout.

        Raises `EngineFault` OUT_OF_MEMORY before any work if the job cannot fit.
        """
        self._emit = emit
        plan = self._plan(request)
        if not plan.fits:
            facts = {
                "device": self._device.info.name,
                "phase": str(Phase.LOAD),
                "needed_bytes": plan.peak_bytes,
                "free_bytes": plan.budget_bytes,
            }
            raise EngineFault(EngineError(code=ErrorCode.OUT_OF_MEMORY, facts=facts))
        self._free_before = plan.free_before
        if self._sha256 is None:
            self._sha256 = weights.transformer_sha256(self._folder, self._cache_folder, checkpoint)
        if not any(plan.free_before.values()):
            self.load_all(emit, checkpoint)

    def warnings(self, request: ResolvedRequest) -> list[EngineError]:
        """What of the request is not honoured in full: texts beyond the model's limit are cut."""
        texts = (request.prompt, request.negative_prompt)
        encodings = [self._tokenizer.encode(text) for text in texts]
        return [
            EngineError(code=ErrorCode.PROMPT_TRUNCATED, facts={"tokens": len(encoding.ids)})
            for encoding in encodings
            if encoding.truncated
        ]

    def load_all(self, emit: Emit, checkpoint: Checkpoint) -> None:
        """Load every network that is not loaded."""
        self._emit = emit
        for component in Component:
            self._network(component, checkpoint)

    def _plan(self, request: ResolvedRequest) -> memory.Residency:
        items = {c: _ITEM_BYTES[self._device.info.dtypes[c]] for c in Component}
        stored = {
            c: items[c] * sum(prod(shape) for shape in self._expected[c].values())
            for c in Component
        }
        text_length = max(
            len(self._token_ids("prompt", request.prompt)),
            len(self._token_ids("negative_prompt", request.negative_prompt)),
        )
        patches = (request.width * request.height) // self.pixels_per_latent**2
        config = self._transformer_config
        working = {
            Component.TEXT_ENCODER: memory.encode_working_bytes(
                tokens=text_length,
                hidden=self._text_config.hidden_size,
                feed_forward=self._text_config.intermediate_size,
                item_bytes=items[Component.TEXT_ENCODER],
            ),
            Component.TRANSFORMER: memory.denoise_working_bytes(
                tokens=(2 if request.guidance_scale > 1.0 else 1) * (patches + text_length),
                hidden=config.hidden_size,
                feed_forward=config.ffn_hidden_size,
                heads=config.num_attention_heads,
                item_bytes=items[Component.TRANSFORMER],
            ),
            Component.VAE: memory.decode_working_bytes(
                width=request.width,
                height=request.height,
                widest_channels=max(self._vae_config.channels[:2]),
                item_bytes=items[Component.VAE],
                in_strips=self._device.info.name == "cpu",
            ),
        }
        return memory.residency(stored, working, self._device.budget_bytes())

    def _network(self, component: Component, checkpoint: Checkpoint) -> object:
        """The network, loaded if need be, after freeing what the plan frees before it."""
        freed = [other for other in self._free_before[component] if other in self._networks]
        for other in freed:
            del self._networks[other]
        if freed:
            self._device.release_memory()
        if component not in self._networks:
            self._networks[component] = self._load(component, checkpoint)
        return self._networks[component]

    def _load(self, component: Component, checkpoint: Checkpoint) -> object:
        def on_progress(fraction: float) -> None:
            self._emit(
                ModelLoading(
                    model_id=self.info.model_id, component=str(component), fraction=fraction
                )
            )

        tensors = weights.read_tensors(
            self._folder,
            str(component),
            self._expected[component],
            compute_dtype=self._device.info.dtypes[component],
            strip_prefixes=(text_encoder.PREFIXES if component is Component.TEXT_ENCODER else ()),
            ignore=self._unused.get(component, ()),
            as_stored=(text_encoder.EMBEDDING,),
            checkpoint=checkpoint,
            on_progress=on_progress,
        )
        match component:
            case Component.TEXT_ENCODER:
                return text_encoder.TextEncoder(self._text_config, tensors)
            case Component.TRANSFORMER:
                return transformer.Transformer(self._transformer_config, tensors)
            case Component.VAE:
                return vae.VaeDecoder(self._vae_config, tensors)

    def _token_ids(self, name: str, text: str) -> list[int]:
        """Raises `EngineFault` VALUE_NOT_ALLOWED for text beyond the encoder's attention window."""
        ids = self._tokenizer.encode(text).ids
        window = self._text_config.sliding_window
        if window is not None and len(ids) > window:
            allowed = f"at most {window} tokens"
            facts = {"name": name, "value": f"{len(ids)} tokens", "allowed": allowed}
            raise EngineFault(EngineError(code=ErrorCode.VALUE_NOT_ALLOWED, facts=facts))
        return ids

    # --- what the recipe asks for -----------------------------------------------------------------

    def encode(self, prompt: str, checkpoint: Checkpoint) -> ops.Tensor:
        """Text states (T, D). Recent prompts are remembered: a batch of one prompt encodes once."""
        states = self._text_states.pop(prompt, None)
        if states is None:
            network = self._network(Component.TEXT_ENCODER, checkpoint)
            assert isinstance(network, text_encoder.TextEncoder)
            states = network(self._token_ids("prompt", prompt), checkpoint)
        self._text_states[prompt] = states
        if len(self._text_states) > _REMEMBERED_PROMPTS:
            self._text_states.popitem(last=False)
        return states

    def velocities(
        self, texts: Sequence[ops.Tensor], height: int, width: int, checkpoint: Checkpoint
    ) -> Velocities:
        """The transformer under these texts, with the position tables made once.

        Each call asks for the network anew: holding it here would keep in memory what the plan
        frees before the decode.
        """
        dtype = self._device.info.dtypes[Component.TRANSFORMER]
        states = [ops.cast_to(text, dtype) for text in texts]
        positions: transformer.Positions | None = None

        def velocities(x: Array, sigma: float) -> list[Array]:
            nonlocal positions
            network = self._network(Component.TRANSFORMER, checkpoint)
            assert isinstance(network, transformer.Transformer)
            if positions is None:
                positions = network.positions(height, width, [text.shape[0] for text in texts])
            latent = ops.from_numpy(x, dtype)
            predicted = network(latent, TRAIN_TIMESTEPS * sigma, states, positions, checkpoint)
            return [ops.to_numpy(part).astype(x.dtype, copy=False) for part in predicted]

        return velocities

    def decode(
        self,
        latent: Array,
        tile: int | None,
        checkpoint: Checkpoint,
        on_piece: Callable[[int, int], None],
    ) -> Array:
        """The picture (1, 3, H, W) of a clean latent, about -1 .. 1, float32."""
        self._device.release_memory()  # what denoising freed: the decode wants other sizes
        network = self._network(Component.VAE, checkpoint)
        assert isinstance(network, vae.VaeDecoder)
        x = ops.from_numpy(latent, self._device.info.dtypes[Component.VAE])
        picture = network(x, tile, checkpoint, on_piece)
        self._device.synchronize()
        return np.asarray(ops.to_numpy(picture), dtype=np.float32)

    def require_finite_weights(self, checkpoint: Checkpoint) -> None:
        """Raises `EngineFault` MODEL_CORRUPT naming a tensor that holds NaN or infinity."""
        for component in Component:
            require_finite(self._folder / str(component), checkpoint)

    def provenance(self, request: ResolvedRequest, seed: int) -> Provenance:
        assert self._sha256 is not None  # `prepare` came first
        tile = request.decode_tile
        return Provenance(
            resolved=request,
            seed=seed,
            model_name=self.info.name,
            model_sha256=self._sha256,
            library=devices.library(),
            device=self._device.info,
            noise=noise.NAME,
            tile="auto" if tile is None else str(tile) if tile else "off",
            danqing_version=__version__,
        )


def _nobody(event: EngineEvent) -> None:
    """Before a job there is nobody to tell of loading."""
