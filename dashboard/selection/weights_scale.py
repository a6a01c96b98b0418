"""The colour scale of attention weights: the same end on every page, and one choice that changes it on all of them."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.state.choices import STRETCH
from dashboard.state.widgets import shows
from encoder_core.figures import limit_of


def weights_limit(weights: Float[np.ndarray, "..."]) -> float:
    """Draw the choice, and return where the colours of these weights end: at 1, or at the largest of them."""
    return weights_limits(weights)[0]


def weights_limits(*weights: Float[np.ndarray, "..."]) -> list[float]:
    """The same for several figures, each stretched to the largest weight of its own, with one choice for all."""
    stretched = st.toggle(
        "Stretch the colours to the largest weight", **shows(STRETCH),
        help="The weights of a row add up to 1, so colours run from 0 to 1, here as on every page. Stretched, small "
        "differences are seen; the colour bar tells where it ends.",
    )  # fmt: skip
    return [limit_of(figure) if stretched else 1.0 for figure in weights]
