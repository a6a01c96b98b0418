"""Tiles of many tokens, whose bins are cells of the tensor, and scenes of edits, whose differences have their own
colour scale."""

import numpy as np
import pytest

from encoder_core.figures import HeatmapStyle, panels_of
from encoder_core.scenes import residual_stream, what_if
from encoder_core.scenes.attention import stack_attention
from encoder_core.scenes.focus import Focus

TOKENS = tuple(f"token{index}" for index in range(12))


def test_tiles_of_many_tokens_show_the_largest_weight_of_each_bin_as_a_cell_of_the_tensor():
    patterns = np.random.default_rng(0).random((12, 16, 12, 12), np.float32)
    visible = np.tril(np.ones(patterns.shape, bool))
    line = stack_attention.every_head(patterns, visible, Focus(layer=3, head=2, labels=TOKENS), limit=0.7)
    sheet, enlarged = panels_of(line)
    assert stack_attention.bin_size(patterns.size) == sheet.rows.size == sheet.columns.size == 2
    assert sheet.rows.names[:2] == ("1 to 2", "3 to 4")
    cell, value = sheet.cell(4, 1, (3, 2)), sheet.value(4, 1, (3, 2))
    assert (cell.tensor, cell.layer, cell.index[:2]) == ("pattern", 3, (0, 2))
    assert value == patterns[3, 2, 8:10, 2:4].max() == patterns[(3, *cell.index[1:])]
    assert np.isnan(sheet.value(1, 4, (3, 2)))  # masked
    place = sheet.place(4, 1, (3, 2))
    assert sheet.selection(place) == {"token": cell.index[2], "key_token": cell.index[3], "layer": 3, "head": 2}
    assert enlarged.value(4, 1) == patterns[3, 2, 4, 1]
    assert sheet.data[0]["zmax"] == enlarged.data[0]["zmax"] == 0.7


def before_and_after(before, after, kind):
    style = HeatmapStyle(kind=kind, row_axis="query", column_axis="dimension")
    line = what_if.before_and_after(before, after, title="q", rows=["a", "b"], columns=["0", "1"], mark=None,
                                    style=style)  # fmt: skip
    return panels_of(line)


@pytest.mark.parametrize("kind", ["signed", "weights"])
def test_a_small_difference_has_its_own_colour_scale_and_the_title_says_so(kind):
    before = np.array([[0.5, -1.0], [-np.inf, 0.25]])
    after = before + np.array([[0, 0.001], [0, 0]])
    first, second, change = before_and_after(before, after, kind)
    assert first.data[0]["zmax"] == second.data[0]["zmax"] == 1
    assert change.data[0]["zmax"] == pytest.approx(0.001)
    assert change.data[0]["zmin"] == pytest.approx(-0.001)
    assert change.title == "difference, own scale"
    assert change.value(1, 0) == 0  # masked before and after


def test_the_title_says_that_there_is_no_difference():
    before = np.ones((2, 2))
    assert before_and_after(before, before, "signed")[2].title == "no difference"


def test_a_stage_selects_the_layer_whose_output_it_is():
    (panel,) = what_if.propagation(np.ones((4, 2)), Focus(layer=1, labels=("a", "b")))
    assert [panel.selection(panel.place(row, 1)) for row in range(4)] == [
        {"layer": layer, "token": 1} for layer in (0, 0, 1, 2)
    ]
    assert residual_stream.stage_axis(2, final_norm=True).selects == [{"layer": layer} for layer in (0, 0, 1, 1)]
