"""The window's languages: which there are, which one to speak, and how Qt learns it.

Owned here: the way from `resources/i18n/*.ts`, the files that translators edit, to what Qt reads.
No compiled file is in the tree; `lrelease`, which comes with PySide6, makes it at the first start
in a language and after each change, and the cache folder keeps it under the digest of its source,
so that it cannot be stale. Separate from the texts, which stand where they are used.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import PySide6
from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

import resources

log = logging.getLogger(__name__)

LANGUAGES = {"en": "English", "zh_CN": "简体中文"}
"""Codes and their own names, which are the same in every language."""

SYSTEM = "system"
_SOURCE_LANGUAGE = "en"


class TranslationError(Exception):
    """A language that cannot be prepared; the text says why."""


def resolve(choice: str, system: QLocale | None = None) -> str:
    """The code of `LANGUAGES` to speak for a choice, `system` or a code."""
    if choice in LANGUAGES:
        return choice
    names = (system or QLocale.system()).uiLanguages()
    return next((code for name in names if (code := _nearest(name))), _SOURCE_LANGUAGE)


def prompt_language(code: str) -> str:
    """The key of `ModelInfo.example_prompts` for a language: `en` or `zh`."""
    return code.partition("_")[0]


class Translations:
    """Installs one language at a time; widgets then receive `LanguageChange`."""

    def __init__(self, application: QCoreApplication, cache_folder: Path) -> None:
        self._application = application
        self._cache_folder = cache_folder
        self._installed: list[QTranslator] = []
        self._texts = b""

    def install(self, language: str) -> None:
        """Speak a language of `LANGUAGES`. Without its file the texts stay English, logged."""
        self.remove()
        self._installed = [_qt_translator(language)]
        try:
            # Held here, because Qt reads in it for as long as the translator lives.
            self._texts = compiled(language, self._cache_folder)
            self._installed.append(_own_translator(self._texts))
        except TranslationError as error:
            log.warning("the language %s cannot be used: %s", language, error)
        QLocale.setDefault(QLocale(language))
        for translator in self._installed:
            if not translator.isEmpty():
                self._application.installTranslator(translator)

    def remove(self) -> None:
        """Speak the language of the sources again."""
        for translator in self._installed:
            self._application.removeTranslator(translator)
        self._installed = []


def source_file(language: str) -> Path:
    """The file that translators edit."""
    return resources.path("i18n", f"danqing_{language}.ts")


def compiled(language: str, cache_folder: Path) -> bytes:
    """What Qt reads for a language, made from its source if the cache has it not yet.

    Raises `TranslationError`.
    """
    source = source_file(language)
    try:
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
    except OSError as error:
        raise TranslationError(str(error)) from error
    cached = cache_folder / "i18n" / f"{language}-{digest[:16]}.qm"
    try:
        return cached.read_bytes()
    except OSError:  # not there yet, or no cache that can be used
        data = _compile(source)
    _keep(data, cached)
    return data


def _nearest(name: str) -> str | None:
    """`zh-Hans-CN`, `zh-TW`, `zh` are nearest to `zh_CN` here; `en-GB` to `en`; others to none."""
    wanted = name.replace("_", "-").split("-")[0]
    return next((code for code in LANGUAGES if code.partition("_")[0] == wanted), None)


def _qt_translator(language: str) -> QTranslator:
    """Qt's own texts: buttons of dialogs, menus of text fields."""
    translator = QTranslator()
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if not translator.load(f"qtbase_{language}", folder):
        log.info("Qt has no texts for %s", language)
    return translator


def _own_translator(texts: bytes) -> QTranslator:
    """A translator on `texts`, which it does not copy."""
    translator = QTranslator()
    if not translator.load(texts):
        raise TranslationError("Qt cannot read the compiled texts")
    return translator


def _compile(source: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "texts.qm"
        command: Sequence[str] = (_lrelease(), "-silent", str(source), "-qm", str(target))
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
            return target.read_bytes()
        except subprocess.CalledProcessError as error:
            raise TranslationError(f"lrelease: {error.stderr.strip()}") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TranslationError(f"lrelease: {error}") from error


def _lrelease() -> str:
    """Beside PySide6 in its wheels, among Qt's tools in distributions."""
    for folder in (
        str(Path(PySide6.__file__).parent),
        QLibraryInfo.path(QLibraryInfo.LibraryPath.LibraryExecutablesPath),
        QLibraryInfo.path(QLibraryInfo.LibraryPath.BinariesPath),
        None,
    ):
        found = shutil.which("lrelease", path=folder)
        if found is not None:
            return found
    raise TranslationError("lrelease, which is a part of Qt, is not installed")


def _keep(data: bytes, cached: Path) -> None:
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=cached.parent, delete=False) as file:
            file.write(data)
        Path(file.name).replace(cached)
    except OSError as error:
        log.info("the compiled texts are not kept: %s", error)
