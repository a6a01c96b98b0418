"""Sections of the add and norm page: the steps of a norm with γ and β to try; post-norm and pre-norm."""

import math
from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import streamlit as st
from jaxtyping import Float
from streamlit.delta_generator import DeltaGenerator

from dashboard.components.plot import render_plot
from dashboard.inspect.edit_text import describe_ignored_edit
from dashboard.inspect.questions import Question, WrongOption
from dashboard.lessons.sublayers.norm_calculation import norm_calculation
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.models.variants import model_with_norm
from dashboard.selection.column_picker import move_focus_and_column, render_column_picker
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.state.choices import NORM_DIMENSION, SCALE_AND_SHIFT
from dashboard.state.session import session
from dashboard.state.widgets import bind_value
from dashboard.theme import current_theme
from encoder_core.edits import LARGEST_VALUE
from encoder_core.explain.sublayers import (
    AddAndNorm,
    NormName,
    NormSteps,
    add_and_norm,
    layer_norm_steps,
    norm_parameters,
)
from encoder_core.figures import Window
from encoder_core.scenes import add_and_norm as scenes
from encoder_core.support.number_format import format_calculation, format_number


def render_residual_sum(
    current: Model,
    at: Focus,
    name: NormName,
    tensors: AddAndNorm,
    columns: Window,
    limit: float,
    inspection: Inspection,
) -> None:
    """The sum of residual stream and sublayer output, if this norm has one (not the final norm)."""
    parts = scenes.residual_sum(
        tensors,
        name,
        current.config.norm,
        at,
        columns=columns,
        limit=limit,
        theme=current_theme(),
        factor=current.run.residual_factor(at.layer, "attention" if name == "norm1" else "mlp"),
    )
    if parts:
        render_plot(parts, key="add_and_norm_sum_plot", inspection=inspection)


def render_normalisation(
    current: Model,
    at: Focus,
    name: NormName,
    tensors: AddAndNorm,
    steps: NormSteps,
    columns: Window,
    limit: float,
    inspection: Inspection,
) -> None:
    """The norm step by step, and below it controls for the γ and β of one dimension."""
    plot_area = st.container()
    places = st.columns([1, 1, 1, 4], vertical_alignment="bottom")
    with places[0]:
        dimension = render_column_picker("Dimension", columns, NORM_DIMENSION)
    model_values = tuple(float(x[dimension]) for x in norm_parameters(current.parameters, at.layer, name))
    scale, shift = _render_scale_and_shift(places[1:3], f"{at.layer + 1}.{name}.{dimension}", model_values)
    with places[3]:
        st.markdown(norm_calculation(at, dimension, tensors, steps, scale, shift, current.config.norm_eps))
    out, is_model = tensors.norm_out.astype(float), (scale, shift) == model_values
    if not is_model:
        out[:, dimension] = steps.normalised[:, dimension] * scale + shift
    parts = scenes.normalisation(
        steps, out, at, columns=columns, dimension=dimension, limit=limit, theme=current_theme(),
        shows=scenes.norm_out_slice(at, name, current.config.norm) if is_model else None,
        has_steps=name != "final_norm" or current.config.has_chained_layers,
    )  # fmt: skip
    with plot_area:
        render_plot(
            parts,
            key="add_and_norm_norm_plot",
            inspection=inspection,
            on_click=move_focus_and_column("dimension", NORM_DIMENSION),
        )
    if not is_model:
        st.caption(
            f"The values to try change column {dimension} of this figure only. The numbers below, and all other "
            "figures, are those of the model."
        )


def _render_scale_and_shift(
    places: Sequence[DeltaGenerator], norm: str, model_values: tuple[float, ...]
) -> tuple[float, float]:
    """Render the inputs for γ and β of this dimension and return them; they start at the model's values."""
    numbers = _read_scale_and_shift(norm) or model_values

    def change(which: int, value: float) -> None:
        changed = [*numbers[:which], value, *numbers[which + 1 :]]
        session().set(SCALE_AND_SHIFT, "~".join([norm, *(f"{number:.6g}" for number in changed)]))

    for which, (place, label) in enumerate(zip(places, ("γ to try", "β to try"), strict=True)):
        bound = bind_value(f"{SCALE_AND_SHIFT.name} {which}", numbers[which], partial(change, which), norm)
        place.number_input(label, -LARGEST_VALUE, LARGEST_VALUE, step=0.5, **bound)
    return numbers[0], numbers[1]


def _read_scale_and_shift(norm: str) -> tuple[float, ...] | None:
    """γ and β from the link or the user, or None if they belong to another dimension or norm."""
    text = session().get(SCALE_AND_SHIFT)
    if text is None or text.split("~")[0] != norm:
        return None
    try:
        gamma, beta = (float(part) for part in text.split("~")[1:])
    except ValueError:
        gamma = np.nan
    if not (np.isfinite(gamma) and abs(gamma) <= LARGEST_VALUE and abs(beta) <= LARGEST_VALUE):
        allowed = f"allowed are two numbers, γ and β, from {-LARGEST_VALUE:g} to {LARGEST_VALUE:g}"
        session().report_invalid(SCALE_AND_SHIFT, allowed, None)
        session().set_derived(SCALE_AND_SHIFT, None)
        return None
    return gamma, beta


