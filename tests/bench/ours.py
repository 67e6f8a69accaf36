"""Our side of the benchmarks; see `reference` for the same tasks on diffusers and torch."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np

from engine import bootstrap
from tests.bench.worker import peak_bytes, reset_peak, resident_bytes, serve, timed

_built: dict[str, Any] = {}


def _prepare() -> None:
    bootstrap.prepare(int(os.environ["OMP_NUM_THREADS"]))
    with bootstrap.quiet_import():
        import engine.session  # noqa: F401

    # Imported late by the engine, and by transformers at once: an import on both sides.
    import safetensors  # noqa: F401
    import tokenizers  # noqa: F401


def picture(model: str, steps: int, guidance_scale: float, prompt: str) -> dict[str, Any]:
    """One picture from a prompt, the model loaded beforehand."""
    _prepare()
    from engine.catalog import Catalog
    from engine.device import CpuDevice
    from engine.port import GenerationRequest, JobId, Sampler
    from engine.session import Session

    if "session" not in _built:
        catalog = Catalog(Path(model), [])
        _built["catalog"], _built["session"] = catalog, Session(CpuDevice(), catalog)
    request = GenerationRequest(
        prompt=prompt,
        seed=1,
        width=256,
        height=256,
        steps=steps,
        guidance_scale=guidance_scale,
        sampler=Sampler.EULER,
        model_id=_built["catalog"].models()[0].model_id,
    )
    session = _built["session"]
    return timed(lambda: session.generate(JobId("bench"), request, _ignore, _nothing))


def picture_memory(model: str, steps: int, guidance_scale: float, prompt: str) -> dict[str, Any]:
    """Loading and one picture in a fresh process: its peak, and the growth since the imports."""
    _prepare()
    imported = resident_bytes()
    reset_peak()
    picture(model, steps, guidance_scale, prompt)
    return {"process_bytes": peak_bytes(), "growth_bytes": peak_bytes() - imported}


def transformer(config: dict[str, Any], height: int, width: int, text: int) -> dict[str, Any]:
    """One forward pass with random weights, without guidance."""
    _prepare()
    from engine import ops
    from engine.networks.transformer import Transformer, TransformerConfig, expected_tensors

    if "transformer" not in _built:
        parsed = TransformerConfig.from_json(config)
        _built["transformer"] = Transformer(parsed, _random(expected_tensors(parsed)))
    network = _built["transformer"]
    rng = np.random.default_rng(1)
    latent = ops.from_numpy(rng.standard_normal((1, config["in_channels"], height, width), "f4"))
    states = ops.from_numpy(rng.standard_normal((text, config["text_in_dim"]), "f4"))
    positions = network.positions(height, width, [text])
    return timed(lambda: network(latent, 500.0, [states], positions, _nothing))


def vae(config: dict[str, Any], height: int, width: int) -> dict[str, Any]:
    """One decode with random weights; height and width are those of the unpacked latent."""
    _prepare()
    from engine import ops
    from engine.networks.vae import VaeConfig, VaeDecoder, expected_tensors

    if "vae" not in _built:
        parsed = VaeConfig.from_json(config)
        _built["vae"] = VaeDecoder(parsed, _random(expected_tensors(parsed)))
    network = _built["vae"]
    shape = (1, 4 * config["latent_channels"], height // 2, width // 2)
    latent = ops.from_numpy(np.random.default_rng(1).standard_normal(shape, "f4"))
    return timed(lambda: network(latent, None, _nothing, None))


def cancel_latency(model: str, seed: int) -> dict[str, Any]:
    """Seconds from cancelling, at a random moment of a job, to its terminal event."""
    import queue
    import time

    from engine.catalog import Catalog
    from engine.port import Generate, GenerationRequest, JobId
    from engine.thread import EngineThread

    if "engine" not in _built:
        catalog = Catalog(Path(model), [])
        ended: queue.Queue[str] = queue.Queue()
        engine = EngineThread(catalog=catalog, threads=int(os.environ["OMP_NUM_THREADS"]))
        engine.start(lambda event: ended.put(type(event).__name__))
        while ended.get() != "DeviceChosen":
            pass
        _built["engine"], _built["ended"], _built["catalog"] = engine, ended, catalog
    engine, ended = _built["engine"], _built["ended"]
    moment = np.random.default_rng(seed).uniform(0.0, 2.5)
    request = GenerationRequest(
        prompt="a cat", seed=seed, steps=12, model_id=_built["catalog"].models()[0].model_id
    )
    engine.submit(Generate(job_id=JobId(str(seed)), request=request))
    threading.Event().wait(moment)
    start = time.perf_counter()
    engine.cancel(JobId(str(seed)))
    while True:
        name = ended.get()
        if name in ("JobFinished", "JobCancelled", "JobFailed"):
            return {"seconds": time.perf_counter() - start, "end": name, "moment": moment}


def _random(shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
    """Weights of the scale that networks start from, so that no value grows out of bounds."""
    from engine import ops

    rng = np.random.default_rng(0)
    tensors = {}
    for name, shape in shapes.items():
        fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 1
        values = rng.standard_normal(shape, "f4") * np.float32(fan_in**-0.5)
        tensors[name] = ops.from_numpy(np.abs(values) if "running_var" in name else values)
    return tensors


def _ignore(event: object) -> None:
    """Nobody is listening."""


def _nothing() -> None:
    """Nobody cancels."""


if __name__ == "__main__":
    serve(
        {
            "picture": picture,
            "picture_memory": picture_memory,
            "transformer": transformer,
            "vae": vae,
            "cancel_latency": cancel_latency,
        }
    )
