"""Pictures and texts from strangers: read, never refused with an exception, never slow."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from desktop import metadata_command
from desktop.store.metadata import ImageMetadata, exif, read, xmp
from desktop.store.metadata.reader import read_text
from tests.desktop.store.metadata import pictures
from tests.fuzz.hostile import INPUT_COUNTS, altered, as_json, attack, damaged

SAMPLES = Path(__file__).parents[1] / "desktop/store/metadata/samples"
PICTURES = {
    kind: [file.read_bytes() for file in sorted(SAMPLES.iterdir()) if file.suffix in endings]
    for kind, endings in (("png", {".png"}), ("boxes", {".jpg", ".jpeg", ".webp"}))
}
TEXTS = [
    (place.partition(":")[2], text.encode("utf-8", "replace"))
    for file in sorted(SAMPLES.iterdir())
    if file.suffix not in {".json", ".txt"}
    for place, text in read(file).raw.items()
]
BYTES = [text for _, text in TEXTS]


def judge(found: ImageMetadata) -> None:
    """What is found must be of its kind and fit for JSON, whatever the file says."""
    record = metadata_command.record_of(Path("x"), found)
    json.dumps(record, allow_nan=False)
    assert found.seed is None or abs(found.seed) < 10**20
    assert found.steps is None or 0 < found.steps <= 100_000
    assert all(side is None or side >= 0 for side in (found.width, found.height))
    for value in (found.prompt, found.negative_prompt, found.sampler, found.scheduler):
        assert value is None or isinstance(value, str)
    assert all(str(note) for note in found.warnings)


@pytest.mark.parametrize("kind", PICTURES)
@pytest.mark.parametrize("inputs", INPUT_COUNTS)
def test_damaged_pictures(tmp_path: Path, inputs: int, kind: str) -> None:
    samples, place = PICTURES[kind], tmp_path / "picture"

    def look(chance: random.Random) -> None:
        place.write_bytes(damaged(chance.choice(samples), chance, BYTES))
        judge(read(place))

    attack(look, inputs, name=kind)


@pytest.mark.parametrize("inputs", INPUT_COUNTS)
def test_whole_pictures_with_damaged_texts(tmp_path: Path, inputs: int) -> None:
    """Containers that are right, so that every input gets as far as the readers of texts."""
    place = tmp_path / "picture"

    def look(chance: random.Random) -> None:
        keyword, text = chance.choice(TEXTS)
        if chance.randrange(4) == 0:
            keyword = chance.choice(TEXTS)[0]
        try:
            value = json.loads(text)
        except ValueError:
            text = damaged(text, chance, BYTES)
        else:
            text = as_json(altered(value, chance)) if chance.randrange(2) else damaged(text, chance)
        if chance.randrange(3) == 0:
            judge(read_text(text.decode("utf-8", "replace")))
            return
        place.write_bytes(pictures.png(pictures.text(keyword[:70] or "x", text)))
        judge(read(place))

    attack(look, inputs, name="text")


@pytest.mark.parametrize("inputs", INPUT_COUNTS)
def test_damaged_exif_and_xmp(tmp_path: Path, inputs: int) -> None:
    place = tmp_path / "picture"
    comments = [text[:20_000] for text in BYTES]
    xmp_head = b"http://ns.adobe.com/xap/1.0/\x00"

    def look(chance: random.Random) -> None:
        text = chance.choice(comments).decode("utf-8", "ignore")
        tiff = damaged(exif.user_comment(text[:5000]), chance, BYTES)
        packet = damaged(xmp.packet(ascii(text[:5000])), chance, BYTES)
        segments = [(0xE1, b"Exif\x00\x00" + tiff), (0xE1, xmp_head + packet)]
        chance.shuffle(segments)
        place.write_bytes(pictures.jpeg(*((kind, data[:65_000]) for kind, data in segments)))
        judge(read(place))

    attack(look, inputs, name="EXIF and XMP")
