"""The HTML of a page says that it is going to need Plotly, and browsers then ask for it at once."""

import sys
from pathlib import Path

import pytest

from dashboard.components.plotly_bundle import PLOTLY, bundle, compiled_at_once
from dashboard.components.static_files import STATIC
from dashboard.page_list import PAGES, Stage
from dashboard.server import MIDDLEWARE
from dashboard.serving.early_plotly import EarlyPlotly
from tests.robustness.coroutines import run


def link_of(path, kind="text/html; charset=utf-8"):
    """The header `link` of the response to a request, if it has one."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind.encode())]})
        await send({"type": "http.response.body", "body": b"the page"})

    async def send(message):
        sent.append(message)

    (early,) = [middleware for middleware in MIDDLEWARE if middleware.cls is EarlyPlotly]
    run(EarlyPlotly(app, *early.args)({"type": "http", "method": "GET", "path": path, "headers": []}, None, send))
    assert sent[1]["body"] == b"the page"
    return dict(sent[0]["headers"]).get(b"link", b"").decode()


def test_the_script_is_a_file_that_is_served():
    assert link_of("/scaled_scores") == f"<app/static/{PLOTLY}>; rel=preload; as=script"
    assert (STATIC / PLOTLY).stat().st_size > 1_000_000


def test_the_whole_of_plotly_is_used_where_the_small_bundle_is_missing(tmp_path):
    whole = bundle(tmp_path)
    assert whole.read_text(encoding="utf-8").startswith("/**\n* plotly.js v")
    (tmp_path / "plotly-cartesian.min.js").write_text("small")
    assert bundle(tmp_path) != whole


def test_the_outermost_function_of_both_bundles_is_marked_as_called_at_once(tmp_path):
    for environment in (Path(sys.prefix), tmp_path):
        script = bundle(environment).read_bytes()
        marked = compiled_at_once(script)
        assert len(marked) == len(script) + 2
        assert b'(typeof self !== "undefined" ? self : this, (() => {\n' in marked
        assert marked.rstrip().endswith(b"return Plotly;\n})));")
    for other in (b"", b"(() => {})();", b"f(a : this, () => {}));g()", b"f(a : this, () => {})"):
        assert compiled_at_once(other) == other


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_stages_need_it_now_and_the_start_page_later(page):
    kind = "preload" if isinstance(page, Stage) else "prefetch" if page.name == "start" else ""
    assert f"rel={kind};" in link_of(f"/{page.name}") if kind else link_of(f"/{page.name}") == ""


def test_the_start_page_has_no_name_and_an_app_may_be_below_a_path():
    assert "rel=prefetch;" in link_of("/")
    assert "rel=preload;" in link_of("/walkthrough/map")


@pytest.mark.parametrize(
    ("path", "kind"), [("/map", "application/json"), ("/map/_stcore/health", "text/html"), ("/map.js", "text/html")]
)
def test_other_responses_are_as_they_were(path, kind):
    assert link_of(path, kind) == ""


def test_a_browser_asks_for_plotly_once_before_it_connects(visits):
    (plotly,) = [request for request in visits.requests if request["file"] == PLOTLY]
    connecting = next(request for request in visits.requests if request["file"] == "host-config")
    assert plotly["startTime"] < connecting["startTime"]
    # Chromium complains of a file that was not used
    assert [text for text in visits.messages if "preload" in text] == []
