"""What a forged message contains is not believed: clicks, operands, values of widgets, and links without end."""

import math
import sys

import pytest
import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import GENERATED_ELEMENT_ID_PREFIX, WidgetMetadata
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX, Serialized, WStates

from dashboard.components.plot import _parse_click
from dashboard.serving.patches.widget_states import check_widget_states
from dashboard.state import edit_history
from dashboard.state.choices import DETAILS, HEADS_OFF, NEURON, TEMPERATURE
from dashboard.state.session import session
from dashboard.state.widgets import bind_value, bind_widget
from encoder_core import HeadFactor
from encoder_core.edits import parse_edit
from tests.robustness.forged import CELLS, CLICK


@pytest.fixture
def current(monkeypatch):
    """A session without a server."""
    monkeypatch.setattr(st, "session_state", {})
    return session()


def test_a_click_has_whole_numbers_from_0():
    assert _parse_click(CLICK) == (0, 0, 0, None)
    assert _parse_click({**CLICK, "panel": 2, "tile": [1, 3]}) == (2, 0, 0, (1, 3))
    possible = [cell for cell in CELLS if _parse_click(cell)]
    assert possible == [
        {**CLICK, "panel": 10**30},  # the plot has no such panel or cell
        {**CLICK, "row": 10**30},
        {**CLICK, "tile": [99, 99]},
    ]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [(DETAILS, "Secrets"), (DETAILS, 1), (NEURON, math.nan), (NEURON, -1), (NEURON, "x"), (TEMPERATURE, 0.11),
     (HEADS_OFF, ["x"]), (HEADS_OFF, 3), (HEADS_OFF, [1] * 65), (TEMPERATURE, None)],
)  # fmt: skip
def test_a_widget_sets_only_what_a_link_could_contain(current, parameter, value):
    bound = bind_widget(parameter)
    st.session_state[bound["key"]] = value
    bound["on_change"]()
    assert current.values == {}


def test_a_list_sets_only_its_options(current):
    chosen = []
    bound = bind_value("anything", "a", chosen.append, index_of=["a", "b"])
    for value in ("c", None, 1, "b"):
        st.session_state[bound["key"]] = value
        bound["on_change"]()
    assert chosen == ["b"]


def test_a_state_that_cannot_be_read_counts_as_missing():
    check_widget_states()
    states = WStates()
    metadata = WidgetMetadata("w", deserializer=lambda value: 1 / value, serializer=float, value_type="double_value")
    states.set_widget_metadata(metadata)
    for field, value, expected in (
        ("double_value", 4.0, 0.25),
        ("int_value", 4, 0.25),  # from a field for whole numbers
        ("double_value", 0.0, None),
        ("string_value", "x", None),
    ):
        states["w"] = Serialized(WidgetState(id="w", **{field: value}))
        assert states.get("w") == expected
    states.set_widget_metadata(WidgetMetadata("j", deserializer=str, serializer=str, value_type="json_value"))
    for text, expected in (("{}", "{}"), ("{", None), ("[" * 99_999, None)):
        states["j"] = Serialized(WidgetState(id="j", json_value=text))
        assert states.get("j") == expected


def test_a_state_whose_id_is_none_of_a_widget_is_not_kept():
    """To read all states, as a text area of Streamlit does, would raise a KeyError."""
    check_widget_states()
    state, kept = SessionState(), [f"{GENERATED_ELEMENT_ID_PREFIX}-w", f"{STREAMLIT_INTERNAL_KEY_PREFIX}_event"]
    state.set_widgets_from_proto(WidgetStates(widgets=[WidgetState(id=i, string_value="a") for i in ("x", *kept)]))
    assert list(state._new_widget_state.states) == kept
    assert state.filtered_state == {}


def test_the_undo_history_ends(current):
    for step in range(edit_history.MAX_HISTORY + 50):
        edit_history.add(HeadFactor(0, 0, factor=step / 1000))
    count = 0
    while edit_history.can_undo():
        edit_history.undo()
        count += 1
    assert count == edit_history.MAX_HISTORY


def test_unknown_parameters_of_a_link_are_kept_up_to_a_length(current):
    current.read_link(f"{'n' * 3_000}=1&utm_source=mail&{'&'.join(f'p{n}=1' for n in range(2_000))}")
    assert current.query().startswith("utm_source=mail&p0=1&")
    assert len(current.query()) <= 2_000
    current.read_link("seed=7&" + "&" * 200_000)
    assert current.query() == ""
    assert current.link == ""


def test_many_unknown_parameters_take_work_for_each_only_once(current):
    calls, number = 0, 1_000

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        current.read_link("a&" * number)
    finally:
        sys.setprofile(None)
    assert calls < 30 * number


def test_a_text_of_an_edit_is_not_quoted_without_end():
    with pytest.raises(
        ValueError, match=r"^edit 'head\.0{15}'…: 50005 characters are invalid: allowed are at most 120\.$"
    ):
        parse_edit("head." + "0" * 50_000)
