"""The scenes of the embedding: the product of the rows in use is the whole product."""

import numpy as np
import pytest

from encoder_core.figures import panels_of
from encoder_core.scenes.focus import Focus
from encoder_core.scenes.inputs import embedding


def test_one_hot_columns_the_rows_in_use_gives_the_whole_product():
    table, ids = np.random.default_rng(0).standard_normal((9, 4)).astype(np.float32), np.array([7, 2, 7])
    used = np.unique(ids)
    hot = embedding.one_hot_columns(used, ids)
    np.testing.assert_array_equal(hot, [[0, 1], [1, 0], [0, 1]])
    np.testing.assert_array_equal(hot @ table[used], np.eye(9, dtype=np.float32)[ids] @ table)


@pytest.mark.parametrize(
    ("vocab", "titles", "columns"),
    [(6, ("one-hot", "E"), "012345"), (100, ("one-hot (3 of 100 columns)", "E (3 of 100 rows)"), "258")],
)
def test_one_hot_matrix_names_its_columns_and_is_wide_enough_for_few(vocab, titles, columns):
    """A vocabulary of 100 has more rows than MAX_ROWS, so that only those of the ids 2, 5 and 8 are drawn."""
    ids = np.array([5, 2, 5, 2 if vocab == 6 else 8])
    table = np.ones((vocab, 4), np.float32)
    at = Focus(labels=tuple("abcd"))
    line = embedding.lookup(ids, table[ids], table, at,
                            vocabulary=[f"w{index}" for index in range(vocab)])  # fmt: skip
    hot, rows, *_, looked_up = panels_of(line)
    assert (hot.title, rows.title) == titles
    assert hot.columns.names == tuple(columns)
    assert hot.weight == 28 > looked_up.weight
    assert rows.rows.names == tuple(f"{index} w{index}" for index in columns)


def test_a_word_that_is_its_id_is_named_once():
    ids, table = np.array([1, 2]), np.ones((3, 4), np.float32)
    at = Focus(labels=tuple("ab"))
    _, rows, *_ = panels_of(embedding.lookup(ids, table[ids], table, at, vocabulary=["0", "one", "2"]))
    assert rows.rows.names == ("0", "1 one", "2")
