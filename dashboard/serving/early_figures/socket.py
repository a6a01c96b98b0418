"""The second websocket of a tab: figures go out, and nothing comes in."""

import asyncio
import json
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from dashboard.serving.early_figures.channel import Channel, FigureConnection

_NO_CHANNEL = 1008  # RFC 6455, section 7.4.1: a policy is violated


async def serve(socket: WebSocket, channel: Channel | None) -> None:
    """Send the figures of the channel until the tab closes the websocket or opens another. None: no such channel."""
    await socket.accept()  # always: of a websocket that is refused, browsers complain in their console
    if channel is None:
        await socket.close(_NO_CHANNEL)
        return
    connection = channel.connect()
    sending = asyncio.create_task(_send_figures(socket, channel, connection))
    closing = asyncio.create_task(socket.receive())  # any message: no browser sends one
    try:
        await asyncio.wait({sending, closing}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        channel.disconnect(connection)
        sending.cancel()
        closing.cancel()
        await asyncio.gather(sending, closing, return_exceptions=True)
        with suppress(RuntimeError, WebSocketDisconnect):  # the tab has closed it
            await socket.close()


async def _send_figures(socket: WebSocket, channel: Channel, connection: FigureConnection) -> None:
    """Send what scripts write. The tab shows the figures of a run together, when it hears that there are no more."""
    is_waiting = False  # whether the tab has figures of which it does not know that they are all
    with suppress(WebSocketDisconnect):
        while batch := await connection.next_batch():
            if batch.figures or (is_waiting and batch.is_last):
                is_last = json.dumps(batch.is_last)
                await socket.send_text(f'{{"figures":[{",".join(batch.figures)}],"isLast":{is_last}}}')
                is_waiting = not batch.is_last
            if batch.is_last:
                channel.release()
