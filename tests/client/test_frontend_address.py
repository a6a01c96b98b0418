"""The frontend with messages made by hand: pages, history, query strings."""

import pytest

from tests.client.script_by_hand import HOME, NUMBER, OTHER, Script


def test_the_first_message_names_the_page_by_its_path():
    script = Script("/other%20page?layer=2")
    script.app.connected()
    first = script.sent[0]
    assert (first.page_name, first.page_script_hash, first.query_string) == ("other page", "", "layer=2")
    assert first.context_info.url == "http://server/other%20page"
    assert first.context_info.timezone == "UTC"


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
