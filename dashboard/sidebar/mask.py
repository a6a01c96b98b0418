"""The choice of the mask, and below it a custom mask in one line with the button that opens its editor."""

from functools import partial
from typing import Literal

import numpy as np
import streamlit as st

from dashboard.models.model import Model, model_for
from dashboard.sidebar.controls import render_option_row
from dashboard.sidebar.mask_editor import EDITOR, render_mask_editor
from dashboard.state.edit_history import compatible_session_edits
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS
from dashboard.state.settings import current_settings
from dashboard.state.user_changes import CUSTOM_MASK
from encoder_core import SetScore
from encoder_core.inputs.custom_mask import SHAPES, WINDOW, CustomMask, Start
from encoder_core.support.wording import form_for, format_count

_HELP = {
    "mask": "causal: no token attends to a later token. padding: no token attends to [PAD]. custom: your own mask.",
    "recipe_mask": "tutorial: the mask of the tutorial. causal: no token attends to a later token. custom: your own "
    "mask. The page Recipes always uses the tutorial's.",
}
_RULES: dict[Start, str] = {
    "all": "every cell is visible",
    "nothing": "every cell is masked",
    "causal": "the causal mask",
    "padding": "the padding mask",
    "both": "the causal and the padding mask",
    "window": f"a window of {WINDOW} tokens on either side",
}


def render_mask(key: Literal["mask", "recipe_mask"]) -> None:
    """Render the choice of the mask; for a custom mask also its description and the button "Edit the mask"."""
    render_option_row(key, "Mask", _HELP[key], partial(_choose, key))
    if session().get(SETTINGS[key]) != "custom":
        return
    model = model_for(current_settings())
    editor = st.popover("Edit the mask", icon=":material/grid_on:", key=EDITOR, on_change="rerun", width="stretch")
    with editor, st.container(key="mask_editor"):
        if editor.open:
            render_mask_editor(model)
    st.caption(_describe(session().get(CUSTOM_MASK), model))


def _choose(key: str, choice: str) -> None:
    """Set the mask. The first custom mask begins with what the mask before it hid."""
    before, has_custom_mask = model_for(current_settings()), session().get(CUSTOM_MASK) != CUSTOM_MASK.default
    session().set(SETTINGS[key], choice)
    if choice == "custom" and not has_custom_mask:
        session().set(CUSTOM_MASK, _same_as(before))


def _same_as(model: Model) -> CustomMask:
    """The mask of a model as a custom mask, with as few axes as it needs."""
    real, heads, visible = model.batch.real, model.config.num_heads, model.trace.mask
    if (visible == visible[:1, :1]).all():
        return CustomMask("2").nearest_start(visible[0, 0], real, heads)
    if (visible == visible[:, :1, :1]).all():
        return CustomMask("keys").nearest_start(visible[:, 0, 0], real, heads)
    return CustomMask("3").nearest_start(visible[:, 0], real, heads)


def _describe(mask: CustomMask, model: Model) -> str:
    """Caption: the axes, the starting point, the cells that were set, and what a row without a visible key means."""
    batch, seq = model.batch.ids.shape
    within, beyond = mask.num_set(batch, model.config.num_heads, seq)
    text = f"{SHAPES[mask.axes]}: {_RULES[mask.start]}"
    text += f", with {format_count(within, 'cell')} changed. " if within else ". "
    if beyond:
        text += (
            f"{format_count(beyond, 'changed cell')} {form_for(beyond, 'belongs', 'belong')} to tokens, sentences or "
            "heads that do not exist now, and will return with them. "
        )
    visible = mask.visible(model.batch.real, model.config.num_heads)
    empty = np.count_nonzero(~visible.any(axis=-1))
    if empty:
        have, their = ("has", "its") if empty == 1 else ("have", "their")
        rows = format_count(visible[..., 0].size, "row")
        edits = compatible_session_edits(model.config, batch, seq).edits
        in_mask, exception = (
            (" in the mask", ", except where you set a score")
            if any(isinstance(edit, SetScore) for edit in edits)
            else ("", "")
        )
        text += f":orange[{empty:,} of {rows} {have} no visible key{in_mask}: {their} weights are all 0{exception}.]"
    return text
