"""The session: reading and writing links, messages about invalid values, and the keys of widgets."""

import sys
import threading
from urllib.parse import urlencode

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some

import dashboard.inspect.depths  # noqa: F401 - declares every parameter
from dashboard.state.choices import CURVES, DETAILS, NEURON, NUMBERS, TEMPERATURE, VIEW
from dashboard.state.parameter import PARAMETERS, Parameter, declare
from dashboard.state.session import Session, page_script, session
from dashboard.state.setting_parameters import OPTIONS, SETTINGS
from dashboard.state.widgets import bind_value, bind_widget
from tests.servers import ROOT


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


def test_the_url_omits_defaults_and_keeps_unknown_parameters(current):
    current.read_link("heads=4&utm_source=mail&embed=true&seed=7")
    assert current.query() == "seed=7&utm_source=mail&embed=true"


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("d_model=999", "The link has d_model = “999”; allowed are 4 to 256 in steps of 4. 64 is used."),
        ("seed=-1", "The link has seed = “-1”; allowed are 0 to 99. 0 is used."),
        ("bias=2", "The link has bias = “2”; allowed are true, false. true is used."),
        ("norm=post&norm=pre", "The link has norm 2 times; pre is used."),
        ("mask=" + "x" * 21, f"The link has mask = “{'x' * 19}…”; allowed are none, padding, causal, both, "
         "custom. padding is used."),
        ("layer=0", "The link has layer = “0”; allowed are whole numbers from 1. 1 is used."),
        ("layer=two", "The link has layer = “two”; allowed are whole numbers from 1. 1 is used."),
        ("dropout_seed=10000",
         "The link has dropout_seed = “10000”; allowed are whole numbers from 0 to 9999. 0 is used."),
        ("curves=1.x", "The link has curves = “1.x”; allowed are up to 6 whole numbers separated by dots."),
        ("curves=1&curves=1.x", "The link has curves 2 times; the default is used."),
        ("view=" + "x" * 201, f"The link has view = “{'x' * 19}…”; allowed are at most 200 characters."),
        ("temperature=0.4", "The link has temperature = “0.4”; allowed are 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, "
         "5, 10. 1 is used."),
    ],
)  # fmt: skip
def test_an_invalid_value_is_reported_and_ignored(current, link, sentence):
    current.read_link(link)
    assert list(current.problems.values()) == [sentence]
    assert "=" not in current.query() or current.query() == "norm=pre"


def test_messages_about_the_link_disappear_with_a_change_or_another_page(current):
    current.read_link("seed=-1")
    current.set(NEURON, 3)
    assert not current.problems
    current.read_link("seed=-1")
    current.page = "qkv"
    current.open_page("softmax")
    assert not current.problems


def test_get_option_reports_a_value_that_is_not_an_option(current):
    current.read_link("view=Sideways")
    assert not current.problems
    assert current.get_option(VIEW, ["All heads", "Rollout"], "All heads") == "All heads"
    assert list(current.problems.values()) == [
        "The link has view = “Sideways”; allowed are All heads, Rollout. All heads is used."
    ]
    assert current.query() == ""
    current.set(VIEW, "Rollout")
    assert current.get_option(VIEW, ["Rollout"], "Rollout") == "Rollout"
    assert current.query() == "view=Rollout"


def test_parameters_of_a_page_are_reset_on_another_page(current):
    current.open_page("qkv")
    for parameter, value in ((NUMBERS, "Q"), (DETAILS, "Code"), (VIEW, "Rollout")):
        current.set(parameter, value)
    current.open_page("qkv")
    assert current.get(NUMBERS) == "Q"
    current.open_page("softmax")
    assert current.get(NUMBERS) is None
    assert (current.get(DETAILS), current.get(VIEW)) == ("Code", "Rollout")


def test_only_some_changes_add_a_history_entry(current):
    current.set(NEURON, 3)
    current.set_derived(SETTINGS["encoder"], "nnx")
    assert current.history_steps == 0
    current.set(SETTINGS["encoder"], "random")
    current.set(SETTINGS["encoder"], "random")
    assert current.history_steps == 1
    current.set(SETTINGS["run"], "0123456789")
    current.set(SETTINGS["run"], None)  # another task: Back shows the run
    assert current.history_steps == 3


