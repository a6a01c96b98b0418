"""The attention of all heads for the example at a checkpoint, and the outputs of its tokens."""

from html import escape

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.components.token_strip import render_strip
from dashboard.markdown import capitalize, escape_message
from dashboard.models.checkpoints import ExampleResult, example_result
from dashboard.state.choices import TRAINING_HEAD
from dashboard.state.session import session
from dashboard.theme import current_theme
from dashboard.training.stored_run import StoredCheckpoint, StoredRun
from encoder_core.figures import Selection
from encoder_core.scenes.training_run import checkpoint_attention
from encoder_core.support.wording import head_name, shorten
from encoder_core.training import Task
from encoder_core.training.expected_keys import TASK_KEYS, key_sets, weight_on


def text_problem(task: Task, text: str) -> str:
    """A sentence if the task cannot read the text, or reads only its beginning; else ""."""
    try:
        batch = task.tokenizer(text)
    except ValueError as error:
        return capitalize(str(error))
    left_out = batch.truncated[0]
    cut = "token is" if left_out == 1 else f"{left_out} tokens are"
    return f"The input is cut: its last {cut} left out. {task.rule}" if left_out else ""


def render_text_problem(task: Task, text: str) -> None:
    """Render why the example cannot be used, or that it was cut."""
    problem = text_problem(task, text)
    if problem:
        st.warning(escape_message(problem), icon=":material/info:")


def render_attention(run: StoredRun, checkpoint: StoredCheckpoint, text: str, name: str, key: str) -> tuple[int, int]:
    """Render the weights of every head, the outputs, and how much weight goes where the task suggests.

    Returns the layer and the head that are enlarged.

    name  of the run, where two are compared
    key   of the figure
    """
    result = example_result(run, checkpoint, text)
    task_keys = TASK_KEYS.get(run.plan.task)
    keys = key_sets(run.plan.task, result.ids)[task_keys] if task_keys else None
    weights = None if keys is None else weight_on(keys, result.patterns)
    layer, head = _selected_head(result.patterns.max(axis=(-2, -1)) if weights is None else weights)
    line = checkpoint_attention(result.patterns, result.tokens, keys, (layer, head), name=name, theme=current_theme())
    render_plot(line, key=key, on_click=_select_head)
    if weights is not None and keys is not None:
        counts = keys.sum(axis=-1)
        equal = counts[counts > 0].mean() / len(result.tokens)
        st.caption(
            f"Outlined for each query: {task_keys}. {capitalize(head_name(layer, head))} gives the outlined keys a "
            f"weight of **{weights[layer, head]:.2f}**, as a mean over the queries that have such a key; with equal "
            f"weights it would be {equal:.2f}. Click a tile to enlarge it."
        )
    _render_outputs(run.plan.definition, result)
    return layer, head


def _selected_head(weights: np.ndarray) -> tuple[int, int]:
    """The layer and the head of the URL if the encoder has them, else those with the largest of these numbers."""
    chosen = session().get(TRAINING_HEAD)
    if chosen and len(chosen) == 2 and all(0 < part <= size for part, size in zip(chosen, weights.shape, strict=True)):
        return chosen[0] - 1, chosen[1] - 1
    layer, head = np.unravel_index(weights.argmax(), weights.shape)
    return int(layer), int(head)


def _select_head(selection: Selection) -> None:
    if "layer" in selection and "head" in selection:
        session().set(TRAINING_HEAD, (selection["layer"] + 1, selection["head"] + 1))


def _render_outputs(task: Task, result: ExampleResult) -> None:
    """Render the tokens, their outputs, and a sign for right or wrong with the right output."""
    rows = zip(result.tokens, result.outputs, result.targets, result.scored, strict=True)
    chips = "".join(
        _chip(token, task.vocabulary[output], task.vocabulary[target], bool(scored))
        for token, output, target, scored in rows
    )
    names = "<span class='ew-token ew-names'><small>input</small>output<small>right?</small></span>"
    render_strip([f"<div class='ew-sentence'>{names}{chips}</div>"])


def _chip(token: str, output: str, target: str, is_scored: bool) -> str:
    verdict = "–" if not is_scored else "✓" if output == target else f"✗ {escape(shorten(target))}"
    texts = (escape(shorten(token)), escape(shorten(output)), verdict)
    return "<span class='ew-token'><small>{}</small><bdi>{}</bdi><small>{}</small></span>".format(*texts)
