"""Section of the positions page: the effect of shuffling the tokens, with and without positions."""

import numpy as np
import streamlit as st
from jaxtyping import Float, Int

from dashboard.components.plot import render_plot
from dashboard.markdown import escape_token
from dashboard.models.model import Model, model_for
from dashboard.selection.focus import Focus
from dashboard.state.choices import SHUFFLE
from dashboard.state.session import session
from dashboard.state.settings import Settings
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core.experiments.shuffle import shuffle_effect, without_positions
from encoder_core.figures import RowBarsStyle, format_number, row_bars
from encoder_core.inputs.masks import MaskSpec

_MAX_WORDS = 16  # of the shuffled sentence that the caption quotes
_ROUNDING = 1e-4  # largest change of an output of length √d_model by rounding


def render_shuffle(current: Model, at: Focus) -> None:
    """The change of each token's output when the tokens are shuffled."""
    st.header("Does the token order matter?", anchor=False)
    real = np.flatnonzero(current.batch.real[at.sentence])
    if len(real) < 2:
        st.caption("A single token has only one order. Type more words in the sidebar.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        seed = st.number_input("Shuffle seed", 1, 9999, width=150, **bind_widget(SHUFFLE))
        st.button("Shuffle again", icon=":material/shuffle:", on_click=_shuffle_again)
    order, mask = _order(len(real), int(seed)), _mask_without_padding(current, at.sentence)
    tokens = model_for(current.settings).batch.tokens[at.sentence]  # without edits
    words = [tokens[place] for place in real]
    changes = output_changes(current.settings, at.sentence, int(seed))
    largest = max(1e-6, *(float(x.max()) for x in changes.values()))
    span = (0.0, largest)
    style = RowBarsStyle(row_axis="token", span=span, decimals=3, height=230, theme=current_theme())
    panels = [
        row_bars(x, words, title=f"{title}: change of the output", style=style)
        for title, x in zip(_titles(current), changes.values(), strict=True)
    ]
    render_plot([panels[0], "|", panels[1]], key="positions_shuffle_plot", on_click=None)
    shuffled = " ".join(escape_token(words[place]) for place in order[:_MAX_WORDS])
    without = float(changes["without positions"].max())
    mask_name = "custom" if current.settings.has_custom_mask else "causal"
    verdict = (
        f"the {mask_name} mask alone makes the output depend on the order"
        if mask is not None and without > _ROUNDING
        else "the output is the same vectors in the new order, up to rounding"
    )
    st.caption(
        f"Shuffled: {shuffled}{' …' if len(order) > _MAX_WORDS else ''}. Each bar is the distance between a token's "
        "outputs in the shuffled and in the original sentence (without padding and edits"
        f"{f', with the {mask_name} mask' if mask is not None else ''}). Without positions, no output changes by more "
        f"than {format_number(without, 2)}: {verdict}."
    )


def _titles(model: Model) -> tuple[str, str]:
    model_title = "this model (no positions)" if model.config.positions == "none" else "with positions"
    return model_title, "without positions"


def _order(count: int, seed: int) -> Int[np.ndarray, "token"]:
    """A random permutation of `count` > 1 tokens that is not the identity."""
    order = np.random.default_rng(seed).permutation(count)
    return np.roll(order, 1) if np.array_equal(order, np.arange(count)) else order


def _mask_without_padding(model: Model, sentence: int) -> MaskSpec:
    """The model's mask without padding: the real tokens of the sentence run alone. A mask belongs to the positions, so
    it is not shuffled with the tokens."""
    if model.settings.has_custom_mask:
        real = model.batch.real[sentence]
        return model_for(model.settings).trace.mask[[sentence]][..., real, :][..., real]
    return "causal" if isinstance(model.mask, str) and "causal" in model.mask else None


@st.cache_resource(max_entries=64, show_spinner=False)
def output_changes(settings: Settings, sentence: int, seed: int) -> dict[str, Float[np.ndarray, "token"]]:
    """The change of each token's output, with positions and without."""
    model = model_for(settings)
    ids = model.batch.ids[sentence][model.batch.real[sentence]]
    order, mask = _order(len(ids), seed), _mask_without_padding(model, sentence)
    return {
        "with positions": shuffle_effect(model.encoder, ids, order, mask),
        "without positions": shuffle_effect(without_positions(model.encoder), ids, order, mask),
    }


def _shuffle_again() -> None:
    session().set(SHUFFLE, session().get(SHUFFLE) % 9999 + 1)
