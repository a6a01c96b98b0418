"""The sizes of a recipe, and all recipes side by side."""

from collections.abc import Callable

import streamlit as st

from dashboard.lessons.positions.encodings import ENCODINGS
from dashboard.state.position_choice import positions_of
from encoder_core import RECIPES, EncoderConfig
from encoder_core.parameters import BIAS_STD
from encoder_core.parameters.cost import BYTES_PER_PARAMETER, flops_by_part, parameters_by_part
from encoder_core.recipes import VARIANTS, Recipe, Variant
from encoder_core.support.number_format import format_number, with_unit_prefix

SCALES = {"none": "× 1", "sqrt_d": "× √d_model", "inv_sqrt_d": "÷ √d_model"}
NORMS = {"post": "post-norm", "pre": "pre-norm"}


def render_sizes(recipe: Recipe, variant: Variant) -> None:
    """Render the sizes of a recipe in one line, with help on how the numbers are drawn."""
    config, example = recipe.config(variant), recipe.example
    count = recipe.num_parameters(variant)
    table = "" if recipe.has_table else " The map counts the table that stands in for the tutorial's random rows, too."
    drawn = (
        "The model's numbers are drawn by NumPy from the seed, not with the tutorial's keys, so they differ from those "
        "that the tutorial prints; rows that compare printed numbers one by one draw them with these keys. Biases have "
        f"a standard deviation of {BIAS_STD:g}; the libraries initialize them to 0.{table}"
    )
    st.markdown(
        f"batch **{example.batch}** · seq **{example.seq}** · d_model **{config.d_model}** · heads "
        f"**{config.num_heads}** · d_head **{config.d_head}** · d_ff **{config.d_ff}** · layers "
        f"**{config.num_layers}** · **{count:,}** parameters = **{count * BYTES_PER_PARAMETER / 2**20:.2f} MiB**"
        + ("" if recipe.has_table else f" (**{sum(parameters_by_part(config).values()):,}** on the map)"),
        help=drawn,
    )


def render_comparison() -> None:
    """Render all recipes side by side, with both values where the variants differ."""
    rows = {name: [cell(recipe) for recipe in RECIPES.values()] for name, cell in _CELLS.items()}
    lines = [f"| | {' | '.join(f'**{name}**' for name in RECIPES)} |", "|:--" * (len(RECIPES) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    st.markdown("\n".join(lines))
    without_table = [name for name, recipe in RECIPES.items() if not recipe.has_table]
    st.caption(
        ":orange[In brackets]: as written in the code, where that differs from the text (in annotated, whose text and "
        "code agree, from the paper). FLOPs are those of the matrix products of one forward pass over the tutorial's "
        "batch; a multiplication and an addition count as two. "
        f"The encoders of {' and '.join(without_table)} read random rows instead of an embedding table: the table that "
        "stands in for these rows in this app is not counted here, but on the map and in the report."
    )


def _config_cell(describe: Callable[[EncoderConfig], str]) -> Callable[[Recipe], str]:
    """A function that writes a cell: the description of the config as intended and, if it differs, as written."""

    def cell(recipe: Recipe) -> str:
        return _both_variants(*(describe(recipe.config(variant)) for variant in VARIANTS))

    return cell


def _activation(config: EncoderConfig) -> str:
    return config.activation + (" after the second linear" if config.activation_after == "second_linear" else "")


def _recipe_cell(describe: Callable[[Recipe, Variant], str]) -> Callable[[Recipe], str]:
    """As `_config_cell`, for a description that depends on more of the recipe than its config."""

    def cell(recipe: Recipe) -> str:
        return _both_variants(*(describe(recipe, variant) for variant in VARIANTS))

    return cell


def _both_variants(intended: str, written: str) -> str:
    return intended if intended == written else f"{intended} :orange[({written})]"


def _flops(recipe: Recipe, variant: Variant) -> int:
    return sum(flops_by_part(recipe.config(variant), recipe.example.seq, recipe.example.batch).values())


_CELLS: dict[str, Callable[[Recipe], str]] = {
    "library": lambda recipe: recipe.library,
    "batch × seq": lambda recipe: f"{recipe.example.batch} × {recipe.example.seq}",
    "d_model": _config_cell(lambda config: str(config.d_model)),
    "heads × d_head": _config_cell(lambda config: f"{config.num_heads} × {config.d_head}"),
    "d_ff": _config_cell(lambda config: str(config.d_ff)),
    "layers": _config_cell(lambda config: str(config.num_layers)),
    "norm": _config_cell(lambda config: NORMS[config.norm] + (" + final" if config.final_norm else "")),
    "norm eps": _config_cell(lambda config: format_number(config.norm_eps)),
    "activation": _config_cell(_activation),
    "positions": _config_cell(lambda config: ENCODINGS[positions_of(config)].label),
    "embedding scale": _config_cell(lambda config: SCALES[config.embedding_scale]),
    "mask": lambda recipe: recipe.example.mask or "none",
    "dropout": _config_cell(lambda config: f"{config.dropout:g}" if config.dropout else "none"),
    "parameters": _recipe_cell(lambda recipe, variant: f"{recipe.num_parameters(variant):,}"),
    "bytes": _recipe_cell(
        lambda recipe, variant: with_unit_prefix(recipe.num_parameters(variant) * BYTES_PER_PARAMETER, "B")
    ),
    "FLOPs": _recipe_cell(lambda recipe, variant: with_unit_prefix(_flops(recipe, variant), "FLOP")),
}
