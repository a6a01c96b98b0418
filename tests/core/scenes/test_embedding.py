"""The scenes of the embedding: the product of the rows in use is the whole product."""

import numpy as np

from encoder_core.scenes import embedding


def test_one_hot_columns_the_rows_in_use_gives_the_whole_product():
    table, ids = np.random.default_rng(0).standard_normal((9, 4)).astype(np.float32), np.array([7, 2, 7])
    used = np.unique(ids)
    hot = embedding.one_hot_columns(used, ids)
    np.testing.assert_array_equal(hot, [[0, 1], [1, 0], [0, 1]])
    np.testing.assert_array_equal(hot @ table[used], np.eye(9, dtype=np.float32)[ids] @ table)
