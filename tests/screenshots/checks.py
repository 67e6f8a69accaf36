"""The dialog of the system check on machines that differ: recorded ones, made ones, this one."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMessageBox

from desktop import cli
from desktop.models.system_report import OpenCheck, SystemReport
from desktop.settings import Theme
from desktop.views.system_check import SystemCheck
from engine.checks.snapshot import Snapshot
from tests.fakes.machines import (
    CARD,
    HEALTHY,
    RECORDED,
    PretendedMachine,
    PretendedSelfTest,
    healthy,
    recorded_machine,
)
from tests.waiting import painted, until

if TYPE_CHECKING:
    from tests.screenshots.session import Sitting

LANGUAGES = ("en", "zh_CN")
MACHINES = {
    "good": "01-r9700-rebar-on",
    "rebar-off": "03-rx6700xt-bar256-above4g-on",
    "render-group": "11-debian-kfd-render-user-video",
    "integrated": "31-r9700-plus-igpu-30576mb",
}
SMALL_BAR = {f"{CARD}/mem_info_vis_vram_total": str(256 * 2**20)}
LOG = """[    4.1] amdgpu 0000:03:00.0: Direct firmware load for amdgpu/gc_12_0_1_mes.bin failed with error -2
rocBLAS error: Cannot read /opt/rocm/lib/rocblas/library/TensileLibrary.dat for GPU arch : gfx1201
"""  # noqa: E501 - as the kernel prints it


async def take(sitting: Sitting) -> None:
    """All states of the dialog, in all looks."""
    os.environ["DANQING_TEST_SCRIPT"] = json.dumps({"matmul.float16": "abort"})
    for state, name in MACHINES.items():
        async with _dialog(sitting, _pretended(recorded_machine(name))) as dialog:
            await _in_all_looks(sitting, dialog, state)
    async with _dialog(sitting, cli.open_machine_check) as dialog:
        await _in_all_looks(sitting, dialog, "here")
    async with _dialog(sitting, _pretended(HEALTHY)) as dialog:
        dialog.bar.run_button.click()
        await sitting.desk.background.finish()
        dialog.rows.show_row(("step", "matmul.float16"))
        await _in_all_looks(sitting, dialog, "selftest-failed")
    os.environ["DANQING_TEST_SCRIPT"] = "{}"
    async with _dialog(sitting, _pretended(healthy(files=SMALL_BAR))) as dialog:
        dialog.bar.run_button.click()
        await sitting.desk.background.finish()
        await _in_all_looks(sitting, dialog, "to-be-read")
    await _take_other_pages(sitting)


async def _take_other_pages(sitting: Sitting) -> None:
    async with _dialog(sitting, _pretended(HEALTHY)) as dialog:
        dialog._open_recording(RECORDED / MACHINES["render-group"] / "snapshot")
        await sitting.desk.background.finish()
        await _in_all_looks(sitting, dialog, "recording")
        dialog.tabs.setCurrentIndex(1)
        for state, text in (("log", LOG), ("log-unknown", "all is well")):
            dialog.log.edit.setPlainText(text)
            dialog.log.explain_button.click()
            await sitting.desk.background.finish()
            await _in_all_looks(sitting, dialog, state)
    async with _dialog(sitting, _pretended(recorded_machine(MACHINES["render-group"]))) as dialog:
        for language in LANGUAGES:
            await sitting.wear(language, Theme.LIGHT)
            dialog.verdict.override_button.click()
            box = dialog.findChildren(QMessageBox)[-1]
            sitting.save(box, f"check-override-{language}-light")
            box.reject()


@asynccontextmanager
async def _dialog(sitting: Sitting, open_check: OpenCheck) -> AsyncIterator[SystemCheck]:
    desk = sitting.desk
    report = SystemReport(open_check, PretendedSelfTest)
    dialog = SystemCheck(report, desk.queue, desk.background, desk.window)
    dialog.show_check()
    await until(report.changed, lambda: report.is_complete and not report.is_checking)
    await desk.background.finish()
    yield dialog
    dialog.close()
    await desk.background.finish()
    dialog.deleteLater()


async def _in_all_looks(sitting: Sitting, dialog: SystemCheck, state: str) -> None:
    for language in LANGUAGES:
        for theme in (Theme.LIGHT, Theme.DARK):
            name = f"check-{state}-{language}-{theme}-{sitting.scale}x"
            if sitting.only in name:
                await sitting.wear(language, theme)
                await painted(dialog)
                dialog.grab().save(str(sitting.out / f"{name}.png"))


def _pretended(snapshot: Snapshot) -> OpenCheck:
    folder = Path(tempfile.mkdtemp(dir=Path.home()))
    return lambda: PretendedMachine(snapshot, folder)
