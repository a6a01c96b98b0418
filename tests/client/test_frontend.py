"""The frontend with messages made by hand: widgets, runs, connections."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.client.script_by_hand import MAIN, NUMBER


def test_a_widget_keeps_its_value_unless_the_script_sets_it(script):
    script.app.widget_states.keep(NUMBER, "int_value", 5)
    script.begin()
    script.number("f")
    script.end()
    assert script.value == 5
    script.begin()
    script.number("f", value=7)
    script.end()
    assert script.value == 7


def test_a_value_that_the_script_sets_is_used_once(script):
    script.begin()
    script.number("f", value=7, message_hash="the same")
    script.end()
    script.app.widget_states.keep(NUMBER, "int_value", 5)
    script.begin()
    script.number("f", value=7, message_hash="the same")
    script.end()
    assert script.value == 5


def test_a_widget_that_moves_to_another_container_keeps_its_value(script):
    script.app.widget_states.keep(NUMBER, "int_value", 5)
    script.begin()
    script.number("f", part=1)
    script.end()
    assert script.value == 5


def test_a_widget_without_a_place_is_forgotten(script):
    script.begin()
    script.end(ForwardMsg.FINISHED_EARLY_FOR_RERUN)
    assert script.value == 3
    script.begin()
    script.end()
    assert script.value is None


def test_a_run_of_a_fragment_forgets_its_own_widgets_only(script):
    script.begin(fragments=["g"])
    script.end(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, ["g"])
    assert script.value == 3


def test_a_widget_whose_message_was_dropped_loses_its_value(script):
    """When a run of a fragment directly follows a run of the app, Streamlit 1.67 drops what the server has not yet sent
    of this fragment (`ForwardMsgQueue.clear`). Seen in Chromium: the run of the app ends without the widget, which
    then comes back with its default, while the script still has the value.
    """
    script.app.widget_states.keep(NUMBER, "int_value", 5)
    script.begin()
    script.end()
    script.begin(fragments=["f"])
    script.number("f")
    script.end(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, ["f"])
    assert script.value == 3


def test_a_fragment_whose_message_was_dropped_comes_back_over_its_neighbour(script):
    """The same, seen in Chromium: what stands behind the fragment has moved up when it comes back."""
    for place in (0, 1):
        script.text(f"text {place}", place, fragment="f" if place == 0 else "")
    script.end()
    script.begin()
    script.text("text 1", 1)
    script.end()
    script.begin(fragments=["f"])
    script.text("text 0", 0, fragment="f")
    script.end(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, ["f"])
    assert script.texts == ["text 0"]


def test_an_outdated_end_removes_nothing(script):
    script.begin()
    script.number("f")
    message = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
    message.metadata.run.script_run_id = "run 1"
    script.app.handle(message.SerializeToString())
    assert script.value == 3


def test_a_lost_connection_asks_for_a_run_only_if_one_may_be_missing(script):
    script.app.disconnected()
    script.app.connected()
    assert script.sent == []
    script.say(session_status_changed={"script_is_running": True})
    script.app.connected()
    script.say(session_status_changed={"script_is_running": False})
    script.begin(fragments=["f"])
    script.app.disconnected()
    script.app.connected()
    assert len(script.sent) == 2


def test_the_key_r_does_nothing_during_a_run(script):
    script.say(session_status_changed={"script_is_running": True})
    script.app.rerun()
    assert script.sent == []
    script.say(session_status_changed={"script_is_running": False})
    script.app.rerun()
    assert len(script.sent) == 1


def test_intervals_of_fragments_end_with_the_next_run_of_the_app(script):
    script.say(auto_rerun={"fragment_id": "f", "interval": 0.7})
    script.say(auto_rerun={"fragment_id": "g", "interval": 1})
    script.say(stop_auto_rerun={"fragment_ids": ["g"]})
    assert script.app.auto_reruns == {"f": pytest.approx(0.7)}
    script.app.auto_rerun("f")
    assert (script.sent[-1].is_auto_rerun, script.sent[-1].fragment_id) == (True, "f")
    script.begin(fragments=["f"])
    assert script.app.auto_reruns
    script.begin()
    assert not script.app.auto_reruns


def test_a_page_that_does_not_exist(script):
    script.say(page_not_found={"page_name": "nowhere"})
    assert (script.app.page_not_found, script.app.page_hash) == ("nowhere", MAIN)
