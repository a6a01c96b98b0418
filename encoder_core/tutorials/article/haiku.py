"""The rows on Haiku and JAX in the embedding layer: modules, vmap and cond."""

import numpy as np

from encoder_core.encoder import Encoder
from encoder_core.figures import Line, ThemeName
from encoder_core.inputs.positions import sinusoids
from encoder_core.recipes.article import WRITTEN
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.article.models import ARTICLE, EMBEDDING_MODULE, T, article_encoder, article_run, words
from encoder_core.tutorials.item import Finding, Item, Quotation, judge

# The operations that `jax.make_jaxpr` finds for the article's function (see the tests).
COND_OPERATIONS = {"one dimension": "cond", "under vmap": "select_n"}


def _module(seed: int) -> Finding:
    run = article_run(seed)
    assert run.trace.ids is not None
    ids = run.trace.ids[:1]
    other = Encoder.from_parameters(WRITTEN, ARTICLE.parameters("as written", seed + 1))
    outputs = article_encoder(seed).trace(ids).output[0], other.trace(ids).output[0]
    difference = np.abs(outputs[0] - outputs[1]).max()
    again = np.abs(Encoder.from_parameters(WRITTEN, run.parameters).trace(ids).output[0] - outputs[0]).max()

    def draw(theme: ThemeName) -> Line:
        titles = f"the same model with parameters {seed}", f"with parameters {seed + 1}"
        parts = [Matrix(title=title, values=values, rows=words(seed))
                 for title, values in zip(titles, outputs, strict=True)]  # fmt: skip
        return line_of([parts[0], "≠", parts[1]], theme=theme)

    return Finding(
        judge(False, under_condition=bool(difference > 0.1 and again == 0)),
        f"{len(run.parameters)} arrays, outside the model",
        f"One model, two dictionaries of **{len(run.parameters)}** arrays: the outputs differ by up to "
        f"**{difference:.2f}**. With the first dictionary again, the output is the same to the last bit.",
        draw,
        "to store means to declare: the numbers are in the dictionary that init returns",
    )


def _vmap(seed: int) -> Finding:
    position, dimensions = np.arange(10), range(64)

    def encode(dim: int) -> np.ndarray:
        angle = position / 10_000.0 ** (2 * dim / 64)
        return np.sin(angle) if dim % 2 == 0 else np.cos(angle)

    columns = [encode(dim) for dim in dimensions]
    looped = np.stack(columns, axis=1)
    encoding = article_run(seed).trace.position_encoding
    error = np.abs(looped - encoding).max()

    def draw(theme: ThemeName) -> Line:
        one = Matrix(title="dim = 2: one column", values=looped[:, 2:3], row_axis="position", columns=["2"],
                     show_values=False)  # fmt: skip
        return line_of([one, "→", Matrix(title="64 columns", values=looped, row_axis="position")], theme=theme)

    return Finding(
        judge(bool(error < 1e-5 and looped.shape == (10, 64))),
        f"{columns[0].shape} becomes {looped.shape}",
        f"For one dimension, the function returns an encoding of shape **{columns[0].shape}**. One call for each of 64 "
        f"dimensions, stacked along axis 1, is the encoding of shape **{looped.shape}**, to {format_number(error, 1)}.",
        draw,
    )


def _cond(seed: int) -> Finding:
    encoding = sinusoids(10, 64, "interleaved", "dimensions")
    angles = np.arange(10)[:, None] / 10_000.0 ** (2 * np.arange(64) / 64)
    branches = np.sin(angles), np.cos(angles)
    selected = np.where(np.arange(64) % 2 == 0, *branches)
    error = np.abs(selected - encoding).max()
    computed = sum(branch.size for branch in branches)
    both = COND_OPERATIONS["under vmap"] != COND_OPERATIONS["one dimension"]

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="_even_encoding, all 64", values=branches[0], row_axis="position"),
                "or",
                Matrix(title="_odd_encoding, all 64", values=branches[1], row_axis="position"),
                "→",
                Matrix(title="selected", values=selected, row_axis="position"),
            ],
            theme=theme,
        )

    return Finding(
        judge(not both, under_condition=bool(error < 1e-5 and computed == 2 * selected.size)),
        f"{computed:,} numbers computed, {selected.size} used",
        f"For one dimension JAX traces `{COND_OPERATIONS['one dimension']}`, which runs one branch. Under `vmap` it "
        f"traces `{COND_OPERATIONS['under vmap']}`: both branches are computed, **{computed:,}** numbers of which "
        f"**{selected.size}** are used.",
        draw,
        "it is not inside vmap, which computes both branches",
    )


HAIKU_ITEMS = (
    Item(
        "haiku-module",
        "What a Haiku module stores",
        "claim",
        (Quotation("Haiku allows us to define custom modules (here hk.Module) to store learnable parameters and define "
                   "the behavior of our model’s components.", T),
         Quotation("Each Haiku module needs to have an __init__ and __call__function.", T)),
        _module,
        "A Haiku module names its parameters; `init` returns their numbers and `apply` takes them. The encoder here "
        "also has them in one flat dictionary. Haiku demands neither method: `__init__` is inherited, and a method of "
        "any name can be called.",
        "map",
    ),
    Item(
        "vmap-axis",
        "vmap over the embedding dimension",
        "claim",
        (Quotation("The in_axes parameter is used to specify that we want to iterate over the first axis of the dim "
                   "input, which is the embedding dimension.", T),
         Quotation("@partial(vmap, in_axes=(None, None, 0), out_axes=(1))  # iterate over the dimensions",
                   EMBEDDING_MODULE, "code")),
        _vmap,
        "`out_axes=(1)` makes the dimensions the columns. `vmap` computes all columns at once; the numbers are those "
        "of the loop.",
        "positions",
    ),
    Item(
        "cond",
        "lax.cond as if and else",
        "claim",
        (Quotation("On the other hand, lax.cond is an XLA-compatible version of a Python if/else statement.", T),
         Quotation("return lax.cond(is_even, _even_encoding, _odd_encoding)", EMBEDDING_MODULE, "code")),
        _cond,
        "In the article the function is always under `vmap`, where no single branch can be chosen for all dimensions. "
        "The result is right; only the saving is lost.",
        "positions",
    ),
)  # fmt: skip
