"""An ASGI middleware that adds to the HTML of the pages what they would otherwise ask for late.

The style sheet otherwise arrives with the elements of the page, some of which Streamlit renders before it: they then
move. The scripts of components are otherwise asked for when Streamlit has rendered the page, and what they import when
they have arrived.
"""

import gzip
from collections.abc import Mapping
from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ROOT = b'<div id="root">'  # of Streamlit's HTML; its own styles are before it, those that a page renders within it
_ABOUT_THE_FILE = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}


class EarlyHtml:
    """The middleware.

    parts  the name of each page -> what is added to its HTML, before its elements; "" is the address of the app
    """

    def __init__(self, app: ASGIApp, parts: Mapping[str, str]) -> None:
        self._app = app
        self._parts = {name: part.encode() for name, part in parts.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one connection."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        part = self._parts.get(scope["path"].rpartition("/")[2]) if is_get else None
        if part is None:
            return await self._app(scope, receive, send)
        # The whole file, as it is: neither compressed nor "not modified".
        headers = [header for header in scope["headers"] if header[0] not in _ABOUT_THE_FILE]
        start: Message = {}
        body = b""

        async def send_with_part(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            content = body
            if Headers(raw=start["headers"]).get("content-type", "").startswith("text/html"):
                content = body.replace(_ROOT, part + _ROOT, 1)
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

        await self._app({**scope, "headers": headers}, receive, send_with_part)
