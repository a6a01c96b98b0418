"""Section of the positions: the words of the sentence are shuffled, with and without positions."""

from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float, Int

from dashboard.components.plot import plot
from dashboard.markdown import plain
from dashboard.models.model import Model, model_for
from dashboard.selection.focus import Focus
from dashboard.state.choices import SHUFFLE
from dashboard.state.session import session
from dashboard.state.settings import Settings
from dashboard.state.widgets import shows
from dashboard.theme import current_theme
from encoder_core.experiments.shuffle import shuffle_effect, without_positions
from encoder_core.figures import format_number, row_bars
from encoder_core.inputs.masks import MaskSpec

_MOST_WORDS = 16  # of the shuffled sentence in the caption
_ROUNDING = 1e-4  # how far an output of length √d_model may move by rounding


def shuffled(current: Model, at: Focus) -> None:
    """How far each token's output moves when the same words come in another order."""
    st.subheader("Does the order matter?", anchor=False)
    real = np.flatnonzero(current.batch.real[at.sentence])
    if len(real) < 2:
        st.caption("A sentence of one token has one order only: type more words in the sidebar.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        seed = st.number_input("Shuffle number", 1, 9999, width=150, **shows(SHUFFLE))
        st.button("Shuffle again", icon=":material/shuffle:", on_click=_shuffle_again)
    order, causal = _order(len(real), int(seed)), _causal(current)
    unedited = model_for(current.settings).batch.tokens[at.sentence]
    words = [unedited[place] for place in real]
    moved = _moved(current.settings, at.sentence, int(seed))
    common: dict[str, Any] = {"row_axis": "token", "span": (0.0, max(1e-6, *(float(x.max()) for x in moved.values())))}
    panels = [
        row_bars(
            x, words, title=f"{title}: the output moves by", decimals=3, height=230, theme=current_theme(), **common
        )
        for title, x in zip(_titles(current), moved.values(), strict=True)
    ]
    plot([panels[0], "|", panels[1]], key="positions_shuffle_plot", on_click=None)
    first = " ".join(plain(words[place]) for place in order[:_MOST_WORDS])
    without = float(moved["without positions"].max())
    verdict = (
        "the causal mask alone tells tokens their order"
        if causal and without > _ROUNDING
        else "the same vectors come out, in the new order, up to rounding"
    )
    st.caption(
        f"Shuffled: {first}{' …' if len(order) > _MOST_WORDS else ''}. Each bar compares a token's output with its "
        "output in the sentence as it was (padding and edits are left out"
        f"{'; with the causal mask' if causal else ''}). Without positions no output moves by more than "
        f"{format_number(without, 2)}: {verdict}."
    )


def _titles(model: Model) -> tuple[str, str]:
    as_it_is = "as it is, without positions too" if model.config.positions == "none" else "with positions"
    return as_it_is, "without positions"


def _order(count: int, seed: int) -> Int[np.ndarray, "token"]:
    """A random order of `count` > 1 tokens, another one than theirs."""
    order = np.random.default_rng(seed).permutation(count)
    return np.roll(order, 1) if np.array_equal(order, np.arange(count)) else order


def _causal(model: Model) -> MaskSpec:
    """The mask without its padding: the sentence is run by itself."""
    return "causal" if isinstance(model.mask, str) and "causal" in model.mask else None


@st.cache_resource(max_entries=64, show_spinner=False)
def _moved(settings: Settings, sentence: int, seed: int) -> dict[str, Float[np.ndarray, "token"]]:
    """How far the tokens' outputs move, with positions and without."""
    model = model_for(settings)
    ids = model.batch.ids[sentence][model.batch.real[sentence]]
    order, causal = _order(len(ids), seed), _causal(model)
    return {
        "with positions": shuffle_effect(model.encoder, ids, order, causal),
        "without positions": shuffle_effect(without_positions(model.encoder), ids, order, causal),
    }


def _shuffle_again() -> None:
    session().set(SHUFFLE, session().get(SHUFFLE) % 9999 + 1)
