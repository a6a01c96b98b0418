"""Ends websockets whose browser does not read what it is sent.

uvicorn closes such a connection when a ping is not answered, but only once all is sent that was to be sent, which is
never. It would keep its memory, and the server would not stop when it is told to.
"""

import socket
from asyncio import BaseTransport

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

SECONDS = 20  # in which the browser takes nothing. One that is slow takes a little again and again
_OPTION = getattr(socket, "TCP_USER_TIMEOUT", None)  # of Linux

_connection_made = WebSocketsSansIOProtocol.connection_made


def _connection_made_with_limit(self: WebSocketsSansIOProtocol, transport: BaseTransport) -> None:
    connection = transport.get_extra_info("socket")
    if _OPTION is not None and connection is not None and connection.family != getattr(socket, "AF_UNIX", None):
        connection.setsockopt(socket.IPPROTO_TCP, _OPTION, SECONDS * 1000)
    _connection_made(self, transport)


def end_unread_connections() -> None:
    """From now on, the system does so for each websocket that is opened. Further calls change nothing."""
    WebSocketsSansIOProtocol.connection_made = _connection_made_with_limit  # type: ignore[method-assign]
