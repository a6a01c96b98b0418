"""The rows of the section Positional Encoding, with its chart."""

import numpy as np

from encoder_core.analysis import similarity_by_distance
from encoder_core.figures import Line, ThemeName
from encoder_core.inputs.dropout import apply_dropout
from encoder_core.scenes.inputs import positions as position_scenes
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.annotated.models import NOTEBOOK, SEQ, D, encoder, encodings
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts


def _absolute(_: int) -> Finding:
    encoding = encodings()[0].astype(float)
    dots = encoding @ encoding.T
    low, mean, high = similarity_by_distance(dots)
    spread = float((high - low).max())

    def draw(theme: ThemeName) -> Line:
        return position_scenes.similarity(dots.astype(np.float32), theme=theme)

    return Finding(
        judge(not np.allclose(encoding[1:], encoding[:-1]) and spread < 1e-4),
        "100 different rows",
        f"Each of the **{SEQ}** positions has its own row. The dot product of two rows depends on their distance only: "
        f"for one distance, all dot products are equal to within {format_number(spread, 1)}. It falls from "
        f"**{mean[1]:.1f}** (distance 1) to **{mean[10]:.1f}** (distance 10).",
        draw,
    )


def _shuffle(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The outputs of 12 tokens without positions, those of the shuffled tokens, and the order."""
    rng = np.random.default_rng(seed)
    x, order = rng.standard_normal((1, 12, D)).astype(np.float32), rng.permutation(12)
    block = encoder(seed)
    return block.trace(x).output[0], block.trace(x[:, order]).output[0], order


def _no_position(seed: int) -> Finding:
    output, shuffled, order = _shuffle(seed)
    error = float(np.abs(shuffled - output[order]).max())

    def draw(theme: ThemeName) -> Line:
        names = [str(i + 1) for i in range(12)]
        parts: Parts = [Matrix(title="output", values=output, rows=names), "→",
                        Matrix(title="output of the shuffled tokens", values=shuffled,
                               rows=[names[i] for i in order])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(error < 1e-4),
        f"difference {format_number(error, 1)}",
        "Without positions, the outputs of 12 shuffled tokens are the shuffled outputs, to within "
        f"**{format_number(error, 1)}**.",
        draw,
    )


def _random_correlations(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    words = rng.standard_normal((3, D))
    q, k = words @ (rng.standard_normal((2, D, D)) / np.sqrt(D))
    scores = q @ k.T / np.sqrt(D)
    order = [2, 1, 0]
    reversed_scores = q[order] @ k[order].T / np.sqrt(D)
    difference = float(np.abs(reversed_scores - scores[np.ix_(order, order)]).max())

    def draw(theme: ThemeName) -> Line:
        first, second = ["dog", "bites", "man"], ["man", "bites", "dog"]
        parts: Parts = [
            Matrix(title="scores of “dog bites man”", values=scores, rows=first, columns=first, row_axis="query",
                   column_axis="key"), "",
            Matrix(title="scores of “man bites dog”", values=reversed_scores, rows=second,
                   columns=second, row_axis="query", column_axis="key")]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(difference > 1e-9),
        "same score for the same words",
        "The score of “dog” and “bites” is the same in both sentences: the largest difference of the nine scores is "
        f"**{format_number(difference, 1)}**. Nothing about it is random; it depends on the two words only.",
        draw,
    )


def _shapes(_: int) -> Finding:
    position = np.arange(SEQ)[:, None]
    factor = np.exp(np.arange(0, D, 2) * (-np.log(np.array([1.0e4])) / D))
    product = position * factor
    reshaped = encodings().shape

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title=f"position {position.shape}", values=position.astype(float), row_axis="position",
                               own_scale=True, show_values=False), "·",
                        Matrix(title=f"factor ({len(factor)},)", values=factor[None], rows=[""], row_axis="row",
                               own_scale=True, show_values=False), "=",
                        Matrix(title=f"product {product.shape}", values=product, row_axis="position",
                               own_scale=True)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(position.shape == (100, 1) and product.shape == (100, 10) and reshaped == (1, 100, 20)),
        f"{position.shape}, {reshaped}",
        f"`position` has the shape **{position.shape}**; its product with {len(factor)} factors has "
        f"**{product.shape}**. The reshaped encoding and the input have **{reshaped}**: 1, max_len, d_model.",
        draw,
    )


def _odd_and_even(_: int) -> Finding:
    encoding = encodings()[0]
    sines = np.flatnonzero(encoding[0] == 0)  # position 0: sin 0 = 0 and cos 0 = 1

    def draw(theme: ThemeName) -> Line:
        rows = [str(i) for i in range(12)]
        parts: Parts = [Matrix(title="0::2, sines", values=encoding[:12, 0::2], row_axis="position", rows=rows,
                               columns=[str(i) for i in range(0, D, 2)]), "",
                        Matrix(title="1::2, cosines", values=encoding[:12, 1::2], row_axis="position", rows=rows,
                               columns=[str(i) for i in range(1, D, 2)])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(not (sines % 2 == 0).all()),
        "0::2 selects columns",
        f"`encoding[:, 0::2]` selects **{len(sines)}** columns, the even dimensions, for all {SEQ} positions. "
        "Odd and even positions are treated alike.",
        draw,
    )


def _dropout(seed: int) -> Finding:
    encoding = encodings()[0]
    never = apply_dropout(encoding, None, 1 / 0.9)  # deterministic=True
    kept = np.random.default_rng(seed).random(encoding.shape) >= 0.1
    intended = apply_dropout(encoding, kept, 1 / 0.9)
    changed, dropped = int((never != encoding).sum()), int((~kept).sum())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="as written: nothing is dropped", values=never[:24]), "≠",
                        Matrix(title="dropout at rate 0.1", values=intended[:24], mask=kept[:24])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(changed > 0),
        f"{changed} of {encoding.size} numbers change",
        f"With `deterministic=True`, **{changed}** of {encoding.size:,} numbers change. Dropout at the default rate of "
        f"0.1 drops **{dropped}** of them here.",
        draw,
    )


POSITION_ITEMS = (
    Item(
        "absolute-encoding",
        "Absolute position encoding",
        "claim",
        (Quotation('The original Transformer paper implemented an "Absolute Position Encoding".', NOTEBOOK),),
        _absolute,
        "The rows are absolute: each belongs to one position. The paper chose sinusoids because relative positions can "
        "be computed from them (section 3.5).",
        "positions",
    ),
    Item(
        "no-sense-of-position",
        "No recurrence, no position",
        "claim",
        (Quotation("Transformer doesn't have recurrence. As a result, it lacks the sense of position in a sequence",
                   NOTEBOOK),),
        _no_position,
        "Without positions and without a causal mask, a block treats its tokens as a set.",
        "positions",
    ),
    Item(
        "random-correlations",
        "Random correlations",
        "claim",
        (Quotation("(also self attention compares a sequence against itself and no positional awareness will make it "
                   "learn random correlations between the elements or tokens)", NOTEBOOK),),
        _random_correlations,
        "Without positions, attention can learn which words belong together, but not their order.",
        "positions",
    ),
    Item(
        "shape-comments",
        "The comments on shapes",
        "claim",
        (Quotation("# must be in the shape max_len, 1", NOTEBOOK, "code"), Quotation("# reshape", NOTEBOOK, "code"),
         Quotation("# input in the shape: 1, max_len, d_model", NOTEBOOK, "code")),
        _shapes,
        "A column times a row gives one angle for each position and each pair of dimensions.",
        "positions",
    ),
    Item(
        "odd-and-even",
        "Odd and even positions",
        "claim",
        (Quotation("# encoding for odd and even positions\n# even, 0::2\n"
                   "encoding[:, 0::2] = np.sin(position * factor)\n# odd, 1::2\n"
                   "encoding[:, 1::2] = np.cos(position * factor)", NOTEBOOK, "code"),),
        _odd_and_even,
        "The comment should say dimensions: the first axis is the position, and its slice is `:`.",
        "positions",
    ),
    Item(
        "apply-dropout",
        "Dropout that never drops",
        "claim",
        (Quotation("# apply dropout\nencoded_x = nn.Dropout(self.dropout, deterministic=True)(encoded_x)", NOTEBOOK,
                   "code"),),
        _dropout,
        "`deterministic=True` is evaluation mode. The same argument stands in the attention and feed-forward layers, "
        "so no layer of the notebook ever drops a number.",
        "positions",
        variant="as written",
    ),
)  # fmt: skip
