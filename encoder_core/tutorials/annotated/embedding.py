"""The rows of the section Embedding: the printed tables, number for number, and the scale."""

import numpy as np

from encoder_core.analysis import root_mean_square
from encoder_core.figures import Line, ThemeName
from encoder_core.inputs.positions import sinusoids
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.annotated.models import (
    NOTEBOOK,
    NOTEBOOK_OF_MARCH_5,
    NOTEBOOK_OF_MARCH_16,
    SEQ,
    VOCAB,
    D,
    embeddings_of_run,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import bar_panel

# The numbers that NumPy prints: rows 1-3 and 98-100, columns 1-3 and 18-20.
PRINTED_MARCH_16 = """\
[[ 0.00881531  0.01145858 -0.0442136  ... -0.03573872  0.03622499
   0.06185519]
 [-0.02964733  0.01290533 -0.09276884 ...  0.06421088 -0.0477102
   0.04761793]
 [ 0.02071862 -0.00026872  0.04888517 ...  0.05003741  0.06048984
  -0.03646948]
 ...
 [-0.020246    0.0312751  -0.01027099 ...  0.0198579  -0.01917169
   0.00367736]
 [ 0.11928734  0.03426114  0.05348063 ...  0.00294668 -0.00699746
   0.04327941]
 [-0.00780651 -0.00029554  0.02707211 ... -0.0541172  -0.05628999
  -0.01496975]]"""
PRINTED_MARCH_5 = """\
[[-0.0322848   0.05868233  0.10417529 ...  0.06455109  0.04813394
   0.07360873]
 [ 0.00426957 -0.01262947  0.01007479 ... -0.09050234  0.00743644
   0.01120917]
 [ 0.00060597  0.04499757 -0.07457425 ...  0.05564927  0.05339404
   0.09623987]
 ...
 [ 0.03571852  0.04928762  0.04179859 ...  0.03035531  0.00036091
  -0.00393461]
 [-0.00223833 -0.07784591  0.06716082 ...  0.01606899  0.0080359
   0.05167094]
 [-0.01754706  0.01652121  0.01451415 ... -0.06777494  0.00777013
   0.05804292]]"""
_CORNERS = np.ix_((0, 1, 2, -3, -2, -1), (0, 1, 2, -3, -2, -1))
_ROWS, _COLUMNS = ("0", "1", "2", "97", "98", "99"), ("0", "1", "2", "17", "18", "19")


def printed_numbers(text: str) -> np.ndarray:
    """The 6 by 6 numbers of a printed table."""
    words = text.replace("[", " ").replace("]", " ").replace("...", " ").split()
    return np.array([float(word) for word in words]).reshape(6, 6)


def _compare(printed: str, run: int, what: str) -> Finding:
    table, theirs = embeddings_of_run(run), printed_numbers(printed)
    ours = table[_CORNERS]
    difference = float(np.abs(ours - theirs).max())

    def draw(theme: ThemeName) -> Line:
        left, right = (
            Matrix(title=title, values=values, row_axis="id", rows=_ROWS, columns=_COLUMNS, show_values=True)
            for title, values in (("printed there", theirs), ("computed here", ours))
        )
        return line_of([left, "=", right], theme=theme)

    return Finding(
        judge(difference < 3e-8),
        f"36 numbers, difference {format_number(difference, 1)}",
        f"All **36** printed numbers were computed again with JAX's generator in NumPy, {what}. The largest difference "
        f"is **{format_number(difference, 1)}**, one or two units of the last printed digit.",
        draw,
    )


def _first_run(_: int) -> Finding:
    return _compare(PRINTED_MARCH_16, 1, "from `jax.random.key(2025)`")


def _fourth_run(_: int) -> Finding:
    return _compare(PRINTED_MARCH_5, 4, "after splitting `master_key` four times")


def _shape(_: int) -> Finding:
    table = embeddings_of_run(1)

    def draw(theme: ThemeName) -> Line:
        return line_of([Matrix(title=f"embeddings {table.shape}", values=table, row_axis="id")], theme=theme)

    return Finding(
        judge(table.shape == (100, 20)),
        f"{table.shape}",
        f"The shape is **{table.shape}**. The input is all ids in order, so row i is the embedding of id i: the output "
        f"is the whole table, divided by √{D}.",
        draw,
    )


def _scale(seed: int) -> Finding:
    table = np.random.default_rng(seed).standard_normal((VOCAB, D)) / np.sqrt(D)
    readings = {"as drawn": table, "÷ √d (code)": table / np.sqrt(D), "× √d (paper)": table * np.sqrt(D)}
    sizes = {name: root_mean_square(values) for name, values in readings.items()}
    positions = root_mean_square(sinusoids(SEQ, D))
    ratios = [positions / size for size in sizes.values()]

    def draw(theme: ThemeName) -> Line:
        return [bar_panel(sizes | {"positions": positions}, title="root mean square", marks=[3], theme=theme)]

    return Finding(
        judge(abs(sizes["× √d (paper)"] - sizes["÷ √d (code)"]) < 1e-6,
              under_condition=abs(sizes["÷ √d (code)"] - 1 / D) < 0.003),
        f"positions are {ratios[1]:.0f} times larger",
        f"The positions have a root mean square of **{positions:.2f}**. They are **{ratios[1]:.1f}** times as large as "
        f"embeddings divided by √{D}, **{ratios[0]:.1f}** times as large as unscaled ones and **{ratios[2]:.2f}** "
        "times as large as embeddings multiplied by it.",
        draw,
        condition="it describes this code: the paper multiplies by √d_model",
    )  # fmt: skip


EMBEDDING_ITEMS = (
    Item(
        "embedding-scale",
        "Three readings of the scale",
        "claim",
        (Quotation("The embeddings are scaled by a factor of 1/√D_model, where D_model is the dimension of the "
                   "embeddings.", NOTEBOOK),
         Quotation("embeddings = nn.Embed(num_embeddings=self.vocab_size, features=self.d_model)(x)\n"
                   "return embeddings / jnp.sqrt(self.d_model)", NOTEBOOK, "code")),
        _scale,
        "linen draws the table with a standard deviation of 1/√d_model. The paper: “In the embedding layers, we "
        "multiply those weights by √d_model” (section 3.4). Then embeddings and positions have similar sizes.",
        "embedding",
        variant="as written",
    ),
    Item(
        "embeddings-printed",
        "The printed embeddings",
        "printed result",
        (Quotation(PRINTED_MARCH_16, NOTEBOOK_OF_MARCH_16, "code"),
         Quotation("embed_key, master_key = jax.random.split(master_key, 2)\n\nx = jnp.arange(0, 100)\n"
                   "embed_layer = SequenceEmbedding(20, 100)\nvars = embed_layer.init(embed_key, x)\n"
                   "embeddings = embed_layer.apply(vars, x)\n\nprint(embeddings)", NOTEBOOK_OF_MARCH_16, "code")),
        _first_run,
        "A key determines the numbers. This is the version of 16 March 2025; the latest one prints only the shape. The "
        "numbers do not depend on the seed of this page.",
        "embedding",
    ),
    Item(
        "embeddings-printed-first",
        "The same cell, other numbers",
        "printed result",
        (Quotation(PRINTED_MARCH_5, NOTEBOOK_OF_MARCH_5, "code"),),
        _fourth_run,
        "The cell assigns `master_key` again each time it is run. These numbers, of 5 March 2025, are those of its "
        "fourth run.",
        "embedding",
    ),
    Item(
        "embeddings-shape",
        "The shape of the embeddings",
        "printed result",
        (Quotation("(100, 20)", NOTEBOOK, "code"), Quotation("print(embeddings.shape)", NOTEBOOK, "code")),
        _shape,
        "100 tokens, 20 numbers each. There is no axis for sentences.",
        "embedding",
    ),
)  # fmt: skip
