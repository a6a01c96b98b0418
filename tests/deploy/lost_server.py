"""A visitor who has chosen something, and whose server is lost."""

import secrets
import time
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import BrowserContext

from benchmarks.visit import PLOT
from tests.browser.screen import Screen
from tests.deploy.service import Running

_STATE = "document.querySelector('[data-testid=stApp]').dataset.testConnectionState"
_WATCH = """() => {
    const app = document.querySelector("[data-testid=stApp]");
    const look = () => { window.connectionLost ||= app.dataset.testConnectionState !== "CONNECTED"; };
    new MutationObserver(look).observe(app, { attributes: true });
}"""
_SCORES = 4  # the last plot of Scaled scores


@dataclass
class Visitor:
    """A tab in which a slider was moved, a cell was clicked, and perhaps a number was edited."""

    screen: Screen
    port: int
    content: dict[str, Any]

    def is_connected(self) -> bool:
        return self.screen.page.evaluate(_STATE) == "CONNECTED"

    def wait_until_lost(self) -> None:
        """Wait until the browser has noticed the loss. It may have connected again by now."""
        self.screen.page.wait_for_function("window.connectionLost")

    def check_return(self, start: float, seconds: float) -> None:
        """The tab connects by itself, so many seconds after the loss at the latest, and shows what it showed."""
        self.screen.page.wait_for_function(f"{_STATE} === 'CONNECTED'")
        assert time.monotonic() - start < seconds
        assert self.screen.page.url == self.content["url"]
        self.screen.come_to_rest()
        shown = content(self.screen)
        for name, value in self.content.items():
            assert shown[name] == value, name
        # While the server is away, the browser says in its console that it does not answer.
        self.screen.faults[:] = [fault for fault in self.screen.faults if not fault.startswith("console: ")]

    def check_next_move(self) -> None:
        """The session, or the one that has taken its place, goes on from the same state."""
        d_model = self.screen.press("d_model", "ArrowRight")
        self.screen.come_to_rest()
        assert d_model == self.content["d_model"] + 4
        changed = self.screen.parameters | {"d_model": [str(self.content["d_model"])]}
        assert changed == self.content["parameters"]
        assert self.screen.faults == []


def content(screen: Screen) -> dict[str, Any]:
    """The page, its address, a slider, the edits, the arithmetic of the inspected cell and every number in a plot."""
    return {
        "page": screen.title.inner_text(),
        "url": screen.page.url,
        "parameters": screen.parameters,
        "d_model": screen.says("d_model"),
        "result": screen.page.locator(".ew-result").first.inner_text(),
        "edits": screen.page.locator("[class*=st-key-without_] button").all_inner_texts(),
        "plots": [(plot["title"], plot["z"]) for plot in screen.plots()],
    }


def visitor(context: BrowserContext, running: Running, port: int, name: str, edit: bool) -> Visitor:
    """Open a page in the process on this port, move a slider, click a cell, and edit it."""
    tokens = (secrets.token_hex(16) for _ in range(200))
    cookie = next(token for token in tokens if running.port_of(token) == port)
    context.add_cookies([{"name": "affinity", "value": cookie, "url": running.url}])
    screen = Screen(context, running.url)
    screen.page.set_default_timeout(60_000)  # it compiles
    screen.page.goto(f"{running.url}/{name}?d_model=32")
    screen.page.wait_for_selector(PLOT)
    screen.arrived(name)
    screen.press("d_model", "ArrowRight")
    with screen.rerun():
        screen.page.mouse.click(*screen.place(_SCORES if name == "scaled_scores" else 0, 5, 3))
    screen.come_to_rest()
    if edit:
        field = screen.page.get_by_label("Set this score to")
        field.fill("5")
        with screen.rerun():
            field.press("Enter")
        screen.come_to_rest()
    shown = content(screen)
    assert shown["parameters"].keys() >= {"d_model", "cell"}
    assert bool(shown["edits"]) == edit
    screen.page.evaluate(_WATCH)
    return Visitor(screen, port, shown)
