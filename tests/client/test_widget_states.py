import json

import pytest

from benchmarks.client.widget_states import WidgetStateManager, to_json


@pytest.fixture
def sent():
    return []


@pytest.fixture
def manager(sent):
    def send(states, fragment):
        sent.append((fragment, {state.id: state for state in states.widgets}))

    return WidgetStateManager(send)


def test_without_a_batch_every_change_is_a_message(manager, sent):
    manager.keep("a", "int_value", 1)
    manager.schedule_flush("")
    manager.keep("b", "string_array_value", ("x", "y"))
    manager.schedule_flush("f")
    assert [fragment for fragment, _ in sent] == ["", "f"]
    assert sent[0][1].keys() == {"a"}
    assert sent[1][1]["a"].int_value == 1
    assert list(sent[1][1]["b"].string_array_value.data) == ["x", "y"]


@pytest.mark.parametrize(
    ("scheduled", "fragment"), [(["", "f"], ""), (["f", ""], "f"), (["f", "g"], "f"), (["f", "f"], "f")]
)
def test_a_batch_is_one_message_with_the_first_fragment_id(manager, sent, scheduled, fragment):
    with manager.batch():
        for one in scheduled:
            manager.schedule_flush(one)
        assert sent == []
    assert [one for one, _ in sent] == [fragment]


def test_a_batch_without_a_change_sends_nothing(manager, sent):
    with manager.batch():
        manager.keep("a", "int_value", 1)
    assert sent == []


def test_a_click_is_sent_once(manager, sent):
    manager.trigger("button")
    manager.schedule_flush("")
    manager.schedule_flush("")
    assert sent[0][1]["button"].trigger_value is True
    assert "button" not in sent[1][1]


def test_triggers_of_one_tick_are_a_list(manager, sent):
    with manager.batch():
        manager.trigger("c", {"event": "hint", "value": 1.0})
        manager.trigger("c", {"event": "restore", "value": None})
        manager.schedule_flush("f")
    assert json.loads(sent[0][1]["c"].json_trigger_value) == [
        {"event": "hint", "value": 1},
        {"event": "restore", "value": None},
    ]


def test_an_empty_widget_has_a_state_without_a_value(manager, sent):
    manager.keep("a", "string_value", "x")
    manager.keep("a", "string_value", None)
    manager.schedule_flush("")
    assert sent[0][1]["a"].WhichOneof("value") is None


def test_inactive_widgets_are_forgotten_but_not_triggers_that_wait(manager):
    manager.keep("a", "int_value", 1)
    manager.keep("b", "int_value", 1)
    with manager.batch():
        manager.trigger("button")
        manager.remove_inactive({"b"})
    assert (manager.get("a"), manager.get("button") is None, manager.get("b").int_value) == (None, False, 1)


def test_only_some_widgets_go_to_another_page(manager):
    manager.keep("a", "int_value", 1)
    manager.keep("b", "int_value", 2)
    assert [state.id for state in manager.among({"b", "c"}).widgets] == ["b"]


def test_json_has_the_numbers_of_javascript():
    assert to_json({"a": 1.0, "b": 0.5, "c": float("nan"), "d": (True, "é"), 2: 1e22}) == (
        '{"a":1,"b":0.5,"c":null,"d":[true,"é"],"2":1e+22}'
    )
