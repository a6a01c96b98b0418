"""Widgets look up their own entry in the session state, and find what a copy of it would have."""

import pytest
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.testing.v1 import AppTest

from dashboard.serving.patches.state_copies import look_up_without_copies


def with_widgets():
    """A script whose widgets look at the session state: each shows no value where its entry is None."""
    import streamlit as st

    st.session_state.setdefault("number", 3)
    st.session_state.setdefault("beside", "not of a widget")
    st.selectbox("Box", ["a", "b"], index=1, key="box")
    st.selectbox("Empty box", ["a", "b"], key="empty")
    st.radio("Radio", ["x", "y"], key="radio")
    st.number_input("Number", key="number")
    st.text_input("Line", "words", key="line")
    st.text_area("Area", "more words", key="area")


@pytest.fixture
def copies(monkeypatch):
    """How often the session state has been copied, since widgets look up their entries."""
    made = []
    copy = SessionState.filtered_state.fget
    monkeypatch.setattr(SessionState, "filtered_state", property(lambda state: made.append(1) or copy(state)))
    monkeypatch.setattr(SafeSessionState, "filtered_state", SafeSessionState.filtered_state)  # given back afterwards
    look_up_without_copies()
    look_up_without_copies()  # each run of the app asks for it
    return made


def values(page):
    shown = (*page.selectbox, *page.radio, *page.number_input, *page.text_input, *page.text_area)
    return {widget.key: widget.value for widget in shown}


def test_no_widget_copies_the_state(copies):
    page = AppTest.from_function(with_widgets).run()
    assert not page.exception
    assert values(page) == {
        "box": "b", "empty": "a", "radio": "x", "number": 3, "line": "words", "area": "more words",
    }  # fmt: skip
    page.selectbox(key="box").set_value("a").run()
    assert values(page)["box"] == "a"
    assert copies == []


def test_a_widget_without_a_value_stays_without_one(copies):
    page = AppTest.from_function(with_widgets)
    for key in ("empty", "number", "line", "area", "radio"):
        page.session_state[key] = None
    page.run()
    assert not page.exception
    assert values(page) == {"box": "b", "empty": None, "radio": None, "number": None, "line": None, "area": None}
    assert copies == []


def test_who_goes_through_all_entries_finds_those_of_a_copy(copies):
    state = SessionState()
    run = SafeSessionState(state, lambda: None)
    run["one"], run["two"] = 1, None
    assert dict(run.filtered_state) == state.filtered_state == {"one": 1, "two": None}
    assert len(run.filtered_state) == 2
    assert "one" in run.filtered_state
    assert "three" not in run.filtered_state
    with pytest.raises(KeyError):
        run.filtered_state["three"]
