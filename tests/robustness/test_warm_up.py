"""The warm-up waits for the page of the visit that has started it, but not for long."""

import threading

import pytest

from dashboard.models import warm_up
from dashboard.serving.limits import fair_share
from dashboard.serving.limits.fair_share import FairShare


@pytest.fixture
def visits(monkeypatch):
    """The accounts of a server that nobody else visits."""
    accounts = FairShare()
    monkeypatch.setattr(fair_share, "_FAIR_SHARE", accounts)
    return accounts


@pytest.fixture
def waiting():
    """A thread that has the wait of the warm-up before it."""
    return threading.Thread(target=warm_up._let_first_visitor_begin, daemon=True)


def test_it_begins_when_the_page_is_computed(visits, waiting):
    visits.begin("visitor")
    waiting.start()
    waiting.join(0.5)
    assert waiting.is_alive()
    visits.end("visitor", used=1.0)
    waiting.join(10)
    assert not waiting.is_alive()


def test_it_begins_while_nobody_is_there(visits, waiting, monkeypatch):
    monkeypatch.setattr(warm_up, "_FIRST_PAGE", 3_600.0)
    waiting.start()
    waiting.join(10)
    assert not waiting.is_alive()


def test_it_waits_for_no_page_for_ever(visits, waiting, monkeypatch):
    monkeypatch.setattr(warm_up, "_FIRST_PAGE", 0.2)
    visits.begin("visitor")
    waiting.start()
    waiting.join(10)
    assert not waiting.is_alive()
