"""Sections of add and norm: the norm with one γ and β to try, and where the norms of a block can stand."""

from dataclasses import replace

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import frame
from dashboard.cells import Looked
from dashboard.column import column_picker, follow_column
from dashboard.focus import Focus
from dashboard.model import Model, model_with_norm
from dashboard.picture import picture
from encoder_core.analysis import residual_stream
from encoder_core.config import Norm
from encoder_core.figures import Window
from encoder_core.scenes import add_and_norm as scenes
from encoder_core.sublayers import AddAndNorm, NormName, NormSteps, norm_parameters

DIMENSION = "add_and_norm_dimension"


def normalise(
    current: Model,
    at: Focus,
    name: NormName,
    shown: AddAndNorm,
    steps: NormSteps,
    columns: Window,
    limit: float,
    looked: Looked,
) -> None:
    """The norm step by step, and below it the scale and shift of one dimension, to be changed."""
    area = st.container()
    places = st.columns([1, 1, 1, 4], vertical_alignment="bottom")
    with places[0]:
        d = column_picker("Dimension", columns, key=DIMENSION)
    before = tuple(float(x[d]) for x in norm_parameters(current.parameters, at.layer, name))
    of_this = f"{at.layer}_{name}_{d}"
    scale = places[1].number_input("What if its γ were", value=before[0], step=0.5, key=f"gamma_{of_this}")
    shift = places[2].number_input("and its β", value=before[1], step=0.5, key=f"beta_{of_this}")
    with places[3]:
        _one_number(at, d, shown, steps, scale, shift)
    out = shown.norm_out.astype(float)
    if (scale, shift) != before:
        out[:, d] = steps.normalised[:, d] * scale + shift
    of_trace = (scale, shift) == before
    parts = scenes.normalisation(
        steps, out, at, columns=columns, dimension=d, limit=limit, tokens=at.labels, theme=frame.theme(),
        shows=scenes.norm_out_slice(at, name, current.config.norm) if of_trace else None,
    )  # fmt: skip
    with area:
        picture(parts, key="add_and_norm_norm_picture", looked=looked, on_click=follow_column("dimension", DIMENSION))


def _one_number(at: Focus, d: int, shown: AddAndNorm, steps: NormSteps, scale: float, shift: float) -> None:
    """How one number of the token passes the norm, in words."""
    x, normalised = float(shown.norm_in[at.token, d]), float(steps.normalised[at.token, d])
    st.markdown(
        f"“{frame.plain(at.labels[at.token])}”, dimension {d}: ({x:.3g} − {steps.mean[at.token]:.3g}) / "
        f"√{steps.variance[at.token]:.3g} = {normalised:.3g}, then × {scale:.3g} + {shift:.3g} = "
        f"**{normalised * scale + shift:.3g}**.  \n:gray[Mean and variance belong to a token, a row; γ and β "
        "to a dimension, a column. Before training, every γ is 1 and every β is 0.]"
    )


def post_and_pre(current: Model, name: NormName) -> None:
    """The same text and parameters with the norms after the sums, and before the sublayers."""
    st.subheader("Post-norm and pre-norm", anchor=False)
    in_use = current.config.norm
    models = {
        norm: current if norm == in_use else replace(model_with_norm(current.settings, norm), edits=current.edits)
        for norm in scenes.FLOWS
    }
    lengths = {norm: _lengths(model) for norm, model in models.items()}
    left, right = st.columns([3, 2], gap="medium")
    with left:
        parts = scenes.flows(in_use, name, theme=frame.theme())
        picture(parts, key="add_and_norm_flow_picture", stack=True)
    with right:
        picture(scenes.lengths(lengths, theme=frame.theme()), key="add_and_norm_size_picture")
    post, pre, d_model = lengths["post"], lengths["pre"], current.config.d_model
    st.caption(
        "The thick line is the residual stream; where the norms stand is all that differs. In post-norm every token "
        f"leaves a block with length {post[-2]:.3g} (√{d_model} = {d_model**0.5:.3g} where γ is 1). In pre-norm "
        f"nothing stops the stream: after the last block it is {pre[-2] / pre[0]:.2g} times as long as at first, and "
        "a final norm brings the output back."
    )


def _with(current: Model, norm: Norm) -> Model:
    if norm == current.config.norm:
        return current
    return replace(model_with_norm(current.settings, norm), edits=current.edits)


def _lengths(model: Model) -> Float[np.ndarray, "stage"]:
    """The mean length of a real token's vector at every stage of the residual stream, and of the output."""
    stages = residual_stream(model.trace, model.batch.real, final_norm=True)
    return np.asarray(np.linalg.norm(stages, axis=-1).mean(axis=-1))
