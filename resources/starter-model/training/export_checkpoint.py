"""Turns train.py's result into the checkpoint that ships: ERNIE-Image's folder, in half precision.

    python export_checkpoint.py --weights FOLDER --vae FOLDER --tokenizer FOLDER --out FOLDER

``--weights`` holds the averaged weights (average-*.safetensors), ``--tokenizer`` the tokenizer.json
of train_tokenizer.py.  Written through diffusers' and transformers' own classes, so that the
unmodified ErnieImagePipeline loads the folder.  Two parts of the text encoder that the pipeline
never reads are there only because those classes expect them: the last layer with the final norm,
zeros, and a vision tower of the smallest size.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch
from diffusers import (
    AutoencoderKLFlux2,
    ErnieImagePipeline,
    ErnieImageTransformer2DModel,
    FlowMatchEulerDiscreteScheduler,
)
from safetensors.torch import load_file
from transformers import Mistral3Config, Mistral3Model, PreTrainedTokenizerFast

from networks import TEXT_ENCODER_CONFIG, TRANSFORMER_CONFIG

DTYPE = torch.float16
SIGMA_SHIFT = 2.0
MAX_TOKENS = 512
SMALLEST_VISION_TOWER = {
    "model_type": "pixtral",
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "head_dim": 16,
    "intermediate_size": 16,
    "image_size": 32,
    "patch_size": 16,
    "num_channels": 3,
}


def transformer(tensors: dict[str, torch.Tensor]) -> ErnieImageTransformer2DModel:
    model = ErnieImageTransformer2DModel(**TRANSFORMER_CONFIG)
    model.load_state_dict(_part(tensors, "transformer."))
    return model


def text_encoder(tensors: dict[str, torch.Tensor]) -> Mistral3Model:
    config = Mistral3Config(
        text_config={"model_type": "ministral3", **TEXT_ENCODER_CONFIG},
        vision_config=SMALLEST_VISION_TOWER,
        vision_feature_layer=-1,
        spatial_merge_size=1,
        image_token_index=0,
        projector_hidden_act="gelu",
    )
    model = Mistral3Model(config)
    for parameter in model.parameters():
        parameter.data.zero_()
    trained = _part(tensors, "text_encoder.")
    result = model.language_model.load_state_dict(trained, strict=False)
    last = f"layers.{TEXT_ENCODER_CONFIG['num_hidden_layers'] - 1}."
    unused = [
        name for name in result.missing_keys if name.startswith(last) or name == "norm.weight"
    ]
    if result.unexpected_keys or unused != result.missing_keys:
        raise ValueError(f"the text encoder's weights do not fit: {result}")
    return model


def tokenizer(folder: Path) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast(
        tokenizer_file=str(folder / "tokenizer.json"),
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        model_max_length=MAX_TOKENS,
    )


def _part(tensors: dict[str, torch.Tensor], prefix: str) -> dict[str, torch.Tensor]:
    return {
        name.removeprefix(prefix): tensor.float()
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }


def _name_the_usual_tokenizer_class(out: Path) -> None:
    """Transformers 5 writes a class name of its own; earlier releases know the usual one only."""
    for path, keys in (
        (out / "model_index.json", ("tokenizer", 1)),
        (out / "tokenizer" / "tokenizer_config.json", ("tokenizer_class",)),
    ):
        content = json.loads(path.read_text(encoding="utf-8"))
        holder = content
        for key in keys[:-1]:
            holder = holder[key]
        holder[keys[-1]] = "PreTrainedTokenizerFast"
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("weights", "vae", "tokenizer", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    tensors: dict[str, torch.Tensor] = {}
    for file in sorted(arguments.weights.glob("average-*.safetensors")):
        tensors |= load_file(file)
    pipeline = ErnieImagePipeline(
        transformer=transformer(tensors).to(DTYPE),
        vae=AutoencoderKLFlux2.from_pretrained(arguments.vae).to(DTYPE),
        text_encoder=text_encoder(tensors).to(DTYPE),
        tokenizer=tokenizer(arguments.tokenizer),
        scheduler=FlowMatchEulerDiscreteScheduler(shift=SIGMA_SHIFT),
        pe=None,
        pe_tokenizer=None,
    )
    shutil.rmtree(arguments.out, ignore_errors=True)
    pipeline.save_pretrained(arguments.out, safe_serialization=True)
    _name_the_usual_tokenizer_class(arguments.out)
    total = sum(file.stat().st_size for file in arguments.out.rglob("*") if file.is_file())
    print(f"{arguments.out}: {total / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
