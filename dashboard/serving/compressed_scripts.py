"""An ASGI middleware that compresses each script and style sheet once, and then sends it from memory.

Streamlit sends its own scripts uncompressed, 2.3 MB at a first visit, and compresses those in app/static anew for each
visitor, which takes 0.1 s of processor time for Plotly alone. The names of all these files contain a hash of their
content, so browsers keep them for a year. nginx does the same in deploy/.
"""

import asyncio
import gzip
import re
from typing import NamedTuple

from cachetools import LRUCache
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BYTES = 16_000_000  # of all compressed files; those of one visit have 2.2 MB, all that Streamlit has 6 MB
# protobuf.D55wl0P7.js of Streamlit, plotly-3b6e15d45dbb.js of dashboard/components/static_files.py
_NAME = re.compile(r"[\w.-]{1,99}[.-][\w-]{8,12}\.(?:js|css)")
_TYPES = {b"application/javascript", b"text/javascript", b"text/css"}
_ABOUT_THE_CLIENT = {b"accept-encoding", b"if-none-match", b"if-modified-since", b"range"}
_REPLACED = {
    b"content-length", b"content-encoding", b"accept-ranges", b"etag", b"last-modified", b"vary", b"cache-control",
}  # fmt: skip


class _Response(NamedTuple):
    """The start of a response, and its body."""

    start: Message
    body: bytes

    async def send_by(self, send: Send) -> None:
        await send({**self.start, "headers": list(self.start["headers"])})  # other middleware may add headers
        await send({"type": "http.response.body", "body": self.body})


class CompressedScripts:
    """The middleware. It passes on everything but scripts and style sheets whose names contain a hash."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        # By name, not by path: Streamlit serves the same file below any path.
        self._files: LRUCache[str, _Response] = LRUCache(MAX_BYTES, getsizeof=lambda file: len(file.body))
        self._reading = asyncio.Lock()  # when many people arrive at once, each file is compressed for the first of them

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one connection."""
        name = _requested_name(scope)
        if name is None:
            return await self._app(scope, receive, send)
        file = self._files.get(name)
        if file is None:
            async with self._reading:
                file = self._files.get(name) or await self._read(name, scope)
        await file.send_by(send)

    async def _read(self, name: str, scope: Scope) -> _Response:
        """The compressed file; the application's own response if it has no such file. The file is for everybody, so it
        is read to its end even if the visitor who asked for it has left."""
        headers = [header for header in scope["headers"] if header[0] not in _ABOUT_THE_CLIENT]
        messages: list[Message] = []

        async def collect(message: Message) -> None:
            messages.append(message)

        await self._app({**scope, "headers": headers}, _lasting_request(), collect)
        start, *parts = messages
        body = b"".join(part.get("body", b"") for part in parts)
        if start["status"] != 200 or dict(start["headers"]).get(b"content-type", b"").partition(b";")[0] not in _TYPES:
            return _Response(start, body)
        compressed = await asyncio.to_thread(gzip.compress, body, 6)
        kept = [header for header in start["headers"] if header[0] not in _REPLACED]
        file = _Response({**start, "headers": [*kept, *_compressed_headers(compressed)]}, compressed)
        if len(compressed) <= MAX_BYTES:
            self._files[name] = file
        return file


def _requested_name(scope: Scope) -> str | None:
    """The name of the script or style sheet that a browser asks for; None if the request is for something else."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    headers, path = dict(scope["headers"]), scope["path"]
    if b"gzip" not in headers.get(b"accept-encoding", b"") or b"range" in headers or "/static/" not in path:
        return None
    name = path.rpartition("/")[2]
    return name if _NAME.fullmatch(name) else None


def _lasting_request() -> Receive:
    """What an application receives of a request without a body, from a client that stays."""
    messages: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else await asyncio.get_running_loop().create_future()

    return receive


def _compressed_headers(body: bytes) -> list[tuple[bytes, bytes]]:
    return [
        (b"content-encoding", b"gzip"),
        (b"content-length", str(len(body)).encode()),
        (b"vary", b"Accept-Encoding"),
        (b"cache-control", b"public, immutable, max-age=31536000"),
    ]
