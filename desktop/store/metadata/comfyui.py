"""ComfyUI's node graphs: which nodes made this picture, and with what values.

Read from the output backwards. The nearest sampler above a saved picture may be a second pass over
an enlarged first one; the first pass is what a picture was made with, so the walk goes on through
images and latents until no sampler is above. Values are followed through links, whatever the kinds
of nodes are called: hundreds of them exist, but their inputs have few names. Graphs come from
strangers: they may have cycles, links to nowhere, and any value in any place.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from desktop.store.metadata import bounded
from desktop.store.metadata.record import ImageMetadata, say
from desktop.store.metadata.workflow import from_workflow

_MOST_NODES = 2000
_MOST_STEPS = 64
"""Links followed for one value."""

_PICTURE_INPUTS = (
    "images", "image", "samples", "latent_image", "latent", "latents", "pixels", "video", "frames",
    "input_image", "any_01", "any", "anything", "source", "basic_pipe", "pipe", "context",
)  # fmt: skip
_TEXT_INPUTS = (
    "text", "prompt", "populated_text", "wildcard_text", "text_g", "clip_l", "t5xxl", "string",
    "value", "text_positive", "text_a", "text1", "string_a", "string1", "input", "text_l", "source",
    "any", "anything", "text_0", "inputs",
)  # fmt: skip
_JOINED = (("string_a", "string_b"), ("text1", "text2", "text3", "text4"),
           ("text_a", "text_b", "text_c", "text_d"), ("string1", "string2"))  # fmt: skip
_CONDITIONING_INPUTS = (
    "conditioning", "conditioning_1", "conditioning_to", "conditioning1", "positive", "cond",
    "cond1", "base_positive",
)  # fmt: skip
_NUMBER_INPUTS = ("seed", "noise_seed", "value", "int", "number", "float", "a", "integer", "Value")
_NAME_INPUTS = ("sampler_name", "scheduler", "value", "string")
_MODEL_NAMES = ("ckpt_name", "unet_name", "model_name", "base_ckpt_name", "gguf_name")
_MODEL_INPUTS = ("model", "guider", "model1", "basic_pipe", "pipe", "unet", "context")


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its kind and its inputs, links among them as `[id, slot]`."""

    kind: str
    inputs: Mapping[str, Any]


class Graph:
    """The nodes of a graph by id, and ways to walk along their links."""

    def __init__(self, nodes: Mapping[str, Node]) -> None:
        self.nodes = nodes

    def linked(self, value: object) -> str | None:
        """The id of the node that an input's value links to; None if it is no such link."""
        if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str | int):
            key = str(value[0])[:200]
            return key if key in self.nodes else None
        return None

    def value(self, value: object, inputs: Iterable[str]) -> object:
        """What a value is, following links through the named inputs; None where that ends."""
        names = tuple(inputs)
        for _ in range(_MOST_STEPS):
            if not isinstance(value, list | dict):
                return value
            key = self.linked(value)
            if key is None:
                return None
            value = _input(self.nodes[key], names)
        return None

    def upstream(self, start: Iterable[str], inputs: Iterable[str] | None) -> Iterable[str]:
        """Ids of the nodes above `start`, the nearest first; through all inputs with None."""
        waiting, seen = deque(start), set(start)
        while waiting:
            key = waiting.popleft()
            yield key
            node = self.nodes[key]
            values = (
                node.inputs.values() if inputs is None
                else [node.inputs[name] for name in inputs if name in node.inputs]
            )  # fmt: skip
            for value in values:
                above = self.linked(value)
                if above is not None and above not in seen:
                    seen.add(above)
                    waiting.append(above)


def read_graph(prompt: Mapping[str, Any] | None, workflow: Any = None) -> ImageMetadata | None:
    """What a graph says: the API form `prompt`, else the window's form `workflow`.

    None if neither is a graph. A graph without a sampler says so in its warnings.
    """
    nodes = _api_nodes(prompt) if prompt is not None else {}
    if not nodes:
        nodes = {
            key: Node(kind, inputs)
            for key, (kind, inputs) in from_workflow(workflow, _MOST_NODES).items()
        }
    if not nodes:
        return None
    graph = Graph(nodes)
    sampler = _first_pass(graph)
    if sampler is None:
        note = say("ComfyUI graph of {count} nodes without a sampler.", count=str(len(nodes)))
        return ImageMetadata(software="comfyui", warnings=(note,))
    return _metadata(graph, sampler)


def _api_nodes(prompt: Mapping[str, Any]) -> dict[str, Node]:
    inner = prompt.get("prompt")
    if isinstance(inner, dict) and "class_type" not in prompt:
        prompt = inner
    found: dict[str, Node] = {}
    for key, value in prompt.items():
        if isinstance(value, dict) and isinstance(value.get("class_type"), str):
            inputs = value.get("inputs")
            found[key] = Node(value["class_type"], inputs if isinstance(inputs, dict) else {})
        if len(found) >= _MOST_NODES:
            break
    return found


def _input(node: Node, names: Iterable[str]) -> object:
    """The first of the named inputs that is there; names are tried in any case of letters."""
    for name in names:
        value = node.inputs.get(name, node.inputs.get(name.capitalize()))
        if value is not None and value != "":
            return value
    return None


# --- which sampler --------------------------------------------------------------------------------


def _is_sampler(node: Node) -> bool:
    names = node.inputs
    has_seed = any(name in names for name in ("seed", "noise_seed", "noise"))
    has_steps = any(name in names for name in ("steps", "sigmas"))
    has_task = any(name in names for name in ("positive", "guider", "sampler_name", "sampler"))
    return has_task and (has_steps or has_seed) and (has_seed or "cfg" in names)


