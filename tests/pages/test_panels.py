"""On every page, the cells of a panel equal the numbers of its tensor and products hold, with and without edits."""

import re

import numpy as np
import pytest

from dashboard.components import plot
from dashboard.models.variants import edited_model
from dashboard.page_list import stage_named
from dashboard.state.settings import Settings
from encoder_core.edits import parse_edit
from encoder_core.explain import derive
from encoder_core.explain.cell import tensor_at
from encoder_core.figures import Panel, panels_of
from tests.pages.app import derivations, key_of, opened, run

EDITS = (
    "score.0.1.1.2.1=6.5",  # a visible score
    "score.0.1.1.1.4=2.5",  # a masked score
    "head.1.1=0.5",
    "residual.1.attention=0.5",
    "temperature=2",
    "hide.0.3",
    "token_embedding.2.5=3",
    "embedded.0.4.7=-2",
)
SETTINGS = {"text": "The black cat jumped on the sofa", "mask": "causal"}
LINK = {**SETTINGS, "edits": "~".join(EDITS), "layer": "2", "head": "2", "token": "3", "key_token": "2"}
VIEWS = {
    "map": [{}],
    "multi_head": [{}, {"part": "Switch heads off"}],
    "full_stack": [
        {"view": view}
        for view in ("All heads", "Head average", "One word", "Rollout", "Hidden states", "Similarity", "In and out")
    ],
}


@pytest.fixture
def lines(monkeypatch):
    """The lines of panels that a page renders."""
    rendered = []
    with_operators = plot._with_operators
    monkeypatch.setattr(plot, "_with_operators", lambda line: rendered.append(line) or with_operators(line))
    return rendered


def panels_with_tensors(lines) -> list[Panel]:
    return [panel for line in lines for panel in panels_of(line) if panel.shows]


def places_of(panel):
    tiles = np.ndindex(len(panel.tiles.rows), len(panel.tiles.columns)) if panel.tiles else [None]
    return [(row, column, tile) for tile in tiles for row, column in np.ndindex(len(panel.rows), len(panel.columns))]


def check_cells(panel, model):
    shows = panel.shows
    for place in places_of(panel)[:: 1 + len(places_of(panel)) // 300]:
        cell, value = panel.cell(*place), panel.value(*place)
        if cell is None:
            continue
        number = getattr(shows, "factor", 1.0) * tensor_at(model.run, cell)[cell.index]
        if getattr(shows, "step", None) is not None:
            number = derive(model.run, cell).step(shows.step).value
        masked = np.isnan(value) and (number == 0 or not np.isfinite(number))  # a weight of 0, a score of -inf
        assert masked or value == pytest.approx(number, abs=1e-4), (panel.title, cell)


def check_product(line, panel):
    factors = [np.nan_to_num(panels_of(line)[place].values).astype(float) for place in panel.product[:2]]
    difference = panel.values - panel.product.factor * (factors[0] @ factors[1])
    for cell in panel.set_by_hand:
        difference[cell] = 0
    np.testing.assert_allclose(np.nan_to_num(difference), 0, atol=1e-4, err_msg=panel.title)


@pytest.mark.parametrize("edits", [(), EDITS], ids=["no edits", "edited"])
def test_panels_equal_their_tensors(framed, stage, lines, edits):
    model = edited_model(Settings.from_state(SETTINGS), tuple(map(parse_edit, edits)))
    for view in VIEWS.get(stage.name, [{}]):
        at = opened(stage, **{**LINK, "edits": "~".join(edits)}, **view)
        assert not at.warning
    panels = panels_with_tensors(lines)
    assert panels or stage.name == "map"
    for panel in panels:
        check_cells(panel, model)
    for line in lines:
        for panel in panels_of(line):
            assert not re.match(r"[A-Z][a-z]+\b", panel.title), "titles begin with a small letter, or with a name"
            if panel.product:
                check_product(line, panel)


def test_scores_set_by_hand_are_marked(framed, lines):
    opened(stage_named("scaled_scores"), **LINK)
    *_, masked = panels_of(lines[0])
    assert masked.set_by_hand == {(2, 1), (1, 4)}
    assert np.isnan(masked.value(4, 3))  # hidden


def test_another_position_encoding_is_not_a_tensor_of_the_model(framed, lines):
    at = opened(stage_named("positions"))
    lines.clear()
    at.button_group(key=key_of(at, "encoding")).set_value("learned")
    run(at)
    assert [panel.title for panel in panels_with_tensors(lines)] == ["scaled embedding"]


def test_a_bar_of_a_weight_is_inspected_and_selected_like_its_cell(framed, lines):
    opened(stage_named("softmax"), **LINK)
    score, _, _, weight, *_ = panels_of(lines[0])
    assert str(score.cell(4, 0)) == "scores.1.0.1.2.4"
    assert str(weight.cell(4, 0)) == "pattern.1.0.1.2.4"
    assert weight.selection(weight.place(4, 0)) == {"key_token": 4}


@pytest.mark.parametrize(
    ("page", "view", "cells"),
    [
        ("full_stack", "Head average", [None, "mean_pattern.1.0.3.5"]),  # the first panel has tiles
        ("full_stack", "Rollout", ["rollout_step.1.0.3.5", "rollout.0.0.3.5", "rollout.1.0.3.5", None]),
        ("full_stack", "Similarity", [None, "embedded_cosines.0.3.5", "resid_post_cosines.1.0.3.5"]),
        ("positions", None, ["position_products.3.5", None]),
        ("softmax", None, [None, None, None, None, "pattern.1.0.0.3.5", "pattern_entropy.1.0.0.3"]),
    ],
)
def test_the_arithmetic_of_a_measure_is_shown(framed, lines, page, view, cells):
    """Of averages, rollout, cosines, dot products and entropies: a cell of the figure leads to its derivation."""
    choices = {"layer": "2"} | ({"view": view} if view else {})
    opened(stage_named(page), **choices)
    panels = panels_of(lines[-1])
    numbers = [panel for panel in panels if panel.kind == "heatmap" or "entropy" in panel.title]
    shown = {panel.title: str(panel.cell(3, 5 if panel.kind == "heatmap" else 0)) for panel in numbers if panel.shows}
    assert [shown.get(panel.title) for panel in panels] == cells
    for cell in filter(None, cells):
        (derivation,) = derivations(opened(stage_named(page), cell=cell, **choices))
        assert [crumb["cell"] for crumb in derivation["trail"]] == [cell]
        assert derivation["steps"]
        assert derivation["result"] == pytest.approx(derivation["trace_value"], abs=1e-5)
