"""Softmax weights: the exponentials of the scores, divided by their row sum, so that each row adds up to 1."""

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable, render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.attention.softmax import (
    describe_row,
    masked_row_table,
    render_temperature_and_mask,
    weight_question,
)
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.weights_scale import render_weights_toggle, weights_limit
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.analysis import entropy, largest_entropy, softmax_steps
from encoder_core.scenes.attention import softmax as scenes
from encoder_core.scenes.focus import head_slice

current = frame.begin_page()
seq = current.batch.ids.shape[1]

render_opening(
    "softmax",
    current,
    [Shape("scores", (seq, seq), "attention")],
    [Shape("weights", (seq, seq), "attention")],
)


def render_body() -> None:
    at = focus.render_focus_controls(current, "layer", "head", "token", "key_token")
    run = render_temperature_and_mask(current, at)
    layer, temperature = run.trace.layers[at.layer], run.effects.temperature
    inspection = inspect_cell(current, at, head_slice("pattern", at).cell(at.token, at.key_token), run)
    scores, weights = layer.scores[at.sentence, at.head], layer.pattern[at.sentence, at.head]
    row, tokens = scores[at.token], at.labels
    steps = softmax_steps(row, temperature)
    has_dropout = run.trace.kept is not None and run.trace.kept.layers[at.layer].pattern is not None
    question = weight_question(at, row, temperature, has_dropout)
    ask_first(question)
    bits = entropy(softmax_steps(scores, temperature).weights)
    parts = scenes.step_by_step(
        scores, weights, steps, at, temperature=temperature, bits=bits, has_dropout=has_dropout,
        limit=weights_limit(weights), theme=current_theme(),
    )  # fmt: skip
    render_plot(parts, key="softmax_plot", inspection=inspection)
    render_weights_toggle()
    dropout_note = (
        " In training mode, dropout is then applied to the weights. All entropies are those before dropout."
        * has_dropout
    )
    frame.render_explained(describe_row(at, steps) + dropout_note)
    if not np.isfinite(row).any():
        st.markdown(masked_row_table(seq))
    if temperature != 1 and at.layer > 0 and current.config.attention_read_out == "stack":
        st.caption("The temperature applies in every layer, so the scores of this layer can be others than at T = 1.")
    columns = np.stack([row, steps.shifted, steps.exp, weights[at.token]], axis=1)
    entropies = np.stack([bits, largest_entropy(np.isfinite(scores))], axis=1)
    render_depths(
        {
            "this row": NumberTable(columns, tokens, ["score s", scenes.shifted_title(temperature), "exp", "weight"]),
            "weights": NumberTable(weights, tokens, tokens),
            "entropy": NumberTable(entropies, tokens, ["bits", "log₂ of visible keys"]),
        },
        rf"\begin{{gathered}} \underbrace{{A_{{ij}}}}_{{{seq}\times{seq}}} = \frac{{e^{{(s_{{ij}} - m_i) / T}}}}"
        rf"{{\sum_{{k=1}}^{{{seq}}} e^{{(s_{{ik}} - m_i) / T}}}}"
        rf"\\[2.2em] m_i = \max_k s_{{ik}}, \quad T = {temperature:g}"
        r"\\[1em] H_i = -\sum_j A_{ij} \log_2 A_{ij} \text{ bits} \end{gathered}",
        [blocks.softmax, softmax_steps, entropy],
        question,
        inspection,
    )


frame.run_as_fragment(render_body)
