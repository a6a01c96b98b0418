"""The real app in a real browser: one server and one browser for all tests."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest
from playwright.sync_api import expect, sync_playwright

from benchmarks.browser import FLAGS
from tests.browser.screen import TIMEOUT, Screen

expect.set_options(timeout=TIMEOUT)
ROOT = Path(__file__).parents[2]
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}


@contextmanager
def running_app(log: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """A server of its own, on a free port, with more in its environment if given; what it says goes into the file."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {"port": port, "address": "127.0.0.1", "headless": "true", "fileWatcherType": "none"}
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py"]
    command += [f"--server.{name}={value}" for name, value in options.items()]
    with log.open("w") as out, _started(command, out, environment or {}) as process:
        try:
            _wait_until_healthy(f"http://127.0.0.1:{port}", process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _started(command: Sequence[str], out: TextIO, environment: Mapping[str, str]) -> subprocess.Popen:
    return subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env={**os.environ, **environment})


def _wait_until_healthy(url: str, process: subprocess.Popen, log: Path) -> None:
    give_up = time.monotonic() + 60
    while time.monotonic() < give_up and process.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=5).close()
        except OSError:
            time.sleep(0.1)  # nobody listens yet: there is nothing to wait on
        else:
            return
    raise RuntimeError(f"no server: {log.read_text()}")


@pytest.fixture(scope="session")
def log(tmp_path_factory):
    """What the server says."""
    return tmp_path_factory.mktemp("server") / "log.txt"


@pytest.fixture(scope="session")
def server(log):
    """The address of the app."""
    with running_app(log) as url:
        yield url


@pytest.fixture(scope="session")
def browser():
    """Chromium: the one named by CHROMIUM, else the system's, else Playwright's own."""
    with sync_playwright() as playwright:
        chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def tab(browser, server):
    """One tab that all tests use one after another; every link opened in it is a new session of the app."""
    context = browser.new_context(viewport=WIDE, color_scheme="light")
    screen = Screen(context, server)
    screen.page.set_default_timeout(120_000)  # the first visit of all compiles
    for link in ("?encoder=minilm", ""):
        screen.page.goto(f"{server}/{link}")
        screen.page.wait_for_selector(".ew-picture .js-plotly-plot .main-svg")
    screen.page.set_default_timeout(TIMEOUT)
    yield screen
    context.close()


@pytest.fixture
def screen(tab, log):
    """The tab, wide and light again. The test fails where the browser complains, or the server raises."""
    tab.page.set_viewport_size(WIDE)
    tab.page.emulate_media(color_scheme="light")
    tab.faults.clear()
    before = log.stat().st_size
    yield tab
    assert tab.faults == []
    said = log.read_bytes()[before:].decode()
    assert "Traceback" not in said, said
