"""The HTML of a page contains the style sheet of all pages, so that its first elements stay where they are, and links
to the scripts that it is going to import."""

import gzip
import re

import pytest
from streamlit.runtime.pages_manager import PagesManager

from benchmarks.chromium import CALM
from benchmarks.client import ClientSession
from dashboard import server
from dashboard.components.plotly_bundle import PLOTLY
from dashboard.components.static_files import STATIC
from dashboard.models import warm_up
from dashboard.page_list import PAGES, Stage
from dashboard.server import MIDDLEWARE
from dashboard.serving.early_html import EarlyHtml
from tests.browser.conftest import PHONE, WIDE
from tests.robustness.coroutines import run

HTML = '<head><title>é</title></head><body><div id="root"></div></body>'.encode()
ROOM = "--ew-sidebar-room, 300px"

_LINK = re.compile('<link rel="modulepreload" fetchpriority="low" href="app/static/([^"/]+)">')

# Adds up the layout shifts of a page.
_WATCH = """() => {
    window.shifted = 0;
    new PerformanceObserver(list => { for (const entry of list.getEntries()) window.shifted += entry.value; })
        .observe({ type: "layout-shift", buffered: true });
}"""


def get(path, headers=(), kind="text/html; charset=utf-8", method="GET"):
    """What the application is asked, and the headers and the body of the response."""
    requests, sent = [], []

    async def app(scope, receive, send):
        requests.append(dict(scope["headers"]))
        length = str(len(HTML)).encode()
        answer = [
            (b"content-type", kind.encode()),
            (b"content-length", length),
            (b"etag", b'"1"'),
            (b"x-other", b"kept"),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": answer})
        await send({"type": "http.response.body", "body": HTML[:20], "more_body": True})
        await send({"type": "http.response.body", "body": HTML[20:]})

    async def send(message):
        sent.append(message)

    (early,) = [middleware for middleware in MIDDLEWARE if middleware.cls is EarlyHtml]
    scope = {"type": "http", "method": method, "path": path, "headers": list(headers)}
    run(EarlyHtml(app, *early.args)(scope, None, send))
    body = b"".join(message.get("body", b"") for message in sent)
    return requests[0], {b":status": sent[0]["status"], **dict(sent[0]["headers"])}, body


@pytest.mark.parametrize("page", ["", *PAGES], ids=lambda page: getattr(page, "name", "address of the app"))
def test_every_page_has_the_style_before_its_elements(page):
    _, headers, body = get(f"/{page.name if page else ''}")
    text = body.decode()
    assert text.index("</head>") < text.index("<style>") < text.index("</style>") < text.index('<div id="root">')
    style = text.partition("<style>")[2].partition("</style>")[0]
    assert "st-key-rail" in style
    assert "ACTIVE" not in style
    assert "<" not in style
    assert style.count("{") == style.count("}")
    assert (ROOM in style) == bool(page and page.has_sidebar)
    assert headers[b"content-length"] == str(len(body)).encode()
    assert headers[b"x-other"] == b"kept"
    assert headers[b"etag"] != b'"1"'  # of the file without the style


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_stages_have_links_to_published_scripts(page):
    scripts = _LINK.findall(get(f"/{page.name}")[2].decode())
    assert bool(scripts) == isinstance(page, Stage)
    assert len(scripts) == len(set(scripts))
    assert all((STATIC / script).is_file() for script in scripts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_first_component_is_brought_forward_before_the_scripts_of_streamlit_run(page):
    text = get(f"/{page.name}")[2].decode()
    assert 0 < text.index("_stcore/stream") < text.index('<div id="root">')
    needed = re.findall('<script data-loader="app/static/([^"]+)" data-plotly="([^"]+)">', text)
    assert len(needed) == isinstance(page, Stage)
    assert all((STATIC / file).is_file() for pair in needed for file in pair)


def test_a_browser_has_the_script_for_components_before_it_asks_for_those_of_other_elements(visits):
    requests = {request["file"].partition(".")[0]: request for request in visits.requests}
    others = [requests[kind]["startTime"] for kind in ("PageLink", "Slider", "Selectbox", "Radio")]
    assert requests["BidiComponent"]["responseEnd"] < min(others)


def test_a_browser_asks_for_all_scripts_of_a_stage_before_it_connects(visits):
    files = [request["file"] for request in visits.requests]
    scripts = _LINK.findall(get("/scaled_scores")[2].decode())
    own = [file for file in files if (STATIC / file).suffix == ".js" and (STATIC / file).is_file()]
    assert sorted(own) == sorted([*scripts, PLOTLY]), "each once, and no others"
    starts = {request["file"]: request["startTime"] for request in visits.requests}
    assert max(starts[script] for script in scripts) < starts["health"]


def test_a_browser_that_has_the_html_gets_nothing_more():
    _, first, _ = get("/map")
    _, headers, body = get("/map", [(b"if-none-match", first[b"etag"]), (b"accept-encoding", b"gzip")])
    assert headers[b":status"] == 304
    assert body == b""
    assert headers[b"etag"] == first[b"etag"]
    assert not {b"content-length", b"content-type", b"content-encoding"} & set(headers)
    _, other, _ = get("/recipes", [(b"if-none-match", first[b"etag"])])  # which has no sidebar
    assert other[b":status"] == 200


def test_a_browser_gets_it_compressed_and_never_an_older_one():
    asked = [(b"accept-encoding", b"gzip, br"), (b"if-none-match", b'"1"'), (b"user-agent", b"a browser")]
    request, headers, body = get("/map", asked)
    assert request == {b"user-agent": b"a browser"}
    assert headers[b"content-encoding"] == b"gzip"
    assert len(body) < 8_000
    assert gzip.decompress(body) == get("/map")[2]


@pytest.mark.parametrize(
    ("path", "kind", "method"),
    [("/map", "application/json", "GET"), ("/map.js", "text/html", "GET"), ("/map", "text/html", "HEAD")],
)
def test_other_responses_are_as_they_were(path, kind, method):
    _, headers, body = get(path, kind=kind, method=method)
    assert body == HTML
    assert headers[b"etag"] == b'"1"'


@pytest.fixture(scope="module")
def devices(browser):
    """A computer and a phone: browsers that have Streamlit's files and ours from the second page on."""
    opened = [browser.new_context(), browser.new_context(has_touch=True, is_mobile=True)]
    yield dict(zip(("computer", "phone"), opened, strict=True))
    for context in opened:
        context.close()


def shift(context, url, size):
    """The sum of the layout shifts of a page while it loads, in a new tab."""
    with context.new_page() as page:
        page.set_viewport_size(size)
        page.add_init_script(f"({_WATCH})()")
        page.goto(url, timeout=120_000)
        page.wait_for_selector("h1", timeout=120_000)
        if not url.endswith("/training"):
            page.wait_for_selector(".js-plotly-plot .main-svg, .ew-word_lines .ew-word.ew-key", timeout=120_000)
        page.wait_for_function(CALM)
        page.wait_for_timeout(500)
        return page.evaluate("window.shifted")


@pytest.mark.parametrize(
    ("name", "device", "size", "limit"),
    [  # 0.1 is "good". Without the style, pages shift by 0.5 to 1.5; without the room for widgets by up to 0.3.
        pytest.param("start", "computer", WIDE, 0.1, id="start"),
        pytest.param("multi_head", "computer", WIDE, 0.1, id="multi_head"),
        pytest.param("qkv", "computer", WIDE, 0.03, id="qkv"),
        pytest.param("recipes", "computer", WIDE, 0.1, id="recipes"),
        pytest.param("training", "computer", WIDE, 0.03, id="training"),
        pytest.param("softmax", "computer", PHONE, 0.1, id="softmax in a narrow window"),
        pytest.param("start", "phone", PHONE, 0.05, id="start on a phone"),
        pytest.param("embedding", "phone", PHONE, 0.05, id="embedding on a phone"),
        pytest.param("weighted_values", "phone", PHONE, 0.05, id="weighted_values on a phone"),
        pytest.param("recipes", "phone", PHONE, 0.05, id="recipes on a phone"),
        pytest.param("training", "phone", PHONE, 0.05, id="training on a phone"),
    ],
)
def test_the_elements_of_a_page_stay_where_they_are_while_it_loads(devices, guarded_server, name, device, size, limit):
    path = "/" if name == "start" else f"/{name}"
    ClientSession(guarded_server, path).close()  # the first visit of a page compiles, and brings it in parts
    assert shift(devices[device], guarded_server + path, size) < limit


def test_the_first_visit_begins_with_the_entrypoint(monkeypatch):
    """Streamlit would run the page alone, end that run, and begin again: the room of the sidebar closed in between."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    monkeypatch.setattr(warm_up, "start", lambda: None)

    async def starts_server():
        async with server._lifespan(server.app):
            return PagesManager(str(server.SCRIPT)).uses_pages_directory

    assert run(starts_server()) is False
