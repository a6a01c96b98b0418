"""Section of the positions: which of them are alike."""

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import frame
from dashboard.picture import picture
from encoder_core.analysis import similarity_by_distance
from encoder_core.figures import limit_of
from encoder_core.scenes import positions as scenes


def similarity(encoding: Float[np.ndarray, "position d_model"]) -> None:
    """The dot product of every position with every other, and by distance."""
    st.subheader("Which positions are alike?", anchor=False)
    dots = encoding @ encoding.T
    picture(scenes.similarity(dots, frame.theme()), key="positions_similarity_picture", still=True)
    low, _, high = similarity_by_distance(dots)
    spread = float((high - low).max())
    if not dots.any():
        verdict = "Every dot product is 0: all positions are the same to the encoder."
    elif spread < 1e-3 * limit_of(dots):
        verdict = f"Pairs that are equally far apart differ by **{spread:.1g}** at most: the distance alone decides."
    else:
        verdict = f"Pairs that are equally far apart differ by up to **{spread:.3g}**: the distance does not decide."
    st.caption(
        "The stronger the orange, the more alike. The curve is the mean dot product at each distance; the band behind "
        f"it reaches from the smallest to the largest. {verdict}"
    )
