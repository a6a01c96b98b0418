"""What the tests of the pages share."""

import pytest
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import app_test
from streamlit.testing.v1.util import patch_config_options

from dashboard.inspect import depths
from dashboard.inspect.questions import Question
from dashboard.models import warm_up
from dashboard.page_list import STAGES, stage_named
from tests.pages.app import opened


@pytest.fixture(autouse=True)
def as_in_the_app(unchecked, monkeypatch):
    """Annotations are not checked, nothing is warmed up, and an exception says what it is about.

    AppTest looks for components in every installed package, at every page: nine tenths of its time, for none.
    """
    monkeypatch.setattr(warm_up, "start", lambda: None)
    monkeypatch.setattr(app_test.BidiComponentManager, "discover_and_register_components", lambda *_, **__: None)
    with patch_config_options({"client.showErrorDetails": "full"}):
        yield


@pytest.fixture
def framed(monkeypatch):
    """Pages run inside the frame, as on a server that has served a page before.

    AppTest forgets at every run that the app calls `st.navigation`, takes the folder named `pages` for Streamlit's
    older kind of app, and runs the page's script alone.
    """

    class OnceNavigated(PagesManager):
        def __init__(self, *args, **kwargs):
            PagesManager.uses_pages_directory = False
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(app_test, "PagesManager", OnceNavigated)


@pytest.fixture(params=STAGES, ids=lambda stage: stage.name)
def stage(request):
    """Each page in turn."""
    return request.param


@pytest.fixture
def question_of(framed, monkeypatch):
    """A function that opens a page and returns its question."""

    def open_page(name: str, **link: str) -> Question:
        questions = []
        monkeypatch.setattr(depths, "ask_below", questions.append)
        opened(stage_named(name), **link)
        (question,) = questions
        return question

    return open_page
