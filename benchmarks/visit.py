"""A visit in a browser: when it shows a figure, and the bytes that it receives."""

from collections.abc import Callable

from playwright.sync_api import Page

PLOT = ".ew-plot .js-plotly-plot .main-svg"  # is on the page when a figure is painted


def count_bytes(page: Page) -> Callable[[], int]:
    """Begin to count what the browser receives for this page, the websocket aside. Returns the count so far."""
    sizes: list[float] = []
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    return lambda: round(sum(sizes))
