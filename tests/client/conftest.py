"""One server for each of the small apps."""

from contextlib import ExitStack

import pytest

from benchmarks.client import ClientSession
from tests.client import scripts
from tests.client.script_by_hand import Script
from tests.servers import running


@pytest.fixture(scope="session")
def serve(tmp_path_factory):
    """A function that starts a server for a script, once, and returns its URL."""
    urls = {}
    with ExitStack() as stack:

        def start(source):
            if source not in urls:
                folder = tmp_path_factory.mktemp("app")
                script = folder / "app.py"
                script.write_text(source)
                urls[source] = stack.enter_context(running(script, folder / "log.txt"))
            return urls[source]

        yield start


@pytest.fixture(scope="session")
def widgets_app(serve):
    """The URL of the app with all kinds of widgets."""
    return serve(scripts.WIDGETS)


@pytest.fixture(scope="session")
def address_app(serve):
    """The URL of the app with the address component."""
    return serve(scripts.ADDRESS)


@pytest.fixture(scope="session")
def containers_app(serve):
    """The URL of the app with containers whose state the browser reports."""
    return serve(scripts.CONTAINERS)


@pytest.fixture
def script():
    """A frontend that shows the first page, with a number input in the fragment f."""
    script = Script()
    script.begin()
    script.navigation()
    script.number("f")
    script.end()
    return script


@pytest.fixture
def session(widgets_app):
    """The app with all kinds of widgets, opened."""
    with ClientSession(widgets_app, "/?depth=2") as session:
        yield session
