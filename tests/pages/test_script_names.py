"""Nothing of a page's script is left once the page has run again."""

import gc
import types
import weakref

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.models import cache
from dashboard.models.model import Model
from dashboard.page_list import PAGES, page_named
from dashboard.state.parameter import PARAMETERS
from tests.pages.app import TIMEOUT, opened, run


def way_to(target, sources):
    """How something is reached from others by references, without what modules and scripts know by name; or None."""
    left, seen = [(source, ()) for source in sources], set()
    while left:
        found, way = left.pop()
        for reference in gc.get_referents(found):
            if reference is target:
                return [*way, found]
            is_names = isinstance(reference, dict) and "__builtins__" in reference
            if id(reference) not in seen and not isinstance(reference, type | types.ModuleType) and not is_names:
                seen.add(id(reference))
                left.append((reference, (*way, found)))
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_widgets_call_needs_no_name_of_the_script(page):
    """Streamlit calls it when the next run begins, and after a run that was stopped."""
    at = opened(page)
    names = at.session_state["session"].script_names._names
    assert names["__file__"].endswith(f"{page.name}.py")
    widgets = at.session_state._state._state._new_widget_state.widget_metadata
    assert widgets
    assert way_to(names, widgets.values()) is None
    assert way_to(names, [lambda: names]), "the search finds what is there"


def test_a_fragment_whose_names_are_forgotten_runs_the_page_again():
    """As after a run that was stopped before it came to its fragment."""
    at = AppTest.from_string("""
        import streamlit as st
        from streamlit.runtime.scriptrunner import get_script_run_ctx
        from dashboard.shell import frame
        from dashboard.state import choices
        from dashboard.state.session import session

        st.session_state.runs = st.session_state.get("runs", 0) + 1
        frame.run_as_fragment(lambda: st.write("body"))
        if st.session_state.runs == 1:
            session().script_names.forget()
            (fragment,) = get_script_run_ctx().fragment_storage._fragments.values()
            fragment()
    """)
    at.run(timeout=TIMEOUT)
    assert not at.exception
    assert at.session_state["runs"] == 2
    assert [text.value for text in at.markdown] == ["body"]


@pytest.mark.parametrize("name", ["map", "softmax", "full_stack", "recipes"])
def test_a_model_that_has_left_the_page_and_the_cache_is_freed_without_the_garbage_collector(no_collection, name):
    at = opened(page_named(name))
    choose(at, 72)
    models = [weakref.ref(found) for found in gc.get_objects() if isinstance(found, Model) and is_chosen(found, 72)]
    assert models
    cache._CACHE.clear()
    choose(at, 80)
    assert [model for model in models if model()] == []


def choose(at, d_ff):
    at.session_state["session"].set_derived(PARAMETERS["d_ff"], d_ff)
    run(at)


def is_chosen(model, d_ff):
    return model.settings.d_ff == d_ff
