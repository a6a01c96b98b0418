"""The colour scale of attention weights: one toggle sets its end on all pages."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.state.choices import FULL_SCALE
from dashboard.state.session import session
from dashboard.state.widgets import bind_widget
from encoder_core.figures import largest_magnitude


def weights_limit(*weights: Float[np.ndarray, "..."]) -> float:
    """The end of the colour scale that all panels of a figure share: the largest weight in them, or 1."""
    return 1.0 if session().get(FULL_SCALE) else largest_magnitude(*weights)


def render_weights_toggle() -> None:
    """Render the toggle. It stands below the figure, which goes to the browser first: nothing is moved by it then."""
    st.toggle(
        "Colour scale from 0 to 1", **bind_widget(FULL_SCALE),
        help="The colour scale ends at the largest weight in the figure, so that small differences are visible. From 0 "
        "to 1, colours can be compared between texts, layers and encoders. Without dropout, no weight is above 1.",
    )  # fmt: skip
