"""The focus follows a click, and the URL says where it is."""

import pytest
import streamlit as st

from dashboard.focus import Cell, follow
from dashboard.stages import stage_named
from dashboard.state.session import session
from tests.pages.app import chosen, key_of, opened, run


@pytest.fixture
def current(monkeypatch):
    """A session without a server."""
    monkeypatch.setattr(st, "session_state", {})
    return session()


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
def test_follow(current, cell, axes, moved):
    follow(cell, axes)
    assert current.values == moved


def test_what_a_click_does_not_say_stays(current):
    follow(Cell(0, 3, 5), {"row_axis": "query", "column_axis": "key"})
    follow(Cell(0, 1, 2), {"row_axis": "layer", "column_axis": "head"})
    assert current.values == {"token": 4, "key_token": 6, "layer": 2, "head": 3}


def test_recipes_has_a_position_of_its_own(current):
    follow(Cell(0, 3, 5), {"row_axis": "query", "column_axis": "key"})
    current.open_page("recipes")
    follow(Cell(0, 1, 2), {"row_axis": "query", "column_axis": "head"})
    assert current.values == {"token": 4, "key_token": 6, "recipe_token": 2, "recipe_head": 3}


def test_a_link_keeps_what_the_first_view_has_no_picker_for(framed):
    at = opened(stage_named("full_stack"), layer="2", key_token="4")
    assert chosen(at, "key_token") == 4
    next(group for group in at.button_group if group.label == "View").set_value("One word")
    run(at)
    assert at.selectbox(key=key_of(at, "key_token")).value == 4
