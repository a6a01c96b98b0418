"""The scripts of the dashboard's components as modules in Chromium, without the app."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.servers import ROOT, answering

_COMPONENTS = ROOT / "dashboard" / "components"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_CALL = """async ([module, name, values]) => {
    const plain = value => ArrayBuffer.isView(value) ? [...value] : Array.isArray(value) ? value.map(plain) : value;
    return plain((await import(`/${module}`))[name](...values));
}"""


class _Files(BaseHTTPRequestHandler):
    """A file of dashboard/components; an empty page for any other path. The browser asks for a script once."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = _COMPONENTS / self.path.partition("?")[0].removeprefix("/")
        body = path.read_bytes() if path.suffix in _TYPES else b"<!doctype html>"
        self.send_response(200)
        self.send_header("Content-Type", _TYPES.get(path.suffix, "text/html"))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="session")
def origin():
    """The address from which the modules can be imported."""
    with answering(_Files) as url:
        yield url


class Scripts:
    """A page in which functions of the modules can be called. Arrays come back as lists."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def call(self, module: str, function: str, *arguments: Any) -> Any:
        """What an exported function returns for these arguments."""
        return self.page.evaluate(_CALL, [module, function, list(arguments)])


@contextmanager
def scripts_page(browser: Browser) -> Iterator[Scripts]:
    """A tab in which no script may raise unnoticed."""
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield Scripts(page)
    page.close()
    assert errors == []


@contextmanager
def still_page(browser: Browser, origin: str) -> Iterator[Page]:
    """A page that can import the modules, in which no script may raise unnoticed and the clock stands still."""
    with scripts_page(browser) as tab:
        tab.page.goto(origin)
        tab.page.clock.install()
        tab.page.clock.pause_at("2030-01-01")
        yield tab.page


@pytest.fixture(scope="session")
def _tab(browser):
    with scripts_page(browser) as tab:
        yield tab


@pytest.fixture
def scripts(_tab, origin):
    """An empty page in which no module has been imported."""
    _tab.page.goto(origin)
    return _tab
