"""The residual connections that edits change, as a sentence and as lines of a formula."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from dashboard.inspect.edit_text import SUBLAYER_NAMES
from dashboard.models.model import Model
from encoder_core.edits import Sublayer
from encoder_core.support.number_format import format_number, latex_number


class EditedResidual(NamedTuple):
    """A factor other than 1 on x, and the numbers of the layers, from 1, whose sum x + sublayer(x) has it."""

    sublayer: Sublayer
    factor: float
    layers: tuple[int, ...]


def edited_residuals(model: Model, *sublayers: Sublayer) -> list[EditedResidual]:
    """The residuals around these sublayers that the model's edits remove or multiply."""
    if not model.edits:  # without a forward pass, which `model.run` needs
        return []
    layers = defaultdict(list)
    for (layer, sublayer), factor in sorted(model.run.effects.residual_factors.items()):
        if sublayer in sublayers and factor != 1:
            layers[sublayer, factor].append(layer + 1)
    return [EditedResidual(*key, tuple(numbers)) for key, numbers in sorted(layers.items())]


def edited_residuals_note(model: Model, *sublayers: Sublayer) -> str:
    """A sentence after a statement about a residual sum; empty if no edit changes the residual."""
    parts = [
        f"the residual around {SUBLAYER_NAMES[sublayer]} is "
        f"{f'multiplied by {format_number(factor, 3)}' if factor else 'removed'} in {_layer_names(layers)}"
        for sublayer, factor, layers in edited_residuals(model, *sublayers)
    ]
    if not parts:
        return ""
    *first, last = parts
    return f" With your edits, {', '.join(first)}{', and ' * bool(first)}{last}."


def factor_line(symbol: str, model: Model, sublayer: Sublayer) -> str:
    """A LaTeX line with the values of the factor of x; empty if no edit changes the residual of the sublayer."""
    edited = edited_residuals(model, sublayer)
    if not edited:
        return ""
    values = [
        rf"{latex_number(format_number(factor, 6))} \text{{ in {_layer_names(layers)}}}" for _, factor, layers in edited
    ]
    if sum(len(each.layers) for each in edited) < model.config.num_layers:
        values.append(r"1 \text{ in all others}")
    # A line for each value, because twelve layers can have twelve of them.
    return rf" \\ {symbol} &= " + r", \\ &\phantom{{}={}} ".join(values)


def _layer_names(layers: Iterable[int]) -> str:
    *first, last = map(str, layers)
    return f"layers {', '.join(first)} and {last}" if first else f"layer {last}"