def test_a_widget_is_replaced_if_something_else_changes_its_value(current):
    bound = bind_widget(NEURON, 5, (0, 64))
    assert bound["key"] == "neuron"
    assert st.session_state["neuron"] == 5
    st.session_state["neuron"] = 9  # a message of the browser
    bound["on_change"]()
    assert current.get(NEURON) == 9
    assert bind_widget(NEURON, None, (0, 64))["key"] == "neuron"
    current.set(NEURON, 11)  # a click on a cell
    assert bind_widget(NEURON, None, (0, 64))["key"] == "neuron.1"
    assert st.session_state["neuron.1"] == 11
    assert bind_widget(NEURON, None, (64, 128))["key"] == "neuron.2"  # other options need another widget


def test_only_a_new_value_is_a_choice(current):
    """Streamlit calls the callback of a widget that it has forgotten if the browser's message still contains it."""
    edits = []
    old = bind_value("what_if_number", 2.0, edits.append, "scores.0.0.0.0.0")
    old["on_change"]()  # a run did not show it
    new = bind_value("what_if_number", -0.5, edits.append, "scores.0.0.0.0.1")
    assert (old["key"], new["key"]) == ("what_if_number", "what_if_number.1")
    assert (st.session_state[old["key"]], st.session_state[new["key"]]) == (2.0, -0.5)
    old["on_change"]()  # another one has taken its place
    assert edits == []
    st.session_state[old["key"]] = 3.0  # typed before the answer came
    old["on_change"]()
    old["on_change"]()  # and sent again with the next message
    assert edits == [3.0]


def test_another_page_needs_another_widget(current):
    keys = []
    for page in ("qkv", "softmax", "softmax"):
        current.open_page(page)
        with page_script():
            keys.append(bind_widget(NEURON, 5)["key"])
    assert keys == ["neuron", "neuron.1", "neuron.1"]
    assert st.session_state["neuron.1"] == 5


def test_a_link_to_recipes_contains_both_focuses(current):
    """Old links have one focus for both: without a recipe_token, the token of the walkthrough is used."""
    current.read_link("token=16&layer=2&recipe_layer=3")
    assert current.query() == "layer=2&token=16&recipe_layer=3"
    current.open_page("recipes")
    assert current.query() == "layer=2&token=16&recipe_layer=3&recipe_token=1"


def test_a_name_cannot_be_declared_twice():
    with pytest.raises(ValueError, match="'seed' is declared twice"):
        declare(Parameter("seed", 0, int))


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_of_a_setting_is_restored_from_the_url(current, name):
    parameter = SETTINGS[name]
    for option in OPTIONS[name]:
        current.read_link("")
        current.set_derived(parameter, option)
        again = Session()
        again.read_link(current.query())
        assert again.get(parameter) == option
        assert type(again.get(parameter)) is type(option)


def test_settings_come_before_edits_in_the_url():
    names = list(PARAMETERS)
    assert max(names.index(name) for name in SETTINGS) < names.index("edits")


TEXTS = some.text(max_size=30)


@given(some.lists(some.tuples(some.sampled_from(sorted(PARAMETERS)) | TEXTS, TEXTS), max_size=12))
def test_any_link_can_be_read_and_its_query_is_stable(pairs):
    one = Session()
    one.read_link(urlencode(pairs))
    other = Session()
    other.read_link(one.query())
    assert other.values == one.values
    assert other.problems.keys() <= {name for name, _ in one.unknown_parameters}  # one that may be meant as another
    assert other.query() == one.query()
    for name, texts in one.link_values.items():
        read = one.values.get(name, PARAMETERS[name].default)
        assert name in one.problems or read == PARAMETERS[name].parse(texts[-1])


def test_two_runs_that_read_links_at_once_leave_the_values_of_one_of_them():
    """Back, twice in a moment: the first run goes on until it renders something."""
    tab, expected = Session(), []
    queries = ["d_model=32&heads=2&layers=7&d_ff=128&mask=causal", "d_model=96&heads=8&norm=pre&seed=3"]
    for query in queries:
        tab.read_link(query)
        expected.append(dict(tab.values))
    switch, errors = sys.getswitchinterval(), []
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(300):
            start = threading.Barrier(2)

            def read(query: str, start: threading.Barrier = start) -> None:
                start.wait()
                try:
                    tab.read_link(query)
                except RuntimeError as error:
                    errors.append(error)

            runs = [threading.Thread(target=read, args=(query,)) for query in queries]
            for run in runs:
                run.start()
            for run in runs:
                run.join()
            assert errors == []
            assert tab.values in expected
    finally:
        sys.setswitchinterval(switch)


def test_only_the_state_folder_uses_the_session_state_of_streamlit():
    modules = [module for folder in ("dashboard", "pages") for module in (ROOT / folder).rglob("*.py")]
    users = [module for module in modules if "st.session_state" in module.read_text(encoding="utf-8")]
    assert {user.parent for user in users} == {ROOT / "dashboard" / "state"}
