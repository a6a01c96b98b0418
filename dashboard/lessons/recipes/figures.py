"""The tutorials' figures, each computed from the recipe's model."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import streamlit as st

from dashboard.components.plot import render_plot
from dashboard.lessons.recipes import trained
from dashboard.lessons.recipes.models import demo_model, figure_model
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.view_choice import render_choice
from dashboard.selection.weights_scale import render_weights_toggle, weights_limit
from dashboard.state.choices import RECIPE_FIGURE
from dashboard.theme import current_theme
from encoder_core import RECIPES
from encoder_core.analysis import root_mean_square, self_matches
from encoder_core.figures import HeatmapStyle, heatmap
from encoder_core.recipes import Variant
from encoder_core.scenes import recipes as scenes
from encoder_core.scenes.attention import multi_head
from encoder_core.scenes.inputs import positions
from encoder_core.support.number_format import format_number, format_percent
from encoder_core.support.wording import format_count, numbered

RenderFigure = Callable[[Model], None]


def render_attention(model: Model) -> None:
    """Render the weights of one head, and the weighted values."""
    at = focus.render_focus_controls(model, "token")
    layer = model.trace.layers[0]
    weights, v, z = (x[at.sentence, 0] for x in (layer.pattern, layer.v, layer.z))
    visible = model.trace.mask[at.sentence, 0]
    parts = scenes.attention(weights, visible, v, z, tokens=at.labels, token=at.token, theme=current_theme())
    render_plot(parts, key="recipes_attention")
    matches = self_matches(layer.dot_products[at.sentence, 0], visible)
    uncounted = len(weights) - matches.rows
    st.caption(
        f"Q, K and V are the rows. In **{matches.matches} of {matches.rows}** rows, a token's dot product with itself "
        "is the largest. It need not be: a · b is larger than a · a if the component of b along a is longer than a."
        + (f" Not counted: {format_count(uncounted, 'row')} that can attend to nothing else." if uncounted else "")
    )


def render_heads(model: Model) -> None:
    """Render the weights of all heads of all sentences."""
    at = focus.render_focus_controls(model, "layer", "head")
    layer = model.trace.layers[at.layer]
    parts = multi_head.all_patterns(
        layer.pattern,
        model.trace.mask,
        at,
        title=f"attention weights, layer {at.layer + 1}",
        limit=weights_limit(layer.pattern),
        theme=current_theme(),
    )
    render_plot(parts, key="recipes_heads")
    render_weights_toggle()
    size = multi_head.bin_size(layer.pattern.size)
    st.caption(
        f"{len(layer.pattern)} sentences × {model.config.num_heads} heads; queries down, keys across."
        + ("" if size == 1 else f" Each cell is the largest weight of {size} × {size}.")
    )


def render_input_and_output(model: Model) -> None:
    """Render the input of the first layer and the output of the last."""
    at = focus.render_focus_controls(model, "token")
    before, after = model.trace.embedded[at.sentence], model.trace.output[at.sentence]
    titles = ("input embeddings", f"output of {format_count(model.config.num_layers, 'layer')}")
    render_plot(
        scenes.in_and_out(before, after, titles=titles, tokens=at.labels, token=at.token, theme=current_theme()),
        key="recipes_in_and_out",
    )
    st.caption(f"Standard deviation: **{format_number(before.std(), 3)}** in, **{format_number(after.std(), 3)}** out.")


def render_head_means(model: Model) -> None:
    """Render the weights averaged over the heads, for each layer and sentence."""
    at = focus.render_focus_controls(model, "layer")
    patterns = np.stack([layer.pattern.mean(axis=1) for layer in model.trace.layers])
    visible = np.broadcast_to(model.trace.mask.any(axis=1), patterns.shape)
    names = at.labels if len(patterns[0]) == 1 else tuple(str(number) for number in range(1, len(at.labels) + 1))
    parts = scenes.averages_by_layer(
        patterns, visible, tokens=names, selected=(at.sentence, at.layer), limit=weights_limit(patterns),
        theme=current_theme(),
    )  # fmt: skip
    render_plot(parts, key="recipes_averages")
    render_weights_toggle()
    if model.config.attention_read_out == "input":
        st.caption("As written, every layer reads the encoder's input here, not the output of the previous layer.")


def render_mask(model: Model) -> None:
    """Render which keys are hidden in each sentence."""
    visible = model.trace.mask[:, 0, 0]
    sentences = numbered("sentence", len(visible))
    keys = [str(number) for number in range(1, visible.shape[1] + 1)]
    panel = heatmap(
        np.ones(visible.shape),
        sentences,
        keys,
        title="keys that may be attended to",
        mask=visible,
        style=HeatmapStyle(
            row_axis="sentence",
            column_axis="key",
            kind="weights",
            limit=2.0,
            has_scale=False,
            height=110,
            theme=current_theme(),
        ),
    )
    render_plot([panel], key="recipes_mask")
    st.caption(
        f"Mask of shape ({len(visible)}, 1, {visible.shape[1]}), drawn from the seed: "
        f"**{format_percent((~visible).mean())}** of the keys are hidden (hatched), for every query and head."
    )


def render_logits(model: Model) -> None:
    """Render the logits of the next token, which the vocabulary head computes."""
    at = focus.render_focus_controls(model, "token")
    logits = model.trace.logits
    assert logits is not None, "only recipes with an output head have this figure"
    ids = [str(index) for index in range(logits.shape[-1])]
    render_plot(
        scenes.in_and_out(model.trace.output[at.sentence], logits[at.sentence],
                          titles=("after the final norm", "logits of the next token"), tokens=at.labels,
                          token=at.token, columns=ids, theme=current_theme()),
        key="recipes_logits",
    )  # fmt: skip
    of_all_tokens = model.trace.probabilities
    assert of_all_tokens is not None
    probabilities = of_all_tokens[at.sentence, at.token]
    best = np.argsort(-probabilities)[:3]
    st.caption(
        f"Logits of shape {logits.shape}. After “{escape_token(at.labels[at.token])}” the untrained model predicts "
        + ", ".join(f"**{index}** ({format_percent(probabilities[index], 1)})" for index in best)
        + f"; equal probabilities would be 1/{len(ids)} = {format_percent(1 / len(ids), 1)}."
    )


def render_sinusoids(model: Model) -> None:
    """Render the position encoding, and its dimensions 4 to 7 as curves."""
    at = focus.render_focus_controls(model, "token")
    encoding = model.encoder.position_encoding(model.config.max_len)
    seq = len(at.labels)
    parts = positions.all_positions(
        encoding, (4, 5, 6, 7), at, title="position encoding", seq=seq, theme=current_theme()
    )
    render_plot(parts, key="recipes_sinusoids")
    st.caption("The positions in use are marked at the left, the dimensions of the curves above.")


def render_position_sum(model: Model) -> None:
    """Render embedding + position = sum."""
    at = focus.render_focus_controls(model, "token")
    scaled, embedded = model.trace.scaled_embedding[at.sentence], model.trace.embedded[at.sentence]
    position = model.trace.position_encoding
    parts = positions.position_added(scaled, position, embedded, at, theme=current_theme())
    render_plot(parts, key="recipes_sum")
    st.caption(
        f"On one scale. Root mean square: **{format_number(root_mean_square(scaled), 3)}** of the embedding, "
        f"**{format_number(root_mean_square(position), 3)}** of the positions."
    )


class _Figure(NamedTuple):
    """How to render a figure, and the demo whose model it needs instead of the recipe's, if any."""

    render: RenderFigure
    demo: str | None = None
    of_recipe: bool = True  # not of a trained model


