"""The map: the whole encoder with the current settings. Each part is a small heatmap and a link to its stage."""

from functools import partial

import numpy as np

from dashboard.components.diagram import render_diagram
from dashboard.inspect.depths import NumberTable, render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.full_stack.predictions.output_token import output_head_formula
from dashboard.lessons.map import input_group, layer_group, length_question, output_group, render_cost
from dashboard.lessons.sublayers.edited_residuals import factor_line
from dashboard.lessons.transitions import render_opening
from dashboard.models.recomputed import difference_of
from dashboard.selection import focus
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.explain import recompute
from encoder_core.explain.derivations.embedding import SCALE_SYMBOLS
from encoder_core.parameters.cost import BYTES_PER_PARAMETER, flops_by_part
from encoder_core.scenes.focus import text_slice
from encoder_core.support.number_format import latex_with_shape

current = frame.begin_page()
config, encoder = current.config, current.encoder
batch, seq = current.batch.ids.shape
d_model = config.d_model

render_opening(
    "map",
    current,
    [Shape("tokens", (batch, seq))],
    [
        Shape("output", (batch, seq, d_model)),
        *([Shape("logits", (batch, seq, config.vocab_size))] if config.output_head else []),
    ],
)


def render_body() -> None:
    at = focus.render_focus_controls(current, "layer", "head", badge=render_badge)
    question = length_question(config, seq, batch)
    ask_first(question)
    groups = [
        input_group(current, at.sentence),
        layer_group(current, at.sentence, at.layer, at.head),
        output_group(current, at.sentence),
    ]
    render_diagram(groups, key="map", theme=current_theme())
    parts, flops = encoder.parameters_by_part, flops_by_part(config, seq, batch)
    render_cost(current, parts, flops)
    render_depths(
        {
            "parameters": NumberTable(
                np.array([[count, count * BYTES_PER_PARAMETER] for count in parts.values()]),
                list(parts),
                ["parameters", "bytes"],
                first=None,
            ),
            "FLOPs": NumberTable(np.array([[count] for count in flops.values()]), list(flops), ["FLOP"], first=None),
        },
        formula(),
        [
            blocks.post_norm_layer if config.norm == "post" else blocks.pre_norm_layer,
            *([blocks.output_logits] if config.output_head else []),
        ],
        question,
        inspect_cell(current, at, text_slice("output", at).cell(focus.resolve_focus(current).token, 0)),
    )


def render_badge(at: Focus) -> None:
    """The badge over the cards of the input and of the selected layer."""
    frame.render_recompute_badge(
        lambda: difference_of(current, recompute.input_and_layer, at.layer),
        f"layer {at.layer + 1}",
        f"The stages of the input and of layer {at.layer + 1} are recomputed in 64-bit NumPy, each from the tensors "
        "before it.",
    )


def formula() -> str:
    """The equations of the stack for one sentence, with the final norm and the output head if the model has them, and
    with factors of the residuals that edits change."""
    scale, vocab = config.embedding_scale, config.vocab_size
    stream = partial(latex_with_shape, sizes=(seq, d_model))
    factor = "" if scale == "none" else rf"{SCALE_SYMBOLS[scale]}\;"
    table = latex_with_shape("E", (vocab, d_model), above=True)
    embedding = rf"{factor}{table}[\mathrm{{ids}}]" + ("" if config.positions == "none" else f" + {stream('P')}")
    embedded = _EMBEDDED[config.embedding_norm] % embedding
    around_attention, around_mlp = factor_line("a", current, "attention"), factor_line("f", current, "mlp")
    lines = _FORMULAS[config.norm].replace("<a>", r"a\, " if around_attention else "")
    for symbol in ("x_0", "y", "x_{l+1}"):
        lines = lines.replace(f"{symbol} &", f"{stream(symbol)} &")
    lines = lines.replace("<f>", r"f\, " if around_mlp else "").replace("<x>", embedded)
    output = stream(r"\mathrm{output}")
    end = rf" \\ {output} &= \mathrm{{norm}}(x_L)" if config.final_norm else ""
    if config.output_head:
        end += "" if config.final_norm else rf" \\ {output} &= x_L"
        end += rf" \\ {output_head_formula(config, seq)}"
    return rf"\begin{{aligned}} {lines}{end}{around_attention}{around_mlp} \end{{aligned}}"


# <x>, <a> and <f> stand for the input of the first layer, and for the factors of the residuals around attention and
# feed-forward.
_EMBEDDED = {False: "%s", True: r"\mathrm{norm}(%s)"}
_FORMULAS = {
    "post": r"""x_0 &= <x> \\ y &= \mathrm{norm}(<a>x_l + \mathrm{attention}(x_l)) \\
x_{l+1} &= \mathrm{norm}(<f>y + \mathrm{FFN}(y))""",
    "pre": r"""x_0 &= <x> \\ y &= <a>x_l + \mathrm{attention}(\mathrm{norm}(x_l)) \\
x_{l+1} &= <f>y + \mathrm{FFN}(\mathrm{norm}(y))""",
}

frame.run_as_fragment(render_body)
