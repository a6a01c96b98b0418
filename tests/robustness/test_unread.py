"""A browser that does not read what it is sent loses its connection, and does not keep the server from stopping."""

import socket
import threading
from contextlib import contextmanager

import pytest
import uvicorn

from dashboard.serving.limits import unread

LONGEST = 15  # seconds, of all that is waited for
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
LARGE = bytes(20_000_000)  # more than the system keeps


@contextmanager
def serving_with_uvicorn(app):
    """Serve an app as Streamlit does, in a thread; yields its port. At the end it is told to stop, and has to."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, ws="websockets-sansio", lifespan="off", log_level="critical")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(LONGEST)
            has_stopped = not thread.is_alive()
            server.force_exit = True
            thread.join()
        assert has_stopped


pytestmark = pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="an option of Linux")


def check_that_it_ends(monkeypatch, app, request, *events):
    """Who asks for this and does not read it: the events come, and the server can stop."""
    monkeypatch.setattr(unread.AutoHTTPProtocol, "connection_made", unread._connection_made_with_limit)
    monkeypatch.setattr(unread, "SECONDS", 1)
    with socket.socket() as browser, serving_with_uvicorn(app) as port:
        browser.connect(("127.0.0.1", port))
        browser.sendall(request + b"\r\n")
        for event in events:
            assert event.wait(LONGEST)


@pytest.mark.parametrize("is_over", [False, True], ids=["while it is sent more", "after the app has ended"])
def test_a_browser_that_does_not_read_loses_its_websocket(monkeypatch, is_over):
    sent, lost = threading.Event(), threading.Event()

    async def app(scope, receive, send):
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "bytes": LARGE})
        sent.set()
        while not is_over:
            try:
                await send({"type": "websocket.send", "bytes": b"more"})
            except OSError:
                lost.set()
                raise

    check_that_it_ends(monkeypatch, app, REQUEST + UPGRADE, sent, *([] if is_over else [lost]))


def test_a_browser_that_does_not_read_a_file_loses_its_connection(monkeypatch):
    begun = threading.Event()

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200})
        begun.set()
        await send({"type": "http.response.body", "body": LARGE})

    check_that_it_ends(monkeypatch, app, REQUEST, begun)
