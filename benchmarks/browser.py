"""The time from a key press on a slider to all heatmaps repainted, and to the whole page up to date, in Chromium: the
app against a stock page.

    python -m benchmarks.browser

Prints one JSON object. Both pages show the same heatmaps, and the slider d_model is moved 30 times by keyboard,
alternately on each page, always to a position that nobody has visited. `ours_ms_*` and `stock_ms_*` end when the frame
in which all heatmaps are new is on screen (`presentationTime` of Chromium's Long Animation Frames API), `complete_ms_*`
when everything else is up to date as well: the sizes in the heading are new, no element is outdated, and the run is
finished. `ratio_p95` and `complete_ratio_p95` are both against the stock page's
heatmaps. All are over the pages Scaled scores and Multi-head together, `pages` has them separately. `bytes_per_move` is
the median number of bytes that the server sends for a move, on the page with the larger one. `click_ms_*` is the time
from a click on a cell of Scaled scores to its derivation. `server_start_ms` is the time from the command to the first
answer of the server. `first_visit_ms` and `stock_first_visit_ms` are the median times from opening Scaled scores and
its stock page to the first painted heatmap, in turn, each in 10 browsers with an empty cache, after the warm-up.
`first_visit_kb` is what such a visit of the app receives, the websockets aside.
"""

import json
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.measure import percentile
from benchmarks.processes import wait_until_idle
from benchmarks.serving import chromium, serving
from benchmarks.visit import count_bytes

ROOT = Path(__file__).parent.parent
PAGES, MOVES, SAMPLED, FIRST_VISITS = ("scaled_scores", "multi_head"), 30, 4, 10

# The first values of every heatmap that has been painted. After a move, all of them differ.
_SIGNATURES = """() => [...document.querySelectorAll('.js-plotly-plot')].map(plot => {
    const trace = plot._fullData?.find(t => t.type === 'heatmap');
    const drawn = plot.querySelector('.heatmaplayer image, .heatmaplayer rect');
    return trace && drawn ? JSON.stringify([...trace.z.slice(0, 2)].map(row => [...row].slice(0, 3))) : null;
})"""
_WATCH = """before => {
    const signatures = SIGNATURES;
    const start = performance.now(), frames = [];
    const observer = new PerformanceObserver(list => frames.push(...list.getEntries()));
    observer.observe({ type: "long-animation-frame" });
    // When the frame is on screen whose callbacks run now; in a short frame, when its drawing has been handed over.
    const presentation = () => {
        const now = performance.now();
        let drawn = now;
        scheduler.postTask(() => { drawn = performance.now(); }, { priority: "user-blocking" });
        const isFrame = frame => frame.startTime <= now && now <= frame.startTime + frame.duration;
        return () => (frames.find(isFrame)?.presentationTime || drawn) - start;
    };
    let painted = null;
    const sizes = () => document.querySelector(".st-key-heading")?.innerText;  // of the tensors: d_model changes them
    const sizesBefore = sizes();
    const isComplete = () => (sizesBefore === undefined || sizes() !== sizesBefore)
        && !document.querySelector("[data-stale=true]")
        && document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning";
    window.__move = new Promise(resolve => {
        const check = () => {
            const current = signatures();
            const moved = (s, i) => before[i] === null || (s && s !== before[i]);
            if (current.length === before.length && current.every(moved)) painted ??= presentation();
            if (painted && isComplete()) {
                const complete = presentation();
                setTimeout(() => {  // the browser reports a frame some time later
                    observer.disconnect();
                    resolve([painted(), complete()]);
                }, 500);
            }
            else if (performance.now() - start > 15000) resolve(null);
            else requestAnimationFrame(check);
        };
        requestAnimationFrame(check);
    });
}""".replace("SIGNATURES", _SIGNATURES)
_CELL_POSITION = """([index, row, column]) => {
    const plot = document.querySelectorAll(".ew-plot .js-plotly-plot")[index];
    const { left, top } = plot.getBoundingClientRect(), { xaxis, yaxis } = plot._fullLayout;
    return [left + xaxis._offset + xaxis.l2p(column), top + yaxis._offset + yaxis.l2p(row)];
}"""
_WATCH_DERIVATION = """before => {
    window.__derivation = new Promise(resolve => document.addEventListener("mousedown", () => {
        const start = performance.now();
        const check = () => {
            const result = document.querySelector(".ew-result")?.innerText;
            if (result && result !== before) requestAnimationFrame(() => resolve(performance.now() - start));
            else if (performance.now() - start > 15000) resolve(null);
            else requestAnimationFrame(check);
        };
        check();
    }, { once: true, capture: true }));
}"""
# With the names of rows and columns and the gaps between cells, which the app does not leave to Plotly.
_FIGURES = """() => {
    const figure = ({ data, layout }) => JSON.parse(Plotly.Plots.graphJson({ data, layout }, false, "keepall"));
    const lines = [...document.querySelectorAll(".ew-plot")].map(({ plotLine }) => plotLine.panelElements);
    return lines.map(elements => elements.filter(({ layout }) => layout).map(figure)).filter(row => row.length);
}"""


