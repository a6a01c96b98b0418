"""An ASGI middleware that puts the style sheet of all pages into their HTML.

Otherwise it arrives with the elements of the page, some of which Streamlit renders before it: they then move.
"""

import gzip
from collections.abc import Collection
from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ROOT = b'<div id="root">'  # of Streamlit's HTML; its own styles are before it, those that a page renders within it
_ABOUT_THE_FILE = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}


class EarlyStyle:
    """The middleware. It changes the HTML of the pages with these names; "" is the address of the app.

    style           the rules of all of them
    beside_sidebar  further rules for `with_sidebar`, the names of the pages that have a sidebar
    """

    def __init__(
        self, app: ASGIApp, style: str, names: Collection[str], beside_sidebar: str, with_sidebar: Collection[str]
    ) -> None:
        self._app = app
        self._styles = {name: f"<style>{style}</style>".encode() for name in names}
        self._styles |= {name: f"<style>{style}{beside_sidebar}</style>".encode() for name in with_sidebar}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one connection."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        style = self._styles.get(scope["path"].rpartition("/")[2]) if is_get else None
        if style is None:
            return await self._app(scope, receive, send)
        # The whole file, as it is: neither compressed nor "not modified".
        headers = [header for header in scope["headers"] if header[0] not in _ABOUT_THE_FILE]
        start: Message = {}
        body = b""

        async def send_with_style(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            content = body
            if Headers(raw=start["headers"]).get("content-type", "").startswith("text/html"):
                content = body.replace(_ROOT, style + _ROOT, 1)
            status, changed = start["status"], MutableHeaders(raw=list(start["headers"]))
            if content != body:
                asked = Headers(scope=scope)
                for name in ("last-modified", "accept-ranges"):
                    del changed[name]
                changed["vary"] = "Accept-Encoding"
                changed["etag"] = etag = f'W/"{sha256(content).hexdigest()[:32]}"'
                if etag in asked.get("if-none-match", ""):
                    status, content = 304, b""
                elif "gzip" in asked.get("accept-encoding", ""):
                    content = gzip.compress(content, 6)
                    changed["content-encoding"] = "gzip"
            changed["content-length"] = str(len(content))
            if status == 304:
                del changed["content-length"], changed["content-type"]
            await send({**start, "status": status, "headers": changed.raw})
            await send({"type": "http.response.body", "body": content})

        await self._app({**scope, "headers": headers}, receive, send_with_style)
