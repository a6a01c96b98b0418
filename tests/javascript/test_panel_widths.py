"""The width of panels: by their weights beside labels and margins, but with room for titles and colour bars."""

import pytest

from tests.javascript.panels import axis, matrix_panel

ROWS, COLUMNS = axis("token", "ab"), axis("id", "abc")
LONG = "antidisesta…"


def item(weight: int = 20, operator: str = "", **fields) -> dict:
    """An item of a line: a panel with 93 pixels of row labels."""
    panel = matrix_panel([[0.0] * 3] * 2, ROWS, COLUMNS, weight=weight)
    panel["layout"]["margin"] |= {"l": 93}
    return {"operator": operator, "panel": panel, "hasRowLabels": True, "isMarked": False, **fields}


def widths(scripts, *items, width=1000):
    return [
        tuple(panel.values()) for panel in scripts.call("plot/panel/panel_widths.js", "panelWidths", list(items), width)
    ]


def test_row_labels_are_beside_the_share_and_add_to_the_least_width(scripts):
    """At least 66 pixels of labels, 48 of cells, 10 of margin; without labels, room for the title and colour bar."""
    items = [item(), item(hasRowLabels=False), item(hasRowLabels=False)]
    items[2]["panel"] |= {"title": "masked"}
    assert widths(scripts, *items) == [(20, 93 + 10, 66 + 48 + 10), (20, 4 + 10, 100), (20, 4 + 10, 118)]


def test_what_is_left_beside_labels_is_for_the_cells_alone(scripts):
    """Of 1,000 pixels, 2 of a gap for each panel: with equal weights, the cells have equal widths."""
    labelled, plain = widths(scripts, item(), item(hasRowLabels=False))
    rest = (1000 - 2 * 2 - labelled[1] - plain[1]) / (labelled[0] + plain[0])
    areas = [margins + grow * rest - pixels for (grow, margins, _), pixels in ((labelled, 93 + 10), (plain, 4 + 10))]
    assert areas[0] == areas[1]


def test_number_of_the_marked_cell_needs_room(scripts):
    assert widths(scripts, item(isMarked=True)) == [(20, 103, 160)]


def test_bars_need_no_room_for_a_colour_bar(scripts):
    bars = item(hasRowLabels=False)
    bars["panel"]["kind"] = "row_bars"
    chart = item(hasRowLabels=False)
    chart["panel"]["rows"] = None
    assert widths(scripts, bars, chart) == [(20, 14, 4 + 48 + 10), (20, 14, 0)]


@pytest.mark.parametrize(("operator", "taken"), [("", 0), ("=", 22), ("+ b\n=", 2 + 31.5)])
def test_least_widths_fit_into_a_narrow_line(scripts, operator, taken):
    """The line would wrap if the least widths of its panels, the operators and the gaps were wider than it."""
    panels = widths(scripts, *[item(operator=operator)] * 4, width=400)
    assert sum(max(margins, least) for _, margins, least in panels) <= 0.85 * (400 - 4 * (2 + taken))


def test_line_without_room_for_colour_bars_keeps_room_for_cells(scripts):
    """0.85 of 280 pixels less three gaps is 232.9: too little for 124 + 100 + 100, and 0.94 of 124 + 62 + 62."""
    panels = widths(scripts, item(), item(hasRowLabels=False), item(hasRowLabels=False), width=280)
    assert panels == [(20, 103, 116), (20, 14, 58), (20, 14, 58)]


def test_number_of_the_marked_cell_keeps_the_room_of_a_colour_bar(scripts):
    """124 + 160 + 160 pixels with both is more than 0.85 of 496; one of them needs 124 + 100 + 100."""
    items = [item(), *(item(hasRowLabels=False, isMarked=True) for _ in "ab")]
    assert widths(scripts, *items, width=502) == [(20, 103, 124), (20, 14, 100), (20, 14, 100)]


@pytest.mark.parametrize(("width", "crowded"), [(330, False), (329, True)])
def test_line_is_crowded_without_room_for_a_colour_bar_or_a_number(scripts, width, crowded):
    """124 + 100 + 100 pixels and three gaps."""
    items = [item(), item(hasRowLabels=False), item(hasRowLabels=False, isMarked=True)]
    assert scripts.call("plot/panel/panel_widths.js", "isCrowded", items, width) is crowded


def shortened(scripts, width, *names):
    layout = {"margin": {"l": 93, "r": 10}, "yaxis": {"ticktext": list(names), "tickfont": {"size": 11}}}
    panels = scripts.call("plot/labels/row_labels.js", "shortenRowLabels", layout, width)
    return panels["margin"]["l"], panels["yaxis"]["ticktext"]


@pytest.mark.parametrize(
    ("width", "left", "name"),
    [
        (151, 93, LONG),
        (150, 92, "antidisest…"),  # (92 - 22) / 5.9 = 11 letters
        (124, 66, "antidi…"),
        (60, 66, "antidi…"),  # the least room for labels
    ],
)
def test_long_row_labels_leave_room_for_the_cells(scripts, width, left, name):
    assert shortened(scripts, width, LONG, "it") == (left, [name, "it"])


def test_shortened_label_is_escaped_again(scripts):
    """Each escaped sign is one letter."""
    assert shortened(scripts, 124, "&lt;b&gt;&amp;long word") == (66, ["&lt;b&gt;&amp;lo…"])
