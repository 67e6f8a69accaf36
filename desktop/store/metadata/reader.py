"""Reads what a picture file says about how it was made: the way in to all the readers here.

Owned here: which program's texts they are, in which order that is asked, and what is said of a file
in which nothing is found. Sources in the same file complete one another: the first one counts, the
next ones fill in what it does not say.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from desktop.store.metadata import a1111, bounded, comfyui, schemes, stealth
from desktop.store.metadata.containers import Contents, read_contents
from desktop.store.metadata.record import ImageMetadata, say
from desktop.store.metadata.texts import Texts
from engine.port import Sentence

NEWEST_VERSION = 1
"""Of our own record."""

Reading = tuple[str, ImageMetadata]
"""The place of a text, and what it says."""

_FIELDS = (
    "prompt", "negative_prompt", "width", "height", "seed", "steps", "cfg", "clip_skip", "sampler",
    "scheduler", "model", "model_hash",
)  # fmt: skip


def read(path: Path) -> ImageMetadata:
    """What the picture at `path` says; fast, bounded, and without ever raising for its content.

    Raises `OSError` where the file cannot be read.
    """
    # Without O_NONBLOCK, a pipe with the name of a picture would wait for ever.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        contents = read_contents(stream)
        found = _read_texts(contents.texts)
        if found is None and contents.may_hide_text:
            hidden = stealth.read_hidden(stream, contents)
            if hidden is not None:
                for keyword, text in hidden.items():
                    contents.texts.add(f"stealth:{keyword}", text)
                found = _read_texts(contents.texts)
    return _completed(found, contents)


def read_text(text: str) -> ImageMetadata:
    """What a text alone says, such as one from the clipboard: an A1111 text, JSON or a graph."""
    contents = Contents()
    contents.texts.add("text:parameters", text)
    if bounded.parse_object(text) is not None:
        contents.texts.add("text:prompt", text)
    return _completed(_read_texts(contents.texts), contents)


def _completed(found: ImageMetadata | None, contents: Contents) -> ImageMetadata:
    notes = list(contents.texts.notes)
    if found is None:
        found = ImageMetadata()
        notes.insert(0, _nothing_found(contents))
    has_size = found.width is not None and found.height is not None
    if found.prompt is None and found.software is not None:
        notes.append(say("No prompt was found."))
    if found.software is not None and not has_size:
        found = replace(found, width=contents.width, height=contents.height)
    return replace(
        found,
        file_width=contents.width,
        file_height=contents.height,
        format=contents.format,
        raw=dict(contents.texts.by_place),
        warnings=(*found.warnings, *notes),
    )


def _nothing_found(contents: Contents) -> Sentence:
    if contents.format is None:
        return say("Not a PNG, JPEG or WebP picture.")
    if not contents.texts:
        return say("No generation data: the file holds no text.")
    places = ", ".join(place for place, _ in list(contents.texts)[:8])
    return say("No generation data; the file holds only: {places}.", places=places)


def _read_texts(texts: Texts) -> ImageMetadata | None:
    found: ImageMetadata | None = None
    for reader in _READERS:
        for place, reading in reader(texts):
            found = replace(reading, source=place) if not found else _merged(found, reading)
    return found


def _merged(found: ImageMetadata, other: ImageMetadata) -> ImageMetadata:
    """`found`, with what it does not say filled in; a disagreement is noted."""
    missing = {
        name: getattr(other, name)
        for name in _FIELDS
        if getattr(found, name) is None and getattr(other, name) is not None
    }
    if "width" in missing or "height" in missing:
        missing |= {"width": other.width, "height": other.height}
    notes = found.warnings
    if found.seed == -1 and other.seed is not None and other.seed >= 0:
        missing["seed"] = other.seed
    elif None not in (found.seed, other.seed) and found.seed != other.seed:
        notes = (
            *notes,
            say(
                "The file names two seeds, {first} and {second}.",
                first=str(found.seed),
                second=str(other.seed),
            ),
        )
    has_no_setting = all(getattr(found, name) is None for name in _FIELDS)
    if has_no_setting:
        notes = (*notes, *other.warnings)
    return replace(found, warnings=notes, **missing)


# --- one program after another --------------------------------------------------------------------


def _danqing(texts: Texts) -> Iterator[Reading]:
    record = texts.record("danqing")
    if record is not None and record.get("format") == "danqing-image":
        reading = schemes.read_danqing(record, NEWEST_VERSION)
        if reading is not None:
            yield texts.place_of("danqing"), reading


def _novelai(texts: Texts) -> Iterator[Reading]:
    software = texts.get("Software") or ""
    for keyword in ("Comment", "UserComment", "parameters"):
        record = texts.record(keyword)
        if record is None:
            continue
        is_novelai = software.startswith("NovelAI") or any(
            name in record for name in ("v4_prompt", "noise_schedule", "uncond_scale")
        )
        if is_novelai and any(name in record for name in ("uc", "steps", "scale", "prompt")):
            description = texts.get("Description") or texts.get("ImageDescription")
            yield texts.place_of(keyword), schemes.read_novelai(record, description)
            return


def _invokeai(texts: Texts) -> Iterator[Reading]:
    record = texts.record("invokeai_metadata")
    if record is not None:
        place = texts.place_of("invokeai_metadata")
        yield place, schemes.read_scheme("invokeai", schemes.INVOKEAI, record)
    record = texts.record("sd-metadata")
    reading = schemes.read_old_invokeai(record) if record is not None else None
    if reading is not None:
        yield texts.place_of("sd-metadata"), reading
    dream = texts.find("Dream", "dream")
    reading = schemes.read_dream(dream[1]) if dream is not None else None
    if dream is not None and reading is not None:
        yield dream[0], reading


def _swarmui(texts: Texts) -> Iterator[Reading]:
    for keyword in ("parameters", "UserComment", "prompt", "Comment"):
        text = texts.get(keyword)
        if text is not None and "sui_image_params" in text[:65536]:
            record = texts.record(keyword)
            reading = schemes.read_swarmui(record) if record is not None else None
            if reading is not None:
                yield texts.place_of(keyword), reading
                return


def _records(texts: Texts) -> Iterator[Reading]:
    """Programs whose JSON stands under the keyword that A1111 uses for its text."""
    for keyword in ("parameters", "UserComment", "Comment", "ImageDescription"):
        record = texts.record(keyword)
        if record is None:
            continue
        if record.get("software") == "RuinedFooocus":
            yield texts.place_of(keyword), schemes.read_ruined_fooocus(record)
            return
        for is_known, software, names in _SCHEMES:
            if is_known(record, texts):
                yield texts.place_of(keyword), schemes.read_scheme(software, names, record)
                return


def _is_generation(record: dict[str, object], texts: Texts) -> bool:
    has_prompt = any(isinstance(record.get(name), str) for name in schemes.OTHER.prompt)
    return has_prompt and any(name in record for name in ("seed", "Seed", "steps", "Steps"))


_SCHEMES: tuple[tuple[Callable[[dict[str, object], Texts], bool], str, schemes.Names], ...] = (
    (lambda r, _: "use_stable_diffusion_model" in r, "easydiffusion", schemes.EASY_DIFFUSION),
    (lambda r, _: "c" in r and "uc" in r, "draw-things", schemes.DRAW_THINGS),
    (
        lambda r, texts: "fooocus_scheme" in texts or "base_model" in r or "full_prompt" in r,
        "fooocus",
        schemes.FOOOCUS,
    ),
    (lambda r, _: "Model" in r or "num_inference_steps" in r, "hf-space", schemes.HF_SPACE),
    (_is_generation, "other", schemes.OTHER),
)


def _tensorart(texts: Texts) -> Iterator[Reading]:
    record = texts.record("generation_data")
    if record is not None:
        record = {**record, "model": record.get("baseModel")}
        place = texts.place_of("generation_data")
        yield place, schemes.read_scheme("tensorart", schemes.TENSORART, record)


def _graph(texts: Texts) -> Iterator[Reading]:
    """ComfyUI, and the programs that run it: Civitai and StabilityMatrix."""
    place, reading, extra = None, None, None
    for keyword in ("prompt", "UserComment", "ImageDescription", "Make", "Model"):
        record = texts.record(keyword)
        reading = comfyui.read_graph(record) if record is not None else None
        if record is not None and reading is not None:
            place, extra = texts.place_of(keyword), record.get("extraMetadata")
            break
    if reading is None or reading.seed is None:
        workflow = texts.find("workflow", "Workflow")
        record = texts.record("workflow") or texts.record("Workflow")
        if workflow is not None and record is not None:
            other = comfyui.read_graph(None, record)
            if other is not None and (reading is None or other.seed is not None):
                place, reading = workflow[0], other
    extra = bounded.parse_object(extra) if isinstance(extra, str) else texts.record("extraMetadata")
    if extra is not None:
        civitai = schemes.read_scheme("civitai", schemes.CIVITAI, extra)
        reading = civitai if reading is None else replace(_merged(reading, civitai),
                                                          software="civitai")  # fmt: skip
    if reading is not None and ("smproj" in texts or "parameters-json" in texts):
        reading = _with_whole_prompts(reading, texts)
    if reading is not None:
        yield place or texts.place_of("extraMetadata"), reading


def _with_whole_prompts(reading: ImageMetadata, texts: Texts) -> ImageMetadata:
    """StabilityMatrix gives ComfyUI prompts without what it takes for comments."""
    whole = next((found for _, found in _stability_matrix(texts)), ImageMetadata())
    return replace(
        reading,
        software="stability-matrix",
        prompt=reading.prompt if whole.prompt is None else whole.prompt,
        negative_prompt=(
            reading.negative_prompt if whole.negative_prompt is None else whole.negative_prompt
        ),
    )


def _stability_matrix(texts: Texts) -> Iterator[Reading]:
    record = texts.record("parameters-json")
    if record is not None:
        place = texts.place_of("parameters-json")
        yield place, schemes.read_scheme("stability-matrix", schemes.STABILITY_MATRIX, record)


def _a1111(texts: Texts) -> Iterator[Reading]:
    is_draw_things = "Draw Things" in (texts.get("CreatorTool") or texts.get("Software") or "")
    for keyword in ("parameters", "UserComment", "description", "ImageDescription", "XPComment",
                    "Comment", "Description"):  # fmt: skip
        text = texts.get(keyword)
        if text is None or text.lstrip()[:1] in ("{", "["):
            continue
        reading = a1111.read_text(text, has_dash_negative=is_draw_things)
        if reading is None and keyword == "parameters":
            # Nothing else is ever kept there: a prompt whose settings were left out.
            reading = ImageMetadata(software="sd-webui", prompt=text.strip())
        if reading is not None:
            software = "draw-things" if is_draw_things else reading.software
            yield texts.place_of(keyword), replace(reading, software=software)
            return


def _others(texts: Texts) -> Iterator[Reading]:
    caption = texts.get("caption")
    reading = schemes.read_mochi(caption) if caption is not None else None
    if reading is not None:
        yield texts.place_of("caption"), reading
    for keyword in ("use_stable_diffusion_model", "Stable Diffusion model"):
        if keyword in texts:
            record = {place.partition(":")[2]: text for place, text in texts}
            names = schemes.EASY_DIFFUSION
            yield texts.place_of(keyword), schemes.read_scheme("easydiffusion", names, record)
            return


_READERS: tuple[Callable[[Texts], Iterator[Reading]], ...] = (
    _danqing,
    _novelai,
    _invokeai,
    _swarmui,
    _tensorart,
    _graph,
    _stability_matrix,
    _records,
    _a1111,
    _others,
)
