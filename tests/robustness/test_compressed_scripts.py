"""Scripts and style sheets are compressed once, for all visitors; everything else passes as it is."""

import asyncio
import gzip

import pytest

from dashboard.serving.compressed_scripts import CompressedScripts
from tests.robustness.coroutines import run

SCRIPT, BODY = "/static/js/protobuf.D55wl0P7.js", b"export const script = 1;" * 100
GZIP = {"accept-encoding": "gzip, deflate"}
FIRST_VISIT, SECOND_VISIT = 3_200_000, 20_000  # bytes: 5.3 MB and 8 kB without compression


class Files:
    """An application that has one file, and sends a page for all other names, as Streamlit does."""

    kind = b"application/javascript; charset=utf-8"

    def __init__(self):
        self.requests = []

    async def __call__(self, scope, receive, send):
        self.requests.append(scope)
        await asyncio.sleep(0.01)
        found = scope["path"].endswith("protobuf.D55wl0P7.js")
        headers = [(b"content-type", self.kind if found else b"text/html"), (b"etag", b'"1"'), (b"x-other", b"kept")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": BODY[:1000], "more_body": True})
        await send({"type": "http.response.body", "body": BODY[1000:]})


class Attentive(Files):
    """An application that ends its response when the client leaves, as Streamlit's does."""

    async def __call__(self, scope, receive, send):
        async def leave():
            while (await receive())["type"] != "http.disconnect":
                pass

        leaving = asyncio.create_task(leave())
        sending = asyncio.create_task(super().__call__(scope, receive, send))
        await asyncio.wait({leaving, sending}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        sending.cancel()


async def gone():
    """What a client says that has left."""
    return {"type": "http.disconnect"}


async def get(app, path=SCRIPT, headers=GZIP, method="GET", receive=None):
    """The headers and the body of a response."""
    sent = []

    async def send(message):
        sent.append(dict(message))
        if "headers" in message:
            sent[-1]["headers"] = list(message["headers"])
            message["headers"].append((b"x-added", b"by other middleware"))

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await app({"type": "http", "method": method, "path": path, "headers": raw}, receive, send)
    return dict(sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent[1:])


def test_a_script_is_whole_although_the_first_visitor_has_left():
    files = Attentive()
    app = CompressedScripts(files)

    async def visits():
        return [await get(app, receive=gone), await get(app)]

    assert [gzip.decompress(body) for _, body in run(visits())] == [BODY, BODY]
    assert len(files.requests) == 1


def test_a_script_is_read_and_compressed_once():
    files = Files()
    app = CompressedScripts(files)

    async def visits():
        first = await asyncio.gather(*(get(app) for _ in range(5)))
        return [*first, await get(app, f"/app/any{SCRIPT}", GZIP | {"if-none-match": '"1"'})]

    for headers, body in run(visits()):
        assert gzip.decompress(body) == BODY
        assert headers == {
            b"content-type": files.kind, b"x-other": b"kept", b"content-encoding": b"gzip", b"vary": b"Accept-Encoding",
            b"content-length": str(len(body)).encode(), b"cache-control": b"public, immutable, max-age=31536000",
        }  # fmt: skip
    (request,) = files.requests
    assert request["headers"] == []  # neither compressed already, nor a part, nor "not modified"


@pytest.mark.parametrize(
    "request_",
    [
        {"headers": {}},  # no gzip
        {"headers": GZIP | {"range": "bytes=0-9"}},
        {"method": "HEAD"},
        {"path": "/static/js/index.js"},  # no hash: the content may change
        {"path": "/media/protobuf.D55wl0P7.js"},
        {"path": "/scaled_scores"},
        {"path": "/static/js/unknown.D55wl0P8.js"},  # a page instead of the script
        {"path": f"/static/js/{'x' * 99}.protobuf.D55wl0P7.js"},
        {"path": "/static/" * 200_000},  # a search that tries each of them as the first takes hours
        {"path": "/static/" + "a.b-c" * 200_000},
    ],
)
def test_other_requests_pass_as_they_are(request_):
    files = Files()
    app = CompressedScripts(files)

    async def twice():
        return [await get(app, **request_), await get(app, **request_)]

    for headers, body in run(twice()):
        assert (headers[b"etag"], body) == (b'"1"', BODY)
        assert b"content-encoding" not in headers
    assert len(files.requests) == 2


def test_a_websocket_passes():
    kinds = []

    async def app(scope, receive, send):
        kinds.append(scope["type"])

    run(CompressedScripts(app)({"type": "websocket", "path": SCRIPT, "headers": []}, None, None))
    assert kinds == ["websocket"]


def test_a_first_visit_is_small_without_nginx_too(visits):
    first, second = visits.received
    assert 1_000_000 < first <= FIRST_VISIT
    assert second <= SECOND_VISIT
