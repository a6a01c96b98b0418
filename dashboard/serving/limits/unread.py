"""Ends connections whose browser does not read what it is sent.

uvicorn closes a websocket when a ping is not answered, but only once all is sent that was to be sent, which is never;
the answer to a request for a file has no limit at all. Such a connection would keep its memory, and the server would
not stop when it is told to.
"""

import socket
from asyncio import BaseProtocol, BaseTransport

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 20  # in which the browser takes nothing. One that is slow takes a little again and again
_OPTION = getattr(socket, "TCP_USER_TIMEOUT", None)  # of Linux

_connection_made = AutoHTTPProtocol.connection_made


def _connection_made_with_limit(self: BaseProtocol, transport: BaseTransport) -> None:
    connection = transport.get_extra_info("socket")
    if _OPTION is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, _OPTION, SECONDS * 1000)
    _connection_made(self, transport)


def end_unread_connections() -> None:
    """From now on, the system does so for each connection, also where it becomes a websocket. Further calls change
    nothing."""
    AutoHTTPProtocol.connection_made = _connection_made_with_limit  # type: ignore[method-assign]
