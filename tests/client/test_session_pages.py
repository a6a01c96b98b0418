"""The client against real servers: pages, history, reload, reconnection."""

import pytest

from tests.client.scripts import caption


def test_a_page_takes_its_widgets_along_when_it_goes(session):
    session.set("box", "blue")
    session.follow("second")
    assert (session.url, session.page, session.texts("title")) == ("/second?depth=2", "second", ["Second"])
    assert session.sent[-1].query_string == "depth=2"
    keys = {state.id.split("-")[-1] for state in session.sent[-1].widget_states.widgets}
    assert keys == {"depth", "A", "B"}
    assert "box" not in session.widgets()


def test_history_and_bound_parameters(session):
    session.set("depth", 4)
    session.follow(session.page_links()[0])
    session.set("size", "L")
    assert session.history == ["/?depth=4", "/second?depth=4&note=a+b&size=L"]
    session.set("depth", 1)
    assert session.history_index == 1
    session.back()
    assert (session.url, session.history_index, session.widgets()["depth"].value) == ("/?depth=4", 0, "4")
    assert session.sent[-1].is_history_navigation
    session.forward()
    assert session.url == "/second?note=a+b&size=L"
    assert (session.widgets()["size"].value, session.widgets()["depth"].value) == ("L", "1")
    with pytest.raises(IndexError):
        session.forward()


def test_reload_is_a_new_session_at_the_same_address(session):
    session.follow("second")
    session.set("A", 5)
    before = session.session_id
    session.reload()
    assert session.session_id != before
    assert session.history == ["/?depth=2", "/second?depth=2"]
    assert session.widgets()["A"].value == 0
    session.back()
    assert session.sent[-1].is_history_navigation


def test_another_document_is_loaded_when_the_history_goes_back_to_it(session):
    session.open("/second?size=M")
    assert session.texts("title") == ["Second"]
    before = session.session_id
    session.back()
    assert session.session_id != before
    assert (session.url, session.texts("title")) == ("/?depth=2", ["First"])
    assert not session.sent[-1].is_history_navigation


def test_a_forgotten_session_gets_all_values_with_the_next_action(session):
    session.set("A", 5)
    session.set("box", "blue")
    before, messages = session.session_id, len(session.sent)
    session.reconnect()
    assert len(session.sent) == messages
    session.set("depth", 3)
    assert session.session_id != before
    assert caption(session, "name='A'") == "name='A' value=5 depth=3 runs=1"
    assert "box='blue'" in caption(session, "box=")


def test_a_forgotten_session_drops_the_run_of_a_fragment(session):
    session.reconnect()
    session.set("A", 5)
    assert session.sent[-1].fragment_id
    assert "value=0" in caption(session, "name='A'")
    session.rerun()
    assert "value=5" in caption(session, "name='A'")


def test_a_resumed_session_goes_on(session):
    session.set("A", 5)
    before = session.session_id
    session.reconnect(keep_session=True)
    assert session.sent[-1].fragment_id == ""  # the last run was one of a fragment
    session.set("A", 6)
    assert session.session_id == before
    assert caption(session, "name='A'") == "name='A' value=6 depth=2 runs=4"
