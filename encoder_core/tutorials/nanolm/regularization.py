"""The rows on norms and dropout, and on the generation of text."""

from functools import lru_cache

import numpy as np
from jaxtyping import Float, Int

from encoder_core.analysis import relative_change, root_mean_square
from encoder_core.figures import Line, MosaicStyle, PanelStyle, ThemeName, TileGrid, curves, mosaic
from encoder_core.figures.axis import AxisMeaning
from encoder_core.scenes.items import HEIGHT, Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.data import visible_name
from encoder_core.tutorials.nanolm.forward import CONFIG, embed, forward
from encoder_core.tutorials.nanolm.models import (
    HYPERPARAMETERS,
    MODEL,
    VOCABULARY,
    decode,
    dropout_masks,
    parameters_of,
    runs,
    text_batch,
)

FLAX = "https://github.com/google/flax/blob/v0.12.8/flax/linen/attention.py"
_FACTOR = 2.0
_STEPS = 6


def _norm_and_dropout(seed: int) -> Finding:
    parameters, x = parameters_of(seed), text_batch(seed).x[:1]
    embedded = embed(parameters, x)
    runs_by_name = {
        name: forward(parameters, embedded, norm=norm, kernel_factor=_FACTOR)
        for name, norm in (("with norms", True), ("without norms", False))
    }
    sizes = {name: np.array([root_mean_square(b.resid_post) for b in run.blocks]) for name, run in runs_by_name.items()}
    growth = {name: float(values[-1] / values[0]) for name, values in sizes.items()}
    masks = dropout_masks(seed, 1, 10, shared=True)
    noise = relative_change(runs(seed).text.logits[:1], forward(parameters, embedded, dropout=masks).logits)

    def draw(theme: ThemeName) -> Line:
        logarithms = {name: np.log10(values) for name, values in sizes.items()}
        return [
            curves(logarithms, [str(layer + 1) for layer in range(CONFIG.num_layers)],
                   title="size of the stream, log₁₀", x_axis="after block", y_axis="log₁₀ of the root mean square",
                   style=PanelStyle(height=HEIGHT, theme=theme))
        ]  # fmt: skip

    with_norms, without = growth["with norms"], growth["without norms"]
    return Finding(
        judge(with_norms < 10 < 1000 < without and noise < 0.01, under_condition=with_norms < 10 < 1000 < without),
        f"×{with_norms:.1f}; without norms ×{format_number(without, 1)}",
        f"The kernels of values, outputs and feed-forward networks are multiplied by {_FACTOR:g}, as if training had "
        "made them larger. From the first block to the last, the stream grows by the factor "
        f"**{with_norms:.1f}** with norms and **{format_number(without, 1)}** without. Dropout changes the logits by "
        f"**{noise:.0%}** of their length.",
        draw,
        condition="it is said of the norms; dropout adds noise",
    )


def _shared_dropout_mask(seed: int) -> Finding:
    pattern = runs(seed).ids.blocks[0].pattern[:2]
    masks = {shared: dropout_masks(seed, 2, 10, shared=shared) for shared in (True, False)}
    kept = {shared: np.broadcast_to(mask.pattern[0], pattern.shape) for shared, mask in masks.items()}
    visible = np.tri(10, dtype=bool)
    same = {shared: float((~mask)[:, :, visible].all(axis=(0, 1)).mean()) for shared, mask in kept.items()}
    training = np.where(kept[True], pattern / np.float32(1 - CONFIG.dropout), 0)
    sums = training.sum(axis=-1)

    def draw(theme: ThemeName) -> Line:
        names = [str(number + 1) for number in range(10)]
        grid = TileGrid(["sentence 1", "2"], [str(head + 1) for head in range(4)], "sentence", "head")
        style = MosaicStyle(limit=1.0, height=HEIGHT, title_colour="attention", theme=theme)
        return [
            mosaic(pattern[:, :4], grid, names, names, title=title, mask=(kept[shared] & visible)[:, :4], style=style)
            for shared, title in ((True, "one mask, as in linen"), (False, "a mask for each head"))
        ]

    return Finding(
        judge(same[True] > 0 and same[False] == 0),
        f"{same[True]:.0%} dropped in all heads",
        f"With one mask, **{same[True]:.0%}** of the visible weights are 0 in all {CONFIG.num_heads} heads of both "
        f"sentences at once; with a mask for each head, **{same[False]:.0%}** are. The others are multiplied by 1 / (1 "
        f"− {CONFIG.dropout:g}) = {1 / (1 - CONFIG.dropout):g}, so a row's sum is from **{sums.min():.2f}** to "
        f"**{sums.max():.2f}**.",
        draw,
    )