FIGURES: Mapping[str, Mapping[str, _Figure]] = {
    "nnx": {
        "Attention": _Figure(render_attention, "attention"),
        "Heads × sentences": _Figure(render_heads, "multi-head"),
        "Layer: in and out": _Figure(render_input_and_output, "block"),
        "Encoder: in and out": _Figure(render_input_and_output),
        "Average of the heads": _Figure(render_head_means),
    },
    "haiku": {
        "Padding mask": _Figure(render_mask),
        "In and out": _Figure(render_input_and_output),
        "Average of the heads": _Figure(render_head_means),
        "Heads × sentences": _Figure(render_heads),
    },
    "nanolm": {
        "Logits": _Figure(render_logits),
        "In and out": _Figure(render_input_and_output),
        "Heads × sentences": _Figure(render_heads),
    },
    "annotated": {"Embedding + position": _Figure(render_position_sum), "Sinusoids": _Figure(render_sinusoids)},
    "article": {
        trained.DEFAULT_FIGURE: _Figure(render_position_sum),
        "Sinusoids": _Figure(render_sinusoids),
        "Heads × sentences": _Figure(render_heads),
        "In and out": _Figure(render_input_and_output),
        "Analogies": _Figure(trained.render_article_analogies, of_recipe=False),
        "Attention of a word": _Figure(trained.render_word_attention, of_recipe=False),
    },
}


_DEFAULT_FIGURES: Mapping[str, _Figure] = {  # of a recipe that is not in FIGURES
    "In and out": _Figure(render_input_and_output),
    "Average of the heads": _Figure(render_head_means),
    "Heads × sentences": _Figure(render_heads),
}


def render_figures(name: str, variant: Variant, seed: int) -> None:
    """Render a choice of the tutorial's figures, and the chosen one."""
    figures = FIGURES.get(name, _DEFAULT_FIGURES)
    title = render_choice("Figure", list(figures), RECIPE_FIGURE, default=next(iter(figures)), hide_label=True)
    figure, recipe = figures[title], RECIPES[name]
    figure.render(demo_model(name, figure.demo, variant, seed) if figure.demo else figure_model(name, variant, seed))
    if figure.demo:
        st.caption(recipe.demos[figure.demo].description)
    elif figure.of_recipe and recipe.figures_seq:
        st.caption(f"The sentences have {recipe.figures_seq} words here, as in the figure of the tutorial.")
