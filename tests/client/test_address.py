from dataclasses import dataclass, field

import pytest

from benchmarks.client.address import Address
from benchmarks.client.location import Location


@dataclass
class Page:
    location: Location
    triggered: list = field(default_factory=list)

    def trigger(self, name, value):
        self.triggered.append((name, value))


@pytest.fixture
def page():
    return Page(Location("/softmax?layer=2"))


def data(query, step=0, session="s", read="layer=2"):
    return {"session": session, "read": read, "query": query, "step": step}


def urls(page):
    return [entry.url for entry in page.location.entries]


def test_the_query_replaces_the_one_of_the_present_entry(page):
    Address()(page, data("layer=3"))
    assert urls(page) == ["/softmax?layer=3"]


def test_a_further_step_is_a_new_entry_until_the_steps_go_back(page):
    address = Address()
    for query, step in [("layer=2", 3), ("layer=3", 4), ("layer=4", 4), ("layer=5", 3), ("layer=6", 4)]:
        address(page, data(query, step))
    assert urls(page) == ["/softmax?layer=2", "/softmax?layer=5", "/softmax?layer=6"]


def test_the_step_of_a_new_session_is_no_further_step(page):
    Address()(page, data("layer=3", step=7))
    assert urls(page) == ["/softmax?layer=3"]


def test_an_empty_query_leaves_the_path(page):
    Address()(page, data(""))
    assert urls(page) == ["/softmax"]


def test_another_spelling_of_the_same_query_is_left_alone():
    page = Page(Location("/softmax?text=a%20b"))
    Address()(page, data("text=a+b", read="text=a+b"))
    assert urls(page) == ["/softmax?text=a%20b"]
    assert page.triggered == []


def test_a_new_session_that_has_read_something_else_is_asked_to_restore(page):
    address = Address()
    address(page, data("layer=1", read="layer=1"))
    assert page.triggered == [("restore", "layer=2")]
    assert urls(page) == ["/softmax?layer=2"]


def test_only_a_new_session_restores(page):
    address = Address()
    address(page, data("layer=2"))
    address(page, data("layer=3", read="layer=9"))
    assert page.triggered == []
    address(page, data("layer=1", session="t", read="layer=1"))
    assert page.triggered == [("restore", "layer=3")]
