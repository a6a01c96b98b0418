"""How large the rows are under each scale, next to the positions."""

import numpy as np
import streamlit as st

from dashboard.components.plot import plot
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.selection.view_choice import choice
from dashboard.state.choices import ROWS
from dashboard.state.settings import chosen_with
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.analysis import root_mean_square
from encoder_core.config import embedding_factors
from encoder_core.figures import Window, format_number
from encoder_core.scenes import embedding as scenes


def scales(current: Model, at: Focus, columns: Window, inspection: Inspection) -> None:
    """The rows under each scale, next to the position encoding that is added to them on the next page."""
    st.subheader("How large are the rows next to the positions?", anchor=False)
    rows, position = current.trace.token_embedding[at.sentence], current.trace.position_encoding
    root, of_model = f"√{current.config.d_model}", current.config.embedding_scale
    factors = embedding_factors(current.config.d_model)
    spoken = {"inv_sqrt_d": f"÷ {root}", "none": "as they are", "sqrt_d": f"× {root}"}
    labels = spoken | {of_model: f"{spoken[of_model]} (this model)"}
    chosen = choice("Rows", list(factors), ROWS, default=of_model, spoken=labels.__getitem__, silent=True)
    scaled, _ = blocks.embed(rows, factors[chosen], position)
    sizes = {spoken[name]: root_mean_square(rows) * factor for name, factor in factors.items()}
    sizes["positions"] = root_mean_square(position)
    parts = scenes.rows_and_positions(
        scaled, position, sizes, at, scale=spoken[chosen], in_use=chosen == of_model, tokens=at.labels,
        columns=columns, theme=current_theme(),
    )  # fmt: skip
    plot(parts, key="embedding_scale_plot", inspection=inspection)
    ratio = sizes[spoken[chosen]] / (sizes["positions"] or np.inf)
    measured = (
        f"**{format_number(ratio, 3)} times** the position encoding" if ratio else "and there is no position encoding"
    )
    st.caption(
        f"Both heatmaps share one scale; the bars are root mean squares. The rows {spoken[chosen]}: {measured}. The "
        "paper multiplies by √d_model and gives no reason; some code divides by it. What that does depends on how "
        f"large the rows are before: compare the bars.{_of_model(current)}"
    )


def _of_model(current: Model) -> str:
    """Where the scale is chosen, if it can be, and what becomes of the sum."""
    said = []
    if "scale" in chosen_with(current.settings.encoder):
        said.append("What the model does is set in the sidebar, under More choices.")
    if current.config.embedding_norm:
        said.append(
            "This model normalises their sum: a common factor of both changes almost nothing, their ratio does."
        )
    return "".join(f" {sentence}" for sentence in said)
