"""ComfyUI's other form of a graph, the one that its window keeps, put into the form it computes.

There, the values of a node are a list whose order only the node's kind knows. Newer files name the
values that can be linked; for the common kinds of older ones the order is written down here.
"""

from __future__ import annotations

from typing import Any

_SAMPLER = ("sampler_name", "scheduler")
_WIDGETS: dict[str, tuple[str, ...]] = {
    "KSampler": ("seed", "", "steps", "cfg", *_SAMPLER, "denoise"),
    "KSamplerAdvanced": ("add_noise", "noise_seed", "", "steps", "cfg", *_SAMPLER),
    "SamplerCustom": ("add_noise", "noise_seed", "", "cfg"),
    "RandomNoise": ("noise_seed", ""),
    "KSamplerSelect": ("sampler_name",),
    "BasicScheduler": ("scheduler", "steps", "denoise"),
    "CFGGuider": ("cfg",),
    "FluxGuidance": ("guidance",),
    "CLIPTextEncode": ("text",),
    "CLIPSetLastLayer": ("stop_at_clip_layer",),
    "EmptyLatentImage": ("width", "height", "batch_size"),
    "EmptySD3LatentImage": ("width", "height", "batch_size"),
    "CheckpointLoaderSimple": ("ckpt_name",),
    "CheckpointLoader": ("config_name", "ckpt_name"),
    "UNETLoader": ("unet_name",),
    "PrimitiveNode": ("value",),
    "PrimitiveInt": ("value",),
    "PrimitiveFloat": ("value",),
    "PrimitiveString": ("value",),
    "PrimitiveStringMultiline": ("value",),
}
_AFTER_SEED = frozenset({"fixed", "increment", "decrement", "randomize"})
_MUTED = 2


def from_workflow(workflow: Any, most_nodes: int) -> dict[str, tuple[str, dict[str, Any]]]:
    """Kind and inputs of each node by id, links as `[id, slot]`; empty if it is no such graph."""
    if not isinstance(workflow, dict) or not isinstance(workflow.get("nodes"), list):
        return {}
    sources = _sources(workflow.get("links"))
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for node in workflow["nodes"][:most_nodes]:
        if not isinstance(node, dict) or not isinstance(node.get("type"), str):
            continue
        if node.get("mode") != _MUTED and isinstance(node.get("id"), str | int):
            found[str(node["id"])] = (node["type"], _inputs(node, sources))
    return found


def _sources(links: Any) -> dict[int, list[Any]]:
    """Where each link comes from. A link is `[id, node, slot, to, slot, type]`."""
    found: dict[int, list[Any]] = {}
    for link in links if isinstance(links, list) else ():
        if isinstance(link, list) and len(link) >= 3 and isinstance(link[0], int):
            found[link[0]] = [link[1], link[2]]
        elif isinstance(link, dict) and isinstance(link.get("id"), int):
            found[link["id"]] = [link.get("origin_id"), link.get("origin_slot")]
    return found


def _inputs(node: dict[str, Any], sources: dict[int, list[Any]]) -> dict[str, Any]:
    slots = [slot for slot in _list(node.get("inputs")) if isinstance(slot, dict)]
    values = node.get("widgets_values")
    inputs: dict[str, Any] = {}
    if isinstance(values, dict):
        inputs.update(values)
    elif isinstance(values, list):
        names = _WIDGETS.get(node["type"]) or _named(slots, values)
        inputs.update({name: value for name, value in zip(names, values, strict=False) if name})
    for slot in slots:
        name, link = slot.get("name"), slot.get("link")
        if isinstance(name, str) and isinstance(link, int) and link in sources:
            inputs[name] = sources[link]
    return inputs


def _named(slots: list[dict[str, Any]], values: list[Any]) -> list[str]:
    """Names for the values, from the inputs that are also widgets, in their order."""
    names: list[str] = []
    for slot in slots:
        widget = slot.get("widget")
        if isinstance(widget, dict) and isinstance(widget.get("name"), str):
            names.append(widget["name"])
            after = values[len(names)] if len(names) < len(values) else None
            if "seed" in widget["name"] and isinstance(after, str) and after in _AFTER_SEED:
                names.append("")
    # A node whose only value is not linked names none: a text, then.
    return names or (["text"] if values and isinstance(values[0], str) else [])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
