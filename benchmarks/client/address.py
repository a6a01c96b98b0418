"""What the address component of the app does in the browser, in Python."""

from collections.abc import Callable
from typing import Any, Protocol

from benchmarks.client.location import Location, search_params

NAME = "encoder_walkthrough.address"


class Page(Protocol):
    """What a component can reach in the browser: the address bar, and its own triggers."""

    @property
    def location(self) -> Location:
        """`window.location` and `window.history`."""

    def trigger(self, name: str, value: Any) -> None:
        """`setTriggerValue` of the component that has been mounted or has got new data."""


ComponentHook = Callable[[Page, Any], None]


class Address:
    """The state of the component's JavaScript module, which lives as long as the document.

    Its data: `session` identifies the Python session, `read` is the query that the run has read, `query` the one that
    it wants to see in the address bar, `step` counts the steps that Back should undo.
    """

    def __init__(self) -> None:
        self.session: str | None = None
        self.last_step = 0

    def __call__(self, page: Page, data: dict[str, Any]) -> None:
        """Write the query into the address bar, or, in a new session, send back what the run has not read."""
        present = search_params(page.location.search)
        if data["session"] != self.session:
            self.session, self.last_step = data["session"], data["step"]
            if present != search_params(data["read"]):
                page.trigger("restore", page.location.query)
                return
        if search_params(data["query"]) != present:
            query = data["query"].removeprefix("?")
            url = page.location.path + (f"?{query}" if query else "")
            write = page.location.push if data["step"] > self.last_step else page.location.replace
            write(url)
        self.last_step = data["step"]
