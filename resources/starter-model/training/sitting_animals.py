"""Sits an animal's head on a body of our own: cats, dogs, pandas and others as people expect them.

The picture packages show some animals as a head alone, which floats when it is put in a meadow,
and cat and dog from the side, where the two differ little.  Owns which animals get a body and in
which colours; the bodies are drawn here, as SVG, so that every animal sits alike.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
import resvg_py
from PIL import Image

WIDTH, HEIGHT = 100, 116  # the drawing's units
RENDERED_PX = 464
HEAD_WIDTH, HEAD_BOTTOM = 78, 75
BLACK_FUR, BLACK_CATS_EYES = (62, 60, 70), (250, 214, 80)

TAILS = {
    "none": "",
    "long": '<path d="M70 104q25 1 24-20q-1-10-8-13" fill="none" stroke="{tail}" '
    'stroke-width="9" stroke-linecap="round"/>',
    "short": '<path d="M70 98q17-4 17-19" fill="none" stroke="{tail}" stroke-width="9" '
    'stroke-linecap="round"/>',
    "bushy": '<path d="M66 108q30 6 32-18q1-12-6-22q-5 8-13 12q-12 7-13 28z" fill="{tail}"/>'
    '<path d="M98 88q1-11-6-20q-5 8-12 11q6 9 18 9z" fill="{tip}"/>',
    "tuft": '<path d="M70 104q22 0 21-21" fill="none" stroke="{tail}" stroke-width="6" '
    'stroke-linecap="round"/><circle cx="91" cy="78" r="7" fill="{tip}"/>',
}
BODY = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 116" width="{px}" height="{py}">
<defs><radialGradient id="fur" cx=".36" cy=".3" r=".85"><stop offset="0" stop-color="{light}"/>
<stop offset=".55" stop-color="{fur}"/><stop offset="1" stop-color="{dark}"/></radialGradient>
<radialGradient id="leg" cx=".4" cy=".25" r=".9"><stop offset="0" stop-color="{leg_light}"/>
<stop offset=".6" stop-color="{leg}"/><stop offset="1" stop-color="{leg_dark}"/></radialGradient>
</defs>{tail}
<path d="M50 54C30 54 25 84 25 102q0 11 12 11h26q12 0 12-11C75 84 70 54 50 54z" fill="url(#fur)"/>
<ellipse cx="50" cy="86" rx="14" ry="19" fill="{belly}"/>
<ellipse cx="27" cy="103" rx="12" ry="11" fill="url(#leg)"/>
<ellipse cx="73" cy="103" rx="12" ry="11" fill="url(#leg)"/>
<rect x="35.500" y="80" width="13" height="33" rx="6.500" fill="url(#leg)"/>
<rect x="51.500" y="80" width="13" height="33" rx="6.500" fill="url(#leg)"/>
<ellipse cx="42" cy="110" rx="7.500" ry="5" fill="{paw}"/>
<ellipse cx="58" cy="110" rx="7.500" ry="5" fill="{paw}"/>
<ellipse cx="50" cy="70" rx="20" ry="6" fill="#301818" opacity="{neck}"/></svg>"""


@dataclass(frozen=True, slots=True)
class Body:
    """Colours of a body; ``legs`` is the fur of the legs, ``head`` the label of the head's icon."""

    head: str
    fur: str
    belly: str
    legs: str
    paws: str
    tail: str = "none"
    tip: str = "#ffffff"
    styles: tuple[str, ...] = ("3d", "flat", "cartoon")


