"""The dialog of a picture's settings: an own picture, other programs' ones, one without any."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from desktop.settings import Theme
from desktop.store import images
from engine.port import RgbImage
from tests.fakes.provenance import history
from tests.waiting import painted

if TYPE_CHECKING:
    from tests.screenshots.session import Sitting

SAMPLES = Path(__file__).parents[1] / "desktop/store/metadata/samples"
OTHERS = {"graph": "png-comfyui-anima.png", "nothing": "png-gimp-en.png"}


async def take(sitting: Sitting) -> None:
    """All states of the dialog, in all looks."""
    own = sitting.out / "own.webp"
    pixels = bytes(channel for y in range(192) for x in range(320) for channel in (x % 256, y, 160))
    made = history("a lighthouse by the sea at night", negative="people, boats", seed=2**64 - 1)
    picture = RgbImage(width=320, height=192, data=pixels)
    own.write_bytes(images.encode(picture, ".webp", made))
    files = {"own": own, **{state: SAMPLES / name for state, name in OTHERS.items()}}
    window = sitting.desk.window
    for state, file in files.items():
        window.picture_drop.open(file)
        await sitting.desk.background.finish()
        dialog = window.picture_drop.dialog
        assert dialog is not None
        for language in ("en", "zh_CN"):
            for theme in (Theme.LIGHT, Theme.DARK):
                await sitting.wear(language, theme)
                await painted(dialog)
                name = f"settings-{state}-{language}-{theme}-{sitting.scale}x"
                if sitting.only in name:
                    dialog.grab().save(str(sitting.out / f"{name}.png"))
        dialog.reject()
    own.unlink()
