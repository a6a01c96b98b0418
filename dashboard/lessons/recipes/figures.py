"""The tutorials' own figures, each drawn from the recipe's model: recipe -> title -> what draws it."""

from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st

from dashboard.components.plot import plot
from dashboard.lessons.recipes import trained
from dashboard.lessons.recipes.models import demo_model, figure_model
from dashboard.markdown import plain
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.view_choice import choice
from dashboard.selection.weights_scale import weights_limit
from dashboard.state.choices import RECIPE_FIGURE
from dashboard.theme import current_theme
from encoder_core.analysis import root_mean_square, self_matches
from encoder_core.figures import heatmap
from encoder_core.recipes import Variant
from encoder_core.scenes import multi_head, positions
from encoder_core.scenes import recipes as scenes

Draw = Callable[[Model], None]


def attention(model: Model) -> None:
    """Weights of one head, and the values that they weigh."""
    at = focus.pick(model, "token")
    layer = model.trace.layers[0]
    weights, v, z = (x[at.sentence, 0] for x in (layer.pattern, layer.v, layer.z))
    visible = model.trace.mask[at.sentence, 0]
    parts = scenes.attention(weights, visible, v, z, tokens=at.labels, token=at.token, theme=current_theme())
    plot(parts, key="recipes_attention")
    found = self_matches(layer.dot_products[at.sentence, 0], visible)
    alone = len(weights) - found.rows
    st.caption(
        f"Q = K = V: the rows themselves. In **{found.matches} of {found.rows}** rows, a token's dot product with "
        "itself is the largest. It need not be: a · b is larger than a · a where b is long enough in the direction of "
        "a." + (f" Not counted: {alone} row{'s' * (alone > 1)} that can attend to nothing else." if alone else "")
    )


def heads(model: Model) -> None:
    """The weights of all heads of all sentences."""
    at = focus.pick(model, "layer", "head")
    area = st.container()
    layer = model.trace.layers[at.layer]
    parts = multi_head.all_patterns(
        layer.pattern, model.trace.mask, at, title=f"attention weights, block {at.layer + 1}", tokens=at.labels,
        limit=weights_limit(layer.pattern), theme=current_theme(),
    )  # fmt: skip
    with area:
        plot(parts, key="recipes_heads")
    size = multi_head.block_of(layer.pattern.size)
    st.caption(
        f"{len(layer.pattern)} sentences × {model.config.num_heads} heads; queries down, keys across."
        + ("" if size == 1 else f" Each cell is the largest weight of {size} × {size}.")
    )


def in_and_out(model: Model) -> None:
    """What goes into the first block, and what comes out of the last."""
    at = focus.pick(model, "token")
    before, after = model.trace.embedded[at.sentence], model.trace.output[at.sentence]
    titles = ("input embeddings", f"output of {model.config.num_layers} block{'s' * (model.config.num_layers > 1)}")
    plot(
        scenes.in_and_out(before, after, titles=titles, tokens=at.labels, token=at.token, theme=current_theme()),
        key="recipes_in_and_out",
    )
    st.caption(f"Standard deviation: **{before.std():.3g}** in, **{after.std():.3g}** out.")


def averages(model: Model) -> None:
    """The weights averaged over the heads, by block and sentence."""
    at = focus.pick(model, "layer")
    area = st.container()
    patterns = np.stack([layer.pattern.mean(axis=1) for layer in model.trace.layers])
    visible = np.broadcast_to(model.trace.mask.any(axis=1), patterns.shape)
    names = at.labels if len(patterns[0]) == 1 else tuple(str(place + 1) for place in range(len(at.labels)))
    parts = scenes.averages_by_block(
        patterns, visible, tokens=names, selected=(at.sentence, at.layer), limit=weights_limit(patterns),
        theme=current_theme(),
    )  # fmt: skip
    with area:
        plot(parts, key="recipes_averages")
    if model.config.attention_read_out == "input":
        st.caption("As written: every block reads the encoder's input here, not what the block before it gave.")


