"""Sections of the embedding page: the lookup as a product with a one-hot matrix, its tables and the question."""

import numpy as np
from jaxtyping import Float, Int

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.questions import Question, WrongOption
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import Inspection
from dashboard.shell.frame import render_explained
from dashboard.theme import current_theme
from encoder_core.figures import Window, dimensions
from encoder_core.scenes.inputs import embedding as scenes
from encoder_core.support.number_format import format_number
from encoder_core.support.wording import format_count

_MAX_ROWS = 1_000  # of the table of E; a larger E is reduced to the rows in use


def render_lookup(current: Model, at: Focus, columns: Window, inspection: Inspection) -> None:
    """One-hot times E, and the lookup, which gives the same rows."""
    ids, rows, table = _ids_and_rows(current, at)
    (vocab, d_model), seq = table.shape, len(ids)
    row_ids = scenes.table_ids(ids, vocab)
    parts = scenes.lookup(ids, rows, table, at, vocabulary=current.vocabulary,
                          columns=columns, theme=current_theme())  # fmt: skip
    render_plot(parts, key="embedding_plot", inspection=inspection)
    difference = np.abs(scenes.one_hot_columns(row_ids, ids) @ table[row_ids] - rows).max()
    rows_note = "" if len(row_ids) == vocab else _rows_note(len(row_ids), vocab)
    render_explained(
        "Each row of the one-hot matrix is 1 at the token's id and 0 elsewhere, so the product selects that row of E. "
        f"The bars beside E mark the rows of this sentence.{rows_note}{_padding_note(current)} Largest difference "
        f"between product and lookup: **{format_number(difference, 2)}**. The product takes "
        f"**{seq * vocab * d_model:,}** multiplications; the lookup takes none and copies **{seq * d_model:,}** "
        "numbers."
    )


def lookup_question(current: Model, at: Focus) -> Question:
    """How do the rows of two equal tokens differ? If no token occurs twice, of the selected one and a copy of it."""
    ids, rows, _ = _ids_and_rows(current, at)
    real = np.flatnonzero(current.batch.real[at.sentence])
    repeated = [place for place in real if (ids[real] == ids[place]).sum() > 1]
    if repeated:
        # The selected token if it is repeated, else a word rather than a sign.
        chosen = max(repeated, key=lambda place: (ids[place] == ids[at.token], at.labels[place].isalnum()))
        first, second = real[ids[real] == ids[chosen]][:2]
        token, token_id = escape_token(at.labels[first]), ids[first]
        difference = float(np.abs(rows[first] - rows[second]).max())
        text = f"tokens {first + 1} and {second + 1} are both “{token}”. How do their rows differ here?"
        measured = (
            f"Both have id {token_id} and get the same row: the largest difference is {format_number(difference, 3)}."
        )
    else:
        place = at.token if at.token in real else int(real[0])  # a word rather than padding
        token, token_id = escape_token(at.labels[place]), ids[place]
        where = "in another word" if at.labels[place].startswith("##") else "at the end"
        text = f"“{token}” occurs once more {where}. How would the new row differ from the one here?"
        measured = f"Its id is {token_id} wherever it stands, and the id alone selects the row."
    following = (
        "This model adds no position encoding."
        if current.config.positions == "none"
        else "The next stage adds a different position vector to each."
    )
    return Question(
        text,
        "not at all",
        f"{measured} {following}",
        [
            WrongOption(
                "a little, because their positions differ",
                "The lookup does not see where a token stands; positions are a separate stage.",
                "the one-hot row: it contains the id and nothing else",
            ),
            WrongOption(
                "clearly, because their neighbours differ",
                "The lookup treats each token alone. Neighbours enter with attention.",
                "the formula: row t of the result depends on id t only",
            ),
        ],
    )


def lookup_tables(current: Model, at: Focus) -> dict[str, NumberTable]:
    """The rows of the sentence before and after scaling, the one-hot matrix and E."""
    ids, rows, table = _ids_and_rows(current, at)
    dims, words = dimensions(table.shape[1]), list(current.vocabulary)
    row_ids = np.arange(len(table))
    first: int | None = 0  # ids count from 0
    if len(table) > _MAX_ROWS:
        row_ids = np.unique(ids)
        words, first = [f"{index} {words[index]}" for index in row_ids], None
    return {
        "rows": NumberTable(rows, at.labels, dims),
        "scaled rows": NumberTable(current.trace.scaled_embedding[at.sentence], at.labels, dims),
        "one-hot": NumberTable(scenes.one_hot_columns(row_ids, ids), at.labels, words),
        "E": NumberTable(table[row_ids], words, dims, first),
    }


def _ids_and_rows(
    current: Model, at: Focus
) -> tuple[Int[np.ndarray, "seq"], Float[np.ndarray, "seq d_model"], Float[np.ndarray, "vocab d_model"]]:
    """The ids of the selected sentence, their rows, and the embedding table."""
    ids, rows = current.batch.ids[at.sentence], current.trace.token_embedding[at.sentence]
    return ids, rows, current.parameters["token_embedding"]


def _rows_note(in_use: int, vocab: int) -> str:
    """Which columns of the one-hot matrix and which rows of E the figure shows."""
    columns, rows = format_count(in_use, "column"), format_count(in_use, "row")
    return (
        f" Of the {vocab:,} ids, the figure shows only those in this sentence: {columns} of the one-hot matrix and "
        f"{rows} of E. All other columns contain only 0."
    )


def recipe_note(model: Model) -> str:
    """A sentence on recipes without an embedding table; empty for other models."""
    recipe = model.settings.recipe
    if recipe is None or recipe.has_table:
        return ""
    return (
        " The tutorial's encoder reads rows that are drawn from a normal distribution, one for each token, and no "
        "embedding table. This app stores such rows in a table."
    )


def _padding_note(model: Model) -> str:
    """A sentence on [PAD] in this batch; empty if no token is padding."""
    if model.batch.real.all():
        return ""
    if model.settings.recipe:
        return " [PAD] marks tokens that the tutorial's random mask hides as keys; each of them has a row of its own."
    return " [[[PAD]]] fills up shorter sentences; it has a row like every other token."
