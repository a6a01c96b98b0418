"""Flags at the edges of a heatmap, and texts in its cells."""

import numpy as np

from encoder_core.figures import HeatmapStyle, Window, heatmap, theme_named

VALUES = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 1.0]])


def test_flagged_rows_have_a_bar_outside_the_left_edge():
    panel = heatmap(VALUES, ["<b>", "b"], ["x", "y", "z"], title="t", style=HeatmapStyle(row_flags=[1]))
    (flag,) = panel.figure.layout.shapes
    assert (flag.y0, flag.y1) == (0.5, 1.5)
    assert flag.xref == "paper"
    assert flag.x1 < 0  # pixels to the left of the first cell
    assert panel.figure.layout.yaxis.ticktext[0] == "&lt;b&gt;"


def test_flagged_columns_have_a_bar_of_their_colour_above_the_top_edge():
    panel = heatmap(VALUES, ["a", "b"], ["x", "y", "z"], title="t", style=HeatmapStyle(column_flags={2: "#123456"}))
    (flag,) = panel.figure.layout.shapes
    assert (flag.x0, flag.x1) == (1.5, 2.5)
    assert flag.yref == "paper"
    assert flag.y0 > 0
    assert flag.fillcolor == "#123456"


def test_neighbouring_flags_of_one_colour_are_one_bar():
    values = np.zeros((6, 1))
    panel = heatmap(
        values, list("abcdef"), ["x"], title="t", style=HeatmapStyle(row_flags=[4, 0, 1, 2], column_flags={0: "red"})
    )
    above, *beside = sorted(panel.figure.layout.shapes, key=lambda flag: flag.yref != "paper")
    assert [(flag.y0, flag.y1) for flag in beside] == [(-0.5, 2.5), (3.5, 4.5)]
    assert above.fillcolor == "red"


def test_marks_are_drawn_over_flags():
    panel = heatmap(
        VALUES,
        ["a", "b"],
        ["x", "y", "z"],
        title="t",
        marks=[(0, None)],
        style=HeatmapStyle(row_flags=[0], theme="dark"),
    )
    assert panel.figure.layout.shapes[-1].line.color == theme_named("dark").text


def test_texts_are_escaped_for_plotly_and_not_for_the_tooltip():
    texts = [["<b>", "b", "c"], ["d", "e", "f"]]
    mask = np.array([[True, True, True], [True, False, True]])
    cells = heatmap(VALUES, ["a", "b"], ["x", "y", "z"], title="t", texts=texts, mask=mask).data[0]
    assert cells["text"] == [["&lt;b&gt;", "b", "c"], ["d", "", "f"]]
    assert cells["hovertext"] == [["<b>", "b", "c"], ["d", "", "f"]]
    assert cells["texttemplate"] == "%{text}"


def test_bins_have_no_texts():
    columns = Window(0, 3, 2)
    cells = heatmap(VALUES, ["a", "b"], columns, title="t", texts=[["a", "b"]] * 2).data[0]
    assert "text" not in cells


def test_a_mask_has_no_colour_scale():
    mask, styles = np.array([[True, False]]), (HeatmapStyle(), HeatmapStyle(has_scale=False))
    cells, hidden = (heatmap(np.ones((1, 2)), ["a"], ["b", "c"], title="mask", mask=mask, style=s).data for s in styles)
    assert [trace.get("showscale") for trace in cells[:2]] == [None, False]
    assert [trace.get("showscale") for trace in hidden[:2]] == [False, False]
