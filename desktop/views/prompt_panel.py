"""The left side of the window: what to draw and how, and the two buttons that start and stop it.

Binds widgets to `PromptForm` and `JobQueue`; the rules are theirs, the words are here.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from desktop import theme
from desktop.models.job_queue import JobQueue
from desktop.models.prompt_form import (
    MAX_GUIDANCE_SCALE,
    MAX_IMAGES,
    MAX_STEPS,
    SIZE_PROBLEMS,
    Problem,
    PromptForm,
    size_text,
)
from desktop.models.system_report import SystemReport
from desktop.views import words
from desktop.views.actions import Actions, plain_name
from desktop.views.gate_note import GateNote
from desktop.widgets.prompt_edit import PromptEdit
from desktop.widgets.seed_field import SeedField
from engine.port import CancelWhen, ModelId, Sampler


class PromptPanel(QWidget):
    """Give it the language of the example prompts with `show_examples`."""

    def __init__(
        self,
        form: PromptForm,
        queue: JobQueue,
        system: SystemReport,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._form = form
        self._queue = queue
        self._actions = actions
        self.gate_note = GateNote(system)
        self._make_widgets()
        self._lay_out()
        self._connect()
        self.retranslate()
        self._tint()
        self._show_models()
        self._show_values()
        self._show_queue()

    def show_examples(self, prompts: tuple[str, ...]) -> None:
        """Offer prompts that the model does well."""
        self._examples_menu.clear()
        for prompt in prompts:
            # A single & would be taken for the mark of an access key.
            action = self._examples_menu.addAction(prompt.replace("&", "&&"))
            action.triggered.connect(lambda _=False, text=prompt: self._form.update(prompt=text))
        self._examples.setVisible(bool(prompts))

    # --- building ---------------------------------------------------------------------------------

    def _make_widgets(self) -> None:
        self.prompt_edit = PromptEdit(lines=6, most_lines=14)
        self.negative_edit = PromptEdit(lines=3, most_lines=5)
        self.model_box = QComboBox()
        self.size_box = QComboBox()
        self.size_box.setEditable(True)
        self.size_box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.size_box.setCompleter(None)  # pyright: ignore[reportArgumentType] - Qt takes a null one
        self.swap_button = QToolButton()
        self.steps_box = QSpinBox()
        self.steps_box.setRange(1, MAX_STEPS)
        self.guidance_box = QDoubleSpinBox()
        self.guidance_box.setRange(0.0, MAX_GUIDANCE_SCALE)
        self.guidance_box.setSingleStep(0.5)
        self.guidance_box.setDecimals(1)
        self.sampler_box = QComboBox()
        for sampler, name in words.SAMPLERS.items():
            self.sampler_box.addItem(name, sampler)
        self.count_box = QSpinBox()
        self.count_box.setRange(1, MAX_IMAGES)
        for box in (self.steps_box, self.guidance_box, self.count_box):
            # The style sheet's padding does not reach the text of spin boxes.
            box.lineEdit().setTextMargins(theme.SPACE // 2, 0, 0, 0)
            # Qt's own hint counts the padding twice, which makes the panel too wide in Chinese.
            box.setMinimumWidth(box.fontMetrics().horizontalAdvance("0000") + 6 * theme.SPACE)
        self.seed_field = SeedField()
        self.generate_button = QPushButton()
        self.generate_button.setObjectName("generate")
        self.stop_button = QPushButton()
        self.stop_button.setObjectName("stop")
        self._labels = [QLabel() for _ in range(9)]
        self._examples = QToolButton()
        self._examples.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._examples.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._examples_menu = QMenu(self._examples)
        self._examples.setMenu(self._examples_menu)
        self._examples.hide()
        self._model_note = _note()
        self._size_note = _note("problem")
        self._seed_note = _note("problem")
        self._hint = QLabel()
        self._hint.setProperty("quiet", True)
        self._clear = QToolButton()
        self._clear.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def _lay_out(self) -> None:
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self._scrolled(self._fields()), 1)
        outer.addWidget(self._footer())

    def _fields(self) -> QWidget:
        (prompt, negative, model, size, steps, guidance, sampler, count, seed) = self._labels
        for label, field in (
            (prompt, self.prompt_edit),
            (negative, self.negative_edit),
            (model, self.model_box),
            (size, self.size_box),
            (steps, self.steps_box),
            (guidance, self.guidance_box),
            (sampler, self.sampler_box),
            (count, self.count_box),
            (seed, self.seed_field.line),
        ):
            label.setBuddy(field)
        fields = QWidget()
        column = QVBoxLayout(fields)
        column.setContentsMargins(*(2 * theme.SPACE,) * 4)
        column.setSpacing(theme.SPACE // 2)
        column.addLayout(_row(prompt, None, self._examples))
        column.addWidget(self.prompt_edit, 30)
        column.addSpacing(theme.SPACE)
        column.addWidget(negative)
        column.addWidget(self.negative_edit, 10)
        column.addSpacing(theme.SPACE + theme.SPACE // 2)
        column.addLayout(self._numbers(model, size, steps, guidance, sampler, count, seed))
        column.addStretch(1)
        return fields

    def _numbers(self, *labels: QLabel) -> QGridLayout:
        model, size, steps, guidance, sampler, count, seed = labels
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.SPACE + theme.SPACE // 2)
        grid.setVerticalSpacing(theme.SPACE)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        wide = (1, 3)
        grid.addWidget(model, 0, 0)
        grid.addWidget(self.model_box, 0, 1, *wide)
        grid.addWidget(self._model_note, 1, 1, *wide)
        grid.addWidget(size, 2, 0)
        grid.addLayout(_row(self.size_box, self.swap_button), 2, 1, *wide)
        grid.addWidget(self._size_note, 3, 1, *wide)
        grid.addWidget(steps, 4, 0)
        grid.addWidget(self.steps_box, 4, 1)
        grid.addWidget(guidance, 4, 2)
        grid.addWidget(self.guidance_box, 4, 3)
        grid.addWidget(sampler, 5, 0)
        grid.addWidget(self.sampler_box, 5, 1, *wide)
        grid.addWidget(seed, 6, 0)
        grid.addWidget(self.seed_field, 6, 1, *wide)
        grid.addWidget(self._seed_note, 7, 1, *wide)
        grid.addWidget(count, 8, 0)
        grid.addWidget(self.count_box, 8, 1)
        return grid

    def _scrolled(self, content: QWidget) -> QScrollArea:
        area = _Fields()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        return area

    def _footer(self) -> QWidget:
        footer = QWidget()
        column = QVBoxLayout(footer)
        column.setContentsMargins(2 * theme.SPACE, theme.SPACE, 2 * theme.SPACE, theme.SPACE)
        column.setSpacing(theme.SPACE // 2)
        buttons = _row(self.generate_button, self.stop_button)
        buttons.setSpacing(theme.SPACE)
        column.addLayout(buttons)
        column.addLayout(_row(self._hint, None, self._clear))
        column.addWidget(self.gate_note, alignment=Qt.AlignmentFlag.AlignLeft)
        return footer

    def _connect(self) -> None:
        form, queue = self._form, self._queue
        self.prompt_edit.textChanged.connect(
            lambda: form.update(prompt=self.prompt_edit.toPlainText())
        )
        self.negative_edit.textChanged.connect(
            lambda: form.update(negative_prompt=self.negative_edit.toPlainText())
        )
        self.model_box.activated.connect(
            lambda row: form.choose_model(ModelId(self.model_box.itemData(row)))
        )
        self.size_box.editTextChanged.connect(lambda text: form.update(size_text=text))
        self.swap_button.clicked.connect(form.swap_sides)
        self.steps_box.valueChanged.connect(lambda steps: form.update(steps=steps))
        self.guidance_box.valueChanged.connect(lambda value: form.update(guidance_scale=value))
        self.sampler_box.activated.connect(
            lambda row: form.update(sampler=Sampler(self.sampler_box.itemData(row)))
        )
        self.count_box.valueChanged.connect(lambda count: form.update(image_count=count))
        self.seed_field.edited.connect(
            lambda text: form.update(is_seed_random=not text, seed_text=text)
        )
        self.seed_field.random_toggled.connect(self._toggle_random_seed)
        self.seed_field.last_wanted.connect(form.use_last_seed)
        self.generate_button.clicked.connect(self._actions.generate.trigger)
        self.stop_button.clicked.connect(self._actions.stop.trigger)
        self._clear.clicked.connect(self._actions.clear_waiting.trigger)
        form.changed.connect(self._show_values)
        form.models_changed.connect(self._show_models)
        queue.changed.connect(self._show_queue)
        self.gate_note.reason_changed.connect(self._name_generate)

    def _toggle_random_seed(self, is_random: bool) -> None:
        if not is_random and self._form.last_seed is not None:
            self._form.use_last_seed()
        else:
            self._form.update(is_seed_random=is_random)
        if not is_random:
            self.seed_field.line.setFocus()

    # --- showing ----------------------------------------------------------------------------------

    def _show_models(self) -> None:
        with QSignalBlocker(self.model_box):
            self.model_box.clear()
            for model in self._form.models:
                self.model_box.addItem(model.name, model.model_id)

    def _show_values(self) -> None:
        form = self._form
        values, resolved = form.values, form.resolved()
        self.prompt_edit.set_text(values.prompt)
        self.negative_edit.set_text(values.negative_prompt)
        self.negative_edit.setEnabled(form.is_negative_prompt_used())
        self.seed_field.show_seed(
            values.seed_text, is_random=values.is_seed_random, last_seed=form.last_seed
        )
        for widget in (
            self.size_box,
            self.steps_box,
            self.guidance_box,
            self.sampler_box,
            self.swap_button,
            self.model_box,
        ):
            widget.setEnabled(resolved is not None)
        _show_number(self.count_box, values.image_count)
        if resolved is not None and form.model is not None:
            self._show_size(resolved.size_text)
            _show_number(self.steps_box, resolved.steps)
            _show_number(self.guidance_box, resolved.guidance_scale)
            self.sampler_box.setCurrentIndex(self.sampler_box.findData(resolved.sampler))
            self.model_box.setCurrentIndex(self.model_box.findData(form.model.model_id))
        self._show_notes()

    def _show_size(self, text: str) -> None:
        with QSignalBlocker(self.size_box):
            presets = [size_text(size) for size in self._form.presets()]
            if presets != [self.size_box.itemText(row) for row in range(self.size_box.count())]:
                self.size_box.clear()
                self.size_box.addItems(presets)
            if self.size_box.currentText() != text:
                self.size_box.setEditText(text)

    def _show_notes(self) -> None:
        form = self._form
        problems = form.problems()
        model = form.model
        is_demo = model is not None and model.is_demo
        _say(self._model_note, words.demo_note(model.defaults.size) if model and is_demo else "")
        size_problems = problems & SIZE_PROBLEMS
        _say(self._size_note, self._size_problem(*size_problems) if size_problems else "")
        is_seed_wrong = Problem.SEED_UNREADABLE in problems
        _say(
            self._seed_note,
            self.tr("A seed is a whole number from 0 to {largest}.").format(
                largest="18446744073709551615"
            )
            if is_seed_wrong
            else "",
        )
        self._actions.generate.setEnabled(not problems)
        self.generate_button.setEnabled(not problems)
        self._show_queue()

    def _size_problem(self, problem: Problem) -> str:
        model = self._form.model
        assert model is not None
        match problem:
            case Problem.SIZE_NOT_OF_MODEL:
                return self.tr("This model can draw {sizes} only.").format(
                    sizes=words.size_list(model.sizes)
                )
            case Problem.SIZE_NOT_MULTIPLE:
                return self.tr("Both sides must be multiples of {multiple}.").format(
                    multiple=model.size_multiple
                )
            case Problem.SIZE_OUT_OF_RANGE:
                return self.tr("Both sides must be from {smallest} to {largest} pixels.").format(
                    smallest=model.min_side, largest=model.max_side
                )
            case _:
                return self.tr("A size is written like {example}.").format(
                    example=size_text(model.defaults.size)
                )

    def _show_queue(self) -> None:
        queue = self._queue
        job, waiting = queue.current, queue.waiting_count
        is_stoppable = job is not None and job.stopping is not CancelWhen.NOW
        self._actions.stop.setEnabled(is_stoppable)
        self.stop_button.setEnabled(is_stoppable)
        self._actions.stop_after_picture.setEnabled(job is not None and job.stopping is None)
        self._actions.clear_waiting.setEnabled(waiting > 0)
        self._clear.setVisible(waiting > 0)
        self._hint.setText(self._hint_text(waiting))

    def _hint_text(self, waiting: int) -> str:
        if waiting:
            return self.tr("%n waiting", "jobs", waiting)
        if Problem.PROMPT_EMPTY in self._form.problems():
            return self.tr("Describe a picture first.")
        return self.tr("{generate} to generate, {stop} to stop").format(
            generate=_keys(self._actions.generate), stop=_keys(self._actions.stop)
        )

    # --- language and colours ---------------------------------------------------------------------

    def retranslate(self) -> None:
        texts = (
            self.tr("&Prompt"),
            self.tr("&Negative prompt"),
            self.tr("&Model"),
            self.tr("Si&ze"),
            self.tr("&Steps"),
            self.tr("&Guidance"),
            self.tr("Samp&ler"),
            self.tr("Pi&ctures"),
            self.tr("S&eed"),
        )
        for label, text in zip(self._labels, texts, strict=True):
            label.setText(text)
        self.prompt_edit.setPlaceholderText(
            self.tr("What should the picture show? English or Chinese.")
        )
        self.negative_edit.setPlaceholderText(self.tr("What it should not show"))
        self._examples.setText(self.tr("Examples"))
        self.generate_button.setText(plain_name(self._actions.generate))
        self.stop_button.setText(plain_name(self._actions.stop))
        self._name_generate()
        self.stop_button.setToolTip(self._actions.stop.toolTip())
        self._clear.setText(self.tr("Clear"))
        self._set_tool_tips()
        self._set_accessible_names()
        self._show_notes()

    def _name_generate(self) -> None:
        """The button says why it does not draw on the GPU."""
        lines = (self._actions.generate.toolTip(), self.gate_note.reason)
        self.generate_button.setToolTip("\n".join(line for line in lines if line))

    def _set_tool_tips(self) -> None:
        for widget, text in (
            (self.swap_button, self.tr("Swap width and height")),
            (self.steps_box, self.tr("More steps take longer and can make finer pictures.")),
            (
                self.guidance_box,
                self.tr(
                    "How closely the picture follows the prompt. At 1 or less the negative "
                    "prompt has no effect, and a step takes half the time."
                ),
            ),
            (self.count_box, self.tr("How many pictures to draw, each with the next seed")),
            (self._clear, self._actions.clear_waiting.toolTip()),
            (self._examples, self.tr("Prompts that this model does well")),
        ):
            widget.setToolTip(text)

    def _set_accessible_names(self) -> None:
        for label, widget in zip(
            self._labels,
            (
                self.prompt_edit,
                self.negative_edit,
                self.model_box,
                self.size_box,
                self.steps_box,
                self.guidance_box,
                self.sampler_box,
                self.count_box,
                self.seed_field,
            ),
            strict=True,
        ):
            widget.setAccessibleName(label.text().replace("&", ""))
        self.swap_button.setAccessibleName(self.swap_button.toolTip())
        self._clear.setAccessibleName(plain_name(self._actions.clear_waiting))
        self._examples.setAccessibleName(self._examples.text())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def _tint(self) -> None:
        palette = self.palette()
        self.swap_button.setIcon(theme.icon("swap", palette))
        self._examples.setIcon(theme.icon("examples", palette))
        self._clear.setIcon(theme.icon("close", palette))
        self.stop_button.setIcon(theme.icon("stop", palette))


class _Fields(QScrollArea):
    """Scrolls up and down only: it is never narrower than what it holds, in any language."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hears of new widths in what it holds; Qt keeps them from the layouts around."""
        if watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        bar = self.verticalScrollBar().sizeHint().width()
        content = self.widget()
        width = content.minimumSizeHint().width() if content is not None else 0
        return QSize(width + bar, super().minimumSizeHint().height())


def _row(*items: QWidget | None) -> QHBoxLayout:
    """Widgets side by side; the first takes the room, or the gap that `None` stands for."""
    row = QHBoxLayout()
    row.setSpacing(theme.SPACE // 2)
    for position, item in enumerate(items):
        if item is None:
            row.addStretch(1)
        else:
            row.addWidget(item, 1 if position == 0 and None not in items else 0)
    return row


def _show_number(box: QSpinBox | QDoubleSpinBox, value: float) -> None:
    """Show a number, unless it is shown already: half typed, it would be put into form."""
    if box.value() != value:
        with QSignalBlocker(box):
            box.setValue(value)  # pyright: ignore[reportArgumentType] - each its own kind


def _note(kind: str = "quiet") -> QLabel:
    label = QLabel()
    label.setProperty(kind, True)
    label.setWordWrap(True)
    label.hide()
    return label


def _say(label: QLabel, text: str) -> None:
    label.setText(text)
    label.setVisible(bool(text))


def _keys(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
