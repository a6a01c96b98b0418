"""Points in a plane: one scale for both axes, and labels that do not overlap."""

import pytest

AREA = {"width": 200, "height": 100}
RANGES = [[0, 200], [0, 100]]  # one pixel for each unit; y grows upwards


def dots(*named: tuple[str, float, float], size: int = 10) -> dict:
    """A trace of named points."""
    names, x, y = zip(*named, strict=True)
    return {"type": "scatter", "text": list(names), "x": list(x), "y": list(y), "textfont": {"size": size},
            "customdata": list(range(len(named)))}  # fmt: skip


def place(scripts, *named, first=(), arrows=(), **fields):
    trace = dots(*named) | fields
    (trace,) = scripts.call("plot/drawing/points.js", "placeLabels", [trace], RANGES, AREA, list(first), list(arrows))
    return dict(zip([text.strip("\u00a0") for text in trace["text"]], trace["textposition"], strict=True))


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([[0, 2], [0, 1]], [[0, 2], [0, 1]]),
        ([[0, 2], [0, 2]], [[-1, 3], [0, 2]]),  # 2 units in 100 pixels, so 4 units in 200
        ([[0, 4], [0, 1]], [[0, 4], [-0.5, 1.5]]),
    ],
)
def test_both_axes_have_one_scale(scripts, ranges, expected):
    assert scripts.call("plot/drawing/points.js", "equalScale", ranges, AREA) == expected


def test_label_with_room_is_above_its_point(scripts):
    assert place(scripts, ("cat", 50, 50), ("sofa", 150, 50)) == {"cat": "top center", "sofa": "top center"}


def test_label_below_a_point_at_the_top_edge(scripts):
    assert place(scripts, ("cat", 50, 99)) == {"cat": "bottom center"}


def test_labels_of_near_points_differ_in_their_place(scripts):
    assert place(scripts, ("cat", 50, 50), ("sofa", 52, 50)) == {"cat": "top center", "sofa": "bottom center"}


def arrow(ax, ay, x, y):
    return {"ax": ax, "ay": ay, "x": x, "y": y}


@pytest.mark.parametrize(
    ("tip", "name_place"),
    [((50, 90), "bottom center"), ((50, 10), "top center"), ((90, 90), "bottom center"), ((90, 50), "top center")],
)
def test_label_beside_the_arrow_that_begins_at_its_point(scripts, tip, name_place):
    assert place(scripts, ("cat", 50, 50), arrows=[arrow(50, 50, *tip)]) == {"cat": name_place}


def test_name_in_the_middle_of_an_arrow_is_beside_it(scripts):
    assert place(scripts, ("sum", 50, 50), arrows=[arrow(20, 20, 80, 80)]) == {"sum": "middle right"}


STAR = [arrow(50, 50, 50 + x, 50 + y) for x in (-40, -20, 0, 20, 40) for y in (-40, -20, 0, 20, 40)]


@pytest.mark.parametrize(("fields", "is_shown"), [({}, False), ({"hoverinfo": "skip"}, True)])
def test_label_that_would_lie_on_arrows_stays_only_if_nothing_else_shows_it(scripts, fields, is_shown):
    assert ("name" in place(scripts, ("name", 50, 50), arrows=STAR, **fields)) is is_shown


def test_labels_leave_paths_free(scripts):
    path = {"type": "scatter", "mode": "lines+markers", "x": [50, 50], "y": [50, 90]}
    _, named = scripts.call("plot/drawing/points.js", "placeLabels", [path, dots(("cat", 50, 50))], RANGES, AREA, [])
    assert named["textposition"] == ["bottom center"]


def test_labels_leave_large_points_free(scripts):
    """The second point covers the place beside the first one where it has 13 pixels, but not where it has 2."""
    near = [("cat", 50, 50), ("x", 50, 64)]
    assert place(scripts, *near, marker={"size": [9, 2]}, first=[1])["cat"] == "bottom center"
    assert place(scripts, ("cat", 50, 50), ("x", 50, 69), marker={"size": [9, 2]})["cat"] == "top center"
    assert place(scripts, ("cat", 50, 50), ("x", 50, 69), marker={"size": [9, 24]})["cat"] == "bottom center"


def test_labels_of_one_line_do_not_read_like_one_text(scripts):
    """ "cat" is 16.8 pixels wide, so between the two labels there would be 1.2."""
    assert place(scripts, ("cat", 50, 50), ("dog", 68, 50)) == {"cat": "top center", "dog": "bottom center"}


def test_first_label_has_the_first_place_and_labels_without_room_are_left_out(scripts):
    crowd = [(f"token {number}", 50 + number, 50) for number in range(20)]
    places = place(scripts, *crowd, first=[19])
    assert places["token 19"] == "top center"
    assert 2 <= len([name for name in places if name]) < 20


def test_traces_without_labels_stay(scripts):
    line = {"type": "scatter", "x": [1, 2], "y": [1, 2]}
    assert scripts.call("plot/drawing/points.js", "placeLabels", [line], RANGES, AREA, []) == [line]
