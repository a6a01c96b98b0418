"""The session: links are read and written, mistakes in them are said, and only the user or a link changes a value."""

from urllib.parse import urlencode

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some

import dashboard.inspect.depths  # noqa: F401 - declares every parameter
from dashboard.state.choices import CURVES, DETAILS, NEURON, NUMBERS, TEMPERATURE, VIEW
from dashboard.state.parameter import PARAMETERS, Parameter, declare
from dashboard.state.session import Session, script_of_the_page, session
from dashboard.state.settings import OPTIONS, SETTINGS
from dashboard.state.widgets import shows, widget_key


@pytest.fixture
def current(monkeypatch):
    """A session without a server."""
    monkeypatch.setattr(st, "session_state", {})
    return session()


def test_a_link_is_read_and_written_again(current):
    link = "text=one+two%0Athree&d_model=128&scaled=false&layer=3&temperature=0.5&curves=1.2&edits=unscaled"
    current.read_link(link)
    assert current.get(SETTINGS["text"]) == "one two\nthree"
    assert current.get(SETTINGS["d_model"]) == 128
    assert current.get(SETTINGS["scaled"]) is False
    assert current.get(TEMPERATURE) == 0.5
    assert current.get(CURVES) == (1, 2)
    assert not current.problems
    again = Session()
    again.read_link(current.query())
    assert (again.values, again.problems) == (current.values, {})
    assert again.query() == current.query()


def test_the_url_leaves_defaults_out_and_carries_what_it_does_not_know(current):
    current.read_link("heads=4&utm_source=mail&embed=true&seed=7")
    assert current.query() == "seed=7&utm_source=mail&embed=true"


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("d_model=999", "The link asks for d_model = “999”; allowed are 4 to 256 in steps of 4. 64 is used."),
        ("seed=-1", "The link asks for seed = “-1”; allowed are 0 to 99. 0 is used."),
        ("bias=2", "The link asks for bias = “2”; allowed are true, false. true is used."),
        ("norm=post&norm=pre", "The link gives norm 2 times; pre is used."),
        ("mask=" + "x" * 21, f"The link asks for mask = “{'x' * 19}…”; allowed are none, padding, causal, both. "
         "padding is used."),
        ("layer=0", "The link asks for layer = “0”; allowed are whole numbers from 1. 1 is used."),
        ("layer=two", "The link asks for layer = “two”; allowed are whole numbers from 1. 1 is used."),
        ("dropout_seed=10000",
         "The link asks for dropout_seed = “10000”; allowed are whole numbers from 0 to 9999. 0 is used."),
        ("curves=1.x", "The link asks for curves = “1.x”; allowed are up to 6 whole numbers with dots between them."),
        ("view=" + "x" * 201, f"The link asks for view = “{'x' * 19}…”; allowed are at most 200 characters."),
        ("temperature=0.4", "The link asks for temperature = “0.4”; allowed are 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, "
         "5, 10. 1 is used."),
    ],
)  # fmt: skip
def test_a_value_that_is_not_allowed_is_said_and_left_out(current, link, sentence):
    current.read_link(link)
    assert list(current.problems.values()) == [sentence]
    assert "=" not in current.query() or current.query() == "norm=pre"


def test_messages_of_the_link_end_with_a_change_or_another_page(current):
    current.read_link("seed=-1")
    current.set(NEURON, 3)
    assert not current.problems
    current.read_link("seed=-1")
    current.page = "qkv"
    current.open_page("softmax")
    assert not current.problems


def test_a_page_checks_what_only_it_knows(current):
    current.read_link("view=Sideways")
    assert not current.problems
    assert current.among(VIEW, ["All heads", "Rollout"], "All heads") == "All heads"
    assert list(current.problems.values()) == [
        "The link asks for view = “Sideways”; allowed are All heads, Rollout. All heads is used."
    ]
    assert current.query() == ""
    current.set(VIEW, "Rollout")
    assert current.among(VIEW, ["Rollout"], "Rollout") == "Rollout"
    assert current.query() == "view=Rollout"


