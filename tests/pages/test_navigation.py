"""The pages of a run."""

from streamlit.testing.v1 import AppTest

from tests.servers import APP


def _two_runs_at_once(app):
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from dashboard.navigation import keep_pages, register_pages

    get_script_run_ctx().pages_manager._main_script_path = app  # not the file that has this function
    first, second = register_pages()[1], register_pages()[1]
    assert first.keys() == second.keys()
    assert not any(first[name] is second[name] for name in first)
    keep_pages(second)
    assert register_pages()[1] is second


def test_a_run_that_begins_before_another_has_ended_has_pages_of_its_own():
    """Streamlit marks the page that may run: the first run would fail where the second one leads to another page."""
    assert not AppTest.from_function(_two_runs_at_once, args=(str(APP),)).run().exception
