"""The visits of a browser that has nothing of the app, and what it receives and asks for."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from dashboard.components.plotly_bundle import PLOTLY
from tests.browser.conftest import WIDE
from tests.browser.visit_size import bytes_of_visit

# When each request for a file began and ended.
_REQUESTS = """() => performance.getEntriesByType("resource")
    .map(({ name, startTime, responseEnd }) => ({ file: name.split("/").at(-1), startTime, responseEnd }))"""


@dataclass
class Visits:
    """A new browser opens a stage, and once more in another tab, and then the start page in the first tab.

    received  bytes of the first and of the second visit of the stage, the websocket aside
    requests  of the first visit: the name of the file, and when each began and ended
    messages  of the console, in the first tab
    """

    received: tuple[int, int]
    requests: list[dict[str, Any]]
    messages: list[str]


def visit(browser: Browser, server: str) -> Visits:
    """Visit the app on a server. Raises TimeoutError if the start page does not ask for Plotly."""
    context = browser.new_context(viewport=WIDE)
    try:
        return _visit(context, server)
    finally:
        context.close()


def _visit(context: BrowserContext, server: str) -> Visits:
    page: Page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    stage = f"{server}/scaled_scores"
    first = bytes_of_visit(page, stage)
    requests = page.evaluate(_REQUESTS)
    second = bytes_of_visit(context.new_page(), stage)
    page.goto(server)
    page.wait_for_function(f"() => ({_REQUESTS})().some(({{ file }}) => file === '{PLOTLY}')")
    return Visits((first, second), requests, messages)
