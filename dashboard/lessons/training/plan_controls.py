"""The task and the settings of the next run."""

from typing import Any

import streamlit as st

from dashboard.lessons.training.current_runs import leave_runs
from dashboard.state.choices import TRAINING, TRAINING_COMPARISON, TRAINING_HEAD, TRAINING_PREDICTION, TRAINING_TEXT
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from encoder_core.training import Task, TrainingPlan, tasks
from encoder_core.training.compare import COMPARISONS
from encoder_core.training.plan import CHOICES

_LABELS = {  # setting -> its label and help; the first six are always in sight
    "num_layers": ("Layers", "Number of encoder layers"),
    "num_heads": ("Heads", "Attention heads of each layer, with d_model / heads dimensions each"),
    "d_model": ("d_model", "Length of each token's vector"),
    "norm": ("Norm", "post: after each residual sum, as in the paper. pre: before each sublayer."),
    "positions": ("Positions", "learned: a vector for each position, trained like the embeddings."),
    "steps": ("Steps", "Number of updates of the parameters"),
    "d_ff": ("d_ff", "Hidden size of the feed-forward network"),
    "batch": ("Batch", "Random inputs of each step"),
    "learning_rate": (
        "Learning rate",
        "The greatest of the run: it rises in the warm-up, and falls towards 0 after it.",
    ),
    "warm_up": ("Warm-up", "Steps in which the learning rate rises, at most all but the last of the run"),
    "seed": ("Seed", "Seed of the first parameters and of the random inputs"),
}
_VISIBLE = 6
_NARROW, _WIDE = 150, 230  # pixels


def read_plan() -> TrainingPlan:
    """The plan of the settings: every one is among its choices."""
    return TrainingPlan(**{name: session().get(parameter) for name, parameter in TRAINING.items()})


def read_plans() -> list[TrainingPlan]:
    """The plan of the settings, and the one that it is compared with."""
    plan, comparison = read_plan(), session().get(TRAINING_COMPARISON)
    return [plan] if comparison == "none" else [plan, COMPARISONS[comparison].other(plan)]


def example_text(task: Task) -> str:
    """The input whose attention is shown."""
    text = session().get(TRAINING_TEXT)
    return task.examples[0] if text is None else text


def render_task(task: Task) -> None:
    """Render the choice of the task, what is to be learned, and the field for an example."""
    left, right = st.columns([2, 3], gap="medium", vertical_alignment="bottom")
    names = list(tasks())
    left.selectbox("Task", names, format_func=lambda name: tasks()[name].title, filter_mode=None,
                   **bind_widget(TRAINING["task"], index_of=names, on_change=_choose_task))  # fmt: skip
    right.text_input("Example input", help=task.rule, max_chars=200,
                     **bind_widget(TRAINING_TEXT, example_text(task), options=task.name))  # fmt: skip
    st.markdown(f"**Goal** — {task.goal}")


def render_settings() -> None:
    """Render the settings that matter most in a row."""
    names = list(_LABELS)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        for name in names[:_VISIBLE]:
            _render_setting(name)
        options = ["none", *COMPARISONS]
        st.selectbox("Compare with", options, format_func=_comparison_title, filter_mode=None, width=_WIDE,
                     help="A second run, which differs in one thing. It has the same inputs; only with another "
                     "seed, others are drawn, for training and for the test.",
                     **bind_widget(TRAINING_COMPARISON, index_of=options))  # fmt: skip


def render_more_settings() -> None:
    """Render the other settings, below each other."""
    for name in list(_LABELS)[_VISIBLE:]:
        _render_setting(name)


def _render_setting(name: str) -> None:
    (label, help_text), options = _LABELS[name], CHOICES[name]
    if isinstance(options[0], str):
        bound = bind_widget(TRAINING[name], index_of=options)
        st.selectbox(label, options, help=help_text, filter_mode=None, width=_NARROW, **bound)
    else:
        st.select_slider(label, options, help=help_text, width=_NARROW, format_func="{:,}".format,
                         **bind_widget(TRAINING[name]))  # fmt: skip


def _comparison_title(name: str) -> str:
    return "nothing" if name == "none" else COMPARISONS[name].title


def _choose_task(name: Any) -> None:
    """Another task has other examples and heads, and no run yet."""
    leave_runs()
    session().set(TRAINING["task"], name)
    for parameter in (TRAINING_TEXT, TRAINING_HEAD, TRAINING_PREDICTION):
        session().set(parameter, None)
