"""Clicks move the focus, and the URL contains it."""

import numpy as np
import pytest
import streamlit as st

from dashboard.page_list import stage_named
from dashboard.selection.focus import move_focus
from dashboard.state.session import session
from encoder_core.figures import AxisMeaning, HeatmapStyle, MosaicStyle, TileGrid, heatmap, mosaic
from tests.pages.app import chosen, key_of, link_of, opened, run


@pytest.fixture
def current(monkeypatch):
    """A session without a server."""
    monkeypatch.setattr(st, "session_state", {})
    return session()


def clicked(row, column, tile=None):
    """A function from the axes of a panel of five rows and eight columns to what a click on this cell selects."""

    def selection(*axes, tile_axes=("", "")):
        values, names = np.zeros((5, 8)), [str(index) for index in range(8)]
        if tile is None:
            panel = heatmap(
                values, names[:5], names, title="", style=HeatmapStyle(row_axis=axes[0], column_axis=axes[1])
            )
        else:
            panel = mosaic(
                np.broadcast_to(values, (5, 8, 5, 8)),
                TileGrid(names[:5], names, row_axis=tile_axes[0], column_axis=tile_axes[1]),
                names[:5],
                names,
                title="",
                style=MosaicStyle(row_axis=axes[0], column_axis=axes[1]),
            )
        return panel.selection(panel.place(row, column, tile))

    return selection


@pytest.mark.parametrize(
    ("selection", "moved"),
    [
        (clicked(3, 5)("query", "key"), {"token": 4, "key_token": 6}),
        (clicked(3, 5)("query", "dimension"), {"token": 4}),
        (clicked(3, 5)("dimension", "key"), {"key_token": 6}),
        (clicked(0, 0)("token", "layer"), {"token": 1}),  # layer 1 is the default
        (clicked(2, 1)("head", "token"), {"head": 3, "token": 2}),
        (clicked(2, 1)("position", "other position"), {"token": 3}),
        (clicked(2, 1)("dimension", "neuron"), {}),
        (clicked(2, 1)("", ""), {}),
        (
            clicked(2, 1, (4, 7))("query", "key", tile_axes=("layer", "head")),
            {"token": 3, "key_token": 2, "layer": 5, "head": 8},
        ),
        (clicked(2, 1, (4, 7))("query", "", tile_axes=("sentence", "")), {"token": 3, "sentence": 5}),
    ],
)
def test_move_focus(current, selection, moved):
    move_focus(selection)
    assert current.values == moved


def test_a_panel_can_define_what_its_places_select(current):
    stages = AxisMeaning("stage", selects=[{"layer": 0}, {"layer": 0}, {"layer": 1}])
    panel = heatmap(
        np.zeros((3, 2)),
        ["in", "1", "2"],
        ["a", "b"],
        title="",
        style=HeatmapStyle(row_axis=stages, column_axis="token"),
    )
    move_focus(panel.selection(panel.place(2, 1)))
    assert current.values == {"layer": 2, "token": 2}


def test_a_click_keeps_the_parts_that_it_does_not_select(current):
    move_focus({"token": 3, "key_token": 5})
    move_focus({"layer": 1, "head": 2})
    assert current.values == {"token": 4, "key_token": 6, "layer": 2, "head": 3}


def test_recipes_has_a_separate_focus(current):
    move_focus({"token": 3, "key_token": 5})
    current.open_page("recipes")
    move_focus({"token": 1, "head": 2})
    assert current.values == {"token": 4, "key_token": 6, "recipe_token": 2, "recipe_head": 3}


def test_a_link_keeps_parts_that_the_first_view_has_no_control_for(framed):
    at = opened(stage_named("full_stack"), layer="2", key_token="4")
    assert chosen(at, "key_token") == 4
    next(group for group in at.button_group if group.label == "View").set_value("One word")
    run(at)
    assert at.selectbox(key=key_of(at, "key_token")).value == 4


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, ("it", "cat")),
        ({"encoder": "words"}, ("it", "cat")),
        ({"text": "Well, IT rains"}, ("IT", "Well")),
        ({"text": "A cat\nit is late", "sentence": "2"}, ("it", "it")),
        ({"token": "1", "key_token": "1"}, ("The", "The")),
        ({"encoder": "reverse"}, ("e", "e")),
    ],
)
def test_the_query_is_it_and_the_key_is_cat_at_first(framed, settings, words):
    at = opened(stage_named("weighted_values"), **settings)
    boxes = [at.selectbox(key=key_of(at, part)) for part in ("token", "key_token")]
    query, key = (box.options[box.index] for box in boxes)
    assert (query.split(" · ")[1], key.split(" · ")[1]) == words
    assert not set(link_of(at)) - set(settings)  # the defaults are not in the URL
