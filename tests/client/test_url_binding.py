import pytest

from benchmarks.client.location import Location
from benchmarks.client.url_binding import Binding, Bindings


@pytest.fixture
def bindings():
    return Bindings()


@pytest.mark.parametrize(
    ("default", "clearable", "value", "query"),
    [
        (3, False, 4, "w=4"),
        (3, False, 3, ""),
        (0.5, False, 1.0, "w=1"),
        (1.0, False, 1e-7, "w=1e-7"),
        (1.0, False, 0.00001, "w=0.00001"),
        (1.0, False, 1e21, "w=1e%2B21"),
        (None, True, None, ""),
        (3, False, None, ""),
        (False, False, True, "w=true"),
        (True, False, False, "w=false"),
        ("red", False, "blue green", "w=blue+green"),
        ("red", False, "red", ""),
        (None, True, "", ""),
        ("old", True, "", "w="),
        (("S",), False, ("M",), "w=M"),
        (("S",), False, ("S",), ""),
        ((1.0, 2.0), False, (1.0, 3.5), "w=1&w=3.5"),
        (("a",), True, (), "w="),
        ((), True, (), ""),
        ((), True, ("a", "b"), "w=a&w=b"),
    ],
)
def test_the_parameter_of_a_value(bindings, default, clearable, value, query):
    location = Location("/page?w=before")
    bindings.register("id", Binding("w", default, clearable))
    bindings.sync("id", value, location)
    assert location.query == query
    assert len(location.entries) == 1


def test_other_parameters_stay_and_are_sorted(bindings):
    location = Location("/page?z=1&note=a%20b&flag")
    bindings.register("id", Binding("w", 1, False))
    assert bindings.sync("id", 2, location) == "note=a+b&w=2&z=1"
    assert location.entry.url == "/page?note=a+b&w=2&z=1"


def test_nothing_is_written_without_a_binding_or_a_change(bindings):
    location = Location("/page?w=2")
    assert bindings.sync("id", 3, location) is None
    bindings.register("id", Binding("w", 1, False))
    assert bindings.sync("id", 2, location) is None
    bindings.unregister("id")
    assert bindings.sync("id", 3, location) is None
    assert location.query == "w=2"


def test_the_parameters_of_mounted_widgets_go_to_the_next_page(bindings):
    location = Location("/page?z=1&b=x%20y&a=1&a=2")
    assert bindings.keep_for_page_change(location) == ""
    for widget, key in [("1", "b"), ("2", "a"), ("3", "missing")]:
        bindings.register(widget, Binding(key, None, False))
    assert bindings.keep_for_page_change(location) == "a=1&a=2&b=x+y"


def test_a_parameter_belongs_to_the_widget_that_came_last(bindings):
    location = Location("/")
    bindings.register("old", Binding("w", 1, False))
    bindings.register("new", Binding("w", 1, False))
    assert bindings.sync("old", 2, location) is None
    assert bindings.sync("new", 2, location) == "w=2"
    bindings.unregister("old")
    assert bindings.keep_for_page_change(location) == "w=2"
