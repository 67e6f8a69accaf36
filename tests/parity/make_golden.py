"""Runs diffusers and transformers on the cases and writes their outputs; for .venv-reference.

`python -m tests.parity.make_golden` refreshes tests/golden; `--random SEED --count N --out FOLDER`
makes fresh cases instead. Golden files are changed on purpose only, never by the way.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from diffusers import AutoencoderKLFlux2, ErnieImageTransformer2DModel
from transformers import Ministral3Config, Ministral3Model, MistralConfig, MistralModel

from tests.parity import cases
from tests.parity.cases import Case

GOLDEN = Path(__file__).parents[1] / "golden" / "networks"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=GOLDEN)
    parser.add_argument("--random", type=int, metavar="SEED")
    parser.add_argument("--count", type=int, default=8)
    arguments = parser.parse_args()
    chosen = cases.fixed()
    if arguments.random is not None:
        chosen = cases.random_cases(arguments.random, arguments.count)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for case in chosen:
        with torch.no_grad():
            output = RUN[case.network](case)
        cases.write(case, output, arguments.out)


def _fill(module: torch.nn.Module, case: Case) -> None:
    """Sets every floating tensor of the module from the case and its own name."""
    for name, tensor in module.state_dict().items():
        if tensor.is_floating_point():
            tensor.copy_(torch.from_numpy(case.weight(name, tensor.shape)))
    module.eval()


def _public(config: dict) -> dict:
    return {key: value for key, value in config.items() if not key.startswith("_")}


def _transformer(case: Case) -> np.ndarray:
    model = ErnieImageTransformer2DModel(**_public(case.config))
    _fill(model, case)
    text = torch.from_numpy(case.text())[None]
    output = model(
        hidden_states=torch.from_numpy(case.latent()),
        timestep=torch.tensor([case.inputs["timestep"]]),
        text_bth=text,
        text_lens=torch.tensor([text.shape[1]]),
        return_dict=False,
    )
    return output[0].numpy()


def _text_encoder(case: Case) -> np.ndarray:
    """The state that the pipeline takes: the last but one."""
    fields = dict(case.config["text_config"])
    kinds = {
        "ministral3": (Ministral3Config, Ministral3Model),
        "mistral": (MistralConfig, MistralModel),
    }
    config_class, model_class = kinds[fields.pop("model_type")]
    config = config_class(pad_token_id=None, **fields)
    model = model_class(config)
    _fill(model, case)
    output = model(input_ids=torch.tensor([case.token_ids()]), output_hidden_states=True)
    return output.hidden_states[-2][0].numpy()


def _vae(case: Case) -> np.ndarray:
    """Decoded as ErnieImagePipeline does: batch norm undone with 1e-5, unpacked, decoded."""
    model = AutoencoderKLFlux2(**_public(case.config))
    _fill(model, case)
    x = torch.from_numpy(case.latent())
    deviation = torch.sqrt(model.bn.running_var.view(1, -1, 1, 1) + 1e-5)
    x = x * deviation + model.bn.running_mean.view(1, -1, 1, 1)
    _, packed, height, width = x.shape
    x = x.reshape(1, packed // 4, 2, 2, height, width).permute(0, 1, 4, 2, 5, 3)
    x = x.reshape(1, packed // 4, 2 * height, 2 * width)
    return model.decode(x, return_dict=False)[0].numpy()


RUN = {"transformer": _transformer, "text_encoder": _text_encoder, "vae": _vae}

if __name__ == "__main__":
    main()
