"""Trains the tokenizer on captions: byte-level BPE, lower case, Chinese characters start tokens.

Its result is part of the checkpoint; everything else that needs tokens reads that file.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from captions import CaptionWriter
from scene import SceneDrawer
from vocabulary import Vocabulary

VOCABULARY_SIZE = 6144
SPECIAL_TOKENS = ["<unk>", "<s>", "</s>", "<pad>"]
CHINESE = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]"
CAPTIONS = 25_000
NAME_REPEATS = 6


def corpus(seed: int = 1) -> list[str]:
    """Captions of random scenes, every name several times, every Chinese character of a name."""
    rng = random.Random(seed)
    vocabulary = Vocabulary()
    drawer, writer = SceneDrawer(vocabulary, rng), CaptionWriter(rng)
    texts = []
    for concept in vocabulary.concepts:
        for names in concept.names.values():
            texts += names * NAME_REPEATS
            texts += [c for name in names for c in name if ord(c) > 0x2E80]
    for _ in range(CAPTIONS):
        scene = drawer.draw()
        texts += [writer.write(scene, "en"), writer.write(scene, "zh")]
    return texts


def train(texts: list[str]) -> Tokenizer:
    """The trained tokenizer; '<s>' is put before every text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CHINESE), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY_SIZE,
        special_tokens=SPECIAL_TOKENS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        min_frequency=2,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 1)]
            ),
        ]
    )
    return tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the tokenizer files")
    arguments = parser.parse_args()
    texts = corpus()
    tokenizer = train(texts)
    arguments.out.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(arguments.out / "tokenizer.json"))
    configuration = {
        "backend": "tokenizers",
        "bos_token": "<s>",
        "clean_up_tokenization_spaces": False,
        "eos_token": "</s>",
        "model_max_length": 512,
        "pad_token": "<pad>",
        "padding_side": "right",
        "tokenizer_class": "PreTrainedTokenizerFast",
        "unk_token": "<unk>",
    }
    (arguments.out / "tokenizer_config.json").write_text(json.dumps(configuration, indent=2) + "\n")
    lengths = sorted(len(e.ids) for e in tokenizer.encode_batch(texts[-2 * CAPTIONS :]))
    print(
        f"{tokenizer.get_vocab_size()} entries; caption length median {lengths[len(lengths) // 2]},"
        f" 99 % {lengths[int(len(lengths) * 0.99)]}, longest {lengths[-1]}"
    )


if __name__ == "__main__":
    main()
