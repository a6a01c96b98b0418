"""An open page of the app, as a test sees and uses it."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Locator, TimeoutError, ViewportSize

from benchmarks.chromium import CALM, NEXT_FRAMES
from benchmarks.visit import PLOT
from dashboard.page_list import PAGES, START, WORKSHOP, page_named, stage_named
from encoder_core.figures import ThemeName
from tests.browser.plots import place, plots, wait_for_heatmaps
from tests.browser.runs import Runs, ends_a_run
from tests.browser.visits import go_as_back, needs_load, watch

TIMEOUT = 30_000  # milliseconds, for everything that a page is waited for

# All that the server has sent is on screen, no script of a component is still to come, and no picture waits.
_EMPTY = ".ew-derivation:empty, .ew-diagram:empty, .ew-item_table:empty"
_SETTLED = f"""() => ({CALM})() && !document.querySelector("{_EMPTY}")
    && [...document.querySelectorAll(".ew-plot")].every(
        ({{ plotLine: line }}) => line && !line.isPaintScheduled && line.panelElements.length === line.items.length
        && line.panelElements.every(({{ plot, paintedState }}, i) =>
            !plot.clientWidth || paintedState?.endsWith(line.items[i].json)))"""
# Streamlit sends what was changed when the events of the browser have been handled, and waits a moment for more.
_QUIET = """() => new Promise(done => {
    let frames = 0;
    const count = () => {
        const busy = document.querySelector("[data-testid=stApp]").dataset.testScriptState !== "notRunning";
        frames = busy ? 0 : frames + 1;
        frames > 18 ? done(true) : requestAnimationFrame(count);
    };
    count();
})"""
# `expect` would describe the whole page, for a message, each time that the title is still another: 20 ms of a move.
_HAS_TITLE = """title => document.querySelector("h1")?.textContent === title"""
# Components that have nothing to end, such as the address, are updated in the browser's next task.
_PAINTED = """() => Promise.all([...document.querySelectorAll(".ew-plot")].map(host => host.plotLine?.paintQueue))
    .then(() => new Promise(done => setTimeout(done, 0, true)))"""

_TOO_WIDE = """Math.max(...[document.documentElement, document.querySelector("[data-testid=stMain]")]
    .map(part => part.scrollWidth - part.clientWidth))"""
_CLIPPED = """() => [...document.querySelectorAll(".ew-title")]
    .filter(title => title.scrollHeight > title.clientHeight + 2 || title.scrollWidth > title.clientWidth + 1)
    .map(title => title.textContent)"""

WITHOUT_PLOTS = {"training", *(page.name for page in WORKSHOP)}  # when they open


class Screen:
    """A tab of the browser. Whatever goes wrong in it while it is open, `faults` says.

    keeps_answers  whether a load of the app begins with the answers that the browser has kept
    """

    def __init__(self, context: BrowserContext, url: str, *, keeps_answers: bool = False) -> None:
        self.url = url
        self.faults: list[str] = []
        self._scheme: ThemeName | None = None  # once it was chosen
        self._runs = Runs()
        self.page = context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        watch(self.page, keeps_answers=keeps_answers)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.faults.append(f"page error: {error}"))
        self.page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", self._requested)
        self.page.on("websocket", self._connected)

    def open(self, name: str = "map", **parameters: Any) -> "Screen":
        """Open a page by a link of its own."""
        path = "" if name == START.name else name
        presents = parameters.get("present") == "on"
        # The plots of the same page would stay, with the figures that they show; a presentation opens at the first one.
        keeps_plots = urlsplit(self.page.url).path == f"/{path}"
        self.follow(f"/{path}?{urlencode(parameters, doseq=True)}", load=presents and keeps_plots)
        self.arrived(name)
        if presents:
            self.page.wait_for_selector(".ew-presenter button")  # its script, which hears the keys, can load last
        return self

    def follow(self, address: str, load: bool = False) -> None:
        """Go to an address of the app: as Back does, where that leaves nothing of what was done before.

        load  whether to load the app nevertheless, which takes three times as long
        """
        if load or not self.page.url.startswith(self.url) or needs_load(self.page, address):
            self.page.goto(self.url + address)
        else:
            with self.rerun():
                go_as_back(self.page, address)

    def arrived(self, name: str, has_plots: bool = True) -> "Screen":
        """Wait until a page is on screen, complete."""
        self.page.wait_for_function(_HAS_TITLE, arg=page_named(name).title)
        if has_plots and name not in WITHOUT_PLOTS:
            drawn = f"{PLOT}, .ew-word_lines .ew-word.ew-key"
            self.page.wait_for_selector(drawn, state="attached")  # "Predict first" hides them until there is an answer
        return self.settle()

    def settle(self) -> "Screen":
        """Wait until the server has answered, and nothing is left to be painted."""
        while True:
            self._runs.wait()
            self.page.wait_for_function(_SETTLED)
            self.page.wait_for_function(_PAINTED)
            if not self._runs.is_awaited:  # what a run has brought can ask for another one
                return self

    @contextmanager
    def rerun(self) -> Iterator[None]:
        """What is done inside makes the server run the page again; wait until all of that is on screen.

        A run that something before has asked for ends first: it would be taken for that one.
        """
        self._runs.wait()
        with self.socket.expect_event("framereceived", ends_a_run, timeout=TIMEOUT):
            yield
        self.page.wait_for_function(NEXT_FRAMES)
        self.settle()

    def come_to_rest(self) -> "Screen":
        """Wait until several actions in quick succession are all answered: nothing happens for 0.3 seconds.

        A slider tells 0.2 seconds after a key that it has moved.
        """
        self.settle()
        self.page.wait_for_function(_QUIET)
        while self._runs.is_awaited:  # a server with much to do says late that a run begins
            self.settle()
            self.page.wait_for_function(_QUIET)
        return self.settle()

    def resize(self, size: ViewportSize) -> "Screen":
        """Give the window another size, and wait until the pictures have taken theirs."""
        self.page.set_viewport_size(size)
        self.page.wait_for_function(NEXT_FRAMES)
        return self.settle()

    def appear(self, scheme: ThemeName) -> None:
        """Let the system be light or dark, and wait until the open page is in these colours."""
        if scheme == self._scheme:
            return
        self._scheme = scheme
        with self.rerun() if self.page.url.startswith(self.url) else nullcontext():
            self.page.emulate_media(color_scheme=scheme)

    def go(self, name: str) -> "Screen":
        """Open another page by the rail."""
        self.page.locator(".st-key-rail a").nth(stage_named(name).number).click()
        return self.arrived(name)

    @property
    def title(self) -> Locator:
        """The heading of the page."""
        return self.page.locator("h1")

    def slider(self, label: str) -> Locator:
        """A slider, as the keyboard finds it."""
        return self.page.locator(f"input[type=range][aria-label='{label}']")

    def choose(self, field: str | Locator, option: str) -> None:
        """Choose an option of a list, which has a label."""
        box = self.page.get_by_role("combobox", name=field) if isinstance(field, str) else field
        box.scroll_into_view_if_needed()
        self.page.wait_for_function(NEXT_FRAMES)  # scrolling closes an open list
        box.click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def press(self, label: str, key: str) -> int:
        """Press a key on a slider of the sidebar; returns what it says then."""
        with self.rerun():
            self.slider(label).press(key)
        return self.says(label)

    def says(self, label: str) -> int:
        """The number at the thumb of a slider."""
        return int(self.slider(label).get_attribute("aria-valuetext").replace(",", ""))

    def plots(self, numbers: bool = True) -> list[dict[str, Any]]:
        """All plots on the page, with what they show. Without the numbers of the cells it takes a tenth of the time."""
        return plots(self.page, numbers)

    def empty_plots(self) -> list[str]:
        """The titles of the plots in which nothing is drawn."""
        return [plot["title"] for plot in self.plots(numbers=False) if not plot["drawn"]]

    def shows(self, *expected: np.ndarray, tolerance: float = 1e-4) -> None:
        """Wait until the heatmaps of the page are these, in this order."""
        wait_for_heatmaps(self.page, expected, tolerance)

    @property
    def parameters(self) -> dict[str, list[str]]:
        """What the address bar says after the question mark."""
        return parse_qs(urlsplit(self.page.url).query, keep_blank_values=True)

    @property
    def name(self) -> str:
        """The page in the address bar."""
        path = urlsplit(self.page.url).path.strip("/")
        assert path in {"", *(page.name for page in PAGES)}
        return path or START.name

    @property
    def sentences(self) -> list[str]:
        """What is said above the page."""
        return self.page.locator("[data-testid=stAlert]").all_inner_texts()

    def picker(self, name: str) -> Locator:
        """The widget that shows a parameter."""
        return self.page.locator(f".st-key-{name}, [class*='st-key-{name}-']")

    def looked_at(self, part: str) -> str:
        """What a picker of the focus says."""
        picker = self.picker(part)
        box = picker.locator("input")
        return box.input_value() if box.count() else picker.get_by_role("radio", checked=True).inner_text()

    def place(self, plot: int, row: float, column: float) -> tuple[float, float]:
        """Where on the screen a cell of a plot is, in pixels."""
        return place(self.page, plot, row, column)

    def clipped_titles(self) -> list[str]:
        """The titles of panels of which a part cannot be read."""
        return self.page.evaluate(_CLIPPED)

    def pixels_too_wide(self) -> int:
        """By how much the page can be scrolled sideways, once its parts have taken their places."""
        with suppress(TimeoutError):
            self.page.wait_for_function(f"{_TOO_WIDE} <= 2", timeout=5_000)
        return self.page.evaluate(_TOO_WIDE)

    def new_faults(self) -> list[str]:
        """What has gone wrong since this was called before."""
        faults = self.faults.copy()
        self.faults.clear()
        return faults

    def _heard(self, message: Any) -> None:
        # Streamlit looks for its own endpoints below the page's address first, on a link into the app.
        is_error = message.type == "error" and "/_stcore/" not in message.location.get("url", "")
        is_warning = message.text.startswith(("WARN:", "LaTeX-incompatible"))  # Plotly's of a figure, KaTeX's
        if is_error or is_warning:
            self.faults.append(f"console: {message.text}")

    def _requested(self, request: Any) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.faults.append(f"request to another host: {request.url}")

    def _connected(self, socket: Any) -> None:
        if socket.url.startswith(self.url.replace("http", "ws")):
            if "/early_figures/" not in socket.url:
                self.socket = socket
                self._runs.follow(socket)
        else:
            self.faults.append(f"socket to another host: {socket.url}")


@contextmanager
def new_tab(context: BrowserContext, url: str) -> Iterator[Screen]:
    """A tab, of which nothing is on screen yet. Nothing may go wrong in it until it is closed."""
    screen = Screen(context, url)
    yield screen
    screen.page.close()
    assert screen.faults == []


@contextmanager
def visitor(browser: Browser, url: str, **options: Any) -> Iterator[Screen]:
    """The tab of a new visitor, whose browser has nothing of the app. Nothing may go wrong in it until it is closed."""
    context = browser.new_context(**options)
    try:
        with new_tab(context, url) as screen:
            yield screen
    finally:
        context.close()