class Visit:
    """One open page, with the number of bytes that it received from the server."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.received = 0
        self.page: Page = browser.new_page(viewport={"width": 1440, "height": 900})
        self.page.on("websocket", lambda socket: socket.on("framereceived", self._count))
        count = count_bytes(self.page)
        start = time.perf_counter()
        self.page.goto(url)
        self.page.wait_for_function(
            f"() => {{ const s = ({_SIGNATURES})(); return s.length && s.some(Boolean); }}", timeout=60_000
        )
        self.painted_ms = (time.perf_counter() - start) * 1e3
        self.page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]", timeout=60_000)
        self.page.wait_for_timeout(1000)
        self.bytes = count()

    def move(self, key: str) -> tuple[float, float, int]:
        """Press a key on the slider.

        Returns the milliseconds until all heatmaps are repainted and until the page is complete, and the bytes
        received.
        """
        self.page.bring_to_front()
        self.page.get_by_role("slider", name="d_model").first.focus()
        before, received = self.page.evaluate(_SIGNATURES), self.received
        self.page.evaluate(_WATCH, before)
        self.page.keyboard.press(key)
        milliseconds = self.page.evaluate("() => window.__move")
        if milliseconds is None:
            raise RuntimeError(f"{self.page.url}: the heatmaps were not repainted within 15 s")
        painted, complete = milliseconds
        return painted, complete, self.received - received

    def click(self, row: int, column: int) -> float:
        """Click a cell of the product on Scaled scores; returns the milliseconds until its derivation is shown."""
        position = self.page.evaluate(_CELL_POSITION, [2, row, column])
        self.page.evaluate(_WATCH_DERIVATION, self.page.locator(".ew-result").inner_text())
        self.page.mouse.click(*position)
        milliseconds = self.page.evaluate("() => window.__derivation")
        if milliseconds is None:
            raise RuntimeError("the derivation was not shown within 15 s")
        self.page.wait_for_timeout(500)
        return milliseconds

    def _count(self, payload: str | bytes) -> None:
        self.received += len(payload)


def sampled_figures(visit: Visit) -> list:
    """The page's figures at a few slider positions, row by row, as input of the stock page."""
    positions = []
    for _ in range(SAMPLED):
        positions.append(visit.page.evaluate(_FIGURES))
        visit.move("ArrowRight")
    return positions


def first_visit(browser: Browser, url: str) -> Visit:
    """A visit with an empty cache, which is over."""
    visit = Visit(browser, url)
    visit.page.context.close()
    return visit


def compare(browser: Browser, url: str, name: str, folder: Path) -> dict[str, list[float]]:
    """Measure one page of the app and its stock page alternately."""
    app = Visit(browser, f"{url}/{name}?layers={4 + PAGES.index(name)}")  # so that each page's positions are its own
    figures = folder / f"{name}.json"
    figures.write_text(json.dumps(sampled_figures(app)))
    shutil.copy(ROOT / "benchmarks" / "stock_page.py", folder)
    ways = ("ours", "complete", "stock", "bytes", "first", "first_bytes", "stock_first")
    measured: dict[str, list[float]] = {way: [] for way in ways}
    with serving(["-m", "streamlit", "run", "stock_page.py", "--", str(figures)], folder) as (stock_url, _):
        for turn in range(FIRST_VISITS + 1 if name == PAGES[0] else 0):
            first, stock_first = first_visit(browser, f"{url}/{name}"), first_visit(browser, stock_url)
            if turn:  # the stock page's server is cold for the first one
                measured["first"].append(first.painted_ms)
                measured["first_bytes"].append(first.bytes)
                measured["stock_first"].append(stock_first.painted_ms)
        stock = Visit(browser, stock_url)
        for move in range(MOVES + 2):
            app_ms, complete_ms, received = app.move("ArrowRight")
            stock_ms, *_ = stock.move("ArrowRight")
            if move >= 2:  # the browser's caches are cold for the first two
                measured["ours"].append(app_ms)
                measured["complete"].append(complete_ms)
                measured["bytes"].append(received)
                measured["stock"].append(stock_ms)
        stock.page.close()
    if name == PAGES[0]:
        measured["click"] = [app.click(1 + turn % 12, 1 + turn * 5 % 12) for turn in range(MOVES + 2)][2:]
    app.page.close()
    return measured


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(["-m", "streamlit", "run", "dashboard/server.py"], ROOT) as (url, start_ms),
        sync_playwright() as playwright,
    ):
        wait_until_idle()  # the warm-up
        browser = chromium(playwright)
        pages = {name: compare(browser, url, name, Path(folder)) for name in PAGES}
        browser.close()
    ours, complete, stock = (
        [duration for page in pages.values() for duration in page[way]] for way in ("ours", "complete", "stock")
    )
    print(
        json.dumps(
            {
                "moves": len(ours),
                "ours_ms_p50": percentile(ours, 50),
                "ours_ms_p95": percentile(ours, 95),
                "stock_ms_p50": percentile(stock, 50),
                "stock_ms_p95": percentile(stock, 95),
                "ratio_p95": round(percentile(ours, 95) / percentile(stock, 95), 2),
                "complete_ms_p50": percentile(complete, 50),
                "complete_ms_p95": percentile(complete, 95),
                "complete_ratio_p95": round(percentile(complete, 95) / percentile(stock, 95), 2),
                "bytes_per_move": int(max(percentile(page["bytes"], 50) for page in pages.values())),
                "click_ms_p50": percentile(pages[PAGES[0]]["click"], 50),
                "click_ms_p95": percentile(pages[PAGES[0]]["click"], 95),
                "server_start_ms": round(start_ms),
                "first_visit_ms": round(percentile(pages[PAGES[0]]["first"], 50)),
                "stock_first_visit_ms": round(percentile(pages[PAGES[0]]["stock_first"], 50)),
                "first_visit_kb": round(percentile(pages[PAGES[0]]["first_bytes"], 50) / 1e3),
                "pages": {
                    name: {
                        "ours_ms_p95": percentile(page["ours"], 95),
                        "complete_ms_p95": percentile(page["complete"], 95),
                        "stock_ms_p95": percentile(page["stock"], 95),
                        "bytes": int(percentile(page["bytes"], 50)),
                    }
                    for name, page in pages.items()
                },
            }
        )
    )


if __name__ == "__main__":
    main()
