"""The rows about the attention weights that the encoder's method get_attention_weights reads out."""

from functools import partial

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of, weight_matrix
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.encoder import claim
from encoder_core.tutorials.nnx.models import ENCODER, encoder_run, variant_run


def _mean_weights(seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The weights averaged over the heads, (batch, query, key) for each block: as read out, and as used."""
    read, used = variant_run(seed, "as written").trace.layers, encoder_run(seed).trace.layers
    return [layer.pattern.mean(1) for layer in read], [layer.pattern.mean(1) for layer in used]


def _extracted(seed: int) -> Finding:
    read, used = variant_run(seed, "as written").trace.layers, encoder_run(seed).trace.layers
    gaps = [float(np.abs(a.pattern - b.pattern).max()) for a, b in zip(read, used, strict=True)]

    def draw(theme: ThemeName) -> Line:
        last = len(read) - 1
        return line_of(
            [
                weight_matrix(title=f"block {last + 1}, head 1, as read out", values=read[last].pattern[0, 0],
                              own_scale=True), "≠",
                weight_matrix(title="as the encoder uses them", values=used[last].pattern[0, 0], own_scale=True), "Δ",
                Matrix(title="read out − used", values=(read[last].pattern - used[last].pattern)[0, 0],
                       row_axis="query", column_axis="key"),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(max(gaps) < 1e-6),
        f"block 1: {format_number(gaps[0], 1)}, block {len(gaps)}: {format_number(gaps[-1], 2)}",
        "The largest difference between the weights that are read out and those that the encoder uses is "
        + ", ".join(f"**{format_number(gap, 2)}** in block {i + 1}" for i, gap in enumerate(gaps))
        + ".",
        draw,
    )


def _interpretable(seed: int) -> Finding:
    read, used = _mean_weights(seed)
    most = [[x[0].argmax(-1) for x in weights] for weights in (read, used)]
    agree = [int((a == b).sum()) for a, b in zip(*most, strict=True)]
    seq = len(most[0][0])

    def draw(theme: ThemeName) -> Line:
        marks = [[(row, int(key)) for row, key in enumerate(keys[-1])] for keys in most]
        return line_of(
            [
                weight_matrix(title="block 3, read out: largest weight outlined", values=read[-1][0], marks=marks[0],
                              own_scale=True),
                "≠",
                weight_matrix(title="block 3, used", values=used[-1][0], marks=marks[1], own_scale=True),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(min(agree) == seq, under_condition=agree[0] == seq),
        f"same largest key: {', '.join(f'{count} of {seq}' for count in agree)}",
        "The key with the largest mean weight is the same in the read-out and in the encoder for "
        + ", ".join(f"**{count} of {seq}** queries in block {i + 1}" for i, count in enumerate(agree))
        + " (sentence 1).",
        draw,
        "the weights are taken while the input passes through the stack",
    )


def _figure(block: int, seed: int) -> Finding:
    read, used = (weights[block] for weights in _mean_weights(seed))
    gap = float(np.abs(read - used).max())

    def draw(theme: ThemeName) -> Line:
        parts: list[Matrix | str] = []
        for sentence in range(2):
            parts += [*(["|"] if parts else []),
                      weight_matrix(title=f"batch {sentence + 1}, as in the tutorial", values=read[sentence],
                                    own_scale=True), "≠"
                      if gap > 1e-6 else "=",
                      weight_matrix(title="as used", values=used[sentence], own_scale=True)]  # fmt: skip
        return line_of([*parts], theme=theme)

    return Finding(
        judge(gap < 1e-6),
        f"difference {format_number(gap, 2)}",
        f"The mean weights that the figure shows for block {block + 1} differ from those that the encoder uses by up "
        f"to **{format_number(gap, 2)}**; equal weights would be 1/16 = {1 / 16:.4f}.",
        draw,
    )


def _figure_item(block: int) -> Item:
    first = "The first block does read the encoder's input, so its figure is right."
    later = (f"The figure shows what block {block + 1} would attend to if it read the encoder's input. In the encoder "
             f"it reads the output of block {block}.")  # fmt: skip
    return Item(
        f"weights-of-block-{block + 1}", f"Attention weights of block {block + 1}", "figure",
        (Quotation(f"Attention Weights - Block {block + 1}", ENCODER),
         Quotation("avg_weights = jnp.mean(weights, axis=1)  # Average over heads (seq_len, seq_len)", ENCODER,
                   "code")),
        partial(_figure, block),
        (later if block else first) + " The mean over four heads is more even than "
        "one head, but with random parameters the largest weight in a row is still two to three times 1/16 on average. "
        "The mean has the shape (batch, seq, seq), which the comment leaves out.",
        "full_stack",
        variant="as written",
    )  # fmt: skip


READ_OUT_ITEMS = (
    claim("interpretability", "Interpretability by attention weights",
          "The ability to extract and visualize attention weights helps in understanding which parts of the input the "
          "model finds most relevant", _interpretable,
          "The weights have to be those that the model uses. Even then, a weight says how much of a value is read, "
          "not how much the output depends on it."),
    Item(
        "extract-weights", "Extracting the weights of each block", "claim",
        (Quotation("Extracts the attention weights from each encoder block.", ENCODER),
         Quotation("for block in self.blocks:\n    _, attention_weight = block.mha(x, mask=mask)", ENCODER, "code")),
        _extracted,
        "The loop calls every block's attention with the same `x`, the input of the encoder. It should go on with "
        "`x = block(x, mask=mask)`. The output of the encoder is not affected.", "full_stack",
        variant="as written",
    ),
    *map(_figure_item, range(3)),
)  # fmt: skip
