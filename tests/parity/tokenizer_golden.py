"""Writes the golden token ids: the reference tokenizer on the starter model's own files.

Run it in the reference environment after the starter model was replaced:
`.venv-reference/bin/python -m tests.parity.tokenizer_golden`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "resources" / "starter-model" / "tokenizer"
GOLDEN = ROOT / "tests" / "golden" / "tokenizer" / "starter.json"

PROMPTS = [
    "",
    " ",
    "\n\t",
    "a cat",
    "an orange cat on a blue background",
    "An ORANGE Cat On A Blue Background",
    "  leading and   inner   spaces, and a trailing one ",
    "three red balloons",
    "don't stop; it's the artists' 3rd try!",
    "一只橘猫在蓝色背景上",
    "左边是太阳，右边是月亮",
    "海底的一只海豚，扁平风格。",
    "雪地里的一只企鹅 and a rocket in space, 3d",
    "繁體字：龍與鳳",
    "ひらがなとカタカナ、漢字",
    "한국어 고양이",
    "кот на траве",
    "قطة برتقالية على خلفية زرقاء",
    "חתול כתום",
    "แมวสีส้ม",
    "café, naïve, Ångström, ﬁ ligature, ½, ㎏",
    "cafe\u0301 with a combining accent",
    "🐱🚀🌊",
    "👨‍👩‍👧‍👦 family, 👍🏽 thumb, 🇨🇳 flag",
    "zero\u200bwidth\u200djoiner\ufeffmark",
    "right\u202eto left override",
    "nul\0inside",
    "control\x01\x1f\x7fcharacters",
    "full-width：ＡＢＣ１２３，。！",
    "<s> special </s> tokens <pad> typed by hand <unk>",
    "(weights:1.3) [brackets] {braces} \\backslash / slash",
    "https://example.org/a?b=c&d=%20e",
    "\U0001f9ff\U00020000\U0010ffff",
    "a" * 300,
    "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    "very long: " + "a red fox jumps over the lazy dog, " * 120,
    "很长：" + "一只红色的狐狸跳过了懒狗，" * 120,
]


def main() -> None:
    from transformers import AutoTokenizer  # pyright: ignore[reportMissingImports]

    tokenizer = AutoTokenizer.from_pretrained(str(FOLDER))
    cases = []
    for prompt in PROMPTS:
        ids = tokenizer(prompt, add_special_tokens=True, truncation=True, padding=False)[
            "input_ids"
        ]
        whole = tokenizer(prompt, add_special_tokens=True, truncation=False)["input_ids"]
        # as the reference pipeline does where a tokenizer gives nothing at all
        ids = ids or [tokenizer.bos_token_id or 0]
        cases.append({"prompt": prompt, "ids": ids, "truncated": len(whole) > len(ids)})
    digest = hashlib.sha256((FOLDER / "tokenizer.json").read_bytes()).hexdigest()
    GOLDEN.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = f'{{"tokenizer_sha256": "{digest}",\n"cases": [\n{lines}\n]}}\n'
    GOLDEN.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
