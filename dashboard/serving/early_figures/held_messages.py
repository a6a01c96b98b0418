"""An ASGI middleware: on Streamlit's websocket, the messages of a run wait until its figures have gone."""

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dashboard.serving.early_figures.channel import Channel
from dashboard.serving.early_figures.channels import CHANNELS


class HeldMessages:
    """The middleware. It belongs inside the gate (dashboard/serving/limits), which limits what is read here."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request or one connection."""
        if scope["type"] == "websocket":
            connection = _HeldConnection(receive, send)
            receive, send = connection.receive, connection.send
        await self._app(scope, receive, send)


class _HeldConnection:
    """One websocket of Streamlit's."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._channel: Channel | None = None
        self._page: str | None = None  # hash of the page that was last asked for

    async def receive(self) -> Message:
        """The next message of the browser. One that asks for a run of the same page lets the answer wait."""
        message = await self._receive()
        page = _page_to_run(message.get("bytes") or b"")
        if page is not None:
            if self._channel and page == self._page:
                self._channel.hold()
            self._page = page
        return message

    async def send(self, message: Message) -> None:
        """Send a message to the browser, if need be later."""
        if self._channel:
            await self._channel.wait()
        elif session := _session(message.get("bytes") or b""):
            self._channel = CHANNELS.of_session(session)
        await self._send(message)


def _page_to_run(data: bytes) -> str | None:
    """The hash of the page that a message of the browser asks for."""
    try:
        message = BackMsg.FromString(data)
    except DecodeError:  # the gate refuses it; without a gate, Streamlit does
        return None
    return message.rerun_script.page_script_hash if message.HasField("rerun_script") else None


def _session(data: bytes) -> str | None:
    """The session that a message of the server names; the first messages of a connection do."""
    message = ForwardMsg.FromString(data)
    return message.new_session.initialize.session_id if message.HasField("new_session") else None
