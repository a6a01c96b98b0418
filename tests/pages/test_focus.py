"""The focus follows a click, and the URL says where it is."""

import pytest
import streamlit as st

from dashboard.focus import Cell, address, follow
from dashboard.stages import stage_named
from tests.pages.app import opened, run


@pytest.fixture
def state(monkeypatch):
    """A session without a server."""
    session = {}
    monkeypatch.setattr(st, "session_state", session)
    return session


def _moved(state):
    return {key.removeprefix("focus_"): value for key, value in state.items() if key.startswith("focus_")}


@pytest.mark.parametrize(
    ("cell", "axes", "moved"),
    [
        (Cell(0, 3, 5), {"row_axis": "query", "column_axis": "key"}, {"token": 4, "key_token": 6}),
        (Cell(0, 3, 5), {"row_axis": "query", "column_axis": "dimension"}, {"token": 4}),
        (Cell(0, 3, 5), {"row_axis": "dimension", "column_axis": "key"}, {"key_token": 6}),
        (Cell(0, 0, 0), {"row_axis": "token", "column_axis": "layer"}, {"token": 1, "layer": 1}),
        (Cell(0, 2, 1), {"row_axis": "head", "column_axis": "token"}, {"head": 3, "token": 2}),
        (Cell(0, 2, 1), {"row_axis": "position", "column_axis": "other position"}, {"token": 3}),
        (Cell(0, 2, 1), {"row_axis": "dimension", "column_axis": "neuron"}, {}),
        (Cell(0, 2, 1), {}, {}),
        (
            Cell(1, 2, 1, (4, 7)),
            {"row_axis": "query", "column_axis": "key", "tile_row_axis": "layer", "tile_column_axis": "head"},
            {"token": 3, "key_token": 2, "layer": 5, "head": 8},
        ),
        (
            Cell(1, 2, 1, (4, 7)),
            {"row_axis": "query", "column_axis": "", "tile_row_axis": "sentence", "tile_column_axis": ""},
            {"token": 3, "sentence": 5},
        ),
        (
            Cell(1, 2, 1, None),
            {"row_axis": "query", "tile_row_axis": "layer", "tile_column_axis": "head"},
            {"token": 3},
        ),
    ],
)
def test_follow(state, cell, axes, moved):
    follow(cell, axes)
    assert _moved(state) == moved
    assert state.get("focus", {}) == moved


def test_what_a_click_does_not_say_stays(state):
    follow(Cell(0, 3, 5), {"row_axis": "query", "column_axis": "key"})
    follow(Cell(0, 1, 2), {"row_axis": "layer", "column_axis": "head"})
    assert state["focus"] == {"token": 4, "key_token": 6, "layer": 2, "head": 3}


def test_address_leaves_out_what_stands_in_its_first_place(state):
    others = dict.fromkeys(("analogy", "cell", "edits", "variant", "dims", "neurons", "features"))
    assert address() == dict.fromkeys(("sentence", "layer", "head", "token", "key_token")) | others
    follow(Cell(0, 3, 0), {"row_axis": "query", "column_axis": "key"})
    assert address() == {"sentence": None, "layer": None, "head": None, "token": "4", "key_token": None} | others


def test_a_link_keeps_what_the_first_view_has_no_picker_for(framed):
    at = opened(stage_named("full_stack"), layer="2", key_token="4")
    assert at.session_state["focus"]["key_token"] == 4
    next(group for group in at.button_group if group.label == "View").set_value("One word")
    run(at)
    assert at.selectbox(key="focus_key_token").value == 4