def test_what_belongs_to_a_page_ends_with_it(current):
    current.open_page("qkv")
    for parameter, value in ((NUMBERS, "Q"), (DETAILS, "Code"), (VIEW, "Rollout")):
        current.set(parameter, value)
    current.open_page("qkv")
    assert current.get(NUMBERS) == "Q"
    current.open_page("softmax")
    assert current.get(NUMBERS) is None
    assert (current.get(DETAILS), current.get(VIEW)) == ("Code", "Rollout")


def test_only_some_changes_are_a_step_for_back(current):
    current.set(NEURON, 3)
    current.put(SETTINGS["encoder"], "nnx")
    assert current.steps == 0
    current.set(SETTINGS["encoder"], "random")
    current.set(SETTINGS["encoder"], "random")
    assert current.steps == 1


def test_a_widget_is_replaced_when_something_else_changes_its_value(current):
    bound = shows(NEURON, 5, (0, 64))
    assert bound["key"] == "neuron"
    assert st.session_state["neuron"] == 5
    st.session_state["neuron"] = 9  # as the browser says
    bound["on_change"]()
    assert current.get(NEURON) == 9
    assert shows(NEURON, None, (0, 64))["key"] == "neuron"
    current.set(NEURON, 11)  # a click on a cell
    assert shows(NEURON, None, (0, 64))["key"] == "neuron.1"
    assert st.session_state["neuron.1"] == 11
    assert shows(NEURON, None, (64, 128))["key"] == "neuron.2"  # other options are another widget


def test_what_an_old_widget_still_says_changes_nothing(current):
    old = widget_key("what_if_number", 2.0, "scores.0.0.0.0.0")
    new = widget_key("what_if_number", -0.5, "scores.0.0.0.0.1")
    assert (old, new) == ("what_if_number", "what_if_number.1")
    assert (st.session_state[old], st.session_state[new]) == (2.0, -0.5)


def test_a_widget_of_another_page_is_another_widget(current):
    keys = []
    for page in ("qkv", "softmax", "softmax"):
        current.open_page(page)
        with script_of_the_page():
            keys.append(shows(NEURON, 5)["key"])
    assert keys == ["neuron", "neuron.1", "neuron.1"]
    assert st.session_state["neuron.1"] == 5


def test_a_link_to_recipes_tells_its_position_from_that_of_the_walkthrough(current):
    """Once the two were one: where a link says nothing about the recipe's token, the other is meant."""
    current.read_link("token=16&layer=2&recipe_layer=3")
    assert current.query() == "layer=2&token=16&recipe_layer=3"
    current.open_page("recipes")
    assert current.query() == "layer=2&token=16&recipe_layer=3&recipe_token=1"


def test_a_name_has_one_meaning():
    with pytest.raises(ValueError, match="'seed' is declared twice"):
        declare(Parameter("seed", 0, int))


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_of_a_setting_comes_back_from_the_url(current, name):
    parameter = SETTINGS[name]
    for option in OPTIONS[name]:
        current.read_link("")
        current.put(parameter, option)
        again = Session()
        again.read_link(current.query())
        assert again.get(parameter) == option
        assert type(again.get(parameter)) is type(option)


TEXTS = some.text(max_size=30)


@given(some.lists(some.tuples(some.sampled_from(sorted(PARAMETERS)) | TEXTS, TEXTS), max_size=12))
def test_any_link_is_read_and_what_is_kept_of_it_is_stable(pairs):
    one = Session()
    one.read_link(urlencode(pairs))
    other = Session()
    other.read_link(one.query())
    assert other.values == one.values
    assert not other.problems
    assert other.query() == one.query()
    for name, texts in one.asked.items():
        read = one.values.get(name, PARAMETERS[name].default)
        assert name in one.problems or read == PARAMETERS[name].read(texts[-1])
