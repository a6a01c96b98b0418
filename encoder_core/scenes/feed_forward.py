"""Scenes of the feed-forward network: its steps, the curve of its activation, and what one exchanged row moves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from encoder_core.config import Activation, ActivationAfter, EncoderConfig
from encoder_core.explain.sublayers import FeedForwardSteps, activate
from encoder_core.figures import Line, ThemeName, Window, activation_curve, heatmap, row_bars, scale_of
from encoder_core.scenes.position import Position, block_slice

HEIGHT = 230
ACTIVATIONS: dict[Activation, str] = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)"}


def activation_name(config: EncoderConfig) -> str:
    """The activation of the feed-forward network, as it is written on screen."""
    return ACTIVATIONS[config.activation]


def network(
    mlp_in: Float[np.ndarray, "seq d_model"],
    steps: FeedForwardSteps,
    config: EncoderConfig,
    at: Position,
    *,
    columns: Window,
    neurons: Window,
    neuron: int,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """In → expanded → activated → contracted, and how many neurons of each token are above zero. With
    activation_after="second_linear" nothing is activated between, but what comes out.

    Of the model's dimensions `columns` are drawn, of the neurons `neurons`; `neuron` is outlined.
    """
    common: dict[str, Any] = {"limit": scale_of(mlp_in, *steps), "height": HEIGHT, "theme": theme}
    bias = " + b" if config.use_bias else ""
    row, cross = [(at.token, None)], [(at.token, None), (None, neuron)]
    wide: dict[str, Any] = {"column_axis": "neuron", "marks": cross, **common}
    active = 100 * (steps.pre > 0).mean(axis=1)
    between, out = f"{activation_name(config)}( )", f"· W_down{bias}"
    if config.activation_after == "second_linear":
        between, out = "no activation", "out, activated"
    return [
        heatmap(mlp_in, tokens, columns, title="in", marks=row, shows=block_slice("mlp_in", at), **common),
        "→",
        heatmap(steps.pre, tokens, neurons, title=f"in · W_up{bias}", shows=block_slice("mlp_pre", at), **wide),
        "→",
        heatmap(steps.act, tokens, neurons, title=between, shows=block_slice("mlp_act", at), **wide),
        row_bars(active, tokens, title="> 0, %", row_axis="token", span=(0.0, 100.0), marks=[at.token],
                 colour="attention", decimals=0, height=HEIGHT, theme=theme),
        "→",
        heatmap(steps.out, tokens, columns, title=out, marks=row, shows=block_slice("mlp_out", at), **common),
    ]  # fmt: skip


def bend(
    pre: Float[np.ndarray, "neuron"],
    act: Float[np.ndarray, "neuron"],
    activation: Activation,
    neuron: int,
    after: ActivationAfter = "first_linear",
    theme: ThemeName = "light",
) -> Line:
    """The curve of the activation beside the others, with all neurons of one token on it; a straight line where no
    activation follows the first linear layer."""
    x = np.linspace(-1, 1, 81) * max(3.0, 1.05 * float(np.abs(pre).max()))
    functions = {title: activate(x, name) for name, title in ACTIVATIONS.items()}
    chosen = ACTIVATIONS[activation]
    if after == "second_linear":
        chosen = "no activation"
        functions[chosen] = x
    title = f"{chosen}: one dot a neuron"
    return [activation_curve(x, functions, chosen, (pre, act), neuron, title=title, theme=theme)]


def changes(
    of_input: Float[np.ndarray, "seq d_model"],
    after: Mapping[str, Float[np.ndarray, "seq d_model"]],
    columns: Window,
    *,
    tokens: Sequence[str],
    theme: ThemeName = "light",
) -> Line:
    """How the input was changed, and how the results of attention and feed-forward changed with it, row by row.

    Each is on a scale of its own: which rows move is the point. Of the model's dimensions `columns` are drawn.
    """
    common: dict[str, Any] = {"height": 200, "theme": theme}
    parts: Line = [heatmap(of_input, tokens, columns, title="change of the input", **common)]
    for name, change in after.items():
        lengths = np.linalg.norm(change, axis=1)
        span, colour = (0.0, float(lengths.max()) or 1.0), "attention" if name == "attention" else None
        parts += [
            "→" if name == "attention" else "|",
            heatmap(change, tokens, columns, title=f"after {name}", title_colour=colour, **common),
            row_bars(lengths, tokens, title="length", row_axis="token", span=span, colour=colour or "muted", **common),
        ]
    return parts
