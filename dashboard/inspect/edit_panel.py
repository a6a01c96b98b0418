"""Change the number that is looked at, or something larger: a token, a head, a residual, the temperature."""

import math

import streamlit as st

from dashboard.inspect.cell_edit import Change, change_of
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.state import edit_history
from dashboard.state.widgets import shows_value
from encoder_core import Edit
from encoder_core.edits import HeadFactor, HideToken, ReplaceToken, ResidualFactor, Temperature, Unscaled
from encoder_core.edits.checks import FACTORS, LARGEST

NUMBER, SLIDER = "what_if_number", "what_if_slider"
MOST_LISTED = 1_000
REACH = 3.0  # the slider reaches this many times the tensor's largest number


def panel(model: Model, inspection: Inspection) -> None:
    """A number field and a slider for the cell looked at, and the other kinds of edits."""
    change = change_of(inspection.trail[-1], inspection.run)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if change:
            _set(change, inspection)
        else:
            st.caption("This number is computed from others. Open an operand to edit it.")
        with st.popover("Other what-ifs", icon=":material/experiment:"):
            _others(model, inspection.at)


def _set(change: Change, inspection: Inspection) -> None:
    is_factor = change.name.startswith("the factor")
    most = FACTORS[1] if is_factor else LARGEST
    now = min(max(change.value, -most), most) if math.isfinite(change.value) else 0.0
    reach = max(2.0, abs(now)) if is_factor else min(REACH * max(inspection.derivation.scale, abs(now), 1e-3), most)
    step = 10.0 ** math.floor(math.log10(reach / 50))

    def changed(value: float) -> None:
        edit_history.add(change.edit(float(value)))

    # A widget of its own for each cell and each of its values: what an older one still says is never an edit.
    number, slider = (shows_value(key, now, changed, str(inspection.trail[-1])) for key in (NUMBER, SLIDER))
    masked = "" if math.isfinite(change.value) else " (masked now: a number unmasks it)"
    st.number_input(
        f"What if {change.name} were{masked}", -most, most, step=step, format="%.6g", width=210, **number
    )  # fmt: skip
    st.slider(
        "from small to large", -reach, reach, step=step, label_visibility="collapsed", width=220, **slider
    )  # fmt: skip


def _others(model: Model, at: focus.Focus) -> None:
    """Edits of a token, a head, a residual, of all scores."""
    token = f"{at.token + 1} · {plain(at.labels[at.token])}"
    chosen = _replacement(f"Replace token {token} by", model.vocabulary)
    if chosen is not None:
        _button("Replace it", ReplaceToken(at.sentence, at.token, chosen))
    _button(f"Hide token {token} as key", HideToken(at.sentence, at.token))
    _button(f"Switch off head {at.head + 1} of layer {at.layer + 1}", HeadFactor(at.layer, at.head, 0.0))
    _button(f"Drop the residual past attention {at.layer + 1}", ResidualFactor(at.layer, "attention", 0.0))
    _button(f"Drop the residual past feed-forward {at.layer + 1}", ResidualFactor(at.layer, "mlp", 0.0))
    _button("Leave out the division by √d_head", Unscaled())
    warmth = st.select_slider("Temperature of every softmax", (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0), 1.0,
                              key="what_if_temperature")  # fmt: skip
    if warmth != 1.0:
        _button(f"Set temperature {warmth:g}", Temperature(warmth))


def _replacement(label: str, words: tuple[str, ...]) -> int | None:
    """The id of another token: from a list, or, of a vocabulary that is too large for one, typed."""
    if len(words) <= MOST_LISTED:
        return st.selectbox(label, range(len(words)), None, format_func=lambda i: words[i], key="what_if_token",
                            placeholder="another token of the vocabulary")  # fmt: skip
    typed = st.text_input(label, key="what_if_piece", placeholder="a piece of the vocabulary, such as dog or ##ing")
    if not typed.strip():
        return None
    found = next((piece for piece in (typed.strip(), typed.strip().lower()) if piece in words), None)
    if found is None:
        st.caption(
            f":orange[“{plain(typed.strip())}” is not in the vocabulary ({len(words):,} pieces): try a more common "
            "word.]"
        )
        return None
    return words.index(found)


def _button(label: str, edit: Edit) -> None:
    st.button(
        label, on_click=edit_history.add, args=(edit,), key=f"what_if_{type(edit).__name__}_{label}", width="stretch"
    )
