"""An ASGI middleware in front of Streamlit: what a connection may send, how much and how often.

The app has no uploads and needs few of the messages that Streamlit understands. Among the others is `clear_cache`, with
which one visitor could empty the caches of all.
"""

import asyncio
import logging
import time
from collections.abc import Callable

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

RATE = 10.0  # messages per second of one connection; a slider sends at most 5
BURST = 60.0  # messages that a connection can send at once
MAX_BYTES = 200_000  # of one message; those of a browser have about 10,000
ALLOWED = {
    "rerun_script", "stop_script", "app_heartbeat", "backend_operation_request", "set_run_on_save", "load_git_info",
}  # fmt: skip
OPERATIONS = {"deferred_file", "dataframe_chunk"}  # downloads, and the rows of a long table
_UNSUPPORTED, _TOO_LARGE, _INVALID = 1003, 1009, 1002  # codes of RFC 6455, section 7.4.1

_logger = logging.getLogger(__name__)


class Gate:
    """The middleware. Of more than `most` connections, it refuses the latest."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self.count = 0  # open connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one connection."""
        if scope["type"] == "http" and "/_stcore/upload_file" in scope["path"]:
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b"There are no uploads."})
        elif scope["type"] != "websocket":
            await self._app(scope, receive, send)
        elif self.count >= self._most:
            _logger.warning("A connection is refused: %d are open.", self.count)
            await send({"type": "websocket.close"})
        else:
            self.count += 1
            connection = LimitedConnection(receive, send)
            try:
                await self._app(scope, connection.receive, connection.send)
            except RuntimeError:
                # Streamlit reads from and closes a connection that a failed `send` has already ended.
                if not connection.is_lost:
                    raise
            finally:
                self.count -= 1


class LimitedConnection:
    """One connection; `receive` returns its next message that is allowed, when it is allowed.

    is_lost  whether a message could not be sent
    """

    def __init__(self, receive: Receive, send: Send, clock: Callable[[], float] = time.monotonic) -> None:
        self._receive = receive
        self._send = send
        self._clock = clock
        self._tokens, self._updated = BURST, clock()
        self.is_lost = False

    async def send(self, message: Message) -> None:
        """Send a message to the browser."""
        try:
            await self._send(message)
        except Exception:
            self.is_lost = True
            raise

    async def receive(self) -> Message:
        """The next message. One that no browser sends closes the connection, without a traceback in the log."""
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            data = message.get("bytes")
            if data is None:
                return await self._close(_UNSUPPORTED, "a text")
            if len(data) > MAX_BYTES:
                return await self._close(_TOO_LARGE, f"{len(data)} bytes")
            await self._pause()
            try:
                kind = _kind(data)
            except DecodeError:
                return await self._close(_INVALID, "no BackMsg")
            if kind in ALLOWED:
                return message
            _logger.warning("A message is ignored: %s.", kind)

    async def _pause(self) -> None:
        """Wait until the rate allows another message. The server does not read from the connection meanwhile."""
        now = self._clock()
        self._tokens = min(BURST, self._tokens + RATE * (now - self._updated)) - 1
        self._updated = now
        if self._tokens < 0:
            await asyncio.sleep(-self._tokens / RATE)

    async def _close(self, code: int, reason: str) -> Message:
        _logger.warning("A connection is closed because of a message: %s.", reason)
        await self._send({"type": "websocket.close", "code": code})
        return {"type": "websocket.disconnect", "code": code}


def _kind(data: bytes) -> str | None:
    """The type of a message; of an operation that is not allowed, its name. Raises DecodeError."""
    message = BackMsg()
    message.ParseFromString(data)
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        operation = message.backend_operation_request.WhichOneof("payload")
        return kind if operation in OPERATIONS else f"{kind}: {operation}"
    return kind
