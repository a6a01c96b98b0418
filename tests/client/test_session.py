"""The client against real servers with small apps."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.client import Session
from tests.client.connection import ConnectionLost
from tests.client.server import running_script


@pytest.fixture
def session(widgets_app):
    with Session(widgets_app, "/?depth=2") as session:
        yield session


def caption(session, name):
    """What the script says of a value or a fragment."""
    return next(text for text in session.texts("caption") if name in text)


def test_opening_a_page_shows_it(session):
    assert (session.url, session.page, session.history) == ("/?depth=2", "", ["/?depth=2"])
    assert session.texts("title") == ["First"]
    assert caption(session, "name='A'") == "name='A' value=0 depth=2 runs=1"
    box = session.widgets()["box"]
    assert (box.kind, box.label, box.value, box.options) == ("selectbox", "Box", "red", ("red", "green", "blue"))
    assert (box.disabled, box.fragment) == (False, "")
    assert session.widgets()["A"].fragment
    assert session.session_id
    assert [sent.query_string for sent in session.sent] == ["depth=2"]


def test_what_is_not_there_cannot_be_used(session):
    for use in (session.set, session.send.set):
        with pytest.raises(KeyError, match="missing"):
            use("missing", 1)
    with pytest.raises(ValueError, match="yellow"):
        session.set("box", "yellow")
    with pytest.raises(ValueError, match="no button"):
        session.click("box")
    with pytest.raises(KeyError, match="missing"):
        session.trigger("missing", "x", 1)
    with pytest.raises(KeyError, match="missing"):
        session.follow("missing")
    assert len(session.sent) == 1


def test_a_disabled_button_cannot_be_clicked(containers_app):
    with Session(containers_app) as session:
        assert session.widgets()["Off"].disabled
        with pytest.raises(ValueError, match="Off"):
            session.click("Off")


def test_the_same_value_again_sends_nothing(session):
    session.set("box", "red")
    session.set("whole", 3)
    assert len(session.sent) == 1


def test_nothing_is_read_until_the_client_waits(session):
    session.send.set("box", "blue")
    session.send.set("A", 5)
    first, second = session.sent[1:]
    box, number = (session.widgets()[key].mounted.id for key in ("box", "A"))
    sent = {state.id: state for state in second.widget_states.widgets}
    assert (first.fragment_id, second.fragment_id) == ("", session.widgets()["A"].fragment)
    assert (sent[box].string_value, sent[number].int_value) == ("blue", 5)
    assert (session.widgets()["box"].value, session.widgets()["A"].value) == ("blue", 5)
    assert "box='red'" in caption(session, "box=")
    session.wait()
    assert "box='blue'" in caption(session, "box=")
    assert "value=5" in caption(session, "name='A'")


def test_messages_can_be_read_one_by_one(session):
    session.send.set("box", "blue")
    assert session.receive(0) == 0
    assert "box='red'" in caption(session, "box=")
    read = 0
    while "box='red'" in caption(session, "box="):
        assert session.receive(1) == 1
        read += 1
    assert read > 2  # status, new session, and what stands before
    assert session.receive(10_000) < 10_000
    assert session.receive(1) == 0


def test_a_batch_is_one_message(session):
    with session.batch(wait=False):
        session.set("box", "blue")
        session.set("A", 5)
        session.click("Click")
    assert len(session.sent) == 2
    assert "box='red'" in caption(session, "box=")
    session.wait()
    assert "box='blue'" in caption(session, "box=")
    assert "clicked=True" in caption(session, "clicked=")
    with session.batch():
        session.set("B", 1)
        session.set("box", "green")
    assert session.sent[-1].fragment_id == session.widgets()["B"].fragment
    assert "box='blue'" in caption(session, "box=")  # only the fragment has run


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


def test_long_messages_are_sent_once(session):
    long = session.texts("markdown")
    session.click("Click")
    assert len(session.sent[0].cached_message_hashes) == 0
    assert len(session.sent[1].cached_message_hashes) == 1
    assert session.texts("markdown") == long
    session.reload()
    assert len(session.sent[-1].cached_message_hashes) == 0


def test_widgets_in_a_closed_popover_are_not_mounted(session):
    hidden = next(x for x in session.app.mounts.all.values() if x.node.kind == "popover").path
    assert "hidden" not in session.widgets()
    with pytest.raises(KeyError):
        session.set("hidden", True)
    session.set("Hidden", True)
    assert session.app.mounts.open == {hidden: True}
    session.set("hidden", True)
    session.set("Hidden", False)
    assert "hidden" not in session.widgets()
    session.click("Click")
    assert "hidden=True" in session.texts("caption")


def test_containers_report_their_state(containers_app):
    with Session(containers_app, "/?tab=Two") as session:
        assert session.widgets()["tab"].value == "Two"
        session.set("more", True)
        session.set("tab", "One")
        session.set("menu", True)
        assert session.url == "/?more=true"
        assert "tab=One more=True menu=True" in session.texts("caption")
        with pytest.raises(ValueError, match="Three"):
            session.set("tab", "Three")


def test_exceptions_and_alerts_are_seen(containers_app):
    with Session(containers_app) as session:
        assert session.exceptions == []
        session.set("Note before the fields", True)
        assert session.texts("info") == ["A note"]
        session.set("Fail", True)
        assert session.exceptions == ["RuntimeError: as asked"]
        assert "ticks" not in "".join(session.texts("caption"))
        with pytest.raises(KeyError):
            session.texts("poem")


def test_fragments_run_by_themselves_when_their_interval_has_passed(containers_app):
    with Session(containers_app) as session:
        session.auto_rerun()
        assert session.sent[-1].is_auto_rerun
        assert "ticks=2" in session.texts("caption")
        session.set("Without the clock", True)
        messages = len(session.sent)
        session.auto_rerun()
        assert len(session.sent) == messages


def test_components_have_data_state_and_triggers(address_app):
    with Session(address_app, "/?layer=2") as session:
        assert session.components("board") == session.components("encoder_walkthrough.board") == [{"rows": 3}]
        assert session.components("oard") == []
        session.set_state("board", "other", 1)
        session.set_state("board", "cell", {"row": 1})
        assert [
            json.loads(state.json_value) for state in session.sent[-1].widget_states.widgets if state.json_value
        ] == [{"other": 1, "cell": {"row": 1}}]
        assert "cell={'row': 1} hint=None" in session.texts("caption")
        session.trigger("board", "hint", "why")
        assert "cell={'row': 1} hint=why" in session.texts("caption")
        session.click("Redraw")
        assert "cell={'row': 1} hint=None" in session.texts("caption")


def test_the_address_component_writes_the_history(address_app):
    with Session(address_app, "/?layer=2") as session:
        session.click("Deeper")
        session.click("Deeper")
        assert session.history == ["/?layer=2", "/?layer=3", "/?layer=4"]
        session.back()
        assert "layer=3" in session.texts("caption")
        assert session.url == "/?layer=3"


def test_a_component_can_have_another_hook(address_app, monkeypatch):
    calls = []
    monkeypatch.setattr(Session, "on_component", {"board": lambda: lambda page, data: calls.append((page, data))})
    with Session(address_app, "/?layer=2") as session:
        session.click("Deeper")  # the same data again
        assert [data for _, data in calls] == [{"rows": 3}]
        assert session.history == ["/?layer=2"]
        calls[0][0].trigger("hint", "from the hook")
        session.wait()
        assert "cell={} hint=from the hook" in session.texts("caption")
        session.reload()
        assert len(calls) == 2


CHANGES = st.one_of(
    st.tuples(st.sampled_from(["A", "B", "whole"]), st.integers(0, 9)),
    st.tuples(st.just("depth"), st.integers(1, 4)),
    st.tuples(st.just("box"), st.sampled_from(["red", "green", "blue"])),
)


def runs_of_fragments(session):
    return [int(count) for count in re.findall(r"runs=(\d+)", " ".join(session.texts("caption")))]


# The widgets of the fragments are not compared: the server may drop their messages, see test_frontend.py.
@settings(max_examples=15, deadline=None)
@given(changes=st.lists(st.tuples(CHANGES, st.integers(0, 3)), min_size=2, max_size=6))
def test_after_any_quick_succession_the_page_is_complete(widgets_app, changes):
    with Session(widgets_app) as session:
        for (key, value), messages in changes:
            session.send.set(key, value)
            session.receive(messages)
        session.wait()
        values = {key: widget.value for key, widget in session.widgets().items()}
        assert f"box={values['box']!r}" in caption(session, "box=")
        assert f"whole={values['whole']} " in caption(session, "whole=")
        before = runs_of_fragments(session)
        session.rerun()
        assert runs_of_fragments(session) == [count + 1 for count in before]  # no request was still waiting
        assert all(f"depth={values['depth']} " in caption(session, f"name='{name}'") for name in "AB")


def test_no_answer_in_time_is_an_error(widgets_app):
    with pytest.raises(TimeoutError, match="markers open"):
        Session(widgets_app, timeout=1e-9)


def test_a_server_that_is_gone_is_an_error(tmp_path):
    script = tmp_path / "app.py"
    script.write_text("import streamlit as st\nst.button('Run')")
    with running_script(script, tmp_path / "log.txt") as url:
        session = Session(url)
    with session, pytest.raises(OSError, match=r"."):
        session.click("Run")
    assert issubclass(ConnectionLost, OSError)
