"""The size of the embedding rows under each scale, compared with the position encoding."""

import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.selection.view_choice import render_choice
from dashboard.state.choices import ROWS
from dashboard.state.setting_parameters import available_settings
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.analysis import root_mean_square
from encoder_core.config import embedding_factors
from encoder_core.figures import Window
from encoder_core.scenes.inputs import embedding as scenes
from encoder_core.support.number_format import format_number


def render_scales(current: Model, at: Focus, columns: Window, inspection: Inspection) -> None:
    """The rows under the chosen scale, beside the position encoding that the next stage adds."""
    st.header("Embedding scale", anchor=False)
    rows, position = current.trace.token_embedding[at.sentence], current.trace.position_encoding
    root, model_scale = f"√{current.config.d_model}", current.config.embedding_scale
    factors = embedding_factors(current.config.d_model)
    names = {"inv_sqrt_d": f"÷ {root}", "none": "unscaled", "sqrt_d": f"× {root}"}
    labels = names | {model_scale: f"{names[model_scale]} (this model)"}
    scale = render_choice(
        "Rows", list(factors), ROWS, default=model_scale, format_func=labels.__getitem__, hide_label=True
    )
    scaled, _ = blocks.embed(rows, factors[scale], position)
    sizes = {names[name]: root_mean_square(rows) * factor for name, factor in factors.items()}
    sizes["positions"] = root_mean_square(position)
    parts = scenes.rows_and_positions(
        scaled,
        position,
        sizes,
        at,
        scale=names[scale],
        in_use=scale == model_scale,
        columns=columns,
        theme=current_theme(),
    )
    render_plot(parts, key="embedding_scale_plot", inspection=inspection)
    comparison = _compare(sizes[names[scale]], sizes["positions"], has_positions=current.config.positions != "none")
    st.caption(
        f"Both heatmaps share one colour scale; the bars are root mean squares. Rows {names[scale]}: {comparison}. The "
        "paper multiplies by √d_model without giving a reason; some code divides by it. The effect depends on the size "
        f"of the unscaled rows: compare the bars.{_model_note(current)}"
    )


def _compare(rows: float, positions: float, *, has_positions: bool) -> str:
    """The size of the rows relative to that of the position encoding. Both can be 0, after edits."""
    if not has_positions:
        return "there is no position encoding"
    if not positions:
        return "the position encoding is 0"
    return f"**{format_number(rows / positions, 3)} times** the position encoding"


def _model_note(current: Model) -> str:
    """Sentences on where to set the model's scale, if it can be set, and on the norm of the sum."""
    sentences = []
    if "scale" in available_settings(current.settings.encoder):
        sentences.append("Set the scale of the model in the sidebar, under More choices.")
    if current.config.embedding_norm:
        sentences.append(
            "This model normalises the sum of rows and positions: only their ratio matters, a common factor changes "
            "almost nothing."
        )
    return "".join(f" {sentence}" for sentence in sentences)
