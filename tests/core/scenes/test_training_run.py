"""The gradients of two runs that are compared have one axis."""

import numpy as np
import pytest

from encoder_core.scenes.training_run import gradient_curves, gradient_limits
from encoder_core.training.history import History
from encoder_core.training.run import Steps


def history(norms):
    """What the curves read of a history: the norm of each part in each step."""
    norms = np.array(norms, np.float32)
    return History(Steps(norms[:, 0], norms[:, 0], norms), (), ())


def test_two_runs_have_the_limits_of_both():
    runs = [history([[1.0, 0.1], [0.5, 0.01]]), history([[10.0, 1.0], [2.0, 1.0]])]
    limits = gradient_limits(runs)
    assert limits == pytest.approx((0.01, 10))
    for run in runs:
        axis = gradient_curves(run, ("a", "b"), 2, limits=limits).layout["yaxis"]
        assert axis["type"] == "log"
        np.testing.assert_allclose(axis["range"], [-2.1, 1.1])
    assert "range" not in gradient_curves(runs[0], ("a", "b"), 2).layout["yaxis"]


def test_before_the_first_step_there_are_none():
    assert gradient_limits([history(np.empty((0, 2)))]) is None