@lru_cache(maxsize=2)
def generated(seed: int) -> tuple[Int[np.ndarray, "context window"], Float[np.ndarray, "step vocab"]]:
    """The contexts before each step of generation, the last one after it, and the logits of each step.

    A window of 10 ids begins with newlines (id 0), and each drawn id moves it by one. Only the 65 ids of characters are
    drawn.
    """
    parameters, rng = parameters_of(seed), np.random.default_rng(seed)
    contexts, steps = [np.zeros(10, np.int32)], []
    for _ in range(_STEPS):
        logits = forward(parameters, embed(parameters, contexts[-1][None])).logits[0, -1, : len(VOCABULARY)]
        drawn = int((logits + rng.gumbel(size=len(logits))).argmax())
        contexts.append(np.append(contexts[-1][1:], np.int32(drawn)))
        steps.append(logits)
    return np.array(contexts), np.array(steps)


def _generate(seed: int) -> Finding:
    contexts, logits = generated(seed)
    shifted = bool((contexts[1:, :-1] == contexts[:-1, 1:]).all())
    change = relative_change(logits[0], logits[-1])
    text = decode(contexts[-1, -_STEPS:])

    def draw(theme: ThemeName) -> Line:
        new = np.arange(10) >= 10 - np.arange(len(contexts))[:, None]
        written = "".join(map(visible_name, text))
        rows = ["newlines", *(written[:count] for count in range(1, len(contexts)))]
        return line_of(
            [
                Matrix(title="the window of 10, step by step", values=new.astype(float),
                       kind="weights", rows=rows, row_axis=AxisMeaning("row", ""), column_axis="position",
                       show_values=False)
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(not shifted, under_condition=shifted and change > 0.01),
        f"{_STEPS} characters in {_STEPS} passes",
        f"**{_STEPS}** passes of the untrained model generate **{_STEPS}** characters: "
        f"`{''.join(map(visible_name, text))}`. The logits of the last step differ from those of the first by "
        f"**{change:.0%}**, because the window has changed. The window here has 10 places, in the notebook 64.",
        draw,
        condition="the text is no longer than the window of 64 characters",
    )


REGULARIZATION_ITEMS = (
    Item(
        "norm-and-dropout",
        "Norms and dropout for stability",
        "claim",
        (Quotation("Normalization and dropout (for regularization) are used within the layers to improve training "
                   "stability.", MODEL),),
        _norm_and_dropout,
        "With norms, every sublayer reads rows of the same size, so the blocks add to the stream. Without them, each "
        "block multiplies what the block before has multiplied. This shows the size of the numbers that training has "
        "to deal with; training itself is not measured here.",
        "add_and_norm",
    ),
    Item(
        "shared-dropout-mask",
        "One dropout mask for all heads",
        "claim",
        (Quotation("# dropout is broadcast across the batch + head dimensions", FLAX, "code"),
         Quotation("# @markdown Rate for dropout in the transformer model\nDROPOUT_RATE = 0.2", HYPERPARAMETERS,
                   "code")),
        _shared_dropout_mask,
        "Flax linen does this unless `broadcast_dropout=False`: a dropped pair of query and key is dropped in every "
        "head and sentence of the batch. Training mode on the other pages draws a mask for each head. In this model, "
        "dropout is applied to the attention weights and to the hidden numbers of the feed-forward network only.",
        "softmax",
    ),
    Item(
        "generate",
        "One character at a time",
        "claim",
        (Quotation("It iteratively generates one character at a time, conditioned on the previously generated text.",
                   MODEL),
         Quotation("context = jnp.concatenate([context[:, 1:], new_token], axis=1)", MODEL, "code")),
        _generate,
        "In the figure, generated characters are dark. The context begins with newlines, the id 0, and each new "
        "character pushes the oldest one out. A character that has left the window has no effect any more. Each step "
        "computes the logits of all positions and uses the last.",
        "full_stack",
    ),
)  # fmt: skip
