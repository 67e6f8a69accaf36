"""The import of a prompt list: a thousand rows, forty of them wrong; an encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop import paths
from desktop.settings import Theme
from desktop.views.prompt_list_dialog import PromptListDialog
from tests.waiting import painted, until

if TYPE_CHECKING:
    from tests.screenshots.session import Sitting

SUBJECTS = (
    "an orange cat on a blue background",
    "a red fox in the snow",
    "一只橙色的猫，蓝色背景",
    "a lighthouse at dusk, {warm|cold} light",
    "山水画，雾中的松树",
    "three apples on a wooden table",
)
WRONG = (
    "--prompt x --steps 999",
    "--prompt a castle --ar 16:9",
    '--prompt "open quote --steps 4',
    "a __nothing__ hat",
    "{cat|dog",
    "--prompt b --width 7 --height 9",
    "--prompt c --seed 99999999999999999999",
    "--prompt d --sampler_name Heun",
)


def text_of_thousand() -> str:
    """Lines of every kind; each 25th is wrong, each 60th has options that are read as text."""
    lines = []
    for n in range(1000):
        subject = SUBJECTS[n % len(SUBJECTS)]
        if n % 25 == 3:
            lines.append(WRONG[n // 25 % len(WRONG)])
        elif n % 60 == 10:
            lines.append(f"{subject} --steps 20")
        elif n % 3 == 1:
            lines.append(f'--prompt "{subject}" --negative "blurry" --seed {n * 7919}')
        else:
            lines.append(f"{subject}, number {n + 1}")
    return "\n".join(lines)


async def take(sitting: Sitting) -> None:
    """`list-STATE-LANGUAGE-THEME` files."""
    window = sitting.desk.window
    folder = paths.state_folder()
    file = folder / "my prompts.txt"
    file.write_text(text_of_thousand(), encoding="utf-8")
    chinese = folder / "提示词.txt"
    chinese.write_bytes("一只橙色的猫\n山水画\n".encode("gb18030"))
    for language in ("en", "zh_CN"):
        for theme in (Theme.LIGHT, Theme.DARK):
            await sitting.wear(language, theme)
            look = f"{language}-{theme}"
            window.list_import.open(file)
            dialog = await _opened(window.list_import.dialog)
            sitting.save_as_is(dialog, f"list-thousand-{look}")
            dialog.only_notes.setChecked(True)
            dialog.table.go_to_next_note()
            sitting.save_as_is(dialog, f"list-problems-{look}")
            dialog.reject()
            window.list_import.open(chinese)
            dialog = await _opened(window.list_import.dialog)
            sitting.save_as_is(dialog, f"list-encoding-{look}")
            dialog.reject()


async def _opened(dialog: PromptListDialog | None) -> PromptListDialog:
    assert dialog is not None
    reading = dialog.prompt_list
    await until(reading.changed, lambda: not reading.is_reading)
    await painted(dialog)
    return dialog
