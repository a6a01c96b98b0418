"""The rows of the section Embedding Layer: the exercise, its solution and its test."""

import numpy as np

from encoder_core.analysis import one_hot, root_mean_square
from encoder_core.figures import Line, ThemeName
from encoder_core.figures.axis import AxisMeaning
from encoder_core.inputs.positions import sinusoids
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.haiku.draws import IDS
from encoder_core.tutorials.haiku.models import EMBEDDING, TOKENS, D
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts

VOCAB = 100


def _table(seed: int) -> np.ndarray:
    """A table like that of hk.Embed: normal numbers, those beyond 2 drawn again."""
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((VOCAB, D))
    while (outside := np.abs(table) > 2).any():
        table[outside] = rng.standard_normal(int(outside.sum()))
    return table.astype(np.float32)


def _lookup(seed: int) -> Finding:
    table = _table(seed)
    product = one_hot(IDS, VOCAB) @ table
    error = float(np.abs(product - table[IDS]).max())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="one-hot: 4, 1, 0", values=one_hot(IDS, VOCAB)[0][:, :8], kind="weights",
                               column_axis="id", show_values=False), "·",
                        Matrix(title="first 8 rows of the table", values=table[:8], row_axis="id"), "=",
                        Matrix(title="embeddings", values=product[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(error < 1e-6),
        f"difference {error:g}",
        "Looking up a row of the table and multiplying a one-hot vector with it give the same result. The largest "
        f"difference is **{error:g}**.",
        draw,
    )


def _exercise(seed: int) -> Finding:
    rows = _table(seed)[IDS]
    solution = rows * np.float32(np.sqrt(D))
    position = root_mean_square(sinusoids(12, D))
    sizes = root_mean_square(rows), root_mean_square(solution)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="rows of the table: the text", values=rows[0]), "· 8 =",
                        Matrix(title="output of the solution", values=solution[0]), "",
                        Matrix(title="sinusoids", values=sinusoids(3, D))]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(np.array_equal(rows, solution), under_condition=bool(np.allclose(solution / rows, 8))),
        "factor √64 = 8",
        f"The root mean square of the looked-up rows is **{sizes[0]:.2f}**, that of the solution's output "
        f"**{sizes[1]:.2f}**. Sinusoids of the same width have {position:.2f}.",
        draw,
        condition="the rows are multiplied by √d_model, which the text does not mention",
    )


def _printed(seed: int) -> Finding:
    out = _table(seed)[IDS] * 8

    def draw(theme: ThemeName) -> Line:
        sentence, ids = AxisMeaning("sentence", "sentence"), IDS.astype(float)
        parts: Parts = [Matrix(title="inputs, as drawn there", values=ids, row_axis=sentence, own_scale=True,
                               column_axis="token", columns=["1", "2", "3"]), "→",
                        Matrix(title="out of sentence 1", values=out[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(out.shape == (4, 3, 64)),
        f"Out {out.shape}",
        f"The test prints **Out {out.shape}**. Its ids are below 5, so it uses **{len(np.unique(IDS))}** of the "
        f"{VOCAB} rows of the table. `bs`, `seq_len` and `num_heads` are set above it and not used.",
        draw,
    )


def _docstring(seed: int) -> Finding:
    table = _table(seed)
    out = table[IDS] * 8

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title=f"embedding matrix {table.shape}", values=table, row_axis="id"), "≠",
                        Matrix(title=f"returned {out.shape}: sentence 1", values=out[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(out.shape == table.shape),
        f"returns {out.shape}",
        f"The embedding matrix has the shape **{table.shape}**. The method returns the rows of the tokens, "
        f"**{out.shape}**.",
        draw,
    )


EMBEDDING_ITEMS = (
    Item(
        "embedding-lookup",
        "Looking up embeddings",
        "claim",
        (Quotation("The model's input is thus a sequence of vectors obtained by looking up the embedding of the "
                   "corresponding words (tokens) in the vocabulary.", TOKENS),),
        _lookup,
        "A lookup reads one row; the product computes 100 rows and adds 99 zeros. The result is the same.",
        "embedding",
    ),
    Item(
        "exercise-embeddings",
        "Exercise: write an Embeddings class",
        "exercise",
        (Quotation("As an exercise, we ask you to write an Embeddings class that takes as input the dimension of the "
                   "embeddings' vectors for the model (d_model) and the size of the vocabulary (vocab_size).",
                   EMBEDDING),
         Quotation("return self.embeddings(x) * jnp.sqrt(self.d_model)", EMBEDDING, "code")),
        _exercise,
        "Who solves the exercise as the text states it has outputs eight times smaller. The factor is that of the "
        "paper (section 3.4). With the numbers of hk.Embed, the scaled embeddings are about ten times larger than "
        "the sinusoids.",
        "embedding",
    ),
    Item(
        "test-embeddings",
        "Test of the embeddings",
        "printed result",
        (Quotation('print("Out", out.shape)', EMBEDDING, "code"),
         Quotation("inputs = jax.random.randint(next(rng_iter), (4, 3), 0, 5)", EMBEDDING, "code")),
        _printed,
        "The last axis is new: each id becomes a vector of d_model numbers.",
        "embedding",
    ),
    Item(
        "docstring-embedding-matrix",
        "What the Embeddings class returns",
        "claim",
        (Quotation(":return: The embedding matrix.", EMBEDDING, "code"),),
        _docstring,
        "The matrix is the parameter. The result is a selection of its rows, multiplied by √d_model.",
        "embedding",
    ),
)  # fmt: skip
