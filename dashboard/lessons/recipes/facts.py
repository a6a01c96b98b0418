"""What a tutorial builds, in sizes, and the five of them side by side."""

from collections.abc import Callable

import streamlit as st

from dashboard.lessons.positions.encodings import ENCODINGS
from dashboard.sidebar import in_units
from dashboard.state.settings import positions_of
from encoder_core import RECIPES, EncoderConfig
from encoder_core.cost import BYTES_PER_PARAMETER, flops_by_part
from encoder_core.parameters import BIAS_STD
from encoder_core.recipes import VARIANTS, Recipe, Variant

SCALES = {"none": "× 1", "sqrt_d": "× √d_model", "inv_sqrt_d": "÷ √d_model"}
NORMS = {"post": "post-norm", "pre": "pre-norm"}


def sizes(recipe: Recipe, variant: Variant) -> None:
    """The sizes of a recipe in one line, and how its numbers are drawn."""
    config, example = recipe.config(variant), recipe.example
    count = recipe.num_parameters(variant)
    st.markdown(
        f"batch **{example.batch}** · seq **{example.seq}** · d_model **{config.d_model}** · heads "
        f"**{config.num_heads}** of **{config.d_head}** · d_ff **{config.d_ff}** · blocks **{config.num_layers}** · "
        f"**{count:,}** parameters = **{count * BYTES_PER_PARAMETER / 2**20:.2f} MiB**"
    )
    st.caption(
        "Random numbers are drawn by NumPy from the seed, not with the tutorial's keys, so they are not those that the "
        f"tutorial prints. Biases are drawn with a standard deviation of {BIAS_STD:g}, where the libraries start at 0."
    )


def compared() -> None:
    """The five recipes side by side; where the code differs from the text, both."""
    rows = {name: [cell(recipe) for recipe in RECIPES.values()] for name, cell in _CELLS.items()}
    lines = [f"| | {' | '.join(f'**{name}**' for name in RECIPES)} |", "|:--" * (len(RECIPES) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    st.markdown("\n".join(lines))
    st.caption(
        ":orange[Orange]: as written in the code, where that differs from the text (in annotated, whose text and code "
        "agree, from the paper). FLOPs are those of the matrix products of one pass over the tutorial's own batch, a "
        "multiplication and an addition counted as two."
    )


def _said(say: Callable[[EncoderConfig], str]) -> Callable[[Recipe], str]:
    """A cell: what is said of the config as intended and, where that is something else, as written."""

    def cell(recipe: Recipe) -> str:
        return _in_both(*(say(recipe.config(variant)) for variant in VARIANTS))

    return cell


def _activation(config: EncoderConfig) -> str:
    return config.activation + (" after the second linear" if config.activation_after == "second_linear" else "")


def _costs(say: Callable[[Recipe, Variant], str]) -> Callable[[Recipe], str]:
    """The same for what depends on the recipe, too."""

    def cell(recipe: Recipe) -> str:
        return _in_both(*(say(recipe, variant) for variant in VARIANTS))

    return cell


def _in_both(intended: str, written: str) -> str:
    return intended if intended == written else f"{intended} :orange[{written}]"


def _flops(recipe: Recipe, variant: Variant) -> int:
    return sum(flops_by_part(recipe.config(variant), recipe.example.seq, recipe.example.batch).values())


_CELLS: dict[str, Callable[[Recipe], str]] = {
    "library": lambda recipe: recipe.library,
    "batch × seq": lambda recipe: f"{recipe.example.batch} × {recipe.example.seq}",
    "d_model": _said(lambda config: str(config.d_model)),
    "heads × d_head": _said(lambda config: f"{config.num_heads} × {config.d_head}"),
    "d_ff": _said(lambda config: str(config.d_ff)),
    "blocks": _said(lambda config: str(config.num_layers)),
    "norm": _said(lambda config: NORMS[config.norm] + (" + final" if config.final_norm else "")),
    "norm eps": _said(lambda config: f"{config.norm_eps:g}"),
    "activation": _said(_activation),
    "positions": _said(lambda config: ENCODINGS[positions_of(config)].label),
    "embedding scale": _said(lambda config: SCALES[config.embedding_scale]),
    "mask": lambda recipe: recipe.example.mask or "none",
    "dropout": _said(lambda config: f"{config.dropout:g}" if config.dropout else "none"),
    "parameters": _costs(lambda recipe, variant: f"{recipe.num_parameters(variant):,}"),
    "bytes": _costs(lambda recipe, variant: in_units(recipe.num_parameters(variant) * BYTES_PER_PARAMETER) + "B"),
    "FLOPs": _costs(lambda recipe, variant: in_units(_flops(recipe, variant)) + "FLOP"),
}
