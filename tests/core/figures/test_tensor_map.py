"""From places on a panel to cells of a tensor, and back."""

import pytest

from encoder_core.explain import Cell
from encoder_core.figures import (
    HeadsSideBySide,
    LensTokens,
    Place,
    RankedTokens,
    ResidualStages,
    TensorSlice,
    parameter_slice,
)
from encoder_core.scenes.focus import Focus, head_slice, layer_slice, text_slice

AT = Focus(sentence=1, layer=2, head=3, token=5, key_token=6)
CASES = {
    "a head": (head_slice("q", AT), Place(4, 7), Cell("q", (1, 3, 4, 7), 2)),
    "a head, transposed": (head_slice("k", AT, transposed=True), Place(7, 4), Cell("k", (1, 3, 4, 7), 2)),
    "a layer": (layer_slice("mlp_act", AT), Place(4, 7), Cell("mlp_act", (1, 4, 7), 2)),
    "a text": (text_slice("embedded", AT), Place(4, 7), Cell("embedded", (1, 4, 7))),
    "some rows of a parameter": (
        parameter_slice("token_embedding", rows=[2, 5, 9]), Place(1, 4), Cell("parameters.token_embedding", (5, 4)),
    ),
    "one row, as a column": (TensorSlice("v", (0, 1, "row", 6), 2), Place(4, 0), Cell("v", (0, 1, 4, 6), 2)),
    "layers down, heads across": (
        TensorSlice("pattern", (0, "column", 5, 6), "row"), Place(2, 3), Cell("pattern", (0, 3, 5, 6), 2),
    ),
    "a tile a head": (
        TensorSlice("z", (1, "tile column", "row", "column"), 2), Place(4, 7, (0, 3)), Cell("z", (1, 3, 4, 7), 2),
    ),
    "a tile a layer and head": (
        TensorSlice("pattern", (1, "tile column", "row", "column"), "tile row"),
        Place(4, 7, (2, 3)), Cell("pattern", (1, 3, 4, 7), 2),
    ),
    "a tile a sentence and head": (
        TensorSlice("pattern", ("tile row", "tile column", "row", "column"), 2),
        Place(4, 7, (1, 3)), Cell("pattern", (1, 3, 4, 7), 2),
    ),
    "all heads side by side": (HeadsSideBySide("k", 1, 2, d_head=16), Place(5, 35), Cell("k", (1, 2, 5, 3), 2)),
    "input of the first layer": (ResidualStages(1, 6), Place(4, 7, (0, 0)), Cell("embedded", (1, 4, 7))),
    "output of a layer": (ResidualStages(1, 6), Place(4, 7, (0, 3)), Cell("resid_post", (1, 4, 7), 2)),
    "after the final norm": (ResidualStages(1, 6), Place(4, 7, (0, 7)), Cell("output", (1, 4, 7))),
    "one token's stages": (ResidualStages(1, 6, token=4), Place(3, 7), Cell("resid_post", (1, 4, 7), 2)),
    "a token of the vocabulary by its rank": (
        RankedTokens("logits", 1, [[4, 2], [0, 3], [1, 0], [3, 4], [2, 9]]), Place(4, 1), Cell("logits", (1, 4, 9)),
    ),
    "a token of the vocabulary before the first layer": (
        LensTokens(1, [[4, 2], [0, 3]]), Place(1, 0), Cell("embedded_lens_probabilities", (1, 1, 0)),
    ),
    "a token of the vocabulary after a layer": (
        LensTokens(1, [[4, 2], [0, 3]]), Place(1, 1), Cell("resid_post_lens_probabilities", (1, 1, 3), 0),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_place_is_a_cell_and_back(case):
    shows, place, cell = CASES[case]
    assert shows.cell(*place) == cell
    assert shows.place(cell) == place


@pytest.mark.parametrize("case", CASES)
def test_the_cell_of_another_tensor_has_no_place(case):
    shows, _, cell = CASES[case]
    assert shows.place(Cell("scaled_embedding", cell.index, cell.layer)) is None
    assert shows.place(Cell(cell.tensor, (9, *cell.index[1:-2], 10**6, 0), 11)) is None
    assert shows.place(Cell("parameters.final_norm.scale", (0,))) is None


def test_a_row_outside_the_tensor_is_no_cell():
    assert parameter_slice("position_embedding", rows=range(3)).cell(3, 0) is None
    assert ResidualStages(1, 6, token=4).place(Cell("resid_post", (1, 5, 7), 2)) is None


def test_a_stage_of_the_lens_that_shows_another_token_has_no_place_for_it():
    assert LensTokens(1, [[4, 2], [0, 3]]).place(Cell("resid_post_lens_probabilities", (1, 1, 0), 0)) is None
