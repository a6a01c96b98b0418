"""The rows on embeddings: why a table, and the product with a one-hot vector."""

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import cosines, one_hot
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.models import MODEL, NANOLM

_TOKEN = 2
_DEMO = NANOLM.demos["one-hot"]


def distances(rows: Float[np.ndarray, "row d"]) -> Float[np.ndarray, "pair"]:
    """The Euclidean distances of all pairs of different rows."""
    first, second = np.triu_indices(len(rows), 1)
    return np.linalg.norm(rows[first] - rows[second], axis=1)


def _table(seed: int) -> Float[np.ndarray, "vocab d_model"]:
    return _DEMO.parameters(seed)["token_embedding"]


def _why_embeddings(seed: int) -> Finding:
    table = _table(seed)
    vocab, width = table.shape
    identity = one_hot(np.arange(vocab), vocab)
    apart, in_table = distances(identity), distances(table)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"{name}: cosine of two rows", values=cosines(rows, rows), row_axis="id", column_axis="id",
                       show_values=False)
                for name, rows in (("one-hot", identity), (f"table of {width} columns", table))
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(bool(np.ptp(apart) < 1e-6 < 0.5 < np.ptp(in_table))),
        f"one-hot {apart.mean():.2f}; table {in_table.min():.2f} to {in_table.max():.2f}",
        f"All {len(apart)} distances between two of the {vocab} one-hot vectors are **{apart.mean():.4f}** = √2. "
        f"Between two rows of the table they are **{in_table.min():.2f}** to **{in_table.max():.2f}**, with {width} "
        f"numbers a token instead of {vocab}.",
        draw,
    )


def _one_hot_product(seed: int) -> Finding:
    table = _table(seed)
    hot = one_hot(np.array([_TOKEN]), len(table))
    product = hot @ table
    difference = float(np.abs(product[0] - table[_TOKEN]).max())

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="one-hot of token 2", values=hot, column_axis="id", rows=["2"], show_values=False),
                "·",
                Matrix(title="table", values=table, row_axis="id", marks=[(_TOKEN, None)]),
                "=",
                Matrix(title="its row", values=product, rows=["2"]),
            ],
            theme=theme,
        )

    return Finding(
        judge(difference == 0),
        f"difference {difference:g}",
        f"The one-hot vector has the size **{hot.shape}**, the table **{table.shape}**, the product "
        f"**{product.shape}**. The largest difference from row 2 of the table is **{difference:g}**.",
        draw,
    )


def _comment_sizes(seed: int) -> Finding:
    table = _table(seed)
    sizes = f"{(1, len(table))} · {table.shape}"
    try:
        np.broadcast_shapes((1, 5), (5, 3))
        elementwise = "is possible"
    except ValueError:
        elementwise = "is not possible: 5 and 3 columns do not match"

    def draw(theme: ThemeName) -> Line:
        parts: list[Matrix | str] = []
        for vocab, name in ((5, "comment"), (len(table), "code")):
            parts += [
                *(["≠"] if parts else []),
                Matrix(title=f"{name}: (1, {vocab})", values=one_hot(np.array([_TOKEN]), vocab), column_axis="id",
                       rows=["2"], show_values=False),
                "·",
                Matrix(title=f"({vocab}, 3)", values=table[:vocab], row_axis="id", marks=[(_TOKEN, None)],
                       show_values=False),
            ]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(table.shape == (5, 3)),
        sizes,
        f"The vocabulary of this example has **{len(table)}** tokens, so the sizes of the product are **{sizes}**. An "
        f"elementwise product of the sizes (1, 5) and (5, 3), which `*` is in NumPy, {elementwise}.",
        draw,
    )


EMBEDDING_ITEMS = (
    Item(
        "why-embeddings",
        "Why rows of a table",
        "claim",
        (Quotation("… we first embed our input characters into vector representations.", MODEL),),
        _why_embeddings,
        "One-hot vectors make all tokens equally different, so nothing learned about one token helps with another. "
        "Rows of a table can be close to each other. This table is random, so its similarities mean nothing yet: "
        "training moves the rows.",
        "embedding",
    ),
    Item(
        "one-hot-product",
        "A lookup is a product with a one-hot vector",
        "printed result",
        (Quotation("One-hot demo: vocab 10, d 3, token 2", None),
         Quotation("nn.Embed(self.vocab_size, self.embed_size)(x)", MODEL, "code")),
        _one_hot_product,
        "The zeros remove all other rows, and the 1 keeps row 2 as it is. Libraries read the row directly, without "
        "the product.",
        "embedding",
    ),
    Item(
        "comment-sizes",
        "The sizes in a comment",
        "claim",
        (Quotation("(1,5) * (5,3)", None, "code"),),
        _comment_sizes,
        "The comment would fit a vocabulary of 5 tokens, as in the next example. The result has the size (1, 3) in "
        "both cases, because the size that the factors share disappears. In NumPy and JAX, the product of matrices "
        "is `@`.",
        "embedding",
    ),
)  # fmt: skip
