"""The names of a page's script are forgotten when it runs again, and not before nobody uses them."""

import threading

from dashboard.state import script_names
from dashboard.state.script_names import ScriptNames, script_run
from dashboard.state.session import Session


def names_of_a_script():
    return {"__name__": "__main__", "current": object()}


def test_the_next_script_of_a_session_forgets_the_names():
    first, second, session = names_of_a_script(), names_of_a_script(), Session()
    session.use_script(ScriptNames(first))
    assert "current" in first
    session.use_script(ScriptNames(second))
    assert first == {}
    assert "current" in second


def test_names_stay_while_their_fragment_runs():
    first, session = names_of_a_script(), Session()
    names = ScriptNames(first)
    session.use_script(names)
    with names.in_use():
        with names.in_use():
            session.use_script(ScriptNames(names_of_a_script()))
        assert names.are_forgotten
        assert "current" in first
    assert first == {}


def test_names_stay_until_their_script_has_ended():
    """Streamlit may begin a run while another one of the same session still ends, in another thread."""
    first, session = names_of_a_script(), Session()

    def run_again():
        with script_run():
            session.use_script(ScriptNames(names_of_a_script()))

    with script_run():
        session.use_script(ScriptNames(first))
        other = threading.Thread(target=run_again)
        other.start()
        other.join()
        assert "current" in first
    assert first == {}


def test_the_names_of_a_module_stay():
    """A page may take its body from a module."""
    names = ScriptNames(vars(script_names))
    names.forget()
    assert script_names.ScriptNames is ScriptNames
