"""The residual connections that edits change, as a sentence and as lines of a formula."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from dashboard.models.model import Model
from encoder_core.edits import Sublayer
from encoder_core.figures import format_number, latex_number

_NAMES: dict[Sublayer, str] = {"attention": "attention", "mlp": "feed-forward"}


class EditedResidual(NamedTuple):
    """A factor other than 1 on x, and the numbers of the blocks, from 1, whose sum x + sublayer(x) has it."""

    sublayer: Sublayer
    factor: float
    blocks: tuple[int, ...]


def edited_residuals(model: Model, *sublayers: Sublayer) -> list[EditedResidual]:
    """The residuals around these sublayers that the model's edits remove or multiply."""
    if not model.edits:  # without a forward pass, which `model.run` needs
        return []
    blocks = defaultdict(list)
    for (layer, sublayer), factor in sorted(model.run.effects.residual_factors.items()):
        if sublayer in sublayers and factor != 1:
            blocks[sublayer, factor].append(layer + 1)
    return [EditedResidual(*key, tuple(numbers)) for key, numbers in sorted(blocks.items())]


def edited_residuals_note(model: Model, *sublayers: Sublayer) -> str:
    """A sentence after a statement about a residual sum; empty if no edit changes the residual."""
    parts = [
        f"the residual around {_NAMES[sublayer]} is "
        f"{f'multiplied by {format_number(factor, 3)}' if factor else 'removed'} in {_block_names(blocks)}"
        for sublayer, factor, blocks in edited_residuals(model, *sublayers)
    ]
    if not parts:
        return ""
    *first, last = parts
    return f" Your edits change this sum: {', '.join(first)}{', and ' * bool(first)}{last}."


def factor_line(symbol: str, model: Model, sublayer: Sublayer) -> str:
    """A LaTeX line with the values of the factor of x; empty if no edit changes the residual of the sublayer."""
    edited = edited_residuals(model, sublayer)
    if not edited:
        return ""
    values = [
        rf"{latex_number(format_number(factor, 6))} \text{{ in {_block_names(blocks)}}}" for _, factor, blocks in edited
    ]
    if sum(len(each.blocks) for each in edited) < model.config.num_layers:
        values.append(r"1 \text{ in all others}")
    # A line for each value, because twelve blocks can have twelve of them.
    return rf" \\ {symbol} &= " + r", \\ &\phantom{{}={}} ".join(values)


def _block_names(blocks: Iterable[int]) -> str:
    *first, last = map(str, blocks)
    return f"blocks {', '.join(first)} and {last}" if first else f"block {last}"
