"""The scenes of the feed-forward network."""

import numpy as np

from encoder_core.figures import Window, panels_of
from encoder_core.scenes import feed_forward
from encoder_core.scenes.focus import Focus


def test_rows_that_change_little_are_told_from_those_that_do_not():
    """A length of 1e-12 is the rounding of a computation that does not depend on the exchanged row."""
    change = np.zeros((4, 2))
    change[:, 0] = 0, 1e-12, 0.004, 1.5
    at = Focus(labels=tuple("abcd"))
    line = feed_forward.row_exchange(change, {"attention": change}, Window(0, 2), at)
    *_, lengths = panels_of(line)
    assert list(lengths.figure.data[-1].text) == ["0.00", "0.00", "<0.01", "1.50"]
    assert np.count_nonzero(feed_forward.change_lengths(change)) == 2