def mask(model: Model) -> None:
    """Which keys are hidden in each sentence."""
    hidden = model.trace.mask[:, 0, 0]
    sentences = [f"sentence {i + 1}" for i in range(len(hidden))]
    places = [str(place + 1) for place in range(hidden.shape[1])]
    shown = heatmap(np.ones(hidden.shape), sentences, places, title="keys that may be attended to",
                    row_axis="sentence", column_axis="key", kind="weights", limit=2.0, mask=hidden, height=110,
                    theme=current_theme())  # fmt: skip
    plot([shown], key="recipes_mask")
    st.caption(
        f"Mask of shape ({len(hidden)}, 1, {hidden.shape[1]}), drawn from the seed: **{(~hidden).mean():.0%}** of the "
        "keys are hidden (hatched), for every query and head alike."
    )


def logits(model: Model) -> None:
    """What the vocabulary head says about the next token."""
    at = focus.pick(model, "token")
    found = model.trace.logits
    assert found is not None, "this figure is of a recipe with an output head"
    ids = [str(index) for index in range(found.shape[-1])]
    plot(
        scenes.in_and_out(model.trace.output[at.sentence], found[at.sentence],
                          titles=("after the final norm", "logits of the next token"), tokens=at.labels,
                          token=at.token, columns=ids, theme=current_theme()),
        key="recipes_logits",
    )  # fmt: skip
    row = found[at.sentence, at.token].astype(float)
    share = np.exp(row - row.max()) / np.exp(row - row.max()).sum()
    best = np.argsort(-share)[:3]
    st.caption(
        f"Logits of shape {found.shape}. After “{plain(at.labels[at.token])}” the untrained model predicts "
        + ", ".join(f"**{index}** ({share[index]:.1%})" for index in best)
        + f"; equal probabilities would be 1/{len(row)} = {1 / len(row):.1%}."
    )


def sinusoids(model: Model) -> None:
    """The position encoding, and dimensions 4 to 7 as curves."""
    at = focus.pick(model, "token")
    encoding = model.encoder.position_encoding(model.config.max_len)
    seq = len(at.labels)
    parts = positions.all_positions(
        encoding, (4, 5, 6, 7), at, title="position encoding", seq=seq, theme=current_theme()
    )
    plot(parts, key="recipes_sinusoids")
    st.caption("Positions in use are marked at the left, the dimensions drawn as curves above.")


def position_sum(model: Model) -> None:
    """Embedding + position = sum."""
    at = focus.pick(model, "token")
    scaled, embedded = model.trace.scaled_embedding[at.sentence], model.trace.embedded[at.sentence]
    position = model.trace.position_encoding
    parts = positions.position_added(scaled, position, embedded, at, tokens=at.labels, theme=current_theme())
    plot(parts, key="recipes_sum")
    st.caption(
        f"On one scale. Root mean square: **{root_mean_square(scaled):.3g}** of the embedding, "
        f"**{root_mean_square(position):.3g}** of the positions."
    )


FIGURES: Mapping[str, Mapping[str, tuple[Draw, str | None]]] = {
    "nnx": {
        "Attention": (attention, "attention"),
        "Heads × sentences": (heads, "multi-head"),
        "Block: in and out": (in_and_out, "block"),
        "Encoder: in and out": (in_and_out, None),
        "Average of the heads": (averages, None),
    },
    "haiku": {
        "Padding mask": (mask, None),
        "In and out": (in_and_out, None),
        "Average of the heads": (averages, None),
        "Heads × sentences": (heads, None),
    },
    "nanolm": {"Logits": (logits, None), "In and out": (in_and_out, None), "Heads × sentences": (heads, None)},
    "annotated": {"Embedding + position": (position_sum, None), "Sinusoids": (sinusoids, None)},
    "article": {
        trained.FIRST: (position_sum, None),
        "Sinusoids": (sinusoids, None),
        "Heads × sentences": (heads, None),
        "In and out": (in_and_out, None),
        "Analogies": (trained.analogies, None),
        "Attention of a word": (trained.attention_of_word, None),
    },
}


def show(name: str, variant: Variant, seed: int) -> None:
    """A choice of the tutorial's figures, and the one that is chosen."""
    figures = FIGURES[name]
    title = choice("Figure", list(figures), RECIPE_FIGURE, default=next(iter(figures)), silent=True)
    draw, demo = figures[title]
    draw(demo_model(name, demo, seed) if demo else figure_model(name, variant, seed))
