"""The runs that a tab asks its server for, as its websocket shows them."""

from playwright.sync_api import WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg


def asks_for_a_run(message: bytes | str) -> bool:
    """The browser asks the server to run the page, or its fragment."""
    sent = BackMsg.FromString(message) if isinstance(message, bytes) else BackMsg()
    return sent.HasField("rerun_script")


def ends_a_run(message: bytes | str) -> bool:
    """The server says that a run of the page, or of its fragment, is over, and not to be run again at once."""
    is_short = isinstance(message, bytes) and len(message) < 500  # figures have 1,000 times that, and need not be read
    sent = ForwardMsg.FromString(message) if is_short else ForwardMsg()
    over = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
    return sent.WhichOneof("type") == "script_finished" and sent.script_finished in over


class Runs:
    """The runs of a tab.

    The page itself does not tell that a run was asked for: it looks complete until the server says that the run begins.

    is_awaited  whether the browser has asked for a run since the last one ended
    """

    def __init__(self) -> None:
        self.is_awaited = False
        self._socket: WebSocket | None = None

    def follow(self, socket: WebSocket) -> None:
        """The tab has opened this websocket. It takes the place of the one before."""
        self._socket, self.is_awaited = socket, False
        socket.on("framesent", lambda message: self._sent(socket, message))
        socket.on("framereceived", lambda message: self._received(socket, message))
        socket.on("close", self._closed)

    def wait(self) -> None:
        """Wait until the browser awaits no run."""
        if self.is_awaited and self._socket:
            self._socket.wait_for_event("framereceived", ends_a_run)

    def _sent(self, socket: WebSocket, message: bytes | str) -> None:
        if socket is self._socket and asks_for_a_run(message):
            self.is_awaited = True

    def _received(self, socket: WebSocket, message: bytes | str) -> None:
        if socket is self._socket and ends_a_run(message):
            self.is_awaited = False

    def _closed(self, socket: WebSocket) -> None:
        if socket is self._socket:
            self.is_awaited = False
