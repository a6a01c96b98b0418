"""The colour scale of attention weights: one toggle sets its end on all pages."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.state.choices import STRETCH
from dashboard.state.widgets import bind_widget
from encoder_core.figures import largest_magnitude


def render_weights_limit(weights: Float[np.ndarray, "..."]) -> float:
    """Render the toggle and return the end of the colour scale: 1, or the largest weight."""
    return render_weights_limits(weights)[0]


def render_weights_limits(*weights: Float[np.ndarray, "..."]) -> list[float]:
    """Render one toggle for several plots and return the end of each colour scale: 1, or its largest weight."""
    stretched = st.toggle(
        "Stretch the colour scale to the largest weight", **bind_widget(STRETCH),
        help="Without dropout, these weights are at most 1, so the colour scale ends at 1 by default. Stretched, it "
        "ends at the largest weight in the plot, which makes small differences visible.",
    )  # fmt: skip
    return [largest_magnitude(panel) if stretched else 1.0 for panel in weights]
