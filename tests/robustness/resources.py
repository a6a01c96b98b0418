"""The files that a page in the browser has asked for."""

from typing import Any

from playwright.sync_api import Page

# When each request for a file began.
REQUESTS = """() => performance.getEntriesByType("resource")
    .map(({ name, startTime }) => ({ file: name.split("/").at(-1), startTime }))"""


def requests_of(page: Page) -> list[dict[str, Any]]:
    """The requests of the page, with the name of the file and when each began."""
    return page.evaluate(REQUESTS)
