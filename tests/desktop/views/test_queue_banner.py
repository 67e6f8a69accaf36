from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from desktop import paths
from desktop.app import Desk
from desktop.store.jobs import JobState, JobStore, NewJob
from engine.port import Generate, GenerationRequest
from tests.fakes.fake_engine import FakeEngine
from tests.fakes.script import FAKE_MODEL
from tests.waiting import until


def request(prompt: str) -> GenerationRequest:
    return GenerationRequest(prompt=prompt, seed=7, model_id=FAKE_MODEL.model_id)


def crash(*prompts: str, times: int = 1) -> None:
    """Leave the queue as a program does that is killed while it draws the first of these."""
    folder = paths.state_folder()
    jobs = [
        NewJob(request=request(prompt), folder=str(paths.pictures_folder())) for prompt in prompts
    ]
    for time in range(times):
        store = JobStore.open(folder)
        if time == 0:
            store.enqueue(jobs)
        else:
            store.take_stock()
            store.go_on([job.job_id for job in jobs])
        store.begin(jobs[0].job_id)
        store._holder.close()
        store.database.close()


def texts(desk: Desk) -> str:
    return "\n".join(label.text() for label in desk.window.view.queue_banner.findChildren(QLabel))


async def told(desk: Desk) -> None:
    await until(desk.queue.left_over_changed, lambda: bool(desk.queue.left_over), 10)


def click(button) -> None:
    assert button.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_after_a_crash_one_click_goes_on(stage):
    crash("a cat", "a dog")

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        await told(desk)
        banner = desk.window.view.queue_banner
        assert "2 pictures of an earlier run" in texts(desk)
        assert "ended unexpectedly" in texts(desk)
        assert not any(isinstance(command, Generate) for command in engine.commands)
        click(banner.go_on_button)
        await until(desk.queue.left_over_changed, lambda: not desk.queue.left_over, 10)
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        await desk.background.finish()
        assert banner.isHidden()
        assert len(list(desk.pictures_folder.glob("*.png"))) == 2

    stage.play(scenario)


def test_what_is_discarded_does_not_come_back(stage):
    crash("a cat", "a dog")

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        await told(desk)
        click(desk.window.view.queue_banner.discard_button)
        await until(desk.queue.left_over_changed, lambda: not desk.queue.left_over, 10)
        assert desk.window.view.queue_banner.isHidden()

    stage.play(scenario)
    store = JobStore.open(paths.state_folder())
    assert store.left_over() == []
    store.close()


def test_a_job_in_quarantine_is_named_and_tried_again_only_when_asked(stage):
    crash("a poisonous mushroom", times=2)

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        await told(desk)
        assert desk.queue.left_over[0].state is JobState.QUARANTINED
        assert "a poisonous mushroom" in texts(desk)
        click(desk.window.view.queue_banner.go_on_button)
        await until(desk.queue.left_over_changed, lambda: not desk.queue.left_over, 10)
        await until(desk.queue.changed, lambda: desk.queue.is_idle, 10)
        await desk.background.finish()
        assert len(list(desk.pictures_folder.glob("*.png"))) == 1

    stage.play(scenario)


@pytest.mark.logs("database is damaged")
@pytest.mark.logs("set aside")
def test_a_damaged_queue_is_set_aside_and_the_window_opens(stage):
    paths.state_folder().mkdir(parents=True)
    (paths.state_folder() / "queue.db").write_bytes(b"no database" * 1000)

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        banner = desk.window.view.banner
        await until(desk.ledger.replaced, lambda: not banner.isHidden(), 10)
        said = "\n".join(label.text() for label in banner.findChildren(QLabel))
        assert "was damaged" in said
        [aside] = paths.state_folder().glob("queue-damaged-*.db")
        assert str(aside) in said

    stage.play(scenario)


@pytest.mark.logs("settings cannot be read")
def test_damaged_settings_are_set_aside_and_the_window_says_so(qapp, stage):
    paths.config_folder().mkdir(parents=True)
    (paths.config_folder() / "settings.json").write_text("[" * 100_000)

    async def scenario(desk: Desk, engine: FakeEngine) -> None:
        banner = desk.window.view.banner
        said = "\n".join(label.text() for label in banner.findChildren(QLabel))
        assert "settings could not be read" in said
        [aside] = paths.config_folder().glob("settings-damaged-*.json")
        assert str(aside) in said

    stage.play(scenario, is_first_start=True)
