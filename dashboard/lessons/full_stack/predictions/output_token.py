"""The output token whose prediction is explained, and what the views of predictions share."""

import streamlit as st

from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.inspected_cell import drop_cell
from dashboard.state.choices import OUTPUT_ID
from dashboard.state.session import session
from dashboard.state.widgets import bind_value
from encoder_core import EncoderConfig
from encoder_core.analysis import top_tokens
from encoder_core.support.number_format import latex_with_shape
from encoder_core.support.wording import shorten

NO_PREDICTIONS = "This encoder has no output head, so it makes no predictions"
MAX_LISTED = 100  # tokens of the vocabulary in the picker, most probable first
_MOST_PROBABLE = -1


def render_output_picker(current: Model) -> int:
    """Render the picker of an output token and return its id: the chosen one, or the most probable one."""
    at = focus.resolve_focus(current)
    logits = current.trace.logits
    assert logits is not None
    likely: list[int] = top_tokens(logits[at.sentence, at.token], MAX_LISTED).ids.tolist()
    chosen = session().get_option(OUTPUT_ID, range(current.config.vocab_size), None)
    options = [_MOST_PROBABLE, *likely, *([] if chosen is None or chosen in likely else [chosen])]

    def name(option: int) -> str:
        word = shorten(current.vocabulary[likely[0] if option == _MOST_PROBABLE else option])
        return f"most probable: {word}" if option == _MOST_PROBABLE else word

    bound = bind_value(
        OUTPUT_ID.name,
        _MOST_PROBABLE if chosen is None else chosen,
        lambda option: choose_output(None if option == _MOST_PROBABLE else option),
        tuple(options),
        index_of=options,
    )
    st.selectbox("Output token", options, format_func=name, width=210, **bound)
    return likely[0] if chosen is None else chosen


def choose_output(token_id: int | None) -> None:
    """Explain the prediction of this output token, or of the most probable one; call it from a callback."""
    session().set(OUTPUT_ID, token_id)
    drop_cell()


def output_head_formula(config: EncoderConfig, seq: int) -> str:
    """logits = output W_head + b_head in LaTeX, each with its shape, for a line of `aligned`."""
    vocab, d_model = config.vocab_size, config.d_model
    logits = latex_with_shape(r"\mathrm{logits}", (seq, vocab))
    output = latex_with_shape(r"\mathrm{output}", (seq, d_model), above=True)
    kernel = latex_with_shape(r"W_\mathrm{head}", (d_model, vocab), above=True)
    bias = " + " + latex_with_shape(r"b_\mathrm{head}", (1, vocab), above=True) if config.use_bias else ""
    return rf"{logits} &= {output}\; {kernel}{bias}"


def output_name(current: Model, token_id: int) -> str:
    """The output token in quotation marks, for markdown."""
    return f"“{escape_token(current.vocabulary[token_id])}”"


def chance_note(current: Model) -> str:
    """A sentence for encoders that are not trained; empty for others."""
    return "" if current.is_trained else " This encoder is not trained: which tokens it predicts is chance."
