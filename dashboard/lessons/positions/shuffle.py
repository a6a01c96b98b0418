"""Section of the positions page: the effect of shuffling the tokens, with the encoding shown and without any."""

import numpy as np
import streamlit as st
from jaxtyping import Float, Int

from dashboard.components.plot import render_plot
from dashboard.lessons.positions.encodings import ENCODINGS
from dashboard.markdown import escape_tokens
from dashboard.models.model import Model, model_for
from dashboard.selection.focus import Focus
from dashboard.state.choices import SHUFFLE
from dashboard.state.position_choice import PositionChoice, with_positions
from dashboard.state.session import session
from dashboard.state.settings import Settings
from dashboard.state.widgets import bind_widget
from dashboard.theme import current_theme
from encoder_core import Encoder
from encoder_core.experiments.shuffle import shuffle_effect, without_positions
from encoder_core.figures import Panel, RowBarsStyle, row_bars
from encoder_core.inputs.masks import MaskSpec, tells_order
from encoder_core.support.number_format import format_number

_MAX_WORDS = 16  # of the shuffled sentence that the caption quotes
_WITHOUT = "without positions"
_ROUNDING = 1e-4  # largest change of an output of length √d_model by rounding


def render_shuffle(current: Model, at: Focus, choice: PositionChoice) -> None:
    """The change of each token's output when the tokens are shuffled, with this position encoding and without any."""
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
    changes = output_changes(current.settings, at.sentence, int(seed), choice)
    largest, order_matters = max(float(x.max()) for x in changes.values()), _tells_order(mask, order)
    is_rounding = (choice == "none" and not order_matters) or largest <= _ROUNDING
    span = (0.0, 1.0 if is_rounding else largest)  # rounding alone would fill the whole width
    style = RowBarsStyle(row_axis="token", span=span, decimals=3, height=230, theme=current_theme())
    parts: list[Panel | str] = []
    for name, change in changes.items():
        of = f" ({ENCODINGS[choice].label})" if name != _WITHOUT and choice != current.positions else ""
        parts += ["|"] * bool(parts) + [row_bars(change, words, title=f"{name}{of}: change of the output", style=style)]
    render_plot(parts, key="positions_shuffle_plot", on_click=None)
    shuffled = escape_tokens(words[place] for place in order[:_MAX_WORDS])
    without = float(changes[_WITHOUT].max())
    mask_name = "custom" if current.settings.has_custom_mask else "causal"
    st.caption(
        f"Shuffled: {shuffled}{' …' if len(order) > _MAX_WORDS else '.'} Each bar is the distance between a token's "
        "outputs in the shuffled and in the original sentence (without padding and edits"
        f"{f', with the {mask_name} mask' if mask is not None else ''}). Without positions, the largest change of an "
        f"output is {format_number(without, 2)}: {_verdict(mask_name, without, order_matters=order_matters)}."
        f"{_model_note(current, choice)}"
    )


def _verdict(mask_name: str, change: float, *, order_matters: bool) -> str:
    """What the largest change of an output without positions shows. It can be 0 although the order matters: among equal
    tokens, for example."""
    if order_matters and change > _ROUNDING:
        return f"the {mask_name} mask alone makes the output depend on the order"
    return "the output is the same vectors in the new order, up to rounding"


def _model_note(model: Model, choice: PositionChoice) -> str:
    """A sentence on the bars with positions, if their encoding is not that of the model."""
    if choice in ("none", model.positions):
        return ""
    chosen, of_model = (ENCODINGS[name].label for name in (choice, model.positions))
    return f" With positions means: with the encoding shown ({chosen}) instead of the model's ({of_model})."


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
    return "causal" if model.has_causal_mask else None


def _tells_order(mask: MaskSpec, order: Int[np.ndarray, "token"]) -> bool:
    """Whether the mask hides keys by their place, so that the shuffled tokens see others than before."""
    return tells_order(mask, order) if isinstance(mask, np.ndarray) else mask is not None


@st.cache_resource(max_entries=64, show_spinner=False)
def output_changes(
    settings: Settings, sentence: int, seed: int, choice: PositionChoice
) -> dict[str, Float[np.ndarray, "token"]]:
    """The change of each token's output, with this position encoding and without any; for "none", only without."""
    model = model_for(settings)
    ids = model.batch.ids[sentence][model.batch.real[sentence]]
    order, mask = _order(len(ids), seed), _mask_without_padding(model, sentence)
    encoders = {_WITHOUT: without_positions(model.encoder)}
    if choice != "none":
        encoders = {"with positions": _encoder_with(model, choice)} | encoders
    return {name: shuffle_effect(encoder, ids, order, mask) for name, encoder in encoders.items()}


def _encoder_with(model: Model, choice: PositionChoice) -> Encoder:
    """The encoder of the model with this position encoding instead of its own."""
    if choice == model.positions:
        return model.encoder
    table = {"position_embedding": model.position_encoding(choice, model.config.max_len)} if choice == "learned" else {}
    return model.encoder.with_config(with_positions(model.config, choice), table)


def _shuffle_again() -> None:
    session().set(SHUFFLE, session().get(SHUFFLE) % 9999 + 1)
