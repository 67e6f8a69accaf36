"""The dialog of a picture's settings: what was found in it, to be taken over whole or in part.

Owned here: the words. What cannot be had with the chosen model is shown, with the reason, and
cannot be ticked.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.models.picture_settings import (
    THUMBNAIL_SIDE,
    Obstacle,
    Offer,
    PictureSettings,
    Setting,
)
from desktop.views import words
from desktop.widgets.elided_label import ElidedLabel

_WIDTH = 760
_SIDE = THUMBNAIL_SIDE // 2
_TEXTS = (Setting.PROMPT, Setting.NEGATIVE_PROMPT)
_PROGRAMS = {
    "civitai": "Civitai",
    "comfyui": "ComfyUI",
    "draw-things": "Draw Things",
    "easydiffusion": "Easy Diffusion",
    "easy-reforge": "EasyReforge",
    "fooocus": "Fooocus",
    "forge": "Forge",
    "forge-classic": "Forge Classic",
    "forge-neo": "Forge Neo",
    "hf-space": "Hugging Face Space",
    "invokeai": "InvokeAI",
    "mochi-diffusion": "Mochi Diffusion",
    "novelai": "NovelAI",
    "reforge": "reForge",
    "ruined-fooocus": "RuinedFooocus",
    "sd-next": "SD.Next",
    "sd-webui": "Stable Diffusion web UI",
    "stability-matrix": "StabilityMatrix",
    "swarmui": "SwarmUI",
    "tensorart": "Tensor.Art",
}
"""Names of programs, which are the same in every language."""
_LINES = {Setting.PROMPT: 5, Setting.NEGATIVE_PROMPT: 3}


class PictureSettingsDialog(QDialog):
    """Shows what `settings` has read; `chosen` is what is ticked."""

    def __init__(self, settings: PictureSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.boxes: dict[Setting, QCheckBox] = {}
        self._obstacles: list[tuple[QLabel, Offer]] = []
        self.thumbnail = QLabel()
        self.thumbnail.setFixedWidth(_SIDE)
        self.thumbnail.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignHCenter)
        self.name = ElidedLabel()
        self.headline = _quiet()
        self.notes = _quiet()
        self.rows = QGridLayout()
        self.rows.setHorizontalSpacing(2 * theme.SPACE)
        self.rows.setVerticalSpacing(theme.SPACE)
        self.rows.setColumnStretch(1, 1)
        self.all_button = QPushButton()
        self.all_button.setAutoDefault(False)
        self.apply_button = QPushButton()
        self.close_button = QPushButton()
        self.buttons = QDialogButtonBox()
        self.buttons.addButton(self.close_button, QDialogButtonBox.ButtonRole.RejectRole)
        self.buttons.addButton(self.apply_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out()
        self.apply_button.setDefault(True)
        self.all_button.clicked.connect(self._tick_all)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        settings.read.connect(self._show_found)
        self.retranslate()

    @property
    def chosen(self) -> tuple[Offer, ...]:
        """The ticked values."""
        ticked = {setting for setting, box in self.boxes.items() if box.isChecked()}
        return tuple(offer for offer in self._settings.offers if offer.setting in ticked)

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.addWidget(self.thumbnail)
        left.addStretch(1)
        right = QVBoxLayout()
        right.setSpacing(theme.SPACE)
        right.addWidget(self.name)
        right.addWidget(self.headline)
        right.addWidget(self.notes)
        right.addLayout(self.rows)
        right.addStretch(1)
        both = QHBoxLayout()
        both.setSpacing(2 * theme.SPACE)
        both.addLayout(left)
        both.addLayout(right, 1)
        below = QHBoxLayout()
        below.addWidget(self.all_button)
        below.addStretch(1)
        below.addWidget(self.buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[2 * theme.SPACE] * 4)
        column.setSpacing(2 * theme.SPACE)
        column.addLayout(both, 1)
        column.addLayout(below)
        self.resize(_WIDTH, self.sizeHint().height())

    # --- what was found ---------------------------------------------------------------------------

    def _show_found(self) -> None:
        image = self._settings.thumbnail
        if image is not None:
            ratio = self.devicePixelRatioF()
            side = round(_SIDE * ratio)
            pixmap = QPixmap.fromImage(image).scaled(
                side,
                side,
                Qt.AspectRatioMode.KeepAspectRatio,
                Qt.TransformationMode.SmoothTransformation,
            )
            pixmap.setDevicePixelRatio(ratio)
            self.thumbnail.setPixmap(pixmap)
        self.thumbnail.setVisible(image is not None)
        for row, offer in enumerate(self._settings.offers):
            self._add_row(row, offer)
        self.retranslate()
        self.resize(_WIDTH, self.sizeHint().height())

    def _add_row(self, row: int, offer: Offer) -> None:
        box = QCheckBox()
        box.setEnabled(offer.obstacle is None)
        box.setChecked(offer.obstacle is None)
        box.toggled.connect(self._show_buttons)
        self.boxes[offer.setting] = box
        top = Qt.AlignmentFlag.AlignTop
        self.rows.addWidget(box, row, 0, top)
        if offer.setting in _TEXTS:
            self.rows.addWidget(_text_field(offer), row, 1)
            return
        obstacle = QLabel()
        obstacle.setProperty("quiet", True)
        obstacle.setWordWrap(True)
        sampler = offer.changes.get("sampler")
        value = QLabel(offer.text if sampler is None else words.SAMPLERS[sampler])
        value.setTextFormat(Qt.TextFormat.PlainText)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.setEnabled(offer.obstacle is None)
        line = QHBoxLayout()
        line.setSpacing(2 * theme.SPACE)
        line.addWidget(value)
        line.addWidget(obstacle, 1)
        self.rows.addLayout(line, row, 1)
        self._obstacles.append((obstacle, offer))

    def _tick_all(self) -> None:
        boxes = [box for box in self.boxes.values() if box.isEnabled()]
        are_all_ticked = all(box.isChecked() for box in boxes)
        for box in boxes:
            box.setChecked(not are_all_ticked)

    def _show_buttons(self) -> None:
        boxes = [box for box in self.boxes.values() if box.isEnabled()]
        ticked = [box for box in boxes if box.isChecked()]
        self.apply_button.setVisible(bool(boxes))
        self.apply_button.setEnabled(bool(ticked))
        self.all_button.setVisible(len(boxes) > 1)
        is_all = len(ticked) == len(boxes)
        self.all_button.setText(self.tr("Select none") if is_all else self.tr("Select all"))
        self.close_button.setText(self.tr("Cancel") if boxes else self.tr("Close"))

    # --- language ---------------------------------------------------------------------------------

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Picture settings"))
        self.name.setText(self._settings.path.name)
        self.headline.setText(self._headline())
        labels = {
            Setting.PROMPT: self.tr("Prompt"),
            Setting.NEGATIVE_PROMPT: self.tr("Negative prompt"),
            Setting.SEED: self.tr("Seed"),
            Setting.SIZE: self.tr("Size"),
            Setting.STEPS: self.tr("Steps"),
            Setting.SAMPLER: self.tr("Sampler"),
            Setting.GUIDANCE: self.tr("Guidance"),
        }
        for setting, box in self.boxes.items():
            box.setText(labels[setting])
        for label, offer in self._obstacles:
            label.setText(self._obstacle(offer.obstacle))
        self.notes.setText("\n".join(self._settings.notes))
        self.notes.setVisible(bool(self._settings.notes))
        self.apply_button.setText(self.tr("Apply"))
        self._show_buttons()

    def _headline(self) -> str:
        settings = self._settings
        if settings.problem is not None:
            reason = settings.problem.strerror or str(settings.problem)
            return self.tr("The file cannot be read: {reason}").format(reason=reason)
        if settings.found is None:
            return self.tr("Reading…")
        if settings.found.software is None:
            return self.tr("This picture does not say how it was made.")
        text = self.tr("Made with {program}. What should go into the prompt panel?")
        software = settings.found.software
        translated = {"danqing": self.tr("Danqing"), "other": self.tr("another program")}
        program = translated.get(software) or _PROGRAMS.get(software, software)
        return text.format(program=program)

    def _obstacle(self, obstacle: Obstacle | None) -> str:
        match obstacle:
            case None:
                return ""
            case Obstacle.SEED_OUT_OF_RANGE:
                return self.tr("Not a seed that can be set here")
            case Obstacle.SIZE_NOT_OF_MODEL:
                return self.tr("The chosen model does not draw at this size")
            case Obstacle.SAMPLER_UNKNOWN:
                return self.tr("This sampler is not available here")
            case Obstacle.OUT_OF_RANGE:
                return self.tr("Outside what can be set here")


def _quiet() -> QLabel:
    label = QLabel()
    label.setProperty("quiet", True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    return label


def _text_field(offer: Offer) -> QPlainTextEdit:
    field = QPlainTextEdit(offer.text)
    field.setReadOnly(True)
    field.setTabChangesFocus(True)
    height = field.fontMetrics().lineSpacing() * _LINES[offer.setting] + 2 * theme.SPACE
    field.setFixedHeight(height)
    return field
