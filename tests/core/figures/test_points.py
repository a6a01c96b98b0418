"""Points and arrows in a plane."""

import numpy as np
import pytest

from encoder_core.figures import Arrow, AxisMeaning, arrows, extent_of, points

TOKENS = AxisMeaning("token", selects=[{"token": 4}, {"token": 7}, {"token": 9}])
PLACES = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 0.0]])


def plane(**fields):
    return points(PLACES, ["<b>", "cat", "sofa"], ["one", "two", "one"], title="T", extent=extent_of(PLACES),
                  axis_titles=("x", "y"), meaning=TOKENS, **fields)  # fmt: skip


def test_extent_is_a_little_larger_than_the_places():
    """The larger span is 4: padding of 0.25 · 4 = 1 on every side."""
    assert extent_of(PLACES, 0.25) == ((-1, 5), (-1, 4))
    assert extent_of(PLACES[:1]) == ((-1, 1), (0, 2))  # never empty


def test_each_group_has_its_points_and_its_symbol():
    one, two = plane().data
    assert (one["name"], one["customdata"], one["text"]) == ("one", [0, 2], ["&lt;b&gt;", "sofa"])
    np.testing.assert_array_equal([two["x"], two["y"]], [[2], [3]])
    assert one["marker"]["symbol"] != two["marker"]["symbol"]
    assert one["marker"]["color"] != two["marker"]["color"]


def test_a_click_on_a_point_selects_its_token():
    panel = plane(marked=1)
    assert panel.selection(panel.place(0, 1)) == {"token": 7}
    assert panel.marked == ((None, 1),)


def test_paths_are_below_the_points():
    line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 3.0]])
    path, *_ = plane(paths=[(1, line)]).data
    np.testing.assert_array_equal([path["x"], path["y"]], line.T)


@pytest.mark.parametrize(("strong", "place"), [(True, (2, 3)), (False, (3, 5))])
def test_arrow_from_its_start_to_its_tip(strong, place):
    """From (1, 1) by (2, 4) to (3, 5); the name of a thick arrow is in its middle."""
    arrow = Arrow(name="head 1", start=np.array([1.0, 1.0]), step=np.array([2.0, 4.0]), strong=strong)
    panel = arrows([arrow], [("input", arrow.start)], title="T", axis_titles=("x", "y"),
                   meaning=AxisMeaning("component", "", [{"head": 0}]))  # fmt: skip
    (drawn,) = panel.layout["annotations"]
    assert [drawn[name] for name in ("ax", "ay", "x", "y")] == [1, 1, 3, 5]
    names = panel.data[1]
    assert (names["x"][0], names["y"][0], names["text"]) == (*place, ["head 1"])
    assert panel.selection(panel.place(0, 0)) == {"head": 0}
