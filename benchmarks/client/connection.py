"""The websocket: bytes in and out, on one socket, read by a thread or by whoever asks for a message."""

import queue
import select
import socket
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.typing import Origin, Subprotocol
from websockets.uri import parse_uri

MAX_MESSAGE_SIZE = 200 * 2**20  # bytes, the default of server.maxMessageSize
CONNECT_TIMEOUT = 30  # seconds


class ConnectionLost(ConnectionError):
    """The server closed the websocket."""


class Connection:
    """An open websocket, by default to `/_stcore/stream`.

    The thread answers pings while nobody reads, so an idle session stays connected.
    """

    def __init__(
        self, server: str, session_id: str | None, source: str = "", *, path: str = "/_stcore/stream", cookie: str = ""
    ) -> None:
        """Connect to the server at this URL; with a session id the server resumes that session if it still has it.

        source  the address of this machine to connect from; "" leaves the choice to the system
        path    of another websocket of the server
        cookie  that a former response of the server has set
        """
        host = urlsplit(server)
        tokens = ["streamlit", "PLACEHOLDER_AUTH_TOKEN", *([session_id] if session_id else [])]
        self._protocol = ClientProtocol(
            parse_uri(f"ws://{host.netloc}{path}"),
            origin=Origin(f"http://{host.netloc}"),
            subprotocols=[Subprotocol(token) for token in tokens],
            max_size=MAX_MESSAGE_SIZE,
        )
        self.cookie = cookie  # "name=value" of the last one that the server has set, or ""
        self._lock = threading.RLock()  # of the protocol and of writing
        self._received: queue.SimpleQueue[bytes | ConnectionLost] = queue.SimpleQueue()
        self._socket = socket.create_connection((host.hostname, host.port), CONNECT_TIMEOUT, (source, 0))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._handshake()
        self._socket.settimeout(None)
        self._begin_reading()

    def send(self, messages: Iterable[BackMsg]) -> None:
        """Send messages in one write, so that the server handles them one directly after the other."""
        with self._lock:
            if self._protocol.state is not State.OPEN:
                raise ConnectionLost("the websocket is closed")
            for message in messages:
                self._protocol.send_binary(message.SerializeToString())
            self._write()

    def receive(self, deadline: float | None) -> bytes | None:
        """The next message, or None if none is there before the deadline (`time.monotonic`; None: do not wait)."""
        try:
            if deadline is None:
                message = self._received.get_nowait()
            else:
                message = self._received.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return None
        if isinstance(message, ConnectionLost):
            self._received.put(message)
            raise message
        return message

    def close(self) -> None:
        """Close the websocket; messages that have not been read are lost."""
        with self._lock:
            if self._protocol.state is State.OPEN:
                self._protocol.send_close(1000)
                with suppress(OSError):
                    self._write()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._end_reading()
        self._socket.close()

    def _begin_reading(self) -> None:
        self._thread = threading.Thread(target=self._read, name="websocket client", daemon=True)
        self._thread.start()

    def _end_reading(self) -> None:
        self._thread.join()

    def _handshake(self) -> None:
        request = self._protocol.connect()
        if self.cookie:
            request.headers["Cookie"] = self.cookie
        self._protocol.send_request(request)
        self._write()
        while self._protocol.state is State.CONNECTING:
            self._protocol.receive_data(self._socket.recv(2**16))
            if self._protocol.handshake_exc is not None:
                raise self._protocol.handshake_exc
        self._parts: list[bytes] = []
        self._handle_frames()

    def _read(self) -> None:
        try:
            while True:
                self._read_once()
        except ConnectionLost as lost:
            self._received.put(lost)

    def _read_once(self) -> None:
        """Read what is there, or wait for it. Raises ConnectionLost at the end."""
        try:
            data = self._socket.recv(2**18)
        except OSError as error:
            raise ConnectionLost(f"the websocket broke: {error}") from error
        if not data:
            closed = f"{self._protocol.close_code} {self._protocol.close_reason}"
            raise ConnectionLost(f"the server closed the websocket: {closed}")
        with self._lock:
            self._protocol.receive_data(data)
            self._handle_frames()
            self._write()

    def _handle_frames(self) -> None:
        for event in self._protocol.events_received():
            if isinstance(event, Response):
                self.cookie = event.headers.get("Set-Cookie", self.cookie).partition(";")[0]
            if isinstance(event, Frame) and event.opcode in (Opcode.BINARY, Opcode.TEXT, Opcode.CONT):
                if event.opcode is not Opcode.CONT:
                    self._parts = []
                self._parts.append(bytes(event.data))
                if event.fin:
                    self._received.put(b"".join(self._parts))

    def _write(self) -> None:
        data = b"".join(self._protocol.data_to_send())
        if not data:
            return
        try:
            self._send_all(data)
        except ConnectionLost:
            raise
        except OSError as error:
            raise ConnectionLost(f"the websocket broke: {error}") from error

    def _send_all(self, data: bytes) -> None:
        self._socket.sendall(data)


class PolledConnection(Connection):
    """A websocket without a thread: it is read when somebody asks for a message, and pings are answered then."""

    _unsent: bytearray | None = None  # while something is sent

    def receive(self, deadline: float | None) -> bytes | None:
        message = super().receive(None)
        while message is None:
            left = 0.0 if deadline is None else deadline - time.monotonic()
            if not select.select([self._socket], [], [], max(0.0, left))[0]:
                return None
            self._read_once()
            message = super().receive(None)
        return message

    def _send_all(self, data: bytes) -> None:
        """Send, and read meanwhile, as a browser does: a server that sends much takes more when that was read."""
        if self._unsent is not None:  # what was read asks for an answer
            self._unsent += data
            return
        self._unsent = bytearray(data)
        try:
            while self._unsent:
                readable, writable, _ = select.select([self._socket], [self._socket], [])
                if readable:
                    self._read_once()
                if writable:
                    del self._unsent[: self._socket.send(self._unsent, socket.MSG_DONTWAIT)]
        finally:
            self._unsent = None

    def _begin_reading(self) -> None:
        pass

    def _end_reading(self) -> None:
        pass
