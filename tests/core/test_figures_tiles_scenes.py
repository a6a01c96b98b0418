"""Scenes with tiles of many cells, and the what-if scenes: bins are cells of the tensor, and scales are their own."""

import numpy as np
import pytest

from encoder_core.figures import panels_of
from encoder_core.scenes import full_stack, what_if
from encoder_core.scenes.position import At

TOKENS = tuple(f"token{index}" for index in range(12))


def test_tiles_of_many_tokens_show_the_largest_weight_of_each_bin_as_the_cell_that_it_is():
    patterns = np.random.default_rng(0).random((12, 16, 12, 12), np.float32)
    visible = np.tril(np.ones(patterns.shape, bool))
    line = full_stack.every_head(patterns, visible, At(layer=3, head=2), limits=(1.0, 1.0), tokens=TOKENS)
    sheet, enlarged = panels_of(line)
    assert full_stack.cells_in_one(patterns.size) == sheet.rows.size == sheet.columns.size == 2
    assert sheet.rows.names[:2] == ("1 to 2", "3 to 4")
    cell, value = sheet.cell(4, 1, (3, 2)), sheet.value(4, 1, (3, 2))
    assert (cell.tensor, cell.layer, cell.index[:2]) == ("pattern", 3, (0, 2))
    assert value == patterns[3, 2, 8:10, 2:4].max() == patterns[(3, *cell.index[1:])]
    assert np.isnan(sheet.value(1, 4, (3, 2)))  # masked
    place = sheet.place(4, 1, (3, 2))
    assert sheet.selection(place) == {"token": cell.index[2], "key_token": cell.index[3], "layer": 3, "head": 2}
    assert enlarged.value(4, 1) == patterns[3, 2, 4, 1]


def before_and_after(before, after, **kind):
    line = what_if.before_and_after(before, after, title="q", axes=("query", "dimension"), rows=["a", "b"],
                                    columns=["0", "1"], mark=None, **kind)  # fmt: skip
    return panels_of(line)


@pytest.mark.parametrize("weights", [False, True])
def test_a_small_difference_is_seen_on_its_own_scale_and_says_so(weights):
    before = np.array([[0.5, -1.0], [-np.inf, 0.25]])
    after = before + np.array([[0, 0.001], [0, 0]])
    one, other, apart = before_and_after(before, after, weights=weights)
    assert one.data[0]["zmax"] == other.data[0]["zmax"] == 1
    assert apart.data[0]["zmax"] == pytest.approx(0.001)
    assert apart.data[0]["zmin"] == pytest.approx(-0.001)
    assert apart.title == "difference, own scale"
    assert apart.value(1, 0) == 0  # masked before and after


def test_no_difference_is_said_to_be_none():
    before = np.ones((2, 2))
    assert before_and_after(before, before, weights=False)[2].title == "no difference"


def test_a_stage_selects_the_block_that_made_it():
    (panel,) = what_if.travelled(np.ones((4, 2)), At(layer=1), tokens=["a", "b"])
    assert [panel.selection(panel.place(row, 1)) for row in range(4)] == [
        {"layer": layer, "token": 1} for layer in (0, 0, 1, 2)
    ]
    assert full_stack.stage_axis(2, final_norm=True).selects == [{"layer": layer} for layer in (0, 0, 1, 1)]
