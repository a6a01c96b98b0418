"""How a tab goes to another address of the app without loading it again, as Back does, and when it can."""

import json
from urllib.parse import urlsplit

from playwright.sync_api import Page

from benchmarks.chromium import CALM
from dashboard.state.parameter import PARAMETERS

# Whether anybody has done more since the page was loaded than what the address tells: gone to another page by the rail,
# by a button or by a card of the map, clicked on a cell or an operand, moved a slider, changed a widget that shows a
# parameter. What was done to a component, that a popover was opened, or what was done by a key that is pressed for none
# of them, is gone with its page.
_WATCH_HANDS = """names => {
    const told = [".st-key-rail", ".js-plotly-plot", ".ew-operand", "[data-testid=stSlider]", "[role=listbox]",
        ".ew-card", ".st-key-onwards", ".st-key-open_recipe", "[class*=st-key-entrance-]", ".st-key-what-if-bar",
        ".st-key-present_button"];
    for (const name of names)
        told.push(`.st-key-${name}`, `[class*="st-key-${name}-"]`);
    const passing = "body, [data-testid=stMain] [data-testid=stBidiComponentRegular] *, .dragcover,"
        + "[data-testid=stMain] [data-testid=stPopover] *";
    for (const kind of ["pointerdown", "click", "keydown", "pointermove"])
        addEventListener(kind, ({ target, type, buttons }) => {
            const tells = target.closest?.(type === "pointermove" ? "[data-testid=stSlider]" : told);
            if (tells || type === "pointermove" && !buttons)
                return;
            if (target.matches?.(passing))
                window.touchedPage = location.pathname;
            else
                window.touched = true;
        }, true);
}"""
# There is no storage in about:blank.
_FORGET_ANSWERS = "try { localStorage.removeItem('encoder-walkthrough-answers'); } catch {}"
_FORGET_SIDEBAR = """try {
    Object.keys(localStorage).filter(key => key.startsWith("stSidebarCollapsed"))
        .forEach(key => localStorage.removeItem(key));
} catch {}"""
_NEEDS_LOAD = f"path => window.touched || window.touchedPage === path || !({CALM})()"
_FOLLOW = """address => {
    History.prototype.pushState.call(history, {}, "", address);  // that of `history` is the app's, see address.js
    dispatchEvent(new PopStateEvent("popstate"));
}"""


def watch(page: Page, *, keeps_answers: bool) -> None:
    """Take notice of what is done to each page that is loaded from now on.

    keeps_answers  whether a load of the app begins with the answers that the browser has kept
    """
    page.add_init_script(f"({_WATCH_HANDS})({json.dumps(list(PARAMETERS))})")
    if not keeps_answers:  # no test begins with the answers of the one before
        page.add_init_script(_FORGET_ANSWERS)
    page.add_init_script(_FORGET_SIDEBAR)  # whether the test before left it open


def needs_load(page: Page, address: str) -> bool:
    """Whether something of what was done to the app would be left, if the tab went to this address as Back does."""
    return page.evaluate(_NEEDS_LOAD, urlsplit(address).path)


def go_as_back(page: Page, address: str) -> None:
    """Go to an address of the app as Back does. The server runs the page."""
    page.evaluate(_FOLLOW, address)
