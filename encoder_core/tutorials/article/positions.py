"""The rows of the section Positional Encodings."""

import numpy as np
from jaxtyping import Float

from encoder_core.experiments.shuffle import shuffle_effect, without_positions
from encoder_core.figures import Line, ThemeName
from encoder_core.inputs.positions import sinusoids
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.article.models import (
    EMBEDDING_MODULE,
    T,
    article_encoder,
    article_run,
    bar_panel,
    words,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge

ROWS = 20  # of the published figure
WRITTEN: Float[np.ndarray, "position d_model"] = sinusoids(ROWS, 64, "interleaved", "dimensions")
PAPER: Float[np.ndarray, "position d_model"] = sinusoids(ROWS, 64, "interleaved", "pairs")
LEAST_CHANGE = 0.1  # a column that changes by less than this over all rows looks constant


def moving_columns(encoding: Float[np.ndarray, "position d_model"]) -> int:
    """The number of columns that do not look constant."""
    return int((np.ptp(encoding, axis=0) > LEAST_CHANGE).sum())


def encoding_matrix(title: str, values: np.ndarray) -> Matrix:
    return Matrix(title=title, values=values, row_axis="position", rows=[str(row) for row in range(len(values))])


def _no_position(seed: int) -> Finding:
    encoder, ids = article_encoder(seed), article_run(seed).trace.ids
    assert ids is not None
    order = np.random.default_rng(seed).permutation(10)
    changes = [shuffle_effect(each, ids[0], order) for each in (without_positions(encoder), encoder)]

    def draw(theme: ThemeName) -> Line:
        titles = "without positions", "with positions"
        return [
            bar_panel(change, words(seed), f"change of each word's output, {title}", theme)
            for title, change in zip(titles, changes, strict=True)
        ]

    return Finding(
        judge(changes[0].max() < 1e-3 < 0.1 < changes[1].max()),
        f"change {format_number(changes[0].max(), 1)} without positions",
        "When the ten words are shuffled, the output of each word changes by at most "
        f"**{format_number(changes[0].max(), 1)}** without positional encodings, and by up to "
        f"**{format_number(changes[1].max(), 2)}** with them.",
        draw,
    )


def _alternating(seed: int) -> Finding:
    trace = article_run(seed).trace
    encoding, dimension = trace.position_encoding, np.arange(64)
    angles = np.arange(10)[:, None] / 10_000.0 ** (2 * dimension / 64)
    error = max(np.abs(encoding[:, ::2] - np.sin(angles[:, ::2])).max(),
                np.abs(encoding[:, 1::2] - np.cos(angles[:, 1::2])).max())  # fmt: skip

    def draw(theme: ThemeName) -> Line:
        sines, cosines_ = (Matrix(title=title, values=encoding[:, start::2], row_axis="position",
                                  columns=[str(d) for d in dimension[start::2]])
                           for title, start in (("even dimensions: sine", 0), ("odd dimensions: "
                                                                               "cosine", 1)))  # fmt: skip
        return line_of([sines, "|", cosines_], theme=theme)

    return Finding(
        judge(error < 1e-5 and encoding.shape[1] == trace.token_embedding.shape[-1]),
        "64 dimensions, 32 sines",
        f"Even dimensions are sines and odd ones cosines, to **{format_number(error, 1)}**; an encoding has "
        f"**{encoding.shape[1]}** numbers, like a word embedding.",
        draw,
    )


def _paper_formula(seed: int) -> Finding:
    difference = np.abs(WRITTEN[:10] - PAPER[:10]).max()

    def draw(theme: ThemeName) -> Line:
        formula = encoding_matrix("exponent 2i, i = pair (formula)", PAPER)
        return line_of([formula, "≠", encoding_matrix("exponent 2·dim (code)", WRITTEN)], theme=theme)

    return Finding(
        judge(difference < 1e-5),
        f"largest difference {difference:.2f}",
        f"The largest difference between formula and code is **{difference:.2f}** in ten rows. Over {ROWS} rows, "
        f"**{moving_columns(PAPER)}** of 64 columns of the formula change by more than {LEAST_CHANGE}, and "
        f"**{moving_columns(WRITTEN)}** of the code.",
        draw,
    )


def _first_row(seed: int) -> Finding:
    encodings = {"code": WRITTEN, "formula": PAPER}
    alternates = [np.array_equal(encoding[0], np.arange(64) % 2) for encoding in encodings.values()]

    def draw(theme: ThemeName) -> Line:
        rows = np.stack([encoding[0, :16] for encoding in encodings.values()])
        return line_of(
            [Matrix(title="row 0, dimensions 0 to 15", values=rows, row_axis="row", rows=list(encodings))], theme=theme
        )

    numbers = ", ".join(f"{number:g}" for number in WRITTEN[0, :6])
    return Finding(
        judge(all(alternates)),
        f"{numbers}, …",
        f"The first row is **{numbers}, …** to dimension 63, exactly: sin 0 = 0 and cos 0 = 1. It is the same in the "
        "formula and in the code.",
        draw,
    )


POSITION_ITEMS = (
    Item(
        "no-position",
        "Attention does not know positions",
        "claim",
        (Quotation("As opposed to recurrent neural nets, Transformers can’t infer the position of a token given a "
                   "shared hidden state as they lack recurrent or convolutional structures.", T),),
        _no_position,
        "Without positions and without a mask, a shuffled sentence has the same outputs in the shuffled order. A "
        "causal mask would tell positions apart.",
        "positions",
    ),
    Item(
        "alternating",
        "Sines and cosines alternate",
        "claim",
        (Quotation("each token is assigned a positional vector composed of alternating sine and cosine values. Those "
                   "vectors match the dimensionality of word embeddings so that both can be summed.", T),),
        _alternating,
        "This holds in both variants: they differ in the angle, not in the function of a dimension.",
        "positions",
    ),
    Item(
        "paper-formula",
        "The formula and the code",
        "claim",
        (Quotation(r"PE_{pos, 2i} = sin(pos/10000^{2i / d_{model}})", T, "formula"),
         Quotation(r"PE_{pos, 2i+1} = cos(pos/10000^{2i / d_{model}})", T, "formula"),
         Quotation("jnp.sin(pos / (jnp.power(10_000, 2 * dim / self.embed_dim)))", EMBEDDING_MODULE, "code")),
        _paper_formula,
        "In the formula i counts pairs of dimensions, 0 to 31. The code inserts the dimension, 0 to 63, so the angles "
        "fall twice as fast. The article's figure shows the code's encoding.",
        "positions",
        variant="as written",
    ),
    Item(
        "first-row",
        "The first row: 0, 1, 0, 1, …",
        "claim",
        (Quotation("Let’s take a look at the first row of the uppermost plot, we can see alternating sequences of "
                   "zeros and ones.", T),
         Quotation("the previous equations return sin(0)=0 for even embedding dimensions and cos(0)=1 for odd "
                   "dimensions.", T)),
        _first_row,
        "At position 0 every angle is 0, whatever the frequency.",
        "positions",
    ),
)  # fmt: skip