def _first_pass(graph: Graph) -> str | None:
    """The id of the sampler that began the picture."""
    saves = [key for key, node in graph.nodes.items() if "save" in node.kind.lower()]
    shows = [key for key, node in graph.nodes.items() if "preview" in node.kind.lower()]
    for outputs in (saves, shows):
        for inputs in (_PICTURE_INPUTS, None):
            best = None
            for key in graph.upstream(outputs, inputs):
                if _is_sampler(graph.nodes[key]):
                    best = key
                    if inputs is None:
                        break
            if best is not None:
                return best
    return next((key for key, node in graph.nodes.items() if _is_sampler(node)), None)


# --- its values -----------------------------------------------------------------------------------


def _metadata(graph: Graph, key: str) -> ImageMetadata:
    node = graph.nodes[key]
    parts = _parts(graph, node)
    number, named = _NUMBER_INPUTS, _NAME_INPUTS
    positive, negative = _input(parts, ("positive", "conditioning")), _input(parts, ("negative",))
    width, height = _size(graph, key)
    guidance = _input(parts, ("cfg", "guidance"))
    return ImageMetadata(
        software="comfyui",
        prompt=_text(graph, positive),
        negative_prompt=_text(graph, negative),
        width=width,
        height=height,
        seed=bounded.integer(graph.value(_input(parts, ("seed", "noise_seed")), number)),
        steps=bounded.count(graph.value(_input(parts, ("steps",)), ("steps", *number))),
        cfg=bounded.decimal(graph.value(guidance, ("cfg", "guidance", *number))),
        clip_skip=_clip_skip(graph, key),
        sampler=bounded.string(graph.value(_input(parts, ("sampler_name",)), named)),
        scheduler=bounded.string(graph.value(_input(parts, ("scheduler",)), ("scheduler", *named))),
        model=_model(graph, key),
    )


def _parts(graph: Graph, node: Node) -> Node:
    """A sampler's inputs, and those of the nodes that newer samplers are put together from."""
    inputs: dict[str, Any] = dict(node.inputs)
    for name in ("noise", "guider", "sampler", "sigmas"):
        key = graph.linked(node.inputs.get(name))
        if key is not None:
            for above in _few(graph.upstream([key], ("sigmas", "noise", "guider", "sampler"))):
                for inner, value in graph.nodes[above].inputs.items():
                    inputs.setdefault(inner, value)
    return Node(node.kind, inputs)


def _few(keys: Iterable[str]) -> Iterable[str]:
    for index, key in enumerate(keys):
        if index >= _MOST_STEPS:
            return
        yield key


def _text(graph: Graph, conditioning: object) -> str | None:
    """The text above a conditioning; "" where it is zeroed, None where no text is found."""
    value = conditioning
    for _ in range(_MOST_STEPS):
        if isinstance(value, str):
            return value
        key = graph.linked(value)
        if key is None:
            return None
        node = graph.nodes[key]
        if "ZeroOut" in node.kind:
            return ""
        for names in _JOINED:
            if all(isinstance(node.inputs.get(name), str | list) for name in names[:2]):
                return _joined(graph, node, names)
        value = _input(node, (*_switched(node), *_TEXT_INPUTS, *_CONDITIONING_INPUTS))
        if value is None and any(name in node.inputs for name in _TEXT_INPUTS):
            return ""
    return None


def _switched(node: Node) -> tuple[str, ...]:
    """The input that a switch lets through."""
    if "on_true" not in node.inputs and "on_false" not in node.inputs:
        return ()
    return ("on_true",) if node.inputs.get("switch") is not False else ("on_false",)


def _joined(graph: Graph, node: Node, names: Iterable[str]) -> str | None:
    values = [graph.value(node.inputs.get(name), _TEXT_INPUTS) for name in names]
    parts = [value for value in values if isinstance(value, str) and value]
    delimiter = node.inputs.get("delimiter", node.inputs.get("separator", " "))
    return (delimiter if isinstance(delimiter, str) else " ").join(parts) if parts else None


def _size(graph: Graph, sampler: str) -> tuple[int | None, int | None]:
    """The size of the latent that the sampler begins with; None, None where no node says it."""
    for key in graph.upstream([sampler], _PICTURE_INPUTS):
        node = graph.nodes[key]
        if "width" in node.inputs or "empty_latent_width" in node.inputs:
            width = _input(node, ("width", "empty_latent_width"))
            height = _input(node, ("height", "empty_latent_height"))
            return (
                bounded.side(graph.value(width, ("width", *_NUMBER_INPUTS))),
                bounded.side(graph.value(height, ("height", *_NUMBER_INPUTS))),
            )
        for name in ("dimensions", "resolution"):
            sides = bounded.size(node.inputs.get(name))
            if sides[0] is not None:
                return sides
    return None, None


def _clip_skip(graph: Graph, sampler: str) -> int | None:
    for keys in (graph.upstream([sampler], None), graph.nodes):
        for key in keys:
            inputs = graph.nodes[key].inputs
            skip = bounded.integer(inputs.get("stop_at_clip_layer", inputs.get("clip_skip")))
            if skip:
                return bounded.count(abs(skip))
    return None


def _model(graph: Graph, sampler: str) -> str | None:
    for inputs in (_MODEL_INPUTS, None):
        for key in graph.upstream([sampler], inputs):
            name = bounded.name(_input(graph.nodes[key], _MODEL_NAMES))
            if name is not None:
                return name
    return None
