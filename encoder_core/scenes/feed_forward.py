"""Scenes of the feed-forward network: its steps, the activation of one token's neurons, and the effect of an exchanged
row."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from encoder_core.config import Activation, ActivationAfter, EncoderConfig
from encoder_core.explain.sublayers import FeedForwardSteps, activate
from encoder_core.figures import (
    HeatmapStyle,
    Line,
    PanelStyle,
    RowBarsStyle,
    ThemeName,
    Window,
    activation_curve,
    colour_limit,
    heatmap,
    row_bars,
)
from encoder_core.scenes.focus import Focus, layer_slice

HEIGHT = 230
_ROUNDING = 1e-9
ACTIVATION_TITLES: dict[Activation, str] = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)"}


def activation_name(config: EncoderConfig) -> str:
    """The name of the activation on screen."""
    return ACTIVATION_TITLES[config.activation]


def activation_function(config: EncoderConfig) -> str:
    """The name of the activation before its argument: "GELU (tanh)(3.86)" would read as a product."""
    return {"gelu_tanh": "GELU_tanh"}.get(config.activation, activation_name(config))


def network(
    mlp_in: Float[np.ndarray, "seq d_model"],
    steps: FeedForwardSteps,
    config: EncoderConfig,
    at: Focus,
    *,
    columns: Window,
    neurons: Window,
    neuron: int,
    theme: ThemeName = "light",
) -> Line:
    """In → expanded → activated → contracted, and the share of each token's neurons that are above zero.

    With activation_after="second_linear" the activation is applied to the output instead of the neurons.

    columns, neurons  the windows of the model's dimensions and of the neurons that are drawn
    neuron            the neuron that is outlined
    """
    style = HeatmapStyle(limit=colour_limit(mlp_in, *steps), height=HEIGHT, theme=theme)
    neuron_style = replace(style, column_axis="neuron")
    active_style = RowBarsStyle(row_axis="token", span=(0.0, 100.0), colour="muted", decimals=0, height=HEIGHT,
                                theme=theme)  # fmt: skip
    bias = " + b" if config.use_bias else ""
    row, row_and_neuron = [(at.token, None)], [(at.token, None), (None, neuron)]
    act_title, out_title = f"{activation_function(config)}( )", f"· W_down{bias}"
    if config.activation_after == "second_linear":
        act_title, out_title = "no activation", "out, activated"
    return [
        heatmap(mlp_in, at.labels, columns, title="in", marks=row, shows=layer_slice("mlp_in", at), style=style),
        "→",
        heatmap(steps.pre, at.labels, neurons, title=f"in · W_up{bias}", marks=row_and_neuron,
                shows=layer_slice("mlp_pre", at), style=neuron_style),
        "→",
        heatmap(steps.act, at.labels, neurons, title=act_title, marks=row_and_neuron,
                shows=layer_slice("mlp_act", at), style=neuron_style),
        row_bars(100 * (steps.pre > 0).mean(axis=1), at.labels, title="> 0, %", marks=[at.token], style=active_style),
        "→",
        heatmap(steps.out, at.labels, columns, title=out_title, marks=row, shows=layer_slice("mlp_out", at),
                style=style),
    ]  # fmt: skip


def neuron_activation(
    pre: Float[np.ndarray, "neuron"],
    act: Float[np.ndarray, "neuron"],
    activation: Activation,
    neuron: int,
    after: ActivationAfter = "first_linear",
    theme: ThemeName = "light",
) -> Line:
    """The curve of the activation with one dot for each neuron of a token; a straight line where no activation follows
    the first linear layer."""
    x = np.linspace(-1, 1, 81) * max(3.0, 1.05 * float(np.abs(pre).max()))
    functions = {title: activate(x, name) for name, title in ACTIVATION_TITLES.items()}
    chosen = ACTIVATION_TITLES[activation]
    if after == "second_linear":
        chosen = "no activation"
        functions[chosen] = x
    title = f"{chosen}: one dot per neuron"
    return [activation_curve(x, functions, chosen, (pre, act), neuron, title=title, style=PanelStyle(theme=theme))]


def change_lengths(change: Float[np.ndarray, "seq d_model"]) -> Float[np.ndarray, "seq"]:
    """The length of the change of each row; 0 where the change is but the rounding of the computation."""
    lengths = np.linalg.norm(change, axis=1)
    return np.where(lengths > _ROUNDING, lengths, 0.0)


def row_exchange(
    input_change: Float[np.ndarray, "seq d_model"],
    output_changes: Mapping[str, Float[np.ndarray, "seq d_model"]],
    columns: Window,
    at: Focus,
    *,
    theme: ThemeName = "light",
) -> Line:
    """The change of the input, and the change of the output of attention and of feed-forward that follows from it.

    Each matrix has its own colour scale, because the scene compares which rows change, not by how much.
    """
    height = 220
    style = HeatmapStyle(height=height, theme=theme)
    parts: Line = [heatmap(input_change, at.labels, columns, title="change of the input", style=style)]
    for name, change in output_changes.items():
        lengths = change_lengths(change)
        colour = "attention" if name == "attention" else None
        bars_style = RowBarsStyle(row_axis="token", span=(0.0, float(lengths.max()) or 1.0), colour=colour or "muted",
                                  tells_zero=True, height=height, theme=theme)  # fmt: skip
        parts += [
            "→" if name == "attention" else "|",
            heatmap(change, at.labels, columns, title=f"after {name}", style=replace(style, title_colour=colour)),
            row_bars(lengths, at.labels, title="length", style=bars_style),
        ]
    return parts
