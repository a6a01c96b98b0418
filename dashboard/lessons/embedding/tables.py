"""The tensors of the lookup as tables: of a large vocabulary, the rows in use."""

import numpy as np

from dashboard.inspect.depths import Table
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from encoder_core.figures import dimensions
from encoder_core.scenes import embedding as scenes

MOST_ROWS = 1_000  # of E; of a larger one, those in use


def tables(current: Model, at: Focus) -> dict[str, Table]:
    """The rows of the sentence, before and after the scale, and what they come from: one-hot and E."""
    trace, table, ids = current.trace, current.parameters["token_embedding"], current.batch.ids[at.sentence]
    dims, words = dimensions(table.shape[1]), list(current.vocabulary)
    used = np.arange(len(table))
    first: int | None = 0  # ids count from 0
    if len(table) > MOST_ROWS:
        used = np.unique(ids)
        words, first = [f"{index} {words[index]}" for index in used], None
    return {
        "rows": Table(trace.token_embedding[at.sentence], at.labels, dims),
        "scaled rows": Table(trace.scaled_embedding[at.sentence], at.labels, dims),
        "one-hot": Table(scenes.one_hot_of(used, ids), at.labels, words),
        "E": Table(table[used], words, dims, first),
    }
