"""The warm-up waits for the page of the visit that has started it, but not for long."""

import threading
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from dashboard.models import warm_up
from dashboard.serving.limits import fair_share
from dashboard.serving.limits.fair_share import FairShare
from dashboard.training import compiled_programs
from tests.two_threads import in_two_threads, slowly


def _fresh(module):
    """The module as it is in a new process, in which none of its functions has been called."""
    spec = spec_from_file_location("fresh", module.__file__)
    fresh = module_from_spec(spec)
    spec.loader.exec_module(fresh)
    return fresh


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


def test_two_visits_at_once_start_one_warm_up(monkeypatch):
    fresh, calls = _fresh(warm_up), []
    monkeypatch.setattr(fresh, "compute_in_one_thread", lambda: None)
    monkeypatch.setattr(fresh, "start_thread", slowly(calls, object))
    one, other = in_two_threads(fresh.start)
    assert one is other
    assert len(calls) == 1


def test_two_training_processes_have_one_folder_of_programs(monkeypatch, tmp_path):
    fresh, calls = _fresh(compiled_programs), []
    monkeypatch.setattr(fresh, "_make_locked_folder", slowly(calls, lambda: str(tmp_path)))
    monkeypatch.setattr(fresh, "_remove_if_abandoned", lambda folder: None)
    assert in_two_threads(fresh.compiled_programs_folder) == [str(tmp_path)] * 2
    assert len(calls) == 1
