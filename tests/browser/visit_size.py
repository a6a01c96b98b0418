"""The bytes that a browser receives for one visit."""

from playwright.sync_api import Page

from benchmarks.chromium import CALM
from benchmarks.visit import PLOT, count_bytes

QUIET = 500  # milliseconds in which nothing arrives at the end of a visit


def bytes_of_visit(page: Page, url: str) -> int:
    """Bytes that the browser receives until a page is complete and nothing more arrives, the websocket aside.

    Chromium says that the network is idle when it has been so once, also before the first figure.
    """
    count = count_bytes(page)
    page.goto(url, timeout=120_000)
    page.wait_for_selector(PLOT, timeout=120_000)
    page.wait_for_function(CALM)
    received = 0
    while (total := count()) > received:
        received = total
        page.wait_for_timeout(QUIET)
    return received
