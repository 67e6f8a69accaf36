"""Weights on disk -> tensors, and every way in which that can go wrong.

`headers` looks at one file, `component` at a folder of them, `matching` at the tensor names;
`reader` alone touches PaddlePaddle, and only when it is called. So a model can be judged, and a bad
one explained, without loading it. Pickles (`.ckpt`, `.pt`, `.bin`, `.pdparams`) are refused and
never opened: reading one runs code that its author chose.
"""

from __future__ import annotations

from engine.weights.architectures import Architecture
from engine.weights.digest import transformer_sha256
from engine.weights.faults import Reason
from engine.weights.reader import read_tensors

__all__ = ["Architecture", "Reason", "read_tensors", "transformer_sha256"]
