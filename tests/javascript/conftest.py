"""The scripts of the dashboard's components as modules in Chromium, without the app."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.servers import ROOT

_COMPONENTS = ROOT / "dashboard" / "components"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
ORIGIN = "http://components.test"
_CALL = """async ([module, name, values]) => {
    const plain = value => ArrayBuffer.isView(value) ? [...value] : Array.isArray(value) ? value.map(plain) : value;
    return plain((await import(`/${module}`))[name](...values));
}"""


def _serve(route: Route) -> None:
    """A file of dashboard/components; an empty page for any other path."""
    path = _COMPONENTS / route.request.url.removeprefix(f"{ORIGIN}/")
    if path.suffix in _TYPES:
        route.fulfill(path=path, content_type=_TYPES[path.suffix])
    else:
        route.fulfill(body="<!doctype html>", content_type="text/html")


class Scripts:
    """A page in which functions of the modules can be called. Arrays come back as lists."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def call(self, module: str, function: str, *arguments: Any) -> Any:
        """What an exported function returns for these arguments."""
        return self.page.evaluate(_CALL, [module, function, list(arguments)])


@contextmanager
def scripts_page(browser: Browser) -> Iterator[Scripts]:
    """A tab in which the modules can be imported from http://components.test. No script may raise unnoticed."""
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route(f"{ORIGIN}/**", _serve)
    yield Scripts(page)
    page.close()
    assert errors == []


@pytest.fixture(scope="session")
def _tab(browser):
    with scripts_page(browser) as tab:
        yield tab


@pytest.fixture
def scripts(_tab):
    """An empty page in which no module has been imported."""
    _tab.page.goto(ORIGIN)
    return _tab
