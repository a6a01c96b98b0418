"""The server as `make run` starts it, with its limits."""

import pytest

from benchmarks.serving import ROOT, serving
from tests.robustness.resources import visit


@pytest.fixture(scope="session")
def guarded_log(tmp_path_factory):
    """What the server says."""
    return tmp_path_factory.mktemp("guarded") / "log.txt"


@pytest.fixture(scope="session")
def guarded_server(guarded_log):
    """The URL of the server. Whatever a client sends, it may not raise."""
    arguments = ["-m", "streamlit", "run", "dashboard/server.py", "--logger.enableRich", "false"]
    with (
        guarded_log.open("w") as out,
        serving(arguments, ROOT, out, {"STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}) as (url, _),
    ):
        yield url
        lines = guarded_log.read_text(errors="replace")
        assert "Traceback" not in lines, lines[-5_000:]


@pytest.fixture(scope="session")
def visits(browser, guarded_server):
    """The visits of a new browser, for all tests that look at what it receives."""
    return visit(browser, guarded_server)
