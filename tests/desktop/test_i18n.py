from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QCoreApplication, QLocale

import desktop
from desktop import i18n

ROOT = Path(desktop.__file__).parents[1]
SOURCES = [
    ROOT / "desktop" / "messages.py",
    ROOT / "desktop" / "check_texts.py",
    *sorted((ROOT / "engine" / "checks").glob("**/*.py")),
    *sorted((ROOT / "desktop" / "prompts").glob("*.py")),
    *sorted((ROOT / "desktop" / "store" / "metadata").glob("*.py")),
    *sorted((ROOT / "desktop" / "views").glob("*.py")),
    *sorted((ROOT / "desktop" / "widgets").glob("*.py")),
]


def entries(path: Path) -> list[tuple[str, ET.Element]]:
    """Context and message of every entry."""
    root = ET.parse(path).getroot()  # noqa: S314 - our own file
    return [
        (context.findtext("name", ""), message)
        for context in root.iter("context")
        for message in context.iter("message")
    ]


def texts(message: ET.Element) -> list[str]:
    """The translation, or each of its plural forms."""
    translation = message.find("translation")
    assert translation is not None
    forms = [form.text or "" for form in translation.iter("numerusform")]
    return forms or [translation.text or ""]


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{\w*\}|%n|\(\*\.\w+\)", text))


ENTRIES = [
    pytest.param(language, context, message, id=f"{language}-{context}-{number}")
    for language in i18n.LANGUAGES
    for number, (context, message) in enumerate(entries(i18n.source_file(language)))
]


@pytest.mark.parametrize(("language", "context", "message"), ENTRIES)
def test_every_text_is_translated_with_its_placeholders(language, context, message):
    translation = message.find("translation")
    assert translation.get("type") is None, "unfinished or gone"
    source = message.findtext("source", "")
    for text in texts(message):
        assert text.strip() or text == source
        assert placeholders(text) == placeholders(source)
        assert not re.search(r"&(?!\w)", text), "an access key needs a letter"


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_no_text_of_the_program_is_missing(language, tmp_path):
    fresh = tmp_path / "fresh.ts"
    tool = Path(sys.executable).with_name("pyside6-lupdate")
    command = [str(tool), "-silent", "-locations", "none"]
    command += ["-tr-function-alias", "QT_TR_NOOP+=say"]  # how the check of the machine speaks
    if language == "en":
        command.append("-pluralonly")
    command += [*map(str, SOURCES), "-ts", str(fresh)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)

    def keys(path):
        return {
            (context, message.findtext("source"), message.findtext("comment"))
            for context, message in entries(path)
        }

    assert keys(fresh) == keys(i18n.source_file(language)), "run `make translations`"


@pytest.mark.parametrize(
    ("choice", "system", "language"),
    [
        ("zh_CN", "en_US", "zh_CN"),
        ("en", "zh_CN", "en"),
        ("system", "zh_CN", "zh_CN"),
        ("system", "zh_SG", "zh_CN"),
        ("system", "en_GB", "en"),
        ("system", "fr_FR", "en"),
        ("system", "C", "en"),
        ("klingon", "zh_CN", "zh_CN"),
    ],
)
def test_the_language_is_chosen_or_the_system_s(choice, system, language):
    assert i18n.resolve(choice, QLocale(system)) == language


def test_a_language_is_spoken_at_once_and_given_up_again(qapp, tmp_path):
    def quit_text():
        return QCoreApplication.translate("Actions", "&Quit")

    def dialog_text():
        return QCoreApplication.translate("QPlatformTheme", "Cancel")

    def waiting(count):
        return QCoreApplication.translate("PromptPanel", "%n waiting", "jobs", count)

    translations = i18n.Translations(qapp, tmp_path)
    translations.install("zh_CN")
    assert quit_text() == "退出(&Q)"
    assert dialog_text() == "取消"
    assert waiting(2) == "2 个任务在等待"
    translations.install("en")
    assert quit_text() == "&Quit"
    assert dialog_text() == "Cancel"
    assert waiting(1) == "1 waiting"


def test_texts_are_compiled_once(tmp_path):
    first = i18n.compiled("zh_CN", tmp_path)
    files = list((tmp_path / "i18n").iterdir())
    assert len(files) == 1
    files[0].write_bytes(b"what the cache has")
    assert i18n.compiled("zh_CN", tmp_path) == b"what the cache has" != first


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path):
    (tmp_path / "i18n").write_text("a file, not a folder")
    assert i18n.compiled("zh_CN", tmp_path / "i18n").startswith(b"\x3c\xb8\x64\x18")


def test_a_language_without_its_file_leaves_english_and_says_so(qapp, tmp_path, expect_log):
    expect_log("the language xx cannot be used")
    translations = i18n.Translations(qapp, tmp_path)
    translations.install("xx")
    assert QCoreApplication.translate("Actions", "&Quit") == "&Quit"
