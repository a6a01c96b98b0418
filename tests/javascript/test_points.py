"""Points in a plane: one scale for both axes, and labels that do not overlap."""

import pytest

AREA = {"width": 200, "height": 100}
RANGES = [[0, 200], [0, 100]]  # one pixel for each unit; y grows upwards


def dots(*named: tuple[str, float, float], size: int = 10) -> dict:
    """A trace of named points."""
    names, x, y = zip(*named, strict=True)
    return {"type": "scatter", "text": list(names), "x": list(x), "y": list(y), "textfont": {"size": size},
            "customdata": list(range(len(named)))}  # fmt: skip


def place(scripts, *named, first=()):
    (trace,) = scripts.call("plot/points.js", "placeLabels", [dots(*named)], RANGES, AREA, list(first))
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
    assert scripts.call("plot/points.js", "equalScale", ranges, AREA) == expected


def test_label_with_room_is_above_its_point(scripts):
    assert place(scripts, ("cat", 50, 50), ("sofa", 150, 50)) == {"cat": "top center", "sofa": "top center"}


def test_label_below_a_point_at_the_top_edge(scripts):
    assert place(scripts, ("cat", 50, 99)) == {"cat": "bottom center"}


def test_labels_of_near_points_differ_in_their_place(scripts):
    assert place(scripts, ("cat", 50, 50), ("sofa", 52, 50)) == {"cat": "top center", "sofa": "bottom center"}


def test_first_label_has_the_first_place_and_labels_without_room_are_left_out(scripts):
    crowd = [(f"token {number}", 50 + number, 50) for number in range(20)]
    places = place(scripts, *crowd, first=[19])
    assert places["token 19"] == "top center"
    assert 2 <= len([name for name in places if name]) < 20


def test_traces_without_labels_stay(scripts):
    line = {"type": "scatter", "x": [1, 2], "y": [1, 2]}
    assert scripts.call("plot/points.js", "placeLabels", [line], RANGES, AREA, []) == [line]
