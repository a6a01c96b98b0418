"""Sections of add and norm: the norm with one γ and β to try, and where the norms of a block can stand."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st
from jaxtyping import Float
from streamlit.delta_generator import DeltaGenerator

from dashboard.components.plot import plot
from dashboard.markdown import plain
from dashboard.models.model import Model, model_with_norm, with_edits
from dashboard.selection.column_picker import column_picker, follow_column
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.choices import NORM_DIMENSION, SCALE_AND_SHIFT
from dashboard.state.session import session
from dashboard.state.widgets import shows_value
from dashboard.theme import current_theme
from encoder_core.analysis import residual_stream
from encoder_core.edits.checks import LARGEST
from encoder_core.explain.sublayers import AddAndNorm, NormName, NormSteps, norm_parameters
from encoder_core.figures import Window, format_calculation, format_number, in_brackets
from encoder_core.scenes import add_and_norm as scenes


def normalise(
    current: Model,
    at: Focus,
    name: NormName,
    shown: AddAndNorm,
    steps: NormSteps,
    columns: Window,
    limit: float,
    inspection: Inspection,
) -> None:
    """The norm step by step, and below it the scale and shift of one dimension, to be changed."""
    area = st.container()
    places = st.columns([1, 1, 1, 4], vertical_alignment="bottom")
    with places[0]:
        d = column_picker("Dimension", columns, NORM_DIMENSION)
    before = tuple(float(x[d]) for x in norm_parameters(current.parameters, at.layer, name))
    scale, shift = _pick_scale_and_shift(places[1:3], f"{at.layer + 1}.{name}.{d}", before)
    with places[3]:
        _one_number(at, d, shown, steps, scale, shift)
    out = shown.norm_out.astype(float)
    if (scale, shift) != before:
        out[:, d] = steps.normalised[:, d] * scale + shift
    of_trace = (scale, shift) == before
    parts = scenes.normalisation(
        steps, out, at, columns=columns, dimension=d, limit=limit, tokens=at.labels, theme=current_theme(),
        shows=scenes.norm_out_slice(at, name, current.config.norm) if of_trace else None,
    )  # fmt: skip
    with area:
        plot(
            parts,
            key="add_and_norm_norm_plot",
            inspection=inspection,
            on_click=follow_column("dimension", NORM_DIMENSION),
        )


def _pick_scale_and_shift(
    places: Sequence[DeltaGenerator], norm: str, before: tuple[float, ...]
) -> tuple[float, float]:
    """The γ and β to try in this dimension of this norm; at first those of the model."""
    numbers = _read_scale_and_shift(norm) or before

    def change(which: int, value: float) -> None:
        tried = [*numbers[:which], value, *numbers[which + 1 :]]
        session().set(SCALE_AND_SHIFT, "~".join([norm, *(f"{number:.6g}" for number in tried)]))

    for which, (place, label) in enumerate(zip(places, ("What if its γ were", "and its β"), strict=True)):
        bound = shows_value(f"{SCALE_AND_SHIFT.name} {which}", numbers[which], partial(change, which), norm)
        place.number_input(label, -LARGEST, LARGEST, step=0.5, **bound)
    return numbers[0], numbers[1]


def _read_scale_and_shift(norm: str) -> tuple[float, ...] | None:
    """What the link or the user says about this dimension of this norm; None where that is about another."""
    given = session().get(SCALE_AND_SHIFT)
    if given is None or given.split("~")[0] != norm:
        return None
    try:
        gamma, beta = (float(part) for part in given.split("~")[1:])
    except ValueError:
        gamma = np.nan
    if not (np.isfinite(gamma) and abs(gamma) <= LARGEST and abs(beta) <= LARGEST):
        session().refuse(SCALE_AND_SHIFT, f"γ and β are two numbers from {-LARGEST:g} to {LARGEST:g}", None)
        session().put(SCALE_AND_SHIFT, None)
        return None
    return gamma, beta


def _one_number(at: Focus, d: int, shown: AddAndNorm, steps: NormSteps, scale: float, shift: float) -> None:
    """How one number of the token passes the norm, in words."""
    x, normalised = float(shown.norm_in[at.token, d]), float(steps.normalised[at.token, d])
    of_row = [x, float(steps.mean[at.token]), float(steps.variance[at.token])]
    norm = format_calculation(of_row, normalised, lambda x, mean, variance: (x - mean) / variance**0.5)
    moved = format_calculation([normalised, scale, shift], normalised * scale + shift, lambda n, g, b: n * g + b)
    (x_text, mean, variance), (n, gamma, beta) = norm.operands, map(in_brackets, moved.operands)
    st.markdown(
        f"“{plain(at.labels[at.token])}”, dimension {d}: ({x_text} − {in_brackets(mean)}) / √{variance} "
        f"{norm.relation} {norm.result}, then {n} × {gamma} + {beta} {moved.relation} **{moved.result}**.  \n"
        ":gray[Mean and variance belong to a token, a row; γ and β to a dimension, a column. Training usually starts "
        "with every γ at 1 and every β at 0.]"
    )


def post_and_pre(current: Model, name: NormName) -> None:
    """The same text and parameters with the norms after the sums, and before the sublayers."""
    st.subheader("Post-norm and pre-norm", anchor=False)
    in_use = current.config.norm
    models = {
        norm: current if norm == in_use else with_edits(model_with_norm(current.settings, norm), current.edits)
        for norm in scenes.FLOWS
    }
    lengths = {norm: _lengths(model) for norm, model in models.items()}
    left, right = st.columns([3, 2], gap="medium")
    with left:
        parts = scenes.flows(in_use, name, theme=current_theme())
        plot(parts, key="add_and_norm_flow_plot", stack=True)
    with right:
        plot(scenes.lengths(lengths, theme=current_theme()), key="add_and_norm_size_plot")
    for norm, model in models.items():
        for problem in model.left_out if norm != in_use else ():
            st.caption(f":orange[With {norm}-norm: {problem}]")
    post, pre, d_model = lengths["post"], lengths["pre"], current.config.d_model
    root, growth = format_calculation([d_model], d_model**0.5, math.sqrt), format_number(pre[-2] / pre[0], 2)
    st.caption(
        f"{_of_read_out(current)}The thick line is the residual stream. Both models have the same parameters "
        "(pre-norm has a final norm, too); where the norms stand differs. In post-norm a token leaves the last block "
        f"with a mean length of {format_number(post[-2], 3)} (√{d_model} {root.relation} {root.result} where γ is 1 "
        "and β is 0). In pre-norm no norm stands in the stream: after the last block it is "
        f"{growth} times as long as at first, and the final norm normalises the output."
    )


def _of_read_out(model: Model) -> str:
    """What the curve is of where each layer of the trace reads the input."""
    if model.config.attention_read_out == "stack" or model.config.num_layers == 1:
        return ""
    return "Here each block of the curve reads the encoder's input, as this tutorial's read-out does. "


def _lengths(model: Model) -> Float[np.ndarray, "stage"]:
    """The mean length of a real token's vector at every stage of the residual stream, and of the output."""
    stages = residual_stream(model.trace, model.batch.real, final_norm=True)
    return np.asarray(np.linalg.norm(stages, axis=-1).mean(axis=-1))
