"""The bytes that a browser receives for one visit."""

from collections.abc import Callable

from playwright.sync_api import Page


def count_bytes(page: Page) -> Callable[[], int]:
    """Begin to count what the browser receives for this page, the websocket aside. Returns the count so far."""
    sizes: list[float] = []
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    return lambda: round(sum(sizes))
