"""The frontend with messages made by hand."""

import pytest
from streamlit.proto.ClientState_pb2 import ContextInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.client.frontend import App
from tests.client.location import Location

MAIN, HOME, OTHER = "main script", "home script", "other script"
NUMBER = "$$ID-hash-number"


class Script:
    """Hands messages to an app as a server does."""

    def __init__(self, url="/"):
        self.sent = []
        self.location = Location(url)
        send = lambda message: self.sent.append(message.rerun_script)  # noqa: E731
        self.app = App("http://server", self.location, ContextInfo(timezone="UTC"), send, lambda *_: None)
        self.run = 0

    def say(self, **fields):
        message = ForwardMsg(**fields)
        message.metadata.run.script_run_id = f"run {self.run}"
        self.app.handle(message.SerializeToString())

    def begin(self, page=HOME, fragments=()):
        self.run += 1
        message = ForwardMsg()
        message.new_session.page_script_hash, message.new_session.main_script_hash = page, MAIN
        message.new_session.initialize.session_id = "session"
        message.new_session.config.max_cached_message_age = 2
        message.metadata.run.script_run_id = f"run {self.run}"
        message.metadata.run.fragment_ids.extend(fragments)
        self.app.handle(message.SerializeToString())

    def navigation(self, page=HOME):
        message = ForwardMsg()
        for path, script in (("", HOME), ("other", OTHER)):
            message.navigation.app_pages.add(page_script_hash=script, url_pathname=path, is_default=not path)
        message.navigation.page_script_hash = page
        self.app.handle(message.SerializeToString())

    def number(self, fragment="", *, script=MAIN, bind="", value=None):
        """A number input at the first place of the main block."""
        message = ForwardMsg()
        number = message.delta.new_element.number_input
        number.id, number.default, number.max = NUMBER, 3, 9
        if bind:
            number.query_param_key = bind
        if value is not None:
            number.value, number.set_value = value, True
        message.delta.fragment_id = fragment
        message.metadata.delta_path.extend([0, 0])
        message.metadata.active_script_hash = script
        self.app.handle(message.SerializeToString())

    def end(self, status=ForwardMsg.FINISHED_SUCCESSFULLY, fragments=()):
        message = ForwardMsg(script_finished=status)
        message.metadata.run.script_run_id = f"run {self.run}"
        message.metadata.run.fragment_ids.extend(fragments)
        self.app.handle(message.SerializeToString())

    @property
    def value(self):
        state = self.app.widget_states.get(NUMBER)
        return state.int_value if state else None

    @property
    def urls(self):
        return [entry.url for entry in self.location.entries]


@pytest.fixture
def script():
    script = Script()
    script.begin()
    script.navigation()
    script.number("f")
    script.end()
    return script


def test_the_first_message_names_the_page_by_its_path():
    script = Script("/other%20page?layer=2")
    script.app.connected()
    first = script.sent[0]
    assert (first.page_name, first.page_script_hash, first.query_string) == ("other page", "", "layer=2")
    assert first.context_info.url == "http://server/other%20page"
    assert first.context_info.timezone == "UTC"


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
    script.number("f", value=7)
    script.end()
    script.app.widget_states.keep(NUMBER, "int_value", 5)
    script.app.mounts.update(script.app.root)
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
    """The server drops the deltas of a fragment from its queue when a run of the fragment follows the run of the app.

    Seen in Chromium: the run of the app ends without the widget, which then comes back with its default.
    """
    script.app.widget_states.keep(NUMBER, "int_value", 5)
    script.begin()
    script.end()
    script.begin(fragments=["f"])
    script.number("f")
    script.end(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, ["f"])
    assert script.value == 3


def test_an_outdated_end_removes_nothing(script):
    script.begin()
    message = ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)
    message.metadata.run.script_run_id = "run 1"
    script.app.handle(message.SerializeToString())
    assert script.value == 3


def test_another_page_has_another_address(script):
    script.begin(OTHER)
    script.navigation(OTHER)
    assert script.urls == ["/", "/other"]
    script.begin(OTHER)
    script.navigation(OTHER)
    assert script.urls == ["/", "/other"]


def test_a_link_to_another_page_takes_the_bound_parameters_along(script):
    script.begin()
    script.number("f", bind="w")
    script.end()
    script.location.replace("/?z=1&w=4")
    script.app.change_page(OTHER, "note=x")
    assert (script.sent[-1].query_string, script.sent[-1].page_script_hash) == ("w=4&note=x", OTHER)
    assert [state.id for state in script.sent[-1].widget_states.widgets] == [NUMBER]
    script.navigation(OTHER)
    assert script.urls[-1] == "/other?w=4&note=x"


def test_the_widgets_of_a_page_stay_behind(script):
    script.begin()
    script.number("f", script=HOME)
    script.end()
    script.app.change_page(OTHER)
    assert len(script.sent[-1].widget_states.widgets) == 0
    script.begin(OTHER)
    assert script.value is None


@pytest.mark.parametrize(("query", "sent"), [(None, "layer=1"), ("", "")])
def test_a_link_to_the_same_page(script, query, sent):
    script.app.query_params = "layer=1"
    script.app.change_page(HOME, query)
    assert script.sent[-1].query_string == sent
    assert script.app.query_params == "layer=1"


def test_query_params_of_the_script_are_a_new_entry(script):
    script.say(page_info_changed={"query_string": "a=1"})
    script.say(page_info_changed={"query_string": "a=1"})
    script.say(page_info_changed={"query_string": ""})
    assert script.urls == ["/", "/?a=1", "/"]
    assert script.app.query_params == ""


def test_query_params_after_back_are_no_new_entry(script):
    script.location.push("/?layer=2")
    script.location.go(-1)
    script.app.history_changed()
    assert script.sent[-1].is_history_navigation
    assert (script.sent[-1].query_string, script.sent[-1].page_script_hash) == ("", HOME)
    script.begin()
    script.say(page_info_changed={"query_string": "a=1"})
    assert script.urls == ["/?a=1", "/?layer=2"]
    script.end()
    script.say(page_info_changed={"query_string": "a=2"})
    assert script.urls == ["/?a=1", "/?a=2"]


def test_another_action_ends_the_navigation_by_back(script):
    script.location.push("/?layer=2")
    script.location.go(-1)
    script.app.history_changed()
    script.app.widget_states.schedule_flush("")
    script.begin()
    script.say(page_info_changed={"query_string": "a=1"})
    assert script.urls == ["/", "/?a=1"]


def test_back_finds_the_page_of_its_path(script):
    script.location.push("/other?layer=2")
    script.app.history_changed()
    assert (script.sent[-1].page_script_hash, script.app.query_params) == (OTHER, "layer=2")
    script.location.push("/unknown")
    script.app.history_changed()
    assert script.sent[-1].page_script_hash == HOME


def test_the_query_that_is_sent_is_the_frontends_own_copy(script):
    script.app.query_params = "layer=1"
    script.location.replace("/?layer=2")  # as JavaScript of a component does
    script.app.widget_states.schedule_flush("")
    script.app.query_params = ""
    script.app.widget_states.schedule_flush("")
    assert [sent.query_string for sent in script.sent] == ["layer=1", "layer=2"]


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
