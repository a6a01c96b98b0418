"""Claim 1: looking up a row equals multiplying by a one-hot vector, and costs far less."""

from functools import partial

import numpy as np
from jaxtyping import Float, Int

from encoder_core.analysis import one_hot
from encoder_core.experiments.experiment import (
    PROCESSOR_TIME,
    Control,
    Experiment,
    Measurement,
    Option,
    Setup,
    explain_ratio,
    time_calls,
    time_ratio,
    verdict_if,
)
from encoder_core.figures import Line, PanelStyle, ThemeName, curves
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number

VOCABULARIES = (100, 300, 1_000, 3_000, 10_000, 30_000)
_TOKENS, _REPEATS, _SHOWN = 12, 15, 8
_HEIGHT = 300
_FAR_LESS = 5  # the product takes so many times as long, at least


def product_lookup(
    ids: Int[np.ndarray, "seq"], table: Float[np.ndarray, "vocab d_model"]
) -> Float[np.ndarray, "seq d_model"]:
    """The embeddings as a matrix product: one-hot rows times the table."""
    return one_hot(ids, len(table)).astype(table.dtype) @ table


def row_lookup(
    ids: Int[np.ndarray, "seq"], table: Float[np.ndarray, "vocab d_model"]
) -> Float[np.ndarray, "seq d_model"]:
    """The embeddings as a lookup: the rows of the table at these indices."""
    return table[ids]


def useful_share(vocab: int) -> float:
    """The share of the multiplications of one-hot times table in which the factor is 1, not 0: one of `vocab`."""
    return 1 / vocab


def _measure(setup: Setup) -> Measurement:
    vocab, d_model = int(setup["vocab"]), int(setup["d_model"])
    rng = np.random.default_rng(0)
    times = []
    for size in VOCABULARIES:
        table = rng.standard_normal((size, d_model)).astype(np.float32)
        ids = rng.integers(0, size, _TOKENS)
        calls = [partial(function, ids, table) for function in (product_lookup, row_lookup)]
        times.append(time_calls(calls, _REPEATS))
        if size == vocab:
            difference = float(np.abs(product_lookup(ids, table) - row_lookup(ids, table)).max())
    place = VOCABULARIES.index(vocab)
    (product, lookup), ratio = times[place], time_ratio(*times[place])
    share = useful_share(vocab)
    small_ids, small_table = np.array([2, 0, 5, 2]), rng.standard_normal((_SHOWN, 4)).astype(np.float32)

    def draw(theme: ThemeName) -> Line:
        fastest = np.log10(times)[:, :, 0].T
        series = dict(zip(("one-hot × table", "lookup"), fastest, strict=True))
        names = [f"{size:,}" for size in VOCABULARIES]
        return [
            *line_of(
                [
                    Matrix(title="one-hot rows", values=one_hot(small_ids, _SHOWN), kind="weights", column_axis="id"),
                    "·",
                    Matrix(title=f"a table of {_SHOWN} rows", values=small_table, row_axis="id"),
                    "=",
                    Matrix(title="looked-up rows", values=product_lookup(small_ids, small_table)),
                ],
                height=_HEIGHT,
                theme=theme,
            ),
            "|",
            curves(series, names, title=f"time for {_TOKENS} tokens", x_axis="rows of the table", y_axis="log₁₀ of ms",
                   style=PanelStyle(height=_HEIGHT, theme=theme)),
        ]  # fmt: skip

    return Measurement(
        int(np.argmin(np.abs(np.log(share) - np.log([0.5, 1 / d_model, 1 / vocab])))),
        f"the product takes {ratio} times as long as the lookup, for {vocab:,} rows",
        f"For a table of {vocab:,} × {d_model} both give the same rows: the largest difference is **{difference:g}**. "
        f"Of the multiplications, **1 in {round(1 / share):,}** has the factor 1, all others have the factor 0. The "
        f"product with its one-hot rows takes **{format_number(float(product[0]), 3)} ms**, the lookup "
        f"**{format_number(float(lookup[0]), 3)} ms**. {explain_ratio(_REPEATS)}",
        draw,
        verdict_if(difference == 0 and ratio.fastest > _FAR_LESS),
    )


EXPERIMENT = Experiment(
    number=1,
    name="one-hot-lookup",
    title="A lookup is a product with a one-hot vector",
    claim="Looking up a row of the embedding table equals multiplying the table by a one-hot vector, and costs far "
    "less.",
    hypothesis="Both give exactly the same numbers. The time of the product grows with the rows of the table, the time "
    "of the lookup does not.",
    question="In one-hot × table, with {vocab} rows of {d_model} numbers: what share of the multiplications has a "
    "factor other than 0?",
    options=(
        Option("Half of them", "A one-hot vector has a single 1, and zeros everywhere else."),
        Option("1 in {d_model}", "Each number of the looked-up row is a sum over all rows of the table, not over its "
               "columns."),
        Option("1 in {vocab}", "The vector has as many numbers as the table has rows, and one of them is 1."),
    ),
    controls=(
        Control("vocab", "Rows of the table", VOCABULARIES[2:], 30_000, "Size of the vocabulary"),
        Control("d_model", "d_model", (16, 64, 256), 64),
    ),
    measure=_measure,
    limits=f"{PROCESSOR_TIME}, in NumPy on this server, which others use at the same time; it differs from run to run. "
    "Deep-learning libraries compute the lookup, too, and in training only the looked-up rows get a gradient.",
    code=(product_lookup, row_lookup),
    stage="embedding",
    source="The claim stands in most tutorials; nanolm demonstrates it with ten words",
)  # fmt: skip
