"""The first visit after the app has slept: the server has just started, nothing is imported or compiled.

    python -m benchmarks.wake

Prints one JSON object. Each visit has a server and a browser context of its own; `streamlit run streamlit_app.py` is
what Streamlit Community Cloud runs. All are medians of the milliseconds from opening the address:

title_ms        Scaled scores by a link, to its heading
figure_ms       the same, to its first painted heatmap
start_page_ms   the start page, to the lines of its sentence
bare_ms         a bare page with as many elements as Scaled scores, to the last of them
"""

import json
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.measure import percentile
from benchmarks.processes import wait_until_idle
from benchmarks.serving import ROOT, chromium, serving
from benchmarks.visit import PLOT

VISITS, ELEMENTS = 3, 90
# The warm-up of an earlier server on the same machine must not help.
_COLD = {"JAX_ENABLE_COMPILATION_CACHE": "false", "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none"}


def visit_ms(browser: Browser, arguments: list[str], folder: Path, path: str, selectors: list[str]) -> list[float]:
    """The milliseconds until each of the selectors is on the page, from the first visit of a new server."""
    with serving(["-m", "streamlit", "run", *arguments], folder, environment=_COLD) as (url, _):
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        page.goto(url + path, wait_until="commit")
        times = []
        for selector in selectors:
            page.wait_for_selector(selector, state="attached")
            times.append(page.evaluate("performance.now()"))
        page.context.close()
    return times


def main() -> None:
    bare_page = ROOT / "benchmarks" / "bare_page.py"
    app = ["streamlit_app.py"]
    last = f"[data-testid=stElementContainer]:has-text('Element {ELEMENTS - 2} ')"
    visits: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        shutil.copy(bare_page, folder)  # where the settings of the project have no effect
        bare = [bare_page.name, "--", str(ELEMENTS)]
        browser = chromium(playwright)
        for _ in range(VISITS):
            wait_until_idle()
            stage = visit_ms(browser, app, ROOT, "/scaled_scores", ["h1", PLOT])
            start_page = visit_ms(browser, app, ROOT, "/", [".ew-word_lines .ew-word.ew-key"])
            visits.append([*stage, *start_page, *visit_ms(browser, bare, Path(folder), "/", [last])])
        browser.close()
    names = ("title_ms", "figure_ms", "start_page_ms", "bare_ms")
    print(
        json.dumps({name: percentile(times, 50) for name, times in zip(names, zip(*visits, strict=True), strict=True)})
    )


if __name__ == "__main__":
    main()