BODIES = {
    "cat": Body("cat face", "#ffb02e", "#ffdc96", "#ffb02e", "#ffe3ad", "long",
                styles=("3d", "flat")),
    "black cat": Body("cat face", "#45434f", "#5d5a68", "#45434f", "#6b6877", "long",
                      styles=("3d", "flat")),
    "dog": Body("dog face", "#e2a877", "#fbe0bd", "#e2a877", "#fbe0bd", "short",
                styles=("3d", "flat")),
    "panda": Body("panda", "#f0edf4", "#ffffff", "#47406b", "#5d5583"),
    "bear": Body("bear", "#9a5f4a", "#c98f68", "#9a5f4a", "#7d4533"),
    "polar bear": Body("polar bear", "#ece9f1", "#ffffff", "#ece9f1", "#ffffff"),
    "koala": Body("koala", "#a3a1a8", "#d8d6dc", "#a3a1a8", "#85838b"),
    "fox": Body("fox", "#ff822d", "#ffe3bf", "#ff822d", "#5a3430", "bushy", "#fff3e0"),
    "wolf": Body("wolf", "#9b9aa1", "#d9d8de", "#9b9aa1", "#c9c8ce", "bushy", "#d9d8de"),
    "lion": Body("lion", "#f5a52c", "#fbd08a", "#f5a52c", "#fbd08a", "tuft", "#6d4534"),
}  # fmt: skip


def _mixed(colour: str, other: int, share: float) -> str:
    """A '#rrggbb' colour with a share of the grey ``other``."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(p + (other - p) * share):02x}" for p in parts)


def _body(body: Body, style: str) -> Image.Image:
    depth = 1.0 if style == "3d" else 0.0
    colours = {
        "fur": body.fur,
        "light": _mixed(body.fur, 255, 0.28 * depth),
        "dark": _mixed(body.fur, 60, 0.30 * depth),
        "leg": body.legs,
        "leg_light": _mixed(body.legs, 255, 0.22 * depth),
        "leg_dark": _mixed(body.legs, 60, 0.35 if depth else 0.12),
        "belly": body.belly,
        "paw": body.paws,
        "neck": 0.25 if depth else 0.16,
    }
    tail = TAILS[body.tail].format(tail=_mixed(body.fur, 60, 0.12), tip=body.tip)
    size = {"px": RENDERED_PX, "py": RENDERED_PX * HEIGHT // WIDTH}
    svg = BODY.format(tail=tail, **colours, **size)
    return Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg)))).convert("RGBA")


def _black_fur(head: Image.Image) -> Image.Image:
    """A cat's head with dark fur and yellow eyes; nose and mouth keep their pink."""
    pixels = np.asarray(head).astype(np.float32)
    rgb, brightness = pixels[..., :3], pixels[..., :3] @ np.float32([0.3, 0.59, 0.11]) / 255
    is_pink = (rgb[..., 2] > rgb[..., 1] + 45) & (rgb[..., 0] > 120)
    is_eye = (brightness < 0.42) & ~is_pink
    fur = np.float32(BLACK_FUR) * (0.45 + 0.75 * brightness[..., None])
    rgb = np.where(is_pink[..., None], rgb, fur)
    rgb = np.where(is_eye[..., None], np.float32(BLACK_CATS_EYES), rgb)
    return Image.fromarray(np.concatenate([rgb, pixels[..., 3:]], -1).round().astype(np.uint8))


def sitting(label: str, style: str, head: Image.Image) -> Image.Image:
    """The animal with this RGBA head, on a transparent picture of RENDERED_PX width."""
    if label == "black cat":
        head = _black_fur(head)
    picture = _body(BODIES[label], style)
    unit = RENDERED_PX / WIDTH
    head = head.crop(head.getbbox())
    size = (round(HEAD_WIDTH * unit), round(HEAD_WIDTH * unit * head.height / head.width))
    head = head.resize(size, Image.Resampling.LANCZOS)
    top = round(HEAD_BOTTOM * unit) - size[1]
    raised = max(0, -top)  # a tall head needs room above
    canvas = Image.new("RGBA", (picture.width, picture.height + raised))
    canvas.alpha_composite(picture, (0, raised))
    canvas.alpha_composite(head, ((picture.width - size[0]) // 2, top + raised))
    return canvas