def render_norm_comparison(current: Model, at: Focus, name: NormName) -> None:
    """The same text and parameters in a post-norm and in a pre-norm encoder: flow of a layer, and residual norms."""
    st.header("Post-norm and pre-norm", anchor=False)
    model_norm = current.config.norm
    models = {
        norm: current if norm == model_norm else model_with_norm(current.settings, norm, current.edits)
        for norm in scenes.FLOWS
    }
    lengths = {norm: _lengths(model) for norm, model in models.items()}
    left, right = st.columns([3, 2], gap="medium")
    with left:
        factors = {norm: model.run.residual_factors(at.layer) for norm, model in models.items()}
        parts = scenes.flows(model_norm, name, factors, at.layer, theme=current_theme())
        render_plot(parts, key="add_and_norm_flow_plot", stack=True)
    with right:
        render_plot(scenes.stream_lengths(lengths, theme=current_theme()), key="add_and_norm_size_plot")
    for norm, model in models.items():
        for problem in model.edit_problems if norm != model_norm else ():
            st.caption(f":orange[With {norm}-norm: {describe_ignored_edit(problem, model)}]")
    post, pre, d_model = lengths["post"], lengths["pre"], current.config.d_model
    root = format_calculation([d_model], d_model**0.5, math.sqrt)
    of_row = " in a row whose variance is much larger than ε," * _has_small_variance(models["post"])
    st.caption(
        f"{_read_out_note(current)}The thick line is the residual stream{_dashed_note(factors.values())}. Both models "
        "have the same parameters (pre-norm also has a final norm); they differ in the position of the norms. In "
        f"post-norm, the mean length of a token's vector after the last layer is {format_number(post[-2], 3)} "
        f"(√{d_model} {root.relation} {root.result}{of_row} if γ is 1 and β is 0). In pre-norm, no norm is applied to "
        f"the stream itself: its mean length {_growth(pre[0], pre[-2])}, and the final norm normalises the output."
    )


def _dashed_note(factors: Iterable[tuple[float, float]]) -> str:
    """What a dashed line of the flows means, which have these factors on their residuals; empty if there is none."""
    return ", a dashed line a residual that an edit removes" if any(0 in each for each in factors) else ""


def _growth(first: float, last: float) -> str:
    """The lengths of the stream at the start and after the last layer; an edit can make the first one 0."""
    if first == 0:
        return f"is 0 at the start and {format_number(last, 3)} after the last layer"
    return f"after the last layer is {format_number(last / first, 2)} times that at the start"


def _has_small_variance(model: Model) -> bool:
    """Whether ε makes an output row of a post-norm encoder's last layer shorter, as displayed."""
    rows = add_and_norm(model.run, model.config.num_layers - 1, "norm2").norm_in[model.batch.real]
    variance, eps = rows.astype(float).var(axis=-1), model.config.norm_eps
    return bool((variance < 1e3 * eps).any())


def _read_out_note(model: Model) -> str:
    """A sentence on recipes whose layers each have the encoder's input as input; empty for other models."""
    if model.config.has_chained_layers:
        return ""
    return "As in this tutorial's read-out, the input of each layer of the curve is the encoder's input. "


def _lengths(model: Model) -> Float[np.ndarray, "stage"]:
    """The mean length of a real token's vector at every stage of the residual stream, and of the output."""
    trace = model.trace
    stages = [trace.embedded, *(layer.resid_post for layer in trace.layers), trace.output]
    return np.array([np.linalg.norm(vectors[model.batch.real], axis=-1).mean() for vectors in stages])


def scaling_question(current: Model, at: Focus, name: NormName, tensors: AddAndNorm) -> Question:
    """What is the norm of ten times the row? Another question if ε is not small compared with the row's variance."""
    scale, shift = norm_parameters(current.parameters, at.layer, name)
    row, eps = tensors.norm_in[at.token], current.config.norm_eps
    once, tenfold = (layer_norm_steps(x, scale, shift, eps).output for x in (row, 10 * row.astype(float)))
    change = float(np.abs(tenfold - once).max())
    if change > 0.05 or not np.abs(once - shift).max() > 0.1:
        return _axis_question()
    return Question(
        f"every number in the row of “{escape_token(at.labels[at.token])}” is multiplied by 10 before the norm. What "
        "is the output?",
        "almost the same row",
        "Mean and standard deviation are multiplied by 10 as well, which cancels the factor: no number changes by more "
        f"than {format_number(change, 2)}.",
        [
            WrongOption(
                "a row ten times as large",
                "This holds for a linear layer. A norm divides by the standard deviation, which grows tenfold, too.",
                "the formula: σ is computed from the row itself",
            ),
            WrongOption(
                "a row of zeros",
                "The norm subtracts the mean, but the differences from the mean stay.",
                "the normalised row: its mean is 0, its numbers are not",
            ),
        ],
    )


def _axis_question() -> Question:
    return Question(
        "over which numbers does LayerNorm compute a mean and a variance?",
        "the numbers of one token",
        "Each token, a row, is normalised separately.",
        [
            WrongOption(
                "one dimension of all tokens",
                "This is batch norm, with tokens in the place of the batch.",
                "the formula: i runs over the dimensions of one row x",
            ),
            WrongOption(
                "all numbers of the text",
                "Then a token's output would depend on all other tokens. Only attention mixes tokens.",
                "the formula: i runs over the dimensions of one row x",
            ),
        ],
    )
